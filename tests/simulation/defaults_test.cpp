// SPDX-License-Identifier: BSD-3-Clause
// What a motion without options promises: loops stay closed, no energy is made, and what does not hold is said.
#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <cmath>

#include "simulation/cases.hpp"
#include "support/robots.hpp"
#include "support/says.hpp"
#include "zwang/question/assembly.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

LoadOptions with_loops() {
  LoadOptions o;
  o.loops = ClosedLoops::constraints;
  return o;
}

SimulationSettings undamped(double time) {
  SimulationSettings s{.time = time};
  s.solver.joint_effects.damping = false;
  return s;
}

/// Crank, coupler and rocker of 0.2, 0.5 and 0.4 m over 0.5 m; the crank turns around.
struct FourBar {
  Model model;
  ConstraintSet set;
  explicit FourBar(Role role = Role::physical, double time_constant = 0) : model(make()), set(model) {
    set.add(LoopConstraint{.name = "pin",
                           .frame = "end of coupler",
                           .other = "end of rocker",
                           .rows = joint_rows("hinge", {0, 1, 0}),
                           .role = role,
                           .stabilisation = {time_constant, 1}});
  }
  Vector start() const { return assemble(model, set, Vector{{-1, 0, 0}}).q; }

 private:
  static Model make() {
    RobotDescription d{.name = "four bar"};
    d.links = {{.name = "ground"}};
    const auto bar = [&](const char* name, double mass, double length) {
      const double inertia = mass * length * length / 12;
      d.links.push_back({.name = name,
                         .mass = mass,
                         .centre = {length / 2, 0, 0},
                         .inertia = Sym3<double>::diagonal(1e-5, inertia, inertia)});
      d.frames.push_back({std::string("end of ") + name, name, {Mat3<double>::identity(), {length, 0, 0}}});
    };
    bar("crank", 0.5, 0.2);
    bar("coupler", 1, 0.5);
    bar("rocker", 0.8, 0.4);
    d.joints = {hinge("a", "ground", "crank", {0, 0, 0}), hinge("b", "crank", "coupler", {0.2, 0, 0}),
                hinge("c", "ground", "rocker", {0.5, 0, 0})};
    return build(d);
  }
};

void expect_kept(const Trajectory& t) {
  EXPECT_EQ(t.report.status, Status::ok) << t.report.reason;
  EXPECT_EQ(t.report.time, 10);
  EXPECT_LT(t.report.error, 1e-9);
  double drift = 0;
  for (const double e : t.energy) drift = std::max(drift, std::fabs(e - t.energy[0]));
  EXPECT_EQ(t.report.energy_drift, drift);
  EXPECT_GT(t.report.kinetic_energy, 0.1);
  EXPECT_LE(drift, 1e-6 * t.report.kinetic_energy);
}

/// Ten seconds in which each falls, swings and turns over many times.
TEST(Defaults, KeepLoopsClosedAndTheirEnergy) {
  const Model five = load(model_file("five_bar.urdf"), with_loops());
  ConstraintSet loop(five);
  loop.add_loops();
  expect_kept(simulate(five, loop, {.q = neutral(five)}, undamped(10)));
  const FourBar four;
  expect_kept(simulate(four.model, four.set, {.q = four.start()}, undamped(10)));
  const DoubleFourBar redundant;
  expect_kept(simulate(redundant.model, redundant.set, {.q = redundant.at(1.2)}, undamped(10)));
}

