// SPDX-License-Identifier: BSD-3-Clause
// Motions: controls, prescribed coordinates, events, how a motion ends, records, threads.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "simulation/cases.hpp"
#include "support/robots.hpp"
#include "support/says.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

/// A call throws an error of a type whose text has these words.
template <class Error, class Call> void expect_says(Call&& call, std::initializer_list<const char*> words) {
  EXPECT_THROW(call(), Error);
  for (const char* word : words) EXPECT_SAYS(word, call());
}

using Vector = Eigen::VectorXd;

/// A body of 2 kg on a vertical rail.
Model lift() {
  RobotDescription d{.name = "lift"};
  LinkDescription box{.name = "box", .mass = 2, .inertia = Sym3<double>::diagonal(1, 1, 1)};
  d.links = {{.name = "base"}, box};
  d.joints = {{.name = "rail", .type = "prismatic", .parent = "base", .child = "box"}};
  return build(d);
}
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0);
}

/// A spring in the control: z'' = -k/m (z - 1) - g, a closed form.
TEST(Motion, FollowsItsControl) {
  const Model m = lift();
  const ConstraintSet none(m);
  const double w = 3, rest = 1 - 9.81 / (w * w);
  for (const std::string& name : integrators()) {
    Simulator x(m, none, {.time = 2, .dt = 1e-4, .integrator = integrator_of(name)});
    long calls = 0;
    x.set_control([&](SimulationStage& s) {
      ++calls;
      s.tau[0] -= 2 * w * w * (s.q[0] - 1);
    });
    const Vector q = Vector::Constant(1, 0.3);
    ASSERT_TRUE(x.start({.q = q}));
    while (x.step()) {
      const double right = rest + (0.3 - rest) * std::cos(w * x.state().time);
      ASSERT_NEAR(x.state().q[0], right, name == "semi_implicit" ? 1e-3 : 1e-7) << name;
    }
    EXPECT_EQ(x.report().status, Status::ok);
    EXPECT_DOUBLE_EQ(x.state().time, 2);
    EXPECT_EQ(x.report().steps, 20000);
    EXPECT_GT(calls, 20000);
  }
}

/// Another push between two steps: the body of 2 kg falls with g, and rises with 6 m/s^2 from just that step on.
TEST(Motion, TakesForcesThatHaveChangedFromTheNextStepOn) {
  const Model m = lift();
  const ConstraintSet none(m);
  const double dt = 0.01;
  for (const std::string& name : integrators()) {
    for (const bool anew : {false, true}) {  // told that the forces have changed, or given another control
      Simulator x(m, none, {.time = 1, .dt = dt, .integrator = integrator_of(name)});
      double push = 0;
      x.set_control([&](SimulationStage& s) { s.tau[0] = push; });
      ASSERT_TRUE(x.start({.q = neutral(m)}));
      for (int k = 0; k < 3; ++k) ASSERT_TRUE(x.step());
      const double height = x.state().q[0];
      push = 2 * (9.81 + 6);
      anew ? x.set_control([](SimulationStage& s) { s.tau[0] = 2 * (9.81 + 6); }) : x.forces_changed();
      EXPECT_NEAR(x.state().acceleration[0], -9.81, 1e-14) << name;  // of the state as it was reached
      for (int k = 1; k < 4; ++k) {
        ASSERT_TRUE(x.step());
        EXPECT_NEAR(x.state().v[0], -9.81 * 3 * dt + 6 * k * dt, 1e-14) << name << ", step " << k;
      }
      const double time = 3 * dt, way = -9.81 * 3 * dt * time + 0.5 * 6 * time * time;  // semi_implicit: 6 h t / 2 more
      EXPECT_NEAR(x.state().q[0] - height, way + (name == "semi_implicit" ? 0.5 * 6 * dt * time : 0), 1e-14) << name;
    }
  }
}

