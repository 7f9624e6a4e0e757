// SPDX-License-Identifier: BSD-3-Clause
// The robots that are compared: four well-known ones where they are there, else our own, or any URDF.
#pragma once
#include <string>
#include <vector>

#include "problem.hpp"

namespace zwang::bench {

struct RobotChoice {
  std::string label, file;
  std::string root = "automatic";
  std::vector<Contact> contacts{};  ///< empty: six rows on the deepest link
  std::vector<Loop> loops{};
};

/// panda, ur5, solo12, talos_reduced of ../shared/robots, or arm7, quadruped, humanoid of models/.
std::vector<RobotChoice> default_robots();
/// A file, or the name of one of the robots above. A known robot brings its root and contacts along.
RobotChoice find_robot(const std::string& word);
/// Throws ModelError, std::invalid_argument (an unknown contact frame).
Problem load_problem(const RobotChoice& choice, int states, int batch);
/// Chains of n revolute joints, six rows on the last link; combs, three rows on the end of the spine.
Problem chain_problem(int joints, int states);
Problem comb_problem(int joints, int states);
/// A floating trunk with sixteen legs of six joints, of which so many stand with six rows each.
Problem legs_problem(int standing, int states);

}  // namespace zwang::bench
