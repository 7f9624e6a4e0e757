// SPDX-License-Identifier: BSD-3-Clause
// Every method keeps its factor: other right-hand sides on it are fresh solves, and its operators are those of the
// sweep to the root, which resolve_test.cpp holds against what they are.
#include <gtest/gtest.h>

#include <map>

#include "dynamics/mixed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "zwang/factor/delassus.hpp"

namespace zwang::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// What the method does of what random problems may ask: one level, all drivers made up for.
Mixed random_problem(const Robot& robot, std::uint64_t seed, const std::string& method) {
  MixedOptions o = one_level();
  o.loops = method != "constrained_aba";
  Mixed x = random_mixed(robot, seed, o);
  x.settings.method = method;
  if (method != "pv_soft") return x;
  for (AnyConstraint& any : x.constraints)
    std::visit(
        [](auto& c) {
          if (c.compliance.empty()) c.compliance = {0.3};
        },
        any);
  return x;
}
/// A problem whose numbers rounding does not spoil: amplification of at most 1e5 times some roundings.
bool is_calm(const Stated& s) {
  const reference::HybridMotion oracle = solve(s);
  return oracle.clear(1e-11L, 1e-3L) && oracle.amplification < 1e5;
}
double size_of(const Eigen::Ref<const Matrix>& x) { return 1e-3 + (x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0); }

void expect_same(const Solution& got, const Solution& fresh) {
  const double f = size_of(fresh.motor_torque) + size_of(fresh.reaction);
  EXPECT_TRUE(within(got.acceleration, Vector(fresh.acceleration), 1e-8, size_of(fresh.acceleration)));
  EXPECT_TRUE(within(got.motor_torque, Vector(fresh.motor_torque), 1e-6, f));
  EXPECT_TRUE(within(got.reaction, Vector(fresh.reaction), 1e-6, f));
  if (fresh.multipliers.size() > 0) {
    EXPECT_TRUE(within(got.multipliers, Vector(fresh.multipliers), 1e-6, size_of(fresh.multipliers)));
    EXPECT_TRUE(
        within(got.residual, Vector(fresh.residual), 1e-7, 10 + size_of(fresh.residual) + size_of(fresh.acceleration)));
  }
  EXPECT_NEAR(got.zwang, fresh.zwang, 1e-6 * (1e-3 + fresh.zwang));
  EXPECT_EQ(got.report.status, fresh.report.status) << got.report.explain() << " / " << fresh.report.explain();
  EXPECT_EQ(got.report.rank, fresh.report.rank);
  EXPECT_EQ(got.report.redundant, fresh.report.redundant);
  EXPECT_EQ(got.report.infeasible, fresh.report.infeasible);
}

/// Other torques, wrenches, prescribed accelerations and beta.
void change(const Robot& robot, Random& random, Mixed& x, ConstraintSet& set) {
  x.state.tau = random.vector(robot.model.nv(), 10);
  for (std::size_t k = 0; k < x.external.size(); ++k)
    for (int i = 0; i < 6; ++i) x.reference_external[k].wrench(i) = x.external[k].wrench[i] = random.uniform(-8, 8);
  for (PrescribedCoordinate& p : x.prescribed) p.acceleration = random.uniform(-5, 5);
  for (AnyConstraint& any : x.constraints)
    std::visit(
        [&](auto& c) {
          c.beta.resize(static_cast<std::size_t>(set[c.name].size()));
          for (double& b : c.beta) b = random.uniform(-5, 5);
          set[c.name].beta = c.beta;
        },
        any);
}

class EveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, ResolvesAndSolvesColumnsLikeFreshSolves) {
  const std::string& method = GetParam();
  int compared = 0, own = 0, deficient = 0;
  for (int seed = 1; seed <= effort(60); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 31000, 5 + seed % 12);
    Mixed x = random_problem(robot, static_cast<std::uint64_t>(seed) + 31000, method);
    if (!is_calm(stated(robot, x))) continue;
    ConstraintSet set = x.set(robot.model);
    try {
      Solver solver(robot.model, set, x.settings);
      solver.solve(x.input());
      own += solver.solution().report.method == method;
      Random random(static_cast<std::uint64_t>(seed));
      change(robot, random, x, set);
      if (!is_calm(stated(robot, x))) continue;
      const Solution& got = solver.resolve({.tau = x.state.tau, .external = &x.external, .prescribed = &x.prescribed});
      Solver fresh(robot.model, set, x.settings);
      expect_same(got, fresh.solve(x.input()));
      deficient += got.report.rank < got.report.rows;
      const int columns = 1 + seed % 6, nv = robot.model.nv();
      Matrix tau(nv, columns), beta(set.rows(), columns), a(nv, columns), lambda(set.rows(), columns);
      for (int c = 0; c < columns; ++c) {  // one of them the torques and beta as they are
        tau.col(c) = c == seed % columns ? x.state.tau : random.vector(nv, 10);
        Eigen::Index row = 0;
        for (const Constraint& in_set : set.constraints())
          for (Index i = 0; i < in_set.size(); ++i, ++row)
            beta(row, c) = c == seed % columns ? in_set.beta[static_cast<std::size_t>(i)] : random.uniform(-5, 5);
      }
      const Vector acceleration = got.acceleration, multipliers = got.multipliers;
      solver.solve_columns(tau, beta, a, lambda);
      EXPECT_TRUE(within(Vector(a.col(seed % columns)), acceleration, 1e-9, size_of(acceleration)));
      if (set.rows() > 0) {
        EXPECT_TRUE(within(Vector(lambda.col(seed % columns)), multipliers, 1e-7, size_of(multipliers)));
      }
      ++compared;
    } catch (const UnsupportedError&) {  // mimic joints and the like
      continue;
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, effort(60) / 8);
  if (method != "automatic") { EXPECT_GE(own, compared / 4) << "most problems were solved by another method"; }
  if (method != "pv_soft" && effort(60) == 60) { EXPECT_GE(deficient, 1); }
}

TEST_P(EveryMethod, GivesTheOperatorsOfTheSweepToTheRoot) {
  const std::string& method = GetParam();
  int compared = 0;
  for (int seed = 1; seed <= effort(60); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 32000, 5 + seed % 10);
    const Mixed x = random_problem(robot, static_cast<std::uint64_t>(seed) + 32000, method);
    if (!is_calm(stated(robot, x))) continue;
    const ConstraintSet set = x.set(robot.model);
    SolverSettings to_root = x.settings;
    if (method != "pv_soft") to_root.method = "popov_vereshchagin";
    try {
      Solver solver(robot.model, set, x.settings), expected(robot.model, set, to_root);
      solver.solve(x.input());
      const Vector acceleration = solver.solution().acceleration;
      expected.solve(x.input());
      const Eigen::Index n = robot.model.nv(), m = solver.active_rows();
      ASSERT_EQ(m, expected.active_rows());
      Matrix J(n, m), N(n, n), L(m, m), J0(n, m), N0(n, n), L0(m, m);
      solver.dynamic_pseudo_inverse(J);
      solver.nullspace_projector(N);
      solver.operational_inertia(L);
      expected.dynamic_pseudo_inverse(J0);
      expected.nullspace_projector(N0);
      expected.operational_inertia(L0);
      if (m > 0) {
        EXPECT_TRUE(within(L, L0, 1e-6, size_of(L0)));
        EXPECT_TRUE(within(J, J0, 1e-6, size_of(J0)));
      }
      EXPECT_TRUE(within(N, N0, 1e-6, size_of(N0)));
      EXPECT_EQ(Vector(solver.solution().acceleration), acceleration) << "the solution stays";
      ++compared;
    } catch (const UnsupportedError&) { continue; }
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, effort(60) / 8);
}

/// An arm held at its tool by a driver that leaves gravity out, and a second constraint that is off.
ConstraintSet held_arm(const Robot& robot) {
  ConstraintSet set(robot.model);
  FrameConstraint tool{.name = "tool", .frame = "tool0", .rows = rows("linear")};
  tool.compensate.gravity = false;
  set.add(tool);
  set.add(FrameConstraint{.name = "elbow", .frame = "link4", .rows = rows("all")});
  set["elbow"].active = false;
  return set;
}

