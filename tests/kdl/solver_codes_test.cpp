// SPDX-License-Identifier: BSD-3-Clause
// Every direct solver of chains and trees: wrong sizes, segments that are not there, numbers that are not finite,
// changed chains, copies of solvers, chains that do not move.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
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
#include <memory>

#include "support.hpp"

namespace zwang::test {
namespace {

using namespace KDL;

const Vector k_gravity(0.3, -0.4, -9.81);
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN(), k_inf = std::numeric_limits<double>::infinity();

/// All direct solvers of one chain, as calls that take an array of joints and answer by a code and numbers.
struct Solvers {
  explicit Solvers(const Chain& chain)
      : fk(chain),
        fk_vel(chain),
        fk_acc(chain),
        jac(chain),
        jac_dot(chain),
        id(chain, k_gravity),
        fd(chain, k_gravity),
        terms(chain, k_gravity) {}
  struct Call {
    const char* name;
    SolverI* solver;
    std::function<int(const JntArray&, std::vector<double>&)> run;
  };
  /// Results have room for n joints and ns segments, and are 7 before the call.
  std::vector<Call> calls(unsigned int n, unsigned int ns, int seg_nr = -1) {
    const auto filled = [n] {
      JntArray out(n);
      out.data.setConstant(7);
      return out;
    };
    const auto numbers = [](const auto& matrix) {
      return std::vector<double>(matrix.data.data(), matrix.data.data() + matrix.data.size());
    };
    const auto of_frame = [](const Frame& F) {
      std::vector<double> out(F.M.data, F.M.data + 9);
      out.insert(out.end(), F.p.data, F.p.data + 3);
      return out;
    };
    const Frame sevens(Rotation(7, 7, 7, 7, 7, 7, 7, 7, 7), Vector(7, 7, 7));
    std::vector<Call> out;
    out.push_back({"FK", &fk, [=, this](const JntArray& q, std::vector<double>& x) {
                     Frame F(sevens);
                     const int code = fk.JntToCart(q, F, seg_nr);
                     x = of_frame(F);
                     return code;
                   }});
    out.push_back({"FK velocity", &fk_vel, [=, this](const JntArray& q, std::vector<double>& x) {
                     FrameVel F(sevens);
                     const int code = fk_vel.JntToCart(JntArrayVel(q, q), F, seg_nr);
                     x = of_frame(F.value());
                     return code;
                   }});
    out.push_back({"FK acceleration", &fk_acc, [=, this](const JntArray& q, std::vector<double>& x) {
                     FrameAcc F(sevens);
                     const int code = fk_acc.JntToCart(JntArrayAcc(q, q, q), F, seg_nr);
                     x = of_frame(F.value());
                     return code;
                   }});
    out.push_back({"Jacobian", &jac, [=, this](const JntArray& q, std::vector<double>& x) {
                     Jacobian J(n);
                     J.data.setConstant(7);
                     const int code = jac.JntToJac(q, J, seg_nr);
                     x = numbers(J);
                     return code;
                   }});
    out.push_back({"Jacobian's rate", &jac_dot, [=, this](const JntArray& q, std::vector<double>& x) {
                     Jacobian J(n);
                     J.data.setConstant(7);
                     const int code = jac_dot.JntToJacDot(JntArrayVel(q, q), J, seg_nr);
                     x = numbers(J);
                     return code;
                   }});
    if (seg_nr >= 0) return out;
    out.push_back({"ID", &id, [=, this](const JntArray& q, std::vector<double>& x) {
                     JntArray torques = filled();
                     const int code = id.CartToJnt(q, q, q, Wrenches(ns), torques);
                     x = numbers(torques);
                     return code;
                   }});
    out.push_back({"FD", &fd, [=, this](const JntArray& q, std::vector<double>& x) {
                     JntArray qdd = filled();
                     const int code = fd.CartToJnt(q, q, q, Wrenches(ns), qdd);
                     x = numbers(qdd);
                     return code;
                   }});
    out.push_back({"mass matrix", &terms, [=, this](const JntArray& q, std::vector<double>& x) {
                     JntSpaceInertiaMatrix M(static_cast<int>(n));
                     M.data.setConstant(7);
                     const int code = terms.JntToMass(q, M);
                     x = numbers(M);
                     return code;
                   }});
    out.push_back({"Coriolis", &terms, [=, this](const JntArray& q, std::vector<double>& x) {
                     JntArray torques = filled();
                     const int code = terms.JntToCoriolis(q, q, torques);
                     x = numbers(torques);
                     return code;
                   }});
    out.push_back({"gravity", &terms, [=, this](const JntArray& q, std::vector<double>& x) {
                     JntArray torques = filled();
                     const int code = terms.JntToGravity(q, torques);
                     x = numbers(torques);
                     return code;
                   }});
    return out;
  }
  ChainFkSolverPos_recursive fk;
  ChainFkSolverVel_recursive fk_vel;
  ChainFkSolverAcc_recursive fk_acc;
  ChainJntToJacSolver jac;
  ChainJntToJacDotSolver jac_dot;
  ChainIdSolver_RNE id;
  ChainFdSolver_RNE fd;
  ChainDynParam terms;
};

bool untouched(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double number) { return number == 7; });
}

