// SPDX-License-Identifier: BSD-3-Clause
// The surface of ConstraintSet and Solver: what is refused and how, what a report says, what may change between solves.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/close.hpp"
#include "support/random.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/solve/solver.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::test {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

/// The text of what a call throws.
template <class Exception = std::invalid_argument, class F> std::string refusal(F&& f) {
  try {
    f();
  } catch (const Exception& e) { return e.what(); } catch (const std::exception& e) {
    return std::string("another exception: ") + e.what();
  }
  return "nothing was thrown";
}
#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

class OnArm : public testing::Test {
 protected:
  OnArm() : arm(build(sample_arm7())), set(arm), state(random_state(arm, 3)) {}
  static FrameConstraint tool() {
    FrameConstraint c;
    c.name = "tool";
    c.frame = "tool0";
    c.rows = rows("linear");
    return c;
  }
  SolveInput input() const {
    SolveInput in;
    in.q = state.q;
    in.v = state.v;
    in.tau = state.tau;
    return in;
  }
  Model arm;
  ConstraintSet set;
  RandomState state;
};

TEST_F(OnArm, UnknownNamesAreRefusedWithTheNearestOne) {
  FrameConstraint c = tool();
  c.frame = "tol0";
  EXPECT_SAYS(refusal([&] { set.add(c); }), "'tool0'");
  c = tool();
  c.in = "local_world_alined";
  EXPECT_SAYS(refusal([&] { set.add(c); }), "local_world_alined");
  EXPECT_SAYS(refusal([] { rows("linear.x linaer.y"); }), "'linear.y'");
  EXPECT_EQ(set.size(), 0);  // nothing was added by halves
  set.add(tool());
  EXPECT_SAYS(refusal([&] { set["tol"]; }), "'tool'");
  Solver solver(arm, set);
  solver.solve(input());
  EXPECT_SAYS(refusal([&] { solver.solution()["toll"]; }), "'tool'");
  SolverSettings s;
  s.method = "popov_vereschagin";
  EXPECT_SAYS(refusal([&] { Solver(arm, set, s); }), "'popov_vereshchagin'");
  EXPECT_SAYS(refusal([&] { singularity_of("truncate"); }), "'truncation'");
  s = {};
  s.singularity = static_cast<Singularity>(7);
  EXPECT_SAYS(refusal([&] { Solver(arm, set, s); }), "singularity");
}

TEST_F(OnArm, RowsAreCheckedWordByWord) {
  EXPECT_SAYS(refusal([] { rows("linear linear.x"); }), "second time");
  EXPECT_SAYS(refusal([] { rows(" ,  "); }), "no row");
  EXPECT_SAYS(refusal([] { rows(std::vector<double>(7, 1.0)); }), "7");
  EXPECT_SAYS(refusal([] { rows(std::vector<double>{}); }), "6 columns");
  EXPECT_SAYS(refusal([] { rows(std::vector<double>{1, 0, 0, k_nan, 0, 0}); }), "entry 3");
  EXPECT_EQ(rows("linear.x, angular").names,
            (std::vector<std::string>{"linear.x", "angular.x", "angular.y", "angular.z"}));
  EXPECT_EQ(rows(std::vector<double>(12, 1.0)).names, (std::vector<std::string>{"row[0]", "row[1]"}));
}

TEST_F(OnArm, ConstraintsWithWrongNumbersAreRefused) {
  FrameConstraint c = tool();
  c.beta = {1, 2};
  EXPECT_SAYS(refusal([&] { set.add(c); }), "has 2 entries, expected 3");
  c.beta = {1, 2, k_nan};
  EXPECT_SAYS(refusal([&] { set.add(c); }), "entry 2");
  c = tool();
  c.name = "";
  EXPECT_SAYS(refusal([&] { set.add(c); }), "empty");
  ContactConstraint k{.name = "foot", .frame = "tool0"};
  k.normal = Vec3<double>::zero();
  EXPECT_SAYS(refusal([&] { set.add(k); }), "normal");
  k.normal = {0, 0, 1};
  k.rows = 4;
  EXPECT_SAYS(refusal([&] { set.add(k); }), "got 4");
  k.rows = 3;
  k.tangent = {0, 0, 2};
  EXPECT_SAYS(refusal([&] { set.add(k); }), "tangent");
  set.add(tool());
  EXPECT_SAYS(refusal([&] { set.add(tool()); }), "'tool' is there already");
  EXPECT_EQ(set.size(), 1);
}

