// SPDX-License-Identifier: BSD-3-Clause
// No derivative allocates, in the writing form and in that which returns a status:
// counted by the interposed malloc of support/no_allocation.
#include <gtest/gtest.h>

#include "support/no_allocation.hpp"
#include "support/random.hpp"
#include "zwang/algorithm/real_time_derivatives.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Every joint type, mimic joints, and rotors, which keep M regular.
Model robot() {
  RandomRobot options;
  options.joints = 20;
  options.mimic = 0.5;
  options.root = "floating";
  RobotDescription r = random_robot(7, options);
  for (JointDescription& j : r.joints)
    if (j.type == "composite") j.rotor_inertia = {0.05};
  return build(r);
}

TEST(NoAllocationOfTwins, OfDerivatives) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Model m = robot();
  const Index n = m.nv();
  const RandomState x = random_state(m, 3);
  Data d(m);
  TreeCholesky factor(m);
  Matrix A(6, n), B = A, C = A, D = A, E = A, small(3, n), smaller = small, wide(n, 6);
  Vector g = Vector::Zero(n), h = g, k = g;
  const FrameId frame(static_cast<Index>(m.frames().size()) - 1);
  Index last = static_cast<Index>(m.joints().size()) - 1;
  while (m.joints()[static_cast<std::size_t>(last)].lumped) --last;
  const JointId joint(last);
  const Externals push{external_wrench(m, frame, {1, 2, 3, 4, 5, 6}, Reference::local_world_aligned),
                       external_wrench(m, frame, {1, 2, 3, 4, 5, 6}, Reference::world)};
  const auto in = Reference::local;
  EXPECT_NO_ALLOCATION(joint_wrench_derivatives(m, d, x.q, x.v, x.a, joint, A, B, C, push));
  EXPECT_NO_ALLOCATION(EXPECT_EQ(try_joint_wrench_derivatives(m, d, x.q, x.v, x.a, joint, A, B, C, push), Status::ok));
  EXPECT_NO_ALLOCATION(EXPECT_EQ(try_frame_velocity_derivatives(m, d, x.q, x.v, frame, in, A, B), Status::ok));
  EXPECT_NO_ALLOCATION(EXPECT_EQ(
      try_frame_acceleration_derivatives(m, d, x.q, x.v, x.a, frame, AccelerationKind::classical, in, A, B, C),
      Status::ok));
  EXPECT_NO_ALLOCATION(EXPECT_EQ(try_centre_of_mass_velocity_derivatives(m, d, x.q, x.v, small, smaller), Status::ok));
  EXPECT_NO_ALLOCATION(EXPECT_EQ(try_centroidal_derivatives(m, d, x.q, x.v, x.a, A, B, C, D, E), Status::ok));
  EXPECT_NO_ALLOCATION(EXPECT_EQ(try_inverse_dynamics_jvp(m, d, x.q, x.v, x.a, x.v, x.a, x.tau, g, push), Status::ok));
  EXPECT_NO_ALLOCATION(EXPECT_EQ(try_inverse_dynamics_vjp(m, d, x.q, x.v, x.a, x.tau, g, h, k, push), Status::ok));
  EXPECT_NO_ALLOCATION(
      EXPECT_EQ(try_forward_dynamics_jvp(m, d, factor, x.q, x.v, x.tau, x.v, x.a, x.tau, g, push), Status::ok));
  EXPECT_NO_ALLOCATION(
      EXPECT_EQ(try_forward_dynamics_vjp(m, d, factor, x.q, x.v, x.tau, x.a, g, h, k, push), Status::ok));
  for (const Parameter p : {Parameter::inertial_parameters, Parameter::placement, Parameter::armature,
                            Parameter::damping, Parameter::stiffness, Parameter::gravity}) {
    Matrix out(n, columns_of(m, p));
    EXPECT_NO_ALLOCATION(inverse_dynamics_parameter_derivatives(m, d, x.q, x.v, x.a, p, out, push));
    EXPECT_NO_ALLOCATION(forward_dynamics_parameter_derivatives(m, d, factor, x.q, x.v, x.tau, p, out, push));
    EXPECT_NO_ALLOCATION(
        EXPECT_EQ(try_inverse_dynamics_parameter_derivatives(m, d, x.q, x.v, x.a, p, out, push), Status::ok));
  }
  EXPECT_NO_ALLOCATION(inverse_dynamics_wrench_derivatives(m, d, x.q, frame, in, wide));
  EXPECT_NO_ALLOCATION(forward_dynamics_wrench_derivatives(m, d, factor, x.q, frame, in, wide));
}

}  // namespace
}  // namespace zwang::test
