// SPDX-License-Identifier: BSD-3-Clause
// Rows that nearly depend, scaled, permuted, duplicated, on the ground, zero:
// what must not change and what must be said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dynamics/imposed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

struct Result {
  Eigen::VectorXd acceleration, force, multipliers;
  Index rank = 0;
  Status status = Status::ok;
  double residual = 0;
};
Result solve_once(const Robot& robot, const Imposed& x) {
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  const Solution& s = solver.solve(x.input());
  EXPECT_TRUE(s.acceleration.allFinite() && s.multipliers.allFinite());
  return {s.acceleration,   s.reaction + s.motor_torque - x.state.tau, s.multipliers, s.report.rank, s.report.status,
          s.report.residual};
}
/// Sets that are consistent, of a rank beyond doubt: beta of one possible motion.
bool consistent_set(const Robot& robot, std::uint64_t seed, Imposed& x) {
  x = random_imposed(robot, seed);
  Random random(seed);
  const Vec wish = random.vector(robot.model.nv(), 5).cast<Real>();
  const reference::State state = robot.reference.at(x.state.q, x.state.v);
  for (AnyConstraint& c : x.constraints)
    std::visit(
        [&](auto& y) {
          y.beta.clear();
          y.active = true;
          const Rows r = rows_of(robot, state, y);
          for (Eigen::Index i = 0; i < r.b.size(); ++i)
            y.beta.push_back(static_cast<double>(r.A.row(i).dot(wish) - r.b(i)));
        },
        c);
  const Posed p = pose(robot, x);
  const reference::Constrained oracle = solve(p);
  for (const Real s : oracle.singular_values)
    if (s > 1e-12L && s < 1e-3L) return false;
  return oracle.rank > 0;
}

TEST(RowsAsGiven, ScalingThemChangesNeitherRankNorMotionNorForces) {
  int tried = 0, deficient = 0;
  for (int seed = 1; seed <= effort(400); ++seed) {
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 9000, 5 + seed % 8);
    Imposed x;
    if (!consistent_set(robot, static_cast<std::uint64_t>(seed), x)) continue;
    const Result one = solve_once(robot, x);
    Random random(static_cast<std::uint64_t>(seed));
    std::vector<double> scales;
    for (AnyConstraint& c : x.constraints) {
      auto* f = std::get_if<FrameConstraint>(&c);
      const std::size_t rows = f ? f->rows.names.size() : std::get<ContactConstraint>(c).beta.size();
      for (std::size_t i = 0; i < rows; ++i) {
        const double scale = f ? std::pow(10.0, random.uniform(-3, 3)) * (random.below(2) ? 1 : -1) : 1;
        scales.push_back(scale);
        if (!f) continue;
        for (std::size_t k = 0; k < 6; ++k) f->rows.matrix[6 * i + k] *= scale;
        f->beta[i] *= scale;
      }
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Result other = solve_once(robot, x);
    ++tried;
    const bool full = one.rank == static_cast<Index>(scales.size());
    deficient += !full;
    EXPECT_EQ(other.rank, one.rank);
    EXPECT_EQ(other.status, Status::ok);
    // Full rank: equal up to rounding. Redundant rows: scales of 10^6 between
    // dependent rows cost digits of their relations.
    const double tolerance = full ? 1e-9 : 1e-7;
    EXPECT_CLOSE(other.acceleration, one.acceleration, tolerance);
    EXPECT_CLOSE(other.force, one.force, tolerance);
    for (std::size_t i = 0; full && i < scales.size(); ++i)
      EXPECT_NEAR(other.multipliers(static_cast<Eigen::Index>(i)) * scales[i],
                  one.multipliers(static_cast<Eigen::Index>(i)), 1e-8 * one.multipliers.cwiseAbs().maxCoeff());
  }
  EXPECT_GE(tried, effort(200));
  EXPECT_GE(deficient, effort(400) / 40);
}

