// SPDX-License-Identifier: BSD-3-Clause
// What kdl_calls_test.cpp leaves out: trees, integration, every policy of the hybrid solver, inertias that change
// between calls, operations on numbers of joints.
#include <gtest/gtest.h>

#include <functional>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolveracc_recursive.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/jntarrayacc.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>

#include "../kdl/support.hpp"
#include "support/no_allocation.hpp"

namespace zwang::test {
namespace {

using namespace KDL;

using Call = std::pair<const char*, std::function<int()>>;

void expect_none(std::initializer_list<Call> calls) {
  for (const auto& [name, call] : calls) {
    const long before = allocations();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(call(), 0) << name;
    EXPECT_EQ(allocations(), before) << name;
  }
}

TEST(NoKdlAllocation, InAnySolverOfTrees) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  KdlDraw draw(2);
  const Tree tree = draw.tree(9, false, true);
  const unsigned int n = tree.getNrOfJoints();
  const JntArray q = draw.joints(n), v = draw.joints(n);
  JntArray out(n);
  Jacobian J(n);
  Frame frame;
  const WrenchMap wrenches{{"segment 3", draw.wrench()}, {"segment 8", draw.wrench()}};
  const std::string name = "segment 7";  // names of up to 15 characters: the interface takes one by value
  TreeFkSolverPos_recursive fk(tree);
  TreeJntToJacSolver jacobian(tree);
  TreeIdSolver_RNE id(tree, Vector(0, 0, -9.81));
  expect_none({{"forward kinematics", [&] { return fk.JntToCart(q, frame, name); }},
               {"Jacobian", [&] { return jacobian.JntToJac(q, J, name); }},
               {"inverse dynamics", [&] { return id.CartToJnt(q, v, v, wrenches, out); }}});
}

TEST(NoKdlAllocation, InOtherCallsOfSolversOfChains) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  KdlDraw draw(3);
  const Chain chain = draw.chain(7, false, true);
  const unsigned int ns = chain.getNrOfSegments();
  unsigned int n = chain.getNrOfJoints();
  const Vector gravity(0, 0, -9.81);
  const JntArrayAcc qa(draw.joints(n), draw.joints(n), draw.joints(n));
  const JntArrayVel qv(qa.q, qa.qdot);
  JntArray q = qa.q, v = qa.qdot, tau(n), a(n), b(n), c(n), d(n), e(n);
  Wrenches wrenches(ns);
  std::vector<FrameVel> moving(ns);
  std::vector<FrameAcc> accelerated(ns);
  Jacobian J(n);
  JntSpaceInertiaMatrix M(static_cast<int>(n));
  Twist twist;
  double dt = 1e-4;
  const std::vector<bool> locked(n, false);
  ChainFkSolverVel_recursive fk_vel(chain);
  ChainFkSolverAcc_recursive fk_acc(chain);
  ChainJntToJacSolver jacobian(chain);
  ChainJntToJacDotSolver jacobian_dot(chain);
  ChainFdSolver_RNE fd(chain, gravity);
  ChainDynParam terms(chain, gravity);
  expect_none({{"velocities of all tips", [&] { return fk_vel.JntToCart(qv, moving); }},
               {"accelerations of all tips", [&] { return fk_acc.JntToCart(qa, accelerated); }},
               {"locked joints", [&] { return jacobian_dot.setLockedJoints(locked); }},
               {"Jacobian of a part", [&] { return jacobian.JntToJac(q, J, 3); }},
               {"C", [&] { return terms.JntToCoriolisMatrix(q, v, M); }},
               {"Runge-Kutta", [&] {
                  fd.RK4Integrator(n, 0, dt, q, v, tau, wrenches, fd, a, b, c, d, e);
                  return fd.getError();
                }}});
  for (const int representation : {0, 1, 2}) {
    jacobian_dot.setRepresentation(representation);
    expect_none({{"rate of the Jacobian", [&] { return jacobian_dot.JntToJacDot(qv, J, 4); }},
                 {"its product", [&] { return jacobian_dot.JntToJacDot(qv, twist); }}});
  }
}

