// SPDX-License-Identifier: BSD-3-Clause
// Between KDL's trees and zwang's models; KDL has nothing of it. This header needs zwang::kdl alone. Who makes or reads
// a description includes <zwang/model/description.hpp> or <zwang/zwang.hpp>, which needs zwang::zwang and C++20.
#pragma once
#include "tree.hpp"

namespace zwang {
struct RobotDescription;
}

namespace KDL {

/// A tree of a robot's description (of a Model: description()), as kdl_parser makes it: a segment for each joint, named
/// after the link that it carries, with its tip at the link's frame and the armature as rotor. The root link's body is
/// that of nobody. Limits, damping and friction are lost.
/// Throws std::invalid_argument naming the joint that KDL does not have (more than one freedom, helical, mimic, a
/// closed loop), or the link that no joint reaches.
Tree tree_of(const zwang::RobotDescription& robot);

/// A description of a tree: build() makes a Model of it, `{.root = "fixed"}`. A link has its segment's name and, where
/// the joint's axis meets the tip, its frame; otherwise the link lies at the joint and "<segment>_tip" is a frame of
/// it. Joints without a name of their own are called "joint of <segment>". Coordinates are scale * q of the joint, the
/// armature is that of the rotor; damping and stiffness, which KDL's solvers do not use, count in zwang.
/// Throws std::invalid_argument for a joint that moves and has the scale 0.
zwang::RobotDescription description_of(const Tree& tree);

}  // namespace KDL
