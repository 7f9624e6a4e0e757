// SPDX-License-Identifier: BSD-3-Clause
// ChainVelocity: the Jacobian of a chain's tip and its singular values.
#pragma once
#include "robot.hpp"
#include "singular_values.hpp"

namespace KDL::detail {

class ChainVelocity {
 public:
  explicit ChainVelocity(const Chain& chain);
  void rebuild();

  /// Checks sizes and numbers, and computes the Jacobian in `jacobian` [6, n], KDL's order.
  int move(const JntArray& q, const JntArray& out, const Twist& v = Twist::Zero());
  /// Singular values of `jacobian`, or of what was put into svd.matrix(). E_SVD_FAILED.
  int decompose(int max_sweeps);
  /// out = sum_i filter(s_i) (l_i . v) r_i. `filter` gives 0 for what counts as zero.
  template <class Filter> void apply(const Eigen::Matrix<double, 6, 1>& v, const Filter& filter, JntArray& out) const {
    out.data.setZero();
    for (Eigen::Index i = 0; i < svd.count(); ++i)
      if (const double f = filter(svd.value(i)); f != 0) out.data += f * svd.left(i).dot(v) * svd.right(i);
  }
  /// How many singular values are zero or below eps.
  unsigned int lost(double eps) const;

  Robot robot;
  SingularValues svd;
  Eigen::Matrix<double, 6, Eigen::Dynamic> jacobian;
};

inline Eigen::Matrix<double, 6, 1> vector_of(const Twist& t) {
  return {t.vel(0), t.vel(1), t.vel(2), t.rot(0), t.rot(1), t.rot(2)};
}

}  // namespace KDL::detail
