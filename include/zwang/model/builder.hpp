// SPDX-License-Identifier: BSD-3-Clause
// build: description in, validated immutable Model out.
#pragma once
#include "zwang/core/error.hpp"
#include "zwang/model/description.hpp"
#include "zwang/model/model.hpp"

namespace zwang {

/// Which findings refuse a model (see CONVENTIONS.md, Modes).
enum class Mode { standard, strict, lenient };

/// Treatment of further joints that carry the same link: each of them closes a loop.
///
/// The tree keeps the first joint of a link in the order of the description, a later one only where the first would
/// make the link its own ancestor.
enum class ClosedLoops {
  refuse,       ///< E_TWO_PARENTS
  constraints,  ///< they leave the tree and become Model::loops(), for which ConstraintSet::add_loops adds rows
};

/// The joint between the world and the root link: any joint type of model/joint_types.hpp, or `automatic`: fixed,
/// unless the description itself has a floating joint at the root.
struct BuildOptions {
  std::string root = "automatic";         ///< automatic, fixed, floating, planar, or a joint type's name
  std::string root_joint = "root_joint";  ///< name of the joint that `root` adds
  bool lump = true;                       ///< merge links behind fixed joints into one body; they stay as frames
  bool expand_mimic = false;              ///< give mimicking joints coordinates of their own
  Mode mode = Mode::standard;
  Vec3<double> gravity{0, 0, -9.81};  ///< [m/s^2]
  ClosedLoops loops = ClosedLoops::refuse;
};

/// Checks a description and turns it into a Model.
///
/// Errors: ModelError with every finding (codes E_NAME, E_DUPLICATE, E_LINK, E_CYCLE, E_SELF_JOINT, E_TWO_PARENTS,
/// E_LOOP, E_INERTIA, E_NUMBER, E_AXIS, E_LIMIT, E_MIMIC, E_JOINT_TYPE, E_PARAMETERS, E_LIMIT_COUNT). Linear time, no
/// recursion. `found` receives warnings (and, where it throws, everything) in the order of the description.
/// The model keeps the description: std::move a large one that is not needed any more.
Model build(RobotDescription robot, const BuildOptions& options = {}, Diagnostics* found = nullptr);

}  // namespace zwang
