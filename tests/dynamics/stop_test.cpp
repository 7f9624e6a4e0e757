// SPDX-License-Identifier: BSD-3-Clause
// A solve that its caller stops: at whatever question that is, it ends refused,
// and the next solve has the bits of a new solver's.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support/effort.hpp"
#include "zwang/factor/methods.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/question/impulse.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

/// Says yes at the question of a number, and no before it and afterwards.
struct Asked {
  long yes_at = -1, questions = 0;
  static bool ask(void* self) {
    Asked& x = *static_cast<Asked*>(self);
    return ++x.questions == x.yes_at;
  }
  Stop stop() { return {&ask, this}; }
};

std::string link(const std::string& name) {
  return "<link name='" + name +
         "'><inertial><origin xyz='.1 .02 .3'/><mass value='1'/><inertia ixx='.08' iyy='.07' izz='.05' ixy='.01' "
         "ixz='0' "
         "iyz='0'/></inertial></link>";
}
/// A chain of n hinges about different axes.
Model chain(int n) {
  constexpr const char* axes[] = {"0 0 1", "0 1 0", "1 0 0"};
  std::string s = "<link name='l0'/>";
  for (int i = 1; i <= n; ++i) {
    const std::string k = std::to_string(i);
    s += link("l" + k) + "<joint name='j" + k +
         "' type='continuous'><origin xyz='.1 .2 .3' rpy='.3 .2 .1'/><parent link='l" + std::to_string(i - 1) +
         "'/><child link='l" + k + "'/><axis xyz='" + axes[i % 3] + "'/></joint>";
  }
  return loads("<robot name='chain'>" + s + "</robot>");
}

struct Problem {
  std::string name;
  Model model;
  ConstraintSet set;
  SolverSettings settings = {};

  Problem(const std::string& called, int joints) : name(called), model(chain(joints)), set(model) {}
  /// Six rows on each link, so that five of six depend on others; they contradict each other where `beta` is not 0.
  void hold(int links, const std::string& words, int levels = 1, double beta = 0, double compliance = 0) {
    for (int i = 1; i <= links; ++i) {
      FrameConstraint c;
      c.name = "c" + std::to_string(i);
      c.frame = "l" + std::to_string(i);
      c.rows = rows(words);
      c.priority = i % levels;
      const std::size_t m = c.rows.matrix.size() / 6;
      if (beta != 0) c.beta.assign(m, beta * (1 + 0.1 * i));
      if (compliance > 0) c.compliance.assign(m, compliance);
      set.add(c);
    }
  }
  SolveInput input() const { return {.q = q, .v = v}; }
  Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(model.nq(), 0.2, 0.9);
  Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(model.nv(), -0.4, 0.3);
};

/// Every number and name of a solution, exactly.
std::string bits(const Solution& s) {
  std::string all;
  for (const VectorView* x : {&s.acceleration, &s.multipliers, &s.motor_torque, &s.reaction,
                              &s.articulated_constraint_torque, &s.residual, &s.velocity_error})
    all.append(reinterpret_cast<const char*>(x->data()), sizeof(double) * static_cast<std::size_t>(x->size()));
  all.append(reinterpret_cast<const char*>(&s.zwang), sizeof(double));
  return all + s.report.explain() + std::to_string(s.report.rank) + s.report.method;
}

void expect_refused(const Solution& s, const std::string& where) {
  ASSERT_EQ(s.report.status, Status::stopped) << where;
  for (const VectorView* x : {&s.acceleration, &s.multipliers, &s.motor_torque, &s.reaction,
                              &s.articulated_constraint_torque, &s.residual, &s.velocity_error})
    for (Eigen::Index k = 0; k < x->size(); ++k) ASSERT_EQ((*x)[k], 0) << where;
  ASSERT_EQ(s.zwang, 0) << where;
  const SolveReport& r = s.report;
  ASSERT_TRUE(r.redundant.empty() && r.infeasible.empty() && r.given_up.empty() && r.dependencies.empty() &&
              r.warnings.empty() && r.held.empty() && r.at_limit.empty())
      << where;
  ASSERT_EQ(r.rank, 0) << where;
  ASSERT_EQ(r.residual, 0) << where;
}