/// The error is what is asked for, whatever the step: a pendulum against a reference in long double.
/// Where no part is divided, the method has order 5.
TEST(Defaults, HaveTheAccuracyThatIsAskedFor) {
  const Model m = pendulum();
  const auto reference = pendulum_reference(2.5, 3, 2);
  const auto error = [&](double dt, double accuracy) {
    const Trajectory t = simulate(m, ConstraintSet(m), {.q = Vector{{2.5}}, .v = Vector{{3}}},
                                  {.time = 2, .dt = dt, .accuracy = accuracy});
    EXPECT_EQ(t.report.status, Status::ok);
    EXPECT_LE(t.report.step_error, accuracy);
    return std::fabs(t.q()(0, t.states() - 1) - static_cast<double>(reference[0]));
  };
  for (const double dt : {0.5, 0.1, 1e-2, 1e-3})
    for (const double accuracy : {1e-5, 1e-7, 1e-9}) EXPECT_LE(error(dt, accuracy), 100 * accuracy) << dt;
  EXPECT_NEAR(std::log2(error(0.02, 1) / error(0.01, 1)), 5, 0.3);
}

/// With dampers the energy falls: 0.0015 J are what the same motion loses in steps half as long.
TEST(Defaults, LoseWhatDampersTake) {
  const Model five = load(model_file("five_bar.urdf"), with_loops());
  ConstraintSet loop(five);
  loop.add_loops();
  const Trajectory t = simulate(five, loop, {.q = neutral(five)}, {.time = 2});
  const Trajectory fine = simulate(five, loop, {.q = neutral(five)}, {.time = 2, .dt = 5e-4});
  EXPECT_TRUE(std::isnan(t.report.energy_drift));
  EXPECT_LT(t.energy.back(), t.energy.front() - 0.5);
  EXPECT_NEAR(t.energy.back(), fine.energy.back(), 1e-6);
}

/// A loop without feedback, that nothing projects, opens. So does one in steps that are too long for its feedback.
TEST(Defaults, SayWhereRowsAreLeft) {
  const FourBar loose, slack(Role::physical, 2);
  const SimulationSettings euler{
      .time = 3, .dt = 4e-3, .integrator = Integrator::semi_implicit, .keep = Keep::stabilisation};
  for (const FourBar* x : {&loose, &slack}) {
    const Trajectory t = simulate(x->model, x->set, {.q = x->start()}, euler);
    EXPECT_EQ(t.report.status, Status::drifted);
    EXPECT_EQ(t.report.time, 3);
    EXPECT_GT(t.report.error, 1e-3);
    EXPECT_NE(t.report.reason.find("pin:linear."), std::string::npos) << t.report.reason;
    EXPECT_NE(t.report.reason.find("projection"), std::string::npos) << t.report.reason;
  }
  // The same errors are allowed where they are asked for; a goal of the motors that is missed is no broken mechanism.
  SimulationSettings wide = euler;
  wide.drift_tolerance = 10;
  EXPECT_EQ(simulate(loose.model, loose.set, {.q = loose.start()}, wide).report.status, Status::ok);
  const FourBar goal(Role::driver);
  EXPECT_EQ(simulate(goal.model, goal.set, {.q = goal.start()}, euler).report.status, Status::ok);
}

/// A loop that is open at the start and closes by its feedback has not drifted; one that is still open at the end has.
TEST(Defaults, JudgeAStartThatIsOpenByItsEnd) {
  const FourBar x(Role::physical, 0.05);
  Vector q = x.start();
  q[0] += 0.1;
  const Trajectory closes = simulate(x.model, x.set, {.q = q}, {.time = 1});
  EXPECT_EQ(closes.report.status, Status::ok) << closes.report.reason;
  EXPECT_EQ(closes.report.start_distance, 0);
  EXPECT_GT(closes.error.front(), 0.01);
  EXPECT_LT(closes.error.back(), 1e-6);
  EXPECT_EQ(simulate(x.model, x.set, {.q = q}, {.time = 0.02}).report.status, Status::drifted);
}