TEST(RowsAsGiven, PermutingConstraintsPermutesTheMultipliers) {
  for (int seed = 1; seed <= effort(100); ++seed) {
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 7000, 12);
    Imposed x;
    if (!consistent_set(robot, static_cast<std::uint64_t>(seed) + 1, x) || x.constraints.size() < 2) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ConstraintSet set = x.set(robot.model);
    Imposed y = x;
    std::reverse(y.constraints.begin(), y.constraints.end());
    const ConstraintSet reversed = y.set(robot.model);
    Solver a(robot.model, set), b(robot.model, reversed);
    const Solution &s = a.solve(x.input()), &t = b.solve(y.input());
    EXPECT_EQ(s.report.rank, t.report.rank);
    EXPECT_CLOSE(s.acceleration, t.acceleration, 1e-10);
    const double size = 1e-3 + s.multipliers.cwiseAbs().maxCoeff();
    Eigen::Index row = t.multipliers.size();
    for (const AnyConstraint& c : x.constraints) {
      const auto lambda = s[name_of(c)].multipliers;
      EXPECT_TRUE(within(t[name_of(c)].multipliers, lambda, 1e-9, size)) << name_of(c);
      row -= lambda.size();  // by insertion, in the reversed order
      EXPECT_TRUE(within(t.multipliers.segment(row, lambda.size()), lambda, 1e-9, size)) << name_of(c);
    }
  }
}

TEST(RowsAsGiven, ACopyOfAConstraintTakesItsPartOfTheMultipliersAndNothingElse) {
  for (int seed = 1; seed <= effort(100); ++seed) {
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 8000, 12);
    Imposed x;
    if (!consistent_set(robot, static_cast<std::uint64_t>(seed) + 2, x)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ConstraintSet set = x.set(robot.model);
    Solver single(robot.model, set);
    const Solution& s = single.solve(x.input());
    const Index rank = s.report.rank;
    const std::size_t redundant = s.report.redundant.size();
    x.constraints.push_back(x.constraints.front());
    std::visit([](auto& c) { c.name = "copy"; }, x.constraints.back());
    const ConstraintSet more = x.set(robot.model);
    Solver twice(robot.model, more);
    const Solution& t = twice.solve(x.input());
    const auto first = t[name_of(x.constraints.front())].multipliers, copy = t["copy"].multipliers;
    EXPECT_EQ(t.report.status, Status::ok) << t.report.explain();
    EXPECT_EQ(t.report.rank, rank);
    EXPECT_EQ(t.report.redundant.size(), redundant + static_cast<std::size_t>(copy.size()));
    for (Eigen::Index i = 0; i < copy.size(); ++i)
      EXPECT_EQ(std::count(t.report.redundant.begin(), t.report.redundant.end(),
                           more["copy"].row_names[static_cast<std::size_t>(i)]),
                1);
    const double size = 1e-3 + s.multipliers.cwiseAbs().maxCoeff();
    EXPECT_CLOSE(t.acceleration, s.acceleration, 1e-9);
    EXPECT_TRUE(within(copy, first, 1e-9, size));
    if (redundant == 0) {
      EXPECT_TRUE(within(Eigen::VectorXd(first + copy), s[name_of(x.constraints.front())].multipliers, 1e-9, size));
    }
  }
}

/// Two directions at the tool of a 7-joint arm that are `angle` apart.
struct TwoRows {
  Robot robot{sample_arm7()};
  Imposed x;
  explicit TwoRows(double angle, double b0, double b1) {
    x.state = random_state(robot.reference, 21);
    FrameConstraint c;
    c.name = "pair";
    c.frame = "tool0";
    c.rows = rows(std::vector<double>{0.6, 0.8, 0, 0, 0, 0, 0.6 * std::cos(angle), 0.8 * std::cos(angle),
                                      std::sin(angle), 0, 0, 0});
    c.beta = {b0, b1};
    x.constraints.push_back(c);
  }
};

TEST(NearlyDependentRows, AreIndependentDownToAnglesOf1e11) {
  for (const double angle : {0.3, 1e-2, 1e-4, 1e-5, 1e-9, 1e-12, 0.0}) {
    SCOPED_TRACE("angle " + std::to_string(angle));
    const TwoRows t(angle, 1, 1);
    const ConstraintSet set = t.x.set(t.robot.model);
    Solver solver(t.robot.model, set);
    const Solution& s = solver.solve(t.x.input());
    EXPECT_EQ(s.report.rank, angle >= 1e-9 ? 2 : 1) << s.report.tolerance;
    EXPECT_EQ(s.report.redundant.size(), angle >= 1e-9 ? 0u : 1u);
    EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
    // Forces stay finite, and of the size that the rows ask: 1 / angle^2 at most where they are independent.
    const double bound = angle >= 1e-9 ? 1e4 / (angle * angle) : 1e4;
    EXPECT_LE(s.multipliers.cwiseAbs().maxCoeff(), bound);
    EXPECT_TRUE(s.acceleration.allFinite());
    const Posed p = pose(t.robot, t.x);
    const Vec residual = p.A * s.acceleration.cast<Real>() - p.b;
    EXPECT_TRUE(within(residual, active_part(p, s.residual), 1e-11,
                       static_cast<double>(size_of_rows(p, s.acceleration.cast<Real>()).maxCoeff())));
  }
}

