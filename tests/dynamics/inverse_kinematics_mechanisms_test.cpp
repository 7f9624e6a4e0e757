// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics of closed mechanisms with real sizes: a link goes where it was in a random closed configuration,
// and every row of the mechanism holds there.
#include <gtest/gtest.h>

#include <cstdio>

#include "dynamics/mechanisms.hpp"
#include "support/effort.hpp"
#include "support/robots.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/assembly.hpp"
#include "zwang/question/constraint_evaluator.hpp"
#include "zwang/question/inverse_kinematics.hpp"

namespace zwang::test {
namespace {

void expect_reached(const Mechanism& m, const std::string& link, const char* which, int count) {
  const Model& model = m.robot.model;
  const ConstraintSet set = m.set();
  PoseTarget target{link};
  target.rows = rows(which);
  InverseKinematics ik(model, {target}, &set);
  ConstraintEvaluator evaluator(model, set);
  Data data(model);
  int met = 0;
  std::uint64_t seed = 0;
  const auto closed = [&] {  // from some random configurations the limits of joints let it not close
    for (;;) {
      const AssembledState<> s = assemble(model, set, near_start(m, ++seed).q);
      if (s.report.status == Status::ok) return s.q;
    }
  };
  for (int k = 0; k < count; ++k) {
    const Eigen::VectorXd wanted = closed(), start = closed();
    const Transform<double> X = frame_pose(model, data, wanted, link);
    const InverseKinematicsSolution& x = ik.solve({X}, start);
    if (x.status != PoseStatus::ok) continue;
    ++met;
    const Eigen::VectorXd q = x.q;
    EXPECT_LE(norm(frame_pose(model, data, q, link).p - X.p), 2e-8) << k;
    evaluator.evaluate(q, Eigen::VectorXd::Zero(model.nv()));
    EXPECT_LE(evaluator.position_error().cwiseAbs().maxCoeff(), 1e-8) << k;
  }
  std::printf("%s, %s of %s: %d of %d\n", model.name().c_str(), which, link.c_str(), met, count);
  EXPECT_EQ(met, count);
}

TEST(InverseKinematicsOfMechanisms, MovesAStewartPlatform) {
  expect_reached(stewart_platform(), "platform", "all", effort(50, 5));
}
TEST(InverseKinematicsOfMechanisms, MovesADeltaRobot) {
  expect_reached(delta_robot(), "platform", "linear", effort(50, 5));
}
TEST(InverseKinematicsOfMechanisms, MovesAFootOfCassie) {
  ZWANG_NEEDS_SHARED_ROBOT("cassie.sdf");
  expect_reached(cassie(shared_robot("cassie.sdf")), "left-foot", "linear", effort(20, 5));
}

}  // namespace
}  // namespace zwang::test
