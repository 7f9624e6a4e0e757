// SPDX-License-Identifier: BSD-3-Clause
// The wrench observer: robots that stand still, where r is known in closed form; motions with known forces, where r
// follows the filter's equation with P tau_ext from dense algebra, with an error that falls with the square of the
// sample time; and the conditions of the least that wrenches satisfy.
#include "zwang/question/wrench_observer.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <limits>

#include "dynamics/mechanisms.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "support/robots.hpp"
#include "support/says.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/simulation.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// As in tests/algorithm: some 40 operations per body on a path of up to 30.
constexpr double k_sweep = 2000 * std::numeric_limits<double>::epsilon();

/// J of the active rows of a set.
Matrix rows_at(const Model& model, const ConstraintSet& set, const Vector& q) {
  if (set.rows() == 0) return Matrix(0, model.nv());
  Solver solver(model, set);
  solver.solve({.q = q});
  Matrix J(solver.active_rows(), model.nv());
  solver.constraint_jacobian(J);
  return J;
}
/// P f by least squares in the metric of M^-1.
Vector felt(const Matrix& M, const Matrix& J, const Vector& f) {
  if (J.rows() == 0) return f;
  const Eigen::LLT<Matrix> L(M);
  const Matrix W = L.matrixL().solve(J.transpose());
  Eigen::CompleteOrthogonalDecomposition<Matrix> least;
  least.setThreshold(1e-9);
  least.compute(W);
  const Vector y = L.matrixL().solve(f);
  return L.matrixL() * (y - W * least.solve(y));
}

/// A motion under known torques and a wrench that the observer does not know.
struct Scene {
  Model model;
  ConstraintSet set;
  Vector q, v, torque;
  std::string frame;
  Vector wrench = Vector::Zero(6);

  Vector tau(double t) const { return torque * std::cos(7 * t); }
  Externals unknown(double t) const {
    const double s = std::sin(11 * t) + 1;
    return {external_wrench(
        model, frame,
        Force<double>{{s * wrench[0], s * wrench[1], s * wrench[2]}, {s * wrench[3], s * wrench[4], s * wrench[5]}})};
  }
};

/// The largest error of r over a motion, and of r itself, by samples `dt` apart.
struct Tracked {
  double error = 0, size = 0;
};
Tracked track(const Scene& x, double gain, double dt, int samples, bool held = false, double wrench_scale = 1) {
  Tracked most;
  constexpr int k_substeps = 4;
  Simulator simulator(x.model, x.set,
                      {.time = dt * samples * 1.01, .dt = dt / k_substeps, .integrator = Integrator::rk4});
  const auto tau_at = [&](double t) { return x.tau(held ? dt * std::floor(t / dt + 1e-6) : t); };
  double sample_time = 0;  // with held torques a step does not cross a sample: its torque is that of its beginning
  simulator.set_control([&](SimulationStage& s) {
    s.tau = held ? x.tau(sample_time) : x.tau(s.time);
    s.external = x.unknown(s.time);
    for (double& f : s.external[0].wrench) f *= wrench_scale;
  });
  WrenchObserver observer(x.model, x.set, {{.frame = x.frame}}, {.gain = gain, .held_torque = held});
  EXPECT_TRUE(simulator.start({.q = x.q, .v = x.v}));
  Data data(x.model);
  Vector r = Vector::Zero(x.model.nv()), before;
  for (int k = 0; k <= samples; ++k) {
    const double t = k * dt;
    const Vector q = simulator.state().q, v = simulator.state().v, tau = tau_at(t);
    Vector f = static_torque(x.model, data, q);
    f = wrench_scale * (f - static_torque(x.model, data, q, x.unknown(t)));
    const Vector now = felt(mass_matrix(x.model, data, q), rows_at(x.model, x.set, q), f);
    if (k > 0) {  // the filter's exact solution where P tau_ext is linear between samples, to O(dt^2)
      const double stays = std::exp(-gain * dt);
      r = stays * r + (1 - stays) * 0.5 * (before + now);
    }
    before = now;
    const WrenchObserverInput sample{.q = q, .v = v, .tau = tau, .dt = dt};
    const WrenchEstimate& seen = k == 0 ? observer.start(sample) : observer.update(sample);
    EXPECT_TRUE(seen.status == Status::ok || seen.status == Status::infeasible) << name_of(seen.status);
    most.error = std::max(most.error, largest(seen.torque - r));
    most.size = std::max(most.size, largest(r));
    sample_time = t;
    // A step begins with the forces at the end of the last one: where they jump, it begins anew.
    if (held) simulator.start({.q = q, .v = v, .time = t});
    for (int s = 0; k < samples && s < k_substeps; ++s) simulator.step();
  }
  return most;
}

