// SPDX-License-Identifier: BSD-3-Clause
// No hot call allocates: counted by the interposed malloc of support/no_allocation.
#include <gtest/gtest.h>

#include "support/no_allocation.hpp"
#include "support/random.hpp"
#include "zwang/algorithm/all_terms.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/algorithm/real_time.hpp"
#include "zwang/algorithm/references.hpp"
#include "zwang/algorithm/second_derivatives.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"
#include "zwang/algorithm/zero_moment_point.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

std::vector<Model> robots() {
  std::vector<Model> all;
  for (const std::string& name : sample_names())
    all.push_back(build(sample(name), {.root = name == "quadruped" ? "floating" : "automatic"}));
  RandomRobot options;
  options.joints = 25;
  options.mimic = 0.5;
  for (const char* root : {"fixed", "floating"}) {
    options.root = root;
    RobotDescription r = random_robot(7, options);
    for (JointDescription& j : r.joints)  // parts of a composite joint may move alike: rotors keep M regular
      if (j.type == "composite") j.rotor_inertia = {0.05};
    all.push_back(build(r));
  }
  return all;
}

class NoAllocation : public testing::Test {
 protected:
  void SetUp() override { ZWANG_NEEDS_ALLOCATION_COUNT(); }
};

TEST_F(NoAllocation, IsCountedWhereThereIsOne) {
  const AllocationGuard guard;
  Vector x = Vector::Zero(100);
  EXPECT_EQ(guard.count(), 1);
  std::vector<double> y(static_cast<std::size_t>(x.size()) + 1);
  EXPECT_EQ(guard.count(), 2);
  EXPECT_EQ(y[100], x(99));
}

TEST_F(NoAllocation, InKinematics) {
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    const RandomState x = random_state(m, 3);
    Data d(m);
    const FrameId tip = m.links().back().frame;
    Matrix J(6, m.nv());
    EXPECT_NO_ALLOCATION(forward_kinematics(m, d, x.q));
    EXPECT_NO_ALLOCATION(jacobian(m, d, tip, Reference::local, J));
    EXPECT_NO_ALLOCATION(forward_kinematics(m, d, x.q, x.v));
    EXPECT_NO_ALLOCATION(forward_kinematics(m, d, x.q, x.v, x.a));
    for (const Reference in : {Reference::local, Reference::world, Reference::local_world_aligned}) {
      EXPECT_NO_ALLOCATION(frame_pose(m, d, tip));
      EXPECT_NO_ALLOCATION(frame_velocity(m, d, tip, in));
      EXPECT_NO_ALLOCATION(frame_acceleration(m, d, tip, AccelerationKind::spatial, in));
      EXPECT_NO_ALLOCATION(frame_acceleration(m, d, tip, AccelerationKind::classical, in, true));
      EXPECT_NO_ALLOCATION(jacobian(m, d, tip, in, J));
    }
    EXPECT_NO_ALLOCATION(jacobian_at(m, d, tip, {1, 2, 3}, J));
    EXPECT_NO_ALLOCATION(centre_of_mass_velocity(m, d));
    EXPECT_NO_ALLOCATION(centre_of_mass_acceleration(m, d));
    EXPECT_NO_ALLOCATION(jacobian_dot(m, d, x.q, x.v, tip, Reference::local, J));
    Matrix J3(3, m.nv());
    EXPECT_NO_ALLOCATION(centre_of_mass(m, d, x.q));
    EXPECT_NO_ALLOCATION(centre_of_mass_jacobian(m, d, x.q, J3));
    Matrix large(10, m.nv() + 4);  // a block of another matrix, columns apart
    EXPECT_NO_ALLOCATION(jacobian_dot(m, d, x.q, x.v, tip, Reference::world, large.block(2, 1, 6, m.nv())));
  }
}

