// SPDX-License-Identifier: BSD-3-Clause
// A BatchSolver against the Solver: accelerations, multipliers, torques,
// reactions and statuses of every kind of problem.
#include <gtest/gtest.h>

#include "batch/against_solver.hpp"
#include "dynamics/mixed.hpp"

namespace zwang::test {
namespace {

template <class T> class BatchSolverOf : public testing::Test {
 protected:
  void TearDown() override {
    for (const auto& [name, error] : tally_.worst.list()) this->RecordProperty(name, std::to_string(error));
    this->RecordProperty("states", std::to_string(tally_.states));
    this->RecordProperty("solved_alone", std::to_string(tally_.alone));
  }
  BatchTally tally_;
};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchSolverOf, Numbers);

TYPED_TEST(BatchSolverOf, ContactsOnRealRobots) {
  using T = TypeParam;
  ZWANG_NEEDS_SHARED_ROBOTS();
  struct Robot {
    const char *file, *root;
    std::vector<std::string> feet;
  };
  const Robot robots[] = {{"solo12.urdf", "floating", {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"}},
                          {"hyq.urdf", "floating", {"lf_foot", "rf_foot", "lh_foot", "rh_foot"}},
                          {"talos_reduced.urdf", "floating", {"left_sole_link", "right_sole_link"}},
                          {"panda.urdf", "automatic", {"panda_hand"}},
                          {"ur5.urdf", "automatic", {"tool0"}}};
  for (const auto& [file, root, feet] : robots) {
    if (!exists(shared_robot(file))) continue;
    SCOPED_TRACE(file);
    const Model m = load(file, root);
    for (const Policy policy : {Policy::hard, Policy::early, Policy::soft}) {
      ConstraintSet set(m);
      for (std::size_t k = 0; k < feet.size(); ++k) {
        ContactConstraint c{.name = feet[k], .frame = feet[k]};
        c.beta = {0.1, -0.2, 0.3};
        c.policy = policy;
        if (policy == Policy::soft) c.compliance = {0.01, 0.02, 0.03};
        c.role = k % 2 == 0 ? Role::physical : Role::driver;
        set.add(c);
      }
      Problem<T> p = problem_of<T>(m, 45, 11);
      add_wrenches(m, p, 3);
      // Configurations drawn at random bend legs towards their singular ones.
      expect_solver(m, set, {}, p, this->tally_);
      if (testing::Test::HasFatalFailure()) return;
      this->RecordProperty(std::string(file) + " " + name_of(policy), std::to_string(this->tally_.alone));
    }
  }
  // Regular problems are for lanes; float trusts fewer states.
  const bool wide = std::is_same_v<T, double>;
  EXPECT_LE(this->tally_.alone, wide ? 0 : this->tally_.states / 10);
}

TYPED_TEST(BatchSolverOf, SomethingElseInEveryState) {
  using T = TypeParam;
  const Model m = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet set(m);
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot", "RH_foot"})
    set.add(ContactConstraint{.name = foot, .frame = foot, .rows = foot[0] == 'L' ? 3 : 1});
  set.add(FrameConstraint{
      .name = "lean", .frame = "LF_foot", .rows = rows("linear"), .policy = Policy::soft, .compliance = {0.1}});
  set["RH_foot"].active = false;  // what a state says about it holds
  const long n = 130;
  Problem<T> p = problem_of<T>(m, n, 21);
  Random random(5);
  p.beta.resize(n, set.rows());
  p.active.resize(n, set.size());
  for (long s = 0; s < n; ++s) {
    for (Index k = 0; k < set.rows(); ++k) p.beta(s, k) = static_cast<T>(random.uniform(-5, 5));
    for (Index k = 0; k < set.size(); ++k) p.active(s, k) = static_cast<T>(random.below(2) * random.uniform(-3, 3));
  }
  p.active.row(3).setZero();
  add_wrenches(m, p, 4);
  expect_solver(m, set, {}, p, this->tally_);
  // A row that is switched off is not read.
  p.active.row(7).setZero();
  p.beta.row(7).setConstant(std::numeric_limits<T>::quiet_NaN());
  BasicBatchSolver<T> batch(m, set, {}, {.threads = 1});
  StateRows<T> a(n, m.nv());
  batch.solve(p.input(), {.acceleration = a});
  EXPECT_EQ(batch.report().status(7), Status::ok);
  p.active(7, 1) = 1;
  batch.solve(p.input(), {.acceleration = a});
  EXPECT_EQ(batch.report().status(7), Status::non_finite_input);
  EXPECT_EQ(batch.report().ok, n - 1);
}

TYPED_TEST(BatchSolverOf, PrescribedCoordinates) {
  using T = TypeParam;
  for (const char* name : {"quadruped", "zoo", "gripper", "arm7"}) {
    SCOPED_TRACE(name);
    const Robot robot = sample_robot(name, std::string(name) == "quadruped" ? "floating" : "automatic");
    const Model& m = robot.model;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      ConstraintSet set(m);
      const std::string tip = m.links().back().name;
      if (seed > 0 && m.nv() > 6)
        set.add(FrameConstraint{
            .name = "hold", .frame = tip, .rows = rows("linear.x"), .role = seed == 1 ? Role::driver : Role::physical});
      Problem<T> p = problem_of<T>(m, 40, 31 + seed);
      Random random(seed);
      for (const PrescribedCoordinate& c : random_prescribed(robot, random)) p.prescribed.push_back(c.v);
      p.given.resize(p.states(), static_cast<Eigen::Index>(p.prescribed.size()));
      for (long s = 0; s < p.states(); ++s)
        for (Eigen::Index k = 0; k < p.given.cols(); ++k) p.given(s, k) = static_cast<T>(random.uniform(-5, 5));
      add_wrenches(m, p, seed);
      expect_solver(m, set, {}, p, this->tally_);
    }
  }
}

TYPED_TEST(BatchSolverOf, RandomProblemsOnRandomTrees) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(100)); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRobot options;
    options.joints = 4 + static_cast<int>(seed % 12);
    options.mimic = seed % 3 == 0 ? 0.4 : 0.0;
    options.root = seed % 2 == 0 ? "floating" : "fixed";
    const Robot robot = regular_robot(seed, options);
    MixedOptions everything, for_lanes;
    for_lanes.priorities = for_lanes.drivers_left_out = for_lanes.other_singularities = for_lanes.loops = false;
    const Mixed mixed = random_mixed(robot, seed, seed % 3 == 2 ? everything : for_lanes);
    const ConstraintSet set = mixed.set(robot.model);
    Problem<T> p = problem_of<T>(robot.model, 9, seed);
    for (const PrescribedCoordinate& c : mixed.prescribed) p.prescribed.push_back(c.v);
    p.given = StateRows<T>::Constant(9, static_cast<Eigen::Index>(p.prescribed.size()), T(0.5));
    add_wrenches(robot.model, p, seed);
    expect_solver(robot.model, set, mixed.settings, p, this->tally_);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(BatchSolverOf, DependentAndContradictingRows) {
  using T = TypeParam;
  const Model m = build(sample("quadruped"), {.root = "floating"});
  for (int problem = 0; problem < 6; ++problem) {
    SCOPED_TRACE(problem);
    ConstraintSet set(m);
    SolverSettings settings;
    const char* feet[] = {"LF_foot", "RF_foot", "LH_foot", "RH_foot"};
    if (problem == 0) {  // two contacts on one link, four on the trunk
      for (int k = 0; k < 2; ++k)
        set.add(ContactConstraint{.name = "c" + std::to_string(k), .frame = "LF_foot", .point = {0.05 * k, 0, 0}});
    } else {
      for (const char* foot : feet) set.add(FrameConstraint{.name = foot, .frame = foot});  // 24 rows on 18 motions
    }
    if (problem == 2) set["RF_foot"].beta = {1, 2, 3, 4, 5, 6};
    if (problem == 3)
      for (int k = 0; k < 4; ++k) set[feet[k]].priority = k;
    if (problem == 4) settings.singularity = Singularity::damping;
    if (problem == 5) settings.singularity = Singularity::proximal;
    Problem<T> p = problem_of<T>(m, 40, 41);
    if (problem == 2) p.x.v.setZero();
    expect_solver(m, set, settings, p, this->tally_);
    if (problem == 2) { EXPECT_EQ(this->tally_.infeasible > 0, true); }
  }
  EXPECT_GT(this->tally_.alone, 0);
}

TYPED_TEST(BatchSolverOf, LinksWithoutMassAndRefusedStates) {
  using T = TypeParam;
  RobotDescription d = sample_chain(4);
  d.links.back().mass = 0;
  d.links.back().inertia = {};
  d.links.back().centre = {};
  const Model m = build(d);
  ConstraintSet set(m);
  const std::string tip = m.links().back().name;
  set.add(FrameConstraint{.name = "hold", .frame = tip, .rows = rows("angular"), .active = false});
  Problem<T> p = problem_of<T>(m, 40, 51);
  expect_solver(m, set, {}, p, this->tally_);
  EXPECT_EQ(this->tally_.refused, 40);
  set["hold"].active = true;
  expect_solver(m, set, {}, p, this->tally_);

  const Model dog = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet contacts(dog);
  for (const char* foot : {"LF_foot", "RH_foot"}) contacts.add(ContactConstraint{.name = foot, .frame = foot});
  Problem<T> good = problem_of<T>(dog, 70, 61), bad = good;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  bad.x.tau(0, 7) = nan;
  bad.x.v(9, 7) = std::numeric_limits<T>::infinity();
  bad.x.q(33, 2) = nan;
  bad.x.q.row(34).segment(3, 4) *= T(1.01);
  bad.x.q.row(35).segment(3, 4).setZero();
  bad.x.v.row(69).tail(12).setConstant(std::sqrt(std::numeric_limits<double>::max()) > std::numeric_limits<T>::max()
                                           ? std::numeric_limits<T>::max() / 4
                                           : static_cast<T>(1e200));
  StateRows<T> right(70, dog.nv()), a(70, dog.nv()), lambda(70, contacts.rows());
  BasicBatchSolver<T> batch(dog, contacts, {}, {.threads = 2});
  batch.solve(good.input(), {.acceleration = right, .multipliers = lambda});
  batch.solve(bad.input(), {.acceleration = a, .multipliers = lambda});
  const BatchReport& r = batch.report();
  EXPECT_EQ(r.ok, 64);
  for (const long s : {0, 9, 33}) EXPECT_EQ(r.status(s), Status::non_finite_input) << s;
  for (const long s : {34, 35}) EXPECT_EQ(r.status(s), Status::invalid_input) << s;
  EXPECT_EQ(r.status(69), Status::overflow);
  for (long s = 0; s < 70; ++s)
    if (r.status(s) == Status::ok) {
      EXPECT_TRUE(same_bits(a.row(s), right.row(s))) << s;
    } else {
      EXPECT_TRUE(a.row(s).array().isNaN().all() && lambda.row(s).array().isNaN().all()) << s;
    }
  // Without rows the same.
  ConstraintSet none(dog);
  BasicBatchSolver<T> free(dog, none, {}, {.threads = 2});
  free.solve(bad.input(), {.acceleration = a});
  EXPECT_EQ(free.report().ok, 64);
  EXPECT_EQ(free.report().status(69), Status::overflow);
}

TYPED_TEST(BatchSolverOf, PlacesThreadsAndAliases) {
  using T = TypeParam;
  const Model m = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet set(m);
  for (const char* foot : {"LF_foot", "RF_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
  set.add(ContactConstraint{.name = "again", .frame = "LF_foot"});
  const long n = 300;
  Problem<T> p = problem_of<T>(m, n, 71);
  p.active = StateRows<T>::Ones(n, 3);
  for (long s = 0; s < n; ++s) p.active(s, 2) = s % 7 == 0;  // dependent rows in a few states
  BasicBatchSolver<T> one(m, set, {}, {.threads = 1});
  StateRows<T> a(n, m.nv()), lambda(n, set.rows()), b(n, m.nv()), mu(n, set.rows());
  EXPECT_TRUE(one.solve(p.input(), {.acceleration = a, .multipliers = lambda}).good());
  EXPECT_GE(one.solved_alone(), n / 7);
  for (const int threads : {2, 3, 7}) {
    BasicBatchSolver<T> other(m, set, {}, {.threads = threads});
    other.solve(p.input(), {.acceleration = b, .multipliers = mu});
    EXPECT_TRUE(same_bits(a, b) && same_bits(lambda, mu)) << threads;
    EXPECT_EQ(other.solved_alone(), one.solved_alone());
  }
  for (const long size : {1L, 2L, 7L, 13L, 33L, 65L}) {
    Problem<T> some = p;
    const long first = 17;
    some.x.q = p.x.q.middleRows(first, size).eval(), some.x.v = p.x.v.middleRows(first, size).eval();
    some.x.tau = p.x.tau.middleRows(first, size).eval(), some.active = p.active.middleRows(first, size).eval();
    StateRows<T> c(size, m.nv());
    one.solve(some.input(), {.acceleration = c});
    EXPECT_TRUE(same_bits(c, a.middleRows(first, size))) << size;
  }
  b = p.x.tau;
  BatchSolveInput<T> in = p.input();
  in.tau = b;
  one.solve(in, {.acceleration = b});
  EXPECT_TRUE(same_bits(a, b)) << "the output is the input";
  // Rows that were changed in the set are seen; so are constraints that were added.
  set["LF_foot"].beta = {1, 2, 3};
  set.add(ContactConstraint{.name = "RH", .frame = "RH_foot"});
  p.active = {};
  set["again"].active = false;
  expect_solver(m, set, {}, p, this->tally_);
  StateRows<T> c(n, m.nv()), wide(n, set.rows());
  one.solve(p.input(), {.acceleration = b, .multipliers = wide});
  BasicBatchSolver<T>(m, set, {}, {.threads = 1}).solve(p.input(), {.acceleration = c});
  EXPECT_TRUE(same_bits(b, c));
}

TYPED_TEST(BatchSolverOf, WrongCallsAreRefused) {
  using T = TypeParam;
  const Model m = build(sample("arm7"));
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "hold", .frame = "tool0", .rows = rows("linear")});
  BasicBatchSolver<T> batch(m, set, {}, {.threads = 1});
  const States<T> x = random_states<T>(m, 5, 1);
  StateRows<T> a(5, 7), lambda(5, 3), wrong(5, 4), few(4, 7);
  EXPECT_THROW(batch.solve({.q = few}, {.acceleration = a}), std::invalid_argument);
  EXPECT_THROW(batch.solve({.q = x.q, .v = few}, {.acceleration = a}), std::invalid_argument);
  EXPECT_THROW(batch.solve({.q = x.q, .beta = wrong}, {.acceleration = a}), std::invalid_argument);
  EXPECT_THROW(batch.solve({.q = x.q, .active = wrong}, {.acceleration = a}), std::invalid_argument);
  EXPECT_THROW(batch.solve({.q = x.q}, {.multipliers = wrong}), std::invalid_argument);
  EXPECT_THROW(batch.solve({.q = x.q, .prescribed = {0}}, {.acceleration = a}), std::invalid_argument);
  EXPECT_THROW(batch.solve({.q = x.q, .prescribed = {7}, .prescribed_acceleration = lambda.leftCols(1).eval()},
                           {.acceleration = a}),
               std::invalid_argument);
  EXPECT_TRUE(batch.solve({.q = x.q}, {.multipliers = lambda}).good());
  set["hold"].beta[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(batch.solve({.q = x.q}, {.acceleration = a}), std::invalid_argument);
  set["hold"].beta[1] = 0;
  EXPECT_TRUE(batch.solve({.q = x.q}, {}).good());
  // What is switched off in the set and on in a state has to be right too.
  set["hold"].active = false;
  batch.settings().method = "pv_soft";
  EXPECT_TRUE(batch.solve({.q = x.q}, {.acceleration = a}).good());
  StateRows<T> active = StateRows<T>::Ones(5, 1);
  EXPECT_THROW(batch.solve({.q = x.q, .active = active}, {.acceleration = a}), UnsupportedError);
  batch.settings().method = "no such method";
  EXPECT_THROW(batch.solve({.q = x.q}, {.acceleration = a}), std::invalid_argument);
}

/// Bits of a fresh Solver, by any number of threads; statuses and NaN state by state.
TYPED_TEST(BatchSolverOf, ImpulsesAreThoseOfOneState) {
  using T = TypeParam;
  const Model m = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet set(m);
  for (const char* foot : {"LF_foot", "RF_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
  set.add(LoopConstraint{.name = "strap",
                         .frame = "LH_foot",
                         .other = "RH_foot",
                         .rows = rows("linear"),
                         .stabilisation = {0.05, 1},
                         .target_velocity = {0.1, 0.2, 0.3}});
  set.add(FrameConstraint{
      .name = "lean", .frame = "trunk", .rows = rows("linear"), .policy = Policy::soft, .compliance = {0.1}});
  const long n = 70;
  Problem<T> p = problem_of<T>(m, n, 21);
  add_wrenches(m, p, 4);
  Random random(5);
  StateRows<T> E(n, set.rows()), w(n, set.rows()), active = StateRows<T>::Ones(n, 4), change(n, 1);
  for (long s = 0; s < n; ++s) {
    for (Index k = 0; k < set.rows(); ++k) {
      E(s, k) = k == 2 || k == 5 ? T(0.5) : T(0);
      w(s, k) = k < 6 ? static_cast<T>(random.uniform(-0.1, 0.1)) : T(0);
    }
    active(s, s % 4) = T(s % 3 == 0);
    change(s, 0) = static_cast<T>(random.uniform(-1, 1));
  }
  BatchImpulseInput<T> in{.q = p.x.q, .v = p.x.v, .restitution = E, .target = w, .impulse = p.x.tau, .active = active};
  for (std::size_t k = 0; k < p.external.size(); ++k)
    in.external.push_back({p.external[k].frame, p.wrench[k], p.external[k].in});
  in.prescribed = {8};
  in.prescribed_change = change;
  for (const Restitution model : {Restitution::newton, Restitution::poisson, Restitution::energetic}) {
    in.model = model;
    StateRows<T> velocity(n, m.nv()), lambda(n, set.rows()), wrench(n, 24), energy(n, 4), after(n, 1), again(n, m.nv()),
        before = lambda, behind = lambda, residual = lambda, motor = velocity, reaction = velocity;
    BasicBatchSolver<T> one(m, set, {}, {.threads = 1}), four(m, set, {}, {.threads = 4});
    const BatchReport& report = one.impulse(in, {.velocity = velocity,
                                                 .multipliers = lambda,
                                                 .motor_impulse = motor,
                                                 .reaction = reaction,
                                                 .velocity_before = before,
                                                 .velocity_after = behind,
                                                 .residual = residual,
                                                 .wrench = wrench,
                                                 .energy = energy,
                                                 .energy_after = after});
    four.impulse(in, {.velocity = again});
    EXPECT_EQ(velocity, again);
    EXPECT_EQ(report.ok, n);
    if (sizeof(T) == sizeof(double)) { EXPECT_EQ(one.solved_alone(), model == Restitution::newton ? 0 : n); }
    for (long s = 0; s < n; s += 7) {
      ConstraintSet own = set;
      for (Index k = 0; k < 4; ++k) own[set.constraints()[static_cast<std::size_t>(k)].name].active = active(s, k) != 0;
      SolverSettings settings;
      if (sizeof(T) < sizeof(double)) settings.tolerance = 64 * epsilon_of<T>;
      Solver solver(m, own, settings);
      Externals external = p.external;
      for (std::size_t k = 0; k < external.size(); ++k)
        for (int i = 0; i < 6; ++i) external[k].wrench[i] = static_cast<double>(p.wrench[k](s, i));
      const Prescribed given{{8, static_cast<double>(change(s, 0))}};
      const Eigen::VectorXd q = p.x.q_of(s), v = p.x.v_of(s), tau = p.x.tau_of(s), e = E.row(s).template cast<double>(),
                            target = w.row(s).template cast<double>();
      const Impulse& expected = solver.impulse({.q = q,
                                                .v = v,
                                                .restitution = e,
                                                .target = target,
                                                .model = model,
                                                .impulse = tau,
                                                .external = &external,
                                                .prescribed = &given});
      ASSERT_EQ(expected.report.status, Status::ok);
      // Lanes: rounding times the condition of M and of the rows.
      const bool in_lanes = model == Restitution::newton;
      const double tolerance = !in_lanes ? 0 : sizeof(T) < sizeof(double) ? 2e-2 : 1e-9;
      const auto same = [&](const auto& got, const auto& wanted) {
        const Eigen::VectorXd x = wanted;
        for (Eigen::Index k = 0; k < x.size(); ++k)
          if (!(std::fabs(static_cast<double>(got(s, k)) - static_cast<double>(static_cast<T>(x(k)))) <=
                tolerance * (1 + x.cwiseAbs().maxCoeff())))
            return false;
        return true;
      };
      EXPECT_TRUE(same(velocity, expected.velocity)) << s;
      EXPECT_TRUE(same(lambda, expected.multipliers)) << s;
      EXPECT_TRUE(same(before, expected.velocity_before)) << s;
      EXPECT_TRUE(same(behind, expected.velocity_after)) << s;
      EXPECT_TRUE(same(residual, expected.residual)) << s;
      EXPECT_TRUE(same(motor, expected.motor_impulse)) << s;
      EXPECT_TRUE(same(reaction, expected.reaction)) << s;
      Eigen::VectorXd wrenches(24), work(4), one_energy(1);
      for (Index k = 0; k < 4; ++k) {
        const ConstraintImpulse part = expected[set.constraints()[static_cast<std::size_t>(k)].name];
        wrenches.segment(6 * k, 6) = part.wrench;
        work(k) = part.energy;
      }
      one_energy(0) = expected.energy_after;
      EXPECT_TRUE(same(wrench, wrenches)) << s;
      EXPECT_TRUE(same(energy, work)) << s;
      EXPECT_TRUE(same(after, one_energy)) << s;
    }
  }
  StateRows<T> velocity(n, m.nv());
  E(3, 0) = 2;
  p.x.v(4, 1) = std::numeric_limits<T>::quiet_NaN();
  w(5, 1) = std::numeric_limits<T>::infinity();
  BasicBatchSolver<T> batch(m, set);
  const BatchReport& report = batch.impulse(in, {.velocity = velocity});
  EXPECT_EQ(report.status(3), Status::invalid_input);
  EXPECT_EQ(report.status(4), Status::non_finite_input);
  EXPECT_EQ(report.status(5), Status::non_finite_input);
  EXPECT_EQ(report.ok, n - 3);
  EXPECT_TRUE(std::isnan(velocity(4, 0)));
  EXPECT_FALSE(std::isnan(velocity(6, 0)));
  const StateRows<T> wrong = StateRows<T>::Zero(n, 2);
  in.target = wrong;
  EXPECT_THROW(batch.impulse(in, {.velocity = velocity}), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