Scene arm_scene(std::uint64_t seed) {
  const Model model = load(model_file("arm7.urdf"));
  Scene x{model, ConstraintSet(model), {}, {}, {}, "tool0"};
  Random random(seed);
  x.q = random.vector(x.model.nq());
  x.v = random.vector(x.model.nv());
  x.torque = 5 * random.vector(x.model.nv());
  x.wrench = 10 * random.vector(6);
  return x;
}

/// Halving the sample time divides the error by four: between 3 and 5.
void expect_second_order(const Scene& x, double gain, double dt, int samples) {
  const Tracked coarse = track(x, gain, dt, samples), fine = track(x, gain, dt / 2, 2 * samples);
  EXPECT_GT(coarse.size, 0.1);
  EXPECT_LT(coarse.error, 0.05 * coarse.size);
  EXPECT_GT(coarse.error, 3 * fine.error) << coarse.error << " " << fine.error;
}

TEST(WrenchObserver, FollowsTheForceOfAWrenchAsAFilterOfFirstOrder) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    expect_second_order(arm_scene(seed), 30, 2e-3, 100);
  }
}

TEST(WrenchObserver, DoesSoOnEveryTypeOfJoint) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(30)); ++seed) {
    const Robot robot = random_robot_of_all_joints(seed, 3 + static_cast<int>(seed) % 6);
    Random random(seed);
    Scene x{robot.model, ConstraintSet(robot.model), {}, {}, {}, robot.model.links().back().name};
    const RandomState state = random_state(robot.model, seed);
    x.q = state.q;
    x.v = 0.3 * state.v;
    x.torque = random.vector(robot.model.nv());
    x.wrench = 3 * random.vector(6);
    SCOPED_TRACE(seed);
    const Tracked coarse = track(x, 100, 4e-4, 20), fine = track(x, 100, 2e-4, 40);
    // A light link under the wrench moves fast: what counts is the order.
    EXPECT_LT(fine.error, std::max(coarse.error / 2.5, 1e-9 * (1 + fine.size)))
        << coarse.error << " of " << coarse.size;
    compared += coarse.size > 1e-3;
  }
  EXPECT_GE(compared, effort(30) / 2);
}

TEST(WrenchObserver, SeesWhatRowsDoNotTakeUp) {
  for (const Mechanism& m : {stewart_platform(), four_bar_in_space(), hinge_ring(5)}) {
    const Model& model = m.robot.model;
    Scene x{model, m.set(), {}, {}, {}, model.links().back().name};
    const RandomState state = closed_state(m, 3);
    Random random(5);
    x.q = state.q;
    x.v = 0.2 * state.v;
    x.torque = 0.5 * random.vector(model.nv());
    x.wrench = 2 * random.vector(6);
    SCOPED_TRACE(model.name());
    expect_second_order(x, 40, 1e-3, 40);
  }
}

/// A quadruped on three feet, or in the air.
Scene quadruped(bool standing) {
  LoadOptions options;
  options.root = "floating";
  const Model model = load(model_file("quadruped.urdf"), options);
  Scene x{model, ConstraintSet(model), {}, {}, {}, {}};
  x.q = neutral(model);
  Random random(2);
  for (Index k = 7; k < model.nq(); ++k) x.q[k] = 0.5 + 0.2 * random.uniform(-1, 1);
  x.v = standing ? Vector(Vector::Zero(model.nv())) : Vector(random.vector(model.nv()));
  x.torque = 0.5 * random.vector(model.nv());
  x.torque.head(6).setZero();
  x.wrench = 5 * random.vector(6);
  for (const Link& link : model.links()) {
    if (link.name.find("foot") == std::string::npos) continue;
    if (standing && x.set.size() < 3) x.set.add(ContactConstraint{.name = link.name, .frame = link.name});
  }
  x.frame = model.links().front().name;
  return x;
}

TEST(WrenchObserver, KnowsNothingSpecialAboutAFloatingBase) {
  expect_second_order(quadruped(false), 50, 1e-3, 50);
  const Scene standing = quadruped(true);
  EXPECT_GE(standing.set.size(), 3);
  expect_second_order(standing, 50, 1e-3, 50);
}

