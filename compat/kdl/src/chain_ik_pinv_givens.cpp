// SPDX-License-Identifier: BSD-3-Clause
// Joint velocities of a chain for a twist of its tip, by the pseudoinverse of the Jacobian, above rounding.
#include <cmath>
#include <kdl/chainiksolvervel_pinv_givens.hpp>
#include <limits>

#include "chain_velocity.hpp"

namespace KDL {

using detail::ChainVelocity;
using detail::inverse_above;
using detail::vector_of;

ChainIkSolverVel_pinv_givens::ChainIkSolverVel_pinv_givens(const Chain& chain)
    : velocity_(std::make_unique<ChainVelocity>(chain)) {}
ChainIkSolverVel_pinv_givens::ChainIkSolverVel_pinv_givens(const ChainIkSolverVel_pinv_givens& other)
    : ChainIkSolverVel(other),
      velocity_(std::make_unique<ChainVelocity>(*other.velocity_)) {}
ChainIkSolverVel_pinv_givens::~ChainIkSolverVel_pinv_givens() = default;

int ChainIkSolverVel_pinv_givens::CartToJnt(const JntArray& q_in, const Twist& v_in, JntArray& qdot_out) {
  ChainVelocity& velocity = *velocity_;
  if (error = velocity.move(q_in, qdot_out, v_in); error != E_NOERROR) return error;
  velocity.svd.matrix() = velocity.jacobian;
  constexpr int enough_sweeps = 150;
  if (error = velocity.decompose(enough_sweeps); error != E_NOERROR) return error;
  const double largest = velocity.svd.count() > 0 ? velocity.svd.value(0) : 0;
  const double eps = std::max(6u, velocity.robot.joints()) * std::numeric_limits<double>::epsilon() * largest;
  velocity.apply(vector_of(v_in), inverse_above(eps), qdot_out);
  return error = largest == 0 || velocity.lost(eps) > 0 ? E_DEGRADED : E_NOERROR;
}
int ChainIkSolverVel_pinv_givens::CartToJnt(const JntArray&, const FrameVel&, JntArrayVel&) {
  return error = E_NOT_IMPLEMENTED;
}
void ChainIkSolverVel_pinv_givens::updateInternalDataStructures() { velocity_->rebuild(); }

}  // namespace KDL