/// A chain of five segments; the third is fixed.
Chain five(KdlDraw& draw) {
  Chain chain = draw.chain(5);
  chain.getSegment(2) = Segment("fixed", Joint(Joint::Fixed), draw.frame(), draw.inertia());
  return chain;
}

TEST(KdlCodes, SizesAndNumbersThatDoNotFitChangeNothing) {
  KdlDraw draw(1);
  const Chain chain = five(draw);
  Solvers solvers(chain);
  std::vector<double> x;
  for (const auto& [name, solver, run] : solvers.calls(4, 5)) {
    for (const unsigned int size : {0u, 3u, 5u}) {
      EXPECT_EQ(run(JntArray(size), x), int{SolverI::E_SIZE_MISMATCH}) << name;
      EXPECT_EQ(solver->getError(), int{SolverI::E_SIZE_MISMATCH}) << name;
      EXPECT_TRUE(untouched(x)) << name;
    }
    for (const double bad : {k_nan, k_inf}) {
      JntArray q = draw.joints(4);
      q(1) = bad;
      EXPECT_EQ(run(q, x), int{SolverI::E_UNDEFINED}) << name;
      EXPECT_TRUE(untouched(x)) << name;
    }
    EXPECT_EQ(run(draw.joints(4), x), 0) << name;
    EXPECT_EQ(solver->getError(), 0) << name;
    EXPECT_FALSE(untouched(x)) << name;
  }
  for (const auto& [name, solver, run] : solvers.calls(3, 5)) {
    if (solver == &solvers.fk || solver == &solvers.fk_vel || solver == &solvers.fk_acc) continue;
    EXPECT_EQ(run(draw.joints(4), x), int{SolverI::E_SIZE_MISMATCH}) << name << ": the result is too short";
    EXPECT_TRUE(untouched(x)) << name;
  }
  for (const auto& [name, solver, run] : solvers.calls(4, 4))
    if (solver == &solvers.id || solver == &solvers.fd) {
      EXPECT_EQ(run(draw.joints(4), x), int{SolverI::E_SIZE_MISMATCH}) << name << ": a wrench for each segment";
    }
}

