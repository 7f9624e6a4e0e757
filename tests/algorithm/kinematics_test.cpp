// SPDX-License-Identifier: BSD-3-Clause
// Poses, velocities, accelerations and Jacobians of frames against the reference and against each other.
//
// The reference is in long double. Differences are the library's rounding: k_sweep * eps * (largest of the terms
// summed), some 40 operations per body on paths of up to 30 bodies.
#include "zwang/algorithm/kinematics.hpp"

#include <gtest/gtest.h>

#include "algorithm/cases.hpp"
#include "zwang/algorithm/values.hpp"

namespace zwang::test {
namespace {

using reference::Kind;
using reference::Real;
using reference::State;
using VectorR = reference::VectorX<Real>;
using Matrix = Eigen::MatrixXd;
constexpr double k_tolerance = 2000 * k_eps;

/// All that is said of one frame, in every reference.
void expect_frame(const Case& c, Data& data, const RandomState& x, const State& s, const std::string& name) {
  SCOPED_TRACE(name);
  const Model& m = c.model;
  const FrameId id = m.find_frame(name);
  const VectorR a = x.a.cast<Real>();
  Matrix J(6, m.nv()), Jdot(6, m.nv());
  for (const Reference in : k_references) {
    SCOPED_TRACE(static_cast<int>(in));
    const reference::Axes axes = axes_of(in);
    forward_kinematics(m, data, x.q, x.v, x.a);
    EXPECT_TRUE(within(eigen(frame_pose(m, data, id)), eigen(s.pose(name)), k_tolerance, 5));
    const VectorR velocity = s.velocity(name, axes);
    EXPECT_TRUE(within(six(frame_velocity(m, data, id, in)), velocity, k_tolerance, 1 + largest(velocity)));
    J.setConstant(7);
    jacobian(m, data, id, in, J);
    EXPECT_TRUE(within(J, s.jacobian(name, axes), k_tolerance, 1 + largest(J)));
    EXPECT_TRUE(within(J * x.v, velocity, k_tolerance, largest(J) * largest(x.v) + largest(velocity)));
    Eigen::Matrix<double, 6, 1> spatial, classical;
    for (const AccelerationKind kind : {AccelerationKind::spatial, AccelerationKind::classical}) {
      const bool is_spatial = kind == AccelerationKind::spatial;
      const VectorR expected = s.acceleration(name, a, axes, is_spatial ? Kind::spatial : Kind::classical);
      const double scale = 10 + largest(expected) + largest(velocity) * largest(velocity);
      (is_spatial ? spatial : classical) = six(frame_acceleration(m, data, id, kind, in));
      EXPECT_TRUE(within(six(frame_acceleration(m, data, id, kind, in)), expected, k_tolerance, scale));
      VectorR felt = expected;  // an accelerometer at rest feels -g
      const reference::Matrix3<Real> R = s.pose(name).R;
      const VectorR g = c.reference.gravity();
      felt.head(3) -= in == Reference::local ? VectorR(R.transpose() * g) : g;
      EXPECT_TRUE(within(six(frame_acceleration(m, data, id, kind, in, true)), felt, k_tolerance, scale));
    }
    Jdot.setConstant(7);
    jacobian_dot(m, data, x.q, x.v, id, in, Jdot);
    const double scale = 1 + largest(velocity) * largest(J) * (1 + largest(x.v)) + largest(Jdot);
    EXPECT_TRUE(within(Jdot, s.jacobian_dot(name, axes), k_tolerance, scale));
    // J a + J' v is the rate of J v: spatial seen from a place that does not move along, else classical.
    const Eigen::VectorXd rate = J * x.a + Jdot * x.v;
    const Eigen::VectorXd expected = in == Reference::local_world_aligned ? classical : spatial;
    EXPECT_TRUE(within(rate, expected, k_tolerance, 10 * scale + largest(J) * largest(x.a)));
  }
}

void expect_point(const Case& c, Data& data, const RandomState& x, const State& s, const std::string& name, Random& r) {
  const Model& m = c.model;
  const Eigen::Vector3d p = r.vector(3, 2);
  Matrix J = Matrix::Constant(6, m.nv(), 7);
  forward_kinematics(m, data, x.q);
  jacobian_at(m, data, m.find_frame(name), {p(0), p(1), p(2)}, J);
  reference::Matrix6X<Real> expected = s.jacobian(name, reference::Axes::local_world_aligned);
  const reference::Vector3<Real> arm = p.cast<Real>() - s.pose(name).p;
  for (Eigen::Index k = 0; k < expected.cols(); ++k)
    expected.col(k).head(3) += reference::Vector3<Real>(expected.col(k).tail(3)).cross(arm);
  EXPECT_TRUE(within(J, expected, k_tolerance, 3 + largest(J))) << name;
}

void expect_case(const Case& c, std::uint64_t seed, int frames) {
  SCOPED_TRACE(c.name);
  Data data(c.model);
  Random random(seed);
  const RandomState x = random_state(c.model, seed);
  const State s = c.reference.at(x.q, x.v);
  for (int k = 0; k < frames; ++k) {
    const std::string name = random_frame(c, random);
    expect_frame(c, data, x, s, name);
    expect_point(c, data, x, s, name, random);
  }
  expect_frame(c, data, x, s, c.model.links().back().name);
}

TEST(Kinematics, MatchesTheReferenceOnRandomTrees) {
  for (int seed = 0; seed < effort(500); ++seed) {
    expect_case(random_case(static_cast<std::uint64_t>(seed)), static_cast<std::uint64_t>(seed), 2);
    if (testing::Test::HasFailure()) break;
  }
}

TEST(Kinematics, MatchesTheReferenceOnEveryRobotFile) {
  for (const RobotFile& file : robot_files()) expect_case(load_case(file), 9, 4);
}

TEST(Kinematics, MatchesTheReferenceInAddedFramesAndFramesOnTheGround) {
  const Case c = random_case(8, 12);  // a fixed root: link0 is the ground
  ASSERT_EQ(c.model.link("link0").body.value, 0);
  Data data(c.model);
  const RandomState x = random_state(c.model, 2);
  const State s = c.reference.at(x.q, x.v);
  for (const char* name : {"link0", "tool", "tip"}) expect_frame(c, data, x, s, name);

  Random random(4);
  const Transform<double> pose = random.pose();
  const Model more = c.model.with_frame("gripper", "tip", pose);
  reference::Reference reference = c.reference;
  reference.add_frame("gripper", "tip", pose);
  Data own(more);
  forward_kinematics(more, own, x.q, x.v);
  EXPECT_TRUE(within(eigen(frame_pose(more, own, more.find_frame("gripper"))),
                     eigen(reference.at(x.q, x.v).pose("gripper")), k_tolerance, 5));
}

TEST(Kinematics, TakesNamesWhereAUserWritesOneLine) {
  const Case c = random_case(13, 10);
  Data data(c.model);
  const RandomState x = random_state(c.model, 2);
  const State s = c.reference.at(x.q);
  EXPECT_TRUE(within(eigen(frame_pose(c.model, data, x.q, "tip")), eigen(s.pose("tip")), k_tolerance, 5));
  const Matrix J = jacobian(c.model, data, x.q, "tip", Reference::local);
  EXPECT_TRUE(within(J, s.jacobian("tip", reference::Axes::local), k_tolerance, 1 + largest(J)));
  EXPECT_THROW(frame_pose(c.model, data, x.q, "tipp"), std::invalid_argument);
  EXPECT_THROW(jacobian(c.model, data, x.q, "tipp"), std::invalid_argument);
}

TEST(Kinematics, GivesTheSameJacobianWhicheverStageWasThereBefore) {
  const Case c = random_case(18, 12);
  const Model& m = c.model;
  const RandomState x = random_state(m, 2), y = random_state(m, 3);
  const FrameId tip = m.find_frame("tip");
  Data data(m);
  Matrix with_positions(6, m.nv()), with_velocities(6, m.nv()), after_others(6, m.nv());
  forward_kinematics(m, data, x.q);
  jacobian(m, data, tip, Reference::world, with_positions);
  forward_kinematics(m, data, x.q, x.v);
  jacobian(m, data, tip, Reference::world, with_velocities);
  EXPECT_EQ(with_positions, with_velocities);
  mass_matrix(m, data, y.q);
  forward_dynamics(m, data, y.q, y.v, y.tau);
  forward_kinematics(m, data, x.q);
  jacobian(m, data, tip, Reference::world, after_others);
  EXPECT_EQ(with_positions, after_others);
}

TEST(Kinematics, FindsTheSameJacobianAlongTheFramesOwnPath) {
  for (int seed = 0; seed < effort(40); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed));
    const Model& m = c.model;
    const RandomState x = random_state(m, static_cast<std::uint64_t>(seed));
    Data data(m), path_data(m);
    forward_kinematics(m, data, x.q);
    Matrix all(6, m.nv()), path(6, m.nv());
    for (const Frame& frame : m.frames()) {
      const FrameId id = m.find_frame(frame.name);
      for (const Reference in : k_references) {
        jacobian(m, data, id, in, all);
        path.setConstant(std::nan(""));
        jacobian(m, path_data, x.q, id, in, path);
        // Two orders of the same products along a path.
        EXPECT_TRUE(within(path, all, k_tolerance, 1 + largest(all))) << frame.name << " of seed " << seed;
      }
    }
    if (m.nv() == 0) continue;
    EXPECT_THROW(frame_pose(m, path_data, FrameId{0}), std::logic_error) << "other bodies were left out";
    EXPECT_THROW(jacobian(m, path_data, Eigen::VectorXd(m.nq() + 1), FrameId{0}, Reference::local, path),
                 std::invalid_argument);
  }
}