/// At rest, while the motor pushes more and more: the row's force is that of each time.
TEST(Motion, KnowsThatForcesDependOnTime) {
  const Model m = lift();
  ConstraintSet set(m);
  set.add(JointConstraint{.name = "held", .coordinates = {"rail"}, .target = {0}});
  for (const std::string& name : integrators()) {
    const SimulationSettings s{.time = 0.1, .dt = 0.01, .integrator = integrator_of(name), .keep = Keep::projection};
    const Trajectory t = simulate(m, set, {.q = neutral(m)}, s, [](SimulationStage& x) { x.tau[0] = 100 * x.time; });
    for (Eigen::Index k = 0; k < t.states(); ++k)
      EXPECT_NEAR(t.multipliers()(0, k), 2 * 9.81 - 100 * t.time[static_cast<std::size_t>(k)], 1e-10) << name;
  }
}

TEST(Motion, MovesPrescribedCoordinatesAsTheControlSays) {
  const Model m = build(sample("arm7"));
  const ConstraintSet none(m);
  Prescribed list;
  prescribe(m, list, m.joint_names()[1], {0});
  Simulator x(m, none, {.time = 0.5, .dt = 1e-3, .integrator = Integrator::rk4});
  x.set_control([](SimulationStage& s) { s.prescribed[0].acceleration = 6 * s.time; });
  const Trajectory t = x.run({.q = neutral(m), .prescribed = &list});
  ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
  EXPECT_NEAR(t.q()(1, t.states() - 1), 0.125, 1e-12);  // t^3
  EXPECT_NEAR(t.v()(1, t.states() - 1), 0.75, 1e-12);
  EXPECT_THROW(
      Simulator(m, none, {.integrator = Integrator::variational}).start({.q = neutral(m), .prescribed = &list}),
      UnsupportedError);
}

/// Targets that move: a crank turned by a driver with target and target velocity.
TEST(Motion, HoldsTargetsThatMove) {
  const Model m = pendulum();
  ConstraintSet set(m);
  set.add(JointConstraint{.name = "turn", .coordinates = {"pin"}, .target = {0}, .target_velocity = {0}});
  for (const Integrator i :
       {Integrator::semi_implicit, Integrator::rk4, Integrator::half_explicit, Integrator::variational}) {
    Simulator x(m, set, {.time = 1, .dt = 0.01, .integrator = i, .keep = Keep::projection});
    x.set_control([](SimulationStage& s) {
      Constraint& turn = s.constraints["turn"];
      turn.target[0] = std::sin(2 * s.time);
      turn.target_velocity[0] = 2 * std::cos(2 * s.time);
      turn.beta[0] = -4 * std::sin(2 * s.time);
    });
    const Trajectory t = x.run({.q = neutral(m)});
    ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
    for (Eigen::Index k = 0; k < t.states(); ++k) {
      const double time = t.time[static_cast<std::size_t>(k)];
      EXPECT_NEAR(t.q()(0, k), std::sin(2 * time), 1e-12) << name_of(i);
      EXPECT_NEAR(t.v()(0, k), 2 * std::cos(2 * time), 1e-12) << name_of(i);
      // tau = I q'' + m g l / 2 sin q
      EXPECT_NEAR(t.multipliers()(0, k), -4 / 3. * std::sin(2 * time) + 9.81 / 2 * std::sin(std::sin(2 * time)), 1e-11);
    }
  }
}

/// A ball that bounces with E = 1/2: times and heights by the closed form; each time located to rounding.
TEST(Motion, FindsTheTimesOfEvents) {
  const Model m = lift();
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "floor", .frame = "box", .rows = rows("linear.z"), .active = false});
  for (const Integrator i : {Integrator::rk4, Integrator::half_explicit, Integrator::variational}) {
    if (i == Integrator::variational) {  // the floor has no position error
      EXPECT_THROW(Simulator(m, set, {.integrator = i}), UnsupportedError);
      continue;
    }
    Simulator x(m, set, {.time = 1.2, .dt = 0.07, .integrator = i});
    x.add_event({.name = "bounce",
                 .function = point_height(m, "box", {0, 0, 0}, {0, 0, 2}),
                 .bounce = {"floor"},
                 .restitution = {{"floor", {0.5}}}});
    const Vector q = Vector::Ones(1);
    const Trajectory t = x.run({.q = q});
    ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
    const double first = std::sqrt(2 / 9.81);
    ASSERT_GE(t.events.size(), 2u);
    for (int k = 0; k < 2; ++k) {  // after the k-th: twice the time of a fall from 4^-k
      const EventRecord& e = t.events[static_cast<std::size_t>(k)];
      const double right = first * (k == 0 ? 1 : 2);
      EXPECT_NEAR(e.time, right, 1e-12) << name_of(i);
      EXPECT_NEAR(e.impulse[0], 2 * 9.81 * first * 1.5 * std::pow(0.5, k), 1e-10);
      EXPECT_NEAR(e.energy_after / e.energy_before, 0.25, 1e-10);
      EXPECT_EQ(t.time[static_cast<std::size_t>(e.state)], t.time[static_cast<std::size_t>(e.state) - 1]);
      EXPECT_NEAR(t.v()(0, e.state), -0.5 * t.v()(0, e.state - 1), 1e-12);
    }
  }
}

