// SPDX-License-Identifier: BSD-3-Clause
// What a batch warns of is what solvers of one state warn of, counted:
// by row, over states of which some violate the rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "batch/arrays.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/assembly.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Kind = SolveWarning::Kind;

template <class T> class BatchWarnings : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchWarnings, Numbers);

using Counts = std::map<std::tuple<Kind, std::string, bool>, std::pair<long, double>>;

void count(const SolveReport& report, bool last, double notable, Counts& counts) {
  for (const SolveWarning& w : report.warnings) {
    if (w.kind != Kind::position_violates && w.kind != Kind::velocity_violates && w.kind != Kind::contact_pulls)
      continue;
    if (w.kind != Kind::contact_pulls && std::fabs(w.value) <= notable) continue;
    auto& [states, largest] = counts[{w.kind, std::string(w.row), last}];
    ++states;
    if (std::fabs(w.value) > std::fabs(largest)) largest = w.value;
  }
}

void expect_equal(const std::vector<BatchWarning>& got, const Counts& wanted, double tolerance) {
  EXPECT_EQ(got.size(), wanted.size());
  for (const BatchWarning& w : got) {
    const auto at = wanted.find({w.kind, w.row, w.at_last_step});
    ASSERT_NE(at, wanted.end()) << w.text();
    EXPECT_EQ(w.states, at->second.first) << w.text();
    EXPECT_NEAR(w.largest, at->second.second, tolerance * (1 + std::fabs(w.largest))) << w.text();
  }
}

ConstraintSet feet(const Model& m) {
  ConstraintSet set(m);
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
  set.add(FrameConstraint{.name = "trunk", .frame = "trunk", .role = Role::driver});  // nobody is warned of a demand
  set.add(ContactConstraint{.name = "again", .frame = "LF_foot"});                    // dependent where it is on
  return set;
}
ConstraintSet soft_feet(const Model& m) {
  ConstraintSet set = feet(m);
  set["RF_foot"].policy = Policy::soft;
  set["RF_foot"].compliance = {1e-4, 1e-4, 1e-4};
  return set;
}
ConstraintSet distances(const Model& m) {
  ConstraintSet set(m);
  set.add(DistanceConstraint{.name = "rod", .frame = "LF_foot", .other = "RF_foot", .length = 0.4});
  set.add(DistanceConstraint{.name = "closing", .frame = "LH_foot", .other = "RH_foot", .length = 0.4});
  set["closing"].stabilisation.time_constant = 0.1;
  set["rod"].target_velocity = std::vector<double>{0.1};
  set.add(ContactConstraint{.name = "again", .frame = "RH_foot"});
  set.add(CentreOfMassConstraint{.name = "centre"});  // without a target it has no position to violate
  return set;
}

TYPED_TEST(BatchWarnings, AreThoseOfOneStateCounted) {
  using T = TypeParam;
  const double notable = sizeof(T) < 8 ? 1e-4 : 1e-6;
  const Model m = build(sample("quadruped"), {.root = "floating"});
  const long n = 45;
  for (ConstraintSet (*const rows)(const Model&) : {feet, soft_feet, distances}) {
    const ConstraintSet set = rows(m);
    States<T> x = random_states<T>(m, n, 11, 0.3);
    StateRows<T> active(n, set.size()), acceleration(n, m.nv());
    for (long s = 0; s < n; ++s) {
      if (s % 4 == 0) x.v.row(s).setZero();  // violates no row but one
      for (Index k = 0; k < set.size(); ++k)
        active(s, k) = set.constraints()[static_cast<std::size_t>(k)].name.value() == "again" ? s % 7 == 0 : s % 5 != k;
    }
    Counts wanted;
    ConstraintSet own = set;
    Solver one(m, own);
    for (long s = 0; s < n; ++s) {
      for (Index k = 0; k < set.size(); ++k)
        own[set.constraints()[static_cast<std::size_t>(k)].name].active = active(s, k) != 0;
      count(one.solve({.q = x.q_of(s), .v = x.v_of(s)}).report, false, notable, wanted);
    }
    ASSERT_FALSE(wanted.empty());
    for (const int threads : {1, 2}) {
      BasicBatchSolver<T> batch(m, set, {}, {.threads = threads});
      batch.solve({.q = x.q, .v = x.v, .active = active}, {.acceleration = acceleration});
      // Forces of float are off by their condition; velocities along rows by a few roundings.
      expect_equal(batch.warnings(), wanted, sizeof(T) < 8 ? 2e-3 : 1e-9);
    }
  }
}

