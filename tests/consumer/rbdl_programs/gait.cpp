// SPDX-License-Identifier: BSD-3-Clause
// A program for RBDL: two steps of a planar walker with a trunk, two thighs and two shanks. Motors hold a posture that
// changes with time; a foot that comes down is a shock, and becomes the one that stands. Prints `name number` lines.
#include <rbdl/rbdl.h>
#include <rbdl/rbdl_utils.h>

#include <cmath>
#include <cstdio>

using namespace RigidBodyDynamics;
using namespace RigidBodyDynamics::Math;

namespace {

void print(const char* name, const VectorNd& x) {
  for (int k = 0; k < x.size(); ++k) std::printf("%s[%d] %.17g\n", name, k, x[k]);
}

const Vector3d k_foot(0., 0., -0.5);

struct Walker {
  Walker() {
    model.gravity = Vector3d(0., 0., -9.81);
    const Joint planar(SpatialVector(0., 0., 0., 1., 0., 0.), SpatialVector(0., 0., 0., 0., 0., 1.),
                       SpatialVector(0., 1., 0., 0., 0., 0.));
    const Joint hinge(JointTypeRevoluteY);
    const Body trunk(12., Vector3d(0., 0., 0.3), Vector3d(0.5, 0.6, 0.2));
    const Body thigh(4., Vector3d(0.01, 0., -0.2), Vector3d(0.06, 0.07, 0.01));
    const Body part(2.5, Vector3d(0., 0., -0.22), Vector3d(0.04, 0.05, 0.005));
    const unsigned int hip = model.AddBody(0, SpatialTransform(), planar, trunk, "trunk");
    for (int leg = 0; leg < 2; ++leg) {
      const unsigned int upper =
          model.AddBody(hip, SpatialTransform(), hinge, thigh, leg == 0 ? "thigh" : "other thigh");
      shank[leg] =
          model.AddBody(upper, Xtrans(Vector3d(0., 0., -0.5)), hinge, part, leg == 0 ? "shank" : "other shank");
      contact[leg].AddContactConstraint(shank[leg], k_foot, Vector3d(1., 0., 0.), "x");
      contact[leg].AddContactConstraint(shank[leg], k_foot, Vector3d(0., 0., 1.), "z");
    }
    for (ConstraintSet& set : contact) set.Bind(model);
  }
  // The leg that swings moves to the front in half a second, its knee bent; the hip that stands holds the trunk.
  VectorNd torque(double time, const VectorNd& Q, const VectorNd& QDot) const {
    const double phase = 2. * M_PI * std::fmin(time - begin, 0.5), swing = 0.4 * std::cos(phase);
    const double lift = 0.7 * std::pow(std::sin(phase), 2);
    VectorNd out = VectorNd::Zero(7);
    for (int leg = 0; leg < 2; ++leg) {
      const int hip = 3 + 2 * leg, knee = hip + 1;
      out[knee] = 150. * (0.1 + (leg == stance ? 0. : lift) - Q[knee]) - 10. * QDot[knee];
      out[hip] = leg == stance ? 500. * (Q[2] - 0.05) + 60. * QDot[2] : 150. * (swing - Q[hip]) - 10. * QDot[hip];
    }
    return out;
  }
  VectorNd acceleration(double time, const VectorNd& Q, const VectorNd& QDot) {
    VectorNd out = VectorNd::Zero(7);
    ForwardDynamicsConstraintsDirect(model, Q, QDot, torque(time, Q, QDot), contact[stance], out);
    return out;
  }
  void step(double time, VectorNd& Q, VectorNd& QDot, double h) {
    const VectorNd v1 = QDot, a1 = acceleration(time, Q, v1);
    const VectorNd v2 = QDot + 0.5 * h * a1, a2 = acceleration(time + 0.5 * h, Q + 0.5 * h * v1, v2);
    const VectorNd v3 = QDot + 0.5 * h * a2, a3 = acceleration(time + 0.5 * h, Q + 0.5 * h * v2, v3);
    const VectorNd v4 = QDot + h * a3, a4 = acceleration(time + h, Q + h * v3, v4);
    Q += h / 6. * (v1 + 2. * v2 + 2. * v3 + v4);
    QDot += h / 6. * (a1 + 2. * a2 + 2. * a3 + a4);
  }
  Model model;
  unsigned int shank[2];
  ConstraintSet contact[2];
  int stance = 0;
  double begin = 0.;  // of this step
};

}  // namespace

int main() {
  Walker walker;
  Model& model = walker.model;
  VectorNd Q(7), QDot(7);
  Q << 0., 0., 0.05, -0.3, 0.1, 0.35, 0.1;
  QDot << 0.9, 0., 0., 0., 0., 0., 0.;
  // The foot that stands is on the ground and at rest.
  Q[1] -= CalcBodyToBaseCoordinates(model, Q, walker.shank[0], k_foot)[2];
  VectorNd start = QDot;
  ComputeConstraintImpulsesDirect(model, Q, start, walker.contact[0], QDot);
  print("start", QDot);

  const double h = 0.001;
  int shocks = 0, earliest = 100;
  for (int k = 0; k < 1500 && shocks < 2; ++k) {
    walker.step(k * h, Q, QDot, h);
    const int swing = 1 - walker.stance;
    const Vector3d foot = CalcBodyToBaseCoordinates(model, Q, walker.shank[swing], k_foot);
    const double fall = CalcPointVelocity(model, Q, QDot, walker.shank[swing], k_foot)[2];
    if (k < earliest || foot[2] > 0. || fall > 0.) continue;
    const VectorNd before = QDot;
    ComputeConstraintImpulsesDirect(model, Q, before, walker.contact[swing], QDot);
    walker.stance = swing;
    walker.begin = (k + 1) * h;
    std::printf("shock %d\n", k);
    print("shock Q", Q);
    print("shock QDot", QDot);
    print("shock impulse", walker.contact[swing].impulse);
    ++shocks;
    earliest = k + 150;
  }
  std::printf("shocks %d\n", shocks);
  print("Q", Q);
  print("QDot", QDot);
  const VectorNd QDDot = walker.acceleration(1.5, Q, QDot);
  print("QDDot", QDDot);
  print("ground", walker.contact[walker.stance].force);
  double mass = 0.;
  Vector3d com, velocity, rate, zmp;
  Utils::CalcCenterOfMass(model, Q, QDot, &QDDot, mass, com, &velocity, &rate);
  print("com", com);
  print("com velocity", velocity);
  print("com acceleration", rate);
  Utils::CalcZeroMomentPoint(model, Q, QDot, QDDot, &zmp);
  print("zmp", zmp);
  return 0;
}
