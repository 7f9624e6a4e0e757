// SPDX-License-Identifier: BSD-3-Clause
// No call that computes derivatives allocates: those of algorithms from the first on, those of a Solver from the second
// on, whatever method has solved. ZWANG_WHOLE_TABLE=1: a million calls, after which the memory is what it was.
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/effort.hpp"
#include "support/no_allocation.hpp"
#include "support/random.hpp"
#include "zwang/algorithm/derivative_products.hpp"
#include "zwang/algorithm/kinematics_derivatives.hpp"
#include "zwang/algorithm/second_derivatives.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

class NoDerivativeAllocation : public testing::Test {
 protected:
  void SetUp() override { ZWANG_NEEDS_ALLOCATION_COUNT(); }
};

std::vector<Model> robots() {
  std::vector<Model> all;
  for (const std::string& name : sample_names())
    all.push_back(build(sample(name), {.root = name == "quadruped" ? "floating" : "automatic"}));
  RandomRobot options;
  options.joints = 20;
  options.mimic = 0.5;
  options.root = "floating";
  RobotDescription r = random_robot(7, options);
  for (JointDescription& j : r.joints)  // parts of a composite joint may move alike: rotors keep M regular
    if (j.type == "composite") j.rotor_inertia = {0.05};
  all.push_back(build(r));
  return all;
}
/// In every kind of axes.
Externals wrenches(const Model& m, const std::string& frame) {
  Externals all;
  for (const Reference in : {Reference::local, Reference::world, Reference::local_world_aligned})
    all.push_back(external_wrench(m, frame, {1, -2, 3, 4, -5, 6}, in));
  return all;
}

/// By responses of articulated bodies.
TEST_F(NoDerivativeAllocation, InForwardDerivativesOfLongChains) {
  const Model m = build(sample_chain(70));
  const RandomState x = random_state(m, 3);
  Data d(m);
  TreeCholesky factor(m);
  const Externals push = wrenches(m, m.links().back().name);
  Matrix q(m.nv(), m.nv()), v = q, a = q;
  EXPECT_NO_ALLOCATION(forward_dynamics_derivatives(m, d, factor, x.q, x.v, x.tau, q, v, a));
  EXPECT_NO_ALLOCATION(forward_dynamics_derivatives(m, d, factor, x.q, x.v, x.tau, q, v, a, push));
}
TEST_F(NoDerivativeAllocation, InDerivativesOfDynamics) {
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    const RandomState x = random_state(m, 3);
    Data d(m);
    TreeCholesky factor(m);
    SecondDerivatives second(m);
    ForwardSecondDerivatives forward(m);
    const Externals push = wrenches(m, m.links().back().name);
    Matrix q(m.nv(), m.nv()), v = q, a = q;
    const Vector w = Vector::Ones(m.nv());
    Vector out(m.nv()), by_q = out, by_v = out, by_a = out;
    EXPECT_NO_ALLOCATION(inverse_dynamics_derivatives(m, d, x.q, x.v, x.a, q, v, a, push));
    EXPECT_NO_ALLOCATION(forward_dynamics_derivatives(m, d, factor, x.q, x.v, x.tau, q, v, a, push));
    EXPECT_NO_ALLOCATION(bias_forces_derivatives(m, d, x.q, x.v, q, v, push));
    EXPECT_NO_ALLOCATION(gravity_forces_derivatives(m, d, x.q, q));
    EXPECT_NO_ALLOCATION(static_torque_derivatives(m, d, x.q, q, push));
    EXPECT_NO_ALLOCATION(inverse_dynamics_jvp(m, d, x.q, x.v, x.a, w, w, w, out, push));
    EXPECT_NO_ALLOCATION(inverse_dynamics_vjp(m, d, x.q, x.v, x.a, w, by_q, by_v, by_a, push));
    EXPECT_NO_ALLOCATION(forward_dynamics_jvp(m, d, factor, x.q, x.v, x.tau, w, w, w, out, push));
    EXPECT_NO_ALLOCATION(forward_dynamics_vjp(m, d, factor, x.q, x.v, x.tau, w, by_q, by_v, by_a, push));
    EXPECT_NO_ALLOCATION(inverse_dynamics_second_derivatives(m, d, x.q, x.v, x.a, second, push));
    EXPECT_NO_ALLOCATION(second.contract("qq", w, q));
    EXPECT_NO_ALLOCATION(forward_dynamics_second_derivatives(m, d, factor, x.q, x.v, x.tau, forward, push));
    EXPECT_TRUE(q.allFinite() && v.allFinite() && by_q.allFinite());
  }
}

TEST_F(NoDerivativeAllocation, InDerivativesOfKinematics) {
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    const RandomState x = random_state(m, 3);
    Data d(m);
    const FrameId tip = m.links().back().frame;
    const std::string name = m.links().back().name;
    Matrix q(6, m.nv()), v = q, a = q, r = q, s = q, q3(3, m.nv()), v3 = q3;
    for (const Reference in : {Reference::local, Reference::world, Reference::local_world_aligned}) {
      EXPECT_NO_ALLOCATION(frame_velocity_derivatives(m, d, x.q, x.v, tip, in, q, v));
      EXPECT_NO_ALLOCATION(frame_velocity_derivatives(m, d, x.q, x.v, name, in, q, v));
      for (const AccelerationKind kind : {AccelerationKind::spatial, AccelerationKind::classical})
        EXPECT_NO_ALLOCATION(frame_acceleration_derivatives(m, d, x.q, x.v, x.a, tip, kind, in, q, v, a, true));
    }
    EXPECT_NO_ALLOCATION(centre_of_mass_velocity_derivatives(m, d, x.q, x.v, q3, v3));
    EXPECT_NO_ALLOCATION(centroidal_derivatives(m, d, x.q, x.v, x.a, q, v, r, s, a));
  }
}

