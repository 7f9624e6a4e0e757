// SPDX-License-Identifier: BSD-3-Clause
// Dynamics against d'Alembert's principle on poses that the test forms itself, and against closed forms.
#include <rbdl/rbdl_utils.h>

#include "support.hpp"

namespace rbdl_test {
namespace {

TEST(RbdlDynamics, InverseDynamicsIsThatOfAlembert) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Draw draw(seed);
    Model m = draw.model(14, seed % 2 == 0);
    const VectorNd q = draw.q(m), v = draw.numbers(m.dof_count), a = draw.numbers(m.dof_count);
    std::vector<SpatialVector> f_ext;
    for (std::size_t i = 0; i < m.mBodies.size(); ++i) f_ext.push_back(5 * draw.spatial());
    VectorNd tau(m.dof_count);
    InverseDynamics(m, q, v, a, tau);
    EXPECT_LT(difference(tau, alembert(m, q, v, a)), 1e-6) << seed;
    InverseDynamics(m, q, v, a, tau, &f_ext);
    EXPECT_LT(difference(tau, alembert(m, q, v, a, &f_ext)), 1e-6) << seed;
    NonlinearEffects(m, q, v, tau, &f_ext);
    EXPECT_LT(difference(tau, alembert(m, q, v, VectorNd::Zero(m.dof_count), &f_ext)), 1e-6) << seed;
  }
}

TEST(RbdlDynamics, TheMassMatrixIsThatOfKineticEnergy) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Draw draw(seed);
    Model m = draw.model(14, seed % 2 == 0);
    const VectorNd q = draw.q(m), v = draw.numbers(m.dof_count);
    MatrixNd expected = MatrixNd::Zero(m.dof_count, m.dof_count), H = MatrixNd::Constant(m.dof_count, m.dof_count, 7);
    for (unsigned int i = 1; i < m.mBodies.size(); ++i) {
      const MatrixNd J = jacobian(m, i, m.mBodies[i].mCenterOfMass, q);
      const Matrix3d R = body_pose(m, i, q).topLeftCorner<3, 3>();
      expected += m.mBodies[i].mMass * J.bottomRows<3>().transpose() * J.bottomRows<3>() +
                  J.topRows<3>().transpose() * R * m.mBodies[i].mInertia * R.transpose() * J.topRows<3>();
    }
    CompositeRigidBodyAlgorithm(m, q, H);
    EXPECT_LT(difference(H, expected), 1e-9) << seed;
    EXPECT_NEAR(Utils::CalcKineticEnergy(m, q, v), 0.5 * v.dot(H * v), 1e-11 * (1 + v.dot(H * v))) << seed;
    const VectorNd other = draw.q(m);
    MatrixNd again(m.dof_count, m.dof_count);
    CompositeRigidBodyAlgorithm(m, other, again, false);
    EXPECT_EQ(again, H) << seed;
    VectorNd x(m.dof_count);
    CalcMInvTimesTau(m, q, VectorNd(H * v), x);
    EXPECT_LT(difference(x, v), 1e-9) << seed;
    CalcMInvTimesTau(m, other, VectorNd(H * x), x, false);
    EXPECT_LT(difference(x, v), 1e-9) << seed;
  }
}

TEST(RbdlDynamics, ForwardDynamicsUndoesInverseDynamics) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Draw draw(seed);
    Model m = draw.model(15, seed % 2 == 0);
    const VectorNd q = draw.q(m), v = draw.numbers(m.dof_count), a = draw.numbers(m.dof_count);
    std::vector<SpatialVector> f_ext;
    for (std::size_t i = 0; i < m.mBodies.size(); ++i) f_ext.push_back(5 * draw.spatial());
    VectorNd tau(m.dof_count), x(m.dof_count), C(m.dof_count);
    MatrixNd H(m.dof_count, m.dof_count);
    InverseDynamics(m, q, v, a, tau, &f_ext);
    ForwardDynamics(m, q, v, tau, x, &f_ext);
    EXPECT_LT(difference(x, a), 1e-9) << seed;
    ForwardDynamicsLagrangian(m, q, v, tau, x, LinearSolverLLT, &f_ext, &H, &C);
    EXPECT_LT(difference(x, a), 1e-9) << seed;
    EXPECT_LT(difference(VectorNd(H * a + C), tau), 1e-11) << seed;
  }
}

TEST(RbdlDynamics, ADoublePendulumIsThatOfTheBook) {
  Model m;
  m.gravity = Vector3d(0, -9.81, 0);
  const double l = 1.3, c = 0.7, m1 = 1.1, m2 = 0.6, I1 = 0.2, I2 = 0.1;
  const auto rod = [&](double mass, double inertia) { return Body(mass, Vector3d(c, 0, 0), Vector3d(1, 1, inertia)); };
  m.AddBody(0, SpatialTransform(), Joint(JointTypeRevoluteZ), rod(m1, I1), "upper");
  m.AppendBody(Xtrans(Vector3d(l, 0, 0)), Joint(JointTypeRevoluteZ), rod(m2, I2), "lower");
  VectorNd q(2), v(2), tau(2);
  q << 0.3, -0.8;
  v << 1.2, -0.4;
  MatrixNd H(2, 2);
  CompositeRigidBodyAlgorithm(m, q, H);
  const double h22 = I2 + m2 * c * c, h12 = h22 + m2 * l * c * std::cos(q[1]);
  EXPECT_NEAR(H(1, 1), h22, 1e-14);
  EXPECT_NEAR(H(0, 1), h12, 1e-14);
  EXPECT_NEAR(H(0, 0), I1 + m1 * c * c + m2 * l * l + h12 + m2 * l * c * std::cos(q[1]), 1e-14);
  NonlinearEffects(m, q, v, tau);
  const double k = m2 * l * c * std::sin(q[1]), g2 = 9.81 * m2 * c * std::cos(q[0] + q[1]);
  EXPECT_NEAR(tau[0], -k * v[1] * (2 * v[0] + v[1]) + 9.81 * (m1 * c + m2 * l) * std::cos(q[0]) + g2, 1e-13);
  EXPECT_NEAR(tau[1], k * v[0] * v[0] + g2, 1e-13);
  EXPECT_NEAR(Utils::CalcPotentialEnergy(m, q),
              9.81 * ((m1 * c + m2 * l) * std::sin(q[0]) + m2 * c * std::sin(q[0] + q[1])), 1e-13);
}