TEST(WrenchObserver, IsAsExactUnderTorquesThatAreHeld) {
  const Scene x = arm_scene(4);
  const Tracked coarse = track(x, 30, 4e-3, 50, true), fine = track(x, 30, 2e-3, 100, true);
  EXPECT_GT(coarse.error, 3 * fine.error) << coarse.error << " " << fine.error;
  // Without a wrench nothing is seen but that error.
  const Tracked none = track(x, 30, 2e-3, 100, true, 0);
  EXPECT_LT(none.error, 1e-3 * largest(x.torque));
}

TEST(WrenchObserver, StandsStillInClosedForm) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(100)); ++seed) {
    const Robot robot = random_robot_of_all_joints(seed + 70, 2 + static_cast<int>(seed) % 8);
    const Model& model = robot.model;
    if (model.nv() == 0) continue;
    const RandomState state = random_state(model, seed);
    const std::string frame = model.links()[static_cast<std::size_t>(seed) % model.links().size()].name;
    Random random(seed);
    const Vector f = random.vector(6), rest = Vector::Zero(model.nv());
    const Externals push{external_wrench(model, frame, Force<double>{{f[0], f[1], f[2]}, {f[3], f[4], f[5]}})};
    Data data(model);
    const Vector tau = static_torque(model, data, state.q, push), free = static_torque(model, data, state.q);
    const double gain = 1 + 100 * random.uniform(0, 1), dt = 1e-3, scale = largest(tau) + largest(free);
    WrenchObserver observer(model, {{.frame = frame}}, {.gain = gain}),
        knows(model, {{.frame = frame}}, {.gain = gain});
    if (observer.start({.q = state.q, .v = rest, .tau = tau}).status == Status::singular_mass) continue;
    knows.start({.q = state.q, .v = rest, .tau = tau, .external = &push});
    for (int k = 0; k < 5; ++k) {
      observer.update({.q = state.q, .v = rest, .tau = tau, .dt = dt});
      knows.update({.q = state.q, .v = rest, .tau = tau, .external = &push, .dt = dt});
    }
    const WrenchEstimate& seen = observer.estimate();
    ASSERT_EQ(seen.status, Status::ok);
    const Vector expected = (1 - std::exp(-5 * gain * dt)) * (free - tau);
    EXPECT_TRUE(within(seen.torque, expected, k_sweep, scale)) << seed;
    EXPECT_TRUE(within(knows.estimate().torque, rest, k_sweep, scale)) << seed;

    // The wrench that explains r: what is left meets none of its rows in the metric of M^-1.
    const Matrix J = jacobian(model, data, state.q, frame), M = mass_matrix(model, data, state.q);
    const Vector w = seen.wrenches, u = seen.unexplained;
    EXPECT_TRUE(within(u, expected - J.transpose() * w, 1e6 * k_sweep, scale)) << seed;
    EXPECT_LE(seen.rank, std::min<Index>(6, model.nv()));
    if (seen.rank == 6) { EXPECT_TRUE(within(w, (1 - std::exp(-5 * gain * dt)) * f, 1e6 * k_sweep, scale)) << seed; }
  }
}

TEST(WrenchObserver, NamesDirectionsThatTheJointsDoNotFeel) {
  LoadOptions options;
  options.loops = ClosedLoops::constraints;
  const Model pendulum = load(model_file("five_bar.urdf"), options);
  const std::string frame = pendulum.links().back().name;
  Data data(pendulum);
  const Vector q = Vector::Constant(pendulum.nq(), 0.3), rest = Vector::Zero(pendulum.nv());
  WrenchObserver observer(pendulum, {{.frame = frame, .name = "push"}},
                          {.gain = std::numeric_limits<double>::infinity()});
  const Vector tau = static_torque(pendulum, data, q, {external_wrench(pendulum, frame, {1, 2, 0, 0, 0, 0.5})});
  observer.start({.q = q, .v = rest, .tau = tau});
  const WrenchEstimate& seen = observer.update({.q = q, .v = rest, .tau = tau, .dt = 1e-3});
  ASSERT_EQ(seen.status, Status::ok);
  EXPECT_EQ(seen.rank + static_cast<Index>(seen.redundant.size()), 6);
  EXPECT_LT(seen.rank, 4);
  EXPECT_EQ(observer.row_names().size(), 6u);
  EXPECT_EQ(observer.row_names()[0], "push:linear.x");
  EXPECT_TRUE(within(seen.unexplained, rest, 1e4 * k_sweep, largest(tau) + 1));
  EXPECT_EQ((observer.wrench("push") - seen.wrenches).norm(), 0);
  EXPECT_SAYS("push", (void)observer.wrench("pusch"));
}

