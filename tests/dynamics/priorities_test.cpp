// SPDX-License-Identifier: BSD-3-Clause
// Levels between rows, and drivers that rows leave out: against the lexicographic oracle on many small sets full of
// conflicts, and by what the words promise.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/mixed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

FrameConstraint on(const std::string& name, const std::string& frame, const std::string& words,
                   std::vector<double> beta, int priority = 0) {
  FrameConstraint c;
  c.name = name;
  c.frame = frame;
  c.rows = rows(words);
  c.beta = std::move(beta);
  c.priority = priority;
  return c;
}

/// Two to five constraints in up to four levels on three frames of a robot of few freedoms: new rows, copies of
/// earlier ones and combinations of them, within levels and across.
std::vector<AnyConstraint> conflicting_rows(const Robot& robot, Random& random) {
  std::vector<AnyConstraint> out;
  const int n = 2 + random.below(4), levels = 2 + random.below(3);
  const auto& links = robot.description.links;
  std::vector<double> last;
  FrameConstraint before;
  for (int k = 0; k < n; ++k) {
    FrameConstraint c;
    c.name = "c" + std::to_string(k);
    c.frame = links[1 + static_cast<std::size_t>(random.below(static_cast<int>(links.size()) - 1))].name;
    c.in = random.below(2) ? "local" : "local_world_aligned";
    const int wanted = 1 + random.below(3);
    std::vector<double> m = random_rows(random, wanted);
    if (k > 0 && random.below(2)) {  // rows of the constraint before, and a combination of them
      c.frame = before.frame;
      c.in = before.in;
      c.acceleration = before.acceleration;
      const std::size_t rows = last.size() / 6, other = static_cast<std::size_t>(random.below(static_cast<int>(rows)));
      const double f = random.uniform(0.5, 2), g = random.below(2) ? 0.0 : random.uniform(-2, 2);
      for (std::size_t i = 0; i < 6; ++i) m[i] = f * last[i] + g * last[6 * other + i];
    }
    c.rows = rows(m);
    for (int i = 0; i < wanted; ++i) c.beta.push_back(random.uniform(-5, 5));
    c.priority = random.below(levels);
    c.role = random.below(2) ? Role::driver : Role::physical;
    if (random.below(3) == 0) c.policy = Policy::early;
    if (random.below(3) == 0) {
      const int drivers = 1 + random.below(15);
      c.compensate = {!(drivers & 1), !(drivers & 2), !(drivers & 4), !(drivers & 8)};
    }
    out.push_back(c);
    last = m;
    before = c;
  }
  return out;
}

TEST(Priorities, AreLexicographicLeastSquaresOnManySetsFullOfConflicts) {
  Tally tally;
  for (int place = 1; place <= effort(100); ++place) {
    RandomRobot options;
    options.joints = 3 + place % 6;
    options.root = place % 5 == 0 ? "floating" : "fixed";
    const Robot robot = regular_robot(static_cast<std::uint64_t>(place) + 50, options);
    if (robot.model.nv() == 0) continue;
    Mixed x = random_mixed(robot, static_cast<std::uint64_t>(place));
    Stated s = stated(robot, x);
    for (int k = 0; k < 40; ++k) {
      SCOPED_TRACE("place " + std::to_string(place) + ", set " + std::to_string(k));
      Random random(static_cast<std::uint64_t>(1000 * place + k));
      x.constraints = conflicting_rows(robot, random);
      x.settings.method = random.below(2) ? "automatic" : "pv_early";
      x.settings.singularity = random.below(4) ? Singularity::truncation : Singularity::weighted;
      x.prescribed = random.below(4) == 0 ? random_prescribed(robot, random) : Prescribed{};
      restate(robot, x, s);
      const reference::HybridMotion oracle = solve(s);
      if (!oracle.clear(1e-11L, 1e-3L) || oracle.amplification > 1e7) {
        ++tally.unclear;
        continue;
      }
      const ConstraintSet set = x.set(robot.model);
      Solver solver(robot.model, set, x.settings);
      const Solution& got = solver.solve(x.input());
      expect_oracle(x, s, set, oracle, got, tally);
      if (k % 10 == 0) expect_laws(robot, x, s, set, oracle, got);
      if (HasFailure()) return;
    }
  }
  EXPECT_LE(tally.unclear, tally.all);
  EXPECT_GE(tally.deficient, tally.all / 4);
  EXPECT_GE(tally.given_up, tally.all / 2);
  EXPECT_GE(tally.levels, tally.all / 2);
}