TEST_F(OnArm, InputsAreRefusedByNameByTheThrowingCallAndByStatusByTheOther) {
  set.add(tool());
  Solver solver(arm, set);
  Eigen::VectorXd bad = state.q;
  bad(2) = k_nan;
  SolveInput in = input();
  in.q = bad;
  EXPECT_SAYS(refusal([&] { solver.solve(in); }), "'q'");
  EXPECT_EQ(solver.try_solve(in).report.status, Status::non_finite_input);
  EXPECT_EQ(solver.solution().report.invalid, "q");
  EXPECT_TRUE(solver.solution().acceleration.isZero(0));
  EXPECT_SAYS(solver.solution().report.explain(), "'q' was refused");
  const Eigen::VectorXd small = Eigen::VectorXd::Zero(3);
  in = input();
  in.v = small;
  EXPECT_SAYS(refusal([&] { solver.solve(in); }), "'v' has 3 entries, expected 7");
  EXPECT_EQ(solver.try_solve(in).report.status, Status::invalid_input);
  EXPECT_EQ(solver.solution().report.invalid, "v");
  Eigen::VectorXd tau = state.tau;
  tau(6) = std::numeric_limits<double>::infinity();
  in = input();
  in.tau = tau;
  EXPECT_SAYS(refusal([&] { solver.solve(in); }), "'tau'");
  EXPECT_EQ(solver.try_solve(in).report.status, Status::non_finite_input);
  Externals external{ExternalWrench{arm.find_frame("tool0"), {0, 0, k_nan, 0, 0, 0}}};
  in = input();
  in.external = &external;
  EXPECT_SAYS(refusal([&] { solver.solve(in); }), "external");
  EXPECT_EQ(solver.try_solve(in).report.status, Status::non_finite_input);
  external[0] = ExternalWrench{FrameId(4711), {}};
  EXPECT_EQ(solver.try_solve(in).report.status, Status::invalid_input);
  EXPECT_EQ(solver.solution().report.invalid, "external");
  // Afterwards everything is as before.
  EXPECT_EQ(solver.try_solve(input()).report.status, Status::ok);
  EXPECT_EQ(solver.solution().report.rank, 3);
  EXPECT_TRUE(solver.solution().report.invalid.empty());
}

TEST_F(OnArm, ABetaSpoiltLaterIsRefusedToo) {
  set.add(tool());
  Solver solver(arm, set);
  set["tool"].beta[1] = k_nan;
  EXPECT_SAYS(refusal([&] { solver.solve(input()); }), "beta of constraint 'tool'");
  EXPECT_EQ(solver.try_solve(input()).report.status, Status::invalid_input);
  EXPECT_EQ(solver.solution().report.invalid, "constraints");
  set["tool"].beta = {1, 2};
  EXPECT_SAYS(refusal([&] { solver.solve(input()); }), "3 finite entries");
}

TEST_F(OnArm, ASetOfAnotherModelIsRefused) {
  const Model twin = build(sample_arm7());
  EXPECT_SAYS(refusal<WorkspaceMismatch>([&] { Solver(twin, set); }), "another model");
}

TEST_F(OnArm, ConstraintsAddedAfterTheSolverAreRefused) {
  set.add(tool());
  Solver solver(arm, set);
  FrameConstraint more = tool();
  more.name = "more";
  set.add(more);
  EXPECT_SAYS(refusal<WorkspaceMismatch>([&] { solver.solve(input()); }), "make a new one");
  EXPECT_EQ(solver.try_solve(input()).report.status, Status::invalid_input);
}

