// SPDX-License-Identifier: BSD-3-Clause
// Sample robots and random robots: what tests, benchmarks and examples share.
// The same seed gives the same robot everywhere.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "zwang/model/description.hpp"

namespace zwang {

/// What a random robot may have. Probabilities are per joint.
struct RandomRobot {
  int joints = 16;
  /// Joint types to draw from, each once before any comes again; empty:
  /// every type of the library, continuous, fixed, composite.
  std::vector<std::string> types = {};
  std::vector<std::shared_ptr<const UserJoint>> user = {};  ///< user-defined joints to mix in
  /// The joint between the massless root link `world` and the first link; `fixed`: the first link is the root itself.
  std::string root = "fixed";
  double branching = 0.3;  ///< the parent of a link is any earlier link, not the last one
  /// A joint of one coordinate follows another one: an ancestor, a descendant, on another branch, in chains.
  double mimic = 0.25;
  double armature = 0.5, damping = 0.5, friction = 0.3, springs = 0.3, limits = 0.5;
  double size = 0.4;  ///< of links [m]
};

/// Links `link0`, `link1`, joints `joint1`, `joint2` and so on, with oblique axes and placements and
/// inertias that a rigid body can have.
RobotDescription random_robot(std::uint64_t seed, const RandomRobot& options = {});

/// `links` equal links one after the other, moved by revolute joints about x, y and z in turn.
RobotDescription sample_chain(int links);
/// Seven revolute joints with rotors, damping and limits, and a fixed tool `tool0`.
RobotDescription sample_arm7();
/// A trunk with four legs of three joints and fixed feet `LF_foot`, `RF_foot`, `LH_foot`, `RH_foot`.
/// Load with root floating.
RobotDescription sample_quadruped();
/// A cart on a rail and a pendulum on it.
RobotDescription sample_cart_pole();
/// A wrist with two prismatic fingers, the right one mimicking the left one, as parallel grippers have.
RobotDescription sample_gripper();
/// One joint of every type, in one tree.
RobotDescription sample_zoo();

/// The robots above by name: chain (12 links), arm7, quadruped, cart_pole, gripper, zoo.
std::vector<std::string> sample_names();
/// Throws std::invalid_argument with the nearest name where there is none of that name.
RobotDescription sample(const std::string& name);

}  // namespace zwang
