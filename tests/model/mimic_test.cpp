// SPDX-License-Identifier: BSD-3-Clause
// Mimic groups: coordinates removed, columns, where groups meet, and the elimination tree of the joint-space inertia.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/plain_model.hpp"
#include "zwang/model/sample.hpp"

namespace zwang {
namespace {

/// A tree of revolute joints a, b, c, ... where `parents` gives each link's parent (-1 the base).
RobotDescription tree_of(const std::vector<int>& parents) {
  RobotDescription r;
  r.links.push_back({.name = "base", .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)});
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    r.links.push_back({.name = "link_" + name, .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)});
    JointDescription j{.name = name, .type = "revolute"};
    j.parent = parents[i] < 0 ? "base" : "link_" + std::string(1, static_cast<char>('a' + parents[i]));
    j.child = "link_" + name;
    r.joints.push_back(j);
  }
  return r;
}
JointDescription& joint(RobotDescription& r, const std::string& name) {
  for (JointDescription& j : r.joints)
    if (j.name == name) return j;
  throw std::logic_error(name);
}

/// Which columns lie on one path to the root, by climbing.
bool on_one_path(const Tree<double>& t, Index a, Index b) {
  if (a > b) std::swap(a, b);
  while (b > a) b = t.body[b].parent;
  return a == b;
}

/// The elimination tree by eliminating a full table of booleans, last coordinate first.
std::vector<Index> brute_force_tree(const Tree<double>& t) {
  const auto n = static_cast<std::size_t>(t.nv);
  std::vector<std::vector<char>> M(n, std::vector<char>(n, 0));
  for (Index i = 0; i < t.spanning_nv; ++i)
    for (Index j = 0; j < t.spanning_nv; ++j)
      if (on_one_path(t, t.column[i].body, t.column[j].body))
        M[static_cast<std::size_t>(t.column[i].v)][static_cast<std::size_t>(t.column[j].v)] = 1;
  std::vector<Index> parent(n, -1);
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t i = 0; i < k; ++i) {
      if (!M[k][i]) continue;
      parent[k] = static_cast<Index>(i);
      for (std::size_t j = 0; j < k; ++j)
        if (M[k][j]) M[i][j] = 1;
    }
  }
  return parent;
}

TEST(Mimic, RemovesTheFollowersCoordinate) {
  RobotDescription r = tree_of({-1, 0, 0, 2});
  joint(r, "b").mimic = {"d", -2, 0.5};  // the leader comes later and on another branch
  joint(r, "b").damping = {3};
  joint(r, "d").damping = {1};
  joint(r, "b").friction = {3};
  joint(r, "b").rotor_inertia = {0.1};
  joint(r, "d").stiffness = {10};
  const Model m = build(r);
  EXPECT_EQ(m.nq(), 3);
  EXPECT_EQ(m.coordinate_names(), (std::vector<std::string>{"a", "c", "d"}));
  EXPECT_EQ(m.joint("b").q.first, 2);
  EXPECT_EQ(m.joint("b").v.first, 2);
  EXPECT_EQ(m.joint("b").mimic.leader, "d");
  EXPECT_DOUBLE_EQ(m.damping()[2], 1 + 4 * 3);
  EXPECT_DOUBLE_EQ(m.friction()[2], 2 * 3);
  EXPECT_DOUBLE_EQ(m.armature()[2], 4 * 0.1);
  const Tree<double>& t = m.tree<double>();
  ASSERT_EQ(t.spanning_nv, 4);
  EXPECT_TRUE(t.mimic);
  EXPECT_EQ(t.column[1].v, 2);
  EXPECT_EQ(t.column[1].multiplier, -2);
  EXPECT_TRUE(t.column[1].deferred && t.column[3].deferred && !t.column[0].deferred && !t.column[2].deferred);
  EXPECT_EQ(t.q_source[1], 2);
  EXPECT_EQ(t.q_offset[1], 0.5);
  EXPECT_EQ(t.passive[3].q, 3);
  ASSERT_EQ(t.shared_count, 1);
  EXPECT_EQ(t.shared[0].body, 1);  // both hang on a's link
  EXPECT_FALSE(t.shared[0].own);
  EXPECT_EQ(t.shared_of[2], 0);
  EXPECT_EQ(t.shared_of[0], -1);
  EXPECT_EQ(std::vector<Index>(t.row_parent, t.row_parent + 3), (std::vector<Index>{-1, 0, 1}));
}