TEST(WrenchObserver, GivesTheLeastWrenchWhereADirectionIsHardlyFelt) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  const Model arm = load(shared_robot("ur5.urdf"));
  Data data(arm);
  const Vector rest = Vector::Zero(arm.nv());
  for (const double elbow : {1e-3, 1e-4, 1e-6, 1e-9, 0.0}) {
    Vector q(6);
    q << 0.3, -0.7, elbow, 0.4, 0.8, 0.2;
    const Vector tau = static_torque(arm, data, q, {external_wrench(arm, "tool0", {1, 2, 3, 0.1, 0.2, 0.3})});
    WrenchObserver observer(arm, {{.frame = "tool0"}}, {.gain = std::numeric_limits<double>::infinity()});
    observer.start({.q = q, .v = rest, .tau = tau});
    const WrenchEstimate& seen = observer.update({.q = q, .v = rest, .tau = tau, .dt = 1e-3});
    EXPECT_EQ(seen.rank, 5) << elbow;
    // The same by singular values; they differ by what the tolerance leaves of the direction.
    const Matrix J = jacobian(arm, data, q, "tool0");
    const Eigen::JacobiSVD<Matrix> svd(J.transpose(), Eigen::ComputeThinU | Eigen::ComputeThinV);
    Vector least = Vector::Zero(6);
    for (int i = 0; i < 5; ++i)
      least += svd.matrixV().col(i) * svd.matrixU().col(i).dot(seen.torque) / svd.singularValues()[i];
    EXPECT_TRUE(within(seen.wrenches, least, 10 * elbow + 1e-6, 1)) << elbow;
    EXPECT_TRUE(within(seen.unexplained, seen.torque - J.transpose() * seen.wrenches, 10 * k_sweep, 1)) << elbow;
  }
}

TEST(WrenchObserver, UsesMassesAndGravityOfItsData) {
  const Scene x = arm_scene(6);
  const Vector rest = Vector::Zero(x.model.nv());
  ConstraintSet set(x.model);
  set.add(FrameConstraint{.name = "edge", .frame = "tool0", .rows = rows("linear.z angular.x")});
  WrenchObserver observer(x.model, set, {{.frame = "link4"}}, {.gain = std::numeric_limits<double>::infinity()});
  const auto load = [](Data& data) {
    data.set_gravity({1, 2, 3});
    data.set_payload(data.model().find_link("link7"), 5, {0.1, 0.2, 0.3}, Sym3<double>::diagonal(0.3, 0.2, 0.1));
  };
  Data data(x.model), bare(x.model);
  load(data);
  load(observer.data());
  const Vector free = static_torque(x.model, data, x.q);
  const Vector tau = static_torque(x.model, data, x.q, {external_wrench(x.model, "link4", {3, -2, 5, 1, 2, -1})});
  observer.start({.q = x.q, .v = rest, .tau = free});
  EXPECT_LT(largest(observer.update({.q = x.q, .v = rest, .tau = free, .dt = 1}).torque), k_sweep * largest(free));
  observer.start({.q = x.q, .v = rest, .tau = tau});
  const Vector r = observer.update({.q = x.q, .v = rest, .tau = tau, .dt = 1}).torque;
  const Matrix J = rows_at(x.model, set, x.q);
  EXPECT_TRUE(within(r, felt(mass_matrix(x.model, data, x.q), J, free - tau), 100 * k_sweep, largest(tau)));
  // The load is felt: without it another part of the force would be left.
  EXPECT_GT(largest(r - felt(mass_matrix(x.model, bare, x.q), J, free - tau)), 1e-3 * largest(r));
}

TEST(WrenchObserver, GoesOnAfterAJumpOfTheVelocity) {
  const Scene x = arm_scene(7);
  Data data(x.model);
  const Vector rest = Vector::Zero(x.model.nv()), tau = static_torque(x.model, data, x.q);
  WrenchObserver observer(x.model, {{.frame = "tool0"}});
  observer.start({.q = x.q, .v = rest, .tau = rest});
  observer.update({.q = x.q, .v = rest, .tau = rest, .dt = 1e-2});
  const Vector r = observer.estimate().torque;
  EXPECT_GT(largest(r), 0.1);
  EXPECT_EQ((observer.resume({.q = x.q, .v = x.v, .tau = tau}).torque - r).norm(), 0);
  EXPECT_EQ(observer.start({.q = x.q, .v = x.v, .tau = tau}).torque.norm(), 0);
}