/// All methods that take the problem, and the policies of `automatic`.
std::vector<SolverSettings> ways(const Problem& p) {
  std::vector<SolverSettings> all;
  SolverSettings s = p.settings;
  for (const std::string& method : methods()) {
    s.method = method;
    all.push_back(s);
  }
  s.method = "automatic";
  for (const Singularity x : {Singularity::proximal, Singularity::damping, Singularity::weighted}) {
    s.singularity = x;
    all.push_back(s);
  }
  return all;
}

void stop_everywhere(const Problem& p, int most) {
  for (const SolverSettings& settings : ways(p)) {
    std::string expected;
    try {
      Solver fresh(p.model, p.set, settings);
      expected = bits(fresh.solve(p.input()));
    } catch (const UnsupportedError&) { continue; }
    const std::string where = p.name + ", " + settings.method + ", " + name_of(settings.singularity);
    Asked never;
    SolverSettings asking = settings;
    asking.stop = never.stop();
    Solver solver(p.model, p.set, asking);
    ASSERT_EQ(bits(solver.solve(p.input())), expected) << where << ": asking changes bits";
    ASSERT_GE(never.questions, 1) << where;
    const long tries = std::min<long>(never.questions, effort(most, 2));
    for (long k = 0; k < tries; ++k) {
      Asked once{.yes_at = 1 + (tries > 1 ? k * (never.questions - 1) / (tries - 1) : 0)};
      const std::string here = where + ", question " + std::to_string(once.yes_at);
      Solver stopped(p.model, p.set, settings);
      stopped.settings().stop = once.stop();
      expect_refused(stopped.solve(p.input()), here);
      if (testing::Test::HasFatalFailure()) return;
      ASSERT_EQ(once.questions, once.yes_at) << here << ": it is asked again";
      ASSERT_THROW(stopped.resolve(), std::logic_error) << here;
      stopped.settings().stop = {};
      ASSERT_EQ(bits(stopped.solve(p.input())), expected) << here << ": not as a new solver";
    }
  }
}

TEST(StoppedSolve, OfDependentRowsIsRefusedAtEveryQuestion) {
  Problem p("dependent", 7);
  p.hold(7, "all");
  p.v.setZero();  // else they contradict each other
  stop_everywhere(p, 1000);
}
TEST(StoppedSolve, OfContradictoryRowsIsRefusedAtEveryQuestion) {
  Problem p("contradictory", 6);
  p.hold(6, "all", 1, 0.3);
  stop_everywhere(p, 1000);
}
TEST(StoppedSolve, OfRowsOfSeveralLevelsIsRefusedAtEveryQuestion) {
  Problem p("levels", 6);
  p.hold(6, "linear", 3, 0.2);
  stop_everywhere(p, 1000);
}
TEST(StoppedSolve, OfIndependentRowsIsRefusedAtEveryQuestion) {
  Problem p("independent", 30);
  p.hold(25, "angular.x");
  stop_everywhere(p, 100);
  Problem few("few", 7);
  few.hold(1, "angular.z");
  stop_everywhere(few, 100);
}
TEST(StoppedSolve, OfSoftRowsIsRefusedAtEveryQuestion) {
  Problem p("soft", 6);
  p.hold(6, "all", 1, 0.3, 0.01);
  stop_everywhere(p, 1000);
}
TEST(StoppedSolve, OfLoopsIsRefusedAtEveryQuestion) {
  Problem p("loops", 8);
  for (int i = 2; i <= 8; i += 2)
    for (int twice = 0; twice < 2; ++twice)
      p.set.add(LoopConstraint{.name = "loop" + std::to_string(10 * i + twice),
                               .frame = "l" + std::to_string(i),
                               .other = "l" + std::to_string(i - 2),
                               .rows = rows("linear.x angular.z"),
                               .compliance = i == 4 ? std::vector<double>{0.1, 0.2} : std::vector<double>{}});
  stop_everywhere(p, 1000);
}
TEST(StoppedSolve, WithLimitsIsRefusedAtEveryQuestion) {
  Problem p("limits", 6);
  p.hold(5, "linear", 1, 0.3);
  p.set["c1"].limit.assign(3, 0.5);
  p.set["c2"].sense.assign(3, Sense::at_least);
  p.set["c5"].role = Role::driver;
  stop_everywhere(p, 1000);
  for (const char* name : {"j1", "j4"}) limit_motor(p.model, p.settings.motor_limits, name, -0.1, 0.1);
  p.name = "limits of motors";
  stop_everywhere(p, 1000);
  for (int i = 1; i <= 5; ++i) p.set["c" + std::to_string(i)].priority = i % 2;
  p.name = "limits and levels";
  stop_everywhere(p, 1000);
}
TEST(StoppedSolve, IsAskedWhenItBegins) {
  const Problem p("free", 3);
  Asked asked;
  Solver solver(p.model, p.set, {.stop = asked.stop()});
  EXPECT_EQ(solver.solve(p.input()).report.status, Status::ok);
  EXPECT_GE(asked.questions, 1);
  asked = {.yes_at = 1};
  EXPECT_EQ(solver.try_solve(p.input()).report.status, Status::stopped);
  EXPECT_NE(solver.solution().report.explain().find("stopped"), std::string::npos);
}