/// Contacts with stabilisation, a soft row, a loop, a redundant row, prescribed coordinates and wrenches,
/// as far as a method supports them.
struct Posed {
  explicit Posed(const Model& m, bool redundant, bool plain) : set(m) {
    ContactConstraint foot{.name = "foot", .frame = "LF_foot", .has_target = true};
    foot.stabilisation = {0.3, 1};
    set.add(foot);
    set.add(ContactConstraint{.name = "edge", .frame = "RF_foot", .rows = 1});
    if (!plain) {
      LoopConstraint loop{.name = "loop", .frame = "LH_foot", .other = "RH_foot", .rows = rows("linear")};
      loop.stabilisation = {0.5, 0.7};
      set.add(loop);
    }
    if (redundant) set.add(ContactConstraint{.name = "again", .frame = "RF_foot", .rows = 1});
  }
  ConstraintSet set;
};

TEST_F(NoDerivativeAllocation, InDerivativesOfSolutionsByEveryMethod) {
  const Model m = build(sample_quadruped(), {.root = "floating"});
  const Externals push = wrenches(m, "trunk");
  Prescribed prescribed;
  prescribe(m, prescribed, m.coordinate_names().back(), {1.5});
  Random random(5);
  int solved = 0;
  for (const std::string& method : methods())
    for (const bool redundant : {false, true})
      for (const bool plain : {true, false}) {
        SCOPED_TRACE(method + (redundant ? ", dependent rows" : "") + (plain ? "" : ", a loop"));
        Posed posed(m, redundant, plain);
        SolverSettings settings{.method = method};
        if (method == "pv_soft")
          for (const Constraint& c : posed.set.constraints()) {
            posed.set[c.name].policy = Policy::soft;
            posed.set[c.name].compliance.assign(static_cast<std::size_t>(c.size()), 0.1);
          }
        try {
          Solver solver(m, posed.set, settings);
          RandomState x = random_state(m, 3);
          x.v.setZero();
          const Vector wa = random.vector(m.nv()), wl = random.vector(posed.set.rows());
          const SolveInput input{.q = x.q, .v = x.v, .tau = x.tau, .external = &push, .prescribed = &prescribed};
          const Solution& s = solver.solve(input);
          if (s.report.status != Status::ok) continue;
          solver.derivatives();  // the first call allocates
          solver.vjp({.acceleration = wa});
          solver.jvp({.q = wa});
          for (int state = 0; state < 3; ++state) {
            const Vector moved = integrate(m, x.q, random.vector(m.nv(), 0.2));
            x.q = moved;  // a copy: `input` reads the memory of x.q
            EXPECT_NO_ALLOCATION(solver.solve(input));
            EXPECT_NO_ALLOCATION(solver.derivatives());
            EXPECT_NO_ALLOCATION(solver.vjp({.acceleration = wa, .multipliers = wl, .motor_torque = wa}));
            EXPECT_NO_ALLOCATION(solver.jvp({.q = wa, .v = wa, .tau = wa, .beta = wl, .force = wa}));
            solved += solver.derivatives().status == Status::ok;
          }
        } catch (const UnsupportedError&) {}
      }
  EXPECT_GT(solved, 60);
}

TEST_F(NoDerivativeAllocation, InDerivativesOfWhatHasNone) {
  const Model m = build(sample_arm7());
  ConstraintSet set(m);
  for (const char* name : {"one", "two"})
    set.add(
        FrameConstraint{.name = name, .frame = "tool0", .rows = rows("linear.x"), .beta = {name[0] == 'o' ? 1. : 2.}});
  Solver solver(m, set);
  const RandomState x = random_state(m, 3);
  solver.solve({.q = x.q, .v = x.v});
  solver.derivatives();
  solver.vjp({.acceleration = x.v});
  solver.jvp({.q = x.v});
  EXPECT_NO_ALLOCATION(solver.derivatives());
  EXPECT_NO_ALLOCATION(solver.vjp({.acceleration = x.v}));
  EXPECT_NO_ALLOCATION(solver.jvp({.q = x.v}));
  EXPECT_EQ(solver.derivatives().status, Status::not_differentiable);
}

TEST_F(NoDerivativeAllocation, InAMillionProducts) {
  const int calls = effort(std::getenv("ZWANG_WHOLE_TABLE") != nullptr ? 1000000 : 2000);
  const Model m = build(sample_arm7());
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("linear")});
  Solver solver(m, set);
  RandomState x = random_state(m, 3);
  const Vector w = Vector::Ones(m.nv());
  solver.solve({.q = x.q, .v = x.v, .tau = x.tau});
  solver.vjp({.acceleration = w});
  const AllocationGuard guard;
  double sum = 0;
  for (int k = 0; k < calls; ++k) {
    x.q(k % 7) += 1e-3;
    solver.solve({.q = x.q, .v = x.v, .tau = x.tau});
    sum += solver.vjp({.acceleration = w}).q(0);
  }
  EXPECT_EQ(guard.count(), 0);
  EXPECT_TRUE(std::isfinite(sum));
}

}  // namespace
}  // namespace zwang::test
