// SPDX-License-Identifier: BSD-3-Clause
// A program written for RBDL: a double pendulum that hangs under a body that floats. Compiled with -march=native, too.
#include <rbdl/rbdl.h>
#include <rbdl/rbdl_utils.h>

#include <cstdio>

using namespace RigidBodyDynamics;
using namespace RigidBodyDynamics::Math;

int main() {
  Model model;
  model.gravity = Vector3d(0., 0., -9.81);
  const Body body(1., Vector3d(0., 0., -0.5), Vector3d(0.1, 0.1, 0.1));
  const unsigned int base = model.AddBody(0, SpatialTransform(), Joint(JointTypeFloatingBase), body, "base");
  model.AddBody(base, Xtrans(Vector3d(0., 0., -1.)), Joint(JointTypeRevoluteX), body, "upper");
  const unsigned int lower = model.AppendBody(Xtrans(Vector3d(0., 0., -1.)), Joint(JointTypeRevoluteY), body, "lower");

  VectorNd Q = VectorNd::Zero(model.q_size), QDot = VectorNd::Constant(model.qdot_size, 0.3), Tau = QDot, QDDot = QDot;
  model.SetQuaternion(base, Quaternion::fromAxisAngle(Vector3d(0., 1., 0.), 0.4), Q);
  ForwardDynamics(model, Q, QDot, Tau, QDDot);
  VectorNd again = VectorNd::Zero(model.qdot_size);
  InverseDynamics(model, Q, QDot, QDDot, again);
  MatrixNd G = MatrixNd::Zero(3, model.qdot_size);
  const Vector3d tip(0., 0., -1.);
  CalcPointJacobian(model, Q, lower, tip, G);
  const double motion = (G * QDot - CalcPointVelocity(model, Q, QDot, lower, tip)).norm();
  const double error = (again - Tau).norm() + motion;
  std::printf("rbdl: %s, %u coordinates\n", error < 1e-10 ? "agrees" : "differs", model.dof_count);
  return error < 1e-10 && model.GetBodyId("lower") == lower ? 0 : 1;
}
