// SPDX-License-Identifier: BSD-3-Clause
// Constraint::stamp: every write of anything raises it, nothing else does.
#include <gtest/gtest.h>

#include <functional>

#include "zwang/constraint/constraint_set.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

ConstraintSet held(const Model& m) {
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("linear"), .has_target = true});
  set.add(LoopConstraint{.name = "loop", .frame = "link1", .other = "link5", .rows = rows("linear.x")});
  return set;
}

/// Each of them changes another member.
const std::vector<std::function<void(Constraint&)>>& writes() {
  using C = Constraint;
  static const std::vector<std::function<void(C&)>> all = {
      [](C& c) { c.name = "other"; },
      [](C& c) { c.type = "other"; },
      [](C& c) { c.frame = "other"; },
      [](C& c) { c.other = std::string("other"); },
      [](C& c) { c.in = "local"; },
      [](C& c) { c.acceleration = AccelerationKind::spatial; },
      [](C& c) {
        c.row_names = {"a", "b", "c"};
      },
      [](C& c) { c.row_names[1] = "b"; },
      [](C& c) { c.rows_on_body = RowsOnBody{}; },
      [](C& c) { c.rows_on_body.change([](RowsOnBody& r) { r.body = 1; }); },
      [](C& c) { c.relation = nullptr; },
      [](C& c) { c.unilateral = true; },
      [](C& c) { c.friction = std::optional<double>(0.5); },
      [](C& c) {
        c.beta = {1, 2, 3};
      },
      [](C& c) { c.beta = std::vector<double>(3); },
      [](C& c) { c.beta[0] = 3; },
      [](C& c) { c.beta[0] = c.beta[1]; },
      [](C& c) { c.beta[1] += 2; },
      [](C& c) { c.beta[1] -= 2; },
      [](C& c) { c.beta[1] *= 2; },
      [](C& c) { c.beta[1] /= 2; },
      [](C& c) { c.beta.resize(1); },
      [](C& c) { c.beta.assign(3, 0.0); },
      [](C& c) {
        c.beta.assign({1.0, 2.0});
      },
      [](C& c) { c.beta.push_back(1); },
      [](C& c) { c.beta.clear(); },
      [](C& c) { c.beta.change([](std::vector<double>& x) { x.shrink_to_fit(); }); },
      [](C& c) { c.role = Role::driver; },
      [](C& c) { c.active = !c.active; },
      [](C& c) { c.policy = Policy::soft; },
      [](C& c) { c.priority = 2; },
      [](C& c) { c.priority += 1; },
      [](C& c) { c.compensate = {.gravity = false}; },
      [](C& c) { c.compensate = {}; },
      [](C& c) { c.compensate.tau = false; },
      [](C& c) {
        c.compliance = {1, 1, 1};
      },
      [](C& c) {
        c.weight = {1, 1, 1};
      },
      [](C& c) {
        c.sense = {Sense::at_least, Sense::equal, Sense::at_most};
      },
      [](C& c) { c.sense.push_back(Sense::at_most); },
      [](C& c) {
        c.limit = {1, 1, 1};
      },
      [](C& c) {
        c.stabilisation = {0.1, 1};
      },
      [](C& c) { c.stabilisation = {}; },
      [](C& c) { c.stabilisation.time_constant = 0.5; },
      [](C& c) { c.stabilisation.damping_ratio *= 2; },
      [](C& c) {
        c.target = {1, 2, 3};
      },
      [](C& c) { c.target = {}; },
      [](C& c) { c.target_velocity.clear(); },
  };
  return all;
}

TEST(Stamp, EveryWriteRaisesIt) {
  const Model m = build(sample("arm7"));
  ConstraintSet set = held(m);
  for (std::size_t k = 0; k < writes().size(); ++k) {
    Constraint c = set.constraints()[0];
    c.beta = {1, 2, 3};
    const std::uint64_t before = c.stamp();
    writes()[k](c);
    EXPECT_GT(c.stamp(), before) << "write " << k;
    const std::uint64_t first = c.stamp();
    c.beta.resize(3);
    c.row_names.resize(3);
    writes()[k](c);  // the same again: a write is a change whatever was there
    EXPECT_GT(c.stamp(), first) << "write " << k;
  }
}

