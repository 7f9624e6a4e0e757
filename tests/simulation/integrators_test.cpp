// SPDX-License-Identifier: BSD-3-Clause
// Laws of the integrators: their orders, what they conserve, what they keep.
#include <gtest/gtest.h>

#include <cstdlib>

#include "dynamics/assembly_cases.hpp"
#include "simulation/cases.hpp"
#include "support/effort.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
/// Of fixed steps.
const std::vector<Integrator> k_all = {Integrator::semi_implicit, Integrator::rk4, Integrator::half_explicit,
                                       Integrator::variational};
int order_of(Integrator i) { return i == Integrator::semi_implicit ? 1 : i == Integrator::variational ? 2 : 4; }

/// log2 of how much the error falls where the step is halved, over two halvings; each step ends at the same time.
template <class Error> double measured_order(double dt, Error&& error) {
  const double coarse = error(dt), fine = error(dt / 4);
  EXPECT_GT(fine, 0);
  return std::log2(coarse / fine) / 2;
}

TEST(Integrators, HaveTheirOrdersOnAPendulum) {
  const Model m = pendulum();
  const ConstraintSet none(m);
  const Vector q = Vector::Constant(1, 2.0), v = Vector::Constant(1, -0.7);
  const auto right = pendulum_reference(2.0L, -0.7L, 1);
  for (const Integrator i : k_all) {
    const double order = measured_order(order_of(i) == 4 ? 0.01 : 5e-3, [&](double dt) {
      const Trajectory t = simulate(m, none, {.q = q, .v = v}, {.time = 1, .dt = dt, .integrator = i});
      EXPECT_EQ(t.report.status, Status::ok) << t.report.reason;
      return static_cast<double>(std::hypot(t.q().rightCols<1>()[0] - right[0], t.v().rightCols<1>()[0] - right[1]));
    });
    EXPECT_NEAR(order, order_of(i), 0.2) << name_of(i);
  }
}

TEST(Integrators, HaveTheirOrdersOnAFreeBody) {
  const Model m = free_body();
  const ConstraintSet none(m);
  const Vector q = neutral(m);
  Vector v(6);
  v << 0.5, -0.3, 1, 2.5, -3, 1.5;
  const auto right = free_body_reference(v, 1);
  for (const Integrator i : k_all) {
    const double order = measured_order(order_of(i) == 4 ? 0.02 : 5e-3, [&](double dt) {
      const Trajectory t = simulate(m, none, {.q = q, .v = v}, {.time = 1, .dt = dt, .integrator = i});
      EXPECT_EQ(t.report.status, Status::ok) << t.report.reason;
      Vector end(7);
      for (int k = 0; k < 7; ++k) end[k] = static_cast<double>(right[static_cast<std::size_t>(k)]);
      return distance(m, t.q().rightCols<1>(), end);
    });
    EXPECT_NEAR(order, order_of(i), 0.15) << name_of(i);
  }
}

TEST(Integrators, HaveTheirOrdersOnADoubleFourBar) {
  const DoubleFourBar x;
  const Vector q = x.at(1.0), v = x.at(0.4);
  const auto right = pendulum_reference(1, 0.4L, 1, DoubleFourBar::factor);
  for (const Integrator i : k_all) {
    const double order = measured_order(order_of(i) == 4 ? 0.02 : 5e-3, [&](double dt) {
      const Trajectory t =
          simulate(x.model, x.set, {.q = q, .v = v}, {.time = 1, .dt = dt, .integrator = i, .keep = Keep::projection});
      EXPECT_EQ(t.report.status, Status::ok) << t.report.reason;
      EXPECT_LE(t.report.error, 1e-11) << name_of(i);
      EXPECT_LE(t.report.velocity_error, 1e-11) << name_of(i);
      return std::hypot((t.q().rightCols<1>() - x.at(static_cast<double>(right[0]))).norm(),
                        (t.v().rightCols<1>() - x.at(static_cast<double>(right[1]))).norm());
    });
    EXPECT_NEAR(order, order_of(i), 0.25) << name_of(i);
  }
}