/// It lands, stays, is lifted, and lets go where the floor would pull; then stops at a height.
TEST(Motion, SwitchesRowsAtEvents) {
  const Model m = lift();
  ConstraintSet set(m);
  set.add(ContactConstraint{.name = "floor", .frame = "box", .normal = {0, 0, 1}, .rows = 1, .active = false});
  Simulator x(m, set, {.time = 5, .dt = 0.01, .integrator = Integrator::rk4, .keep = Keep::projection});
  x.add_event({.name = "land", .function = point_height(m, "box", {0, 0, 0}, {0, 0, 1}), .on = {"floor"}});
  x.add_event({.name = "leave", .function = row_multiplier(set, "floor:normal"), .off = {"floor"}});
  x.add_event(
      {.name = "high", .function = coordinate_value(m, "rail", 0.2), .crossing = Crossing::rising, .stop = true});
  x.set_control([](SimulationStage& s) { s.tau[0] = 10 * s.time; });
  const Vector q = Vector::Constant(1, 0.1);
  const Trajectory t = x.run({.q = q});
  ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
  ASSERT_EQ(t.events.size(), 3u);
  EXPECT_EQ(t.events[0].name, "land");
  EXPECT_EQ(t.events[1].name, "leave");
  EXPECT_EQ(t.events[2].name, "high");
  const double leave = 1.962, up = std::cbrt(0.2 * 6 / 5);  // 10 t = 2 g; z = 5/6 (t - leave)^3
  EXPECT_NEAR(t.events[1].time, leave, 1e-10);
  EXPECT_NEAR(t.report.time, leave + up, 1e-9);
  EXPECT_NEAR(t.q()(0, t.states() - 1), 0.2, 1e-10);
  EXPECT_TRUE(t.events[1].impulse.empty());
  EXPECT_TRUE(set.constraints()[0].active == false);  // the user's set is as it was
  // Again: the same to the bit.
  const Trajectory again = x.run({.q = q});
  EXPECT_TRUE(same_bits(t.q_numbers, again.q_numbers) && same_bits(t.time, again.time));
}