TEST(Stamp, ReadingLeavesIt) {
  const Model m = build(sample("arm7"));
  ConstraintSet set = held(m);
  Constraint& c = set["tool"];
  const std::uint64_t before = c.stamp();
  double sum = c.beta[0] + c.beta.front() + c.beta.back() + *c.beta.data() + c.beta.at(1);
  for (const double b : c.beta) sum += b;
  const std::vector<double>& all = c.beta;
  const std::vector<double> copy = c.beta;
  const Stabilisation s = c.stabilisation;
  const RowsOnBody& r = c.rows_on_body;
  const Relation* const relation = c.relation.get();
  EXPECT_TRUE(c.name == "tool" && c.active && c.policy == Policy::hard && c.compensate.all() && c.beta == all);
  EXPECT_EQ("held " + c.name + ", " + c.type, "held tool, frame");
  EXPECT_EQ(c.beta[1], 0);
  EXPECT_EQ(sum + s.time_constant + c.stabilisation.time_constant, 0);
  EXPECT_EQ(copy.size(), c.beta.size());
  EXPECT_EQ(r.matrix.size(), 6 * c.rows_on_body->matrix.size() / 6);
  EXPECT_EQ(relation->rows(), c.relation->rows());
  const Constraint other = c;
  EXPECT_EQ(c.stamp(), before);
  EXPECT_EQ(other.beta, c.beta);
}

TEST(Stamp, NeverFalls) {
  const Model m = build(sample("arm7"));
  ConstraintSet set = held(m);
  Constraint much = set["tool"], little = set["loop"];
  for (int k = 0; k < 1000; ++k) much.beta[0] = k;
  std::uint64_t before = much.stamp();
  much = little;
  EXPECT_GT(much.stamp(), before);
  EXPECT_EQ(much.name, "loop");
  before = much.stamp();
  much = std::move(little);
  EXPECT_GT(much.stamp(), before);
  before = much.stamp();
  const std::uint64_t others = little.stamp();
  std::swap(much, little);
  EXPECT_GT(much.stamp(), before);
  EXPECT_GT(little.stamp(), others);
  const std::uint64_t source = much.stamp();
  const Constraint taken = std::move(much);
  EXPECT_GT(much.stamp(), source);
}

TEST(Stamp, OfASetThatAnotherOneIsAssignedTo) {
  const Model m = build(sample("arm7"));
  ConstraintSet set = held(m), other = held(m), longer = held(m);
  for (int k = 0; k < 20; ++k)
    longer.add(FrameConstraint{.name = "more" + std::to_string(k), .frame = "tool0", .rows = rows("linear.x")});
  set["tool"].beta[0] = 1;
  for (int k = 0; k < 1000; ++k) set["loop"].active = k % 2 == 0;
  for (const ConstraintSet* from : {&other, &longer, &other}) {
    std::vector<std::uint64_t> before;
    for (const Constraint& c : set.constraints()) before.push_back(c.stamp());
    set = *from;
    for (std::size_t k = 0; k < std::min(before.size(), set.constraints().size()); ++k)
      EXPECT_GT(set.constraints()[k].stamp(), before[k]) << k;
  }
  const std::uint64_t before = set["tool"].stamp();
  set = ConstraintSet(other);
  EXPECT_GT(set["tool"].stamp(), before);
}

TEST(Stamp, IsRaisedBySwitchingAGroup) {
  const Model m = build(sample("arm7"));
  ConstraintSet set = held(m);
  set.add_group("both", {"tool", "loop"});
  const std::uint64_t tool = set["tool"].stamp(), loop = set["loop"].stamp();
  set.set_active("both", false);
  EXPECT_GT(set["tool"].stamp(), tool);
  EXPECT_GT(set["loop"].stamp(), loop);
}

TEST(Stamp, EveryOptionIsVisited) {
  Holding h;
  int count = 0;
  for_each_option([&](const RowOption&, auto) { ++count; }, Type<Holding>());
  const auto& [beta, role, active, policy, priority, compensate, compliance, weight, sense, limit, stabilisation,
               target, target_velocity] = h;
  EXPECT_EQ(count, 13);
  static_cast<void>(std::tie(beta, role, active, policy, priority, compensate, compliance, weight, sense, limit,
                             stabilisation, target, target_velocity));
}

}  // namespace
}  // namespace zwang::test
