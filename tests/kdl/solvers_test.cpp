// SPDX-License-Identifier: BSD-3-Clause
// Kinematics and dynamics of chains and trees: by numeric differentiation, by each other,
// and through changes of the chain.
#include <gtest/gtest.h>

#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolveracc_recursive.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>
#include <limits>

#include "support.hpp"

namespace {

using namespace KDL;
using zwang::test::KdlDraw;

const Vector k_gravity(0.3, -0.4, -9.81);
// Central differences with h = 1e-5: rounding eps / h = 2e-11, truncation h^2 times third derivatives, here up to 1e3.
constexpr double k_step = 1e-5, k_difference = 1e-6, k_rounding = 1e-12;

JntArray moved(const JntArray& q, const JntArray& v, double t) {
  JntArray out(q.rows());
  out.data = q.data + t * v.data;
  return out;
}

TEST(KdlSolvers, TipsArePosesOfSegmentsOneAfterTheOther) {
  KdlDraw draw(1);
  for (int trial = 0; trial < 20; ++trial) {
    const Chain chain = draw.chain(1 + trial % 9, false, trial % 2 == 0);
    const JntArray q = draw.joints(chain.getNrOfJoints());
    ChainFkSolverPos_recursive fk(chain);
    std::vector<Frame> all(chain.getNrOfSegments());
    ASSERT_EQ(fk.JntToCart(q, all), 0);
    Frame expected, tip;
    unsigned int j = 0;
    for (unsigned int i = 0; i < chain.getNrOfSegments(); ++i) {
      const Segment& segment = chain.getSegment(i);
      expected = expected * segment.pose(segment.getJoint().getType() == Joint::Fixed ? 0 : q(j++));
      EXPECT_TRUE(Equal(all[i], expected, k_rounding));
    }
    ASSERT_EQ(fk.JntToCart(q, tip), 0);
    EXPECT_TRUE(Equal(tip, expected, k_rounding));
    EXPECT_EQ(fk.JntToCart(q, tip, 99), int{SolverI::E_OUT_OF_RANGE});
    EXPECT_EQ(fk.JntToCart(JntArray(q.rows() + 1), tip), int{SolverI::E_SIZE_MISMATCH});
  }
}

TEST(KdlSolvers, VelocitiesAndAccelerationsAreDerivatives) {
  KdlDraw draw(2);
  for (int trial = 0; trial < 20; ++trial) {
    const Chain chain = draw.chain(1 + trial % 9, false, trial % 2 == 0);
    const unsigned int n = chain.getNrOfJoints();
    const JntArray q = draw.joints(n), v = draw.joints(n), a = draw.joints(n);
    ChainFkSolverPos_recursive fk(chain);
    ChainFkSolverVel_recursive fk_vel(chain);
    ChainFkSolverAcc_recursive fk_acc(chain);
    const auto at = [&](double t) {
      JntArray out = moved(q, v, t);
      out.data += t * t / 2 * a.data;
      return out;
    };
    Frame before, behind;
    FrameVel vel, vel_before, vel_behind;
    FrameAcc acc;
    fk.JntToCart(at(-k_step), before);
    fk.JntToCart(at(k_step), behind);
    ASSERT_EQ(fk_vel.JntToCart(JntArrayVel(q, v), vel), 0);
    EXPECT_TRUE(Equal(vel.GetTwist(), diff(before, behind, 2 * k_step), k_difference));
    fk_vel.JntToCart(JntArrayVel(at(-k_step), moved(v, a, -k_step)), vel_before);
    fk_vel.JntToCart(JntArrayVel(at(k_step), moved(v, a, k_step)), vel_behind);
    ASSERT_EQ(fk_acc.JntToCart(JntArrayAcc(q, v, a), acc), 0);
    EXPECT_TRUE(Equal(acc.GetAccTwist(), (vel_behind.GetTwist() - vel_before.GetTwist()) / (2 * k_step), k_difference));
    // The Jacobian, and its derivative in all representations.
    Jacobian J(n), J_before(n), J_behind(n), dot(n);
    Twist v_tip;
    ChainJntToJacSolver jacobian(chain);
    ASSERT_EQ(jacobian.JntToJac(q, J), 0);
    MultiplyJacobian(J, v, v_tip);
    EXPECT_TRUE(Equal(v_tip, vel.GetTwist(), k_rounding));
    ChainJntToJacDotSolver jacobian_dot(chain);
    for (const int representation :
         {ChainJntToJacDotSolver::HYBRID, ChainJntToJacDotSolver::BODYFIXED, ChainJntToJacDotSolver::INERTIAL}) {
      jacobian_dot.setRepresentation(representation);
      ASSERT_EQ(jacobian_dot.JntToJacDot(JntArrayVel(q, v), dot), 0);
      const auto in_representation = [&](double t, Jacobian& out) {
        Frame tip;
        const JntArray there = moved(q, v, t);
        fk.JntToCart(there, tip);
        jacobian.JntToJac(there, out);
        if (representation == ChainJntToJacDotSolver::BODYFIXED) out.changeBase(tip.M.Inverse());
        if (representation == ChainJntToJacDotSolver::INERTIAL) out.changeRefPoint(-tip.p);
      };
      in_representation(-k_step, J_before);
      in_representation(k_step, J_behind);
      EXPECT_LE((dot.data - (J_behind.data - J_before.data) / (2 * k_step)).norm(), 20 * k_difference)
          << representation;
    }
  }
}

TEST(KdlSolvers, DynamicsInvertEachOther) {
  KdlDraw draw(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Chain chain = draw.chain(1 + trial % 9, false, trial % 2 == 0);
    const unsigned int n = chain.getNrOfJoints();
    const JntArray q = draw.joints(n), v = draw.joints(n), a = draw.joints(n);
    Wrenches wrenches(chain.getNrOfSegments());
    for (Wrench& wrench : wrenches) wrench = draw.wrench();
    JntArray tau(n), back(n), bias(n), gravity(n), coriolis(n);
    ChainIdSolver_RNE id(chain, k_gravity);
    ChainFdSolver_RNE fd(chain, k_gravity);
    ChainDynParam parameters(chain, k_gravity);
    ASSERT_EQ(id.CartToJnt(q, v, a, wrenches, tau), 0);
    if (n > 0) { ASSERT_EQ(fd.CartToJnt(q, v, tau, wrenches, back), 0); }
    EXPECT_LE((back.data - a.data).norm(), 1e-8 * (1 + a.data.norm()));
    JntSpaceInertiaMatrix M(n), C(n);
    ASSERT_EQ(parameters.JntToMass(q, M), 0);
    ASSERT_EQ(parameters.JntToCoriolis(q, v, coriolis), 0);
    ASSERT_EQ(parameters.JntToGravity(q, gravity), 0);
    ASSERT_EQ(parameters.JntToCoriolisMatrix(q, v, C), 0);
    const Wrenches none(chain.getNrOfSegments());
    ASSERT_EQ(id.CartToJnt(q, v, a, none, tau), 0);
    const double size = 1 + tau.data.norm();
    EXPECT_LE((M.data * a.data + coriolis.data + gravity.data - tau.data).norm(), k_rounding * 10 * size);
    EXPECT_LE((C.data * v.data - coriolis.data).norm(), k_rounding * 10 * size);
    JntSpaceInertiaMatrix M_before(n), M_behind(n);
    parameters.JntToMass(moved(q, v, -k_step), M_before);
    parameters.JntToMass(moved(q, v, k_step), M_behind);
    const Eigen::MatrixXd rate = (M_behind.data - M_before.data) / (2 * k_step);
    EXPECT_LE((rate - C.data - C.data.transpose()).norm(), k_difference * 10 * size);
  }
}

TEST(KdlSolvers, RungeKuttaHasOrderFour) {
  KdlDraw draw(4);
  const Chain chain = draw.chain(3, true);
  ChainFdSolver_RNE fd(chain, k_gravity);
  const JntArray q0 = draw.joints(3), v0 = draw.joints(3), tau = draw.joints(3);
  Wrenches none(3);
  const auto run = [&](unsigned int steps) {
    JntArray q = q0, v = v0, torques = tau, a(3);
    JntArray dq(3), dv(3), q_new(3), v_new(3);
    double dt = 0.2 / steps;
    unsigned int joints = 3;
    double t = 0;
    for (unsigned int i = 0; i < steps; ++i)
      fd.RK4Integrator(joints, t, dt, q, v, torques, none, fd, a, dq, dv, q_new, v_new);
    return q;
  };
  const Eigen::VectorXd exact = run(512).data;
  const double coarse = (run(8).data - exact).norm(), fine = (run(16).data - exact).norm();
  EXPECT_GT(coarse, 1e-11) << "there is an error to compare";
  EXPECT_NEAR(std::log2(coarse / fine), 4, 0.3);
}

TEST(KdlSolvers, TreesAreChainsWhereTheyHaveNoBranches) {
  KdlDraw draw(5);
  for (int trial = 0; trial < 10; ++trial) {
    const Tree tree = draw.tree(8, false, trial % 2 == 0);
    const unsigned int n = tree.getNrOfJoints();
    const JntArray q = draw.joints(n), v = draw.joints(n), a = draw.joints(n);
    TreeFkSolverPos_recursive fk(tree);
    TreeJntToJacSolver jacobian(tree);
    for (const auto& [name, element] : tree.getSegments()) {
      Chain chain;
      ASSERT_TRUE(tree.getChain("base", name, chain));
      Frame tip, of_chain;
      ASSERT_EQ(fk.JntToCart(q, tip, name), 0);
      // Numbers of the chain's joints among the tree's.
      JntArray part(chain.getNrOfJoints());
      std::vector<unsigned int> places;
      for (const Segment& segment : chain.segments)
        if (segment.getJoint().getType() != Joint::Fixed)
          places.push_back(tree.getSegment(segment.getName())->second.q_nr);
      for (unsigned int i = 0; i < places.size(); ++i) part(i) = q(places[i]);
      ASSERT_EQ(ChainFkSolverPos_recursive(chain).JntToCart(part, of_chain), 0);
      EXPECT_TRUE(Equal(tip, of_chain, k_rounding));
      Jacobian J(n), J_chain(part.rows());
      ASSERT_EQ(jacobian.JntToJac(q, J, name), 0);
      ASSERT_EQ(ChainJntToJacSolver(chain).JntToJac(part, J_chain), 0);
      double others = J.data.squaredNorm();
      for (unsigned int i = 0; i < places.size(); ++i) {
        EXPECT_LE((J.data.col(places[i]) - J_chain.data.col(i)).norm(), k_rounding);
        others -= J.data.col(places[i]).squaredNorm();
      }
      EXPECT_NEAR(others, 0, 1e-10);
    }
    Frame tip;
    EXPECT_EQ(fk.JntToCart(q, tip, "nobody"), -2);
    // Power: the work of gravity and inertia is the derivative of the energies.
    // Checked through the chain's RNE on a line.
    TreeIdSolver_RNE id(tree, k_gravity);
    JntArray tau(n);
    EXPECT_EQ(id.CartToJnt(q, v, a, WrenchMap(), tau), 0);
    EXPECT_TRUE(tau.data.allFinite());
  }
  const Chain chain = draw.chain(6);
  Tree line("root");
  ASSERT_TRUE(line.addChain(chain, "root"));
  const JntArray q = draw.joints(6), v = draw.joints(6), a = draw.joints(6);
  JntArray of_tree(6), of_chain(6);
  WrenchMap map;
  Wrenches wrenches(6);
  for (unsigned int i = 0; i < 6; ++i) map[chain.getSegment(i).getName()] = wrenches[i] = draw.wrench();
  ASSERT_EQ(TreeIdSolver_RNE(line, k_gravity).CartToJnt(q, v, a, map, of_tree), 0);
  ASSERT_EQ(ChainIdSolver_RNE(chain, k_gravity).CartToJnt(q, v, a, wrenches, of_chain), 0);
  EXPECT_LE((of_tree.data - of_chain.data).norm(), k_rounding * 100 * (1 + of_chain.data.norm()));
}

TEST(KdlSolvers, ChangesOfAChainAreFollowed) {
  KdlDraw draw(6);
  Chain chain = draw.chain(4);
  ChainFkSolverPos_recursive fk(chain);
  ChainIdSolver_RNE id(chain, k_gravity);
  JntArray q = draw.joints(4), tau(4), heavier(4);
  Frame before, behind;
  Wrenches none(4);
  fk.JntToCart(q, before);
  ASSERT_EQ(id.CartToJnt(q, q, q, none, tau), 0);
  chain.getSegment(3).setInertia(RigidBodyInertia(50, Vector(0.1, 0, 0)));
  ASSERT_EQ(id.CartToJnt(q, q, q, none, heavier), 0);
  EXPECT_GT((heavier.data - tau.data).norm(), 1);
  chain.getSegment(3) = Segment(Joint(Joint::RotX), Frame(Vector(5, 5, 5)));
  ASSERT_EQ(fk.JntToCart(q, behind), 0);
  EXPECT_FALSE(Equal(before, behind, 0.1));
  chain.addSegment(Segment("tool", Joint(Joint::Fixed), Frame(Vector(0, 0, 1))));
  EXPECT_EQ(fk.JntToCart(q, behind), 0);
  EXPECT_EQ(id.CartToJnt(q, q, q, none, tau), int{SolverI::E_NOT_UP_TO_DATE});
  fk.updateInternalDataStructures();
  id.updateInternalDataStructures();
  EXPECT_EQ(fk.JntToCart(q, behind), 0);
  EXPECT_EQ(id.CartToJnt(q, q, q, none, tau), int{SolverI::E_SIZE_MISMATCH}) << "a wrench for each segment";
  EXPECT_EQ(id.CartToJnt(q, q, q, Wrenches(5), tau), 0);
}

TEST(KdlSolvers, LockedJointsAreLeftOut) {
  KdlDraw draw(7);
  const Chain chain = draw.chain(5);
  const JntArray q = draw.joints(5);
  ChainJntToJacSolver solver(chain);
  Jacobian whole(5), part(3);
  ASSERT_EQ(solver.JntToJac(q, whole), 0);
  ASSERT_EQ(solver.setLockedJoints({false, true, false, true, false}), 0);
  EXPECT_EQ(solver.setLockedJoints({true}), int{SolverI::E_SIZE_MISMATCH});
  ASSERT_EQ(solver.JntToJac(q, part), 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ((part.data.col(i) - whole.data.col(2 * i)).norm(), 0);
}

TEST(KdlSolvers, NumbersThatAreNotFiniteAreRefused) {
  KdlDraw draw(8);
  const Chain chain = draw.chain(3);
  JntArray q = draw.joints(3), tau(3);
  q(1) = std::numeric_limits<double>::quiet_NaN();
  Frame tip;
  EXPECT_LT(ChainFkSolverPos_recursive(chain).JntToCart(q, tip), 0);
  EXPECT_LT(ChainIdSolver_RNE(chain, k_gravity).CartToJnt(q, q, q, Wrenches(3), tau), 0);
  EXPECT_EQ(tau.data.norm(), 0) << "results are as they were";
}

}  // namespace
