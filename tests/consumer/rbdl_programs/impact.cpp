// SPDX-License-Identifier: BSD-3-Clause
// A program for RBDL: a body that floats and carries an arm meets the ground with an edge. Impulses of all three
// methods, with and without a rebound, and what the shock takes away. Prints `name number` lines.
#include <rbdl/rbdl.h>
#include <rbdl/rbdl_utils.h>

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
  model.gravity = Vector3d(0., 0., -9.81);
  const Body box(4., Vector3d(0.02, -0.01, 0.03), Matrix3d(0.2, 0.01, 0., 0.01, 0.3, 0.02, 0., 0.02, 0.25));
  const Body upper(1.1, Vector3d(0., 0., 0.2), Vector3d(0.03, 0.04, 0.01));
  const Body lower(0.7, Vector3d(0.05, 0., 0.15), Vector3d(0.02, 0.015, 0.005));
  const unsigned int base = model.AddBody(0, SpatialTransform(), Joint(JointTypeFloatingBase), box, "box");
  model.AddBody(base, Xrotz(0.3) * Xtrans(Vector3d(0.1, 0.2, 0.15)), Joint(JointTypeRevoluteY), upper, "upper");
  model.AppendBody(Xtrans(Vector3d(0., 0., 0.4)), Joint(JointTypeRevoluteX), lower, "lower");

  VectorNd Q = VectorNd::Zero(model.q_size), before(model.qdot_size), after = VectorNd::Zero(model.qdot_size);
  Q.head<3>() = Vector3d(0.3, -0.2, 0.4);
  model.SetQuaternion(base, Quaternion::fromAxisAngle(Vector3d(0.6, 0., 0.8), 0.5), Q);
  Q[6] = 0.4;
  Q[7] = -0.9;
  before << 0.5, -0.1, -2., 0.3, 1.2, -0.4, 0.7, -1.5;

  ConstraintSet edge;
  const Vector3d left(0.2, 0.1, -0.3), right(0.2, -0.1, -0.3);
  edge.AddContactConstraint(base, left, Vector3d(1., 0., 0.), "left x");
  edge.AddContactConstraint(base, left, Vector3d(0., 1., 0.), "left y");
  edge.AddContactConstraint(base, left, Vector3d(0., 0., 1.), "left z");
  edge.AddContactConstraint(base, right, Vector3d(0., 1., 0.), "right y");
  edge.AddContactConstraint(base, right, Vector3d(0., 0., 1.), "right z");
  edge.Bind(model);

  const double energy = Utils::CalcKineticEnergy(model, Q, before);
  ComputeConstraintImpulsesDirect(model, Q, before, edge, after);
  print("QDotPlus", after);
  print("impulse", edge.impulse);
  std::printf("lost %.17g\n", energy - Utils::CalcKineticEnergy(model, Q, after));
  ComputeConstraintImpulsesRangeSpaceSparse(model, Q, before, edge, after);
  print("RangeSpaceSparse", after);
  ComputeConstraintImpulsesNullSpace(model, Q, before, edge, after);
  print("NullSpace", after);

  // Points leave the ground with a third of the speed with which they came.
  edge.v_plus[2] = -CalcPointVelocity(model, Q, before, base, left)[2] / 3.;
  edge.v_plus[4] = -CalcPointVelocity(model, Q, before, base, right)[2] / 3.;
  ComputeConstraintImpulsesDirect(model, Q, before, edge, after);
  print("rebound", after);
  print("rebound impulse", edge.impulse);
  double mass = 0.;
  Vector3d com, velocity, momentum;
  Utils::CalcCenterOfMass(model, Q, after, nullptr, mass, com, &velocity, nullptr, &momentum);
  print("com", com);
  print("com velocity", velocity);
  print("momentum", momentum);
  return 0;
}
