// SPDX-License-Identifier: BSD-3-Clause
// BatchDerivatives::vjp() in lanes against the Solver of one state, whose products and whose response are other code:
// every joint type, rows in every axes, wrenches in every reference, constraints switched from state to state.
//
// Tolerance: both solve the same equations twice, so what differs is rounding times the condition of the problem: 1000
// epsilon of the condition of M, and of what a small change of the state makes of the gradient; some 130 are seen.
#include <gtest/gtest.h>

#include "batch/against_solver.hpp"
#include "support/passive.hpp"
#include "zwang/batch/batch_derivatives.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::test {
namespace {

using Rows = StateRows<double>;
constexpr int k_parts = 17;
constexpr const char* k_name[k_parts] = {"q",
                                         "v",
                                         "tau",
                                         "prescribed",
                                         "force",
                                         "beta",
                                         "target",
                                         "target_velocity",
                                         "compliance",
                                         "time_constant",
                                         "damping_ratio",
                                         "armature",
                                         "damping",
                                         "stiffness",
                                         "gravity",
                                         "inertial_parameters",
                                         "placement"};

/// All parts that lanes give.
struct Gradients {
  Rows x[k_parts];
  BatchInputGradient<double> out(const Model& m, const ConstraintSet& set, long n) {
    const Index nv = m.nv(), rows = set.rows(), of = set.size();
    const auto joints = static_cast<Index>(m.joints().size()), links = static_cast<Index>(m.links().size());
    const Index size[k_parts] = {nv, nv, nv, nv, nv, rows, rows,       rows,      rows,
                                 of, of, nv, nv, nv, 3,    10 * links, 6 * joints};
    for (int i = 0; i < k_parts; ++i) x[i] = Rows::Constant(n, size[i], 7);
    return {x[0], x[1],  x[2],  x[3],  x[4],  x[5],  x[6],  x[7], x[8],
            x[9], x[10], x[11], x[12], x[13], x[14], x[15], x[16]};
  }
};
std::vector<Eigen::VectorXd> parts_of(const InputGradient& g) {
  std::vector<Eigen::VectorXd> x;
  for (const VectorView* part :
       {&g.q, &g.v, &g.tau, &g.prescribed, &g.force, &g.beta, &g.target, &g.target_velocity, &g.compliance,
        &g.time_constant, &g.damping_ratio, &g.armature, &g.damping, &g.stiffness})
    x.emplace_back(*part);
  x.emplace_back(g.gravity);
  x.emplace_back(g.inertial_parameters);
  x.emplace_back(g.placement.reshaped());
  return x;
}

struct Weights {
  Rows a, l, t;
  Weights(const Model& m, const ConstraintSet& set, long n) : a(n, m.nv()), l(n, set.rows()), t(n, m.nv()) {
    Random random(77);
    for (Rows* x : {&a, &l, &t})
      for (long s = 0; s < n; ++s) x->row(s) = random.vector(static_cast<int>(x->cols()));
  }
  BatchSolutionGradient<double> all() const { return {a, l, t}; }
};

/// vjp() of all states; returns how many of them a Solver has answered.
long expect_solver_gradients(const Model& m, const ConstraintSet& set, const Problem<double>& p, Worst& worst,
                             const SolverSettings& settings = {}, const std::string& method = "automatic") {
  const long n = p.states();
  const Weights w(m, set, n);
  Gradients got;
  BatchDerivatives batch(m, set, settings, {.threads = 2});
  const BatchReport& report = batch.vjp(p.input(), w.all(), got.out(m, set, n));
  SolverSettings of_solver = settings;
  of_solver.method = method;
  ConstraintSet own = set;
  Solver solver(m, own, of_solver);
  Data data(m);
  Eigen::MatrixXd M(m.nv(), m.nv());
  for (long s = 0; s < n; ++s) {
    const Eigen::VectorXd a = w.a.row(s), l = w.l.row(s), t = w.t.row(s);
    by_solver(shaken(m, p, s), 0, own, solver);
    std::vector<Eigen::VectorXd> near = parts_of(solver.vjp({a, l, t}));
    ConstraintSet fresh = set;  // a solver remembers states where rows nearly depend
    Solver alone(m, fresh, of_solver);
    by_solver(p, s, fresh, alone);
    const InputGradient& one = alone.vjp({a, l, t});
    EXPECT_EQ(report.status(s), one.status) << s;
    EXPECT_EQ(batch.reason(s), one.reason) << s;
    std::vector<Eigen::VectorXd> here = parts_of(one);
    for (Index k = 0; k < here[16].size(); ++k) {  // of joints that were merged into a body
      EXPECT_EQ(std::isnan(here[16](k)), std::isnan(got.x[16](s, k))) << "placement of state " << s;
      if (std::isnan(here[16](k))) here[16](k) = near[16](k) = got.x[16](s, k) = 0;
    }
    mass_matrix(m, data, p.x.q_of(s), M, settings.joint_effects);
    const double kappa = std::min(condition_of(M), 1e12);
    for (int i = 0; i < k_parts; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (here[at].size() == 0) continue;
      const double scale = here[at].cwiseAbs().maxCoeff() * kappa + (near[at] - here[at]).cwiseAbs().maxCoeff() * 1e9;
      const double error = (got.x[i].row(s).transpose() - here[at]).cwiseAbs().maxCoeff();
      if (scale > 0) worst.see(k_name[i], error / (scale * k_epsilon<double>));
      EXPECT_LE(error, 1000 * k_epsilon<double> * scale)
          << k_name[i] << " of state " << s << "\ngot " << got.x[i].row(s) << "\nnot " << here[at].transpose();
    }
  }
  return batch.solved_alone();
}

/// Feet whose rows are switched and moved from state to state.
struct Feet {
  Model model = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet set{model};
  Problem<double> p;
  explicit Feet(long n) {
    for (const char* foot : {"LF_foot", "RF_foot", "LH_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
    set.add(FrameConstraint{.name = "lean", .frame = "RH_foot", .rows = rows("linear.z"), .in = "RF_foot"});
    p = problem_of<double>(model, n, 31);
    Random random(8);
    p.beta.resize(n, set.rows());
    p.active.resize(n, set.size());
    for (long s = 0; s < n; ++s) {
      for (Index k = 0; k < set.rows(); ++k) p.beta(s, k) = random.uniform(-5, 5);
      for (Index k = 0; k < set.size(); ++k) p.active(s, k) = random.below(4) > 0;
    }
    add_wrenches(model, p, 4);
  }
};

TEST(BatchGradients, OfFeetAreThoseOfASolver) {
  const Feet c(effort(70));
  Worst worst;
  EXPECT_LE(expect_solver_gradients(c.model, c.set, c.p, worst), c.p.states() / 10);
  worst.record("epsilon");
}

TEST(BatchGradients, OfEveryJointTypeAndAllAxesAreThoseOfASolver) {
  Worst worst;
  long states = 0, alone = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    RobotDescription robot = random_robot(seed, {.joints = 10, .mimic = 0});
    if (seed % 3 != 0) add_passive_forces(robot, seed);
    const Model m = build(robot, {.root = seed % 2 == 0 ? "floating" : "fixed"});
    ConstraintSet set(m);
    const auto link = [&](std::size_t k) { return m.links()[k % m.links().size()].name; };
    const char* const in[] = {"local", "world", "local_world_aligned"};
    FrameConstraint c{.name = "end", .frame = m.links().back().name, .rows = rows("linear")};
    c.in = seed % 4 == 3 ? link(seed) : in[seed % 4];
    c.acceleration = seed % 3 == 0 ? AccelerationKind::spatial : AccelerationKind::classical;
    set.add(c);
    FrameConstraint other{.name = "other", .frame = link(5), .rows = rows("angular.y")};
    other.in = in[(seed + 1) % 3];
    set.add(other);
    Problem<double> p = problem_of<double>(m, 19, seed);
    add_wrenches(m, p, seed);
    SolverSettings settings;
    settings.joint_effects.friction = false;
    states += p.states();
    alone += expect_solver_gradients(m, set, p, worst, settings);
    if (HasFailure()) FAIL() << "robot " << seed;
  }
  EXPECT_LT(alone, states / 2);
  worst.record("epsilon");
}

/// An arm ever nearer to the stretched one, where its rows depend on each other.
TEST(BatchGradients, NearASingularStateAreThoseOfASolver) {
  const Model m = build(sample("arm7"));
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "tool", .frame = "tool0"});
  const long n = 56;
  Problem<double> p = problem_of<double>(m, n, 3);
  for (long s = 0; s < n; ++s) p.x.q.row(s) *= std::pow(10.0, -0.25 * static_cast<double>(s));
  Worst worst;
  const long alone = expect_solver_gradients(m, set, p, worst);
  worst.record("epsilon");
  EXPECT_GT(alone, n / 4);
  EXPECT_LT(alone, n);
}

