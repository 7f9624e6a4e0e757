// SPDX-License-Identifier: BSD-3-Clause
// What cannot be bound is refused by name, in release builds too.
#include <gtest/gtest.h>

#include <limits>

#include "constraint/relations.hpp"

namespace zwang::test {
namespace {

const double k_nan = std::nan("");

/// Adding throws std::invalid_argument whose text names the constraint and every one of `words`.
template <class Type> void expect_refused(const Model& model, const Type& c, std::initializer_list<const char*> words) {
  ConstraintSet set(model);
  try {
    set.add(c);
    ADD_FAILURE() << "taken: " << *words.begin();
  } catch (const std::invalid_argument& e) {
    for (const char* word : words)
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what() << " does not say " << word;
  }
  EXPECT_EQ(set.size(), 0);
}
template <class Type, class F>
void expect_refused_with(const Model& model, Type c, F&& change, std::initializer_list<const char*> words) {
  ConstraintSet set(model);
  EXPECT_NO_THROW(set.add(c));
  change(c);
  expect_refused(model, c, words);
}

Model arm() { return build(sample("arm7")); }

/// What every type with errors refuses.
template <class Type> void expect_common(const Model& m, const Type& good) {
  expect_refused_with(m, good, [](Type& c) { c.name.clear(); }, {"name"});
  expect_refused_with(m, good, [](Type& c) { c.beta.assign(9, 0.0); }, {"row", "beta", "9"});
  expect_refused_with(m, good, [](Type& c) { c.priority = -1; }, {"row", "priority"});
  expect_refused_with(m, good, [](Type& c) { c.policy = Policy::soft; }, {"row", "compliance"});
  expect_refused_with(m, good, [](Type& c) { c.weight = {-1}; }, {"row", "weight"});
  expect_refused_with(m, good, [](Type& c) { c.target.assign(9, 0.0); }, {"row", "target", "9"});
  expect_refused_with(m, good, [](Type& c) { c.target_velocity.assign(9, 0.0); }, {"row", "target_velocity"});
  expect_refused_with(m, good, [](Type& c) { c.stabilisation.time_constant = -1; }, {"row", "time_constant"});
  expect_refused_with(m, good, [](Type& c) { c.stabilisation.damping_ratio = k_nan; }, {"row", "damping_ratio"});
}

TEST(Refusals, OfLoops) {
  const Model m = arm();
  LoopConstraint good;
  good.name = "row";
  good.frame = m.links()[2].name;
  good.other = "tool0";
  expect_common(m, good);
  using C = LoopConstraint;
  expect_refused_with(m, good, [](C& c) { c.in = "world"; }, {"row", "in is 'world'", "local_world_aligned"});
  expect_refused_with(m, good, [](C& c) { c.in = "local_world_aligned"; }, {"row", "'angular.x' holds an angle"});
  expect_refused_with(m, good, [](C& c) { c.other = "tool"; }, {"tool0"});
  expect_refused_with(m, good, [](C& c) { c.frame = "nowhere"; }, {"nowhere"});
  expect_refused_with(m, good, [](C& c) { c.rows.matrix[7] = k_nan; }, {"row", "rows", "7"});
  expect_refused_with(m, good, [](C& c) { c.rows.matrix.pop_back(); }, {"row", "matrix", "35"});
  expect_refused_with(m, good, [](C& c) { c.rows = {}; }, {"row", "no rows"});
  expect_refused_with(m, good,
                      [](C& c) {
                        c.rows = joint_rows("universal", {0, 0, 1}, {1, 0, 0});
                        c.rows.free_axes[3] = 0;
                      },
                      {"row", "second axis"});
  expect_refused_with(m, good,
                      [](C& c) {
                        c.rows = rows("angular");
                        c.rows.free_axes = {0, 0, 1, 1, 0, 0};
                      },
                      {"row", "universal", "3"});
  expect_refused_with(m, good,
                      [](C& c) {
                        c.rows = rows("angular.x");
                        c.rows.free_axes = {0, 0, 1, 1, 0, 0};
                      },
                      {"row", "universal", "not the one"});
  EXPECT_THROW(joint_rows("hinges"), std::invalid_argument);
  EXPECT_THROW(joint_rows("hinge", {0, 0, 0}), std::invalid_argument);
  EXPECT_THROW(joint_rows("hinge", {0, k_nan, 0}), std::invalid_argument);
  EXPECT_THROW(joint_rows("universal", {0, 0, 1}, {0, 0.1, 1}), std::invalid_argument);
}

TEST(Refusals, OfDistances) {
  const Model m = arm();
  DistanceConstraint good;
  good.name = "row";
  good.frame = m.links()[2].name;
  good.other = "tool0";
  good.length = 0.3;
  expect_common(m, good);
  using C = DistanceConstraint;
  expect_refused_with(m, good, [](C& c) { c.length = 0; }, {"row", "length", "ball"});
  expect_refused_with(m, good, [](C& c) { c.length = -0.1; }, {"row", "length"});
  expect_refused_with(m, good, [](C& c) { c.length = k_nan; }, {"row", "length"});
  expect_refused_with(m, good, [](C& c) { c.point.y = k_nan; }, {"row", "point"});
  expect_refused_with(m, good, [](C& c) { c.other_point.z = INFINITY; }, {"row", "other_point"});
  expect_refused_with(m, good, [](C& c) { c.other = "tool9"; }, {"tool0"});
}

TEST(Refusals, OfCouplings) {
  const Model m = arm();
  const std::vector<std::string>& names = m.coordinate_names();
  CouplingConstraint good;
  good.name = "row";
  good.coordinates = {names[0], names[3]};
  good.ratio = {1, -2};
  expect_common(m, good);
  using C = CouplingConstraint;
  expect_refused_with(m, good, [](C& c) { c.coordinates[1] = "elbows"; }, {"row", "elbows"});
  expect_refused_with(m, good, [](C& c) { c.coordinates[1] = c.coordinates[0]; }, {"row", "twice"});
  expect_refused_with(m, good, [](C& c) { c.coordinates.clear(); }, {"row", "coordinates"});
  expect_refused_with(m, good, [](C& c) { c.ratio.pop_back(); }, {"row", "ratio", "2"});
  expect_refused_with(m, good, [](C& c) { c.ratio = {0, 0}; }, {"row", "ratio"});
  expect_refused_with(m, good, [](C& c) { c.ratio[1] = k_nan; }, {"row", "ratio"});
  expect_refused_with(m, good, [](C& c) { c.offset = k_nan; }, {"row", "offset"});
  expect_refused_with(m, good, [](C& c) { c.polynomial = {1}; }, {"row", "polynomial", "not both"});
  good.ratio.clear();
  good.polynomial = {0, 1, 2};
  expect_refused_with(m, good, [](C& c) { c.polynomial[1] = INFINITY; }, {"row", "polynomial"});
  expect_refused_with(m, good, [](C& c) { c.offset = 1; }, {"row", "offset"});
  expect_refused_with(m, good, [&](C& c) { c.coordinates.push_back(names[4]); }, {"row", "coordinates", "3"});
  BuildOptions options;
  options.root = "floating";
  const Model free = build(sample("quadruped"), options);
  good.polynomial.clear();
  good.coordinates = {"root_joint[4]"};
  good.ratio = {1};
  expect_refused(free, good, {"row", "root_joint[4]", "rate is v"});
}

TEST(Refusals, OfRolling) {
  const Model m = arm();
  RollingConstraint good;
  good.name = "row";
  good.frame = "tool0";
  good.radius = 0.3;
  expect_common(m, good);
  using C = RollingConstraint;
  expect_refused_with(m, good, [](C& c) { c.radius = -1; }, {"row", "radius"});
  expect_refused_with(m, good, [](C& c) { c.radius = k_nan; }, {"row", "radius"});
  expect_refused_with(m, good, [](C& c) { c.axis.x = k_nan; }, {"row", "axis"});
  expect_refused_with(m, good, [](C& c) { c.normal = {0, 0, 0}; }, {"row", "normal"});
  expect_refused_with(m, good, [](C& c) { c.normal.x = k_nan; }, {"row", "normal"});
  expect_refused_with(m, good, [](C& c) { c.tangent = {0, 0, 2}; }, {"row", "tangent"});
  expect_refused_with(m, good, [](C& c) { c.plane_point.x = k_nan; }, {"row", "plane_point"});
  expect_refused_with(m, good, [](C& c) { c.rows = "tangent3"; }, {"row", "tangent3"});
  expect_refused_with(m, good, [](C& c) { c.rows = "normal normal"; }, {"row", "twice"});
  expect_refused_with(m, good, [](C& c) { c.rows = " ,"; }, {"row", "rows"});
  expect_refused_with(m, good, [](C& c) { c.other = "floor"; }, {"floor"});
}

TEST(Refusals, OfCentresOfMass) {
  const Model m = arm();
  CentreOfMassConstraint good;
  good.name = "row";
  expect_common(m, good);
  using C = CentreOfMassConstraint;
  expect_refused_with(m, good, [](C& c) { c.rows = rows("all"); }, {"row", "angular.x"});
  expect_refused_with(m, good, [](C& c) { c.rows.names.pop_back(); }, {"row", "matrix"});
  expect_refused_with(m, good, [](C& c) { c.rows = {}; }, {"row", "no rows"});
  expect_refused_with(m, good, [](C& c) { c.matrix = {1, 2, 3, 4}; }, {"row", "3 columns", "4"});
  expect_refused_with(m, good, [](C& c) { c.matrix = {1, 2, k_nan}; }, {"row", "matrix"});
}

struct Nothing : CustomRows {
  explicit Nothing(Index count) : n(count) {}
  Index rows() const override { return n; }
  void evaluate(const double*, const double*, double*, double*, double*) const override {}
  Index n;
};

TEST(Refusals, OfTheUsersOwnRows) {
  const Model m = arm();
  CustomConstraint good;
  good.name = "row";
  good.rows = std::make_shared<Nothing>(2);
  expect_common(m, good);
  using C = CustomConstraint;
  expect_refused_with(m, good, [](C& c) { c.rows = nullptr; }, {"row", "rows"});
  expect_refused_with(m, good, [](C& c) { c.rows = std::make_shared<Nothing>(0); }, {"row", "at least 1"});
  expect_refused_with(m, good, [](C& c) { c.rows = std::make_shared<Nothing>(-3); }, {"row", "at least 1", "-3"});
  for (const Index many : {k_most_rows + 1, std::numeric_limits<Index>::max()})  // of the last: memory for no names
    expect_refused_with(m, good, [=](C& c) { c.rows = std::make_shared<Nothing>(many); }, {"row", "at most 20000"});
  expect_refused_with(m, good, [](C& c) { c.row_names = {"one"}; }, {"row", "row_names"});
  expect_refused_with(m, good, [](C& c) { c.coordinates = {"elbows"}; }, {"row", "elbows"});
  expect_refused_with(m, good, [&](C& c) { c.coordinates.assign(2, m.coordinate_names()[0]); }, {"row", "twice"});
}

TEST(Refusals, OfTargets) {
  const Model m = arm();
  FrameConstraint f;
  f.name = "row";
  f.frame = "tool0";
  f.has_target = true;
  expect_common(m, f);
  using F = FrameConstraint;
  expect_refused_with(m, f, [](F& c) { c.in = "world"; }, {"row", "world", "origin"});
  expect_refused_with(m, f, [&](F& c) { c.in = m.links()[3].name; }, {"row", "moves"});
  expect_refused_with(m, f, [](F& c) { c.acceleration = AccelerationKind::spatial; }, {"row", "classical"});
  expect_refused_with(m, f, [](F& c) { c.target_pose.p.z = k_nan; }, {"row", "target_pose"});
  expect_refused_with(m, f, [](F& c) { c.target_pose.R.r0.x = -1; }, {"row", "target_pose", "rotation"});
  expect_refused_with(m, f,
                      [](F& c) {
                        c.has_target = false;
                        c.stabilisation.time_constant = 0.1;
                      },
                      {"row", "target_pose"});
  ContactConstraint p;
  p.name = "row";
  p.frame = "tool0";
  p.has_target = true;
  expect_common(m, p);
  using P = ContactConstraint;
  expect_refused_with(m, p, [](P& c) { c.target_point.x = k_nan; }, {"row", "target_point"});
  expect_refused_with(m, p,
                      [](P& c) {
                        c.has_target = false;
                        c.target = {0, 0, 0};
                      },
                      {"row", "target_point"});
}

}  // namespace
}  // namespace zwang::test
