// SPDX-License-Identifier: BSD-3-Clause
// ChainHdSolver_Vereshchagin: its outputs and inputs one by one, as the class page explains them.
#include <gtest/gtest.h>

#include <functional>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfksolveracc_recursive.hpp>

#include "hybrid_case.hpp"

namespace zwang::test {
namespace {

JntSpaceInertiaMatrix mass_matrix(const HybridCase& c) {
  JntSpaceInertiaMatrix M(c.n);
  EXPECT_EQ(ChainDynParam(c.chain, k_gravity).JntToMass(c.q, M), 0);
  return M;
}

/// x_j - M_jb M_bb^-1 x_b with b the joints behind j: what is left of generalised
/// forces x while those joints move freely.
template <class Column> double while_those_behind_are_free(const Eigen::MatrixXd& M, const Column& x, Eigen::Index j) {
  const Eigen::Index behind = M.rows() - j - 1;
  const Eigen::MatrixXd M_bb = M.bottomRightCorner(behind, behind);
  const Eigen::VectorXd x_b = x.tail(behind), M_bj = M.block(j + 1, j, behind, 1);
  return x[j] - (behind == 0 ? 0 : M_bj.dot(M_bb.ldlt().solve(x_b)));
}

TEST(KdlHybridOutput, TorquesAreThoseWhileTheJointsBehindAreFree) {
  // getTotalTorque() = D_j qdd_j with D_j the Schur complement of M; constraint_torques
  // the same of -J^T alfa nu. Both by matrices.
  for (unsigned seed = 1; seed <= 20; ++seed) {
    HybridCase c(seed, 6, seed % 2 == 0, 3);
    for (int row = 0; row < 6; ++row)
      for (int k = 0; k < 3; ++k) c.alfa(row, k) = c.draw.number();
    c.push();
    ChainHdSolver_Vereshchagin solver(c.chain, k_root, 3);
    ASSERT_GE(c.solve(solver), 0);
    JntArray total(c.n), motors(c.n);
    Eigen::VectorXd nu(3);
    solver.getTotalTorque(total);
    solver.getMotorTorque(motors);
    solver.getContraintForceMagnitude(nu);
    Jacobian J(c.n);
    ASSERT_EQ(ChainJntToJacSolver(c.chain).JntToJac(c.q, J), 0);
    const Eigen::MatrixXd M = mass_matrix(c).data;
    const Eigen::VectorXd of_constraint = -J.data.transpose() * (c.alfa.data * nu);
    const double size = 1 + total.data.norm() + of_constraint.norm();
    for (unsigned int j = 0; j < c.n; ++j) {
      const double D = while_those_behind_are_free(M, M.col(j), j);
      EXPECT_NEAR(total(j), D * c.qdd(j), k_tolerance * size) << seed << ' ' << j;
      EXPECT_NEAR(c.constraint(j), while_those_behind_are_free(M, of_constraint, j), k_tolerance * size);
      EXPECT_NEAR(motors(j), c.tau(j) + of_constraint[j], k_tolerance * size) << "ff_torques - J^T alfa nu";
    }
  }
}

TEST(KdlHybridOutput, XDotdotIsTheSpatialAccelerationOfEveryTipWithTheRoots) {
  // The classical acceleration of the tips comes from another solver; the spatial one is omega x v less. The root's
  // field of accelerations is shifted to the tip.
  const Twist turning(Vector(0.3, -0.2, 9.81), Vector(0.5, -0.4, 0.7));
  int met = 0;
  for (const Twist& root : {k_root, turning})
    for (unsigned seed = 1; seed <= 10; ++seed) {
      HybridCase c(seed, 6, seed % 2 == 0, 2);
      c.unit(0, 1);
      c.unit(1, 5);
      c.push();
      c.beta(0) = 0.6;
      c.beta(1) = -0.3;
      ChainHdSolver_Vereshchagin solver(c.chain, root, 2);
      const int code = c.solve(solver);
      ASSERT_GE(code, 0);
      std::vector<Twist> x(c.ns + 1);
      solver.getTransformedLinkAcceleration(x);
      if (code == 0) {
        ++met;
        EXPECT_NEAR(x.back()(1), 0.6, k_tolerance * (1 + c.qdd.data.norm())) << "beta";
        EXPECT_NEAR(x.back()(5), -0.3, k_tolerance * (1 + c.qdd.data.norm()));
      }
      EXPECT_TRUE(Equal(x[0], root, 1e-15));
      std::vector<FrameAcc> tips(c.ns);
      ASSERT_EQ(ChainFkSolverAcc_recursive(c.chain).JntToCart(JntArrayAcc(c.q, c.v, c.qdd), tips), 0);
      const double rounding = 1e-12 * (1 + c.qdd.data.norm());
      for (unsigned int i = 0; i < c.ns; ++i) {
        Twist expected = tips[i].GetAccTwist() + root.RefPoint(tips[i].p.p);
        expected.vel -= tips[i].M.w * tips[i].p.v;
        EXPECT_TRUE(Equal(x[i + 1], expected, rounding)) << seed << ' ' << i;
      }
    }
  EXPECT_GT(met, 15);
}

TEST(KdlHybridOutput, ARootThatTurnsIsAFieldOfAccelerations) {
  // Without motion and torques, a base that accelerates by root_acc is what a chain on a driven joint feels: six joints
  // that carry the chain move with root_acc, and only what they carry is looked at.
  const Twist root(Vector(0.3, -0.2, 9.81), Vector(0.5, -0.4, 0.7));
  KdlDraw draw(3);
  const Chain arm = draw.chain(4);
  Chain carried;
  for (const Joint::JointType type :
       {Joint::TransX, Joint::TransY, Joint::TransZ, Joint::RotX, Joint::RotY, Joint::RotZ})
    carried.addSegment(Segment(Joint(type)));
  carried.addChain(arm);
  HybridCase c(3, arm, 1), whole(3, carried, 1);
  SetToZero(c.v);
  SetToZero(whole.v);
  SetToZero(whole.q);
  ChainHdSolver_Vereshchagin solver(c.chain, root, 1);
  ASSERT_EQ(c.solve(solver), 0);
  // M_ab a + M_bb qdd = tau - gravity of zero - velocities of zero, by the mass matrix of the carried chain.
  whole.q.data.tail(4) = c.q.data;
  JntSpaceInertiaMatrix M(10);
  ASSERT_EQ(ChainDynParam(carried, Vector::Zero()).JntToMass(whole.q, M), 0);
  Eigen::VectorXd a(6);
  for (int i = 0; i < 6; ++i) a[i] = root(i);
  const Eigen::VectorXd left = M.data.block(6, 6, 4, 4) * c.qdd.data + M.data.block(6, 0, 4, 6) * a;
  EXPECT_LE((left - c.tau.data).norm(), k_tolerance * (1 + c.tau.data.norm()));
}

/// "If wrenches and torques assist, the solver takes advantage of them; if they interfere, it compensates them."
TEST(KdlHybridOutput, FeedForwardTorquesAssistOrInterfere) {
  HybridCase c(6, 7, false, 6);
  for (unsigned int k = 0; k < 6; ++k) {
    c.unit(k, static_cast<int>(k));
    c.beta(k) = 0.3 * k - 0.5;
  }
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 6);
  ASSERT_EQ(c.solve(solver), 0);
  Eigen::VectorXd nu(6), with(6);
  solver.getContraintForceMagnitude(nu);
  const JntArray free = c.tau, before = c.qdd;
  JntArray motors(c.n);
  solver.getMotorTorque(motors);
  c.tau = motors;  // all that the constraint had to give, and the motion stays
  ASSERT_EQ(c.solve(solver), 0);
  solver.getContraintForceMagnitude(with);
  EXPECT_LE(with.norm(), 1e-6 * nu.norm()) << "nothing is left to do";
  EXPECT_LE(distance(before, c.qdd), k_tolerance);
  c.tau.data = 2 * free.data - motors.data;  // as much in the other direction
  ASSERT_EQ(c.solve(solver), 0);
  solver.getContraintForceMagnitude(with);
  EXPECT_LE((with - 2 * nu).norm(), 1e-6 * nu.norm()) << "it compensates";
  EXPECT_LE((c.achieved() - c.beta.data).norm(), k_tolerance * (1 + c.qdd.data.norm()))
      << "and the tip moves as it was told";
}

TEST(KdlHybridOutput, WrenchesActInTheBaseAxesOnEverySegment) {
  // "in contrast to KDL's RNE solver": a wrench on segment i is J_i^T f in torques,
  // with the Jacobian in base axes at its tip.
  HybridCase c(7, 6, true, 2);
  c.unit(0, 2);
  c.unit(1, 3);
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 2);
  ChainJntToJacSolver jacobian(c.chain);
  for (unsigned int i = 0; i < c.ns; ++i) {
    std::fill(c.wrenches.begin(), c.wrenches.end(), Wrench::Zero());
    c.wrenches[i] = 10 * c.draw.wrench();
    ASSERT_EQ(c.solve(solver), 0);
    const JntArray pushed = c.qdd, tau = c.tau;
    Jacobian J(c.n);
    ASSERT_EQ(jacobian.JntToJac(c.q, J, static_cast<int>(i) + 1), 0);
    Eigen::VectorXd f(6);
    for (int row = 0; row < 6; ++row) f[row] = c.wrenches[i](row);
    c.wrenches[i] = Wrench::Zero();
    c.tau.data += J.data.transpose() * f;
    ASSERT_EQ(c.solve(solver), 0);
    EXPECT_LE(distance(pushed, c.qdd), k_tolerance) << i;
    c.tau = tau;
  }
}