TEST(Factor, IsGoneWhereTheSetWasReadAnewAndTheCallRefused) {
  const Robot robot = sample_robot("arm7", "fixed");
  ConstraintSet set = held_arm(robot);
  Solver solver(robot.model, set);
  const Vector q = Vector::Constant(7, 0.4);
  solver.solve({.q = q});
  set["elbow"].active = true;
  const Prescribed other{{2, 1.0}};
  EXPECT_THROW(solver.resolve({.prescribed = &other}), std::invalid_argument);
  Matrix J(solver.active_rows(), 7);  // of the rows that the last solve had
  EXPECT_NO_THROW(solver.constraint_jacobian(J));
  Matrix tau = Matrix::Zero(7, 1), beta = Matrix::Zero(9, 1), a(7, 1), lambda(9, 1);
  EXPECT_THROW(solver.solve_columns(tau, beta, a, lambda), std::invalid_argument);  // other rows are active
  Matrix K(3, 7);
  EXPECT_THROW(solver.constraint_jacobian(K), std::logic_error);
}

TEST(Factor, LeavesThePublishedSolutionAsItIs) {
  const Robot robot = sample_robot("arm7", "fixed");
  const ConstraintSet set = held_arm(robot);
  Solver solver(robot.model, set);
  const Vector q = Vector::Constant(7, 0.4);
  const Solution& s = solver.solve({.q = q});
  const Vector acceleration = s.acceleration, articulated = s.articulated_constraint_torque, lambda = s.multipliers;
  Vector target(3), after(3);
  solver.constraint_target(target);
  Matrix tau = Matrix::Ones(7, 5), beta = Matrix::Ones(9, 5), a(7, 5), l(9, 5), in_place = beta;
  solver.solve_columns(tau, beta, a, l);
  solver.solve_columns(tau, in_place, a, in_place);  // multipliers in place of beta
  EXPECT_EQ(in_place, l);
  EXPECT_EQ(l.bottomRows(6).norm(), 0) << "inactive rows";
  EXPECT_EQ(Vector(s.acceleration), acceleration);
  EXPECT_EQ(Vector(s.articulated_constraint_torque), articulated);
  EXPECT_EQ(Vector(s.multipliers), lambda);
  solver.constraint_target(after);
  EXPECT_EQ(after, target);
}

TEST(Factor, OfAWorkspaceThatWasMadeAnewIsNoFactor) {
  const Robot robot = sample_robot("arm7", "fixed");
  ConstraintSet set(robot.model);
  set.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("linear")});
  Solver solver(robot.model, set, {.method = "loop_aba", .spare_rows = 3});
  const Vector q = Vector::Constant(7, 0.4), tau = Vector::Ones(7);
  solver.solve({.q = q});
  set.add(FrameConstraint{.name = "off", .frame = "link3", .rows = rows("linear.x"), .active = false});
  Matrix columns = Matrix::Ones(7, 1), beta = Matrix::Zero(4, 1), a(7, 1), l(4, 1);
  EXPECT_THROW(solver.solve_columns(columns, beta, a, l), std::logic_error);
  Solver fresh(robot.model, set, {.method = "loop_aba"});
  EXPECT_CLOSE(Vector(solver.resolve({.tau = tau}).acceleration),
               Vector(fresh.solve({.q = q, .tau = tau}).acceleration), 1e-9);
}

TEST(Factor, KnowsWhichRowsAreActiveNow) {
  const Robot robot = sample_robot("arm7", "fixed");
  ConstraintSet set(robot.model);
  set.add(FrameConstraint{.name = "a", .frame = "tool0", .rows = rows("linear")});
  set.add(FrameConstraint{.name = "b", .frame = "tool0", .rows = rows("linear"), .active = false});
  Solver solver(robot.model, set);
  const Vector q = Vector::Constant(7, 0.4);
  solver.solve({.q = q});
  set["a"].active = false;
  set["b"].active = true;  // the same rows under another name
  Matrix tau = Matrix::Ones(7, 1), beta = Matrix::Zero(6, 1), a(7, 1), l(6, 1);
  beta(0, 0) = std::nan("");  // inactive, and not read
  EXPECT_NO_THROW(solver.solve_columns(tau, beta, a, l));
  EXPECT_TRUE(a.allFinite());
  beta(3, 0) = std::nan("");
  EXPECT_THROW(solver.solve_columns(tau, beta, a, l), std::invalid_argument);
  ConstraintSet small(robot.model);
  small.add(FrameConstraint{.name = "a", .frame = "tool0", .rows = rows("linear.x")});
  set = small;
  Matrix one = Matrix::Zero(1, 1), l1(1, 1);
  EXPECT_THROW(solver.solve_columns(tau, one, a, l1), std::invalid_argument);
}

