// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <kdl/chainexternalwrenchestimator.hpp>

#include "chain_velocity.hpp"
#include "dynamics.hpp"

namespace KDL {

namespace detail {

class WrenchEstimator {
 public:
  WrenchEstimator(const Chain& chain, const Vector& gravity, double frequency, double gain_, double filter_,
                  double eps_, int maxiter_)
      : velocity(chain),
        dynamics(chain, gravity),
        dt(1 / frequency),
        gain(gain_),
        filter(filter_),
        eps(eps_),
        maxiter(maxiter_) {
    resize();
  }
  void rebuild() {
    velocity.rebuild();
    dynamics.rebuild();
    resize();
  }
  void resize() {
    const unsigned int n = velocity.robot.joints();
    for (JntArray* array : {&initial, &integral, &estimated, &filtered, &gravity_torque, &momentum, &coriolis}) {
      array->resize(n);
      SetToZero(*array);
    }
  }

  bool is_defined() const { return dt > 0 && std::isfinite(dt) && std::isfinite(gain) && filter >= 0 && filter <= 1; }

  ChainVelocity velocity;
  Dynamics dynamics;
  double dt, gain, filter, eps;
  int maxiter;
  JntArray initial, integral, estimated, filtered, gravity_torque, momentum, coriolis;
};

}  // namespace detail

ChainExternalWrenchEstimator::ChainExternalWrenchEstimator(const Chain& chain, const Vector& gravity,
                                                           const double sample_frequency, const double estimation_gain,
                                                           const double filter_constant, const double eps,
                                                           const int maxiter)
    : estimator_(std::make_unique<detail::WrenchEstimator>(chain, gravity, sample_frequency, estimation_gain,
                                                           filter_constant, eps, maxiter)) {}
ChainExternalWrenchEstimator::ChainExternalWrenchEstimator(const ChainExternalWrenchEstimator& other)
    : SolverI(other),
      estimator_(std::make_unique<detail::WrenchEstimator>(*other.estimator_)) {}
ChainExternalWrenchEstimator::~ChainExternalWrenchEstimator() = default;

int ChainExternalWrenchEstimator::setInitialMomentum(const JntArray& joint_position, const JntArray& joint_velocity) {
  detail::WrenchEstimator& e = *estimator_;
  if (error = e.dynamics.refresh(); error != E_NOERROR) return error;
  const unsigned int n = e.dynamics.robot().joints();
  if (joint_position.rows() != n || joint_velocity.rows() != n) return error = E_SIZE_MISMATCH;
  if (!joint_velocity.data.allFinite()) return error = E_UNDEFINED;
  if (e.dynamics.momentum(joint_position, joint_velocity, e.initial, e.coriolis) != E_NOERROR)
    return error = E_DYNPARAMSOLVERMASS_FAILED;
  for (JntArray* array : {&e.integral, &e.estimated, &e.filtered}) SetToZero(*array);
  return error = E_NOERROR;
}

void ChainExternalWrenchEstimator::setSVDEps(const double eps_in) { estimator_->eps = eps_in; }
void ChainExternalWrenchEstimator::setSVDMaxIter(const int maxiter_in) { estimator_->maxiter = maxiter_in; }

int ChainExternalWrenchEstimator::JntToExtWrench(const JntArray& joint_position, const JntArray& joint_velocity,
                                                 const JntArray& joint_torque, Wrench& external_wrench) {
  detail::WrenchEstimator& e = *estimator_;
  if (error = e.dynamics.refresh(); error != E_NOERROR) return error;
  const unsigned int n = e.dynamics.robot().joints();
  if (joint_position.rows() != n || joint_velocity.rows() != n || joint_torque.rows() != n)
    return error = E_SIZE_MISMATCH;
  if (!joint_torque.data.allFinite() || !e.is_defined()) return error = E_UNDEFINED;
  if (e.dynamics.momentum(joint_position, joint_velocity, e.momentum, e.coriolis) != E_NOERROR)
    return error = E_DYNPARAMSOLVERMASS_FAILED;
  if (e.dynamics.gravity(joint_position, e.gravity_torque) != E_NOERROR) return error = E_DYNPARAMSOLVERGRAVITY_FAILED;
  if (e.velocity.move(joint_position, e.filtered) != E_NOERROR) return error = E_JACSOLVER_FAILED;
  detail::Robot& robot = e.velocity.robot;
  if (detail::code_of(zwang::try_forward_kinematics(robot.model(), robot.data(), robot.q)) != E_NOERROR)
    return error = E_FKSOLVERPOS_FAILED;

  e.integral.data += e.dt * (joint_torque.data + e.coriolis.data - e.gravity_torque.data + e.filtered.data);
  e.estimated.data = e.gain * (e.momentum.data - e.integral.data - e.initial.data);
  e.filtered.data = e.filter * e.filtered.data + (1 - e.filter) * e.estimated.data;

  // tau = J^T w by the singular values of J: w = U S^+ V^T tau.
  e.velocity.svd.matrix() = e.velocity.jacobian;
  if (error = e.velocity.decompose(e.maxiter); error != E_NOERROR) return error;
  Eigen::Matrix<double, 6, 1> w = Eigen::Matrix<double, 6, 1>::Zero();
  const detail::SingularValues& svd = e.velocity.svd;
  for (Eigen::Index i = 0; i < svd.count(); ++i)
    if (const double s = svd.value(i); s >= e.eps && s > 0) w += svd.right(i).dot(e.filtered.data) / s * svd.left(i);
  const Rotation tip =
      robot.segments() == 0
          ? Rotation::Identity()
          : detail::from(zwang::frame_pose(robot.model(), robot.data(), robot.tip(robot.segments() - 1))).M;
  external_wrench = tip.Inverse(Wrench(Vector(w[0], w[1], w[2]), Vector(w[3], w[4], w[5])));
  return error = n < 6 || e.velocity.lost(e.eps) > 0 ? E_DEGRADED : E_NOERROR;
}

void ChainExternalWrenchEstimator::getEstimatedJntTorque(JntArray& external_joint_torque) {
  if (external_joint_torque.rows() != estimator_->filtered.rows()) {
    error = E_SIZE_MISMATCH;
    return;
  }
  external_joint_torque = estimator_->filtered;
}

const char* ChainExternalWrenchEstimator::strError(const int code) const {
  switch (code) {
    case E_FKSOLVERPOS_FAILED: return "The solver for forward kinematics failed";
    case E_JACSOLVER_FAILED: return "The solver for Jacobians failed";
    case E_DYNPARAMSOLVERMASS_FAILED: return "The solver for the mass matrix failed";
    case E_DYNPARAMSOLVERCORIOLIS_FAILED: return "The solver for Coriolis torques failed";
    case E_DYNPARAMSOLVERGRAVITY_FAILED: return "The solver for gravity torques failed";
    default: return SolverI::strError(code);
  }
}

void ChainExternalWrenchEstimator::updateInternalDataStructures() { estimator_->rebuild(); }

}  // namespace KDL
