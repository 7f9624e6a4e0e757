// SPDX-License-Identifier: BSD-3-Clause
// Pose and velocity of a frame seen from another moving frame, and its Jacobian.
//
// Oracles: Jacobians of the two frames moved to one point, and the pose of one frame in the other differentiated along
// the motion. Tolerances: k_tolerance * (largest of the terms summed), some 40 operations per body; central differences
// of step h = 1e-5 leave h^2 times a third derivative and eps / h: 1e-8 of poses whose rates are some units.
#include <gtest/gtest.h>

#include "algorithm/cases.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Six = Eigen::Matrix<double, 6, 1>;
constexpr double k_tolerance = 2000 * k_eps;

Matrix relative(const Model& m, Data& data, const Eigen::VectorXd& q, FrameId frame, FrameId from, Reference in) {
  forward_kinematics(m, data, q);
  Matrix J = Matrix::Constant(6, m.nv(), 7);
  relative_jacobian(m, data, frame, from, in, J);
  return J;
}

void expect_pair(const Case& c, Data& data, const RandomState& x, const std::string& name, const std::string& from) {
  SCOPED_TRACE(name + " seen from " + from);
  const Model& m = c.model;
  const FrameId f = m.find_frame(name), s = m.find_frame(from);
  forward_kinematics(m, data, x.q);
  const Transform<double> pose = frame_pose(m, data, f);
  Matrix of_frame(6, m.nv()), of_other(6, m.nv());
  jacobian(m, data, f, Reference::local_world_aligned, of_frame);
  jacobian_at(m, data, s, pose.p, of_other);
  const Matrix expected = of_frame - of_other;
  const double scale = 1 + largest(of_frame) + largest(of_other);
  const Matrix aligned = relative(m, data, x.q, f, s, Reference::local_world_aligned);
  EXPECT_TRUE(within(aligned, expected, k_tolerance, scale));

  Matrix turned = expected;
  for (int part = 0; part < 6; part += 3)
    turned.middleRows(part, 3) = eigen(pose).leftCols(3).transpose() * expected.middleRows(part, 3);
  EXPECT_TRUE(within(relative(m, data, x.q, f, s, Reference::local), turned, k_tolerance, scale));

  Matrix world_f(6, m.nv()), world_s(6, m.nv());
  forward_kinematics(m, data, x.q);
  jacobian(m, data, f, Reference::world, world_f);
  jacobian(m, data, s, Reference::world, world_s);
  EXPECT_TRUE(within(relative(m, data, x.q, f, s, Reference::world), world_f - world_s, k_tolerance,
                     1 + largest(world_f) + largest(world_s)));

  for (const Reference in : k_references) {
    const Matrix J = relative(m, data, x.q, f, s, in);
    forward_kinematics(m, data, x.q, x.v);
    EXPECT_TRUE(
        within(six(relative_velocity(m, data, f, s, in)), J * x.v, k_tolerance, 1 + largest(J) * largest(x.v) * 10));
  }
}

/// d/dt of the pose in the other frame: R_s^T V.linear is the rate of its origin, R_s^T V.angular turns its axes.
void expect_rate(const Case& c, Data& data, const RandomState& x, const std::string& name, const std::string& from) {
  SCOPED_TRACE(name + " seen from " + from);
  const Model& m = c.model;
  const FrameId f = m.find_frame(name), s = m.find_frame(from);
  constexpr double h = 1e-5;
  const auto seen = [&](double t) {
    forward_kinematics(m, data, integrate(m, x.q, Eigen::VectorXd(t * x.v)));
    return eigen(inverse_times(frame_pose(m, data, s), frame_pose(m, data, f)));
  };
  const Eigen::Matrix<double, 3, 4> rate = (seen(h) - seen(-h)) / (2 * h), now = seen(0);
  forward_kinematics(m, data, x.q, x.v);
  const Six V = six(relative_velocity(m, data, f, s));
  const Eigen::Matrix3d R = eigen(frame_pose(m, data, s)).leftCols(3);
  const Eigen::Vector3d linear = R.transpose() * V.head(3), angular = R.transpose() * V.tail(3);
  const double scale = 1 + largest(V) * (1 + largest(V) * (1 + largest(V)));  // third derivatives
  EXPECT_TRUE(within(rate.col(3), linear, 1e-8, scale));
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(within(rate.col(k), angular.cross(now.col(k)), 1e-8, scale));
}

TEST(RelativeMotion, IsTheDifferenceOfTwoMotionsAtOnePoint) {
  for (int seed = 0; seed < effort(200); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed));
    SCOPED_TRACE(c.name);
    Data data(c.model);
    Random random(static_cast<std::uint64_t>(seed));
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    for (int k = 0; k < 3; ++k) expect_pair(c, data, x, random_frame(c, random), random_frame(c, random));
    expect_pair(c, data, x, c.model.links().back().name, c.model.links().front().name);
    if (testing::Test::HasFailure()) break;
  }
}

