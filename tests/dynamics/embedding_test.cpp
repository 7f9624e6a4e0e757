// SPDX-License-Identifier: BSD-3-Clause
// Constraint embedding: clusters as the literature forms them, answers and reports those of the other methods, on loops
// in series, gears, differentials, redundant, inconsistent and soft rows.
#include <gtest/gtest.h>

#include <algorithm>

#include "dynamics/mixed.hpp"
#include "factor/tree/embedding.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

/// A chain of rods on hinges that are all turned to one another.
RobotDescription hinges(int joints) {
  RobotDescription d{.name = "hinges"};
  d.links.push_back({.name = "link0", .mass = 2, .inertia = Sym3<double>::diagonal(0.1, 0.1, 0.1)});
  for (int k = 1; k <= joints; ++k) {
    const std::string n = std::to_string(k);
    d.links.push_back({.name = "link" + n,
                       .mass = 1 + 0.1 * (k % 3),
                       .centre = {0.1, 0.02 * (k % 4), 0.05},
                       .inertia = Sym3<double>::diagonal(0.02, 0.03, 0.025)});
    d.joints.push_back({.name = "joint" + n,
                        .type = "revolute",
                        .parent = "link" + std::to_string(k - 1),
                        .child = "link" + n,
                        .origin = {exp_so3(Vec3<double>{0.3, 0.2 * (k % 5), -0.1}), {0.3, 0.01 * (k % 2), 0}}});
  }
  return d;
}

/// Four-bars one on the other's coupler: rod a and rod d on a bar, the next bar c on a, its other end on d. The bars
/// are turned out of each other's planes.
RobotDescription four_bars_in_series(int loops) {
  RobotDescription d{.name = "ladder"};
  d.links.push_back({.name = "bar0"});
  const auto add = [&](const std::string& child, const std::string& parent, const Vec3<double>& at, double turned) {
    d.links.push_back(
        {.name = child, .mass = 0.7, .centre = {0.02, 0.2, 0}, .inertia = Sym3<double>::diagonal(0.01, 0.004, 0.01)});
    d.joints.push_back({.name = "to " + child,
                        .type = "revolute",
                        .parent = parent,
                        .child = child,
                        .origin = {exp_so3(Vec3<double>{0, turned, 0}), at}});
  };
  for (int k = 1; k <= loops; ++k) {
    const std::string n = std::to_string(k), bar = "bar" + std::to_string(k - 1);
    const double turned = k == 1 ? 0 : 0.4;
    add("a" + n, bar, {0, 0, 0}, turned);
    add("bar" + n, "a" + n, {0, 0.4, 0}, 0);
    add("d" + n, bar, exp_so3(Vec3<double>{0, turned, 0}) * Vec3<double>{0.3, 0, 0}, turned);
    d.frames.push_back({"far " + n, "bar" + n, {Mat3<double>::identity(), {0.25, 0.02, 0}}});
    d.frames.push_back({"tip " + n, "d" + n, {Mat3<double>::identity(), {0, 0.38, 0}}});
  }
  return d;
}

ConstraintSet closed(const Model& m, int loops, const RowSelection& selected) {
  ConstraintSet set(m);
  for (int k = 1; k <= loops; ++k) {
    const std::string n = std::to_string(k);
    set.add(LoopConstraint{.name = "loop" + n, .frame = "far " + n, .other = "tip " + n, .rows = selected});
  }
  return set;
}

/// The same problem by embedding and by another method; what both say must agree.
void expect_like(const char* other, const Model& m, const ConstraintSet& set, const SolveInput& input,
                 const char* answered_by, double tolerance = 1e-10) {
  SolverSettings settings;
  settings.method = other;
  Solver reference(m, set, settings);
  settings.method = "embedding";
  Solver solver(m, set, settings);
  const Solution &expected = reference.solve(input), &got = solver.solve(input);
  EXPECT_STREQ(got.report.method, answered_by);
  EXPECT_EQ(got.report.status, expected.report.status) << got.report.explain();
  EXPECT_EQ(got.report.rank, expected.report.rank);
  EXPECT_EQ(got.report.redundant, expected.report.redundant);
  EXPECT_EQ(got.report.infeasible, expected.report.infeasible);
  EXPECT_EQ(got.report.dependencies.size(), expected.report.dependencies.size());
  EXPECT_CLOSE(Vector(got.acceleration), Vector(expected.acceleration), tolerance);
  EXPECT_CLOSE(Vector(got.multipliers), Vector(expected.multipliers), tolerance);
  EXPECT_CLOSE(Vector(got.reaction), Vector(expected.reaction), tolerance);
  EXPECT_CLOSE(Vector(got.motor_torque), Vector(expected.motor_torque), tolerance);
  EXPECT_NEAR(got.zwang, expected.zwang, tolerance * (1 + expected.zwang));
}

