// SPDX-License-Identifier: BSD-3-Clause
// ChainHdSolver_Vereshchagin: one test for each sentence of its class page,
// against KDL's other solvers and Gauss' principle itself.
#include <gtest/gtest.h>

#include <kdl/chaindynparam.hpp>
#include <kdl/chainidsolver_vereshchagin.hpp>
#include <limits>

#include "hybrid_case.hpp"

namespace zwang::test {
namespace {

TEST(KdlHybrid, OneFiveAndSixDirectionsAreMet) {
  int met = 0;
  for (unsigned int nc : {1u, 5u, 6u})
    for (unsigned seed = 1; seed <= 20; ++seed) {
      HybridCase c(seed, 7, seed % 2 == 0, nc);
      const int rows[][6] = {{0}, {0, 1, 3, 4, 5}, {0, 1, 2, 3, 4, 5}};
      const int* set = rows[nc == 1 ? 0 : nc == 5 ? 1 : 2];
      for (unsigned int k = 0; k < nc; ++k) c.unit(k, set[k]);
      for (unsigned int k = 0; k < nc; ++k) c.beta(k) = c.draw.number();
      c.push();
      ChainHdSolver_Vereshchagin solver(c.chain, k_root, nc);
      const int code = c.solve(solver);
      if (code == SolverI::E_DEGRADED && solver.getRank() < nc) continue;  // a mechanism that cannot
      ++met;
      ASSERT_EQ(code, 0) << seed;
      EXPECT_EQ(solver.getRank(), nc);
      EXPECT_LE((c.achieved() - c.beta.data).norm(), k_tolerance * (1 + c.qdd.data.norm()));
      EXPECT_LE(solver.getResidual(), k_tolerance);
    }
  EXPECT_GE(met, 45);
}

TEST(KdlHybrid, TheWrenchAndTheMotorsReproduceTheMotion) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    HybridCase c(seed, 7, seed % 2 == 0, 3);
    c.unit(0, 0);
    c.unit(1, 4);
    for (int row = 0; row < 6; ++row) c.alfa(row, 2) = c.draw.number();
    for (unsigned int k = 0; k < 3; ++k) c.beta(k) = c.draw.number();
    c.push();
    ChainHdSolver_Vereshchagin solver(c.chain, k_root, 3);
    ASSERT_GE(c.solve(solver), 0);
    Eigen::VectorXd nu(3);
    solver.getContraintForceMagnitude(nu);
    Wrench by_hand;
    for (int row = 0; row < 6; ++row)
      for (unsigned int k = 0; k < 3; ++k) by_hand(row) -= c.alfa(row, k) * nu[k];
    const Wrench wrench = solver.getConstraintWrench();
    EXPECT_TRUE(Equal(wrench, by_hand, 1e-12 * (1 + wrench.force.Norm() + wrench.torque.Norm())));
    EXPECT_LE(distance(c.qdd, c.forward(c.tau, wrench)), k_tolerance) << "-alpha nu at the tip";
    JntArray motors(c.n);
    solver.getMotorTorque(motors);
    EXPECT_LE(distance(c.qdd, c.forward(motors)), k_tolerance) << "as a command";
  }
}

TEST(KdlHybrid, GaussPrincipleHolds) {
  // qdd minimises (qdd - free)^T M (qdd - free) among those that meet beta:
  // its distance is M-orthogonal to what is free.
  HybridCase c(5, 7, false, 2);
  c.unit(0, 2);
  c.unit(1, 3);
  c.push();
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 2);
  ASSERT_EQ(c.solve(solver), 0);
  JntSpaceInertiaMatrix M(c.n);
  ChainDynParam(c.chain, k_gravity).JntToMass(c.q, M);
  Jacobian J(c.n);
  ChainJntToJacSolver(c.chain).JntToJac(c.q, J);
  const Eigen::MatrixXd rows = c.alfa.data.transpose() * J.data;
  const Eigen::MatrixXd kernel = rows.fullPivLu().kernel();
  const Eigen::VectorXd pull = M.data * (c.qdd.data - c.forward(c.tau).data);
  EXPECT_LE((kernel.transpose() * pull).norm(), k_tolerance * (1 + pull.norm()));
}

TEST(KdlHybrid, AlphaOfZerosIsForwardDynamics) {
  HybridCase c(2);
  for (unsigned int k = 0; k < 6; ++k) c.beta(k) = 1 + k;
  c.push();
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 6);
  ASSERT_EQ(c.solve(solver), 0);
  EXPECT_LE(distance(c.qdd, c.forward(c.tau)), k_tolerance);
  EXPECT_EQ(c.constraint.data.norm(), 0);
  ChainHdSolver_Vereshchagin none(c.chain, k_root, 0);
  JntArray free(c.n), zero(c.n);
  ASSERT_EQ(none.CartToJnt(c.q, c.v, free, Jacobian(0), JntArray(0), c.wrenches, c.tau, zero), 0);
  EXPECT_LE(distance(free, c.qdd), 1e-13) << "without columns, too";
}