TEST(RelativeMotion, IsTheRateOfTheRelativePose) {
  for (int seed = 0; seed < effort(100); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(1000 + seed), 10);
    SCOPED_TRACE(c.name);
    Data data(c.model);
    Random random(static_cast<std::uint64_t>(seed));
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    for (int k = 0; k < 2; ++k) expect_rate(c, data, x, random_frame(c, random), random_frame(c, random));
    if (testing::Test::HasFailure()) break;
  }
}

TEST(RelativeMotion, OfOneBodyIsExactlyZero) {
  const Case c = random_case(8, 12);
  const Model& m = c.model;
  Data data(m);
  const RandomState x = random_state(m, 3);
  const FrameId link = m.links().back().frame;
  const Model more = m.with_frame("beside", m.links().back().name, Random(4).pose());
  Data own(more);
  forward_kinematics(more, own, x.q, x.v);
  EXPECT_EQ(largest(six(relative_velocity(more, own, more.find_frame("beside"), link))), 0);
  EXPECT_EQ(largest(relative(more, own, x.q, more.find_frame("beside"), link, Reference::local)), 0);
}

TEST(RelativeMotion, DoesNotSeeJointsThatMoveBothFrames) {
  const Model m = build(sample("chain"));
  Data data(m);
  const RandomState x = random_state(m, 5);
  const Matrix J = relative(m, data, x.q, m.links()[9].frame, m.links()[4].frame, Reference::local_world_aligned);
  const Joint& last_shared = m.joints()[static_cast<std::size_t>(m.links()[4].joint.value)];
  const Joint& last = m.joints()[static_cast<std::size_t>(m.links()[9].joint.value)];
  EXPECT_EQ(largest(J.leftCols(last_shared.v.end())), 0);
  EXPECT_EQ(largest(J.rightCols(m.nv() - last.v.end())), 0);
  for (Index k = last_shared.v.end(); k < last.v.end(); ++k) EXPECT_GT(J.col(k).norm(), 0.1) << k;
}

TEST(RelativeMotion, PoseIsTheOneInTheOtherFrame) {
  for (int seed = 0; seed < effort(60); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(2000 + seed));
    SCOPED_TRACE(c.name);
    Data data(c.model);
    Random random(static_cast<std::uint64_t>(seed));
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    forward_kinematics(c.model, data, x.q);
    const FrameId f = c.model.find_frame(random_frame(c, random)), s = c.model.find_frame(random_frame(c, random));
    const Transform<double> X = frame_pose(c.model, data, f), Y = frame_pose(c.model, data, s);
    const auto expected = eigen(inverse_times(Y, X));
    EXPECT_TRUE(within(eigen(relative_pose(c.model, data, f, s)), expected, k_tolerance, 1 + norm(X.p) + norm(Y.p)));
    if (testing::Test::HasFailure()) break;
  }
}

/// Both frames a metre from each other, a million metres from the origin: nothing of that is seen.
TEST(RelativeMotion, PoseLosesNothingFarAway) {
  BuildOptions options;
  options.root = "floating";
  const Model m = build(sample("quadruped"), options);
  Data data(m);
  RandomState x = random_state(m, 4);
  const FrameId f = m.find_frame("LF_foot"), s = m.find_frame("RH_foot");
  forward_kinematics(m, data, x.q);
  const Transform<double> near = relative_pose(m, data, f, s);
  x.q.head(3) *= 1e6;
  forward_kinematics(m, data, x.q);
  EXPECT_TRUE(within(eigen(relative_pose(m, data, f, s)), eigen(near), 0, 1));
}

TEST(RelativeMotion, RefusesUnknownFramesSizesAndMissingStages) {
  const Case c = random_case(13, 10);
  const Model& m = c.model;
  Data data(m);
  const RandomState x = random_state(m, 2);
  const FrameId tip = m.find_frame("tip"), base = m.links().front().frame;
  Matrix J(6, m.nv()), wrong(5, m.nv());
  EXPECT_THROW(relative_jacobian(m, data, tip, base, Reference::local, J), std::logic_error);
  EXPECT_THROW(relative_pose(m, data, tip, base), std::logic_error);
  forward_kinematics(m, data, x.q);
  EXPECT_THROW(relative_velocity(m, data, tip, base), std::logic_error);
  EXPECT_THROW(relative_pose(m, data, tip, FrameId(100000)), std::invalid_argument);
  EXPECT_THROW(relative_jacobian(m, data, tip, base, Reference::local, wrong), std::invalid_argument);
  EXPECT_THROW(relative_jacobian(m, data, tip, FrameId(100000), Reference::local, J), std::invalid_argument);
  EXPECT_THROW(relative_jacobian(m, data, FrameId(), base, Reference::local, J), std::invalid_argument);
  Data other(build(sample("arm7")));
  EXPECT_THROW(relative_velocity(m, other, tip, base), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