TEST_F(OnArm, SettingsAreChecked) {
  SolverSettings s;
  for (const double wrong : {-1.0, 1.0, k_nan}) {
    s.tolerance = wrong;
    EXPECT_SAYS(refusal([&] { Solver(arm, set, s); }), "tolerance");
  }
  s.tolerance = 0;
  s.feasibility = 0;
  EXPECT_SAYS(refusal([&] { Solver(arm, set, s); }), "feasibility");
  EXPECT_EQ(methods(),
            (std::vector<std::string>{"automatic", "popov_vereshchagin", "pv_early", "bbo", "pv_soft", "dense_lu",
                                      "dense_qr", "dense_cod", "range_space", "null_space", "test_force",
                                      "contact_cholesky", "constrained_aba", "loop_aba", "embedding"}));
}

TEST_F(OnArm, ASetThatIsSwitchedOffIsForwardDynamics) {
  set.add(tool());
  Solver solver(arm, set);
  set["tool"].active = false;
  Data data(arm);
  const Eigen::VectorXd a = forward_dynamics(arm, data, state.q, state.v, state.tau);
  const Solution& s = solver.solve(input());
  // The same page; plain forward dynamics sums a chain in registers, in another order.
  const double rounding = 1e4 * epsilon_of<double> * a.cwiseAbs().maxCoeff();  // times what M's condition allows
  EXPECT_LE((s.acceleration - a).cwiseAbs().maxCoeff(), rounding);
  EXPECT_EQ(s.report.rows, 0);
  EXPECT_EQ(s.report.rank, 0);
  EXPECT_EQ(s.report.status, Status::ok);
  EXPECT_EQ(s.zwang, 0);
  EXPECT_TRUE(s.multipliers.isZero(0) && s.reaction.isZero(0) && s.articulated_constraint_torque.isZero(0));
  EXPECT_EQ(Eigen::VectorXd(s.motor_torque), state.tau);
  const ConstraintSet none(arm);
  Solver empty(arm, none);
  EXPECT_LE((empty.solve(input()).acceleration - a).cwiseAbs().maxCoeff(), rounding);
  Eigen::MatrixXd no_rows(0, 0);
  empty.operational_inertia(no_rows);
  set["tool"].active = true;  // and on again
  EXPECT_EQ(solver.solve(input()).report.rank, 3);
  EXPECT_GT(solver.solution().zwang, 0);
}

TEST_F(OnArm, NoTorqueMeansZeroTorque) {
  set.add(tool());
  Solver solver(arm, set);
  SolveInput in = input();
  in.tau = {};
  const Eigen::VectorXd without = solver.solve(in).acceleration, zero = Eigen::VectorXd::Zero(7);
  in.tau = zero;
  EXPECT_EQ(Eigen::VectorXd(solver.solve(in).acceleration), without);
}

TEST_F(OnArm, ASolverFollowsItsSetAndACopyIsDeep) {
  set.add(tool());
  Solver solver(arm, set);
  ConstraintSet copy = set;
  const Eigen::VectorXd before = solver.solve(input()).acceleration;
  copy["tool"].beta = {9, 9, 9};
  copy["tool"].active = false;
  EXPECT_EQ(Eigen::VectorXd(solver.solve(input()).acceleration), before);
  EXPECT_TRUE(set["tool"].active);
  set["tool"].beta = {1, 0, 0};
  EXPECT_GT((solver.solve(input()).acceleration - before).norm(), 1e-3);
  copy = set;  // and assigned ones too
  copy["tool"].beta = {5, 5, 5};
  EXPECT_EQ(set["tool"].beta[0], 1);
  // The set may go: the solver keeps what it follows.
  {
    ConstraintSet shorter(arm);
    shorter.add(tool());
    solver = Solver(arm, shorter);
  }
  EXPECT_CLOSE(solver.solve(input()).acceleration, before, 1e-14);
}