TEST(KdlHybrid, AColumnOfZerosIsNoConstraint) {
  HybridCase six(3), five(3, 7, false, 5);
  const int rows[] = {0, 1, 3, 4, 5};
  for (unsigned int k = 0; k < 5; ++k) {
    six.unit(k < 2 ? k : k + 1, rows[k]);  // the third column stays zero
    five.unit(k, rows[k]);
  }
  six.beta(2) = 17;
  ChainHdSolver_Vereshchagin a(six.chain, k_root, 6), b(five.chain, k_root, 5);
  ASSERT_EQ(six.solve(a), 0);
  ASSERT_EQ(five.solve(b), 0);
  EXPECT_LE(distance(six.qdd, five.qdd), 1e-9);
  Eigen::VectorXd nu(6);
  a.getContraintForceMagnitude(nu);
  EXPECT_EQ(nu[2], 0);
  EXPECT_EQ(a.getRank(), 5u);
}

TEST(KdlHybrid, BetaIsAlphaTransposedTimesTheAcceleration) {
  HybridCase c(4);
  for (unsigned int k = 0; k < 6; ++k)
    for (int row = 0; row < 6; ++row) c.alfa(row, k) = c.draw.number() + (row == static_cast<int>(k) ? 2 : 0);
  const Twist wanted = c.draw.twist();
  for (unsigned int k = 0; k < 6; ++k) {
    c.beta(k) = 0;
    for (int row = 0; row < 6; ++row) c.beta(k) += c.alfa(row, k) * wanted(row);
  }
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 6);
  ASSERT_EQ(c.solve(solver), 0);
  std::vector<Twist> accelerations(c.ns + 1);
  solver.getTransformedLinkAcceleration(accelerations);
  EXPECT_TRUE(Equal(accelerations[c.ns], wanted, k_tolerance * (1 + c.qdd.data.norm())));
  EXPECT_EQ(accelerations[0], k_root);
}

TEST(KdlHybrid, ConstraintsComeBeforeWrenchesAndTorques) {
  // "Drivers assist or interfere": what they give along the constraint changes nu, not the motion along it.
  HybridCase c(6, 7, false, 1);
  c.unit(0, 0);
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 1);
  ASSERT_EQ(c.solve(solver), 0);
  const double before = c.achieved()[0];
  Eigen::VectorXd nu(1), helped(1), hindered(1);
  solver.getContraintForceMagnitude(nu);
  c.wrenches[c.ns - 1] = Wrench(Vector(-nu[0], 0, 0), Vector::Zero());
  ASSERT_EQ(c.solve(solver), 0);
  solver.getContraintForceMagnitude(helped);
  EXPECT_LE(std::abs(helped[0]), 1e-9 * (1 + std::abs(nu[0]))) << "the wrench does all of the work";
  c.wrenches[c.ns - 1] = Wrench(Vector(nu[0], 0, 0), Vector::Zero());
  ASSERT_EQ(c.solve(solver), 0);
  solver.getContraintForceMagnitude(hindered);
  EXPECT_NEAR(hindered[0], 2 * nu[0], 1e-9 * (1 + std::abs(nu[0])));
  EXPECT_NEAR(c.achieved()[0], before, k_tolerance * (1 + c.qdd.data.norm()));
}

TEST(KdlHybrid, TheTipFallsWhereItIsNotHeld) {
  // Constraints of both angles and of x and y; beta = 0 means that the acceleration plus root_acc is zero there.
  HybridCase c(7, 7, false, 5);
  const int rows[] = {0, 1, 3, 4, 5};
  for (unsigned int k = 0; k < 5; ++k) c.unit(k, rows[k]);
  SetToZero(c.v);
  SetToZero(c.tau);
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 5);
  ASSERT_EQ(c.solve(solver), 0);
  std::vector<Twist> x(c.ns + 1);
  solver.getTransformedLinkAcceleration(x);
  for (const int row : rows) EXPECT_NEAR(x[c.ns](row), 0, k_tolerance);
  EXPECT_LT(x[c.ns](2), 9.81) << "it falls: less than a base that is held upright";
}

