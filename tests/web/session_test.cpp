// SPDX-License-Identifier: BSD-3-Clause
// A problem that stays: what it solves and moves is what a Solver and a Simulator do with the same forces.
#include "web/session.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using web::Session;

/// A problem as a file.
class ProblemFile {
 public:
  ProblemFile(const std::string& robot, const std::string& words) : path_(testing::TempDir() + "web_session.json") {
    std::ofstream(path_) << "{\"model\": \"" << ZWANG_MODELS << "/" << robot << "\", " << words << "}";
  }
  ~ProblemFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};
Eigen::VectorXd vector_of(std::span<double> x) {
  return Eigen::Map<Eigen::VectorXd>(x.data(), static_cast<Index>(x.size()));
}
void write(std::span<double> to, const Eigen::VectorXd& from) { std::copy(from.begin(), from.end(), to.begin()); }
/// From the definition: what motors and hand do at a state.
struct Forces {
  Eigen::VectorXd tau;
  Externals external = {};
};
Forces forces_of(const Model& m, const Eigen::VectorXd& home, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  Forces f{.tau = Eigen::VectorXd::Zero(m.nv())};
  for (Index k = 0; k < m.nv(); ++k) {
    const double limit = m.effort_limit()[static_cast<std::size_t>(k)], asked = 300 * (home[k] - q[k]) - 8 * v[k];
    f.tau[k] = std::clamp(asked, -limit, limit);
  }
  Data data(m);
  forward_kinematics(m, data, q, v);
  Eigen::MatrixXd J(6, m.nv());
  const Transform<double> X = frame_pose(m, data, "link5");
  const Vec3<double> p = X * Vec3<double>{0.1, 0.02, -0.03};
  jacobian_at(m, data, "link5", p, J);
  const Eigen::VectorXd speed = J.topRows(3) * v;
  const Vec3<double> target{0.4, 0.2, 0.6};
  Vec3<double> pull{0, 0, 0};
  for (int i = 0; i < 3; ++i) pull[i] = 120 * (target[i] - p[i]) - 5 * speed[i];
  f.external.push_back(external_wrench(m, "link5", Force<double>{pull, cross(p - X.p, pull)}));
  return f;
}

const char* const k_tool =
    R"("constraints": [{"name": "tool", "type": "frame", "frame": "tool0", "rows": "linear.x,angular"}])";

TEST(WebSession, SolvesAtAStateWithMotorsAndAHand) {
  const ProblemFile file("arm7.urdf", k_tool);
  Session session(file.path(), "solve");
  const Model m = load(ZWANG_MODELS "/arm7.urdf");
  const Eigen::VectorXd home = random(m, 1), q = home + 0.02 * Eigen::VectorXd::Ones(7),
                        v = 0.3 * Eigen::VectorXd::LinSpaced(7, -1, 1);
  write(session.numbers("q"), home);
  session.hold(300, 8);
  session.pull("link5", {0.1, 0.02, -0.03}, {0.4, 0.2, 0.6}, 120, 5);
  write(session.numbers("q"), q);
  write(session.numbers("v"), v);
  const nlohmann::json answer = nlohmann::json::parse(session.solve());

  const Forces f = forces_of(m, home, q, v);
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("linear.x,angular")});
  Solver solver(m, set);
  const Solution& s = solver.solve({.q = q, .v = v, .tau = f.tau, .external = &f.external});
  // the same solve of forces that are formed in another order: some roundings, of a condition below 1e4
  const double close = 1e5 * 2.2e-16;
  const Eigen::VectorXd a = vector_of(session.numbers("acceleration")), l = vector_of(session.numbers("multipliers"));
  EXPECT_LE((a - s.acceleration).cwiseAbs().maxCoeff(), close * s.acceleration.cwiseAbs().maxCoeff());
  EXPECT_LE((l - s.multipliers).cwiseAbs().maxCoeff(), close * s.multipliers.cwiseAbs().maxCoeff());
  EXPECT_EQ(answer["status"], "ok");
  EXPECT_EQ(answer["qdd"].get<std::vector<double>>(), std::vector<double>(a.begin(), a.end()));
  // the hand is the last arrow: its force at its point
  const std::span<double> arrows = session.numbers("arrows");
  ASSERT_EQ(arrows.size(), 18u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(arrows[12 + i], f.external[0].wrench[i], 1e3 * 2.2e-16 * 120);  // of 120 N/m and metres
  session.release();
  session.solve();
  EXPECT_EQ(session.numbers("arrows")[12], 0);
}

