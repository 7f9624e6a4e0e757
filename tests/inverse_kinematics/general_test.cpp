// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics of trees and mechanisms: several targets, loops, mimic joints, tasks of any constraint, weights
// and postures; on threads. Poses are judged by plain matrices.
#include <gtest/gtest.h>

#include <cstdio>

#include "inverse_kinematics/plain_kinematics.hpp"
#include "support/effort.hpp"
#include "support/robots.hpp"
#include "support/says.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/core/random.hpp"
#include "zwang/inverse_kinematics.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/assembly.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

Model load_fixed(const std::string& file, const char* root = "fixed") {
  LoadOptions options;
  options.root = root;
  options.resolve_meshes = false;
  options.loops = ClosedLoops::constraints;
  return load(file, options);
}

/// A random configuration near `q0`, within the limits.
Vector near(const Model& m, const Vector& q0, std::uint64_t seed, double size) {
  Random random(seed);
  Vector d(m.nv());
  for (Index k = 0; k < m.nv(); ++k) d(k) = random.uniform(-size, size);
  Vector q = integrate(m, q0, d);
  for (Index k = 0; k < m.nq(); ++k) {
    const double low = m.lower()[static_cast<std::size_t>(k)], high = m.upper()[static_cast<std::size_t>(k)];
    if (q(k) < low) q(k) = low;
    if (q(k) > high) q(k) = high;
  }
  return q;
}

TEST(InverseKinematics, MovesSeveralTipsOfOneRobot) {
  struct Case {
    std::string file;
    std::vector<std::string> tips;
  };
  std::vector<Case> cases = {{model_file("humanoid.urdf"), {"left_hand", "right_hand", "left_foot"}}};
  for (const Case& c : {Case{"pr2.urdf", {"r_gripper_tool_frame", "l_gripper_tool_frame"}},
                        Case{"talos_reduced.urdf", {"gripper_left_base_link", "gripper_right_base_link"}},
                        Case{"hyq.urdf", {"lf_foot", "rf_foot", "lh_foot", "rh_foot"}},
                        Case{"allegro_right_hand.urdf", {"link_3.0_tip", "link_7.0_tip", "link_15.0_tip"}}})
    if (exists(shared_robot(c.file))) cases.push_back({shared_robot(c.file), c.tips});
  for (const Case& c : cases) {
    const Model model = load_fixed(c.file);
    int met = 0, all = 0;
    for (int k = 0; k < effort(100, 5); ++k) {
      const Vector wanted = zwang::random(model, static_cast<std::uint64_t>(k));
      std::vector<PoseTarget> targets;
      for (const std::string& tip : c.tips) targets.push_back({tip, pose_of(plain_pose(model, wanted, tip))});
      InverseKinematics ik(model, targets);
      EXPECT_FALSE(ik.is_serial());
      const Vector start = zwang::random(model, static_cast<std::uint64_t>(k + 1000));
      const InverseKinematicsSolution& x = ik.solve(start);
      ++all;
      met += x.status == PoseStatus::ok;
      if (x.status != PoseStatus::ok) continue;
      EXPECT_TRUE(x.serial) << c.file << k;
      for (const PoseTarget& t : targets)
        EXPECT_LE(pose_error(plain_pose(model, x.q, t.frame), plain(t.pose)), 1e-8 + 1e-12) << c.file << k;
      EXPECT_TRUE(within_limits(model, x.q)) << c.file << k;
    }
    std::printf("%s, %zu tips: %d of %d\n", model.name().c_str(), c.tips.size(), met, all);
    EXPECT_GE(met, all - all / 20);
  }
}