TEST(WrenchObserver, SwitchesRowsAndLeavesDriversOut) {
  const Scene x = arm_scene(8);
  ConstraintSet set(x.model);
  set.add(FrameConstraint{.name = "welded", .frame = "tool0"});
  set.add(FrameConstraint{.name = "wish", .frame = "tool0", .rows = rows("linear"), .role = Role::driver});
  set.add_group("both", {"welded", "wish"});
  Data data(x.model);
  const Vector rest = Vector::Zero(x.model.nv());
  const Vector tau = static_torque(x.model, data, x.q, {external_wrench(x.model, "tool0", {3, 1, 2, 1, 0, 1})});
  const auto seen = [&](WrenchObserver& o) {
    o.start({.q = x.q, .v = rest, .tau = tau});
    return largest(o.update({.q = x.q, .v = rest, .tau = tau, .dt = 1}).torque);
  };
  WrenchObserver observer(x.model, set, {});
  EXPECT_LT(seen(observer), 1e-9);  // the weld holds it
  observer.set_active("both", false);
  EXPECT_GT(seen(observer), 1);
  observer.set_active("both", true);
  EXPECT_LT(seen(observer), 1e-9);
  observer.set_active("welded", false);
  EXPECT_GT(seen(observer), 1);
  EXPECT_THROW(observer.set_active("wish", true), std::invalid_argument);
  EXPECT_THROW(observer.set_active("weld", true), std::invalid_argument);
}

TEST(WrenchObserver, RefusesWhatItCannotSeeThrough) {
  const Scene x = arm_scene(9);
  const auto with = [&](const FrameConstraint& c) {
    ConstraintSet set(x.model);
    set.add(c);
    return set;
  };
  const auto refused = [&](const FrameConstraint& c) {
    EXPECT_THROW(WrenchObserver(x.model, with(c), {}), UnsupportedError);
  };
  refused({.name = "c", .frame = "tool0", .policy = Policy::soft, .compliance = {1}});
  refused({.name = "c", .frame = "tool0", .sense = {Sense::at_least}});
  refused({.name = "c", .frame = "tool0", .limit = {1}});
  refused({.name = "c", .frame = "tool0", .compensate = {.gravity = false}});
  EXPECT_THROW(WrenchObserver(x.model, {{.frame = "nowhere"}}), std::invalid_argument);
  EXPECT_THROW(WrenchObserver(x.model, {{.frame = "tool0"}, {.frame = "tool0"}}), std::invalid_argument);
  EXPECT_THROW(WrenchObserver(x.model, with({.name = "tool0", .frame = "tool0"}), {{.frame = "tool0"}}),
               std::invalid_argument);
  for (const double gain : {0.0, -1.0, std::nan("")})
    EXPECT_THROW(WrenchObserver(x.model, {}, {.gain = gain}), std::invalid_argument);
  EXPECT_THROW(WrenchObserver(x.model, {}, {.tolerance = 0}), std::invalid_argument);

  WrenchObserver observer(x.model, {{.frame = "tool0"}});
  const WrenchObserverInput good{.q = x.q, .v = x.v, .tau = x.torque, .dt = 1e-3};
  EXPECT_THROW(observer.update(good), std::logic_error);
  EXPECT_EQ(observer.try_update(good).invalid, "start");
  observer.start(good);
  const Vector r = observer.update(good).torque, nan = Vector::Constant(7, std::nan(""));
  const Vector huge = Vector::Constant(7, 1e300);
  const auto bad = [&](WrenchObserverInput in, const char* name, Status status) {
    if (status != Status::overflow) { EXPECT_THROW(observer.update(in), std::invalid_argument) << name; }
    EXPECT_EQ(observer.try_update(in).status, status) << name;
    EXPECT_EQ(observer.estimate().invalid, name);
    EXPECT_EQ((observer.estimate().torque - r).norm(), 0) << name;
  };
  WrenchObserverInput in = good;
  const Vector six = x.q.head(6);
  in.q = six;
  bad(in, "q", Status::invalid_input);
  in = good;
  in.v = nan;
  bad(in, "v", Status::non_finite_input);
  in = good;
  in.tau = six;
  bad(in, "tau", Status::invalid_input);
  in = good;
  in.dt = 0;
  bad(in, "dt", Status::invalid_input);
  in.dt = std::nan("");
  bad(in, "dt", Status::invalid_input);
  in = good;
  in.v = huge;
  bad(in, "", Status::overflow);
  EXPECT_EQ(observer.update(good).status, Status::ok);
}

}  // namespace
}  // namespace zwang::test