TEST_F(OnArm, AMovedSolverGoesOnAndWhatItLeavesBehindSaysSo) {
  set.add(tool());
  Solver first(arm, set);
  const Solution& views = first.solve(input());
  const Eigen::VectorXd a = views.acceleration;
  Solver second = std::move(first);
  EXPECT_EQ(Eigen::VectorXd(views.acceleration), a);  // results of the solve before the move stay where they are
  EXPECT_EQ(Eigen::VectorXd(second.solve(input()).acceleration), a);
  EXPECT_EQ(&second.solution(), &views);
  EXPECT_SAYS(refusal<std::logic_error>([&] { first.solve(input()); }), "moved from");
  first = Solver(arm, set);
  EXPECT_EQ(Eigen::VectorXd(first.solve(input()).acceleration), a);
}

TEST_F(OnArm, ExplainsWhatHoldsWhatIsRedundantAndWhatCannotHold) {
  set.add(tool());
  FrameConstraint again = tool();
  again.name = "again";
  again.rows = rows("linear.z");
  set.add(again);
  Solver solver(arm, set);
  solver.solve(input());
  EXPECT_EQ(solver.solution().report.status, Status::ok);
  const std::string good = solver.solution().report.explain();
  EXPECT_SAYS(good, "All 4 rows hold");
  EXPECT_SAYS(good, "rank 3");
  EXPECT_SAYS(good, "Redundant: again:linear.z");
  EXPECT_STREQ(solver.solution().report.method, "popov_vereshchagin");
  set["again"].beta = {2};
  solver.solve(input());
  EXPECT_EQ(solver.solution().report.status, Status::infeasible);
  const std::string bad = solver.solution().report.explain();
  EXPECT_SAYS(bad, "No motion satisfies all 4 rows");
  EXPECT_SAYS(bad, "tool:linear.z, again:linear.z");
  EXPECT_EQ(bad.substr(0, bad.find("Note")).find("tool:linear.x"), std::string::npos) << bad;
  EXPECT_SAYS(bad, "the velocity violates 'tool:linear.x'");
}

TEST(Warnings, TellOfDriversThatLeanOnCoordinatesWithoutMotors) {
  BuildOptions options;
  options.root = "floating";
  const Model robot = build(sample_quadruped(), options);
  const RandomState state = random_state(robot, 4);
  ConstraintSet set(robot);
  FrameConstraint c;
  c.name = "trunk";
  c.frame = robot.links()[0].name;
  c.rows = rows("linear.z");
  c.role = Role::driver;
  set.add(c);
  Solver solver(robot, set);
  SolveInput in;
  in.q = state.q;
  in.v = state.v;
  const SolveReport& report = solver.solve(in).report;
  ASSERT_FALSE(report.warnings.empty());
  EXPECT_EQ(report.warnings[0].kind, SolveWarning::Kind::driver_on_unactuated);
  EXPECT_SAYS(report.explain(), "root_joint[");
  EXPECT_SAYS(report.explain(), "has no motor");
  for (const SolveWarning& w : report.warnings) {
    EXPECT_EQ(w.row, "trunk:linear.z");
    EXPECT_EQ(w.coordinate.substr(0, 10), "root_joint");
  }
  set["trunk"].role = Role::physical;  // a strap is nobody's torque
  for (const SolveWarning& w : solver.solve(in).report.warnings)
    EXPECT_EQ(w.kind, SolveWarning::Kind::velocity_violates);
}

std::vector<SolveWarning> warnings_of(const SolveReport& report, const char* kind) {
  std::vector<SolveWarning> of_kind;
  for (const SolveWarning& w : report.warnings)
    if (std::string(name_of(w.kind)) == kind) of_kind.push_back(w);
  return of_kind;
}