TEST(NearlyDependentRows, ThatContradictEachOtherAreToldApartFromThoseThatDoNot) {
  const TwoRows t(0, 1, 2);
  const ConstraintSet set = t.x.set(t.robot.model);
  Solver solver(t.robot.model, set);
  const Solution& s = solver.solve(t.x.input());
  EXPECT_EQ(s.report.status, Status::infeasible);
  EXPECT_EQ(s.report.infeasible.size(), 2u);
  EXPECT_NEAR(s["pair"].residual(0), 0.5, 1e-11);  // least squares: both miss by the same
  EXPECT_NEAR(s["pair"].residual(1), -0.5, 1e-11);
  EXPECT_NE(s.report.explain().find("pair:row[1]"), std::string::npos) << s.report.explain();
}

TEST(NearlyDependentRows, TheToleranceOfTheUserDecides) {
  const TwoRows t(1e-3, 1, 1);
  const ConstraintSet set = t.x.set(t.robot.model);
  SolverSettings coarse;
  coarse.tolerance = 1e-2;
  Solver fine(t.robot.model, set), rough(t.robot.model, set, coarse);
  EXPECT_EQ(fine.solve(t.x.input()).report.rank, 2);
  EXPECT_EQ(rough.solve(t.x.input()).report.rank, 1);
  EXPECT_EQ(rough.solution().report.tolerance, 1e-2);
}

TEST(NearlyDependentRows, NeverGiveNumbersThatAreNone) {
  const Robot robot{sample_arm7()};
  for (int seed = 1; seed <= effort(3000); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    Imposed x;
    x.state = random_state(robot.reference, static_cast<std::uint64_t>(seed % 20));
    FrameConstraint c;
    c.name = "rows";
    c.frame = random.below(2) ? "tool0" : robot.description.links[static_cast<std::size_t>(1 + random.below(6))].name;
    std::vector<double> m = random_rows(random, 2);
    const int n = 2 + random.below(9);
    for (int i = 2; i < n; ++i) {  // combinations of the rows before, disturbed by anything from 1e-17 to 1
      const double noise = std::pow(10.0, random.uniform(-17, 0)), size = std::pow(10.0, random.uniform(-8, 8));
      const std::size_t a = static_cast<std::size_t>(random.below(i)), b = static_cast<std::size_t>(random.below(i));
      for (std::size_t k = 0; k < 6; ++k)
        m.push_back(size * (m[6 * a + k] - m[6 * b + k] + noise * random.uniform(-1, 1)));
    }
    c.rows = rows(m);
    for (int i = 0; i < n; ++i) c.beta.push_back(random.uniform(-1, 1));
    x.constraints.push_back(c);
    const Result r = solve_once(robot, x);
    ASSERT_TRUE(r.acceleration.allFinite() && r.multipliers.allFinite() && std::isfinite(r.residual))
        << "seed " << seed;
    ASSERT_LE(r.rank, 6);
    ASSERT_TRUE(r.status == Status::ok || r.status == Status::infeasible);
  }
}

TEST(RowsOnTheGround, AreKeptOrContradictedWithoutAnyForce) {
  const Robot robot{sample_arm7()};
  for (const double beta : {0.0, 0.7}) {
    Imposed x;
    x.state = random_state(robot.reference, 8);
    FrameConstraint ground;
    ground.name = "ground";
    ground.frame = robot.description.links[0].name;
    ground.rows = rows("linear angular.z");
    ground.beta = {0, 0, beta, 0};
    x.constraints.push_back(ground);
    const ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set);
    const Solution& s = solver.solve(x.input());
    EXPECT_EQ(s.report.rank, 0);
    EXPECT_EQ(s.report.redundant.size(), 4u);
    EXPECT_EQ(s.report.status, beta == 0 ? Status::ok : Status::infeasible) << s.report.explain();
    EXPECT_EQ(s["ground"].residual(2), -beta);
    EXPECT_EQ(s.multipliers.norm(), 0);
    Data data(robot.model);
    EXPECT_CLOSE(s.acceleration, forward_dynamics(robot.model, data, x.state.q, x.state.v, x.state.tau, x.external),
                 1e-14);
  }
}

