// SPDX-License-Identifier: BSD-3-Clause
// Every shared robot on its feet and with its hands held: every method gives the
// motion and the forces of the dense reference.
#include <gtest/gtest.h>

#include <map>

#include "dynamics/mechanisms.hpp"
#include "support/effort.hpp"
#include "support/robots.hpp"
#include "zwang/io/urdf.hpp"

namespace zwang::test {
namespace {

/// Feet and hands; a new robot in the folder needs a line here.
const std::map<std::string, std::vector<std::string>> k_ends = {
    {"allegro_right_hand.urdf", {"link_3.0_tip", "link_7.0_tip", "link_11.0_tip", "link_15.0_tip"}},
    {"double_pendulum.urdf", {"link2"}},
    {"double_pendulum_continuous.urdf", {"link2"}},
    {"go1.urdf", {"FR_foot", "FL_foot", "RR_foot", "RL_foot"}},
    {"hyq.urdf", {"lf_foot", "rf_foot", "lh_foot", "rh_foot"}},
    {"kinova.urdf", {"j2s6s200_end_effector", "j2s6s200_link_finger_tip_1"}},
    {"panda.urdf", {"panda_hand_tcp"}},
    {"pr2.urdf", {"r_gripper_tool_frame", "l_gripper_tool_frame"}},
    {"simple_humanoid.urdf", {"l_ankle", "r_ankle", "l_wrist", "r_wrist"}},
    {"solo12.urdf", {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"}},
    {"talos_full_v2.urdf", {"left_sole_link", "right_sole_link", "gripper_left_base_link", "gripper_right_base_link"}},
    {"talos_reduced.urdf", {"left_sole_link", "right_sole_link", "gripper_left_base_link", "gripper_right_base_link"}},
    {"tiago.urdf", {"hand_grasping_frame", "wheel_left_link", "wheel_right_link"}},
    {"ur5.urdf", {"tool0"}},
};

enum class Hold { points, frames, half };

AnyConstraint held(const std::string& link, int k, Hold how) {
  if (how == Hold::frames || (how == Hold::half && k % 2 == 1))
    return FrameConstraint{.name = "held " + link, .frame = link, .in = k % 2 == 0 ? "local" : "local_world_aligned"};
  return ContactConstraint{.name = "on " + link,
                           .frame = link,
                           .point = {0.01, -0.02, 0.03},
                           .normal = {0.2, -0.1, 1},
                           .rows = how == Hold::half ? 1 : 3};
}

TEST(EveryMethod, HoldsFeetAndHandsOfEverySharedRobot) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  MethodCount count;
  int compared = 0, in_doubt = 0;
  for (const std::string& file : shared_robots()) {
    ASSERT_TRUE(k_ends.contains(file)) << file << " has no feet or hands in this test";
    for (const char* root : {"fixed", "floating"}) {
      LoadOptions options;
      options.root = root;
      options.resolve_meshes = false;
      Diagnostics found;
      Mechanism m{.robot = Robot(read_urdf(shared_robot(file), options, &found), options)};
      m.reach = 3;
      for (const Hold how : {Hold::points, Hold::frames, Hold::half}) {
        m.constraints.clear();
        const std::vector<std::string>& ends = k_ends.at(file);
        for (std::size_t k = 0; k < ends.size(); ++k) m.constraints.push_back(held(ends[k], static_cast<int>(k), how));
        for (int seed = 1; seed <= effort(2); ++seed) {
          SCOPED_TRACE(file + ", root " + root + ", rows " + std::to_string(static_cast<int>(how)) + ", seed " +
                       std::to_string(seed));
          if (seed == 2) soften(m, 1e-2);
          const RandomState state = random_state(m.robot.model, static_cast<std::uint64_t>(seed));
          if (!reference::hybrid_motion(problem(m, state)).clear()) {
            ++in_doubt;
            continue;
          }
          ++compared;
          expect_every_method(m, state, count);
          if (HasFailure()) return;
        }
      }
    }
  }
  for (const auto& [method, n] : count.solved) RecordProperty(method + " solved", n);
  for (const auto& [method, n] : count.refused) RecordProperty(method + " refused", n);
  RecordProperty("compared", compared);
  if (compared > 0) { EXPECT_LE(in_doubt, compared / 10); }
}

}  // namespace
}  // namespace zwang::test