TEST(WebSession, MovesAsASimulatorWithTheSameForces) {
  const ProblemFile file("arm7.urdf", std::string(k_tool) + R"(, "dt": 0.002, "integrator": "rk4")");
  Session session(file.path(), "simulate");
  const Model m = load(ZWANG_MODELS "/arm7.urdf");
  const Eigen::VectorXd home = random(m, 2);
  write(session.numbers("q"), home);
  session.hold(300, 8);
  session.pull("link5", {0.1, 0.02, -0.03}, {0.4, 0.2, 0.6}, 120, 5);
  EXPECT_EQ(session.step(50), 50);

  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("linear.x,angular")});
  Simulator simulator(m, set, {.time = 1, .dt = 0.002, .integrator = Integrator::rk4});
  simulator.set_control([&](SimulationStage& x) {
    const Forces f = forces_of(m, home, x.q, x.v);
    x.tau = f.tau;
    x.external = f.external;
  });
  simulator.start({.q = home});
  for (int k = 0; k < 50; ++k) simulator.step();
  // roundings as above in each of 200 solves, which the springs do not let grow
  EXPECT_LE((vector_of(session.numbers("q")) - simulator.state().q).cwiseAbs().maxCoeff(), 1e7 * 2.2e-16);
  const nlohmann::json state = nlohmann::json::parse(session.state());
  EXPECT_EQ(state["steps"], 50);
  EXPECT_NEAR(state["time"].get<double>(), 0.1, 50 * 2.2e-16);
  const std::span<double> poses = session.numbers("poses");
  Data data(m);
  const Transform<double> X = frame_pose(m, data, vector_of(session.numbers("q")), m.links()[3].frame);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(poses[21 + i], X.p[static_cast<int>(i)]);
}

TEST(WebSession, WhatIsWrittenDuringAMotionCounts) {
  const ProblemFile file("arm7.urdf", R"("dt": 0.002, "integrator": "rk4")");
  const Model m = load(ZWANG_MODELS "/arm7.urdf");
  const Eigen::VectorXd home = random(m, 2), torque = Eigen::VectorXd::LinSpaced(7, -4, 5);
  Session session(file.path(), "simulate");
  write(session.numbers("q"), home);
  session.step(1);
  write(session.numbers("tau"), torque);
  EXPECT_EQ(session.step(10), 10);

  ConstraintSet none(m);
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(7);
  Simulator simulator(m, none, {.time = 1, .dt = 0.002, .integrator = Integrator::rk4});
  simulator.set_control([&](SimulationStage& x) { x.tau = tau; });
  simulator.start({.q = home});
  simulator.step();
  tau = torque;
  simulator.forces_changed();
  for (int k = 0; k < 10; ++k) simulator.step();
  EXPECT_EQ(vector_of(session.numbers("q")), Eigen::VectorXd(simulator.state().q));  // the same operations
  EXPECT_EQ(vector_of(session.numbers("v")), Eigen::VectorXd(simulator.state().v));

  // a state that is written is where the motion begins anew
  const Eigen::VectorXd v = 0.1 * torque;
  write(session.numbers("q"), home);
  write(session.numbers("v"), v);
  EXPECT_EQ(session.step(3), 3);
  simulator.start({.q = home, .v = v});
  for (int k = 0; k < 3; ++k) simulator.step();
  EXPECT_EQ(vector_of(session.numbers("q")), Eigen::VectorXd(simulator.state().q));
  EXPECT_EQ(nlohmann::json::parse(session.state())["steps"], 3);
  session.numbers("tau")[2] = std::nan("");
  EXPECT_THROW(session.step(1), std::invalid_argument);
}