TEST(Kinematics, FindsTheAccelerationsThatForwardDynamicsLeaves) {
  const Case c = random_case(17, 14);
  const Model& m = c.model;
  const RandomState x = random_state(m, 2);
  const FrameId tip = m.find_frame("tip");
  Data data(m), other(m);
  const Eigen::VectorXd a = forward_dynamics(m, data, x.q, x.v, x.tau);
  forward_kinematics(m, other, x.q, x.v, a);
  for (const Reference in : k_references) {
    const auto expected = six(frame_acceleration(m, other, tip, AccelerationKind::classical, in));
    EXPECT_TRUE(within(six(frame_acceleration(m, data, tip, AccelerationKind::classical, in)), expected, k_tolerance,
                       10 + largest(expected) + largest(a)));
    EXPECT_TRUE(within(six(frame_velocity(m, data, tip, in)), six(frame_velocity(m, other, tip, in)), k_tolerance, 5));
  }
}

TEST(Kinematics, RefusesToReadAStageThatIsNotThere) {
  const Case c = random_case(13, 10);
  const Model& m = c.model;
  const RandomState x = random_state(m, 2);
  const FrameId tip = m.find_frame("tip");
  Data data(m);
  Matrix J(6, m.nv());
  EXPECT_THROW(frame_pose(m, data, tip), std::logic_error);
  EXPECT_THROW(jacobian(m, data, tip, Reference::local, J), std::logic_error);
  EXPECT_THROW(centre_of_mass_velocity(m, data), std::logic_error);
  forward_kinematics(m, data, x.q);
  EXPECT_NO_THROW(frame_pose(m, data, tip));
  EXPECT_THROW(frame_velocity(m, data, tip), std::logic_error);
  forward_kinematics(m, data, x.q, x.v);
  EXPECT_NO_THROW(frame_velocity(m, data, tip));
  EXPECT_THROW(frame_acceleration(m, data, tip, AccelerationKind::spatial), std::logic_error);
  EXPECT_THROW(centre_of_mass_acceleration(m, data), std::logic_error);
  EXPECT_THROW(joint_wrench(m, data, LinkId(1)), std::logic_error);
}

}  // namespace
}  // namespace zwang::test