TYPED_TEST(BatchWarnings, OfARolloutAreAtItsStartAndItsEnd) {
  using T = TypeParam;
  const double notable = sizeof(T) < 8 ? 1e-4 : 1e-6;
  const Model m = build(sample("quadruped"), {.root = "floating"});
  const long n = 21;
  const int steps = 12;
  ConstraintSet set(m);
  set.add(DistanceConstraint{.name = "rod", .frame = "LF_foot", .other = "RF_foot", .length = 0.4});
  set.add(ContactConstraint{.name = "foot", .frame = "RH_foot"});
  set.add(ContactConstraint{.name = "again", .frame = "RH_foot"});  // solved alone
  for (const RolloutIntegrator integrator : {RolloutIntegrator::semi_implicit, RolloutIntegrator::rk4})
    for (const bool dependent : {false, true}) {
      set["again"].active = dependent;
      States<T> x = random_states<T>(m, n, 12, 0.3);
      for (long s = 0; s < n; s += 3) x.v.row(s).setZero();
      StateRows<T> q(n, m.nq()), v(n, m.nv()), qs(n, m.nq() * steps), vs(n, m.nv() * steps);
      BasicBatchSolver<T> batch(m, set, {}, {.threads = 2});
      ASSERT_TRUE(batch
                      .rollout({.q = x.q, .v = x.v, .steps = steps, .step = 5e-3, .integrator = integrator},
                               {.q = q, .v = v, .q_trajectory = qs, .v_trajectory = vs})
                      .good());
      EXPECT_EQ(batch.solved_alone() > 0, dependent);
      Counts wanted;
      Solver one(m, set);
      const auto look = [&](const Vector& q_now, const Vector& v_now, bool last) {
        Counts all;
        count(one.solve({.q = q_now, .v = v_now}).report, last, notable, all);
        for (const auto& [key, x_of] : all) {
          if (std::get<0>(key) == Kind::contact_pulls) continue;
          auto& [states, largest] = wanted[key];
          states += x_of.first;
          if (std::fabs(x_of.second) > std::fabs(largest)) largest = x_of.second;
        }
      };
      for (long s = 0; s < n; ++s) {
        look(x.q_of(s), x.v_of(s), false);
        look(qs.row(s).segment(m.nq() * (steps - 2), m.nq()).template cast<double>().transpose(),
             vs.row(s).segment(m.nv() * (steps - 2), m.nv()).template cast<double>().transpose(), true);
      }
      ASSERT_TRUE(std::any_of(wanted.begin(), wanted.end(), [](const auto& w) { return std::get<2>(w.first); }));
      expect_equal(batch.warnings(), wanted, sizeof(T) < 8 ? 1e-4 : 1e-9);
    }
}

TEST(BatchWarning, SaysTheRowTheStatesAndTheAmount) {
  const BatchWarning fast{Kind::velocity_violates, "foot:normal", 3, -2.5, false};
  const SolveWarning one{Kind::velocity_violates, "foot:normal", -2.5},
      other{Kind::position_violates, "rod:distance", 0.25};
  EXPECT_EQ(fast.text(), "in 3 states, at worst: " + one.text());
  const BatchWarning open{Kind::position_violates, "rod:distance", 1, 0.25, true};
  EXPECT_EQ(open.text(), "in 1 state where the last step begins, at worst: " + other.text());
}

}  // namespace
}  // namespace zwang::test