TEST(KdlHybridOutput, TheTipFallsFreelyWhereItIsNotHeld) {
  // One body on three sliding joints, x and y held by beta = 0: along z gravity alone acts.
  Chain chain;
  chain.addSegment(Segment(Joint(Joint::TransX)));
  chain.addSegment(Segment(Joint(Joint::TransY)));
  chain.addSegment(Segment(Joint(Joint::TransZ), Frame::Identity(), RigidBodyInertia(2)));
  HybridCase c(1, chain, 2);
  c.unit(0, 0);
  c.unit(1, 1);
  SetToZero(c.tau);
  c.tau(0) = 5;
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 2);
  ASSERT_EQ(c.solve(solver), 0);
  constexpr double rounding = 16 * 2.3e-16 * 9.81;
  EXPECT_NEAR(c.qdd(0), 0, rounding);
  EXPECT_NEAR(c.qdd(1), 0, rounding);
  EXPECT_NEAR(c.qdd(2), -9.81, rounding);
  Eigen::VectorXd nu(2);
  solver.getContraintForceMagnitude(nu);
  EXPECT_NEAR(nu[0], 5, rounding) << "nu acts against the torque: the wrench is -alfa nu";
  EXPECT_NEAR(c.constraint(0), -5, rounding) << "what the joint feels of it";
}