TEST(Motion, EndsAtTheLastGoodStateWithItsReason) {
  const Model m = lift();
  ConstraintSet set(m);
  set.add(JointConstraint{.name = "a", .coordinates = {"rail"}, .beta = {1}, .active = false});
  set.add(JointConstraint{.name = "b", .coordinates = {"rail"}, .beta = {2}});
  Simulator x(m, set, {.time = 1, .dt = 0.01, .every = 7});
  x.set_control([](SimulationStage& s) { s.constraints["a"].active = s.time > 0.305; });
  Trajectory t = x.run({.q = neutral(m)});
  EXPECT_EQ(t.report.status, Status::infeasible);
  EXPECT_NEAR(t.report.time, 0.30, 1e-12);
  EXPECT_DOUBLE_EQ(t.time.back(), t.report.time);  // recorded although it is no seventh state
  EXPECT_EQ(t.states(), 6);
  EXPECT_NE(t.report.reason.find("a:"), std::string::npos) << t.report.reason;
  EXPECT_NEAR(t.v()(0, t.states() - 1), 0.6, 1e-12);

  ConstraintSet none(m);
  Simulator y(m, none, {.time = 1, .dt = 0.01});
  y.set_control([](SimulationStage& s) {
    if (s.time > 0.5) s.tau[0] = std::numeric_limits<double>::quiet_NaN();
  });
  t = y.run({.q = neutral(m)});
  EXPECT_EQ(t.report.status, Status::non_finite_input);
  EXPECT_NEAR(t.report.time, 0.5, 1e-12);
  y.set_control([](SimulationStage& s) { s.tau[0] = 1e6 * s.v[0] * std::fabs(s.v[0]); });
  t = y.run({.q = neutral(m)});
  EXPECT_EQ(t.report.status, Status::not_converged);  // v goes to infinity at a finite time
  EXPECT_NE(t.report.reason.find("too fast"), std::string::npos) << t.report.reason;
  for (const double q : t.q_numbers) EXPECT_TRUE(std::isfinite(q));

  y.set_control(nullptr);
  struct {
    int left = 10;
  } counter;
  y.on_progress([](void* c, double, double) { return --static_cast<decltype(counter)*>(c)->left > 0; }, &counter);
  t = y.run({.q = neutral(m)});
  EXPECT_EQ(t.report.status, Status::stopped);
  EXPECT_EQ(t.states(), 11);
  y.on_progress(nullptr, nullptr);
  y.set_control([](SimulationStage& s) {
    if (s.time > 0.5) throw std::runtime_error("mine");
  });
  EXPECT_THROW(y.run({.q = neutral(m)}), std::runtime_error);
  EXPECT_NEAR(y.state().time, 0.5, 1e-12);
}

/// Without feedback a loop drifts; with its own feedback or by projection it does not.
TEST(Motion, KeepsLoopsAsItIsTold) {
  const Model m = load(model_file("four_bar.urdf"));
  const auto set = [&](double time_constant) {
    ConstraintSet x(m);
    x.add(LoopConstraint{.name = "pin",
                         .frame = "rod_end",
                         .other = "crank_pin",
                         .rows = joint_rows("hinge", {0, 0, 1}),
                         .stabilisation = {time_constant, 1}});
    return x;
  };
  const ConstraintSet loose = set(0), tied = set(0.05);
  const auto motor = [](SimulationStage& s) { s.tau[0] = 0.1 * (6 - s.v[0]); };
  const auto run = [&](const ConstraintSet& x, Keep keep) {
    return simulate(
        m, x, {.q = neutral(m)},
        {.time = 1.005, .dt = 0.01, .integrator = Integrator::semi_implicit, .keep = keep, .drift_tolerance = 1},
        motor);
  };
  const Trajectory drifting = run(loose, Keep::stabilisation), stabilised = run(tied, Keep::stabilisation),
                   projected = run(loose, Keep::projection);
  for (const Trajectory* t : {&drifting, &stabilised, &projected}) {
    ASSERT_EQ(t->report.status, Status::ok) << t->report.reason;
    EXPECT_EQ(t->states(), 102);
    EXPECT_DOUBLE_EQ(t->time.back(), 1.005);
    EXPECT_NEAR(t->time[100], 1.0, 1e-15);
  }
  EXPECT_GT(drifting.report.error, 1e-3);
  EXPECT_LT(stabilised.error.back(), 0.3 * drifting.error.back());
  EXPECT_LT(projected.report.error, 1e-11);
  // A start that is open is closed first; how far it was moved is said.
  Vector q = neutral(m);
  q[0] += 0.01;
  const Trajectory closed = simulate(m, loose, {.q = q}, {.time = 0.01, .keep = Keep::projection});
  EXPECT_GT(closed.report.start_distance, 1e-4);
  EXPECT_LT(closed.error[0], 1e-11);
}