TEST(Priorities, ALowerLevelNeverDisturbsAHigherOne) {
  int given_up = 0;
  for (int seed = 1; seed <= effort(200); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 4000, 5 + seed % 6);
    Random random(static_cast<std::uint64_t>(seed));
    Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed));
    x.constraints = conflicting_rows(robot, random);
    x.settings = {};
    for (AnyConstraint& c : x.constraints) std::visit([](auto& y) { y.compensate = {}; }, c);
    const reference::HybridMotion oracle = solve(stated(robot, x));
    if (!oracle.clear(1e-11L, 1e-3L) || oracle.amplification > 1e6) continue;
    ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set);
    const Eigen::VectorXd all = solver.solve(x.input()).residual;
    given_up += !solver.solution().report.given_up.empty();
    for (int level = 2; level >= 0; --level) {  // what lies below `level` off: the same motion of what lies above
      for (const AnyConstraint& c : x.constraints) set[name_of(c)].active = priority_of(c) <= level;
      const Eigen::VectorXd fewer = solver.solve(x.input()).residual;
      Eigen::Index row = 0;
      for (const Constraint& c : set.constraints()) {
        for (Index i = 0; i < c.size(); ++i, ++row)
          if (c.active) {
            EXPECT_NEAR(fewer(row), all(row), 1e-8 * (10 + all.cwiseAbs().maxCoeff()))
                << c.row_names[static_cast<std::size_t>(i)];
          }
      }
    }
  }
  EXPECT_GE(given_up, effort(200) / 4);
}

class PriorityReports : public testing::Test {
 protected:
  PriorityReports() : arm(sample_robot("arm7")) { x.state = random_state(arm.reference, 5); }
  const Solution& solve(std::vector<AnyConstraint> constraints) {
    x.constraints = std::move(constraints);
    set = std::make_unique<ConstraintSet>(x.set(arm.model));
    solver = std::make_unique<Solver>(arm.model, *set);
    return solver->solve(x.input());
  }
  Robot arm;
  Mixed x;
  std::unique_ptr<ConstraintSet> set;
  std::unique_ptr<Solver> solver;
};