TEST_F(NoAllocation, InDynamics) {
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    const RandomState x = random_state(m, 3);
    Data d(m);
    const std::string tip = m.links().back().name;
    const Externals push{external_wrench(m, tip, {1, 2, 3, 4, 5, 6}, Reference::world),
                         external_wrench(m, tip, {1, 2, 3, 4, 5, 6}, Reference::local)};
    const JointEffects all{true, true, true, true};
    EXPECT_NO_ALLOCATION(inverse_dynamics(m, d, x.q, x.v, x.a));
    EXPECT_NO_ALLOCATION(inverse_dynamics(m, d, x.q, x.v, x.a, push, all));
    const Link& last = m.links().back();
    if (last.joint.value >= 0 && !m.joints()[static_cast<std::size_t>(last.joint.value)].lumped)
      EXPECT_NO_ALLOCATION(joint_wrench(m, d, m.find_link(tip)));
    EXPECT_NO_ALLOCATION(bias_forces(m, d, x.q, x.v, push));
    EXPECT_NO_ALLOCATION(gravity_forces(m, d, x.q));
    EXPECT_NO_ALLOCATION(forward_dynamics(m, d, x.q, x.v, x.tau));
    EXPECT_NO_ALLOCATION(forward_dynamics(m, d, x.q, x.v, x.tau, push, all));
    Vector out(m.nv());
    EXPECT_NO_ALLOCATION(try_forward_dynamics(m, d, x.q, x.v, x.tau, out));
    EXPECT_NO_ALLOCATION(try_inverse_dynamics(m, d, x.q, x.v, x.a, out, {}, all));
    Vector bad = x.q;
    bad(0) = unknown;
    EXPECT_NO_ALLOCATION(try_forward_dynamics(m, d, bad, x.v, x.tau, out));
    Matrix M(m.nv(), m.nv());
    EXPECT_NO_ALLOCATION(mass_matrix(m, d, x.q, M));
    EXPECT_NO_ALLOCATION(kinetic_energy(m, d, x.q, x.v));
    EXPECT_NO_ALLOCATION(potential_energy(m, d, x.q));
  }
}