TEST(Motion, IsTheSameOnEveryNumberOfThreads) {
  const DoubleFourBar x(0.1);
  const int n = 9;
  Eigen::MatrixXd q(x.model.nq(), n), tau(x.model.nv(), 1);
  for (int k = 0; k < n; ++k) q.col(k) = x.at(0.3 + 0.1 * k);
  q(0, 4) = std::numeric_limits<double>::quiet_NaN();
  tau.setConstant(0.5);
  for (const std::string& name : integrators()) {
    const SimulationSettings s{.time = 0.1, .dt = 5e-3, .integrator = integrator_of(name), .keep = Keep::projection};
    const std::vector<Trajectory> one = simulate_states(x.model, x.set, q, Eigen::MatrixXd(x.model.nv(), 0), tau, s, 1);
    for (const int threads : {2, 5}) {
      const std::vector<Trajectory> all =
          simulate_states(x.model, x.set, q, Eigen::MatrixXd(x.model.nv(), 0), tau, s, threads);
      for (std::size_t k = 0; k < one.size(); ++k) {
        EXPECT_TRUE(same_bits(one[k].q_numbers, all[k].q_numbers) && same_bits(one[k].v_numbers, all[k].v_numbers));
        EXPECT_TRUE(same_bits(one[k].multiplier_numbers, all[k].multiplier_numbers));
      }
    }
    EXPECT_EQ(one[4].report.status, Status::non_finite_input);
    EXPECT_EQ(one[4].states(), 0);
    const Vector q3 = q.col(3), tau0 = tau.col(0);
    const Trajectory alone = simulate(x.model, x.set, {.q = q3, .tau = tau0}, s);
    EXPECT_TRUE(same_bits(alone.q_numbers, one[3].q_numbers));
  }
}

TEST(Motion, ManyEndWithinTheirStepsWhereTheCallerSaysSo) {
  const Model m = lift();
  const ConstraintSet none(m);
  struct Looks {
    int left;
    bool throws;
    static bool at(void* context, double done, double all) {
      Looks& x = *static_cast<Looks*>(context);
      EXPECT_EQ(done, 0);
      EXPECT_EQ(all, 5);
      if (--x.left > 0) return true;
      if (x.throws) throw std::runtime_error("enough");
      return false;
    }
  };
  const Eigen::MatrixXd q = neutral(m).replicate(1, 5), absent(m.nv(), 0);
  const SimulationSettings centuries{.time = 1e9, .dt = 1e-3, .every = 1000000000};
  for (const int threads : {1, 3})
    for (const bool throws : {false, true}) {
      Looks looks{7, throws};
      const auto run = [&] {
        return simulate_states(m, none, q, absent, absent, centuries, threads, Looks::at, &looks);
      };
      if (throws) {
        EXPECT_THROW(run(), std::runtime_error);
      } else {
        for (const Trajectory& t : run()) EXPECT_EQ(t.report.status, Status::stopped);
      }
      EXPECT_EQ(looks.left, 0) << "nobody is asked again";
    }
}

TEST(Motion, RefusesWhatItCannotDo) {
  const Model m = lift();
  ConstraintSet set(m);
  set.add(JointConstraint{.name = "push", .coordinates = {"rail"}, .beta = {1}});
  const auto settings = [&](const SimulationSettings& s) { return [&, s] { Simulator x(m, set, s); }; };
  expect_says<std::invalid_argument>(settings({.time = 0}), {"time", "> 0"});
  expect_says<std::invalid_argument>(settings({.dt = -1}), {"dt", "-1"});
  expect_says<std::invalid_argument>(settings({.every = 0}), {"every"});
  expect_says<UnsupportedError>(settings({.integrator = Integrator::variational}), {"variational", "push", "position"});
  expect_says<std::invalid_argument>([] { integrator_of("rk5"); }, {"rk5", "rk4"});
  const Vector three = Vector::Zero(3);
  Simulator x(m, set, {.keep = Keep::projection});
  expect_says<std::invalid_argument>([&] { x.start({.q = neutral(m)}); }, {"push", "acceleration", "target_velocity"});
  const auto height = point_height(m, "box", {0, 0, 0}, {0, 0, 1});
  expect_says<std::invalid_argument>([&] { x.add_event({.name = "e", .function = height, .on = {"puhs"}}); },
                                     {"puhs", "push"});
  expect_says<std::invalid_argument>([&] { x.add_event({.name = "e", .function = height}); }, {"does nothing"});
  expect_says<std::invalid_argument>([&] { x.add_event({.name = "e", .on = {"push"}}); }, {"no function"});
  expect_says<std::invalid_argument>([&] { x.start({.q = three}); }, {"q"});
  EXPECT_THROW(coordinate_value(m, "rial", 0), std::invalid_argument);
  EXPECT_THROW(row_multiplier(set, "push:x"), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