/// Without a time constant the start goes onto the rows, and how far is said.
/// A row that asks for an acceleration is left alone.
TEST(Defaults, BringAnOpenStartOntoItsRows) {
  FourBar x;
  Vector q = x.start();
  q[0] += 0.1;
  const Trajectory t = simulate(x.model, x.set, {.q = q}, {.time = 0.1});
  EXPECT_EQ(t.report.status, Status::ok) << t.report.reason;
  EXPECT_GT(t.report.start_distance, 1e-3);
  EXPECT_LT(t.report.error, 1e-11);
  const Vector hung = x.start();
  x.set.add(
      JointConstraint{.name = "push", .coordinates = {"a"}, .beta = {2.0}, .role = Role::driver, .target = {0.0}});
  const Trajectory pushed = simulate(x.model, x.set, {.q = hung}, {.time = 0.1});
  ASSERT_EQ(pushed.report.status, Status::ok) << pushed.report.reason;
  EXPECT_EQ(pushed.q().col(0), hung);
  EXPECT_NEAR(pushed.v()(0, 100), 0.2, 1e-12);
  EXPECT_LT(pushed.report.error, 2) << "the target of the push is far, but nobody holds it";
}

/// A rod on a hinge whose damper or spring acts at a rate.
Model rod_with(double damping, double stiffness) {
  RobotDescription d{.name = "rod"};
  d.links = {{.name = "base"}, rod("rod")};
  JointDescription pin = hinge("pin", "base", "rod", {0, 0, 0});
  pin.damping = {damping / 3};
  if (stiffness > 0) pin.stiffness = {stiffness / 3};
  d.joints = {pin};
  return build(d);
}
Trajectory swung(const Model& m, Integrator i) {
  return simulate(m, ConstraintSet(m), {.q = Vector{{0.3}}, .v = Vector{{1}}}, {.time = 0.05, .integrator = i});
}

/// A damper of one microsecond, and what else is too fast for a millisecond: nothing rings or bursts with `ok`.
TEST(Defaults, BlameTheStepForFastDampersAndSprings) {
  for (const Integrator i : {Integrator::rk4, Integrator::half_explicit, Integrator::variational})
    for (const double rate : {1.5e4, 1e6, 1e9}) {
      const Trajectory t = swung(rod_with(rate, 0), i);
      EXPECT_EQ(t.report.status, Status::not_converged) << name_of(i) << ", " << rate;
      EXPECT_NE(t.report.reason.find("dampers"), std::string::npos) << t.report.reason;
      EXPECT_NE(t.report.reason.find("'pin'"), std::string::npos) << t.report.reason;
    }
  for (const Integrator i : {Integrator::semi_implicit, Integrator::rk4, Integrator::half_explicit})
    for (const double rate : {1e4, 1e6}) {
      const Trajectory t = swung(rod_with(0, rate * rate), i);
      EXPECT_EQ(t.report.status, Status::not_converged) << name_of(i) << ", " << rate;
      EXPECT_NE(t.report.reason.find("springs"), std::string::npos) << t.report.reason;
    }
  for (const Integrator i :
       {Integrator::semi_implicit, Integrator::rk4, Integrator::half_explicit, Integrator::variational})
    EXPECT_EQ(swung(rod_with(1e3, 1e4), i).report.status, Status::ok) << name_of(i);
  // Euler's step with the damper at its end: v = 1 / (1 + h rate)^n, at any rate.
  const Trajectory t = swung(rod_with(1e6, 0), Integrator::semi_implicit);
  EXPECT_EQ(t.report.status, Status::ok);
  EXPECT_NEAR(t.v()(0, 1), 1 / 1001., 1e-4);
}