TEST(Warnings, TellOfPrescribedCoordinatesWithoutMotors) {
  const Model robot = build(sample_quadruped(), {.root = "floating"});
  const RandomState state = random_state(robot, 4);
  ConstraintSet set(robot);
  Solver solver(robot, set);
  Prescribed list;
  prescribe(robot, list, "root_joint[2]", {0.5});
  prescribe(robot, list, robot.coordinate_names().back(), {1.5});  // has a motor
  SolveInput in{.q = state.q, .v = state.v, .prescribed = &list};
  const Solution& s = solver.solve(in);
  const std::vector<SolveWarning> found = warnings_of(s.report, "prescribed_on_unactuated");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].coordinate, "root_joint[2]");
  EXPECT_TRUE(found[0].row.empty());
  EXPECT_EQ(found[0].value, s.motor_torque[2]);
  EXPECT_SAYS(s.report.explain(), "'root_joint[2]' is prescribed");
  EXPECT_SAYS(s.report.explain(), "has no motor");
  // A force that the caller applies there needs no motor; a resolve is warned of like a solve.
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(robot.nv());
  tau[2] = s.motor_torque[2];
  const double needed = tau[2];
  in.tau = tau;
  EXPECT_TRUE(warnings_of(solver.solve(in).report, "prescribed_on_unactuated").empty());
  tau[2] = needed - 22;
  const std::vector<SolveWarning> again =
      warnings_of(solver.resolve({.tau = tau, .prescribed = &list}).report, "prescribed_on_unactuated");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_NEAR(again[0].value, 22, 1e-9 * std::fabs(needed));
}

TEST(Warnings, AreNotMadeFromRoundings) {
  const Model robot = build(sample_quadruped(), {.root = "floating"});
  const Eigen::VectorXd q = random_state(robot, 4).q;
  // In free fall no coordinate needs a torque, up to roundings of the robot's weight.
  const Vec3<double> g = transpose_times(rotation(Quat<double>{q[3], q[4], q[5], q[6]}), robot.gravity());
  Prescribed list;
  prescribe(robot, list, "root_joint", {g.x, g.y, g.z, 0, 0, 0});
  ConstraintSet none(robot);
  Solver solver(robot, none);
  const Solution& s = solver.solve({.q = q, .prescribed = &list});
  EXPECT_LE(s.motor_torque.cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_TRUE(s.report.warnings.empty()) << s.report.explain();
}

TEST(Warnings, TellOfDriversThatLeanOnAPassiveFloatingJoint) {
  RobotDescription puck;
  puck.name = "puck on a table";
  puck.links = {{.name = "table"}, {.name = "puck", .mass = 2, .inertia = {0.1, 0, 0, 0.1, 0, 0.1}}};
  JointDescription j;
  j.name = "free", j.type = "floating", j.parent = "table", j.child = "puck";
  puck.joints = {j};
  const Model robot = build(puck);
  ConstraintSet set(robot);
  set.add(FrameConstraint{.name = "lift", .frame = "puck", .rows = rows("linear.z"), .role = Role::driver});
  Solver solver(robot, set);
  const Eigen::VectorXd q = neutral(robot);
  const std::vector<SolveWarning> found = warnings_of(solver.solve({.q = q}).report, "driver_on_unactuated");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].coordinate, "free[2]");
  EXPECT_NEAR(found[0].value, 2 * 9.81, 1e-9);
}

