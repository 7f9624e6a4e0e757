// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of the wrenches that joints transmit against the complex step of the reference (long double, its own
// algorithm), for every joint type, mimic joints, user joints, and external wrenches in all axes.
// Tolerance: some 200 operations per body on a path of up to 30 bodies: 4000 eps of the largest entry.
#include "zwang/algorithm/joint_wrench_derivatives.hpp"

#include <gtest/gtest.h>

#include "algorithm/held.hpp"
#include "zwang/algorithm/derivatives.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::test {
namespace {

TEST(JointWrenchDerivatives, AreThoseOfTheReference) {
  int compared = 0, moving = 0;
  for_cases(25, [&](Held& h) {
    if (h.nv > 14) return;  // the reference takes seconds
    Random random(4);
    const Wrenches w = random_wrenches(h.c, random);
    ComplexState::Externals external;
    for (const reference::External& e : w.reference) external.push_back({e.frame, e.wrench.cast<Complex>(), e.in});
    const auto wrenches = [&](const ComplexState& s) {
      const auto all = s.joint_wrenches(h.x.a.cast<Complex>(), external);
      reference::Matrix6X<Complex> out(6, static_cast<Eigen::Index>(h.m.joints().size()));
      out.setZero();
      for (std::size_t j = 0; j < h.m.joints().size(); ++j)
        if (const auto at = all.find(h.m.joints()[j].name); at != all.end()) out.col(Eigen::Index(j)) = at->second;
      return out;
    };
    std::vector<Eigen::MatrixXd> by_q, by_v;
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(h.nv);
    for (Index k = 0; k < h.nv; ++k) {
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(h.nv, k);
      by_q.push_back(h.along(unit, none, wrenches));
      by_v.push_back(h.along(none, unit, wrenches));
    }
    for (std::size_t j = 0; j < h.m.joints().size(); ++j) {
      const Joint& joint = h.m.joints()[j];
      const JointId id(static_cast<Index>(j));
      SCOPED_TRACE(joint.name + ", " + joint.type);
      Eigen::MatrixXd q(6, h.nv), v(6, h.nv);
      if (joint.lumped || joint.body.value == 0) {
        EXPECT_THROW(joint_wrench_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.a, id), UnsupportedError);
        continue;
      }
      for (Index k = 0; k < h.nv; ++k) {
        q.col(k) = by_q[static_cast<std::size_t>(k)].col(Eigen::Index(j));
        v.col(k) = by_v[static_cast<std::size_t>(k)].col(Eigen::Index(j));
      }
      const auto d = joint_wrench_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.a, id, w.external);
      const double scale = largest(q) + largest(v) + 10;  // gravity and wrenches come and go
      EXPECT_TRUE(within(d.q, q, k_derivatives, scale));
      EXPECT_TRUE(within(d.v, v, k_derivatives, scale));
      // linear in a
      inverse_dynamics(h.m, h.data, h.x.q, h.x.v, h.x.a, w.external);
      const auto at_a = six(joint_wrench(h.m, h.data, joint.child));
      inverse_dynamics(h.m, h.data, h.x.q, h.x.v, none, w.external);
      const auto at_rest = six(joint_wrench(h.m, h.data, joint.child));
      EXPECT_TRUE(within(Eigen::VectorXd(d.a * h.x.a), Eigen::VectorXd(at_a - at_rest), k_derivatives,
                         largest(at_a) + largest(at_rest) + 10));
      ++compared;
      moving += largest(q) > 0;
    }
  });
  EXPECT_GT(compared, effort(25));
  EXPECT_GT(moving, effort(25) / 2);
}

TEST(JointWrenchDerivatives, ProjectedOnTheJointAreThoseOfInverseDynamics) {
  const Model arm = build(sample_arm7());
  Data data(arm);
  const RandomState x = random_state(arm, 4);
  Eigen::MatrixXd by_q(7, 7), by_v(7, 7), by_a(7, 7);
  inverse_dynamics_derivatives(arm, data, x.q, x.v, x.a, by_q, by_v, by_a, {}, {false, false, false, false});
  for (const Joint& joint : arm.joints()) {
    if (joint.v.size != 1) continue;
    const auto d = joint_wrench_derivatives(arm, data, x.q, x.v, x.a, arm.find_joint(joint.name));
    const Eigen::Vector3d axis = joint.axis.eigen();
    const Index row = joint.v.first;
    EXPECT_TRUE(within(Eigen::MatrixXd(axis.transpose() * d.q.bottomRows(3)), Eigen::MatrixXd(by_q.row(row)),
                       k_derivatives, largest(by_q) + 10));
    EXPECT_TRUE(within(Eigen::MatrixXd(axis.transpose() * d.v.bottomRows(3)), Eigen::MatrixXd(by_v.row(row)),
                       k_derivatives, largest(by_v) + 10));
    EXPECT_TRUE(within(Eigen::MatrixXd(axis.transpose() * d.a.bottomRows(3)), Eigen::MatrixXd(by_a.row(row)),
                       k_derivatives, largest(by_a) + 10));
  }
}

TEST(JointWrenchDerivatives, RefuseWhatTheirFunctionRefuses) {
  const Model arm = build(sample_arm7());
  Data data(arm);
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(7), shorter = Eigen::VectorXd::Zero(6);
  Eigen::MatrixXd A(6, 7), B(6, 7), small(3, 7);
  const JointId id = arm.find_joint(arm.joints()[2].name);
  EXPECT_THROW(joint_wrench_derivatives(arm, data, x, shorter, x, id), std::invalid_argument);
  EXPECT_THROW(joint_wrench_derivatives(arm, data, x, x, shorter, id), std::invalid_argument);
  EXPECT_THROW(joint_wrench_derivatives(arm, data, x, x, x, JointId()), std::invalid_argument);
  EXPECT_THROW(joint_wrench_derivatives(arm, data, x, x, x, JointId(1000)), std::invalid_argument);
  EXPECT_THROW(joint_wrench_derivatives(arm, data, x, x, x, id, A, B, small), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