TEST_F(PriorityReports, SayThatARowGivesWayToALevelAbove) {
  const Solution& s = solve({on("hold", "tool0", "linear", {0, 0, 0}), on("wish", "tool0", "linear.x", {3}, 1)});
  EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
  EXPECT_TRUE(s.report.infeasible.empty());
  ASSERT_EQ(s.report.given_up.size(), 1u);
  EXPECT_EQ(s.report.given_up[0].row, "wish:linear.x");
  EXPECT_EQ(s.report.given_up[0].reason, GivenUp::Reason::priority);
  EXPECT_NEAR(s.report.given_up[0].amount, -3, 1e-10);
  EXPECT_LE(s["hold"].residual.cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_NE(s.report.explain().find("wish:linear.x"), std::string::npos) << s.report.explain();
}

TEST_F(PriorityReports, SayThatRowsOfOneLevelContradict) {
  const Solution& s = solve({on("hold", "tool0", "angular", {0, 0, 0}), on("one", "tool0", "linear.x", {3}, 1),
                             on("two", "tool0", "linear.x", {-1}, 1)});
  EXPECT_EQ(s.report.status, Status::ok) << "only what level 0 cannot hold is infeasible: " << s.report.explain();
  ASSERT_EQ(s.report.given_up.size(), 2u);
  for (const GivenUp& g : s.report.given_up) {
    EXPECT_EQ(g.reason, GivenUp::Reason::conflict) << g.row;
    EXPECT_NEAR(std::fabs(g.amount), 2, 1e-10);
  }
  EXPECT_NE(s.report.given_up[0].row, s.report.given_up[1].row);
}

TEST_F(PriorityReports, SwappingLevelsSwapsWhoGivesWay) {
  for (const int first : {0, 1}) {
    const Solution& s =
        solve({on("one", "tool0", "linear.y", {3}, first), on("two", "tool0", "linear.y", {-1}, 1 - first)});
    const char *kept = first == 0 ? "one" : "two", *lost = first == 0 ? "two" : "one";
    EXPECT_LE(std::fabs(s[kept].residual(0)), 1e-11);
    EXPECT_NEAR(std::fabs(s[lost].residual(0)), 4, 1e-10);
    EXPECT_EQ(s.report.status, Status::ok);
  }
}

TEST_F(PriorityReports, RedundantLevelsCostNothingAndShareTheForce) {
  const Solution& s = solve({on("one", "tool0", "linear", {1, 2, 3}), on("same", "tool0", "linear", {1, 2, 3}, 2)});
  EXPECT_EQ(s.report.status, Status::ok);
  EXPECT_EQ(s.report.rank, 3);
  EXPECT_TRUE(s.report.given_up.empty()) << s.report.explain();
  EXPECT_EQ(s.report.redundant.size(), 3u);
  EXPECT_CLOSE(Eigen::VectorXd(s["one"].multipliers), Eigen::VectorXd(s["same"].multipliers), 1e-10);
}

/// A tool that is told not to make up for gravity falls as gravity alone would let it, whatever else acts.
TEST_F(PriorityReports, ARowThatLeavesGravityOutFallsFreely) {
  x.state.v.setZero();
  FrameConstraint c = on("tool", "tool0", "linear", {0, 0, 0});
  c.compensate.gravity = false;
  const Solution& s = solve({c});
  EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
  EXPECT_LE(s["tool"].residual.cwiseAbs().maxCoeff(), 1e-11);
  Data data(arm.model);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(arm.model.nv());
  const JointEffects inertial{true, false, false, false};
  const Eigen::VectorXd falling = forward_dynamics(arm.model, data, x.state.q, none, none, {}, inertial);
  const FrameId tool = arm.model.find_frame("tool0");
  const Eigen::Vector3d wanted = eigen(frame_acceleration(arm.model, data, tool, AccelerationKind::classical)).head(3);
  const Eigen::Vector3d got =
      eigen(frame_acceleration(arm.model, solver->data(), tool, AccelerationKind::classical)).head(3);
  EXPECT_CLOSE(got, wanted, 1e-11);
  EXPECT_GT(wanted.norm(), 1);
}

TEST_F(PriorityReports, LeavingEveryDriverOutStillMakesUpForVelocities) {
  FrameConstraint c = on("tool", "tool0", "all", {0, 0, 0, 0, 0, 0});
  c.compensate = {false, false, false, false};
  x.prescribed = {{2, 4.0}};
  const Solution& s = solve({c});
  const Stated st = stated(arm, x);
  const reference::HybridMotion oracle = reference::hybrid_motion(st.problem);
  // Everything that acts but velocity products and passive joint effects, on the arm alone.
  reference::HybridProblem acts = st.problem;
  acts.A.resize(0, acts.M.cols());
  acts.b = acts.R = acts.weight = Vec(0);
  acts.level.clear();
  acts.left_out.clear();
  acts.h = -st.problem.gravity - st.problem.external;
  const Vec alone = reference::hybrid_motion(acts).acceleration;
  const Vec got = s.acceleration.cast<Real>();
  EXPECT_CLOSE(Vec(st.posed.A * got), Vec(st.posed.b + st.posed.A * alone), 1e-9);
  EXPECT_CLOSE(got, oracle.acceleration, 1e-9);
  EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
}

}  // namespace
}  // namespace zwang::test
