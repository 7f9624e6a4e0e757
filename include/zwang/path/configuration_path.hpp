// SPDX-License-Identifier: BSD-3-Clause
// ConfigurationPath: configurations of a robot as a function of a parameter s, without time.
//
//   q(s),  q' and q'' with  q(s + ds) = q(s) (+) ds q'  and q'' = d(q')/ds,  nv numbers each
// On the groups of the joints: attitudes stay attitudes, and q' of a floating joint is in body axes, as
// velocities are. From one configuration to the next every joint goes the shorter way, a planar one, too,
// and its numbers are continuous: the angle of a planar joint may end whole turns away from the number
// given, a quaternion with the other sign.
#pragma once
#include <memory>
#include <vector>

#include "zwang/algorithm/reference.hpp"

namespace zwang {

/// A point of a path and its derivatives.
template <class Vector = Eigen::VectorXd> struct PathPoint {
  Vector q, first, second;  ///< [nq], [nv], [nv]
};

struct ConfigurationPathImpl;

/// A value; copies share what never changes. Every call throws std::invalid_argument naming the argument.
class ConfigurationPath {
 public:
  /// q0 (+) s (q1 (-) q0), 0 <= s <= 1.
  static ConfigurationPath line(const Model& model, VectorIn q0, VectorIn q1);
  /// A cubic spline through the columns of Q [nq, points >= 2] with continuous q'' and q'' = 0 at both ends:
  /// cumulative B-splines on the groups (Kim, Kim & Shin 1995). `knots` [points], increasing: s at each column;
  /// empty: from 0 to 1, in proportion to the square roots of the distances (Lee 1989); a column that repeats
  /// the one before, to 1e-12 (1 + |Q|), is then passed over and has no knot. Throws where fewer than two are
  /// left, and, naming the column, where attitudes of neighbours are so far apart that no spline is found (more
  /// than about a radian): more columns help.
  static ConfigurationPath through(const Model& model, MatrixIn Q, VectorIn knots = Eigen::VectorXd());

  /// q [nq], q' and q'' [nv] at s. s beyond begin() and end() is refused.
  /// Allocates a little where the path is a spline.
  void at(double s, VectorOut q, VectorOut first, VectorOut second) const;
  template <class Vector = Eigen::VectorXd> PathPoint<Vector> at(double s) const {
    PathPoint<Vector> out{Vector(model().nq()), Vector(model().nv()), Vector(model().nv())};
    at(s, out.q, out.first, out.second);
    return out;
  }
  double begin() const, end() const;  ///< of s
  VectorView knots() const;           ///< between them the path has all derivatives
  const Model& model() const;
  /// All that makes the path, to store it: from_numbers() with the same model
  /// gives a path that is equal to the last bit.
  std::vector<double> numbers() const;
  /// Throws std::invalid_argument for numbers that are not those of a path of this model.
  static ConfigurationPath from_numbers(const Model& model, VectorIn numbers);

 private:
  friend class PosePath;
  static ConfigurationPath through(const Model& model, MatrixIn Q, VectorIn knots, const char* function);
  explicit ConfigurationPath(std::shared_ptr<const ConfigurationPathImpl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const ConfigurationPathImpl> impl_;
};

}  // namespace zwang