TEST_F(NoAllocation, InQuantities) {
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    const RandomState x = random_state(m, 3);
    Data d(m);
    const Index nv = m.nv(), parameters = 10 * static_cast<Index>(m.links().size());
    const FrameId tip = m.links().back().frame;
    Matrix C(nv, nv), A(6, nv), S(6, nv), B(6, nv), Y(nv, parameters), P(6, parameters), R(3, parameters / 10 * 4);
    Matrix six(6, 6), ten(6, 10);
    Vector H(6 * nv * nv), y(parameters);
    EXPECT_NO_ALLOCATION(coriolis_matrix(m, d, x.q, x.v, C));
    EXPECT_NO_ALLOCATION(generalised_momentum(m, d, x.q, x.v, C.col(0), C.col(1)));
    EXPECT_NO_ALLOCATION(static_torque(m, d, x.q));
    AllTerms terms(m);
    EXPECT_NO_ALLOCATION(all_terms(m, d, x.q, x.v, terms));
    EXPECT_NO_ALLOCATION(mechanical_energy(m, d, x.q, x.v));
    EXPECT_NO_ALLOCATION(centroidal_map(m, d, x.q, A));
    EXPECT_NO_ALLOCATION(centroidal_map_dot(m, d, x.q, x.v, A));
    EXPECT_NO_ALLOCATION(centroidal_momentum(m, d, x.q, x.v));
    EXPECT_NO_ALLOCATION(centroidal_momentum_rate(m, d, x.q, x.v, x.a));
    EXPECT_NO_ALLOCATION(centroidal_inertia(m, d, x.q));
    EXPECT_NO_ALLOCATION(column_rates(m, d, x.q, x.v, x.a, S, A, B));
    EXPECT_NO_ALLOCATION(joint_columns(m, d, S));
    EXPECT_NO_ALLOCATION(kinematic_hessian(m, d, x.q, tip, Reference::local, H));
    EXPECT_NO_ALLOCATION(inertial_parameters(m, y));
    EXPECT_NO_ALLOCATION(inverse_dynamics_regressor(m, d, x.q, x.v, x.a, Y));
    EXPECT_NO_ALLOCATION(frame_regressor(m, d, x.q, x.v, x.a, tip, ten));
    EXPECT_NO_ALLOCATION(kinetic_energy_regressor(m, d, x.q, x.v, y));
    EXPECT_NO_ALLOCATION(potential_energy_regressor(m, d, x.q, y));
    EXPECT_NO_ALLOCATION(momentum_regressor(m, d, x.q, x.v, P));
    EXPECT_NO_ALLOCATION(static_regressor(m, d, x.q, R));
    TreeCholesky factor(m);
    Matrix by_q(m.nv(), m.nv()), by_v = by_q, by_a = by_q;
    const Externals aligned{external_wrench(m, tip, {1, 2, 3, 4, 5, 6})};
    EXPECT_NO_ALLOCATION(inverse_dynamics_derivatives(m, d, x.q, x.v, x.a, by_q, by_v, by_a, aligned));
    EXPECT_NO_ALLOCATION(forward_dynamics_derivatives(m, d, factor, x.q, x.v, x.tau, by_q, by_v, by_a, aligned));
    if (m.nv() <= 40) {
      SecondDerivatives second(m);
      ForwardSecondDerivatives forward(m);
      EXPECT_NO_ALLOCATION(inverse_dynamics_second_derivatives(m, d, x.q, x.v, x.a, second, aligned));
      EXPECT_NO_ALLOCATION(forward_dynamics_second_derivatives(m, d, factor, x.q, x.v, x.tau, forward, aligned));
    }
    EXPECT_NO_ALLOCATION(supported_force(m, d, x.q, x.v, x.a, tip, aligned));
    if (m.links().back().body.value == 0) continue;
    EXPECT_NO_ALLOCATION(subtree_mass(m, d, tip));
    EXPECT_NO_ALLOCATION(subtree_centre_of_mass(m, d, x.q, tip));
    EXPECT_NO_ALLOCATION(composite_inertia(m, d, x.q, tip));
    EXPECT_NO_ALLOCATION(composite_inertia_rate(m, d, x.q, x.v, tip, six));
    EXPECT_NO_ALLOCATION(articulated_inertia(m, d, x.q, tip, six));
    EXPECT_NO_ALLOCATION(body_momentum(m, d, x.q, x.v, tip));
    EXPECT_NO_ALLOCATION(body_inertia(m, d, tip));
    Matrix wrenches(6, static_cast<Index>(m.joints().size()));
    for (const Reference reference : {Reference::world, Reference::local_world_aligned}) {
      EXPECT_NO_ALLOCATION(composite_inertia(m, d, x.q, tip, reference));
      EXPECT_NO_ALLOCATION(composite_inertia_rate(m, d, x.q, x.v, tip, reference, six));
      EXPECT_NO_ALLOCATION(body_momentum(m, d, x.q, x.v, tip, reference));
      EXPECT_NO_ALLOCATION(joint_wrenches(m, d, x.q, x.v, x.a, reference, wrenches, aligned));
    }
    EXPECT_NO_ALLOCATION(zero_moment_point(m, d, x.q, x.v, x.a, {0, 1, 2}, {1, 2, 3}, aligned));
  }
}