/// A row across everything that can move is a zero row, also where rounding leaves something of it.
TEST(RowsOnTheGround, ARowAcrossAllAxesIsAZeroRowWhateverTheOrientation) {
  for (int seed = 1; seed <= 40; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    RobotDescription d;
    d.name = "rail";
    d.links = {{"ground"},
               {"cart", 2, {0.1, 0, 0}, Sym3<double>::diagonal(0.1, 0.2, 0.2)},
               {"pole", 1, {0, 0.1, 0.4}, Sym3<double>::diagonal(0.1, 0.1, 0.02)}};
    JointDescription rail, pivot;
    rail = {.name = "rail",
            .type = "prismatic",
            .parent = "ground",
            .child = "cart",
            .origin = random.pose(2),
            .axis = {1, 0, 0}};
    pivot = {.name = "pivot", .type = "revolute", .parent = "cart", .child = "pole", .axis = {0, 1, 0}};
    if (seed % 2)
      pivot = {.name = "second rail", .type = "prismatic", .parent = "cart", .child = "pole", .axis = {1, 0, 1}};
    if (seed % 4 == 3) pivot.mimic = {"rail", 0.7, 0.1};
    d.joints = {rail, pivot};
    const Robot robot(d);
    Imposed x;
    x.state = random_state(robot.reference, static_cast<std::uint64_t>(seed));
    FrameConstraint across;
    across.name = "across";
    across.frame = "pole";
    across.in = "cart";
    across.rows = rows("linear.y");
    x.constraints.push_back(across);
    const Result r = solve_once(robot, x);
    EXPECT_EQ(r.rank, 0) << "seed " << seed;
    EXPECT_EQ(r.status, Status::ok) << "seed " << seed;
    EXPECT_LE(r.force.cwiseAbs().maxCoeff(), 1e-12) << "seed " << seed;
  }
}

/// A wrist that is tied to the ground and an elbow that is held: six rows, of which the last is nearly one of the
/// others now and then. Whatever rank is reported, the motion is the one of that rank.
TEST(RowsThatNearlyDepend, RankAndMotionAreOneDecisionOfEveryMethod) {
  const Robot robot(sample("arm7"));
  ConstraintSet set(robot.model);
  LoopConstraint ball;
  ball.name = "ball";
  ball.frame = "link2";
  ball.other = "tool0";
  ball.rows = rows("linear");
  set.add(ball);
  FrameConstraint held;
  held.name = "held";
  held.frame = "link5";
  held.rows = rows("linear");
  set.add(held);
  std::vector<std::unique_ptr<Solver>> solvers;
  for (const std::string& method : methods())
    if (method != "constrained_aba" && method != "pv_soft")
      solvers.push_back(
          std::make_unique<Solver>(robot.model, set, SolverSettings{.method = method, .tolerance = 1e-4}));
  int deficient = 0;
  for (int seed = 1; seed <= effort(20000); ++seed) {
    const RandomState state = random_state(robot.reference, static_cast<std::uint64_t>(seed));
    const SolveInput input{.q = state.q, .v = state.v, .tau = state.tau};
    Eigen::VectorXd of_rank[7];
    Status status[7] = {};
    for (const auto& solver : solvers) {
      const Solution& s = solver->solve(input);
      const auto rank = static_cast<std::size_t>(s.report.rank);
      deficient += rank < 6;
      if (of_rank[rank].size() == 0) {
        of_rank[rank] = s.acceleration;
        status[rank] = s.report.status;
      }
      ASSERT_EQ(s.report.status, status[rank]) << s.report.method << ", seed " << seed << s.report.explain();
      // Rows that count are 1e-4 apart at least: by multipliers the motion loses eight digits of 2e-16.
      ASSERT_LE((s.acceleration - of_rank[rank]).norm(), 1e-8 * (1 + of_rank[rank].norm()))
          << s.report.method << ", seed " << seed << s.report.explain();
    }
  }
  EXPECT_TRUE(deficient > 0 || effort(20000) < 20000);  // or nothing was tried
}

TEST(RowsOnTheGround, AllRowsOfALinkAreNoMoreThanItsFreedom) {
  const Robot robot(sample("cart_pole"));
  Imposed x;
  x.state = random_state(robot.reference, 5);
  x.state.v.setZero();
  FrameConstraint c;
  c.name = "everything";
  c.frame = robot.description.links.back().name;
  x.constraints.push_back(c);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  const Solution& s = solver.solve(x.input());
  EXPECT_EQ(s.report.rank, 2);
  EXPECT_EQ(s.report.rows, 6);
  EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
  EXPECT_LE(s.acceleration.cwiseAbs().maxCoeff(), 1e-11);
}

}  // namespace
}  // namespace zwang::test
