// SPDX-License-Identifier: BSD-3-Clause
#include <rbdl/Dynamics.h>

#include <zwang/algorithm/dynamics.hpp>

#include "robot.hpp"

namespace RigidBodyDynamics {

using detail::Robot;
using Math::MatrixNd;
using Math::VectorNd;

namespace {

/// The robot at a state, with gravity as it is now.
Robot& at(const char* function, Model& model, const VectorNd& Q, const VectorNd& QDot) {
  Robot& robot = model.kept.of(model);
  robot.set_q(function, Q);
  robot.set_v(function, QDot);
  robot.read_gravity();
  return robot;
}

void write_matrix(const Robot& robot, MatrixNd& H) {
  const std::size_t n = robot.columns.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      H(static_cast<long>(i), static_cast<long>(k)) = robot.matrix(robot.columns[i], robot.columns[k]);
}

}  // namespace

void InverseDynamics(Model& model, const VectorNd& Q, const VectorNd& QDot, const VectorNd& QDDot, VectorNd& Tau,
                     std::vector<Math::SpatialVector>* f_ext) {
  Robot& robot = at("InverseDynamics", model, Q, QDot);
  robot.set_a("InverseDynamics", QDDot);
  robot.from_model("InverseDynamics", "the size of Tau",
                   zwang::inverse_dynamics(robot.model, robot.scratch, robot.q, robot.v, robot.a,
                                           robot.externals("InverseDynamics", f_ext)),
                   Tau);
}

void NonlinearEffects(Model& model, const VectorNd& Q, const VectorNd& QDot, VectorNd& Tau,
                      std::vector<Math::SpatialVector>* f_ext) {
  Robot& robot = at("NonlinearEffects", model, Q, QDot);
  robot.from_model(
      "NonlinearEffects", "the size of Tau",
      zwang::bias_forces(robot.model, robot.scratch, robot.q, robot.v, robot.externals("NonlinearEffects", f_ext)),
      Tau);
}

void CompositeRigidBodyAlgorithm(Model& model, const VectorNd& Q, MatrixNd& H, bool update_kinematics) {
  Robot& robot = model.kept.of(model);
  if (update_kinematics) robot.set_q("CompositeRigidBodyAlgorithm", Q);
  detail::check_shape("CompositeRigidBodyAlgorithm", H, model.qdot_size, model.qdot_size);
  zwang::mass_matrix(robot.model, robot.scratch, robot.q, robot.matrix);
  write_matrix(robot, H);
}

void ForwardDynamics(Model& model, const VectorNd& Q, const VectorNd& QDot, const VectorNd& Tau, VectorNd& QDDot,
                     std::vector<Math::SpatialVector>* f_ext) {
  Robot& robot = at("ForwardDynamics", model, Q, QDot);
  robot.to_model("ForwardDynamics", "the size of Tau", Tau, robot.tau);
  const auto a = zwang::forward_dynamics(robot.model, robot.scratch, robot.q, robot.v, robot.tau,
                                         robot.externals("ForwardDynamics", f_ext));
  robot.from_model("ForwardDynamics", "the size of QDDot", a, QDDot);
  robot.set_a("ForwardDynamics", QDDot);
}

void ForwardDynamicsLagrangian(Model& model, const VectorNd& Q, const VectorNd& QDot, const VectorNd& Tau,
                               VectorNd& QDDot, Math::LinearSolver, std::vector<Math::SpatialVector>* f_ext,
                               MatrixNd* H, VectorNd* C) {
  ForwardDynamics(model, Q, QDot, Tau, QDDot, f_ext);
  if (H != nullptr) CompositeRigidBodyAlgorithm(model, Q, *H, false);
  if (C != nullptr) NonlinearEffects(model, Q, QDot, *C, f_ext);
}

void CalcMInvTimesTau(Model& model, const VectorNd& Q, const VectorNd& Tau, VectorNd& QDDot, bool update_kinematics) {
  Robot& robot = model.kept.of(model);
  if (update_kinematics) robot.set_q("CalcMInvTimesTau", Q);
  robot.to_model("CalcMInvTimesTau", "the size of Tau", Tau, robot.tau);
  if (!robot.cholesky_is_current) robot.cholesky().compute(robot.scratch, robot.q);
  robot.cholesky_is_current = true;
  robot.cholesky().solve(robot.tau);
  robot.from_model("CalcMInvTimesTau", "the size of QDDot", robot.tau, QDDot);
}

}  // namespace RigidBodyDynamics