TEST_F(NoAllocation, InCallsByNameAndInCallsForRealTime) {
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    const RandomState x = random_state(m, 3);
    Data d(m);
    const std::string tip = m.links().back().name, wrong = "no such frame, and a name too long for a small string";
    const Reference in = Reference::world;
    Matrix J(6, m.nv()), M(m.nv(), m.nv());
    Vector out(m.nv()), bad = x.q;
    bad(0) = unknown;
    Transform<double> pose;
    Motion<double> twist;
    Vec3<double> c;
    Force<double> h;
    const Externals push{external_wrench(m, tip, {1, 2, 3, 4, 5, 6}, in)};
    EXPECT_NO_ALLOCATION(jacobian(m, d, x.q, tip, in, J));
    EXPECT_NO_ALLOCATION(frame_pose(m, d, x.q, tip));
    EXPECT_NO_ALLOCATION(frame_velocity(m, d, x.q, x.v, tip));
    EXPECT_NO_ALLOCATION(external_wrench(m, tip, {1, 2, 3, 4, 5, 6}, in));
    EXPECT_NO_ALLOCATION(try_forward_kinematics(m, d, x.q, x.v, x.a));
    EXPECT_NO_ALLOCATION(try_frame_pose(m, d, x.q, tip, pose));
    EXPECT_NO_ALLOCATION(try_frame_acceleration(m, d, x.q, x.v, x.a, tip, AccelerationKind::classical, in, twist));
    EXPECT_NO_ALLOCATION(try_jacobian(m, d, x.q, tip, in, J));
    EXPECT_NO_ALLOCATION(try_jacobian_dot(m, d, x.q, x.v, tip, in, J));
    EXPECT_NO_ALLOCATION(try_inverse_dynamics(m, d, x.q, x.v, x.a, out, push));
    EXPECT_NO_ALLOCATION(try_forward_dynamics(m, d, x.q, x.v, x.tau, out, push));
    EXPECT_NO_ALLOCATION(try_bias_forces(m, d, x.q, x.v, out, push));
    EXPECT_NO_ALLOCATION(try_static_torque(m, d, x.q, out, push));
    EXPECT_NO_ALLOCATION(try_mass_matrix(m, d, x.q, M));
    EXPECT_NO_ALLOCATION(try_coriolis_matrix(m, d, x.q, x.v, M));
    EXPECT_NO_ALLOCATION(try_centroidal_map(m, d, x.q, J));
    EXPECT_NO_ALLOCATION(try_centre_of_mass(m, d, x.q, c));
    EXPECT_NO_ALLOCATION(try_centroidal_momentum(m, d, x.q, x.v, h));
    // refusals
    EXPECT_NO_ALLOCATION(try_forward_kinematics(m, d, bad));
    EXPECT_NO_ALLOCATION(try_jacobian(m, d, bad, tip, in, J));
    EXPECT_NO_ALLOCATION(try_jacobian(m, d, x.q, wrong, in, J));
    EXPECT_NO_ALLOCATION(try_mass_matrix(m, d, x.q, J.leftCols(1)));
    EXPECT_NO_ALLOCATION(try_coriolis_matrix(m, d, x.q, bad, M));
  }
}

TEST_F(NoAllocation, InTheTreeSparseFactor) {
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    const RandomState x = random_state(m, 3);
    Data d(m);
    TreeCholesky f(m);
    Vector y = x.a;
    Matrix W(m.nv(), m.nv());
    EXPECT_NO_ALLOCATION(f.compute(d, x.q));
    EXPECT_NO_ALLOCATION(f.solve(y));
    EXPECT_NO_ALLOCATION(f.multiply(y));
    EXPECT_NO_ALLOCATION(f.solve_lower(y));
    EXPECT_NO_ALLOCATION(f.solve_transposed(y));
    EXPECT_NO_ALLOCATION(f.multiply_lower(y));
    EXPECT_NO_ALLOCATION(f.multiply_transposed(y));
    EXPECT_NO_ALLOCATION(f.inverse(W));
  }
}

TEST_F(NoAllocation, InOverrides) {
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    Data d(m);
    const LinkId last(static_cast<Index>(m.links().size()) - 1);
    const Sym3<double> I = Sym3<double>::diagonal(0.1, 0.2, 0.15);
    EXPECT_NO_ALLOCATION(d.set_inertia(last, 2, {0.1, 0, 0}, I));
    EXPECT_NO_ALLOCATION(d.set_payload(last, 1, {0, 0.1, 0}, I));
    EXPECT_NO_ALLOCATION(d.set_gravity({1, 2, 3}));
    EXPECT_NO_ALLOCATION(d.clear_overrides());
  }
}

