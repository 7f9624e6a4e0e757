// SPDX-License-Identifier: BSD-3-Clause
// load_robot: all that a file says of a robot: its model, the constraints that it closes loops and couples joints with,
// and the configurations that it names.
#pragma once
#include <string>
#include <vector>

#include "zwang/constraint/constraint_set.hpp"
#include "zwang/io/urdf.hpp"

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

}  // namespace zwang