TEST(Factor, OfASetThatWasReplacedShowsNobodyElsesNumbers) {
  const Robot robot = sample_robot("arm7", "fixed");
  const FrameConstraint a{.name = "a", .frame = "tool0", .rows = rows("linear")},
      b{.name = "b", .frame = "tool0", .rows = rows("angular")};
  ConstraintSet set(robot.model), turned(robot.model);
  set.add(a);
  set.add(b);
  turned.add(b);
  turned.add(a);
  Solver solver(robot.model, set);
  const Vector q = Vector::Constant(7, 0.4);
  const Vector before = solver.solve({.q = q})["a"].multipliers;
  set = turned;
  EXPECT_THROW(solver.solution()["a"], std::logic_error);
  EXPECT_CLOSE(Vector(solver.solve({.q = q})["a"].multipliers), before, 1e-9);
}

TEST(Factor, IsNotMadeOfRowsThatAreNoRows) {
  const Robot robot = sample_robot("arm7", "fixed");
  const Vector q = Vector::Constant(7, 0.4);
  const FrameConstraint a{.name = "a", .frame = "tool0", .rows = rows("linear")};
  for (const int body : {-1, -100000, 8, 100000000}) {
    ConstraintSet set(robot.model);
    set.add(a);
    set["a"].rows_on_body.change([&](RowsOnBody& r) { r.body = body; });
    EXPECT_THROW(Solver(robot.model, set), std::invalid_argument) << body;
    EXPECT_THROW(Delassus(robot.model, set), std::invalid_argument) << body;
  }
  ConstraintSet set(robot.model);
  set.add(a);
  Solver solver(robot.model, set);
  set["a"].rows_on_body.change([](RowsOnBody& r) { r.axes_in_body = Mat3<double>::identity() * std::nan(""); });
  EXPECT_THROW(solver.solve({.q = q}), std::invalid_argument);
  set["a"].rows_on_body.change([](RowsOnBody& r) { r.axes_in_body = Mat3<double>::identity(); });
  EXPECT_EQ(solver.solve({.q = q}).report.status, Status::ok);
  set["a"].policy = static_cast<Policy>(9);
  EXPECT_THROW(solver.solve({.q = q}), std::invalid_argument);
  set["a"].policy = Policy::hard;
  set["a"].row_names = std::vector<std::string>();
  set["a"].beta = std::vector<double>();
  set["a"].rows_on_body.change([](RowsOnBody& r) { r.matrix.clear(); });
  set["a"].unilateral = true;
  EXPECT_THROW(solver.solve({.q = q}), std::invalid_argument);
}

TEST(Factor, IsRankedAgainWhereTheToleranceIsAnother) {
  const Robot robot = sample_robot("arm7", "fixed");
  for (const char* method : {"popov_vereshchagin", "dense_cod"}) {
    ConstraintSet set(robot.model);
    set.add(FrameConstraint{.name = "a", .frame = "tool0", .rows = rows("linear.x")});
    set.add(FrameConstraint{.name = "b", .frame = "tool0", .rows = rows(std::vector<double>{1, 1e-4, 0, 0, 0, 0})});
    Solver solver(robot.model, set, {.method = method});
    const Vector q = Vector::Constant(7, 0.4);
    EXPECT_EQ(solver.solve({.q = q}).report.rank, 2);
    solver.settings().tolerance = 1e-3;
    EXPECT_EQ(solver.resolve().report.rank, 1) << method;
    EXPECT_EQ(solver.solution().report.tolerance, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(methods()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace zwang::test