/// As many rows as coordinates: by accelerations alone the response is zero, the sum of terms that cancel. A method on
/// matrices has more digits where rows nearly depend than the sweep.
TEST(BatchGradients, WhereRowsLeaveNoMotionAreThoseOfASolver) {
  const Model m = build(sample_chain(6));
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "tool", .frame = m.links().back().name});
  const long n = 40;
  const Problem<double> p = problem_of<double>(m, n, 3);
  Worst worst;
  EXPECT_LT(expect_solver_gradients(m, set, p, worst, {}, "dense_lu"), n / 4);
  worst.record("epsilon");
  const Rows a = Rows::Ones(n, m.nv());
  Rows by_q(n, m.nv()), by_beta(n, 6);
  BatchDerivatives batch(m, set, {}, {.threads = 1});
  EXPECT_TRUE(batch.vjp(p.input(), {.acceleration = a}, {.q = by_q, .beta = by_beta}).good());
  EXPECT_LT(batch.solved_alone(), n / 4);
}

TEST(BatchGradients, OfSetsThatLanesLeaveAreThoseOfASolver) {
  const Model m = build(sample("quadruped"), {.root = "floating"});
  const Problem<double> p = problem_of<double>(m, 9, 3);
  Worst worst;
  ConstraintSet set(m);
  EXPECT_EQ(expect_solver_gradients(m, set, p, worst), 0);  // no rows at all
  ContactConstraint foot{.name = "foot", .frame = "LF_foot"};
  set.add(foot);
  EXPECT_EQ(expect_solver_gradients(m, set, p, worst), 0);
  set["foot"].role = Role::driver;  // whose forces the motor torques count
  EXPECT_EQ(expect_solver_gradients(m, set, p, worst), 9);
  set["foot"].role = Role::physical;
  set.add(FrameConstraint{
      .name = "lean", .frame = "LH_foot", .rows = rows("linear"), .policy = Policy::soft, .compliance = {0.1}});
  EXPECT_EQ(expect_solver_gradients(m, set, p, worst), 9);
  set["lean"].active = false;
  EXPECT_EQ(expect_solver_gradients(m, set, p, worst), 0);
  set.add(LoopConstraint{.name = "tied", .frame = "RH_foot", .other = "LH_foot", .rows = rows("linear")});
  EXPECT_EQ(expect_solver_gradients(m, set, p, worst), 9);
  const Model mimics = build(sample("gripper"));
  EXPECT_EQ(expect_solver_gradients(mimics, ConstraintSet(mimics), problem_of<double>(mimics, 9, 3), worst), 9);
}

