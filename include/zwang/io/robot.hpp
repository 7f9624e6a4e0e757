// SPDX-License-Identifier: BSD-3-Clause
// load_robot: all that a file says of a robot: its model, the constraints that it closes loops and couples joints with,
// and the configurations that it names. All of it as one document (docs/serialisation.md):
//
//   {"format": "zwang.robot", "version": 1, "model": {a zwang.model}, "constraints": {a zwang.constraints},
//    "configurations": [{"name": "file", "q": [...], "v": [...]}]}
#pragma once
#include <string>
#include <vector>

#include "zwang/constraint/constraint_set.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/io/load.hpp"
#include "zwang/io/model.hpp"

namespace zwang {

/// A named state of a file: q [nq], v [nv].
struct Configuration {
  std::string name;
  std::vector<double> q = {}, v = {};
};

/// What a file describes.
struct Robot {
  Model model;
  ConstraintSet constraints;  ///< loops of the model first, then the others in the order of the file
  /// `file` is how the file draws the robot: neutral in a URDF, where floating links stand in an SDF, qpos0 in an MJCF.
  std::vector<Configuration> configurations;
};

/// Reads a file of any format that load() reads, and builds the model and what belongs to it.
///
/// Errors: as load(), and E_CONSTRAINT where rows of the file cannot be bound to the model. `found` receives every
/// diagnostic, also where ModelError is thrown.
Robot load_robot(const std::string& path, const LoadOptions& options = {}, Diagnostics* found = nullptr);
/// The same for a text.
Robot loads_robot(const std::string& text, const LoadOptions& options = {}, Diagnostics* found = nullptr);

/// What load_robot finds in a file or text of any format, without throwing for its content. A file with constraints is
/// built, to see whether its rows can be bound (E_CONSTRAINT).
Diagnostics check_robot(const std::string& path, const LoadOptions& options = {});
Diagnostics check_robot_text(const std::string& text, const LoadOptions& options = {});

inline constexpr int k_robot_version = 1;

/// The whole robot as one document, with exact numbers. Throws as the documents of its model and constraints do.
std::string to_json(const Robot& robot, UserJointsAs user = UserJointsAs::error, CustomAs custom = CustomAs::error);
std::vector<std::uint8_t> to_cbor(const Robot& robot, UserJointsAs user = UserJointsAs::error,
                                  CustomAs custom = CustomAs::error);

/// The robot of a document. Throws JsonError with the place of what is wrong in it (also configurations of other sizes,
/// repeated names, quaternions that are no rotations), ModelError where the model in it is refused. `found` receives
/// what building noticed. A document without the configuration `file` gets it as neutral.
Robot robot_from_json(const std::string& text, const NamedUserJoints& user = {}, const NamedCustomRows& custom = {},
                      Diagnostics* found = nullptr);
Robot robot_from_cbor(std::span<const std::uint8_t> bytes, const NamedUserJoints& user = {},
                      const NamedCustomRows& custom = {}, Diagnostics* found = nullptr);

/// The same model, constraints and configurations, to the last bit.
bool operator==(const Robot& a, const Robot& b);

}  // namespace zwang
