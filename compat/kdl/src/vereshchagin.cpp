// SPDX-License-Identifier: BSD-3-Clause
// ChainHdSolver_Vereshchagin: sizes and codes; the problem itself is HybridDynamics.
#include <kdl/chainhdsolver_vereshchagin.hpp>

#include "hybrid_dynamics.hpp"

namespace KDL {

using detail::HybridDynamics;

ChainHdSolver_Vereshchagin::ChainHdSolver_Vereshchagin(const Chain& chain, const Twist& root_acc, const unsigned int nc)
    : dynamics_(std::make_unique<HybridDynamics>(chain, root_acc, nc)) {}
ChainHdSolver_Vereshchagin::ChainHdSolver_Vereshchagin(const ChainHdSolver_Vereshchagin& other)
    : SolverI(other),
      dynamics_(std::make_unique<HybridDynamics>(*other.dynamics_)) {}
ChainHdSolver_Vereshchagin::~ChainHdSolver_Vereshchagin() = default;

int ChainHdSolver_Vereshchagin::CartToJnt(const JntArray& q, const JntArray& q_dot, JntArray& q_dotdot,
                                          const Jacobian& alfa, const JntArray& beta, const Wrenches& f_ext,
                                          const JntArray& ff_torques, JntArray& constraint_torques) {
  error = dynamics_->refresh();
  if (error != E_NOERROR) return error;
  const unsigned int nj = dynamics_->robot().joints(), nc = dynamics_->rows();
  if (q.rows() != nj || q_dot.rows() != nj || q_dotdot.rows() != nj || ff_torques.rows() != nj ||
      constraint_torques.rows() != nj || f_ext.size() != dynamics_->robot().segments() || alfa.columns() != nc ||
      beta.rows() != nc)
    return error = E_SIZE_MISMATCH;
  error = dynamics_->solve(q, q_dot, alfa, beta, f_ext, ff_torques);
  if (!dynamics_->has_solution()) return error;
  q_dotdot.data = dynamics_->accelerations().data;
  dynamics_->robot().torques_from(dynamics_->solution().articulated_constraint_torque.data(), constraint_torques);
  return error;
}

void ChainHdSolver_Vereshchagin::updateInternalDataStructures() { dynamics_->rebuild(); }

const JntArray& ChainHdSolver_Vereshchagin::multipliers() const { return dynamics_->multipliers(); }

void ChainHdSolver_Vereshchagin::getTransformedLinkAcceleration(Twists& x_dotdot) {
  if (!dynamics_->has_solution()) return;
  const unsigned int segments = dynamics_->robot().segments();
  if (check_size(static_cast<unsigned int>(x_dotdot.size()), segments + 1)) dynamics_->accelerations(x_dotdot);
}
void ChainHdSolver_Vereshchagin::getTotalTorque(JntArray& total_tau) {
  if (dynamics_->has_solution() && check_size(total_tau.rows(), dynamics_->robot().joints()))
    dynamics_->total_torque(total_tau);
}
void ChainHdSolver_Vereshchagin::getMotorTorque(JntArray& torque) {
  if (dynamics_->has_solution() && check_size(torque.rows(), dynamics_->robot().joints()))
    dynamics_->motor_torque(torque);
}
Wrench ChainHdSolver_Vereshchagin::getConstraintWrench() const { return dynamics_->wrench(); }
unsigned int ChainHdSolver_Vereshchagin::getRank() const {
  return dynamics_->has_solution() ? static_cast<unsigned int>(dynamics_->solution().report.rank) : 0;
}
double ChainHdSolver_Vereshchagin::getResidual() const {
  return dynamics_->has_solution() ? dynamics_->solution().report.residual : 0;
}

void ChainHdSolver_Vereshchagin::setSingularityPolicy(SingularityPolicy policy, double regularisation) {
  dynamics_->set(policy == PROXIMAL  ? zwang::Singularity::proximal
                 : policy == DAMPING ? zwang::Singularity::damping
                                     : zwang::Singularity::truncation,
                 regularisation);
}
void ChainHdSolver_Vereshchagin::setSingularityTolerance(double angle) { dynamics_->set_tolerance(angle); }

}  // namespace KDL
