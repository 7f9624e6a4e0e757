// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics.hpp"

namespace KDL::detail {

void Dynamics::renew() {
  version_ = robot_.version();
  external_.reserve(robot_.segments());
  if (robot_.refresh() == SolverI::E_NOERROR) robot_.data().gravity = to(gravity_);
}

int Dynamics::refresh() {
  const int code = robot_.refresh();
  if (code == SolverI::E_NOERROR && version_ != robot_.version()) renew();
  return code;
}

void Dynamics::add_wrench(unsigned int segment, const Wrench& wrench, bool in_base_axes) {
  zwang::ExternalWrench out;
  bool acts = false;
  for (int i = 0; i < 6; ++i) {
    out.wrench[i] = wrench(i);
    acts = acts || wrench(i) != 0;
  }
  if (!acts) return;
  out.frame = robot_.tip(segment);
  out.in = in_base_axes ? zwang::Reference::local_world_aligned : zwang::Reference::local;
  external_.push_back(out);
}

int Dynamics::inverse_dynamics(const JntArray& q, const JntArray& q_dot, const JntArray& q_dotdot, JntArray& torques) {
  Robot& r = robot_;
  r.motions_to(q, r.q);
  r.motions_to(q_dot, r.v);
  r.motions_to(q_dotdot, r.a);
  const int code = code_of(zwang::try_inverse_dynamics(r.model(), r.data(), r.q, r.v, r.a, r.tau, external_));
  if (code != SolverI::E_NOERROR) return code;
  r.torques_from(r.tau.data(), torques);
  for (unsigned int j = 0; j < r.joints() && r.has_idle_joint(); ++j)
    torques.data[j] += r.idle_inertia(j) * q_dotdot.data[j];
  return code;
}

int Dynamics::forward_dynamics(const JntArray& q, const JntArray& q_dot, const JntArray& torques, JntArray& q_dotdot) {
  Robot& r = robot_;
  if (r.has_idle_joint()) return SolverI::E_NOT_IMPLEMENTED;
  r.motions_to(q, r.q);
  r.motions_to(q_dot, r.v);
  r.torques_to(torques, r.tau);
  const int code = code_of(zwang::try_forward_dynamics(r.model(), r.data(), r.q, r.v, r.tau, r.a, external_));
  if (code == SolverI::E_NOERROR) r.motions_from(r.a.data(), q_dotdot);
  return code;
}

/// The bias forces without gravity.
int Dynamics::coriolis(const JntArray& q, const JntArray& q_dot, JntArray& out) {
  Robot& r = robot_;
  r.motions_to(q, r.q);
  r.motions_to(q_dot, r.v);
  r.data().gravity = zwang::Vec3<double>::zero();
  const int code = code_of(zwang::try_bias_forces(r.model(), r.data(), r.q, r.v, r.tau));
  r.data().gravity = to(gravity_);
  if (code == SolverI::E_NOERROR) r.torques_from(r.tau.data(), out);
  return code;
}

int Dynamics::coriolis_matrix(const JntArray& q, const JntArray& q_dot, JntSpaceInertiaMatrix& out) {
  Robot& r = robot_;
  r.motions_to(q, r.q);
  r.motions_to(q_dot, r.v);
  const int code = code_of(zwang::try_coriolis_matrix(r.model(), r.data(), r.q, r.v, r.matrix));
  if (code == SolverI::E_NOERROR) matrix_from(out);
  return code;
}

int Dynamics::momentum(const JntArray& q, const JntArray& q_dot, JntArray& momentum, JntArray& coriolis) {
  Robot& r = robot_;
  r.motions_to(q, r.q);
  r.motions_to(q_dot, r.v);
  const int code = code_of(zwang::try_generalised_momentum(r.model(), r.data(), r.q, r.v, r.tau, r.a));
  if (code != SolverI::E_NOERROR) return code;
  r.torques_from(r.tau.data(), momentum);
  r.torques_from(r.a.data(), coriolis);
  for (unsigned int j = 0; j < r.joints() && r.has_idle_joint(); ++j)
    momentum.data[j] += r.idle_inertia(j) * q_dot.data[j];
  return code;
}

int Dynamics::gravity(const JntArray& q, JntArray& out) {
  Robot& r = robot_;
  r.motions_to(q, r.q);
  const int code = code_of(zwang::try_gravity_forces(r.model(), r.data(), r.q, r.tau));
  if (code == SolverI::E_NOERROR) r.torques_from(r.tau.data(), out);
  return code;
}

int Dynamics::mass(const JntArray& q, JntSpaceInertiaMatrix& out) {
  Robot& r = robot_;
  r.motions_to(q, r.q);
  const int code = code_of(zwang::try_mass_matrix(r.model(), r.data(), r.q, r.matrix));
  if (code != SolverI::E_NOERROR) return code;
  matrix_from(out);
  for (unsigned int j = 0; j < r.joints() && r.has_idle_joint(); ++j) out.data(j, j) += r.idle_inertia(j);
  return code;
}

/// A matrix between velocities and torques: both sides are scaled.
void Dynamics::matrix_from(JntSpaceInertiaMatrix& out) const {
  const Robot& r = robot_;
  for (unsigned int j = 0; j < r.joints(); ++j)
    for (unsigned int i = 0; i < r.joints(); ++i)
      out.data(i, j) = r.scale(i) * r.scale(j) * r.matrix(r.coordinate(i), r.coordinate(j));
}

}  // namespace KDL::detail