TEST(KdlHybrid, LostDirectionsAreDroppedAndTheOthersMet) {
  Chain chain;  // moves in a plane: three of the six directions cannot be met
  KdlDraw draw(8);
  for (int i = 0; i < 3; ++i) chain.addSegment(Segment(Joint(Joint::RotZ), Frame(Vector(0.5, 0, 0)), draw.inertia()));
  JntArray q(3), v(3), qdd(3), tau(3), constraint(3), beta(6);
  q(0) = 0.3;
  q(1) = 0.5;
  q(2) = -0.4;
  Jacobian alfa(6);
  SetToZero(alfa);
  for (unsigned int k = 0; k < 6; ++k) alfa(k, k) = 1;
  beta(0) = 0.4;
  beta(1) = -0.2;
  beta(5) = 0.7;
  beta(2) = 3;  // out of the plane
  const Twist root = Twist::Zero();
  ChainHdSolver_Vereshchagin solver(chain, root, 6);
  EXPECT_EQ(solver.CartToJnt(q, v, qdd, alfa, beta, Wrenches(3), tau, constraint), int{SolverI::E_DEGRADED});
  EXPECT_EQ(solver.getRank(), 3u);
  std::vector<Twist> x(4);
  solver.getTransformedLinkAcceleration(x);
  EXPECT_NEAR(x[3](0), 0.4, 1e-12);
  EXPECT_NEAR(x[3](1), -0.2, 1e-12);
  EXPECT_NEAR(x[3](5), 0.7, 1e-12);
  EXPECT_GT(solver.getResidual(), 0.1) << "of its terms";
  beta(2) = 0;  // what is lost is asked for nothing: all are met
  EXPECT_EQ(solver.CartToJnt(q, v, qdd, alfa, beta, Wrenches(3), tau, constraint), 0);
}

TEST(KdlHybrid, NearlyDependentRowsAreMetOrNamed) {
  for (const double angle : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-13, 0.}) {
    HybridCase c(9, 7, false, 2);
    c.alfa(0, 0) = 1;
    c.alfa(0, 1) = std::cos(angle);
    c.alfa(1, 1) = std::sin(angle);
    c.beta(0) = 1;
    c.beta(1) = 1;
    ChainHdSolver_Vereshchagin solver(c.chain, k_root, 2);
    const int code = c.solve(solver);
    ASSERT_GE(code, 0) << angle;
    EXPECT_TRUE(c.qdd.data.allFinite());
    if (code == 0) { EXPECT_LE((c.achieved() - c.beta.data).norm(), 1e-6 * (1 + c.qdd.data.norm())) << angle; }
    for (const auto policy : {ChainHdSolver_Vereshchagin::PROXIMAL, ChainHdSolver_Vereshchagin::DAMPING}) {
      solver.setSingularityPolicy(policy);
      const int other = c.solve(solver);
      EXPECT_TRUE(c.qdd.data.allFinite());
      if (other == 0) { EXPECT_LE((c.achieved() - c.beta.data).norm(), 1e-5 * (1 + c.qdd.data.norm())) << angle; }
    }
  }
}

TEST(KdlHybrid, BodiesWithoutInertiaAreRightOrNamed) {
  HybridCase c(10, 4, false, 1);
  c.unit(0, 0);
  Chain massless = c.chain;
  massless.addSegment(Segment("tool", Joint(Joint::Fixed), Frame(Vector(0, 0, 0.2))));
  ChainHdSolver_Vereshchagin fixed(massless, k_root, 1);
  EXPECT_EQ(fixed.CartToJnt(c.q, c.v, c.qdd, c.alfa, c.beta, Wrenches(5), c.tau, c.constraint), 0)
      << "a massless tool is fixed";
  EXPECT_TRUE(c.qdd.data.allFinite());
  massless.addSegment(Segment("loose", Joint(Joint::RotX), Frame(Vector(0, 0, 0.2))));
  ChainHdSolver_Vereshchagin loose(massless, k_root, 1);
  // The constraint lies at the tip of the massless body, which follows without a force: the others move as if free.
  JntArray q(5), v(5), qdd(5), tau(5), constraint(5), free(4), zero(4);
  for (unsigned int i = 0; i < 4; ++i) {
    q(i) = c.q(i);
    v(i) = c.v(i);
    tau(i) = c.tau(i);
  }
  const int code = loose.CartToJnt(q, v, qdd, c.alfa, c.beta, Wrenches(6), tau, constraint);
  EXPECT_TRUE(qdd.data.allFinite());
  ChainHdSolver_Vereshchagin none(c.chain, k_root, 0);
  ASSERT_EQ(none.CartToJnt(c.q, c.v, free, Jacobian(0), JntArray(0), Wrenches(4), c.tau, zero), 0);
  if (code == 0) {
    EXPECT_LE((qdd.data.head(4) - free.data).norm(), k_tolerance * (1 + free.data.norm()));
  } else {
    EXPECT_EQ(code, int{SolverI::E_UNDEFINED});
  }
  SetToZero(c.alfa);
  EXPECT_EQ(loose.CartToJnt(q, v, qdd, c.alfa, c.beta, Wrenches(6), tau, constraint), int{SolverI::E_UNDEFINED})
      << "nothing resists the joint";
  EXPECT_TRUE(qdd.data.allFinite());
}

