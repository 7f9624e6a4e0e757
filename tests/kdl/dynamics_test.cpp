// SPDX-License-Identifier: BSD-3-Clause
// Torques against Lagrange's equations: kinetic and potential energy of the bodies by poses alone, everything else by
// their derivatives. Chains and trees, scales, offsets, rotors and fixed joints.
#include <gtest/gtest.h>

#include <functional>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>

#include "support.hpp"

namespace zwang::test {
namespace {

using namespace KDL;
using Array = Eigen::VectorXd;

const Vector k_gravity(0.3, -0.4, -9.81);

JntArray joints_of(const Array& q) {
  JntArray out(static_cast<unsigned int>(q.size()));
  out.data = q;
  return out;
}

/// The bodies of a tree, by its poses.
class Bodies {
 public:
  explicit Bodies(const Tree& tree) : tree_(tree), fk_(tree) {}
  double kinetic(const Array& q, const Array& v) {
    double out = 0;
    constexpr double h = 1e-4;
    for (const auto& [name, element] : tree_.getSegments()) {
      if (name == "base") continue;
      // Central differences of order four: h^4 of fifth derivatives and eps / h, both 1e-12 and a bit.
      const Frame here = pose(q, name);
      const Twist near = diff(pose(q - h * v, name), pose(q + h * v, name), 2 * h),
                  far = diff(pose(q - 2 * h * v, name), pose(q + 2 * h * v, name), 4 * h);
      const Twist twist = here.M.Inverse((4 * near - far) / 3);
      out += dot(twist, element.segment.getInertia() * twist) / 2;
      if (element.segment.getJoint().getType() != Joint::Fixed)
        out += element.segment.getJoint().getInertia() * v[element.q_nr] * v[element.q_nr] / 2;
    }
    return out;
  }
  double potential(const Array& q) {
    double out = 0;
    for (const auto& [name, element] : tree_.getSegments()) {
      if (name == "base") continue;
      const RigidBodyInertia& I = element.segment.getInertia();
      out -= I.getMass() * dot(k_gravity, pose(q, name) * I.getCOG());
    }
    return out;
  }
  Frame pose(const Array& q, const std::string& name) {
    Frame out;
    EXPECT_EQ(fk_.JntToCart(joints_of(q), out, name), 0);
    return out;
  }

 private:
  const Tree& tree_;
  TreeFkSolverPos_recursive fk_;
};

/// df/dx by central differences.
Array gradient(const std::function<double(const Array&)>& f, const Array& x, double h) {
  Array out(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    Array before = x, behind = x;
    before[i] -= h;
    behind[i] += h;
    out[i] = (f(behind) - f(before)) / (2 * h);
  }
  return out;
}

struct TreeCase {
  explicit TreeCase(unsigned seed)
      : draw(seed),
        tree(draw.tree(6, false, seed % 2 == 0)),
        n(tree.getNrOfJoints()),
        q(draw.joints(n)),
        v(draw.joints(n)),
        a(draw.joints(n)) {}
  Array torques(const Vector& gravity, const JntArray& rate, const JntArray& acceleration, const WrenchMap& f = {}) {
    JntArray out(n);
    EXPECT_EQ(TreeIdSolver_RNE(tree, gravity).CartToJnt(q, rate, acceleration, f, out), 0);
    return out.data;
  }
  /// M by columns of inverse dynamics at rest.
  Eigen::MatrixXd mass() {
    Eigen::MatrixXd out(n, n);
    for (unsigned int j = 0; j < n; ++j) {
      JntArray unit(n);
      unit(j) = 1;
      out.col(j) = torques(Vector::Zero(), JntArray(n), unit);
    }
    return out;
  }
  KdlDraw draw;
  Tree tree;
  unsigned int n;
  JntArray q, v, a;
};

TEST(KdlDynamics, OfTreesAreLagranges) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    TreeCase c(seed);
    if (c.n == 0) continue;
    Bodies bodies(c.tree);
    const Eigen::MatrixXd M = c.mass();
    EXPECT_LE((M - M.transpose()).norm(), 1e-12 * M.norm());
    const double energy = bodies.kinetic(c.q.data, c.v.data);
    EXPECT_NEAR(c.v.data.dot(M * c.v.data) / 2, energy, 1e-9 * (1 + energy)) << "kinetic energy";
    // At rest: the potential's gradient. Differences of h = 1e-4 of a smooth function: h^2, and eps / h.
    const Array g = gradient([&](const Array& x) { return bodies.potential(x); }, c.q.data, 1e-4);
    const Array at_rest = c.torques(k_gravity, JntArray(c.n), JntArray(c.n));
    EXPECT_LE((at_rest - g).norm(), 1e-6 * (1 + g.norm())) << "gravity";
    // In motion: d/dt (M v) - d/dq (v M v / 2), M by inverse dynamics at rest at other places.
    const auto mass_at = [&](const Array& x) {
      TreeCase other(c);
      other.q.data = x;
      return other.mass();
    };
    constexpr double h = 1e-4;
    const Eigen::MatrixXd rate = (mass_at(c.q.data + h * c.v.data) - mass_at(c.q.data - h * c.v.data)) / (2 * h);
    const Array bias = rate * c.v.data - gradient(
                                             [&](const Array& x) {
                                               const Eigen::MatrixXd at_x = mass_at(x);
                                               return c.v.data.dot(at_x * c.v.data) / 2;
                                             },
                                             c.q.data, h);
    const Array moving = c.torques(k_gravity, c.v, c.a);
    EXPECT_LE((moving - (M * c.a.data + bias + g)).norm(), 1e-5 * (1 + moving.norm())) << seed;
  }
}

