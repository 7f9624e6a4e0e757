// SPDX-License-Identifier: BSD-3-Clause
// Joint velocities of a chain for a twist of its tip, by the pseudoinverse of the Jacobian, towards a posture.
#include <cmath>
#include <kdl/chainiksolvervel_pinv_nso.hpp>
#include <limits>

#include "chain_velocity.hpp"

namespace KDL {

using detail::ChainVelocity;
using detail::inverse_above;
using detail::vector_of;

ChainIkSolverVel_pinv_nso::ChainIkSolverVel_pinv_nso(const Chain& chain, const JntArray& opt_pos,
                                                     const JntArray& weights, double eps, int maxiter, double alpha)
    : velocity_(std::make_unique<ChainVelocity>(chain)),
      eps_(eps),
      maxiter_(maxiter),
      alpha_(alpha),
      weights_(weights),
      opt_pos_(opt_pos),
      step_(chain.getNrOfJoints()) {}
ChainIkSolverVel_pinv_nso::ChainIkSolverVel_pinv_nso(const Chain& chain, double eps, int maxiter, double alpha)
    : ChainIkSolverVel_pinv_nso(chain, JntArray(), JntArray(), eps, maxiter, alpha) {}
ChainIkSolverVel_pinv_nso::ChainIkSolverVel_pinv_nso(const ChainIkSolverVel_pinv_nso& other)
    : ChainIkSolverVel(other),
      velocity_(std::make_unique<ChainVelocity>(*other.velocity_)),
      eps_(other.eps_),
      maxiter_(other.maxiter_),
      alpha_(other.alpha_),
      weights_(other.weights_),
      opt_pos_(other.opt_pos_),
      step_(other.step_),
      svdResult_(other.svdResult_) {}
ChainIkSolverVel_pinv_nso::~ChainIkSolverVel_pinv_nso() = default;

int ChainIkSolverVel_pinv_nso::CartToJnt(const JntArray& q_in, const Twist& v_in, JntArray& qdot_out) {
  ChainVelocity& velocity = *velocity_;
  if (error = velocity.move(q_in, qdot_out, v_in); error != E_NOERROR) return error;
  const unsigned int n = velocity.robot.joints();
  if (weights_.rows() != n || opt_pos_.rows() != n || step_.rows() != n) return error = E_SIZE_MISMATCH;
  if (!weights_.data.allFinite() || !opt_pos_.data.allFinite() || !std::isfinite(alpha_)) return error = E_UNDEFINED;
  velocity.svd.matrix() = velocity.jacobian;
  if (error = svdResult_ = velocity.decompose(maxiter_); error != E_NOERROR) return error;
  velocity.apply(vector_of(v_in), inverse_above(eps_), qdot_out);
  double g = 0, length = 0;  // 2 g, and the square of its gradient's length
  for (unsigned int i = 0; i < n; ++i) {
    const double d = q_in(i) - opt_pos_(i);
    step_(i) = weights_(i) * d;
    g += step_(i) * d;
    length += step_(i) * step_(i);
  }
  if (length > 0) {
    step_.data *= -alpha_ * g / length;
    for (Eigen::Index i = 0; i < velocity.svd.count(); ++i)
      if (velocity.svd.value(i) >= eps_) step_.data -= velocity.svd.right(i).dot(step_.data) * velocity.svd.right(i);
    qdot_out.data += step_.data;
  }
  return error = velocity.lost(eps_) > 0 ? E_DEGRADED : E_NOERROR;
}
int ChainIkSolverVel_pinv_nso::CartToJnt(const JntArray&, const FrameVel&, JntArrayVel&) {
  return error = E_NOT_IMPLEMENTED;
}
int ChainIkSolverVel_pinv_nso::setWeights(const JntArray& weights) {
  if (weights.rows() != velocity_->robot.joints()) return error = E_SIZE_MISMATCH;
  weights_ = weights;
  return error = E_NOERROR;
}
int ChainIkSolverVel_pinv_nso::setOptPos(const JntArray& opt_pos) {
  if (opt_pos.rows() != velocity_->robot.joints()) return error = E_SIZE_MISMATCH;
  opt_pos_ = opt_pos;
  return error = E_NOERROR;
}
int ChainIkSolverVel_pinv_nso::setAlpha(const double alpha) {
  alpha_ = alpha;
  return error = E_NOERROR;
}
void ChainIkSolverVel_pinv_nso::updateInternalDataStructures() {
  velocity_->rebuild();
  const unsigned int n = velocity_->robot.joints();
  const auto old = weights_.rows();
  for (JntArray* array : {&weights_, &opt_pos_, &step_}) array->resize(n);
  for (auto i = old; i < n; ++i) weights_(i) = 1;
}

}  // namespace KDL