/// A body that floats falls with gravity and turns as Euler says; its linear velocity is in base axes, its angular in
/// its own.
TEST(RbdlDynamics, AFloatingBodyHasLinearCoordinatesInTheBaseAndAngularInTheBody) {
  Draw draw(1);
  Model m;
  Body body = draw.body();
  body.mCenterOfMass.setZero();
  const unsigned int id = m.AddBody(0, SpatialTransform(), Joint(JointTypeFloatingBase), body);
  EXPECT_EQ(id, 2U);
  EXPECT_EQ(m.dof_count, 6U);
  EXPECT_EQ(m.q_size, 7U);
  const VectorNd q = draw.q(m), v = draw.numbers(6), none = VectorNd::Zero(6);
  VectorNd a(6);
  ForwardDynamics(m, q, v, none, a);
  const Vector3d w = v.tail<3>(), Iw = body.mInertia * w;
  EXPECT_LT(difference(a.head<3>(), m.gravity), 1e-13);
  EXPECT_LT(difference(a.tail<3>(), Vector3d(-body.mInertia.inverse() * w.cross(Iw))), 1e-12);
}

TEST(RbdlDynamics, GravityMayBeWrittenAtAnyTime) {
  Draw draw(2);
  Model m = draw.model(8);
  const VectorNd q = draw.q(m), v = draw.numbers(m.dof_count), none = VectorNd::Zero(m.dof_count);
  VectorNd tau(m.dof_count), up(m.dof_count);
  NonlinearEffects(m, q, v, tau);
  m.gravity = Vector3d(1, 2, 3);
  NonlinearEffects(m, q, v, up);
  EXPECT_GT(difference(up, tau), 1e-3);
  EXPECT_LT(difference(up, alembert(m, q, v, none)), 1e-6);
}

TEST(RbdlDynamics, MassCentreMomentumAndZeroMomentPointAreSumsOverBodies) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Draw draw(seed);
    Model m = draw.model(12, true);
    const VectorNd q = draw.q(m), v = draw.numbers(m.dof_count), a = draw.numbers(m.dof_count);
    double mass = 0, total = 0;
    Vector3d com, vel, acc, L, Ldot, sum = Vector3d::Zero(), moving = sum, speeding = sum, zmp;
    for (unsigned int i = 1; i < m.mBodies.size(); ++i) {
      const Rates r = rates(m, i, q, v, a);
      const Body& b = m.mBodies[i];
      total += b.mMass;
      sum += b.mMass * r.p(b.mCenterOfMass);
      moving += b.mMass * r.velocity(b.mCenterOfMass);
      speeding += b.mMass * r.acceleration(b.mCenterOfMass);
    }
    Utils::CalcCenterOfMass(m, q, v, &a, mass, com, &vel, &acc, &L, &Ldot);
    EXPECT_NEAR(mass, total, 1e-12);
    EXPECT_LT(difference(com, Vector3d(sum / total)), 1e-12) << seed;
    EXPECT_LT(difference(vel, Vector3d(moving / total)), 1e-9) << seed;
    EXPECT_LT(difference(acc, Vector3d(speeding / total)), 1e-6) << seed;
    const Vector3d n = draw.axis(), o = draw.vector();
    Vector3d spin = Vector3d::Zero(), rate = spin, about = spin, force = spin;
    for (unsigned int i = 1; i < m.mBodies.size(); ++i) {
      const Rates r = rates(m, i, q, v, a);
      const Body& b = m.mBodies[i];
      const Matrix3d I = r.R() * b.mInertia * r.R().transpose();
      const Vector3d w = r.omega(), Iw = I * w, arm = r.p(b.mCenterOfMass) - com;
      spin += Iw + b.mMass * arm.cross(r.velocity(b.mCenterOfMass));
      const Vector3d turn = I * r.alpha() + w.cross(Iw), push = b.mMass * r.acceleration(b.mCenterOfMass);
      rate += turn + arm.cross(push);
      about += turn + (r.p(b.mCenterOfMass) - o).cross(push - b.mMass * m.gravity);
      force += push - b.mMass * m.gravity;
    }
    EXPECT_LT(difference(L, spin), 1e-8) << seed;
    EXPECT_LT(difference(Ldot, rate), 1e-6) << seed;
    Utils::CalcZeroMomentPoint(m, q, v, a, &zmp, n, o);
    const double size = (1 + about.norm()) * (1 + zmp.norm());
    EXPECT_NEAR((zmp - o).dot(n), 0, 1e-12 * size) << seed;
    EXPECT_LT(n.cross(Vector3d(about - (zmp - o).cross(force))).norm(), 1e-6 * size) << seed;
  }
}

}  // namespace
}  // namespace rbdl_test