TEST(InverseKinematics, KeepsClosedLoops) {
  for (const std::string& file : closed_models()) {
    const Model model = load_fixed(model_file(file), "automatic");
    ConstraintSet set(model);
    set.add_loops();
    int met = 0, all = 0;
    for (int k = 0; k < effort(50, 5); ++k) {
      const AssembledState<> closed =
          assemble(model, set, near(model, neutral(model), static_cast<std::uint64_t>(k), 0.4));
      if (closed.report.status != Status::ok) continue;
      Data data(model);
      const std::string tip = model.links().back().name;
      PoseTarget target{tip, frame_pose(model, data, closed.q, tip)};
      target.rows = rows("linear");
      const auto r = inverse_kinematics(model, {target}, neutral(model), &set);
      ++all;
      met += r.solution.status == PoseStatus::ok;
      if (r.solution.status != PoseStatus::ok) continue;
      ConstraintEvaluator evaluator(model, set);
      evaluator.evaluate(r.q, Vector::Zero(model.nv()));
      EXPECT_LE(evaluator.position_error().cwiseAbs().maxCoeff(), 1e-9) << file;
      const Vec3<double> off = frame_pose(model, data, r.q, tip).p - target.pose.p;
      EXPECT_LE(norm(off), 1e-8) << file;
    }
    std::printf("%s: %d of %d\n", file.c_str(), met, all);
    EXPECT_EQ(met, all) << file;
    EXPECT_GT(all, 0) << file;
  }
}

TEST(InverseKinematics, MimicJointsTasksPosturesAndFixedJoints) {
  const Model gripper = build(sample_gripper());
  const Vector open = Vector{{0.7, 0.03}};
  PoseTarget finger{"left_finger", pose_of(plain_pose(gripper, open, "left_finger"))};
  PoseTarget other{"right_finger", pose_of(plain_pose(gripper, open, "right_finger"))};
  const auto both = inverse_kinematics(gripper, {finger, other}, neutral(gripper));
  EXPECT_EQ(both.solution.status, PoseStatus::ok);
  EXPECT_TRUE(both.solution.serial);
  EXPECT_LE((both.q - open).norm(), 1e-7);

  // A standing quadruped: feet where they are, its centre of mass moved by a constraint of its own.
  const Model dog = build(sample_quadruped(), {.root = "floating"});
  const Vector stand = near(dog, neutral(dog), 3, 0.1);
  Data data(dog);
  std::vector<PoseTarget> feet;
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot", "RH_foot"}) {
    feet.push_back({foot, frame_pose(dog, data, stand, foot)});
    feet.back().rows = rows("linear");
  }
  const Vec3<double> centre = subtree_centre_of_mass(dog, data, stand, "trunk");
  ConstraintSet tasks(dog);
  Constraint& task = tasks.add(CentreOfMassConstraint{.name = "balance"});
  task.target = {centre.x + 0.02, centre.y - 0.01, centre.z - 0.015};
  const auto moved = inverse_kinematics(dog, feet, stand, &tasks);
  ASSERT_EQ(moved.solution.status, PoseStatus::ok) << moved.solution.explain();
  const Vec3<double> there = subtree_centre_of_mass(dog, data, moved.q, "trunk");
  EXPECT_LE(norm(there - Vec3<double>{task.target[0], task.target[1], task.target[2]}), 1e-8);
  for (const PoseTarget& t : feet) EXPECT_LE(norm(frame_pose(dog, data, moved.q, t.frame).p - t.pose.p), 1e-8);

  // Seven joints, six rows: the posture decides about the seventh direction; a fixed joint is kept to the bit.
  const Model arm = build(sample_arm7());
  const Vector q0 = near(arm, neutral(arm), 5, 0.6), rest = near(arm, q0, 6, 0.3);
  const PoseTarget tool{"tool0", pose_of(plain_pose(arm, near(arm, q0, 7, 0.2), "tool0"))};
  InverseKinematicsSettings settings;
  settings.posture.assign(rest.data(), rest.data() + rest.size());
  const auto a = inverse_kinematics(arm, {tool}, q0), b = inverse_kinematics(arm, {tool}, q0, nullptr, settings);
  ASSERT_EQ(a.solution.status, PoseStatus::ok);
  ASSERT_EQ(b.solution.status, PoseStatus::ok);
  EXPECT_TRUE(a.solution.serial);
  EXPECT_FALSE(b.solution.serial);
  EXPECT_LT((b.q - rest).norm(), (a.q - rest).norm());
  InverseKinematicsSettings held;
  held.fixed = {"joint3"};
  const auto c = inverse_kinematics(arm, {tool}, q0, nullptr, held);
  if (c.solution.status == PoseStatus::ok) { EXPECT_EQ(c.q(2), q0(2)); }
  EXPECT_LE(pose_error(plain_pose(arm, b.q, "tool0"), plain(tool.pose)), 1e-8 + 1e-12);
}

