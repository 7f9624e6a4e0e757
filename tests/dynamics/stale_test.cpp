// SPDX-License-Identifier: BSD-3-Clause
// A solver uses the results of its last solve only as long as they are valid: after refusals and after changes of the
// set, of settings and of the workspace a call gives the result of a fresh solve, or refuses.
#include <gtest/gtest.h>

#include <cmath>

#include "support/random.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

FrameConstraint on_tool(const std::string& name, const char* words, std::vector<double> beta = {}) {
  return {.name = name, .frame = "tool0", .rows = rows(words), .beta = std::move(beta)};
}

struct Stale : testing::Test {
  Model arm = build(sample_arm7());
  RandomState state = random_state(arm, 5);
  ConstraintSet set{arm};
  SolveInput input() const {
    SolveInput in;
    in.q = state.q;
    in.v = state.v;
    in.tau = state.tau;
    return in;
  }
  ResolveInput again() const {
    ResolveInput in;
    in.tau = state.tau;
    return in;
  }
};

TEST_F(Stale, OperatorsAfterAnEarlySolveReadNothingThatHasChangedSince) {
  FrameConstraint c = on_tool("a", "linear", {1, 2, 3});
  c.policy = Policy::early;
  set.add(c);
  SolverSettings settings;
  settings.spare_rows = 6;
  Solver solver(arm, set, settings);
  const Solution& s = solver.solve(input());
  ASSERT_STREQ(s.report.method, "pv_early");
  const Vector before = s.acceleration;
  Matrix expected(3, 3), got(3, 3), projector(7, 7);
  set["a"].policy = Policy::hard;
  Solver at_root(arm, set);
  at_root.solve(input());
  at_root.operational_inertia(expected);
  set["a"].policy = Policy::early;
  set["a"].beta = {100, 200, 300};
  for (int k = 0; k < 3; ++k) set.add(on_tool("b" + std::to_string(k), "angular.x"));  // the set's vectors move
  solver.operational_inertia(got);
  solver.nullspace_projector(projector);
  EXPECT_LE((got - expected).cwiseAbs().maxCoeff(), 1e-9 * expected.cwiseAbs().maxCoeff());
  EXPECT_EQ(Vector(s.acceleration), before);
  EXPECT_LE((projector * projector - projector).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_F(Stale, OperatorsAfterOwnPathsAreThoseOfTheSolveOrRefuse) {
  set.add(on_tool("a", "linear", {1, 2, 3}));
  SolverSettings settings;
  settings.spare_rows = 6;
  Solver solver(arm, set, settings), at_root(arm, set, {.method = "popov_vereshchagin"});
  const Solution& s = solver.solve(input());
  ASSERT_EQ(s.report.place.reason, PlaceOfRows::Reason::own_paths);
  const Vector before = s.acceleration;
  Vector target(3), later(3);
  solver.constraint_target(target);
  Matrix expected(3, 3), got(3, 3);
  at_root.solve(input());
  at_root.operational_inertia(expected);
  set["a"].beta = {100, 200, 300};
  solver.operational_inertia(got);  // does not depend on beta
  EXPECT_LE((got - expected).cwiseAbs().maxCoeff(), 1e-9 * expected.cwiseAbs().maxCoeff());
  EXPECT_EQ(Vector(s.acceleration), before);
  solver.constraint_target(later);
  EXPECT_EQ(later, target) << "of the solve";

  solver.solve(input());
  set["a"].rows_on_body.change([](RowsOnBody& r) { r.point = {0.1, 0.2, 0.3}; });
  EXPECT_THROW(solver.operational_inertia(got), std::logic_error) << "another point";
  solver.solve(input());
  for (int k = 0; k < 3; ++k) set.add(on_tool("b" + std::to_string(k), "angular.x"));  // the set's vectors move
  EXPECT_THROW(solver.operational_inertia(got), std::logic_error) << "other constraints";
  set["b1"].active = set["b2"].active = false;
  EXPECT_EQ(solver.solve(input()).report.status, Status::ok);
}

TEST_F(Stale, OwnPathsForgetWhichDriversWereLeftOut) {
  set.add(on_tool("a", "linear", {1, 2, 3}));
  Solver solver(arm, set), fresh(arm, set);
  set["a"].compensate.gravity = false;
  solver.solve(input());
  set["a"].compensate.gravity = true;
  ASSERT_EQ(solver.solve(input()).report.place.reason, PlaceOfRows::Reason::own_paths);
  fresh.solve(input());
  Vector got(3), expected(3);
  solver.constraint_target(got);
  fresh.constraint_target(expected);
  EXPECT_EQ(got, expected);
}

TEST_F(Stale, ResolveAfterOwnPathsFollowsTheSingularityPolicy) {
  set.add(on_tool("a", "linear", {1, 2, 3}));
  for (const char* method : {"automatic", "pv_early"}) {
    Solver solver(arm, set, {.method = method}), damped(arm, set, {.method = method});
    solver.solve(input());
    solver.settings().singularity = damped.settings().singularity = Singularity::damping;
    solver.settings().regularisation = damped.settings().regularisation = 0.1;
    const Vector got = solver.resolve(again()).acceleration;
    EXPECT_STREQ(solver.solution().report.singularity, "damping");
    const Vector expected = damped.solve(input()).acceleration;
    EXPECT_LE((got - expected).cwiseAbs().maxCoeff(), 1e-10 * expected.cwiseAbs().maxCoeff()) << method;
  }
}

TEST_F(Stale, ColumnsSeeWhichDriversAreLeftOutNow) {
  set.add(on_tool("a", "linear", {1, 2, 3}));
  Solver solver(arm, set);
  solver.solve(input());
  set["a"].compensate.gravity = false;
  Matrix tau = state.tau, beta(3, 1), a(7, 1), lambda(3, 1);
  beta << 1, 2, 3;
  solver.solve_columns(tau, beta, a, lambda);
  const Vector resolved = solver.resolve(again()).acceleration;
  EXPECT_LE((a.col(0) - resolved).cwiseAbs().maxCoeff(), 1e-10 * resolved.cwiseAbs().maxCoeff());
  const Vector solved = solver.solve(input()).acceleration;
  EXPECT_LE((resolved - solved).cwiseAbs().maxCoeff(), 1e-10 * solved.cwiseAbs().maxCoeff());
}

TEST_F(Stale, ARefusedCallLeavesNoFactorisationAndNoNumbers) {
  set.add(on_tool("a", "linear.x", {1}));
  FrameConstraint other = on_tool("b", "linear.y linear.z angular", {2, 3, 4, 5, 6});
  other.active = false;
  set.add(other);
  Solver solver(arm, set);
  Matrix one(1, 1), square(7, 7);
  EXPECT_THROW(solver.nullspace_projector(square), std::logic_error) << "before any solve";
  solver.solve(input());
  set["b"].active = true;
  EXPECT_THROW(solver.resolve(again()), WorkspaceMismatch);
  EXPECT_THROW(solver.operational_inertia(one), std::logic_error);
  EXPECT_THROW(solver.resolve(again()), std::logic_error);
  solver.solve(input());
  set["a"].beta = {std::nan("")};
  EXPECT_THROW(solver.solve(input()), std::invalid_argument);
  EXPECT_TRUE(solver.solution().acceleration.isZero(0));
  EXPECT_NE(solver.solution().report.status, Status::ok);
  const LinkId link = arm.find_link(arm.links().back().name);
  EXPECT_THROW(solver.joint_wrench(link), std::logic_error);
  Matrix wrenches(6, arm.joints().size());
  EXPECT_THROW(solver.joint_wrenches(wrenches), std::logic_error);
  set["a"].beta = {1};
  EXPECT_EQ(solver.solve(input()).report.status, Status::ok);
}

TEST_F(Stale, WritingToTheWorkspaceVoidsTheFactorisation) {
  set.add(on_tool("a", "angular", {1, 2, 3}));
  Solver solver(arm, set);
  const RandomState elsewhere = random_state(arm, 6);
  const auto voids = [&](auto write) {
    solver.solve(input());
    write(solver.data());
    EXPECT_THROW(solver.resolve(again()), std::logic_error);
  };
  voids([&](Data& d) { forward_kinematics(arm, d, elsewhere.q); });
  voids([&](Data& d) { forward_kinematics(arm, d, elsewhere.q, elsewhere.v); });
  voids([&](Data& d) { forward_dynamics(arm, d, elsewhere.q, elsewhere.v, elsewhere.tau); });
  voids([&](Data& d) { inverse_dynamics(arm, d, elsewhere.q, elsewhere.v, elsewhere.tau); });
  voids([&](Data& d) { mass_matrix<Matrix>(arm, d, elsewhere.q); });
  voids([&](Data& d) { d.set_gravity({0, 1, 0}); });
  voids([&](Data& d) { d.set_payload(arm.find_link("tool0"), 2, {0, 0, 0.1}, Sym3<double>::diagonal(0.1, 0.1, 0.1)); });
  voids([&](Data& d) { d.clear_overrides(); });
  solver.solve(input());
  frame_velocity(arm, solver.data(), arm.find_frame("tool0"));  // reading does not
  Matrix J(6, 7);
  jacobian(arm, solver.data(), arm.find_frame("tool0"), Reference::local, J);
  EXPECT_EQ(solver.resolve(again()).report.status, Status::ok);
}

TEST_F(Stale, ANotConvergedSolveIsForgottenByTheNext) {
  set.add(on_tool("a", "all", {1, 2, 3, 4, 5, 6}));
  SolverSettings settings;
  settings.singularity = Singularity::proximal;
  settings.regularisation = 1e5;
  settings.max_iterations = 2;
  Solver solver(arm, set, settings);
  EXPECT_EQ(solver.solve(input()).report.status, Status::not_converged);
  set["a"].active = false;
  EXPECT_EQ(solver.solve(input()).report.status, Status::ok);
  EXPECT_EQ(solver.solution().report.iterations, 1);
  EXPECT_EQ(solver.resolve(again()).report.status, Status::ok);
}

TEST_F(Stale, ResolveKeepsTheJointEffectsOfTheSolve) {
  set.add(on_tool("a", "linear", {1, 2, 3}));
  Solver solver(arm, set);
  Prescribed p;
  prescribe(arm, p, arm.joint_names()[1], {0.5});
  SolveInput in = input();
  in.prescribed = &p;
  ResolveInput next = again();
  next.prescribed = &p;
  solver.settings().joint_effects.armature = false;
  const Vector without = solver.solve(in).acceleration;
  solver.settings().joint_effects.armature = true;
  const Vector resolved = solver.resolve(next).acceleration;
  EXPECT_LE((resolved - without).cwiseAbs().maxCoeff(), 1e-10 * without.cwiseAbs().maxCoeff());
  const Vector with = solver.solve(in).acceleration;
  EXPECT_GT((with - without).cwiseAbs().maxCoeff(), 1e-3);
}

TEST_F(Stale, ASetReplacedByASmallerOneIsSeenAsItIs) {
  set.add(on_tool("a", "linear", {1, 2, 3}));
  set.add(on_tool("b", "angular", {1, 2, 3}));
  Solver solver(arm, set);
  const Solution& s = solver.solve(input());
  ConstraintSet other(arm);
  other.add(on_tool("c", "linear.x", {1}));
  set = other;
  EXPECT_THROW(s["b"], std::invalid_argument);
  Matrix tau = state.tau, beta = Matrix::Ones(1, 1), a(7, 1), lambda(1, 1);
  EXPECT_THROW(solver.solve_columns(tau, beta, a, lambda), std::logic_error);
  EXPECT_EQ(solver.solve(input()).report.rows, 1);
}

TEST_F(Stale, ASetReplacedByATemporaryIsSeenAsItIs) {
  set.add(on_tool("a", "linear", {1, 2, 3}));
  Solver solver(arm, set);
  solver.solve(input());
  ConstraintSet other(arm);
  other.add(on_tool("a", "linear", {-4, 5, 6}));
  Solver fresh(arm, other);
  const Vector expected = fresh.solve(input()).acceleration;
  set = std::move(other);
  EXPECT_EQ(Vector(solver.solve(input()).acceleration), expected);
  set["a"].beta = {1, 2, 3};  // the solver of the one that was moved from keeps what it had
  EXPECT_EQ(Vector(fresh.solve(input()).acceleration), expected);
  EXPECT_NE(Vector(solver.solve(input()).acceleration), expected);
}

/// A relation may be exchanged for another: on other bodies, and on more of them than there is room for.
TEST_F(Stale, AnotherRelationIsSeenAsItIs) {
  const auto between = [&](const char* other) {
    ConstraintSet one(arm);
    one.add(DistanceConstraint{.name = "d", .frame = "link2", .other = other, .length = 0.4});
    return one;
  };
  set = between("link7");
  Solver solver(arm, set), fresh(arm, between("link5"));
  solver.solve(input());
  set["d"].relation = between("link5")["d"].relation;
  EXPECT_EQ(Vector(solver.solve(input()).acceleration), Vector(fresh.solve(input()).acceleration));
  ConstraintSet balance(arm);
  balance.add(CentreOfMassConstraint{.name = "d", .rows = rows("linear.x")});
  set["d"].relation = balance["d"].relation;
  EXPECT_THROW(solver.solve(input()), WorkspaceMismatch);
}

TEST_F(Stale, SpareRowsAreForRowsBetweenBodiesToo) {
  set.add(on_tool("a", "linear", {1, 2, 3}));
  Solver solver(arm, set, {.spare_rows = 5});
  solver.solve(input());
  set.add(LoopConstraint{.name = "loop", .frame = "link1", .other = "link6", .rows = rows("linear.x")});
  set.add(DistanceConstraint{.name = "rod", .frame = "link2", .other = "link7", .length = 0.4});
  Solver fresh(arm, set);
  EXPECT_EQ(Vector(solver.solve(input()).acceleration), Vector(fresh.solve(input()).acceleration));
  EXPECT_EQ(solver.solution().report.rows, 5);
}

TEST_F(Stale, MoreRowsThanASolverTakesAreRefused) {
  SolverSettings settings;
  settings.spare_rows = 1000000;
  EXPECT_THROW(Solver(arm, set, settings), std::invalid_argument);
}

/// A massless tip: what rows have determined in the solve is not there for policies that have no answer.
TEST(StaleTips, ResolveSaysSingularWhereSolveDoes) {
  RobotDescription d = sample_arm7();
  LinkDescription tip;
  tip.name = "tip";
  d.links.push_back(tip);
  JointDescription wrist;
  wrist.name = "wrist";
  wrist.type = "revolute";
  wrist.parent = "tool0";
  wrist.child = "tip";
  wrist.origin.p = {0.1, 0, 0};
  wrist.axis = {0, 1, 0};
  d.joints.push_back(wrist);
  const Model arm = build(d);
  const RandomState state = random_state(arm, 9);
  for (const Policy policy : {Policy::hard, Policy::early}) {
    ConstraintSet set(arm);
    FrameConstraint c{.name = "tip", .frame = "tip", .rows = rows("angular"), .beta = {1, 2, 3}};
    c.policy = policy;
    set.add(c);
    Solver solver(arm, set);
    SolveInput in;
    in.q = state.q;
    in.v = state.v;
    ASSERT_EQ(solver.solve(in).report.status, Status::ok);
    Matrix projector(arm.nv(), arm.nv());
    solver.nullspace_projector(projector);
    EXPECT_TRUE(projector.allFinite());
    EXPECT_EQ(solver.resolve().report.status, Status::ok);
    set["tip"].compensate.gravity = false;
    EXPECT_EQ(solver.resolve().report.status, Status::singular_mass);
    EXPECT_EQ(solver.solution().report.singular_joint, "wrist");
    EXPECT_EQ(solver.solve(in).report.status, Status::singular_mass);
  }
}

}  // namespace
}  // namespace zwang::test