TEST(StoppedSolve, CountsForResolveAndImpulse) {
  Problem p("calls", 6);
  p.hold(6, "all");
  Solver solver(p.model, p.set);
  solver.solve(p.input());
  const Eigen::VectorXd tau = Eigen::VectorXd::Constant(p.model.nv(), 2);
  const std::string expected = bits(solver.resolve({.tau = tau}));
  Asked at_once{.yes_at = 1};
  solver.settings().stop = at_once.stop();
  expect_refused(solver.resolve({.tau = tau}), "resolve");
  EXPECT_THROW(solver.resolve({.tau = tau}), std::logic_error);
  EXPECT_NE(solver.solve(p.input()).report.status, Status::stopped);  // that question was before
  EXPECT_EQ(bits(solver.resolve({.tau = tau})), expected);
  solver.settings().stop = {};
  const ImpulseInput shock{.q = p.q, .v = p.v};
  const Eigen::VectorXd after = solver.impulse(shock).velocity;
  Asked all;
  solver.settings().stop = all.stop();
  EXPECT_EQ(Eigen::VectorXd(solver.impulse(shock).velocity), after);
  for (long k = 1; k <= all.questions; ++k) {
    Asked once{.yes_at = k};
    solver.settings().stop = once.stop();
    ASSERT_EQ(solver.impulse(shock).report.status, Status::stopped) << k;
    ASSERT_TRUE(Eigen::VectorXd(solver.solution().acceleration).allFinite());
    solver.settings().stop = {};
    ASSERT_EQ(Eigen::VectorXd(solver.impulse(shock).velocity), after) << k;
  }
}

/// What a solver has learned while it solved is used by what comes after a solve that was not stopped:
/// nobody is asked there.
TEST(StoppedSolve, EndsNothingButTheSolve) {
  Problem p("derivatives", 6);
  p.hold(6, "all", 2, 0.3);
  Asked asked;
  Solver solver(p.model, p.set, {.stop = asked.stop()}), plain(p.model, p.set);
  solver.solve(p.input());
  plain.solve(p.input());
  asked = {.yes_at = 1};
  const Index n = p.model.nv(), m = solver.active_rows();
  Eigen::MatrixXd got(m, m), expected(m, m);
  solver.operational_inertia(got);
  plain.operational_inertia(expected);
  EXPECT_EQ(got, expected);
  Eigen::MatrixXd a(n, 2), l(m, 2), b(n, 2), k(m, 2);
  const Eigen::MatrixXd tau = Eigen::MatrixXd::Constant(n, 2, 0.7), beta = Eigen::MatrixXd::Constant(m, 2, 0.1);
  solver.solve_columns(tau, beta, a, l);
  plain.solve_columns(tau, beta, b, k);
  EXPECT_EQ(a, b);
  EXPECT_EQ(l, k);
  EXPECT_EQ(asked.questions, 0);
}

}  // namespace
}  // namespace zwang::test
