// SPDX-License-Identifier: BSD-3-Clause
// A program for RBDL: torques of two motors that move the tool of a five-bar robot as desired, and of one motor that
// does what it can. Prints `name number` lines.
#include <rbdl/rbdl.h>

#include <cmath>
#include <cstdio>

using namespace RigidBodyDynamics;
using namespace RigidBodyDynamics::Math;

namespace {

void print(const char* name, const VectorNd& x) {
  for (int k = 0; k < x.size(); ++k) std::printf("%s[%d] %.17g\n", name, k, x[k]);
}

}  // namespace

int main() {
  Model model;
  model.gravity = Vector3d(0., -9.81, 0.);
  const Joint hinge(JointTypeRevoluteZ);
  const Body near_rod(1., Vector3d(0.2, 0.01, 0.), Vector3d(0.01, 0.01, 0.02));
  const Body far_rod(0.8, Vector3d(0.3, -0.02, 0.), Vector3d(0.01, 0.02, 0.03));
  const SpatialTransform elbow = Xtrans(Vector3d(0.4, 0., 0.)), tip = Xtrans(Vector3d(0.6, 0., 0.));
  const unsigned int a = model.AddBody(0, SpatialTransform(), hinge, near_rod, "left");
  const unsigned int b = model.AddBody(a, elbow, hinge, far_rod, "left forearm");
  const unsigned int c = model.AddBody(0, Xtrans(Vector3d(0.5, 0., 0.)), hinge, near_rod, "right");
  const unsigned int d = model.AddBody(c, elbow, hinge, far_rod, "right forearm");
  ConstraintSet tool;
  tool.AddLoopConstraint(b, d, tip, tip, SpatialVector(0., 0., 0., 1., 0., 0.), false, 0.1, "x");
  tool.AddLoopConstraint(b, d, tip, tip, SpatialVector(0., 0., 0., 0., 1., 0.), false, 0.1, "y");
  tool.Bind(model);

  // Elbows outside, the tool between them: the triangles of the symmetric posture.
  const double left = 2.2, reach = std::hypot(0.5 / 2. - 0.4 * std::cos(left), 0.);
  const double forearm = std::acos(reach / 0.6);
  VectorNd Q(4), QDot(4), rate = VectorNd::Zero(4), desired = VectorNd::Zero(4), QDDot = desired, Tau = desired;
  Q << left, forearm - left, M_PI - left, M_PI - forearm - (M_PI - left);
  rate[0] = 0.8;
  rate[2] = -0.3;
  VectorNd weights(4);
  weights << 1., 0., 1., 0.;
  CalcAssemblyQDot(model, Q, rate, tool, QDot, weights);
  print("QDot", QDot);
  desired << 2., 0., -1., 0.;

  const std::vector<bool> shoulders = {true, false, true, false};
  tool.SetActuationMap(model, shoulders);
  std::printf("actuated %d\n", isConstrainedSystemFullyActuated(model, Q, QDot, tool));
  InverseDynamicsConstraints(model, Q, QDot, desired, tool, QDDot, Tau);
  print("QDDot", QDDot);
  print("Tau", Tau);
  print("force", tool.force);
  VectorNd again = VectorNd::Zero(4);
  ForwardDynamicsConstraintsDirect(model, Q, QDot, Tau, tool, again);
  print("forward", again);
  std::printf("tool %.17g\n", CalcPointAcceleration(model, Q, QDot, QDDot, b, Vector3d(0.6, 0., 0.))[1]);

  const std::vector<bool> one = {true, false, false, false};
  tool.SetActuationMap(model, one);
  std::printf("actuated by one %d\n", isConstrainedSystemFullyActuated(model, Q, QDot, tool));
  InverseDynamicsConstraintsRelaxed(model, Q, QDot, desired, tool, QDDot, Tau);
  print("relaxed QDDot", QDDot);
  print("relaxed Tau", Tau);
  ForwardDynamicsConstraintsDirect(model, Q, QDot, Tau, tool, again);
  print("relaxed forward", again);
  return 0;
}