/// Every joint type, mimic joints, springs, dampers, rotors, torques and a wrench: each method comes near to Runge &
/// Kutta's with short steps, by its order, and that of order 4 to itself.
TEST(Integrators, HaveTheirOrdersOnEveryJoint) {
  for (int seed = 1; seed <= effort(6); ++seed) {
    RandomRobot options;
    options.joints = 7;
    options.root = seed % 2 == 0 ? "floating" : "planar";
    const RobotDescription d = random_robot(static_cast<std::uint64_t>(seed), options);
    const Model m = build(d);
    const ConstraintSet none(m);
    Random random(static_cast<std::uint64_t>(seed) + 70);
    Vector q = neutral(m);
    q = integrate(m, q, random.vector(static_cast<int>(m.nv()), 0.4));
    const Vector v = random.vector(static_cast<int>(m.nv()), 0.5), tau = random.vector(static_cast<int>(m.nv()), 0.5);
    const Externals push = {external_wrench(m, d.links.back().name, {1, -2, 1.5, 0.2, 0.1, -0.3})};
    const auto run = [&](Integrator i, double dt) {
      const Trajectory t =
          simulate(m, none, {.q = q, .v = v, .tau = tau, .external = &push}, {.time = 0.04, .dt = dt, .integrator = i});
      EXPECT_EQ(t.report.status, Status::ok) << t.report.reason;
      return t;
    };
    const Trajectory right = run(Integrator::rk4, 0.04 / 256);
    const Trajectory asked = run(Integrator::dormand_prince, 0.04);  // at most 64 parts of an error of 1e-9
    EXPECT_LE(distance(m, asked.q().rightCols<1>(), right.q().rightCols<1>()), 1e-7) << seed;
    for (const Integrator i : k_all) {
      SCOPED_TRACE(name_of(i) + (" seed " + std::to_string(seed)));
      const double order = measured_order(order_of(i) == 4 ? 0.01 : 0.0025, [&](double dt) {
        const Trajectory t = run(i, dt);
        return std::hypot(distance(m, t.q().rightCols<1>(), right.q().rightCols<1>()),
                          0.1 * (t.v().rightCols<1>() - right.v().rightCols<1>()).norm());
      });
      EXPECT_GT(order, order_of(i) - 0.4);
    }
  }
}

/// Random closed mechanisms of all joint types, redundant loops among them: all integrators go the same way, closed.
TEST(Integrators, KeepRandomMechanismsClosed) {
  int moved = 0;
  for (int seed = 1; seed <= effort(40, 4); ++seed) {
    const OpenMechanism x = open_mechanism(static_cast<std::uint64_t>(seed), 0.0);
    Assembler assembler(*x.model, *x.set, {.limits = false});
    if (x.set->rows() == 0 || assembler.assemble(x.closed).report.status != Status::ok) continue;
    SCOPED_TRACE(x.what);
    const Vector v = assembler.assemble_velocity(x.closed, Vector::Constant(x.model->nv(), 0.3)).v;
    const auto run = [&](Integrator i, double dt) {
      return simulate(*x.model, *x.set, {.q = x.closed, .v = v},
                      {.time = 2e-3, .dt = dt, .integrator = i, .keep = Keep::projection});
    };
    const Trajectory right = run(Integrator::rk4, 1e-4);
    if (right.report.status != Status::ok || v.norm() < 1e-3) {
      EXPECT_NE(right.report.status, Status::infeasible) << right.report.reason;
      continue;
    }
    ++moved;
    for (const Integrator i : {Integrator::semi_implicit, Integrator::half_explicit, Integrator::variational}) {
      const Trajectory t = run(i, 1e-4);
      EXPECT_EQ(t.report.status, Status::ok) << name_of(i) << ": " << t.report.reason;
      EXPECT_LE(t.report.error, 1e-11) << name_of(i);
      if (t.report.status != Status::ok) continue;
      const double change = (right.v().rightCols<1>() - v).norm();
      EXPECT_LE((t.v().rightCols<1>() - right.v().rightCols<1>()).norm(),
                (i == Integrator::semi_implicit ? 0.3 : 0.03) * (change + 1e-6))
          << name_of(i);
    }
  }
  EXPECT_GE(moved, effort(25, 1));
}