TEST_F(NoAllocation, OnTheManifold) {
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    const RandomState x = random_state(m, 3), y = random_state(m, 4);
    Vector q(m.nq()), dq(m.nv());
    EXPECT_NO_ALLOCATION(integrate(m, x.q, x.v, q));
    EXPECT_NO_ALLOCATION(integrate(m, q, x.v, q));
    EXPECT_NO_ALLOCATION(difference(m, x.q, y.q, dq));
    EXPECT_NO_ALLOCATION(interpolate(m, x.q, y.q, 0.3, q));
    EXPECT_NO_ALLOCATION(normalize(m, q));
    EXPECT_NO_ALLOCATION(distance(m, x.q, y.q));
  }
}

/// A robot with a driven tool, a contact that can be switched, and rows that depend on others.
struct Held {
  explicit Held(const Model& model) : m(model), set(m), x(random_state(m, 5)) {
    const std::string tip = m.links().back().name;
    set.add(FrameConstraint{
        .name = "tool", .frame = tip, .rows = rows("linear angular.x"), .in = "local", .role = Role::driver});
    set.add(FrameConstraint{.name = "again", .frame = tip, .rows = rows("linear.x linear.z"), .in = "local"});
    set.add(ContactConstraint{.name = "touch", .frame = tip, .point = {0, 0.1, 0.2}, .active = false});
  }
  Model m;
  ConstraintSet set;
  RandomState x;
};

TEST_F(NoAllocation, InConstrainedSolvesWithRowsSwitchedAndTargetsChanged) {
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    Held h(m);
    h.set["again"].active = false;
    Solver solver(h.m, h.set);
    const Externals push{external_wrench(m, m.links().back().name, {1, 2, 3, 4, 5, 6}, Reference::local)};
    const SolveInput input{.q = h.x.q, .v = h.x.v, .tau = h.x.tau, .external = &push}, plain{.q = h.x.q, .v = h.x.v};
    EXPECT_NO_ALLOCATION(solver.solve(input));
    Constraint &tool = h.set["tool"], &touch = h.set["touch"];
    EXPECT_NO_ALLOCATION(tool.beta[1] = 0.7; solver.solve(plain));
    EXPECT_NO_ALLOCATION(tool.active = false; solver.solve(plain));
    EXPECT_NO_ALLOCATION(touch.active = true; solver.try_solve(plain));
    EXPECT_NO_ALLOCATION(tool.active = touch.active = false; solver.solve(plain));
    EXPECT_NO_ALLOCATION(tool.active = true; tool.acceleration = AccelerationKind::spatial; solver.solve(input));
    EXPECT_NO_ALLOCATION(solver.data().set_gravity({0, 0, -1}); solver.solve(input));
    Matrix Lambda(4, 4);
    EXPECT_NO_ALLOCATION(solver.operational_inertia(Lambda));
  }
}

TEST_F(NoAllocation, InSolvesWithRedundantAndInfeasibleRowsAndRefusedInput) {
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    Held h(m);
    Solver solver(h.m, h.set);
    const SolveInput input{.q = h.x.q, .v = h.x.v, .tau = h.x.tau};
    Constraint& again = h.set["again"];
    again.active = true;
    solver.solve(input);
    EXPECT_LT(solver.solution().report.rank, solver.solution().report.rows);
    EXPECT_NO_ALLOCATION(solver.solve(input));
    EXPECT_NO_ALLOCATION(again.beta[0] = 3; solver.solve(input));
    EXPECT_NO_ALLOCATION(again.beta[0] = 0; solver.try_solve(input));
    Vector bad = h.x.v;
    bad(0) = unknown;
    const SolveInput wrong{.q = h.x.q, .v = bad};
    EXPECT_NO_ALLOCATION(solver.try_solve(wrong));
    EXPECT_EQ(solver.solution().report.status, Status::non_finite_input);
  }
}

}  // namespace
}  // namespace zwang::test