/// What is written between two steps, or done by a hand, counts in all of the next step: it leads where a motion leads
/// that begins at this state with it. Integrators take over what the step before has evaluated at its end.
TEST(WebSession, WhatChangesBetweenStepsCountsInAllOfTheNext) {
  const Model m = load(ZWANG_MODELS "/arm7.urdf");
  const Eigen::VectorXd home = random(m, 2), torque = Eigen::VectorXd::LinSpaced(7, -4, 5);
  for (const std::string& name : integrators()) {
    const ProblemFile file("arm7.urdf", R"("dt": 0.002, "integrator": ")" + name + "\"");
    Session session(file.path(), "simulate");
    write(session.numbers("q"), home);
    session.step(2);
    Eigen::VectorXd tau = Eigen::VectorXd::Zero(7);
    bool pulled = false;
    const auto expect_next = [&](const char* what) {
      ConstraintSet none(m);
      Simulator simulator(m, none, {.time = 1, .dt = 0.002, .integrator = integrator_of(name)});
      simulator.set_control([&](SimulationStage& x) {
        x.tau = tau;
        if (pulled) x.external = forces_of(m, home, x.q, x.v).external;
      });
      const Eigen::VectorXd q = vector_of(session.numbers("q")), v = vector_of(session.numbers("v"));
      ASSERT_TRUE(simulator.start({.q = q, .v = v}));
      ASSERT_TRUE(simulator.step());
      EXPECT_EQ(session.step(1), 1);
      // Roundings as above. One evaluation with the forces before is off by 2e-2 rad/s (semi_implicit), 4e-3 (rk4) and
      // 9e-9 (half_explicit); the others evaluate anew, or see it in the estimate of their error.
      const double error = (vector_of(session.numbers("v")) - simulator.state().v).cwiseAbs().maxCoeff();
      EXPECT_LE(error, 1e6 * 2.2e-16) << name << ": " << what;
    };
    expect_next("nothing");
    write(session.numbers("tau"), tau = torque);
    expect_next("torques");
    session.pull("link5", {0.1, 0.02, -0.03}, {0.4, 0.2, 0.6}, 120, 5);
    pulled = true;
    expect_next("a hand");
    session.release();
    pulled = false;
    expect_next("no hand");
    write(session.numbers("tau"), tau = Eigen::VectorXd::Zero(7));
    expect_next("no torques");
  }
  // motors hold the state at which they were asked to
  const ProblemFile file("arm7.urdf", R"("dt": 0.002)");
  Session session(file.path(), "simulate");
  write(session.numbers("v"), 0.1 * torque);
  session.step(2);
  const Eigen::VectorXd q = vector_of(session.numbers("q")), v = vector_of(session.numbers("v"));
  session.hold(300, 8);
  EXPECT_EQ(session.step(1), 1);
  ConstraintSet none(m);
  Simulator simulator(m, none, {.time = 1, .dt = 0.002});
  simulator.set_control([&](SimulationStage& x) { x.tau = forces_of(m, q, x.q, x.v).tau; });
  ASSERT_TRUE(simulator.start({.q = q, .v = v}));
  ASSERT_TRUE(simulator.step());
  EXPECT_LE((vector_of(session.numbers("v")) - simulator.state().v).cwiseAbs().maxCoeff(), 1e6 * 2.2e-16);
}

TEST(WebSession, ShowsAnArrowForEachConstraintAndTheHand) {
  const ProblemFile file("arm7.urdf", k_tool);
  Session session(file.path(), "solve");
  const nlohmann::json scene = nlohmann::json::parse(session.picture());
  EXPECT_EQ(scene["arrows"], (std::vector<std::string>{"tool", "hand"}));
  EXPECT_EQ(scene["rows"].size(), 4u);
  const nlohmann::json says = nlohmann::json::parse(session.describe());
  EXPECT_EQ(says["constraints"], std::vector<std::string>{"tool"});
  EXPECT_EQ(says["rows"], scene["rows"]);
  EXPECT_EQ(scene["links"].size(), says["links"].size());
}

TEST(WebSession, RefusesWhatHasNoMeaning) {
  const ProblemFile file("arm7.urdf", k_tool);
  Session session(file.path(), "solve");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(session.pull("link99", {0, 0, 0}, {0, 0, 0}, 1, 0), std::invalid_argument);
  EXPECT_THROW(session.pull("link5", {nan, 0, 0}, {0, 0, 0}, 1, 0), std::invalid_argument);
  EXPECT_THROW(session.pull("link5", {0, 0, 0}, {0, 0, 0}, -1, 0), std::invalid_argument);
  EXPECT_THROW(session.hold(nan, 0), std::invalid_argument);
  EXPECT_THROW(session.numbers("speed"), std::invalid_argument);
  EXPECT_THROW(session.activate("tol", true), std::invalid_argument);
  EXPECT_THROW(session.state(), std::logic_error);
  write(session.numbers("q"), Eigen::VectorXd::Constant(7, nan));
  EXPECT_THROW(session.solve(), std::invalid_argument);
}

TEST(WebSession, SwitchesAConstraint) {
  const ProblemFile file("arm7.urdf", k_tool);
  Session session(file.path(), "solve");
  session.solve();
  EXPECT_GT(vector_of(session.numbers("multipliers")).cwiseAbs().maxCoeff(), 0);
  session.activate("tool", false);
  session.solve();
  EXPECT_EQ(vector_of(session.numbers("multipliers")).cwiseAbs().maxCoeff(), 0);
}

}  // namespace
}  // namespace zwang::test
