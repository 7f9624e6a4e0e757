// SPDX-License-Identifier: BSD-3-Clause
// A program for RBDL: a linkage of three bars between two fixed hinges is closed, starts at a speed of its crank, and
// falls for half a second. Prints `name number` lines.
#include <rbdl/rbdl.h>

#include <cstdio>

using namespace RigidBodyDynamics;
using namespace RigidBodyDynamics::Math;

namespace {

void print(const char* name, const VectorNd& x) {
  for (int k = 0; k < x.size(); ++k) std::printf("%s[%d] %.17g\n", name, k, x[k]);
}

struct Linkage {
  Linkage() {
    model.gravity = Vector3d(0., -9.81, 0.);
    const Joint hinge(SpatialVector(0., 0., 1., 0., 0., 0.));
    const Body crank(1.2, Vector3d(0.25, 0.02, 0.), Vector3d(0.01, 0.02, 0.03));
    const Body coupler(2., Vector3d(0.6, -0.05, 0.), Vector3d(0.02, 0.1, 0.12));
    const Body rocker(1.5, Vector3d(0.4, 0., 0.), Vector3d(0.02, 0.06, 0.08));
    const unsigned int a = model.AddBody(0, SpatialTransform(), hinge, crank, "crank");
    const unsigned int b = model.AddBody(a, Xtrans(Vector3d(0.5, 0., 0.)), hinge, coupler, "coupler");
    const unsigned int c = model.AddBody(0, Xtrans(Vector3d(1.1, -0.1, 0.)), hinge, rocker, "rocker");
    const SpatialTransform end_b = Xtrans(Vector3d(1.2, 0., 0.)), end_c = Xtrans(Vector3d(0.8, 0., 0.));
    loop.AddLoopConstraint(b, c, end_b, end_c, SpatialVector(0., 0., 0., 1., 0., 0.), true, 0.05, "x");
    loop.AddLoopConstraint(b, c, end_b, end_c, SpatialVector(0., 0., 0., 0., 1., 0.), true, 0.05, "y");
    loop.Bind(model);
  }
  VectorNd acceleration(const VectorNd& Q, const VectorNd& QDot) {
    VectorNd out = VectorNd::Zero(3), tau = VectorNd::Zero(3);
    tau[0] = 0.5 - 0.2 * QDot[0];
    ForwardDynamicsConstraintsDirect(model, Q, QDot, tau, loop, out);
    return out;
  }
  void step(VectorNd& Q, VectorNd& QDot, double h) {
    const VectorNd v1 = QDot, a1 = acceleration(Q, v1);
    const VectorNd v2 = QDot + 0.5 * h * a1, a2 = acceleration(Q + 0.5 * h * v1, v2);
    const VectorNd v3 = QDot + 0.5 * h * a2, a3 = acceleration(Q + 0.5 * h * v2, v3);
    const VectorNd v4 = QDot + h * a3, a4 = acceleration(Q + h * v3, v4);
    Q += h / 6. * (v1 + 2. * v2 + 2. * v3 + v4);
    QDot += h / 6. * (a1 + 2. * a2 + 2. * a3 + a4);
  }
  Model model;
  ConstraintSet loop;
};

}  // namespace

int main() {
  Linkage linkage;
  Model& model = linkage.model;
  ConstraintSet& loop = linkage.loop;
  VectorNd guess(3), weights(3), Q = VectorNd::Zero(3), QDot = Q, wanted = Q, QDDot = Q, error(2);
  guess << 1.2, -0.9, 1.4;
  weights << 10., 1., 1.;
  if (!CalcAssemblyQ(model, guess, loop, Q, weights)) return 1;
  print("Q", Q);
  CalcConstraintsPositionError(model, Q, loop, error);
  if (error.norm() > 1e-12) return 1;
  wanted[0] = 1.;
  CalcAssemblyQDot(model, Q, wanted, loop, QDot, weights);
  print("QDot", QDot);

  MatrixNd G = MatrixNd::Zero(2, 3);
  CalcConstraintsJacobian(model, Q, loop, G);
  for (int i = 0; i < 2; ++i) print(i == 0 ? "G.x" : "G.y", G.row(i));
  const VectorNd Tau = VectorNd::Unit(3, 0);
  ForwardDynamicsConstraintsDirect(model, Q, QDot, Tau, loop, QDDot);
  print("Direct", QDDot);
  print("force", loop.force);
  VectorNd other = VectorNd::Zero(3);
  ForwardDynamicsConstraintsRangeSpaceSparse(model, Q, QDot, Tau, loop, other);
  print("RangeSpaceSparse", other);
  ForwardDynamicsConstraintsNullSpace(model, Q, QDot, Tau, loop, other);
  print("NullSpace", other);
  CalcConstrainedSystemVariables(model, Q, QDot, Tau, loop);
  print("gamma", loop.gamma);
  print("C", loop.C);

  for (int k = 0; k < 500; ++k) linkage.step(Q, QDot, 0.001);
  print("Q(0.5)", Q);
  print("QDot(0.5)", QDot);
  CalcConstraintsPositionError(model, Q, loop, error);
  return error.norm() < 1e-8 ? 0 : 1;
}