TEST(KdlCodes, EachArgumentHasItsSize) {
  KdlDraw draw(2);
  const Chain chain = five(draw);
  Solvers s(chain);
  const JntArray q = draw.joints(4), longer(5);
  JntArray out(4), out5(5);
  const Wrenches f(5);
  constexpr int size = SolverI::E_SIZE_MISMATCH;
  EXPECT_EQ(s.id.CartToJnt(q, longer, q, f, out), size);
  EXPECT_EQ(s.id.CartToJnt(q, q, longer, f, out), size);
  EXPECT_EQ(s.id.CartToJnt(q, q, q, Wrenches(6), out), size);
  EXPECT_EQ(s.id.CartToJnt(q, q, q, f, out5), size);
  EXPECT_EQ(s.fd.CartToJnt(q, longer, q, f, out), size);
  EXPECT_EQ(s.fd.CartToJnt(q, q, longer, f, out), size);
  EXPECT_EQ(s.fd.CartToJnt(q, q, q, f, out5), size);
  EXPECT_EQ(s.terms.JntToCoriolis(q, longer, out), size);
  EXPECT_EQ(s.terms.JntToCoriolis(q, q, out5), size);
  EXPECT_EQ(s.terms.JntToGravity(q, out5), size);
  JntSpaceInertiaMatrix C(5);
  EXPECT_EQ(s.terms.JntToCoriolisMatrix(q, q, C), size);
  JntArrayVel moving(4);
  moving.qdot.resize(5);
  FrameVel F;
  Jacobian J(4);
  Twist t;
  EXPECT_EQ(s.fk_vel.JntToCart(moving, F), size);
  EXPECT_EQ(s.jac_dot.JntToJacDot(moving, J), size);
  EXPECT_EQ(s.jac_dot.JntToJacDot(moving, t), size);
  JntArrayAcc accelerated(4);
  accelerated.qdotdot.resize(3);
  FrameAcc A;
  EXPECT_EQ(s.fk_acc.JntToCart(accelerated, A), size);
  std::vector<Frame> frames(4);
  EXPECT_EQ(s.fk.JntToCart(q, frames), size) << "a frame for each segment that counts";
  EXPECT_EQ(s.fk.JntToCart(q, frames, 4), 0);
  EXPECT_EQ(s.fk.JntToCart(q, frames, 3), size);
  // A step of Runge-Kutta: scratch of the wrong size leaves the state.
  JntArray state = q, rate = q, torques(4), scratch(3), a(4), b(4), c(4), d(4);
  unsigned int joints = 4;
  double dt = 0.1;
  Wrenches none(5);
  s.fd.RK4Integrator(joints, 0, dt, state, rate, torques, none, s.fd, a, b, c, scratch, d);
  EXPECT_EQ(s.fd.getError(), size);
  EXPECT_EQ(state, q);
  torques(0) = k_nan;
  s.fd.RK4Integrator(joints, 0, dt, state, rate, torques, none, s.fd, a, b, c, d, out);
  EXPECT_EQ(s.fd.getError(), int{SolverI::E_UNDEFINED});
  EXPECT_EQ(state, q);
}

TEST(KdlCodes, SegmentsThatAreNotThereAreOutOfRange) {
  KdlDraw draw(3);
  const Chain chain = five(draw);
  Solvers solvers(chain);
  const JntArray q = draw.joints(4);
  std::vector<double> x;
  for (const int seg_nr : {6, 7, 1000000}) {
    for (const auto& [name, solver, run] : solvers.calls(4, 5, seg_nr)) {
      EXPECT_EQ(run(q, x), int{SolverI::E_OUT_OF_RANGE}) << name;
      EXPECT_TRUE(untouched(x)) << name;
    }
  }
  for (int seg_nr = 0; seg_nr <= 5; ++seg_nr)
    for (const auto& [name, solver, run] : solvers.calls(4, 5, seg_nr)) EXPECT_EQ(run(q, x), 0) << name;
  // A Jacobian counts as many segments: columns of the joints behind are 0.
  for (int seg_nr = 0; seg_nr <= 5; ++seg_nr) {
    Jacobian J(4), part_jacobian(4);
    ASSERT_EQ(solvers.jac.JntToJac(q, J, seg_nr), 0);
    Chain part;
    if (seg_nr < 5)
      ASSERT_TRUE(chain.copy(static_cast<unsigned int>(seg_nr), part));
    else
      part = chain;
    const unsigned int joints = part.getNrOfJoints();
    part_jacobian.resize(joints);
    JntArray part_q(joints);
    part_q.data = q.data.head(joints);
    if (seg_nr > 0) { ASSERT_EQ(ChainJntToJacSolver(part).JntToJac(part_q, part_jacobian), 0); }
    EXPECT_LE((J.data.leftCols(joints) - part_jacobian.data).norm(), 1e-14);
    EXPECT_EQ(J.data.rightCols(4 - joints).norm(), 0);
  }
}

