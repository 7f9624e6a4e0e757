// SPDX-License-Identifier: BSD-3-Clause
// PosePath: poses of a frame as a function of a parameter s; follow: the joints that bring a robot's frame along it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "zwang/core/record.hpp"
#include "zwang/core/status.hpp"
#include "zwang/path/configuration_path.hpp"
#include "zwang/question/inverse_kinematics.hpp"

namespace zwang {

struct PosePathImpl;

/// Position and attitude move independently: the origin on a line, an arc or a spline, the attitude at a constant
/// rate or on a spline of rotations. A value; copies share what never changes. Every call throws
/// std::invalid_argument naming the argument.
class PosePath {
 public:
  /// 0 <= s <= 1, by the shortest rotation.
  static PosePath line(const Transform<double>& from, const Transform<double>& to);
  /// The origin turns about `axis` (any length but 0) through `centre` by `angle` [rad, signed, any number of turns].
  /// With `turn` the attitude turns with it, otherwise it stays.
  static PosePath arc(const Transform<double>& from, const Vec3<double>& centre, const Vec3<double>& axis, double angle,
                      bool turn = false);
  /// A cubic spline through two or more poses, as ConfigurationPath::through. Where knots are empty, their distances
  /// count metres and radians alike, and a pose that repeats the one before is passed over.
  static PosePath through(const std::vector<Transform<double>>& poses, VectorIn knots = Eigen::VectorXd());

  Transform<double> at(double s) const;  ///< s beyond begin() and end() is refused
  double begin() const, end() const;     ///< of s
  VectorView knots() const;
  /// All that makes the path, to store it: from_numbers() gives a path that is equal to the last bit.
  std::vector<double> numbers() const;
  static PosePath from_numbers(
      VectorIn numbers);  ///< throws std::invalid_argument for numbers that are not those of a path

 private:
  explicit PosePath(std::shared_ptr<const PosePathImpl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const PosePathImpl> impl_;
};

/// How closely joints follow a path of poses.
struct FollowSettings {
  double tolerance = 1e-5;  ///< [m, rad] between the path and the frame, in the middle between samples; > 0
  double most_step = 0.3;   ///< of a coordinate between two samples: [rad], of slides over the length of the links; > 0
  int samples = 16;         ///< at least so many, >= 4
  int most_samples = 4096;
  InverseKinematicsSettings inverse_kinematics = {};
};
/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<FollowSettings>) {
  using T = FollowSettings;
  v.record("FollowSettings", "How near a path is followed, and by how many samples.");
  v("tolerance", &T::tolerance, "[m, rad] between the path and the frame");
  v("most_step", &T::most_step, "of a coordinate between two samples");
  v("samples", &T::samples, "at least so many");
  v("most_samples", &T::most_samples, "at most so many");
  v("inverse_kinematics", &T::inverse_kinematics, "of each sample");
}

/// How follow() ended, and how far the frame is from the path.
struct FollowReport {
  /// ok: `path` keeps the tolerance, and the limits of position at all s, to 1e-12 (1 + |limit|). infeasible: at
  /// some s no configuration was found. not_converged: coordinates jump (the chain passes a singular
  /// configuration or has to change its branch), most_samples do not reach the tolerance, or a joint leaves its
  /// limits between samples however they are chosen.
  Status status = Status::ok;
  std::string reason = {};                     ///< in sentences; empty if ok
  double error = 0;                            ///< the largest that was measured [m, rad]
  double failed_at = 0;                        ///< s, where the status is not ok
  int samples = 0;                             ///< configurations that were solved for
  std::optional<ConfigurationPath> path = {};  ///< of the same s; with ok
};

/// Joint values along a path of a frame, from the solution nearest to q0: inverse kinematics at samples of s, each
/// from the one before, a spline through them, and more samples wherever the spline misses the path by more than
/// the tolerance. Where the spline leaves limits that its samples keep, samples keep a distance from the limits,
/// where the path lets them. `target` names the frame; its pose is ignored. `constraints` (may be nullptr) hold all
/// along. Throws what InverseKinematics throws.
FollowReport follow(const Model& model, const PoseTarget& target, const PosePath& path, VectorIn q0,
                    const ConstraintSet* constraints = nullptr, const FollowSettings& settings = {});

}  // namespace zwang