TEST(Mimic, GroupsMeetWhereTheirSubtreesDo) {
  RobotDescription r = tree_of({-1, 0, 1, -1});
  joint(r, "c").mimic = {"b", 1, 0};  // the leader is an ancestor: its own joint is one of the columns
  Model m = build(r);
  EXPECT_EQ(m.tree<double>().shared[0].body, 2);
  EXPECT_TRUE(m.tree<double>().shared[0].own);
  joint(r, "c").mimic = {};
  joint(r, "b").mimic = {"c", 1, 0};  // the leader is a descendant
  m = build(r);
  EXPECT_EQ(m.tree<double>().shared[0].body, 2);
  EXPECT_TRUE(m.tree<double>().shared[0].own);
  joint(r, "d").mimic = {"c", 1, 0};  // d stands on the ground
  m = build(r);
  ASSERT_EQ(m.tree<double>().shared_count, 1);
  EXPECT_EQ(m.nv(), 2);
  EXPECT_EQ(m.tree<double>().shared[0].body, 0);
  EXPECT_FALSE(m.tree<double>().shared[0].own);
}

TEST(Mimic, ChainsAreMultipliedOut) {
  RobotDescription r = tree_of({-1, -1, -1, -1});
  joint(r, "a").mimic = {"b", 2, 0.5};
  joint(r, "b").mimic = {"d", -3, 1};
  joint(r, "c").mimic = {"a", 0.5, -1};
  const Model m = build(r);
  ASSERT_EQ(m.nv(), 1);
  const Tree<double>& t = m.tree<double>();
  const double multiplier[4] = {-6, -3, -3, 1}, offset[4] = {2.5, 1, 0.25, 0};
  for (Index i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(t.q_multiplier[i], multiplier[i]);
    EXPECT_DOUBLE_EQ(t.q_offset[i], offset[i]);
    EXPECT_DOUBLE_EQ(t.column[i].multiplier, multiplier[i]);
  }
}

TEST(Mimic, CanBeExpanded) {
  BuildOptions options;
  options.expand_mimic = true;
  const Model m = build(sample_gripper(), options);
  EXPECT_EQ(m.nv(), 3);
  EXPECT_FALSE(m.tree<double>().mimic);
  EXPECT_EQ(m.joint("right_slide").mimic.leader, "");  // it has a coordinate of its own
  EXPECT_EQ(build(sample_gripper()).nv(), 2);
}

TEST(Mimic, RefusesWhatCannotFollow) {
  const auto code = [](const RobotDescription& r) -> std::string {
    try {
      build(r);
    } catch (const ModelError& e) { return e.code(); }
    return "";
  };
  RobotDescription r = tree_of({-1, 0});
  joint(r, "a").mimic = {"b", 1, 0};
  joint(r, "b").mimic = {"a", 1, 0};
  EXPECT_EQ(code(r), "E_MIMIC");
  joint(r, "b").mimic = {};
  joint(r, "b").type = "spherical";
  EXPECT_EQ(code(r), "E_MIMIC");
}

TEST(Mimic, ActuationOfAGroupIsThatOfItsMembers) {
  RobotDescription r = tree_of({-1, -1});
  joint(r, "b").mimic = {"a", 1, 0};
  EXPECT_TRUE(build(r).actuated()[0]);
  joint(r, "a").actuated = JointDescription::Actuated::no;
  EXPECT_FALSE(build(r).actuated()[0]);
  joint(r, "b").actuated = JointDescription::Actuated::yes;
  EXPECT_TRUE(build(r).actuated()[0]);
}

TEST(Mimic, EliminationTreeAgreesWithEliminatingBooleans) {
  int mixed = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    RandomRobot options;
    options.joints = 3 + static_cast<int>(seed % 25);
    options.branching = 0.1 + 0.2 * static_cast<double>(seed % 4);
    options.mimic = seed % 4 == 0 ? 0 : 0.6;
    options.types = {"revolute", "prismatic", "helical", "continuous", "revolute", "spherical", "universal"};
    BuildOptions build_options;
    build_options.root = plain::random_root(seed);
    const Model m = build(random_robot(seed, options), build_options);
    const Tree<double>& t = m.tree<double>();
    const std::vector<Index> expected = brute_force_tree(t);
    ASSERT_EQ(std::vector<Index>(t.row_parent, t.row_parent + t.nv), expected) << "seed " << seed;
    for (Index k = 0; k < t.spanning_nv; ++k) {
      // the previous column on the path: the nearest smaller one whose body is an ancestor's
      Index previous = k - 1;
      while (previous >= 0 && !on_one_path(t, t.column[previous].body, t.column[k].body)) --previous;
      ASSERT_EQ(t.column[k].parent, previous);
      if (!t.mimic) { ASSERT_EQ(t.row_parent[k], previous); }
    }
    mixed += t.mimic ? 1 : 0;
  }
  EXPECT_GT(mixed, 200);
}