TEST(KdlCodes, GrownAndShrunkChainsAreNotUpToDateUntilTheyAreRead) {
  KdlDraw draw(4);
  const Chain before = five(draw);
  const auto changes = std::vector<std::pair<const char*, std::function<void(Chain&)>>>{
      {"one more", [&](Chain& chain) { chain.addSegment(draw.segment("more")); }},
      {"one more, fixed",
       [&](Chain& chain) { chain.addSegment(Segment("more", Joint(Joint::Fixed), draw.frame(), draw.inertia())); }},
      {"one less", [&](Chain& chain) { chain.segments.pop_back(); }},
      {"one fixed", [&](Chain& chain) { chain.getSegment(0) = Segment("s", Joint(Joint::Fixed), draw.frame()); }},
      {"fixed and moving change places", [&](Chain& chain) { std::swap(chain.segments[1], chain.segments[2]); }},
  };
  for (const auto& [change_name, change] : changes) {
    Chain chain = before;
    Solvers solvers(chain);
    change(chain);
    const unsigned int n = chain.getNrOfJoints(), ns = chain.getNrOfSegments();
    const JntArray q = draw.joints(n);
    std::vector<double> x, expected;
    Solvers fresh(chain);
    const auto old_calls = solvers.calls(n, ns), new_calls = fresh.calls(n, ns);
    for (std::size_t i = 0; i < old_calls.size(); ++i) {
      const auto& [name, solver, run] = old_calls[i];
      if (std::string(name).rfind("FK", 0) == 0) continue;  // they follow at once: following_test.cpp
      EXPECT_EQ(run(q, x), int{SolverI::E_NOT_UP_TO_DATE}) << name << ", " << change_name;
      EXPECT_TRUE(untouched(x));
    }
    for (SolverI* solver : std::initializer_list<SolverI*>{&solvers.fk, &solvers.fk_vel, &solvers.fk_acc, &solvers.jac,
                                                           &solvers.jac_dot, &solvers.id, &solvers.fd, &solvers.terms})
      solver->updateInternalDataStructures();
    for (std::size_t i = 0; i < old_calls.size(); ++i) {
      ASSERT_EQ(old_calls[i].run(q, x), 0) << old_calls[i].name << ", " << change_name;
      ASSERT_EQ(new_calls[i].run(q, expected), 0);
      EXPECT_EQ(x, expected) << old_calls[i].name << ", " << change_name;
    }
  }
}

TEST(KdlCodes, OtherChangesAreFollowedAtOnce) {
  KdlDraw draw(5);
  const auto changes = std::vector<std::pair<const char*, std::function<void(Chain&)>>>{
      {"inertia", [&](Chain& chain) { chain.getSegment(1).setInertia(draw.inertia()); }},
      {"tip", [&](Chain& chain) { chain.getSegment(3).setFrameToTip(draw.frame()); }},
      {"segment", [&](Chain& chain) { chain.getSegment(4) = draw.segment("other"); }},
      {"order", [&](Chain& chain) { std::swap(chain.segments[0], chain.segments[1]); }},
      {"place in memory", [&](Chain& chain) { chain.segments.reserve(1000); }},
      {"all", [&](Chain& chain) { chain = five(draw); }},
  };
  Chain chain = five(draw);
  Solvers solvers(chain);
  for (const auto& [change_name, change] : changes) {
    change(chain);
    Solvers fresh(chain);
    const JntArray q = draw.joints(4);
    std::vector<double> x, expected;
    const auto old_calls = solvers.calls(4, 5), new_calls = fresh.calls(4, 5);
    for (std::size_t i = 0; i < old_calls.size(); ++i) {
      ASSERT_EQ(old_calls[i].run(q, x), 0) << old_calls[i].name << ", " << change_name;
      ASSERT_EQ(new_calls[i].run(q, expected), 0);
      EXPECT_EQ(x, expected) << old_calls[i].name << ", " << change_name;
    }
  }
  chain.getSegment(1).setInertia(RigidBodyInertia(k_nan));
  std::vector<double> x;
  for (const auto& [name, solver, run] : solvers.calls(4, 5))
    if (solver == &solvers.id || solver == &solvers.fd || solver == &solvers.terms) {
      EXPECT_EQ(run(draw.joints(4), x), int{SolverI::E_UNDEFINED}) << name;
    }
  chain.getSegment(1).setInertia(draw.inertia());
  chain.getSegment(0).setFrameToTip(Frame(Rotation(1, 2, 3, 4, 5, 6, 7, 8, 9)));
  for (const auto& [name, solver, run] : solvers.calls(4, 5))
    EXPECT_EQ(run(draw.joints(4), x), int{SolverI::E_UNDEFINED}) << name << ": not a rotation";
  chain.getSegment(0).setFrameToTip(draw.frame());
  for (const auto& [name, solver, run] : solvers.calls(4, 5)) EXPECT_EQ(run(draw.joints(4), x), 0) << name;
}

