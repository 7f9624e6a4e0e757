// SPDX-License-Identifier: BSD-3-Clause
// Several chains searched together: random trees with mimic joints and fixed ones, two targets on one arm, what cannot
// be reached. Poses are judged by plain matrices.
#include <gtest/gtest.h>

#include <cstdio>

#include "inverse_kinematics/plain_kinematics.hpp"
#include "support/effort.hpp"
#include "support/says.hpp"
#include "zwang/core/random.hpp"
#include "zwang/inverse_kinematics.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

/// A random tree of joints of one freedom, some of which mimic others.
Model random_tree(int seed) {
  RandomRobot options;
  options.joints = 4 + seed % 17;
  options.types = {"revolute", "prismatic", "helical", "revolute_unbounded", "continuous", "fixed"};
  options.branching = 0.4;
  options.mimic = seed % 2 == 0 ? 0.25 : 0;
  BuildOptions build_options;
  build_options.lump = seed % 3 == 0;
  return build(random_robot(static_cast<std::uint64_t>(seed), options), build_options);
}

/// At most four links besides the root, different ones.
std::vector<std::string> random_tips(const Model& model, Random& random) {
  std::vector<std::string> tips;
  const auto links = static_cast<std::uint64_t>(model.description().links.size());
  for (std::uint64_t k = 0; k < 1 + random.integer(4); ++k) {
    const std::string tip = model.description().links[1 + random.integer(links - 1)].name;
    if (std::find(tips.begin(), tips.end(), tip) == tips.end()) tips.push_back(tip);
  }
  return tips;
}

const char* const k_rows[] = {"all", "linear", "angular"};

/// The entries of a pose's error that `rows` asks for.
double row_error(const Matrix4& X, const Matrix4& T, int rows) {
  Matrix4 A = X, B = T;
  if (rows == 1) A.topLeftCorner<3, 3>() = B.topLeftCorner<3, 3>();
  if (rows == 2) A.topRightCorner<3, 1>() = B.topRightCorner<3, 1>();
  return pose_error(A, B);
}

TEST(JoinedChains, FindTargetsOfRandomTreesWithMimicAndFixedJoints) {
  int joined = 0, missed = 0, general = 0, fixed_ones = 0;
  for (int seed = 1; seed <= effort(400, 40); ++seed) {
    const Model model = random_tree(seed);
    Random random(23, static_cast<std::uint64_t>(seed));
    const Vector wanted = zwang::random(model, static_cast<std::uint64_t>(2 * seed));
    Vector q0 = zwang::random(model, static_cast<std::uint64_t>(2 * seed + 1));
    InverseKinematicsSettings settings;
    if (seed % 3 == 1) {  // a joint that keeps its value, which is that of a solution
      const Joint& j = model.joints()[random.integer(model.joints().size())];
      settings.fixed = {j.name};
      q0.segment(j.q.first, j.q.size) = wanted.segment(j.q.first, j.q.size);
      ++fixed_ones;
    }
    std::vector<PoseTarget> targets;
    std::vector<int> chosen;
    for (const std::string& tip : random_tips(model, random)) {
      chosen.push_back(static_cast<int>(random.integer(3)));
      targets.push_back({tip, pose_of(plain_pose(model, wanted, tip))});
      targets.back().rows = rows(k_rows[chosen.back()]);
    }
    InverseKinematics ik(model, targets, nullptr, settings);
    const InverseKinematicsSolution& x = ik.solve(q0);
    missed += x.status != PoseStatus::ok;
    joined += x.serial && !ik.is_serial();
    general += !x.serial;
    if (x.status != PoseStatus::ok) continue;
    const Vector q = x.q;
    for (std::size_t k = 0; k < targets.size(); ++k) {
      const Matrix4 T = plain(targets[k].pose);
      EXPECT_LE(row_error(plain_pose(model, q, targets[k].frame), T, chosen[k]),
                1e-8 + 1e-12 * (1 + T.topRightCorner<3, 1>().norm()))
          << seed << ' ' << targets[k].frame;
    }
    EXPECT_TRUE(within_limits(model, q)) << seed;
    for (const std::string& name : settings.fixed) {
      const Joint& j = model.joint(name);
      EXPECT_TRUE((q.segment(j.q.first, j.q.size).array() == q0.segment(j.q.first, j.q.size).array()).all()) << seed;
    }
  }
  std::printf("%d searched together, %d by assembly, %d missed; %d with a fixed joint\n", joined, general, missed,
              fixed_ones);
  EXPECT_GT(joined, effort(400, 40) / 2);
  EXPECT_LE(missed, effort(400, 40) / 50);  // random limits leave some trees next to no room
}

TEST(JoinedChains, TwoTargetsOnOneArmAreOneSolution) {
  const Model arm = build(sample_arm7());
  InverseKinematics ik(arm, {{"tool0"}, {"link4"}});
  std::vector<Transform<double>> poses(2);
  for (int k = 0; k < 100; ++k) {
    const Vector wanted = zwang::random(arm, static_cast<std::uint64_t>(k));
    poses = {pose_of(plain_pose(arm, wanted, "tool0")), pose_of(plain_pose(arm, wanted, "link4"))};
    const InverseKinematicsSolution& x = ik.solve(poses, neutral(arm));
    EXPECT_EQ(x.status, PoseStatus::ok) << k;
    EXPECT_TRUE(x.serial) << k;
    EXPECT_LE(pose_error(plain_pose(arm, x.q, "tool0"), plain(poses[0])), 1e-8 + 1e-12) << k;
    EXPECT_LE(pose_error(plain_pose(arm, x.q, "link4"), plain(poses[1])), 1e-8 + 1e-12) << k;
  }
  // Targets that contradict: the nearest configuration comes from the general way.
  poses[1].p.z += 0.05;
  const InverseKinematicsSolution& x = ik.solve(poses, neutral(arm));
  EXPECT_NE(x.status, PoseStatus::ok);
  EXPECT_FALSE(x.serial);
  EXPECT_FALSE(x.unmet.empty());
  poses[0].R.r0 = poses[0].R.r0 * 1.01;
  EXPECT_SAYS("target 'tool0': its rotation", ik.solve(poses, neutral(arm)));
  poses[0].R.r0.x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_SAYS("target 'tool0': an entry is not finite", ik.solve(poses, neutral(arm)));
}

TEST(JoinedChains, GiveTheSameBitsInAnyOrder) {
  const Model model = random_tree(6);
  const std::vector<PoseTarget> targets = {{"link3"}, {"link10"}};
  InverseKinematics ik(model, targets);
  std::vector<Vector> before;
  for (int round = 0; round < 2; ++round)
    for (int k = 0; k < 50; ++k) {
      const int which = round == 0 ? k : 49 - k;
      const Vector wanted = zwang::random(model, static_cast<std::uint64_t>(which));
      std::vector<Transform<double>> poses;
      for (const PoseTarget& t : targets) poses.push_back(pose_of(plain_pose(model, wanted, t.frame)));
      InverseKinematics fresh(model, targets);
      const Vector q = (round == 0 ? fresh : ik).solve(poses, neutral(model)).q;
      if (round == 0)
        before.push_back(q);
      else
        EXPECT_TRUE((q.array() == before[static_cast<std::size_t>(which)].array()).all()) << which;
    }
}

}  // namespace
}  // namespace zwang::test