/// Largest distance of the energy from its first value, in the first tenth and in all of a motion.
struct Drift {
  double early = 0, whole = 0, last = 0;
  explicit Drift(const Trajectory& t) {
    for (std::size_t k = 0; k < t.energy.size(); ++k) {
      last = std::fabs(t.energy[k] - t.energy[0]);
      whole = std::max(whole, last);
      if (k < t.energy.size() / 10) early = std::max(early, last);
    }
  }
};

TEST(Integrators, BoundTheEnergyWhereTheyAreSymplectic) {
  const DoubleFourBar x;
  const double time = k_sanitized ? 4 : 30;
  for (const Integrator i : {Integrator::semi_implicit, Integrator::variational}) {
    const Trajectory t = simulate(x.model, x.set, {.q = x.at(1.0)},
                                  {.time = time, .dt = 5e-3, .integrator = i, .keep = Keep::projection});
    ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
    const Drift d(t);
    std::printf("%s: energy within %.3g J in the first tenth, %.3g J in all; errors %.2g, %.2g\n", name_of(i), d.early,
                d.whole, t.report.error, t.report.velocity_error);
    EXPECT_LE(d.whole, 1.6 * d.early) << name_of(i);
    EXPECT_LE(t.report.error, 1e-10);
  }
  for (const Integrator i : {Integrator::rk4, Integrator::half_explicit}) {
    const Trajectory t = simulate(x.model, x.set, {.q = x.at(1.0)},
                                  {.time = time, .dt = 5e-3, .integrator = i, .keep = Keep::projection});
    ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
    const Drift d(t);
    std::printf("%s: energy within %.3g J in the first tenth, %.3g J in all\n", name_of(i), d.early, d.whole);
    EXPECT_LE(d.whole, 1e-6 * time);  // of order h^4 a second
  }
}

/// The published solution of the driven squeezer at 0.03 s, to as many digits as the steps allow.
TEST(Integrators, FindThePublishedMotionOfTheSqueezer) {
  const Squeezer x;
  const Vector right = x.in_order({15.8107711962990, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                                   0.5244099658805304, 0.5347301163226948, 1.048080741042263});
  const double within[] = {0.5, 1e-8, 1e-8, 1e-4};
  for (std::size_t k = 0; k < k_all.size(); ++k) {
    const SimulationSettings s{.time = 0.03, .dt = 1e-5, .integrator = k_all[k], .keep = Keep::projection};
    const Trajectory t = simulate(x.model, x.set, {.q = x.start()}, s, [&](SimulationStage& stage) { x.drive(stage); });
    ASSERT_EQ(t.report.status, Status::ok) << name_of(k_all[k]) << ": " << t.report.reason;
    const double off = (t.q().rightCols<1>() - right).cwiseAbs().maxCoeff();
    std::printf("%s: %.2g rad from the published solution, errors %.2g, %.2g\n", name_of(k_all[k]), off, t.report.error,
                t.report.velocity_error);
    EXPECT_LE(off, within[k]) << name_of(k_all[k]);
    EXPECT_LE(t.report.error, 1e-12);
  }
}

