// SPDX-License-Identifier: BSD-3-Clause
// Joint velocities of a chain for a twist of its tip, by the pseudoinverse of the Jacobian.
#include <cmath>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <limits>

#include "chain_velocity.hpp"

namespace KDL {

using detail::ChainVelocity;
using detail::inverse_above;
using detail::singular_or;
using detail::vector_of;
using detail::zeros_of_shape;

ChainIkSolverVel_pinv::ChainIkSolverVel_pinv(const Chain& chain, double eps, int maxiter)
    : velocity_(std::make_unique<ChainVelocity>(chain)),
      eps_(eps),
      maxiter_(maxiter) {}
ChainIkSolverVel_pinv::ChainIkSolverVel_pinv(const ChainIkSolverVel_pinv& other)
    : ChainIkSolverVel(other),
      velocity_(std::make_unique<ChainVelocity>(*other.velocity_)),
      eps_(other.eps_),
      maxiter_(other.maxiter_),
      nrZeroSigmas_(other.nrZeroSigmas_),
      svdResult_(other.svdResult_) {}
ChainIkSolverVel_pinv::~ChainIkSolverVel_pinv() = default;

int ChainIkSolverVel_pinv::CartToJnt(const JntArray& q_in, const Twist& v_in, JntArray& qdot_out) {
  ChainVelocity& velocity = *velocity_;
  if (error = velocity.move(q_in, qdot_out, v_in); error != E_NOERROR) return error;
  velocity.svd.matrix() = velocity.jacobian;
  if (error = svdResult_ = velocity.decompose(maxiter_); error != E_NOERROR) return error;
  velocity.apply(vector_of(v_in), inverse_above(eps_), qdot_out);
  const unsigned int lost = velocity.lost(eps_);
  nrZeroSigmas_ = lost + zeros_of_shape(velocity);
  return error = lost > 0 ? static_cast<int>(E_CONVERGE_PINV_SINGULAR) : static_cast<int>(E_NOERROR);
}
int ChainIkSolverVel_pinv::CartToJnt(const JntArray&, const FrameVel&, JntArrayVel&) {
  return error = E_NOT_IMPLEMENTED;
}
const char* ChainIkSolverVel_pinv::strError(const int code) const { return singular_or(SolverI::strError(code), code); }
void ChainIkSolverVel_pinv::updateInternalDataStructures() { velocity_->rebuild(); }

}  // namespace KDL
