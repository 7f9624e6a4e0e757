// SPDX-License-Identifier: BSD-3-Clause
// Joint velocities of a tree by damped least squares with weights, for several endpoints.
#pragma once
#include <memory>
#include <vector>

#include "storage.hpp"
#include "treeiksolver.hpp"
#include "treejnttojacsolver.hpp"

namespace KDL {

namespace detail {
class TreeVelocity;
}

/// qdot = M_q V S / (S^2 + lambda^2) U' M_x v   with U S V' = M_x J M_q
/// J: the Jacobians of the endpoints, one below the other in the order of their names. With lambda = 0, singular values
/// at the level of rounding count as zero.
class TreeIkSolverVel_wdls : public TreeIkSolverVel {
 public:
  static constexpr int E_SVD_FAILED = -100;

  TreeIkSolverVel_wdls(const Tree& tree, const std::vector<std::string>& endpoints);
  TreeIkSolverVel_wdls(const TreeIkSolverVel_wdls& other);
  ~TreeIkSolverVel_wdls() override;

  /// |M_x v|; -1: sizes, -2: v_in names a segment that is no endpoint or not in the tree, -3: the tree has changed, -4:
  /// numbers that are not finite, E_SVD_FAILED. Endpoints that v_in does not name are free.
  double CartToJnt(const JntArray& q_in, const Twists& v_in, JntArray& qdot_out) override;

  /// [n, n] and [6 e, 6 e] of e endpoints; the identity at first. Matrices of other sizes are not taken.
  void setWeightJS(const Eigen::MatrixXd& Mq);
  void setWeightTS(const Eigen::MatrixXd& Mx);
  void setLambda(const double& lambda) { lambda_ = lambda; }
  double getLambda() const { return lambda_; }

 private:
  std::unique_ptr<detail::TreeVelocity> velocity_;
  double lambda_ = 0;
};

}  // namespace KDL
