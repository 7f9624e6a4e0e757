// SPDX-License-Identifier: BSD-3-Clause
// What frames support. The oracle is the same robot with no link merged into another: there every cut is at a joint,
// whose wrench is that of inverse dynamics, and every supported inertia is composite.
// Tolerance: a sweep is some 40 operations per body on a path of up to 30 bodies,
// so 2000 eps of the terms that are summed.
#include "zwang/algorithm/supported.hpp"

#include <gtest/gtest.h>

#include "algorithm/held.hpp"
#include "support/robots.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::test {
namespace {

Model with_every_joint(const Held& h) {
  BuildOptions options = h.m.options();
  options.lump = false;
  return build(h.m.description(), options);
}
Eigen::Matrix<double, 6, 6> matrix(const Inertia<double>& I) {
  Eigen::Matrix<double, 6, 6> out;
  for (int k = 0; k < 6; ++k) {
    Motion<double> e = Motion<double>::zero();
    e[k] = 1;
    out.col(k) = six(I * e);
  }
  return out;
}

TEST(Supported, ForceIsWhatTheJointTransmits) {
  int merged = 0;
  for_cases(60, [&](Held& h) {
    const Model all = with_every_joint(h);
    ASSERT_EQ(all.coordinate_names(), h.m.coordinate_names());
    Random random(7);
    const Wrenches given = random_wrenches(h.c, random);
    Externals of_all = given.external;
    for (ExternalWrench& e : of_all) e.frame = all.find_frame(h.m.frame(e.frame).name);
    Data data(all);
    inverse_dynamics(all, data, h.x.q, h.x.v, h.x.a, of_all);
    double scale = 1;
    for (const Link& link : all.links())
      if (link.joint.value >= 0 && !all.joints()[static_cast<std::size_t>(link.joint.value)].lumped)
        scale += six(joint_wrench(all, data, all.find_link(link.name))).norm();
    for (const ExternalWrench& e : of_all) scale += Eigen::Map<const Eigen::Matrix<double, 6, 1>>(e.wrench).norm() * 10;
    for (const Link& link : all.links()) {
      if (link.joint.value < 0 || all.joints()[static_cast<std::size_t>(link.joint.value)].lumped) continue;
      inverse_dynamics(all, data, h.x.q, h.x.v, h.x.a, of_all);
      const auto expected = six(joint_wrench(all, data, all.find_link(link.name)));
      EXPECT_TRUE(within(six(supported_force(h.m, h.data, h.x.q, h.x.v, h.x.a, link.name, given.external)), expected,
                         k_sweep, scale * 10))
          << link.name;
      const Link& own = h.m.link(link.name);
      merged += own.joint.value >= 0 && h.m.joints()[static_cast<std::size_t>(own.joint.value)].lumped ? 1 : 0;
    }
  });
  EXPECT_GT(merged, shared_robots_missing().empty() ? 100 : 49);  // cuts within a body
}

TEST(Supported, InertiaIsThatOfAllBehindTheCut) {
  for_cases(60, [](Held& h) {
    const Model all = with_every_joint(h);
    Data data(all);
    for (const Link& link : all.links()) {
      if (link.body.value == 0) continue;
      const auto expected = matrix(composite_inertia(all, data, h.x.q, link.frame));
      EXPECT_TRUE(
          within(matrix(supported_inertia(h.m, h.data, h.x.q, link.name)), expected, k_sweep, largest(expected) + 1))
          << link.name;
    }
  });
}

// Its mass is that of the description, a payload counts, and at another frame of the link it is the same wrench.
TEST(Supported, CountsLoadsAndFollowsTheFrame) {
  const Model arm = build(sample_arm7());
  Data data(arm);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(arm.nv());
  Eigen::VectorXd q = zero;
  q(1) = 0.7;
  const Force<double> before = supported_force(arm, data, q, zero, zero, "tool0");
  data.set_payload(arm.find_link("tool0"), 2, {0, 0, 0}, Sym3<double>::zero());
  const Force<double> after = supported_force(arm, data, q, zero, zero, "tool0");
  EXPECT_NEAR(norm(after.f) - norm(before.f), 2 * 9.81, 100 * k_eps);
  EXPECT_NEAR(supported_inertia(arm, data, q, "tool0").m, arm.link("tool0").mass + 2, 10 * k_eps);
  const Model with_frame = arm.with_frame("sensor", "tool0", {Mat3<double>::identity(), {0.1, 0, 0}});
  Data other(with_frame);
  other.set_payload(arm.find_link("tool0"), 2, {0, 0, 0}, Sym3<double>::zero());
  const Force<double> moved = supported_force(with_frame, other, q, zero, zero, "sensor");
  EXPECT_TRUE(within(eigen(moved.f), eigen(after.f), k_sweep, 100.0));
  EXPECT_TRUE(within(eigen(moved.n), eigen(after.n - cross(Vec3<double>{0.1, 0, 0}, after.f)), k_sweep, 100.0));
}

}  // namespace
}  // namespace zwang::test