TEST(BatchGradients, HaveTheBitsOfAStateByItself) {
  const long n = 43;
  const Feet c(n);
  const Weights w(c.model, c.set, n);
  Gradients all, threads, one;
  BatchDerivatives batch(c.model, c.set, {}, {.threads = 1}), three(c.model, c.set, {}, {.threads = 3});
  batch.vjp(c.p.input(), w.all(), all.out(c.model, c.set, n));
  EXPECT_LT(batch.solved_alone(), n / 4);
  three.vjp(c.p.input(), w.all(), threads.out(c.model, c.set, n));
  for (int i = 0; i < k_parts; ++i) EXPECT_TRUE(same_bits(all.x[i], threads.x[i])) << k_name[i];
  for (long s = 0; s < n; ++s) {
    Problem<double> p = c.p;
    for (Rows* x : {&p.x.q, &p.x.v, &p.x.tau, &p.beta, &p.active, &p.wrench[0], &p.wrench[1], &p.wrench[2]})
      *x = Rows(x->row(s));
    const Rows a = w.a.row(s), l = w.l.row(s), t = w.t.row(s);
    batch.vjp(p.input(), {a, l, t}, one.out(c.model, c.set, 1));
    for (int i = 0; i < k_parts; ++i) EXPECT_TRUE(same_bits(one.x[i], Rows(all.x[i].row(s)))) << k_name[i] << s;
  }
}