TEST(Mimic, SharedCoordinatesHoldExactlyTheirColumns) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomRobot options;
    options.mimic = 0.7;
    options.joints = 30;
    const Model m = build(random_robot(seed, options));
    const Tree<double>& t = m.tree<double>();
    std::vector<std::set<Index>> bodies(static_cast<std::size_t>(t.nv));
    for (Index i = 0; i < t.spanning_nv; ++i) bodies[static_cast<std::size_t>(t.column[i].v)].insert(t.column[i].body);
    Index count = 0, before = 0;
    for (Index v = 0; v < t.nv; ++v) {
      const std::set<Index>& group = bodies[static_cast<std::size_t>(v)];
      ASSERT_FALSE(group.empty());
      ASSERT_EQ(t.shared_of[v] >= 0, group.size() > 1);
      if (group.size() < 2) continue;
      ++count;
      const SharedCoordinate& s = t.shared[t.shared_of[v]];
      ASSERT_EQ(s.v, v);
      const auto holds = [&](Index b) { return *group.begin() >= b && *group.rbegin() < t.body[b].last; };
      ASSERT_TRUE(holds(s.body));
      for (Index b = s.body + 1; b <= t.n; ++b) ASSERT_FALSE(holds(b));
      ASSERT_EQ(s.own, group.contains(s.body));
    }
    ASSERT_EQ(count, t.shared_count);
    for (Index i = 0; i < t.shared_count; ++i) {
      ASSERT_GE(t.shared[i].body, before);
      before = t.shared[i].body;
    }
  }
}

/// q_b = multiplier q_a + offset: a group moves within the limits of all its joints.
RobotDescription pair_of(double low, double high, double multiplier, double offset) {
  RobotDescription r = tree_of({-1, 0});
  joint(r, "a").lower = {-1}, joint(r, "a").upper = {2}, joint(r, "a").velocity = {3};
  joint(r, "b").lower = {low}, joint(r, "b").upper = {high};
  joint(r, "b").mimic = {"a", multiplier, offset};
  return r;
}

TEST(Mimic, LimitsOfFollowersReachTheLeader) {
  for (const double m : {0.5, 2.0, -1.5, -0.25})
    for (const double offset : {0.0, 0.3, -0.4})
      for (const double high : {0.2, 0.9, 5.0}) {
        const RobotDescription r = pair_of(-0.7, high, m, offset);
        Diagnostics found;
        const Model model = build(r, {}, &found);
        // Brute force: which q of a fine grid keep both joints within their limits.
        double low = 10, most = -10;
        for (int k = 0; k <= 300000; ++k) {
          const double q = -1 + 1e-5 * k, other = m * q + offset;
          if (other < -0.7 || other > high) continue;
          low = std::min(low, q);
          most = std::max(most, q);
        }
        EXPECT_NEAR(model.lower()[0], low, 1.1e-5) << m << " " << offset << " " << high;
        EXPECT_NEAR(model.upper()[0], most, 1.1e-5) << m << " " << offset << " " << high;
        EXPECT_EQ(model.velocity_limit()[0], 3);
        BuildOptions expanded;
        expanded.expand_mimic = true;
        EXPECT_EQ(build(r, expanded).lower()[0], -1) << "with coordinates of its own";
      }
}

TEST(Mimic, LimitsOfChainsUnknownOnesAndSpeeds) {
  RobotDescription r = tree_of({-1, 0, 1});
  joint(r, "b").mimic = {"a", 2, 0.5};
  joint(r, "c").mimic = {"b", -3, 0};  // q_c = -6 q_a - 1.5
  joint(r, "c").lower = {-6}, joint(r, "c").upper = {4.5}, joint(r, "c").velocity = {12};
  const Model chain = build(r);
  EXPECT_NEAR(chain.lower()[0], -1, 1e-15);
  EXPECT_NEAR(chain.upper()[0], 0.75, 1e-15);
  EXPECT_NEAR(chain.velocity_limit()[0], 2, 1e-15);
  joint(r, "c").lower = {-unlimited}, joint(r, "c").upper = {unlimited}, joint(r, "c").velocity = {0};  // 0: unknown
  const Model unknown_ones = build(r);
  EXPECT_TRUE(std::isnan(unknown_ones.lower()[0]) && std::isnan(unknown_ones.velocity_limit()[0]));
}

TEST(Mimic, LimitsThatLeaveNoRoomAreSaidAndThoseOfTheLeaderHold) {
  Diagnostics found;
  const Model model = build(pair_of(0, 0.5, -1, 3), {}, &found);  // q_b = 3 - q_a is above 1
  EXPECT_EQ(model.lower()[0], -1);
  EXPECT_EQ(model.upper()[0], 2);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Diagnostic& d) {
    return d.code == "W_LIMIT" && d.severity == Severity::warning && d.found.find("'b'") != std::string::npos;
  }));
  BuildOptions strict;
  strict.mode = Mode::strict;
  EXPECT_THROW(build(pair_of(0, 0.5, -1, 3), strict), ModelError);
}

}  // namespace
}  // namespace zwang