/// A feedback that is too stiff for the step: the integrators of fixed steps blow up and say that the step may be the
/// reason; the default divides its steps, or says that it cannot.
TEST(Defaults, BlameTheStepForFastControls) {
  const Model m = pendulum();
  const auto held = [&](Integrator i, double gain) {
    return simulate(m, ConstraintSet(m), {.q = Vector{{0.3}}}, {.time = 1, .integrator = i}, [&](SimulationStage& s) {
      s.tau[0] = -gain / 3 * (gain / 4 * s.q[0] + s.v[0]);  // both rates are about gain / 2
    });
  };
  for (const Integrator i : {Integrator::semi_implicit, Integrator::rk4, Integrator::half_explicit}) {
    const Trajectory t = held(i, 2e4);
    EXPECT_NE(t.report.status, Status::ok) << name_of(i);
    EXPECT_NE(t.report.reason.find("shorter"), std::string::npos) << t.report.reason;
  }
  const Trajectory resolved = held(Integrator::dormand_prince, 2e4);
  EXPECT_EQ(resolved.report.status, Status::ok) << resolved.report.reason;
  EXPECT_LT(resolved.q().rightCols<500>().cwiseAbs().maxCoeff(), 1e-3);
  const Trajectory beyond = held(Integrator::dormand_prince, 1e9);
  EXPECT_EQ(beyond.report.status, Status::not_converged);
  EXPECT_NE(beyond.report.reason.find("too fast"), std::string::npos) << beyond.report.reason;
}

/// The rate is that of the whole mechanism with its rows: P D for four equal rods in a row against Eigen's eigenvalues.
TEST(Defaults, FindTheFastestDamperOfAMechanism) {
  RobotDescription d{.name = "row"};
  d.links = {{.name = "base"}};
  for (int k = 0; k < 4; ++k) {
    d.links.push_back(rod("rod" + std::to_string(k)));
    JointDescription j = hinge("joint" + std::to_string(k), k == 0 ? "base" : "rod" + std::to_string(k - 1),
                               "rod" + std::to_string(k), {0, 0, k == 0 ? 0.0 : -1.0});
    j.damping = {1.0 + k};
    d.joints.push_back(j);
  }
  const Model m = build(d);
  const Vector q{{0.3, -0.5, 0.7, 0.2}};
  Data data(m);
  Eigen::MatrixXd M(4, 4);
  mass_matrix(m, data, q, M);
  const Eigen::MatrixXd D = (Vector{{1, 2, 3, 4}}).asDiagonal();
  const double rate = Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(D, M).eigenvalues().maxCoeff();
  const auto runs = [&](double part) {
    const double h = part * 2 * 2.785 / rate;  // twice the limit of rk4
    return simulate(m, ConstraintSet(m), {.q = q}, {.time = h, .dt = h, .integrator = Integrator::rk4}).report;
  };
  EXPECT_EQ(runs(1.01).status, Status::not_converged) << "rate " << rate;
  EXPECT_EQ(runs(0.99).status, Status::ok) << runs(0.99).reason;
}

/// Energy is followed only where nothing does work, and an impulse ends that.
TEST(Defaults, FollowEnergyWhereNothingDoesWork) {
  const Model m = pendulum();
  const ConstraintSet none(m);
  const Vector q{{1.0}};
  EXPECT_LT(simulate(m, none, {.q = q}).report.energy_drift, 1e-9);
  EXPECT_TRUE(std::isnan(simulate(m, none, {.q = q, .tau = Vector{{0.1}}}).report.energy_drift));
  EXPECT_FALSE(std::isnan(simulate(m, none, {.q = q, .tau = Vector{{0.0}}}).report.energy_drift));
  const Externals push{external_wrench(m, "rod", {1, 0, 0, 0, 0, 0})};
  EXPECT_TRUE(std::isnan(simulate(m, none, {.q = q, .external = &push}).report.energy_drift));
  EXPECT_TRUE(std::isnan(simulate(m, none, {.q = q}, {}, [](SimulationStage&) {}).report.energy_drift));
  ConstraintSet soft(m);
  soft.add(JointConstraint{
      .name = "band", .coordinates = {"pin"}, .policy = Policy::soft, .compliance = {0.1}, .target = {0.0}});
  EXPECT_TRUE(std::isnan(simulate(m, soft, {.q = q}).report.energy_drift));
}

}  // namespace
}  // namespace zwang::test
