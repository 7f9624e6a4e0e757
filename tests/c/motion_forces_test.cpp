// SPDX-License-Identifier: BSD-3-Clause
// Forces that a caller of C sets between steps: those that act already cost no solve. A joint counts how often it is
// asked for its pose.
#include "compat/c/src/motion_forces.hpp"

#include <gtest/gtest.h>

#include "zwang/generic.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

long asked = 0;

/// Along z.
struct Counted {
  static constexpr const char* name = "counted";
  static constexpr int nq = 1, nv = 1;
  template <class S> static void transform(const S* q, const Uniform<S>*, Transform<S>& X) {
    X.R = Mat3<S>::identity();
    X.p = {S(0), S(0), q[0]};
  }
  template <class S> static void columns(const S*, const Uniform<S>*, Motion<S>* s) {
    s[0] = {{S(0), S(0), S(1)}, Vec3<S>::zero()};
  }
  template <class S> static void rates(const S*, const S*, const Uniform<S>*, Motion<S>* r) {
    ++asked;
    r[0] = Motion<S>::zero();
  }
};
Model lift() {
  RobotDescription d{.name = "lift"};
  d.links = {{.name = "base"}, {.name = "box", .mass = 2, .inertia = Sym3<double>::diagonal(1, 1, 1)}};
  JointDescription rail{.name = "rail", .type = "user", .parent = "base", .child = "box"};
  rail.user = user_joint<Counted>();
  d.joints = {rail};
  return build(d);
}

/// What a caller sets before a step.
struct Given {
  Externals external;
  std::vector<double> tau;
  bool differs;  ///< from what was set before
};
constexpr double k_tau = 3, k_pull = 5;

/// How often the joint is asked in as many steps, and the velocity at their end. `own`: by MotionForces; else by a
/// control that reads them, and forces_changed() where they differ.
std::pair<long, double> count(const Model& m, const std::vector<Given>& given, bool own) {
  const ConstraintSet none(m);
  Simulator x(m, none, {.time = 1, .dt = 0.01, .integrator = Integrator::rk4});
  const Eigen::VectorXd q = neutral(m), tau = Eigen::VectorXd::Constant(1, k_tau);
  const Externals pull = {external_wrench(m, "box", {0, 0, k_pull, 0, 0, 0})};
  Given acts{pull, {k_tau}, true};
  if (!own)
    x.set_control([&](SimulationStage& s) {
      s.tau[0] = acts.tau.empty() ? 0.0 : acts.tau[0];
      s.external = acts.external;
    });
  EXPECT_TRUE(x.start({.q = q, .tau = tau, .external = &pull}));
  c::MotionForces forces(m, 4);
  const long before = asked;
  for (const Given& next : given) {
    if (own)
      forces.replace(x, next.tau.data(), next.tau.size(), next.external);
    else if (acts = next; next.differs)
      x.forces_changed();
    EXPECT_TRUE(x.step());
  }
  return {asked - before, x.state().v[0]};
}

TEST(MotionForces, ThatActAlreadyCostNoSolve) {
  const Model m = lift();
  const auto of = [&](double force) { return Externals{external_wrench(m, "box", {0, 0, force, 0, 0, 0})}; };
  Externals in_world = of(-1), on_base = of(-1), two = of(-1);
  in_world[0].in = on_base[0].in = Reference::world;
  on_base[0].frame = m.find_frame("base");
  two.push_back(of(2)[0]);
  std::vector<Given> same(10, {of(k_pull), {k_tau}, false});
  same[0].differs = true;  // the first of a motion
  EXPECT_NEAR(count(m, same, true).second, (k_tau + k_pull - 2 * 9.81) / 2 * 0.1, 1e-14);
  EXPECT_EQ(count(m, same, true), count(m, same, false));
  std::vector<Given> forgetful = same;
  for (Given& x : forgetful) x.differs = true;
  EXPECT_GE(count(m, forgetful, false).first, count(m, same, false).first + 9);  // what it would cost

  // In each step something else than in the one before, and then again what there was.
  const std::vector<Given> others = {
      {of(k_pull), {1}, true}, {of(-1), {1}, true},        {of(-1), {1}, false}, {in_world, {1}, true},
      {on_base, {1}, true},    {on_base, {1}, false},      {two, {1}, true},     {two, {}, true},
      {two, {0}, false},       {two, {}, false},           {{}, {}, true},       {{}, {0}, false},
      {{}, {k_tau}, true},     {of(k_pull), {k_tau}, true}};
  EXPECT_EQ(count(m, others, true), count(m, others, false));
  EXPECT_NEAR(count(m, others, true).second,
              -9.81 * 0.14 + (6 + 0 + 0 + 0 + 1 + 1 + 2 + 1 + 1 + 1 + 0 + 0 + 3 + 8) / 2. * 0.01, 1e-14);
}

}  // namespace
}  // namespace zwang::test
