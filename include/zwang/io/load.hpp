// SPDX-License-Identifier: BSD-3-Clause
// Reading robots: a file or a text of any format in, a Model out. The root element says which format it is; load_robot
// (io/robot.hpp) gives the constraints and configurations of a file, too.
#pragma once
#include <string>
#include <vector>

#include "zwang/model/builder.hpp"

namespace zwang {

/// Limits of a file, checked before memory is allocated for it.
struct ReaderLimits {
  long file_bytes = 64L << 20;
  int depth = 256;                  ///< elements within elements
  long attribute_bytes = 1L << 20;  ///< of one element
  long elements = 2'000'000;
  long links = 100'001;  ///< a base and 100 000 links behind it
  long name_bytes = 1024;
};

/// Where the files of `package://name/...` are.
struct PackagePlace {
  std::string name, directory;
};

/// Options of building, and where files named by `package://` are looked for. Readers throw std::invalid_argument
/// (E_URI_PACKAGE) where a folder of `packages` or `package_dirs` is not there.
struct LoadOptions : BuildOptions {
  std::vector<PackagePlace> packages = {};     ///< asked first
  std::vector<std::string> package_dirs = {};  ///< folders that hold packages, or are one
  bool use_environment = true;                 ///< AMENT_PREFIX_PATH, ROS_PACKAGE_PATH, ZWANG_PACKAGE_PATH
  bool allow_outside_package = false;          ///< meshes and parts may lie outside the package (or folder)
  bool resolve_meshes = true;                  ///< look for mesh files; dynamics never needs them
  /// Gravity of the file, where it says one and `gravity` is as it is by default; false: always `gravity`. Who asks for
  /// (0, 0, -9.81) whatever the file says sets false, too.
  bool file_gravity = true;
  /// An SRDF beside the robot, as file or as text: its states become configurations (load_robot), passive joints lose
  /// their motors, rotors and pairs of links that never touch are added. What it says of unknown joints is warned of.
  std::string srdf = {}, srdf_text = {};
  std::string file_name = {};       ///< of a text: its name in diagnostics
  std::string base_directory = {};  ///< of a text: where its relative paths start; without it they stay unresolved
  ReaderLimits limits = {};
};

/// Reads a file and builds the model. `found` receives every diagnostic, also where ModelError is thrown. Of
/// constraints that the file has besides, N_CONSTRAINTS names some; strict mode refuses the file.
///
/// A document (zwang.robot or zwang.model, JSON or CBOR) is read, too. It holds its own options: E_DOCUMENT refuses
/// others of building and an SRDF, as it does what is wrong in the document.
Model load(const std::string& path);
Model load(const std::string& path, const LoadOptions& options, Diagnostics* found = nullptr);
/// The same for a text, as a robot_description parameter holds it.
Model loads(const std::string& text, const LoadOptions& options = {}, Diagnostics* found = nullptr);

}  // namespace zwang