TEST(NoKdlAllocation, WhereInertiasChangeBetweenCalls) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  KdlDraw draw(4);
  Chain chain = draw.chain(6);
  const Vector gravity(0, 0, -9.81);
  const JntArray q = draw.joints(6);
  JntArray out(6), other(6), beta(2);
  const Wrenches wrenches(6);
  Jacobian alfa(2);
  alfa(0, 0) = alfa(1, 1) = 1;
  ChainIdSolver_RNE id(chain, gravity);
  ChainHdSolver_Vereshchagin hd(chain, Twist(-gravity, Vector::Zero()), 2);
  const RigidBodyInertia loads[] = {draw.inertia(), draw.inertia()};
  int call = 0;
  const auto load = [&] { chain.getSegment(5).setInertia(loads[call++ % 2]); };
  expect_none({{"inverse dynamics",
                [&] {
                  load();
                  return id.CartToJnt(q, q, q, wrenches, out);
                }},
               {"hybrid dynamics", [&] {
                  load();
                  return hd.CartToJnt(q, q, out, alfa, beta, wrenches, q, other);
                }}});
}

TEST(NoKdlAllocation, InAnyPolicyOfHybridDynamics) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  KdlDraw draw(5);
  const Chain chain = draw.chain(8, false, true);
  const unsigned int n = chain.getNrOfJoints(), ns = chain.getNrOfSegments();
  const JntArray q = draw.joints(n), v = draw.joints(n), tau = draw.joints(n);
  JntArray qdd(n), constraint(n);
  Wrenches wrenches(ns);
  for (Wrench& wrench : wrenches) wrench = draw.wrench();
  std::vector<Twist> x(ns + 1);
  for (const unsigned int nc : {0u, 1u, 3u, 8u}) {
    // Columns that change from call to call, zero ones and equal ones among them; a root that turns.
    ChainHdSolver_Vereshchagin hd(chain, Twist(Vector(0, 0, 9.81), Vector(0.1, 0, 0.2)), nc);
    Jacobian alfa(nc);
    JntArray beta(nc);
    Eigen::VectorXd nu(nc);
    for (const auto policy : {ChainHdSolver_Vereshchagin::TRUNCATION, ChainHdSolver_Vereshchagin::PROXIMAL,
                              ChainHdSolver_Vereshchagin::DAMPING}) {
      const long before = allocations();
      hd.setSingularityPolicy(policy);
      hd.setSingularityTolerance(1e-9);
      for (unsigned int call = 0; call < 10; ++call) {
        SetToZero(alfa);
        for (unsigned int k = 0; k < nc; ++k) {
          alfa((call + k) % 6, k) = call % 3;
          beta(k) = 0.1 * call;
        }
        EXPECT_GE(hd.CartToJnt(q, v, qdd, alfa, beta, wrenches, tau, constraint), 0);
        hd.getTransformedLinkAcceleration(x);
        hd.getContraintForceMagnitude(nu);
        hd.getTotalTorque(constraint);
        hd.getMotorTorque(constraint);
        EXPECT_LT(hd.getConstraintWrench().force.Norm(), 1e6);
      }
      EXPECT_EQ(allocations(), before) << nc << ' ' << policy;
    }
  }
}

TEST(NoKdlAllocation, InOperationsOnNumbersOfJoints) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  KdlDraw draw(6);
  const JntArray p = draw.joints(7);
  JntArray q = draw.joints(7), out(7);
  JntArrayAcc a(p, p, p), b(p);
  JntSpaceInertiaMatrix M(7), N(7);
  Jacobian J(7), K(7);
  Twist twist;
  const Frame F = draw.frame();
  expect_none({{"arrays",
                [&] {
                  Add(p, q, out);
                  Subtract(out, q, out);
                  Multiply(p, 2, out);
                  Divide(out, 2, out);
                  SetToZero(q);
                  return Equal(p, out) ? 0 : 1;
                }},
               {"with rates",
                [&] {
                  Multiply(a, doubleAcc(1, 2, 3), b);
                  Divide(b, doubleAcc(1, 2, 3), b);
                  Add(b, p, b);
                  Subtract(b, p, b);
                  return Equal(a, b) ? 0 : 1;
                }},
               {"matrices",
                [&] {
                  Add(M, N, N);
                  Multiply(N, 3, N);
                  Multiply(N, p, out);
                  return Equal(M, N) ? 0 : 1;
                }},
               {"Jacobians", [&] {
                  MultiplyJacobian(J, p, twist);
                  changeRefFrame(J, F, K);
                  K.changeBase(F.M);
                  K.changeRefPoint(F.p);
                  return twist == Twist::Zero() ? 0 : 1;
                }}});
}

}  // namespace
}  // namespace zwang::test
