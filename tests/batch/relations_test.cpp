// SPDX-License-Identifier: BSD-3-Clause
// Rows between bodies in lanes against the Solver: every type of constraint on random trees, far off the manifold;
// loops of real robots, soft and redundant ones, rows that differ from state to state, rollouts.
#include <gtest/gtest.h>

#include "batch/against_solver.hpp"
#include "dynamics/mixed.hpp"

namespace zwang::test {
namespace {

template <class T> class BatchRelations : public testing::Test {
 protected:
  void TearDown() override {
    for (const auto& [name, error] : tally_.worst.list()) this->RecordProperty(name, std::to_string(error));
    this->RecordProperty("states", std::to_string(tally_.states));
    this->RecordProperty("solved_alone", std::to_string(tally_.alone));
  }
  BatchTally tally_;
};
template <class T> constexpr bool k_wide = std::is_same_v<T, double>;
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchRelations, Numbers);

/// Whose rate is v, by name.
std::vector<std::string> additive_coordinates(const Model& m) {
  std::vector<std::string> out;
  for (const Joint& j : m.joints())
    if ((j.type == "revolute" || j.type == "prismatic" || j.type == "helical") && j.mimic.leader.empty())
      out.push_back(m.coordinate_names()[static_cast<std::size_t>(j.v.first)]);
  return out;
}
/// What all types have in common, at random.
template <class Type> void vary(Random& random, int rows, Type& c) {
  for (int i = 0; i < rows; ++i) {
    c.beta.push_back(random.uniform(-3, 3));
    c.target.push_back(random.uniform(-0.5, 0.5));
    c.target_velocity.push_back(random.uniform(-0.5, 0.5));
  }
  if (random.below(2)) c.stabilisation = {random.uniform(0.3, 2), random.uniform(0.5, 2)};
  c.role = random.below(2) ? Role::driver : Role::physical;
  const int policy = random.below(4);
  c.policy = policy == 0 ? Policy::early : policy == 1 ? Policy::soft : Policy::hard;
  if (policy == 1) c.compliance = {random.uniform(0.01, 1)};
}
constexpr int k_types = 10;
void add_some(const Robot& robot, Random& random, int type, const std::string& name, ConstraintSet& set) {
  const Model& m = robot.model;
  const auto frame = [&] {
    return m.frames()[static_cast<std::size_t>(random.below(static_cast<int>(m.frames().size())))].name;
  };
  const auto point = [&] { return Vec3<double>{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; };
  const std::vector<std::string> coordinates = additive_coordinates(m);
  const std::string some_frame = frame(), other_frame = frame();
  if (type == 0) {
    LoopConstraint c = random_loop(robot, random, name);
    c.beta = c.target = c.target_velocity = {};
    vary(random, c.rows.size(), c);
    set.add(c);
  } else if (type == 1) {
    DistanceConstraint c{.name = name, .frame = some_frame, .point = point(), .other = other_frame};
    c.other_point = point();
    c.length = 0.7;
    vary(random, 1, c);
    set.add(c);
  } else if (type == 2 && coordinates.size() > 1) {
    CouplingConstraint c{.name = name, .coordinates = {coordinates.front(), coordinates.back()}};
    if (random.below(2))
      c.ratio = {1, random.uniform(-3, 3)}, c.offset = 0.3;
    else
      c.polynomial = {0.1, random.uniform(-2, 2), 0.3, -0.2};
    vary(random, 1, c);
    set.add(c);
  } else if (type == 3 || type == 4) {
    RollingConstraint c{.name = name, .frame = some_frame, .radius = 0.2};
    if (type == 4) c.axis = random.direction();
    if (random.below(2)) c.other = other_frame;
    c.normal = random.direction();
    if (random.below(2)) c.rows = "tangent2 normal";
    vary(random, c.rows == "tangent2 normal" ? 2 : 3, c);
    set.add(c);
  } else if (type == 5) {
    CentreOfMassConstraint c{.name = name};
    c.rows = rows(random.below(2) ? "linear" : "linear.x linear.z");
    vary(random, c.rows.size(), c);
    set.add(c);
  } else if (type == 6) {
    FrameConstraint c{.name = name, .frame = some_frame};
    c.rows = rows(random.below(2) ? "all" : "linear.y angular.z");
    c.in = random.below(2) ? "local" : "local_world_aligned";
    c.has_target = true;
    c.target_pose = random.pose(1);
    vary(random, c.rows.size(), c);
    set.add(c);
  } else if (type == 7) {
    ContactConstraint c{.name = name, .frame = some_frame, .point = point(), .normal = random.direction()};
    c.has_target = true;
    c.target_point = point();
    vary(random, 3, c);
    set.add(c);
  } else if (type == 8) {
    JointConstraint c{.name = name};
    for (const std::string& coordinate : m.coordinate_names())
      if (random.below(3) == 0 || c.coordinates.empty()) c.coordinates.push_back(coordinate);
    vary(random, static_cast<int>(c.coordinates.size()), c);
    set.add(c);
  } else {
    ContactConstraint c{.name = name, .frame = some_frame, .point = point()};
    set.add(c);
  }
}

TYPED_TEST(BatchRelations, EveryTypeOnRandomTrees) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(120)); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRobot options;
    options.joints = 6 + static_cast<int>(seed % 14);
    options.mimic = seed % 4 == 1 ? 0.4 : 0;
    options.branching = seed % 3 == 0 ? 0.8 : 0.3;
    options.root = seed % 2 == 0 ? "floating" : "fixed";
    const Robot robot = regular_robot(seed, options);
    Random random(seed + 17);
    ConstraintSet set(robot.model);
    const int n = 1 + random.below(3);
    for (int k = 0; k < n; ++k)
      add_some(robot, random, k == 0 ? static_cast<int>(seed % k_types) : random.below(k_types),
               "c" + std::to_string(k), set);
    Problem<T> p = problem_of<T>(robot.model, 9, seed);
    if (seed % 3 == 0) {
      p.beta.resize(9, set.rows());
      p.active.resize(9, set.size());
      for (long s = 0; s < 9; ++s) {
        p.beta.row(s) = random.vector(set.rows(), 3).template cast<T>();
        for (Index k = 0; k < set.size(); ++k) p.active(s, k) = static_cast<T>(random.below(4) > 0);
      }
    }
    add_wrenches(robot.model, p, seed);
    expect_solver(robot.model, set, {}, p, this->tally_, true);
    if (testing::Test::HasFailure()) return;
  }
  // Rows drawn at random depend on each other here and there; float trusts fewer states.
  EXPECT_LE(this->tally_.alone, this->tally_.states / (k_wide<T> ? 4 : 2));
}