TEST(KdlCodes, CopiesOfSolversAnswerTheSame) {
  KdlDraw draw(6);
  const Chain chain = five(draw);
  auto first = std::make_unique<Solvers>(chain);
  Solvers copied(*first);
  const JntArray q = draw.joints(4);
  std::vector<std::vector<double>> expected;
  for (const auto& [name, solver, run] : first->calls(4, 5)) {
    expected.emplace_back();
    ASSERT_EQ(run(q, expected.back()), 0);
  }
  first.reset();
  std::size_t i = 0;
  std::vector<double> x;
  for (const auto& [name, solver, run] : copied.calls(4, 5)) {
    ASSERT_EQ(run(q, x), 0);
    EXPECT_EQ(x, expected[i++]) << name;
  }
}

TEST(KdlCodes, ChainsThatDoNotMove) {
  KdlDraw draw(7);
  Chain rigid;
  for (int i = 0; i < 3; ++i)
    rigid.addSegment(Segment("s" + std::to_string(i), Joint(Joint::Fixed), draw.frame(), draw.inertia()));
  for (const Chain& chain : {Chain(), rigid}) {
    Solvers solvers(chain);
    std::vector<double> x;
    for (const auto& [name, solver, run] : solvers.calls(0, chain.getNrOfSegments())) {
      const int code = run(JntArray(0), x);
      EXPECT_EQ(code, 0) << name << " of " << chain.getNrOfSegments();
    }
    Frame tip, expected;
    ASSERT_EQ(solvers.fk.JntToCart(JntArray(0), tip), 0);
    for (const Segment& segment : chain.segments) expected = expected * segment.getFrameToTip();
    EXPECT_TRUE(Equal(tip, expected, 1e-14));
  }
}