TEST(Warnings, TellOfContactsThatPullAndOfContactsThatMove) {
  const Model arm = build(sample_arm7());
  const RandomState state = random_state(arm, 5);
  ConstraintSet set(arm);
  ContactConstraint c{.name = "finger", .frame = "tool0"};
  c.normal = {0.3, -0.2, 1};
  c.rows = 1;
  set.add(c);
  Solver solver(arm, set);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(7);
  SolveInput in;
  in.q = state.q;
  in.v = rest;
  double lambda[2];
  bool pulls[2];
  for (int k = 0; k < 2; ++k) {
    set["finger"].beta = {k == 0 ? 1000.0 : -1000.0};
    const Solution& s = solver.solve(in);
    lambda[k] = s.multipliers(0);
    pulls[k] = false;
    for (const SolveWarning& w : s.report.warnings) {
      pulls[k] = pulls[k] || w.kind == SolveWarning::Kind::contact_pulls;
      EXPECT_EQ(w.row, "finger:normal");
      EXPECT_EQ(w.value, lambda[k]);
    }
  }
  EXPECT_GT(lambda[0], 0);
  EXPECT_FALSE(pulls[0]);
  EXPECT_LT(lambda[1], 0);
  EXPECT_TRUE(pulls[1]);
  EXPECT_SAYS(solver.solution().report.explain(), "'finger:normal' pulls");
  in.v = state.v;
  set["finger"].beta = {1000.0};
  const SolveReport& report = solver.solve(in).report;
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0].kind, SolveWarning::Kind::velocity_violates);
  Data data(arm);
  forward_kinematics(arm, data, state.q, state.v);
  const Vec3<double> n = c.normal * (1 / norm(c.normal));
  EXPECT_NEAR(report.warnings[0].value, dot(frame_velocity(arm, data, arm.find_frame("tool0")).v, n), 1e-14);
  EXPECT_SAYS(report.explain(), "moves along it");
}

TEST(SingularMass, IsAStatusThatNamesTheJoint) {
  RobotDescription d = sample_arm7();
  // A massless tip behind a joint without rotor: nothing resists its motion.
  d.links.push_back({.name = "feather"});
  JointDescription spin{
      .name = "spin", .type = "revolute", .parent = d.links[d.links.size() - 2].name, .child = "feather"};
  spin.lower = {-1};
  spin.upper = {1};
  d.joints.push_back(spin);
  const Model robot = build(d);
  ConstraintSet set(robot);
  set.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("linear")});
  Solver solver(robot, set);
  const RandomState state = random_state(robot, 6);
  SolveInput in;
  in.q = state.q;
  in.v = state.v;
  const Solution& s = solver.solve(in);
  EXPECT_EQ(s.report.status, Status::singular_mass);
  EXPECT_EQ(s.report.singular_joint, "spin");
  EXPECT_TRUE(s.acceleration.allFinite() && s.multipliers.allFinite());
  EXPECT_SAYS(s.report.explain(), "'spin' moves no inertia");
  EXPECT_EQ(solver.try_solve(in).report.status, Status::singular_mass);
  // A rotor on the joint is all it takes.
  d.joints.back().rotor_inertia = {1e-3};
  const Model better = build(d);
  ConstraintSet again(better);
  again.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("linear")});
  Solver good(better, again);
  EXPECT_EQ(good.solve(in).report.status, Status::ok);
}

TEST(Overrides, AreSeenByTheSolver) {
  const Model arm = build(sample_arm7());
  const RandomState state = random_state(arm, 7);
  ConstraintSet set(arm);
  set.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("all")});
  Solver solver(arm, set);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(7);
  SolveInput in;
  in.q = state.q;
  in.v = rest;
  const Eigen::VectorXd plain = solver.solve(in)["tool"].multipliers;
  solver.data().set_payload(arm.find_link("tool0"), 2, {0, 0, 0.1}, Sym3<double>::diagonal(0.01, 0.01, 0.01));
  const Eigen::VectorXd loaded = solver.solve(in)["tool"].multipliers;
  EXPECT_NEAR(loaded(2) - plain(2), 2 * 9.81,
              1e-9 * loaded.norm() + 1e-9);  // the tool does not accelerate: its weight alone
  solver.data().clear_overrides();
  solver.data().set_gravity({0, 0, 0});
  EXPECT_GT((solver.solve(in)["tool"].multipliers - plain).norm(), 1);
}

}  // namespace
}  // namespace zwang::test