TEST(InverseKinematics, SaysWhatItCannotReach) {
  const Model arm = build(sample_arm7());
  Transform<double> far = Transform<double>::identity();
  far.p = {4, 0, 0};
  const auto one = inverse_kinematics(arm, {{"tool0", far}}, neutral(arm));
  EXPECT_EQ(one.solution.status, PoseStatus::nearest_found);
  EXPECT_TRUE(one.solution.out_of_reach);
  Data data(arm);
  const Transform<double> nearest = frame_pose(arm, data, one.q, "tool0");
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(one.solution.errors[i], far.p[static_cast<int>(i)] - nearest.p[static_cast<int>(i)], 1e-14);
  EXPECT_NEAR(one.solution.error, pose_error(plain(nearest), plain(far)), 1e-12);
  EXPECT_NE(one.solution.explain().find("farther away than the chain is long"), std::string::npos);
  InverseKinematicsSettings settings;
  settings.attempts = 2;
  settings.max_iterations = 200;
  const auto two = inverse_kinematics(arm, {{"tool0", far}, {"link3", far}}, neutral(arm), nullptr, settings);
  EXPECT_NE(two.solution.status, PoseStatus::ok);
  EXPECT_FALSE(two.solution.unmet.empty());
  EXPECT_SAYS("no target", InverseKinematics(arm, {}));
  EXPECT_SAYS("tool0", InverseKinematics(arm, {{"tool", far}}));
  EXPECT_SAYS("poses", InverseKinematics(arm, {{"tool0", far}}).solve({}, neutral(arm)));
  EXPECT_SAYS("another model",
              InverseKinematics(arm, {{"tool0", far}}, std::make_unique<ConstraintSet>(build(sample_gripper())).get()));
  EXPECT_SAYS("weights", InverseKinematics(arm, {{"tool0", far}}, nullptr, {.weights = {1, 2}}));
}

TEST(BatchInverseKinematics, GivesTheSameBitsForAnyNumberOfThreads) {
  const Model arm = build(sample_arm7());
  const Index n = 200;
  std::vector<Transform<double>> poses;
  for (Index k = 0; k < n; ++k)
    poses.push_back(pose_of(plain_pose(arm, zwang::random(arm, static_cast<std::uint64_t>(k)), "tool0")));
  poses[7].p.x = std::numeric_limits<double>::quiet_NaN();
  poses[8].R.r0 = -poses[8].R.r0;
  Eigen::MatrixXd before, q(arm.nq(), n);
  for (const int threads : {1, 2, 5}) {
    BatchInverseKinematics batch(arm, {{"tool0"}}, nullptr, {}, {.threads = threads});
    const auto& outcomes = batch.solve(poses, neutral(arm), q);
    EXPECT_EQ(outcomes[7].status, PoseStatus::non_finite_input);
    EXPECT_EQ(outcomes[8].status, PoseStatus::invalid_input);
    EXPECT_TRUE(q.col(7).array().isNaN().all());
    for (Index k = 0; k < n; ++k) {
      if (k == 7 || k == 8) continue;
      EXPECT_EQ(outcomes[static_cast<std::size_t>(k)].status, PoseStatus::ok) << k;
      EXPECT_LE(pose_error(plain_pose(arm, q.col(k), "tool0"), plain(poses[static_cast<std::size_t>(k)])),
                1e-8 + 1e-12);
    }
    q.col(7).setZero();
    q.col(8).setZero();
    if (before.size() == 0) before = q;
    EXPECT_TRUE((q.array() == before.array()).all()) << threads;
  }
}

}  // namespace
}  // namespace zwang::test