TYPED_TEST(BatchRelations, LoopsOfRealRobots) {
  using T = TypeParam;
  ZWANG_NEEDS_SHARED_ROBOTS();
  struct Closed {
    const char *file, *root;
    std::vector<std::pair<std::string, std::string>> loops;
    const char* joint;
  };
  const Closed robots[] = {
      {"solo12.urdf", "floating", {{"FL_FOOT", "FR_FOOT"}, {"HL_FOOT", "HR_FOOT"}}, "ball"},
      {"hyq.urdf", "floating", {{"lf_foot", "rh_foot"}, {"rf_foot", "lh_foot"}}, "ball"},
      {"talos_reduced.urdf", "floating", {{"gripper_left_base_link", "gripper_right_base_link"}}, "weld"},
      {"talos_full_v2.urdf", "floating", {{"left_sole_link", "right_sole_link"}}, "planar"},
      {"simple_humanoid.urdf", "floating", {{"l_ankle", "r_ankle"}}, "universal"},
      {"panda.urdf", "automatic", {{"panda_link0", "panda_link8"}}, "ball"},
      {"ur5.urdf", "automatic", {{"base_link", "tool0"}}, "hinge"},
      {"allegro_right_hand.urdf", "automatic", {{"link_3.0_tip", "link_15.0_tip"}}, "point_on_plane"},
  };
  int seen = 0;
  for (const auto& [file, root, loops, joint] : robots) {
    if (!exists(shared_robot(file))) continue;
    SCOPED_TRACE(file);
    LoadOptions options;
    options.root = root;
    options.resolve_meshes = false;
    const Model m = zwang::load(shared_robot(file), options);
    ConstraintSet set(m);
    bool known = true;
    for (const auto& [a, b] : loops)
      for (const std::string& name : {a, b}) {
        bool found = false;
        for (const Frame& f : m.frames()) found = found || f.name == name;
        known = known && found;
      }
    if (!known) continue;
    ++seen;
    for (const auto& [a, b] : loops) {
      LoopConstraint c{.name = a, .frame = a, .other = b, .rows = joint_rows(joint, {0, 0, 1})};
      c.stabilisation.time_constant = 0.2;
      set.add(c);
    }
    Problem<T> p = problem_of<T>(m, 45, 13);
    add_wrenches(m, p, 3);
    expect_solver(m, set, {}, p, this->tally_, true);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GE(seen, 7);
  EXPECT_LE(this->tally_.alone, this->tally_.states / (k_wide<T> ? 50 : 5));
}

/// A row that others determine, in the states where it is on: these go to the solver of one state.
TYPED_TEST(BatchRelations, RedundantAndContradictingLoops) {
  using T = TypeParam;
  const Model m = build(sample("quadruped"), {.root = "floating"});
  for (const bool soft : {false, true})
    for (const bool contradicting : {false, true}) {
      SCOPED_TRACE(testing::Message() << soft << contradicting);
      ConstraintSet set(m);
      for (const char* name : {"first", "second"}) {
        LoopConstraint c{.name = name, .frame = "LF_foot", .other = "RF_foot", .rows = rows("linear")};
        if (contradicting && c.name == "second") c.beta = {1, 2, 3};
        if (soft) c.policy = Policy::soft, c.compliance = {0.1, 0.2, 0.3};
        set.add(c);
      }
      set.add(ContactConstraint{.name = "foot", .frame = "LH_foot"});
      Problem<T> p = problem_of<T>(m, 70, 23);
      p.active = StateRows<T>::Ones(70, 3);
      for (long s = 0; s < 70; ++s) p.active(s, 1) = s % 3 == 0;
      BatchTally tally;
      expect_solver(m, set, {}, p, tally, true);
      if (testing::Test::HasFailure()) return;
      if (soft) {
        EXPECT_LE(tally.alone, k_wide<T> ? 0 : 20);
      } else {
        EXPECT_GE(tally.alone, 24);
        EXPECT_LE(tally.alone, k_wide<T> ? 24 : 45);
      }
      if (!soft && contradicting) { EXPECT_EQ(tally.infeasible, 24); }
    }
}

/// Rows that kernels do not know, and levels: one state after the other, the same answers.
TYPED_TEST(BatchRelations, OthersGoToTheSolver) {
  using T = TypeParam;
  struct Half final : CustomRows {
    Index rows() const override { return 1; }
    void evaluate(const double* q, const double* v, double* phi, double* J, double* drift) const override {
      phi[0] = q[0] * q[1] - 0.5;
      J[0] = q[1];
      J[1] = q[0];
      drift[0] = 2 * v[0] * v[1];
    }
  };
  const Model arm = build(sample("arm7"));
  const auto expect_alone = [&](const Model& m, const ConstraintSet& set) {
    BatchTally tally;
    expect_solver(m, set, {}, problem_of<T>(m, 20, 3), tally, true);
    EXPECT_EQ(tally.alone, 20);
  };
  ConstraintSet custom(arm);
  CustomConstraint c{.name = "half", .rows = std::make_shared<Half>()};
  c.coordinates = {arm.coordinate_names()[0], arm.coordinate_names()[1]};
  custom.add(c);
  expect_alone(arm, custom);
  ConstraintSet levels(arm);
  levels.add(DistanceConstraint{.name = "rod", .frame = "link2", .other = "tool0", .length = 0.5});
  levels.add(ContactConstraint{.name = "touch", .frame = "tool0", .priority = 1});
  expect_alone(arm, levels);
}

TYPED_TEST(BatchRelations, JointsThatMimicEachOther) {
  using T = TypeParam;
  const Model m = build(sample("gripper"));
  for (const bool soft : {false, true}) {
    ConstraintSet set(m);
    DistanceConstraint rod{.name = "rod", .frame = m.links().front().name, .point = {0.3, 0.2, 0.1}};
    rod.other = m.links().back().name;
    rod.length = 0.5;
    rod.stabilisation.time_constant = 0.3;
    if (soft) rod.policy = Policy::soft, rod.compliance = {0.2};
    set.add(rod);
    BatchTally tally;
    expect_solver(m, set, {}, problem_of<T>(m, 20, 3), tally, true);
    EXPECT_EQ(tally.alone, 0);
  }
}

TYPED_TEST(BatchRelations, PlacesThreadsAndChangedSets) {
  using T = TypeParam;
  const Model m = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet set(m);
  set.add(
      LoopConstraint{.name = "tied", .frame = "LF_foot", .other = "RF_foot", .rows = joint_rows("weld", {0, 0, 1})});
  set.add(ContactConstraint{.name = "foot", .frame = "LH_foot"});
  const long n = 150;
  Problem<T> p = problem_of<T>(m, n, 71);
  BasicBatchSolver<T> one(m, set, {}, {.threads = 1});
  StateRows<T> a(n, m.nv()), lambda(n, set.rows()), b(n, m.nv()), mu(n, set.rows());
  EXPECT_TRUE(one.solve(p.input(), {.acceleration = a, .multipliers = lambda}).good());
  for (const int threads : {2, 7}) {
    BasicBatchSolver<T> other(m, set, {}, {.threads = threads});
    other.solve(p.input(), {.acceleration = b, .multipliers = mu});
    EXPECT_TRUE(same_bits(a, b) && same_bits(lambda, mu)) << threads;
  }
  for (const long size : {1L, 7L, 33L}) {
    Problem<T> some = p;
    some.x.q = p.x.q.middleRows(17, size).eval(), some.x.v = p.x.v.middleRows(17, size).eval();
    some.x.tau = p.x.tau.middleRows(17, size).eval();
    StateRows<T> c(size, m.nv());
    one.solve(some.input(), {.acceleration = c});
    EXPECT_TRUE(same_bits(c, a.middleRows(17, size))) << size;
  }
  // Numbers of the set are seen, and so is a relation that acts on more bodies than the one that was there.
  set["tied"].target = {0.1, 0.2, 0.3, 0.01, 0.02, 0.03};
  set["tied"].stabilisation = {0.5, 1};
  expect_solver(m, set, {}, p, this->tally_, true);
  ConstraintSet of_centre(m);
  of_centre.add(CentreOfMassConstraint{.name = "centre"});
  ConstraintSet changed(m);
  changed.add(DistanceConstraint{.name = "rod", .frame = "LF_foot", .other = "RF_foot", .length = 0.4});
  changed.add(LoopConstraint{.name = "tied", .frame = "LF_foot", .other = "RF_foot", .rows = rows("linear")});
  BasicBatchSolver<T> follows(m, changed, {}, {.threads = 1});
  StateRows<T> c(n, m.nv()), right(n, m.nv());
  follows.solve(p.input(), {.acceleration = c});
  changed["rod"].active = false;
  changed["tied"].relation = of_centre["centre"].relation;
  follows.solve(p.input(), {.acceleration = c});
  BasicBatchSolver<T>(m, of_centre, {}, {.threads = 1}).solve(p.input(), {.acceleration = right});
  EXPECT_TRUE(same_bits(c, right));
  // Fewer rows where there were more: nothing of these is left.
  changed["tied"].active = false;
  changed["rod"].active = true;
  follows.solve(p.input(), {.acceleration = c});
  BasicBatchSolver<T>(m, changed, {}, {.threads = 1}).solve(p.input(), {.acceleration = right});
  EXPECT_TRUE(same_bits(c, right));
}

/// A four-bar linkage of chains stays closed as the Solver keeps it: steps of a rollout are solves in lanes.
TYPED_TEST(BatchRelations, RolloutsAreStepsOfTheSolver) {
  using T = TypeParam;
  const Model m = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet set(m);
  LoopConstraint tied{.name = "tied", .frame = "LF_foot", .other = "RF_foot", .rows = rows("linear")};
  tied.stabilisation = {0.1, 1};
  set.add(tied);
  SolverSettings settings;
  settings.joint_effects.damping = false;
  const long n = 19;
  const int steps = 20;
  const double h = 1e-3;
  const States<T> x = random_states<T>(m, n, 5, 0.3);
  StateRows<T> q(n, m.nq()), v(n, m.nv());
  BasicBatchSolver<T> batch(m, set, settings, {.threads = 2});
  batch.rollout({.q = x.q, .v = x.v, .tau = x.tau, .steps = steps, .step = h}, {.q = q, .v = v});
  ASSERT_EQ(batch.report().ok, n);
  if (k_wide<T>) { EXPECT_EQ(batch.solved_alone(), 0); }
  Solver solver(m, set, settings);
  for (long s = 0; s < n; ++s) {
    Eigen::VectorXd qs = x.q_of(s), vs = x.v_of(s);
    const Eigen::VectorXd tau = x.tau_of(s);
    for (int k = 0; k < steps; ++k) {
      vs += h * Eigen::VectorXd(solver.solve({.q = qs, .v = vs, .tau = tau}).acceleration);
      qs = integrate(m, qs, Eigen::VectorXd(h * vs));
    }
    // As in rollout_test.cpp: errors of a step move on to the next ones.
    EXPECT_TRUE(within(Eigen::VectorXd(q.row(s).template cast<double>()), qs, 3e4 * k_epsilon<T>, 1)) << s;
    EXPECT_TRUE(
        within(Eigen::VectorXd(v.row(s).template cast<double>()), vs, 1e6 * k_epsilon<T>, 1 + vs.cwiseAbs().maxCoeff()))
        << s;
  }
}

}  // namespace
}  // namespace zwang::test
