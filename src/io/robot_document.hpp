// SPDX-License-Identifier: BSD-3-Clause
// RobotDocument: what a reader gives. What needs a model (rows, configurations) names joints and frames, and is bound
// when the model has been built (load.cpp).
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "zwang/constraint/types/coupling.hpp"
#include "zwang/constraint/types/frame.hpp"
#include "zwang/constraint/types/loop.hpp"
#include "zwang/model/description.hpp"

namespace zwang::io {

/// Rows that the file asks for, and where. Frames that they name are in the description.
struct DescribedConstraint {
  std::variant<LoopConstraint, CouplingConstraint, FrameConstraint> rows;
  SourcePlace place = {};
};

/// The coordinates of one joint, in zwang's order; none: neutral, zero.
struct JointState {
  std::string joint;
  std::vector<double> q = {}, v = {};
};
/// A configuration by its joints: those that are left out are neutral and at rest.
struct DescribedConfiguration {
  std::string name;
  std::vector<JointState> joints = {};
};

struct RobotDocument {
  RobotDescription robot = {};  ///< a joint with closes_loop is one of its constraints, too
  std::vector<DescribedConstraint> constraints = {};
  std::vector<DescribedConfiguration> configurations = {};  ///< `file`: as drawn; added as neutral where it is not here
  std::optional<Vec3<double>> gravity = {};                 ///< where the file says one
  bool rooted = false;     ///< the root link is the world, and the reader has seen to LoadOptions::root
  bool uses_root = false;  ///< of a rooted document: LoadOptions::root gave a joint its type
};

}  // namespace zwang::io
