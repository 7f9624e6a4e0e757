// SPDX-License-Identifier: BSD-3-Clause
// A BatchSolver against the Solver: accelerations, multipliers, torques, reactions and statuses of every kind of problem.
//
// Tolerance: both solve the same equations by other orders of operations, so what differs is rounding times the
// condition of M: 1000 epsilon of it, some 20 are seen.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <functional>

#include "batch/arrays.hpp"
#include "dynamics/mixed.hpp"
#include "support/robots.hpp"
#include "zwang/io/urdf.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

double condition_of(const Matrix& M) {
  if (M.rows() == 0) return 1;
  const Vector w = Eigen::SelfAdjointEigenSolver<Matrix>(M, Eigen::EigenvaluesOnly).eigenvalues();
  return w(0) > 0 ? w(w.size() - 1) / w(0) : std::numeric_limits<double>::infinity();
}

/// A problem in many states: what differs between them may be left empty.
template <class T> struct Problem {
  States<T> x;
  StateRows<T> beta, active, given;
  std::vector<Index> prescribed;
  Externals external;
  std::vector<StateRows<T>> wrench;

  long states() const { return x.q.rows(); }
  BatchSolveInput<T> input() const {
    BatchSolveInput<T> in{.q = x.q, .v = x.v, .tau = x.tau};
    if (beta.size() > 0) in.beta = beta;
    if (active.size() > 0) in.active = active;
    for (std::size_t k = 0; k < external.size(); ++k)
      in.external.push_back({external[k].frame, wrench[k], external[k].in});
    in.prescribed = prescribed;
    if (!prescribed.empty()) in.prescribed_acceleration = given;
    return in;
  }
};
template <class T> Problem<T> problem_of(const Model& m, long n, std::uint64_t seed) {
  Problem<T> p;
  p.x = random_states<T>(m, n, seed);
  return p;
}
/// A wrench in each reference on random frames.
template <class T> void add_wrenches(const Model& m, Problem<T>& p, std::uint64_t seed) {
  Random random(seed);
  for (const Reference in : {Reference::local, Reference::world, Reference::local_world_aligned}) {
    const auto& frames = m.frames();
    p.external.push_back({FrameId(static_cast<Index>(random.below(static_cast<int>(frames.size())))), {}, in});
    StateRows<T> w(p.states(), 6);
    for (long s = 0; s < p.states(); ++s) w.row(s) = random.vector(6, 5).template cast<T>();
    p.wrench.push_back(w);
  }
}

struct Tally {
  long states = 0, alone = 0, infeasible = 0, refused = 0;
  Worst worst;
};

/// One state by a Solver.
template <class T> const Solution& by_solver(const Problem<T>& p, long s, ConstraintSet& set, Solver& solver) {
  static Vector q, v, tau;
  static Externals external;
  static Prescribed prescribed;
  q = p.x.q_of(s), v = p.x.v_of(s), tau = p.x.tau_of(s);
  external = p.external;
  for (std::size_t k = 0; k < external.size(); ++k)
    for (int i = 0; i < 6; ++i) external[k].wrench[i] = static_cast<double>(p.wrench[k](s, i));
  prescribed.clear();
  for (std::size_t k = 0; k < p.prescribed.size(); ++k)
    prescribed.push_back({p.prescribed[k], static_cast<double>(p.given(s, static_cast<Index>(k)))});
  Index row = 0, constraint = 0;
  for (const Constraint& c : std::vector<Constraint>(set.constraints())) {
    for (std::size_t i = 0; i < c.beta.size(); ++i, ++row)
      if (p.beta.size() > 0) set[c.name].beta[i] = static_cast<double>(p.beta(s, row));
    if (p.active.size() > 0) set[c.name].active = p.active(s, constraint) != 0;
    ++constraint;
  }
  return solver.try_solve({.q = q, .v = v, .tau = tau, .external = &external, .prescribed = &prescribed});
}