/// Many steps without a motor: as many as a million with ZWANG_WHOLE_TABLE.
TEST(Integrators, KeepLoopsClosedForMillionsOfSteps) {
  const long steps = std::getenv("ZWANG_WHOLE_TABLE") != nullptr ? 1000000 : effort(3000);
  const DoubleFourBar bars;
  const Squeezer squeezer;
  Assembler assembler(squeezer.model, squeezer.set);
  const Vector turn = 300 * Vector::Unit(7, 0), spin = assembler.assemble_velocity(squeezer.start(), turn).v;
  struct {
    const char* what;
    const Model& model;
    const ConstraintSet& set;
    Vector q, v;
    double dt;
  } const cases[] = {{"double four-bar", bars.model, bars.set, bars.at(1.0), bars.at(0), 2e-3},
                     {"squeezer", squeezer.model, squeezer.set, squeezer.start(), spin, 1e-5}};
  for (const auto& c : cases)
    for (const Integrator i : k_all) {
      const auto n = static_cast<double>(steps);
      const Trajectory t = simulate(c.model, c.set, {.q = c.q, .v = c.v},
                                    {.time = n * c.dt,
                                     .dt = c.dt,
                                     .integrator = i,
                                     .keep = Keep::projection,
                                     .every = std::max<Index>(1, static_cast<Index>(steps / 10000))});
      ASSERT_EQ(t.report.status, Status::ok) << c.what << ", " << name_of(i) << ": " << t.report.reason;
      const Drift d(t);
      std::printf("%s, %ld steps by %s: energy %.6g J within %.2g, at the end %.2g; error %.2g\n", c.what,
                  t.report.steps, name_of(i), t.energy[0], d.whole, d.last, t.report.error);
      EXPECT_LE(t.report.error, 1e-10);
      if (i == Integrator::variational && steps >= 3000) { EXPECT_LE(d.whole, 2 * d.early + 1e-12); }  // some turns
    }
}

TEST(Integrators, VariationalGoesBackTheWayItCame) {
  const DoubleFourBar x;
  RandomRobot options;
  options.joints = 6;
  options.root = "floating";
  options.damping = options.friction = 0;  // friction has a direction of time
  const Model tree = build(random_robot(3, options));
  const ConstraintSet none(tree);
  const Vector at_rest = neutral(tree), moving = Random(4).vector(static_cast<int>(tree.nv()), 0.5);
  const Vector q4 = x.at(1.0), v4 = x.at(0.3);
  struct {
    const Model& model;
    const ConstraintSet& set;
    const Vector &q, &v;
  } const cases[] = {{x.model, x.set, q4, v4}, {tree, none, at_rest, moving}};
  for (const auto& c : cases) {
    const SimulationSettings s{.time = 0.2, .dt = 2e-3, .integrator = Integrator::variational};
    const Trajectory there = simulate(c.model, c.set, {.q = c.q, .v = c.v}, s);
    ASSERT_EQ(there.report.status, Status::ok) << there.report.reason;
    const Vector q = there.q().rightCols<1>(), v = -there.v().rightCols<1>();
    const Trajectory back = simulate(c.model, c.set, {.q = q, .v = v}, s);
    ASSERT_EQ(back.report.status, Status::ok);
    // 200 steps, each with the rounding of its equations, which the motion magnifies.
    EXPECT_LE(distance(c.model, back.q().rightCols<1>(), c.q), 1e-11);
    EXPECT_LE((back.v().rightCols<1>() + c.v).norm(), 1e-10 * (1 + c.v.norm()));
    EXPECT_GT(distance(c.model, q, c.q), 1e-2);
  }
}

TEST(Integrators, SemiImplicitIsARollout) {
  for (const char* name : {"arm7", "quadruped", "gripper"}) {
    BuildOptions options;
    if (std::string(name) == "quadruped") options.root = "floating";
    const Model m = build(sample(name), options);
    const ConstraintSet none(m);
    const Vector q = random(m, 3), v = Random(5).vector(static_cast<int>(m.nv()), 1),
                 tau = Random(6).vector(static_cast<int>(m.nv()), 1);
    const Trajectory t = simulate(m, none, {.q = q, .v = v, .tau = tau},
                                  {.time = 0.02, .dt = 1e-3, .integrator = Integrator::semi_implicit});
    BatchSolver batch(m, none, {}, {.threads = 1});
    StateRows<double> q1 = q.transpose(), v1 = v.transpose(), u = tau.transpose();
    batch.rollout({.q = q1, .v = v1, .tau = u, .steps = 20, .step = 1e-3}, {.q = q1, .v = v1});
    ASSERT_EQ(t.states(), 21);
    EXPECT_LE(distance(m, t.q().rightCols<1>(), Vector(q1.row(0))), 1e-11) << name;
    EXPECT_LE((t.v().rightCols<1>() - Vector(v1.row(0))).norm(), 1e-10 * (1 + v1.norm())) << name;
  }
}

}  // namespace
}  // namespace zwang::test