TEST(Embedding, OfGearsIsThatOfTheReference) {
  const Model m = build(hinges(9));
  const RandomState x = random_state(m, 3);
  ConstraintSet set(m);
  for (int k = 1; k < 9; k += 2)
    set.add(CouplingConstraint{.name = "gear" + std::to_string(k),
                               .coordinates = {"joint" + std::to_string(k), "joint" + std::to_string(k + 1)},
                               .ratio = {1, 0.5 * k - 2.2}});
  expect_like("dense_cod", m, set, {.q = x.q, .v = x.v, .tau = x.tau}, "embedding");
  // A differential over three of them, across gears and from one end to the other.
  set.add(CouplingConstraint{
      .name = "differential", .coordinates = {"joint1", "joint4", "joint9"}, .ratio = {1, 1, -2}, .beta = {0.7}});
  expect_like("dense_cod", m, set, {.q = x.q, .v = x.v, .tau = x.tau}, "embedding");
}

TEST(Embedding, OfLoopsInSeriesIsThatOfTheReference) {
  for (const int loops : {1, 2, 7}) {
    const Model m = build(four_bars_in_series(loops), {.root = "floating"});
    const RandomState x = random_state(m, static_cast<std::uint64_t>(loops));
    const ConstraintSet set = closed(m, loops, rows("linear.x linear.y"));
    expect_like("dense_cod", m, set, {.q = x.q, .v = x.v, .tau = x.tau}, "embedding");
    const Prescribed given{{2, 0.3}, {6, -1.5}};
    expect_like("dense_cod", m, set, {.q = x.q, .v = x.v, .tau = x.tau, .prescribed = &given}, "embedding");
  }
}

/// Joints that mimic others, above and beside them, with rows and without.
TEST(Embedding, OfMimicJointsIsThatOfTheReference) {
  RobotDescription d = hinges(9);
  d.joints[6].parent = "link3";
  d.joints[5].mimic = {.leader = "joint2", .multiplier = -0.7};
  d.joints[8].mimic = {.leader = "joint5", .multiplier = 1.4};
  for (const char* root : {"fixed", "floating"}) {
    const Model m = build(d, {.root = root});
    const RandomState x = random_state(m, 5);
    ConstraintSet set(m);
    expect_like("dense_cod", m, set, {.q = x.q, .v = x.v, .tau = x.tau}, "embedding");
    set.add(LoopConstraint{.name = "ball", .frame = "link6", .other = "link9", .rows = joint_rows("ball")});
    expect_like("dense_cod", m, set, {.q = x.q, .v = x.v, .tau = x.tau}, "embedding", 1e-9);
    set.add(FrameConstraint{.name = "held", .frame = "link4", .rows = rows("linear.z"), .beta = {1}});
    expect_like("dense_cod", m, set, {.q = x.q, .v = x.v, .tau = x.tau}, "embedding", 1e-9);
  }
}

/// Three of a hinge's five rows say what a plane says already: the split does not mind, and says so.
TEST(Embedding, MeetsRedundantRowsByItself) {
  const Model m = build(four_bars_in_series(4));
  const ConstraintSet set = closed(m, 4, joint_rows("hinge"));
  RandomState x = random_state(m, 8);
  x.v.setZero();
  expect_like("popov_vereshchagin", m, set, {.q = x.q, .v = x.v, .tau = x.tau}, "embedding", 1e-8);
  SolverSettings settings;
  settings.method = "embedding";
  Solver solver(m, set, settings);
  EXPECT_EQ(solver.solve({.q = x.q, .v = x.v, .tau = x.tau}).report.rank, 8);
  EXPECT_EQ(solver.solution().report.redundant.size(), 12U);
}

TEST(Embedding, LeavesContradictionsToTheRoot) {
  const Model m = build(four_bars_in_series(2));
  ConstraintSet set = closed(m, 2, joint_rows("hinge"));
  set["loop2"].beta[2] = 1;  // out of the plane
  const RandomState x = random_state(m, 8);
  expect_like("popov_vereshchagin", m, set, {.q = x.q, .v = x.v, .tau = x.tau}, "popov_vereshchagin", 1e-8);
}