/// All outputs equal within 1000 epsilon and the condition of M.
template <class T> void expect_solver(const Model& m, const ConstraintSet& set, const SolverSettings& settings,
                                      const Problem<T>& p, Tally& tally) {
  const long n = p.states();
  StateRows<T> a(n, m.nv()), lambda(n, set.rows()), motor(n, m.nv()), reaction(n, m.nv());
  BasicBatchSolver<T> batch(m, set, settings, {.threads = 2});
  const BatchReport& report =
      batch.solve(p.input(), {.acceleration = a, .multipliers = lambda, .motor_torque = motor, .reaction = reaction});
  ASSERT_EQ(report.states, n);
  tally.states += n;
  tally.alone += batch.solved_alone();
  ConstraintSet own = set;
  Solver solver(m, own, settings);
  Data data(m);
  Matrix M(m.nv(), m.nv());
  long ok = 0;
  for (long s = 0; s < n; ++s) {
    const Solution& x = by_solver(p, s, own, solver);
    ok += x.report.status == Status::ok;
    ASSERT_EQ(report.status(s), x.report.status) << "state " << s << ": " << x.report.explain();
    tally.infeasible += x.report.status == Status::infeasible;
    if (x.report.status != Status::ok && x.report.status != Status::infeasible &&
        x.report.status != Status::not_converged) {
      ++tally.refused;
      EXPECT_TRUE(a.row(s).array().isNaN().all() && lambda.row(s).array().isNaN().all());
      EXPECT_TRUE(motor.row(s).array().isNaN().all() && reaction.row(s).array().isNaN().all());
      continue;
    }
    mass_matrix(m, data, p.x.q_of(s), M, settings.joint_effects);
    const double kappa = std::min(condition_of(M), 1e12), unit = k_epsilon<T> * kappa;
    const double accelerations = x.acceleration.cwiseAbs().maxCoeff() + 1e-3;
    const double forces = 1e-3 + M.cwiseAbs().maxCoeff() * accelerations + x.motor_torque.cwiseAbs().maxCoeff() +
                          x.reaction.cwiseAbs().maxCoeff();
    const auto check = [&](const char* name, const auto& row, const VectorView& one, double scale) {
      const Vector got = row.template cast<double>();
      ASSERT_EQ(got.size(), one.size());
      const double error = got.size() == 0 ? 0 : (got - one).cwiseAbs().maxCoeff() / (scale * unit);
      tally.worst.see(name, error);
      EXPECT_LE(error, 1000) << name << " of state " << s << ", condition " << kappa << "\ngot " << got.transpose()
                             << "\nnot " << one.transpose();
    };
    check("acceleration", a.row(s), x.acceleration, accelerations);
    const double multipliers = x.multipliers.size() == 0 ? 0 : x.multipliers.cwiseAbs().maxCoeff();
    check("multipliers", lambda.row(s), x.multipliers, multipliers + 1e-3 * forces);
    check("motor_torque", motor.row(s), x.motor_torque, forces);
    check("reaction", reaction.row(s), x.reaction, forces);
    if (testing::Test::HasFailure()) return;
    for (std::size_t k = 0; k < p.prescribed.size(); ++k)
      EXPECT_EQ(a(s, p.prescribed[k]), p.given(s, static_cast<Index>(k)));
  }
  EXPECT_EQ(report.ok, ok);
}

Model load(const std::string& file, const std::string& root) {
  LoadOptions options;
  options.root = root;
  options.resolve_meshes = false;
  return zwang::load(shared_robot(file), options);
}

template <class T> class BatchSolverOf : public testing::Test {
 protected:
  void TearDown() override {
    for (const auto& [name, error] : tally_.worst.list()) this->RecordProperty(name, std::to_string(error));
    this->RecordProperty("states", std::to_string(tally_.states));
    this->RecordProperty("solved_alone", std::to_string(tally_.alone));
  }
  Tally tally_;
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

}  // namespace
}  // namespace zwang::test