TEST(KdlHybridOutput, HoldingATipNeedsTheRootsAcceleration) {
  // beta counts root_acc: 0 lets the tip fall, alfa^T root_acc holds it.
  HybridCase c(8, 7, false, 3);
  for (int k = 0; k < 3; ++k) c.unit(k, k);
  SetToZero(c.v);
  c.beta(2) = 9.81;
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 3);
  ASSERT_EQ(c.solve(solver), 0);
  FrameAcc tip;
  ASSERT_EQ(ChainFkSolverAcc_recursive(c.chain).JntToCart(JntArrayAcc(c.q, c.v, c.qdd), tip), 0);
  const double size = k_tolerance * (1 + c.qdd.data.norm());
  EXPECT_TRUE(Equal(tip.p.dv, Vector::Zero(), size)) << "held";
  c.beta(2) = 0;
  ASSERT_EQ(c.solve(solver), 0);
  ASSERT_EQ(ChainFkSolverAcc_recursive(c.chain).JntToCart(JntArrayAcc(c.q, c.v, c.qdd), tip), 0);
  EXPECT_TRUE(Equal(tip.p.dv, k_gravity, size)) << "free fall";
}

TEST(KdlHybridOutput, GettersCheckTheSizes) {
  HybridCase c(9, 4, false, 2);
  c.unit(0, 0);
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 2);
  ASSERT_EQ(c.solve(solver), 0);
  JntArray wrong(7);
  wrong.data.setConstant(5);
  Eigen::VectorXd nu = Eigen::VectorXd::Constant(3, 5);
  std::vector<Twist> x(c.ns);
  const std::function<void()> getters[] = {[&] { solver.getTotalTorque(wrong); }, [&] { solver.getMotorTorque(wrong); },
                                           [&] { solver.getTransformedLinkAcceleration(x); },
                                           [&] { solver.getContraintForceMagnitude(nu); }};
  for (const auto& get : getters) {
    ASSERT_EQ(c.solve(solver), 0);
    get();
    EXPECT_EQ(solver.getError(), int{SolverI::E_SIZE_MISMATCH});
  }
  EXPECT_EQ(wrong.data.minCoeff(), 5) << "nothing is written";
  EXPECT_EQ(nu.minCoeff(), 5);
  EXPECT_EQ(x[0], Twist::Zero());
}

}  // namespace
}  // namespace zwang::test