/// Rank, names and status of random trees with random loops, frames and contacts: what popov_vereshchagin reports.
TEST(Embedding, ReportsWhatTheRootReports) {
  MixedOptions options;
  options.early = options.priorities = options.drivers_left_out = options.other_singularities = false;
  int by_itself = 0, all = 0, short_of_rank = 0;
  for (int seed = 1; seed <= effort(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 3000, 4 + seed % 14);
    Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 3000, options);
    if (x.settings.method == "pv_soft" || !solve(stated(robot, x)).clear()) continue;
    ConstraintSet set = x.set(robot.model);
    if (seed % 3 == 0) {  // the first constraint twice
      AnyConstraint again = x.constraints.front();
      std::visit([](auto& c) { c.name = "again"; }, again);
      add(set, again);
    }
    x.settings.method = "popov_vereshchagin";
    Solver reference(robot.model, set, x.settings);
    x.settings.method = "embedding";
    Solver solver(robot.model, set, x.settings);
    const SolveReport &expected = reference.solve(x.input()).report, &got = solver.solve(x.input()).report;
    EXPECT_EQ(got.status, expected.status);
    EXPECT_EQ(got.rank, expected.rank);
    EXPECT_EQ(got.redundant, expected.redundant) << got.explain() << "\n" << expected.explain();
    EXPECT_EQ(got.infeasible, expected.infeasible);
    ++all;
    const bool itself = std::string(got.method) == "embedding";
    by_itself += itself;
    short_of_rank += itself && got.rank < got.rows;
  }
  if (all < 100) return;
  EXPECT_GE(by_itself, all / 2);
  EXPECT_GE(short_of_rank, all / 50);
}

/// Rows of a stage by hand: bodies that they act on, wrenches that balance.
struct Bound {
  explicit Bound(const Model& model) : m(model), data(m), rows(room), clusters(m.tree<double>(), room) {}
  void row(Index first, Index second = -1) {
    rows.body[rows.m] = first;
    rows.place[rows.m] = rows.m;
    rows.compliance[rows.m] = 0;
    if (second >= 0) {
      rows.further_row[rows.further] = rows.m;
      rows.further_body[rows.further] = second;
      rows.further_place[rows.further++] = rows.m;
    }
    ++rows.m;
  }
  /// What each cluster hangs on, and its bodies.
  std::vector<std::vector<Index>> found() {
    clusters.find(data, rows);
    std::vector<std::vector<Index>> all;
    for (Index c = 0; c < clusters.count(); ++c) {
      all.push_back({clusters.parent(c)});
      for (const Index i : clusters.bodies(c)) all.back().push_back(i);
    }
    return all;
  }
  static constexpr page::RowRoom room = {.rows = 8, .blocks = 8, .groups = 8, .w = 8, .lists = 8, .further = 8};
  Model m;
  Data data;
  page::RowNumbers<double> rows;
  Clusters clusters;
};

TEST(Clusters, AreTheBodiesBelowTheCommonAncestorAndMergeWhereTheyOverlap) {
  using Found = std::vector<std::vector<Index>>;
  // 1 - 2 - 3 - 4, 2 - 5, 1 - 6
  RobotDescription d = hinges(6);
  d.joints[4].parent = "link2";
  d.joints[5].parent = "link1";
  Bound x(build(d));
  ASSERT_EQ(x.data.tree().body[5].parent, 2);
  EXPECT_EQ(x.found(), (Found{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {2, 5}, {1, 6}}));
  x.row(4, 5);  // from 4 and 5 up to 2
  EXPECT_EQ(x.found(), (Found{{0, 1}, {1, 2}, {2, 3, 4, 5}, {1, 6}}));
  x.row(6, 2);  // another one, on which the first hangs
  EXPECT_EQ(x.found(), (Found{{0, 1}, {1, 2, 6}, {2, 3, 4, 5}}));
  x.row(3, 1);  // from 3 up to 1, which shares 3 with the first and 2 with the second
  EXPECT_EQ(x.found(), (Found{{0, 1}, {1, 2, 3, 4, 5, 6}}));
  x.rows.m = x.rows.further = 0;
  x.row(5);  // one body: its path to the ground
  EXPECT_EQ(x.found(), (Found{{0, 1, 2, 5}, {2, 3}, {3, 4}, {1, 6}}));
  EXPECT_FALSE(x.clusters.any_loose());
  x.row(3, 3);
  x.found();
  EXPECT_TRUE(x.clusters.any_loose());
}

}  // namespace
}  // namespace zwang::test
