// SPDX-License-Identifier: BSD-3-Clause
// Robots as files of other programs: URDF (with the loops and couplings of URDF+), SDF 1.11, MJCF. What a format
// cannot hold is a Loss, never silence (docs/formats/convert.md has the codes).
#pragma once
#include <string>
#include <vector>

#include "zwang/io/robot.hpp"

namespace zwang {

/// One thing of a robot that a format cannot hold, or not as it is.
struct Loss {
  std::string code;          ///< L_JOINT, L_SPRING, ... (docs/formats/convert.md)
  std::string element = {};  ///< what of the robot: joint, link, shape, frame, constraint, configuration, motor, robot
  std::string name = {};     ///< which one
  std::string lost = {};     ///< what the file does not say
  std::string instead = {};  ///< what it says instead; empty: nothing
  /// `motion`: the robot of the file may move otherwise; `data`: it moves the same. That of the code.
  std::string severity = "data";
};

/// Which shapes a writer writes.
enum class WrittenShapes {
  found,  ///< in MJCF all but meshes whose file is not there, since MuJoCo refuses such a file; in URDF and SDF all
  all,    ///< all; of a mesh that is not there its name
  none,   ///< none; no loss says so
};

/// Options of the writers.
struct WriteOptions {
  /// Any loss is refused: ModelError with the loss as an error of its code.
  bool strict = false;
  /// MJCF: `balanceinertia`, for inertias that no body has (MuJoCo refuses them): their three moments become equal.
  bool balance = false;
  /// Boxes, meshes and so on, for looks and for contact.
  WrittenShapes shapes = WrittenShapes::found;
};

/// The text of a file and what of the robot is not in it, in the order of links, joints, frames, constraints,
/// configurations, motors.
struct WrittenRobot {
  std::string text;
  std::vector<Loss> losses = {};
};

/// The robot as a URDF: links, joints, shapes, transmissions; <loop> and <coupling> of URDF+; frames as massless links.
///
/// Reading the text gives the same model but for the losses; numbers are written such that they are read back to the
/// last bit, but for the pitch of screws in SDF, a multiple of 2 pi there, which may be one bit off. Throws ModelError
/// where `strict` refuses a loss, UnsupportedError for user-defined joints.
WrittenRobot write_urdf(const Robot& robot, const WriteOptions& options = {});
/// The robot as SDF 1.11: one model, joints to the world, loops as joints, couplings as mimic joints. As write_urdf.
WrittenRobot write_sdf(const Robot& robot, const WriteOptions& options = {});
/// The robot as MJCF for MuJoCo: bodies, joints, geoms, sites, equalities, actuators, keyframes. As write_urdf.
WrittenRobot write_mjcf(const Robot& robot, const WriteOptions& options = {});

}  // namespace zwang