/// Lanes of double answer states in float: the numbers are those of the same states in double, rounded.
TEST(BatchGradients, OfFloatAreThoseOfDoubleRounded) {
  const long n = 75;
  Feet c(n);
  c.set[c.set.constraints()[0].name.value()].active = false;  // the call switches it on in some states
  const auto narrow = [](const Rows& x) { return StateRows<float>(x.cast<float>()); };
  Problem<float> p;
  p.x = {narrow(c.p.x.q), narrow(c.p.x.v), narrow(c.p.x.a), narrow(c.p.x.tau)};
  p.beta = narrow(c.p.beta);
  p.active = narrow(c.p.active);
  p.external = c.p.external;
  for (const Rows& x : c.p.wrench) p.wrench.push_back(narrow(x));
  p.x.tau(7, 2) = std::numeric_limits<float>::quiet_NaN();
  Weights w(c.model, c.set, n);
  w.a.row(3) *= 1e38;
  const StateRows<float> a = narrow(w.a), l = narrow(w.l), t = narrow(w.t);
  for (Rows* x :
       {&c.p.x.q, &c.p.x.v, &c.p.x.tau, &c.p.beta, &c.p.wrench[0], &c.p.wrench[1], &c.p.wrench[2], &w.a, &w.l, &w.t})
    *x = x->cast<float>().cast<double>();
  c.p.x.tau(7, 2) = std::numeric_limits<double>::quiet_NaN();
  const auto joints = static_cast<Index>(c.model.joints().size()), links = static_cast<Index>(c.model.links().size());
  StateRows<float> by_q(n, c.model.nv()), by_target(n, c.set.rows()), by_inertia(n, 10 * links),
      by_place(n, 6 * joints);
  FloatBatchDerivatives batch(c.model, c.set, {}, {.threads = 2});
  const BatchReport& report = batch.vjp(
      p.input(), {a, l, t}, {.q = by_q, .target = by_target, .inertial_parameters = by_inertia, .placement = by_place});
  EXPECT_LT(batch.solved_alone(), n / 4);
  Gradients g;
  SolverSettings settings;
  settings.tolerance = 64 * k_epsilon<float>;
  BatchDerivatives in_double(c.model, c.set, settings, {.threads = 1});
  in_double.vjp(c.p.input(), w.all(), g.out(c.model, c.set, n));
  for (long s = 0; s < n; ++s) {
    EXPECT_EQ(report.status(s), s == 3 ? Status::overflow : in_double.report().status(s)) << s;
    if (s == 3) { EXPECT_TRUE(by_q.row(s).isZero(0) && by_inertia.row(s).isZero(0)); }
    if (s == 3 || s == 7) continue;
    EXPECT_TRUE(same_bits(by_q.row(s), narrow(g.x[0].row(s)))) << s;
    EXPECT_TRUE(same_bits(by_target.row(s), narrow(g.x[6].row(s)))) << s;
    EXPECT_TRUE(same_bits(by_inertia.row(s), narrow(g.x[15].row(s)))) << s;
    EXPECT_TRUE(same_bits(by_place.row(s), narrow(g.x[16].row(s)))) << s;
  }
  EXPECT_TRUE(by_q.row(7).array().isNaN().all());
}

TEST(BatchGradients, OfStatesInDoubtOrRefusedAreThoseOfTheSolver) {
  const Model m = build(sample("arm7"));
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "tool", .frame = "tool0"});
  const long n = 21;
  Problem<double> p = problem_of<double>(m, n, 3);
  p.x.q.row(2).setZero();  // stretched: singular
  p.x.q(5, 1) = std::numeric_limits<double>::quiet_NaN();
  Weights w(m, set, n);
  w.l(9, 2) = std::numeric_limits<double>::infinity();
  Gradients g;
  BatchDerivatives batch(m, set, {}, {.threads = 1});
  batch.vjp(p.input(), w.all(), g.out(m, set, n));
  EXPECT_EQ(batch.solved_alone(), 1);
  for (long s = 0; s < n; ++s) {
    const bool refused = s == 5 || s == 9;
    EXPECT_EQ(batch.report().status(s), refused  ? Status::non_finite_input
                                        : s == 2 ? Status::not_differentiable
                                                 : Status::ok)
        << s;
    for (const Rows& x : g.x)
      if (refused) { EXPECT_TRUE(x.row(s).array().isNaN().all()); }
    if (s == 2) {
      EXPECT_TRUE(g.x[0].row(s).isZero(0));
      EXPECT_FALSE(batch.reason(s).empty());
    }
  }
}

TEST(BatchGradients, FollowGravityTheSetAndTheSettings) {
  const long n = 9;
  Feet c(n);
  const Weights w(c.model, c.set, n);
  Gradients g;
  BatchDerivatives batch(c.model, c.set, {}, {.threads = 1});
  batch.vjp(c.p.input(), w.all(), g.out(c.model, c.set, n));
  const Rows earth = g.x[0];
  batch.set_gravity({0, 0.3, -1.6});
  batch.vjp(c.p.input(), w.all(), g.out(c.model, c.set, n));
  EXPECT_GT((earth - g.x[0]).cwiseAbs().maxCoeff(), 1e-3);
  Solver solver(c.model, c.set);
  solver.data().gravity = {0, 0.3, -1.6};
  by_solver(c.p, 4, c.set, solver);
  const Eigen::VectorXd a = w.a.row(4), l = w.l.row(4), t = w.t.row(4);
  EXPECT_NEAR((parts_of(solver.vjp({a, l, t}))[0] - g.x[0].row(4).transpose()).cwiseAbs().maxCoeff(), 0, 1e-8);
  batch.settings().method = "dense_lu";  // not in lanes
  batch.vjp(c.p.input(), w.all(), g.out(c.model, c.set, n));
  EXPECT_EQ(batch.solved_alone(), n);
}

}  // namespace
}  // namespace zwang::test