TEST(KdlDynamics, OfTreesFeelWrenchesByTheirJacobians) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    TreeCase c(seed);
    if (c.n == 0) continue;
    TreeFkSolverPos_recursive fk(c.tree);
    TreeJntToJacSolver jac(c.tree);
    WrenchMap wrenches;
    Array expected = c.torques(k_gravity, c.v, c.a);
    for (const char* name : {"segment 1", "segment 4", "segment 5"}) {
      const Wrench in_tip = wrenches[name] = 10 * c.draw.wrench();
      Frame tip;
      Jacobian J(c.n);
      ASSERT_EQ(fk.JntToCart(c.q, tip, name), 0);
      ASSERT_EQ(jac.JntToJac(c.q, J, name), 0);
      const Wrench in_base = tip.M * in_tip;
      for (unsigned int j = 0; j < c.n; ++j) expected[j] -= dot(J.getColumn(j), in_base);
    }
    EXPECT_LE((c.torques(k_gravity, c.v, c.a, wrenches) - expected).norm(), 1e-11 * (1 + expected.norm()));
  }
}

/// A chain and the tree of its segments: what holds for the tree's torques holds for the chain's.
TEST(KdlDynamics, OfChainsAreThoseOfTheirTrees) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    KdlDraw draw(seed);
    const Chain chain = draw.chain(7, false, seed % 2 == 0);
    Tree tree("base");
    ASSERT_TRUE(tree.addChain(chain, "base"));
    const unsigned int n = chain.getNrOfJoints(), ns = chain.getNrOfSegments();
    const JntArray q = draw.joints(n), v = draw.joints(n), a = draw.joints(n);
    WrenchMap map;
    Wrenches wrenches(ns);
    for (unsigned int i = 0; i < ns; ++i) map[chain.getSegment(i).getName()] = wrenches[i] = draw.wrench();
    JntArray of_tree(n), of_chain(n), coriolis(n), gravity(n), rest(n);
    ASSERT_EQ(TreeIdSolver_RNE(tree, k_gravity).CartToJnt(q, v, a, map, of_tree), 0);
    ASSERT_EQ(ChainIdSolver_RNE(chain, k_gravity).CartToJnt(q, v, a, wrenches, of_chain), 0);
    const double rounding = 1e-12 * (1 + of_tree.data.norm());
    EXPECT_LE((of_chain.data - of_tree.data).norm(), rounding);
    ChainDynParam terms(chain, k_gravity);
    JntSpaceInertiaMatrix M(static_cast<int>(n));
    ASSERT_EQ(terms.JntToMass(q, M), 0);
    ASSERT_EQ(terms.JntToCoriolis(q, v, coriolis), 0);
    ASSERT_EQ(terms.JntToGravity(q, gravity), 0);
    TreeIdSolver_RNE weightless(tree, Vector::Zero()), heavy(tree, k_gravity);
    ASSERT_EQ(weightless.CartToJnt(q, v, JntArray(n), WrenchMap(), rest), 0);
    EXPECT_LE((coriolis.data - rest.data).norm(), rounding);
    ASSERT_EQ(heavy.CartToJnt(q, JntArray(n), JntArray(n), WrenchMap(), rest), 0);
    EXPECT_LE((gravity.data - rest.data).norm(), rounding);
    for (unsigned int j = 0; j < n; ++j) {
      JntArray unit(n);
      unit(j) = 1;
      ASSERT_EQ(weightless.CartToJnt(q, JntArray(n), unit, WrenchMap(), rest), 0);
      EXPECT_LE((M.data.col(j) - rest.data).norm(), rounding);
    }
  }
}

