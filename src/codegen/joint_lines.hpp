// SPDX-License-Identifier: BSD-3-Clause
// What a joint does, as formulas of its own few numbers: the straight lines inside of loops over bodies.
#pragma once
#include <vector>

#include "zwang/codegen/formula.hpp"
#include "zwang/model/tree.hpp"

namespace zwang::codegen {

/// Which results of a joint are wanted besides its pose.
struct JointResults {
  bool columns = false, rates = false;
};

/// q, u -> joint (pose: axes row by row, origin), s (columns, six numbers each), c (columns' rates times u): in the
/// joint's frame and in the body's. q is normalised first.
Formula joint_motion(const Body<double>& body, const JointResults& wanted);
/// Of each body, the ground first: none of the joints from the ground to it turns. What hangs there is computed about
/// its own origin, however far it is.
std::vector<bool> without_turning(const Tree<double>& tree);
/// q, d -> out: the configuration after a difference, of the joint types at a position of the list.
Formula joint_step(Index kind);
/// q0, q1 -> d
Formula joint_way(Index kind);
/// rest (quaternion), q -> phi: the rotation vector from the one to the other, q normalised.
Formula ball_way();
/// R -> phi: the rotation vector of a matrix.
Formula rotation_vector();

}  // namespace zwang::codegen