TEST(KdlHybrid, CodesForSizesAndChanges) {
  HybridCase c(11, 7, false, 2);
  c.unit(0, 0);
  c.unit(1, 1);
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 2);
  const JntArray shorter(c.n - 1);
  EXPECT_EQ(solver.CartToJnt(shorter, c.v, c.qdd, c.alfa, c.beta, c.wrenches, c.tau, c.constraint),
            int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(solver.CartToJnt(c.q, c.v, c.qdd, Jacobian(3), c.beta, c.wrenches, c.tau, c.constraint),
            int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(solver.CartToJnt(c.q, c.v, c.qdd, c.alfa, JntArray(3), c.wrenches, c.tau, c.constraint),
            int{SolverI::E_SIZE_MISMATCH});
  for (const unsigned int wrong : {2u, c.ns + 1})
    EXPECT_EQ(solver.CartToJnt(c.q, c.v, c.qdd, c.alfa, c.beta, Wrenches(wrong), c.tau, c.constraint),
              int{SolverI::E_SIZE_MISMATCH});
  JntArray longer(c.n + 1);
  EXPECT_EQ(solver.CartToJnt(c.q, shorter, c.qdd, c.alfa, c.beta, c.wrenches, c.tau, c.constraint),
            int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(solver.CartToJnt(c.q, c.v, longer, c.alfa, c.beta, c.wrenches, c.tau, c.constraint),
            int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(solver.CartToJnt(c.q, c.v, c.qdd, c.alfa, c.beta, c.wrenches, shorter, c.constraint),
            int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(solver.CartToJnt(c.q, c.v, c.qdd, c.alfa, c.beta, c.wrenches, c.tau, longer),
            int{SolverI::E_SIZE_MISMATCH});
  JntArray broken = c.q;
  broken(0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solver.CartToJnt(broken, c.v, c.qdd, c.alfa, c.beta, c.wrenches, c.tau, c.constraint),
            int{SolverI::E_UNDEFINED});
  EXPECT_EQ(c.solve(solver), 0);
  Eigen::VectorXd nu(5);
  solver.getContraintForceMagnitude(nu);
  EXPECT_EQ(solver.getError(), int{SolverI::E_SIZE_MISMATCH});
  c.chain.addSegment(c.draw.segment("one more"));
  EXPECT_EQ(c.solve(solver), int{SolverI::E_NOT_UP_TO_DATE});
  solver.updateInternalDataStructures();
  EXPECT_EQ(c.solve(solver), int{SolverI::E_SIZE_MISMATCH}) << "now the arrays are too short";
}

TEST(KdlHybrid, TotalTorqueIsInertiaTimesAcceleration) {
  // Of the last joint nothing hangs behind it: D qdd, D the mass matrix' last entry.
  HybridCase c(12, 5, false, 1);
  c.unit(0, 2);
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 1);
  ASSERT_EQ(c.solve(solver), 0);
  JntArray total(c.n);
  solver.getTotalTorque(total);
  JntSpaceInertiaMatrix M(c.n);
  ChainDynParam(c.chain, k_gravity).JntToMass(c.q, M);
  EXPECT_NEAR(total(c.n - 1), M(c.n - 1, c.n - 1) * c.qdd(c.n - 1), 1e-10 * (1 + std::abs(total(c.n - 1))));
}

TEST(KdlHybrid, TheOldNameTakesTorquesInAndOut) {
  HybridCase c(13, 5, false, 1);
  c.unit(0, 0);
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 1);
  ChainIdSolver_Vereshchagin old(c.chain, k_root, 1);
  ASSERT_EQ(c.solve(solver), 0);
  JntArray torques = c.tau, qdd(c.n);
  ASSERT_EQ(old.CartToJnt(c.q, c.v, qdd, c.alfa, c.beta, c.wrenches, torques), 0);
  EXPECT_LE(distance(qdd, c.qdd), 1e-13);
  EXPECT_LE(distance(torques, c.constraint), 1e-13);
}

}  // namespace
}  // namespace zwang::test