TEST(KdlDynamics, DampingAndStiffnessOfJointsAreKeptAndNotUsed) {
  Chain soft, plain;
  const RigidBodyInertia I(2, Vector(0.1, 0.2, 0), RotationalInertia(0.1, 0.1, 0.1));
  soft.addSegment(Segment(Joint(Joint::RotY, 1, 0, 0.3, 5, 7), Frame(Vector(0.4, 0, 0)), I));
  plain.addSegment(Segment(Joint(Joint::RotY, 1, 0, 0.3), Frame(Vector(0.4, 0, 0)), I));
  JntArray q(1), a(1), b(1);
  q(0) = 0.7;
  ASSERT_EQ(ChainIdSolver_RNE(soft, k_gravity).CartToJnt(q, q, q, Wrenches(1), a), 0);
  ASSERT_EQ(ChainIdSolver_RNE(plain, k_gravity).CartToJnt(q, q, q, Wrenches(1), b), 0);
  EXPECT_EQ(a(0), b(0));
}

TEST(KdlDynamics, AJointOfScaleZeroFeelsItsRotorAlone) {
  KdlDraw draw(3);
  Chain chain = draw.chain(2);
  chain.addSegment(Segment("idle", Joint("idle", Joint::RotX, 0, 0.4, 0.25), draw.frame(), draw.inertia()));
  const JntArray q = draw.joints(3), v = draw.joints(3), a = draw.joints(3);
  JntArray tau(3), qdd(3);
  JntSpaceInertiaMatrix M(3);
  ASSERT_EQ(ChainIdSolver_RNE(chain, k_gravity).CartToJnt(q, v, a, Wrenches(3), tau), 0);
  EXPECT_NEAR(tau(2), 0.25 * a(2), 1e-15);
  ASSERT_EQ(ChainDynParam(chain, k_gravity).JntToMass(q, M), 0);
  EXPECT_NEAR(M(2, 2), 0.25, 1e-15);
  EXPECT_EQ(M(0, 2), 0);
  EXPECT_EQ(ChainFdSolver_RNE(chain, k_gravity).CartToJnt(q, v, tau, Wrenches(3), qdd),
            int{SolverI::E_NOT_IMPLEMENTED});
}

TEST(KdlDynamics, AJointThatNothingResistsIsACode) {
  KdlDraw draw(4);
  Chain chain = draw.chain(3);
  chain.addSegment(Segment("massless", Joint(Joint::RotX), draw.frame()));
  const JntArray q = draw.joints(4);
  JntArray qdd(4);
  qdd(1) = 7;
  EXPECT_EQ(ChainFdSolver_RNE(chain, k_gravity).CartToJnt(q, q, q, Wrenches(4), qdd), int{SolverI::E_UNDEFINED});
  EXPECT_EQ(qdd(1), 7);
  chain.getSegment(3) = Segment("with a rotor", Joint(Joint::RotX, 1, 0, 0.1), draw.frame());
  EXPECT_EQ(ChainFdSolver_RNE(chain, k_gravity).CartToJnt(q, q, q, Wrenches(4), qdd), 0);
  EXPECT_NEAR(qdd(3), q(3) / 0.1, 1e-12 * (1 + std::abs(qdd(3)))) << "the rotor alone";
}

// d(column)/dq by KDL's formulas, summed over the joints, is the derivative in time.
TEST(KdlDynamics, PartialDerivativesOfTheJacobianSumUpToItsRate) {
  KdlDraw draw(5);
  for (int trial = 0; trial < 5; ++trial) {
    const Chain chain = draw.chain(6);
    const JntArrayVel q(draw.joints(6), draw.joints(6));
    ChainJntToJacSolver jac(chain);
    ChainJntToJacDotSolver jac_dot(chain);
    Jacobian J(6), rate(6);
    Frame tip;
    ASSERT_EQ(jac.JntToJac(q.q, J), 0);
    ASSERT_EQ(ChainFkSolverPos_recursive(chain).JntToCart(q.q, tip), 0);
    for (const int representation :
         {ChainJntToJacDotSolver::HYBRID, ChainJntToJacDotSolver::BODYFIXED, ChainJntToJacDotSolver::INERTIAL}) {
      Jacobian in(J);
      if (representation == ChainJntToJacDotSolver::BODYFIXED) in.changeBase(tip.M.Inverse());
      if (representation == ChainJntToJacDotSolver::INERTIAL) in.changeRefPoint(-tip.p);
      jac_dot.setRepresentation(representation);
      ASSERT_EQ(jac_dot.JntToJacDot(q, rate), 0);
      for (unsigned int column = 0; column < 6; ++column) {
        Twist sum;
        for (unsigned int j = 0; j < 6; ++j)
          sum += q.qdot(j) * jac_dot.getPartialDerivative(in, j, column, representation);
        EXPECT_TRUE(Equal(sum, rate.getColumn(column), 1e-12)) << representation << ' ' << column;
      }
    }
    jac_dot.setRepresentation(17);
    Jacobian same(6);
    ASSERT_EQ(jac_dot.JntToJacDot(q, same), 0);
    EXPECT_EQ(same, rate) << "another number changes nothing";
    EXPECT_EQ(jac_dot.getPartialDerivative(J, 0, 1, 17), Twist::Zero());
  }
}

}  // namespace
}  // namespace zwang::test
