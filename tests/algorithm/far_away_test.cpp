// SPDX-License-Identifier: BSD-3-Clause
// The same robot 1 000 km from the origin of the map: accelerations, torques, M and multipliers do not change.
//
// Only the position itself is rounded there (1e6 m * eps = 2e-10 m), and none of these quantities reads it. A recursion
// about the map's origin would lose (1e6 m)^2 eps = 2e-4.
#include <gtest/gtest.h>

#include "algorithm/cases.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
constexpr double k_unchanged = 1e-12;
const Vec3<double> k_far{6.1e5, -7.3e5, 3.4e5};

struct Answers {
  Vector tau, h, g, a, constrained, lambda, motor, reaction;
  Eigen::MatrixXd M, inverse, J, Jdot;
  double T, Z;
};

Answers answers(const Model& m, const Vector& q, const RandomState& x, const std::string& frame) {
  Answers r;
  Data d(m);
  const Externals push{external_wrench(m, frame, {1, -2, 3, 0.4, 0.5, -0.6}, Reference::local_world_aligned),
                       external_wrench(m, frame, {0.3, 1, -2, 0.1, 0.7, 0.2}, Reference::local)};
  r.tau = inverse_dynamics(m, d, q, x.v, x.a, push);
  r.h = bias_forces(m, d, q, x.v);
  r.g = gravity_forces(m, d, q);
  r.a = forward_dynamics(m, d, q, x.v, x.tau, push);
  r.M = mass_matrix(m, d, q);
  r.T = kinetic_energy(m, d, q, x.v);
  TreeCholesky f(m);
  f.compute(d, q);
  r.inverse.resize(m.nv(), m.nv());
  f.inverse(r.inverse);
  r.J.resize(6, m.nv());
  r.Jdot.resize(6, m.nv());
  jacobian_dot(m, d, q, x.v, m.find_frame(frame), Reference::local_world_aligned, r.Jdot);
  jacobian(m, d, m.find_frame(frame), Reference::local_world_aligned, r.J);

  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "tool",
                          .frame = frame,
                          .rows = rows("linear.x linear.z angular.y"),
                          .in = "local",
                          .beta = {0.3, -0.2, 0.5},
                          .role = Role::driver});
  set.add(ContactConstraint{.name = "touch", .frame = frame, .point = {0.1, 0.2, -0.1}, .rows = 1});
  Solver solver(m, set);
  const Solution& s = solver.solve({.q = q, .v = x.v, .tau = x.tau, .external = &push});
  r.constrained = s.acceleration;
  r.lambda = s.multipliers;
  r.motor = s.motor_torque;
  r.reaction = s.reaction;
  r.Z = s.zwang;
  return r;
}

void expect_unchanged(const Answers& near, const Answers& far) {
  const auto same = [](const char* what, const auto& x, const auto& y) {
    EXPECT_TRUE(within(y, x, k_unchanged, largest(x))) << what;
  };
  same("tau", near.tau, far.tau);
  same("h", near.h, far.h);
  same("g", near.g, far.g);
  same("a", near.a, far.a);
  same("M", near.M, far.M);
  same("M^-1", near.inverse, far.inverse);
  same("J", near.J, far.J);
  same("Jdot", near.Jdot, far.Jdot);
  same("constrained a", near.constrained, far.constrained);
  same("lambda", near.lambda, far.lambda);
  same("motor torque", near.motor, far.motor);
  same("reaction", near.reaction, far.reaction);
  EXPECT_NEAR(near.T, far.T, k_unchanged * near.T);
  EXPECT_NEAR(near.Z, far.Z, k_unchanged * near.Z);
  EXPECT_GT(largest(near.lambda), 0);
}

/// A link that moves enough for four rows.
std::string deepest(const Model& m) { return m.links().back().name; }

TEST(FarAway, AFixedRootOnADisplacedLinkChangesNothing) {
  for (int seed = 0; seed < effort(60); ++seed) {
    RobotDescription r = random_description(static_cast<std::uint64_t>(seed), 12, "fixed");
    const Model near = build(r);
    r.links.push_back(make_link("map", 0, {0, 0, 0}, Sym3<double>::zero()));
    r.joints.push_back(make_joint("road", "fixed", "map", "link0", {0, 0, 1}, k_far));
    const Model far = build(r);
    SCOPED_TRACE(seed);
    const RandomState x = random_state(near, static_cast<std::uint64_t>(seed));
    const std::string frame = deepest(near);
    Data d(far);
    ASSERT_GT(largest(eigen(frame_pose(far, d, x.q, frame).p)), 7e5);
    expect_unchanged(answers(near, x.q, x, frame), answers(far, x.q, x, frame));
    if (testing::Test::HasFailure()) break;
  }
}

void expect_floating(const Model& m, const std::string& joint, const std::string& frame, std::uint64_t seed) {
  const RandomState x = random_state(m, seed);
  Vector far = x.q;
  const Index p = m.joint(joint).q.first;
  for (int k = 0; k < 3; ++k) far(p + k) = k_far[k];
  expect_unchanged(answers(m, x.q, x, frame), answers(m, far, x, frame));
}

TEST(FarAway, AFloatingRootThatFlewAwayChangesNothing) {
  for (int seed = 0; seed < effort(60); ++seed) {
    SCOPED_TRACE(seed);
    const Model m = build(random_description(static_cast<std::uint64_t>(seed), 12, "floating"));
    expect_floating(m, "base", deepest(m), static_cast<std::uint64_t>(seed));
    if (testing::Test::HasFailure()) break;
  }
}

TEST(FarAway, NoRobotFileChangesOnAFloatingRoot) {
  for (const RobotFile& file : robot_files()) {
    if (file.root != "floating") continue;
    const Case c = load_case(file);
    SCOPED_TRACE(c.name);
    expect_floating(c.model, "root_joint", deepest(c.model), 12);
  }
}

}  // namespace
}  // namespace zwang::test