TEST(KdlCodes, LockedJointsAreLeftOutOfJacobiansAndTheirRates) {
  // KDL 1.5.1 returns other numbers for the rate: what is left must be the columns of the others, and the tip's
  // acceleration that of a chain whose locked joints stand still.
  KdlDraw draw(8);
  const Chain chain = draw.chain(5);
  const JntArrayVel q(draw.joints(5), draw.joints(5));
  ChainJntToJacSolver jac(chain);
  ChainJntToJacDotSolver jac_dot(chain);
  Jacobian whole(5), left(3), padded(5), rate(5), rate_left(3);
  const std::vector<bool> locked{false, true, false, true, false};
  ASSERT_EQ(jac.JntToJac(q.q, whole), 0);
  ASSERT_EQ(jac_dot.JntToJacDot(q, rate), 0);
  ASSERT_EQ(jac.setLockedJoints(locked), 0);
  ASSERT_EQ(jac_dot.setLockedJoints(locked), 0);
  ASSERT_EQ(jac.JntToJac(q.q, left), 0);
  ASSERT_EQ(jac.JntToJac(q.q, padded), 0);
  ASSERT_EQ(jac_dot.JntToJacDot(q, rate_left), 0);
  const int free[] = {0, 2, 4};
  Eigen::Matrix<double, 6, 1> product = Eigen::Matrix<double, 6, 1>::Zero();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ((left.data.col(i) - whole.data.col(free[i])).norm(), 0);
    EXPECT_EQ((padded.data.col(i) - whole.data.col(free[i])).norm(), 0);
    EXPECT_EQ((rate_left.data.col(i) - rate.data.col(free[i])).norm(), 0);
    product += rate.data.col(free[i]) * q.qdot(free[i]);
  }
  EXPECT_EQ(padded.data.rightCols(2).norm(), 0);
  Twist t;
  ASSERT_EQ(jac_dot.JntToJacDot(q, t), 0);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(t(i), product[i], 1e-13);
  Jacobian four(4);
  EXPECT_EQ(jac.JntToJac(q.q, four), int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(jac_dot.JntToJacDot(q, four), int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(jac.setLockedJoints({true, true}), int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(jac_dot.setLockedJoints({true, true}), int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(jac.JntToJac(q.q, left), 0) << "those that were locked before, still";
}

TEST(KdlCodes, OfTrees) {
  KdlDraw draw(9);
  Tree tree = draw.tree(6, false, true);
  const unsigned int n = tree.getNrOfJoints();
  TreeFkSolverPos_recursive fk(tree);
  TreeJntToJacSolver jac(tree);
  TreeIdSolver_RNE id(tree, k_gravity);
  const JntArray q = draw.joints(n);
  JntArray longer(n + 1), bad = q, torques(n);
  bad(0) = k_nan;
  Frame F(Vector(7, 7, 7));
  Jacobian J(n), narrow(n - 1);
  constexpr int size = SolverI::E_SIZE_MISMATCH, range = SolverI::E_OUT_OF_RANGE, undefined = SolverI::E_UNDEFINED;
  // The first two are no SolverI and have codes of their own.
  constexpr int tree_size = -1, tree_range = -2, tree_changed = -3, tree_undefined = -4;
  EXPECT_EQ(fk.JntToCart(longer, F, "segment 1"), tree_size);
  EXPECT_EQ(fk.JntToCart(q, F, "nobody"), tree_range);
  EXPECT_EQ(fk.JntToCart(bad, F, "segment 1"), tree_undefined);
  EXPECT_EQ(F.p, Vector(7, 7, 7));
  EXPECT_EQ(jac.JntToJac(longer, J, "segment 1"), tree_size);
  EXPECT_EQ(jac.JntToJac(q, narrow, "segment 1"), tree_size);
  EXPECT_EQ(jac.JntToJac(q, J, "nobody"), tree_range);
  EXPECT_EQ(jac.JntToJac(bad, J, "segment 1"), tree_undefined);
  EXPECT_EQ(id.CartToJnt(q, longer, q, WrenchMap(), torques), size);
  EXPECT_EQ(id.CartToJnt(q, q, q, WrenchMap(), longer), size);
  EXPECT_EQ(id.CartToJnt(q, q, q, {{"nobody", Wrench()}}, torques), range);
  EXPECT_EQ(id.getError(), range);
  EXPECT_EQ(id.CartToJnt(bad, q, q, WrenchMap(), torques), undefined);
  EXPECT_EQ(torques.data.norm(), 0);
  EXPECT_EQ(fk.JntToCart(q, F, "base"), 0);
  EXPECT_EQ(F, Frame::Identity());
  EXPECT_EQ(jac.JntToJac(q, J, "base"), 0);
  EXPECT_EQ(J.data.norm(), 0);
  EXPECT_EQ(id.CartToJnt(q, q, q, {{"base", draw.wrench()}}, torques), 0) << "the root bears what acts on it";
  // It grows, and what hangs elsewhere is another tree.
  ASSERT_TRUE(tree.addSegment(draw.segment("more"), "segment 2"));
  EXPECT_EQ(fk.JntToCart(q, F, "segment 1"), tree_size) << "it follows at once";
  EXPECT_EQ(jac.JntToJac(q, J, "segment 1"), tree_changed);
  EXPECT_EQ(id.CartToJnt(q, q, q, WrenchMap(), torques), int{SolverI::E_NOT_UP_TO_DATE});
  fk.updateInternalDataStructures();
  jac.updateInternalDataStructures();
  id.updateInternalDataStructures();
  const JntArray q1 = draw.joints(n + 1);
  J.resize(n + 1);
  torques.resize(n + 1);
  EXPECT_EQ(fk.JntToCart(q1, F, "more"), 0);
  EXPECT_EQ(jac.JntToJac(q1, J, "more"), 0);
  EXPECT_EQ(id.CartToJnt(q1, q1, q1, WrenchMap(), torques), 0);
  Tree other("base");
  for (const char* name : {"segment 0", "segment 1", "segment 2", "segment 3", "segment 4", "segment 5", "more"}) {
    const Segment& segment = tree.getSegment(name)->second.segment;
    ASSERT_TRUE(other.addSegment(segment, "base"));
  }
  tree = other;  // as many segments and joints, but no branches
  ASSERT_EQ(fk.JntToCart(q1, F, "more"), 0) << "followed at once";
  const unsigned int j = tree.getSegment("more")->second.q_nr;
  EXPECT_TRUE(Equal(F, tree.getSegment("more")->second.segment.pose(q1(j)), 1e-14));
}

}  // namespace
}  // namespace zwang::test
