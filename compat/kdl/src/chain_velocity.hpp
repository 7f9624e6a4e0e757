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

constexpr int k_pinv_singular = 100;  ///< E_CONVERGE_PINV_SINGULAR of pinv and wdls

/// Singular values that the shape of the Jacobian makes zero.
inline unsigned int zeros_of_shape(const ChainVelocity& velocity) {
  return velocity.robot.joints() > 6 ? velocity.robot.joints() - 6 : 0;
}

inline auto inverse_above(double eps) {
  return [eps](double s) { return s < eps || s == 0 ? 0 : 1 / s; };
}

/// Of solvers that know a singular Jacobian.
inline const char* singular_or(const char* other, int code) {
  return code == k_pinv_singular ? "Converged, but the Jacobian is singular" : other;
}

}  // namespace KDL::detail
