// SPDX-License-Identifier: BSD-3-Clause
// check: all findings about a description that need no model. One place for files and for robots built in code.
//
// Findings carry the place of their element; `mode` decides what refuses (CONVENTIONS.md, Modes).
// Linear time, no recursion.
#pragma once
#include "zwang/core/error.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/description.hpp"

namespace zwang {

/// Names, tree structure, loops, inertias, axes, limits, joint effects, mimic groups, frames.
///
/// Codes that refuse: E_EMPTY, E_NAME, E_DUPLICATE, E_LINK, E_SELF_JOINT, E_TWO_PARENTS, E_CYCLE, E_LOOP,
/// E_JOINT_TYPE, E_PARAMETERS, E_NUMBER, E_ROTATION, E_INERTIA, E_AXIS, E_LIMIT, E_MIMIC. Codes that warn:
/// W_NAME, W_ROOTS, W_INERTIA, W_INERTIA_TRIANGLE, W_MASSLESS, W_CONDITION, W_AXIS, W_LIMIT, W_LOOP,
/// W_MIMIC, W_DAMPING, W_FRICTION, W_STIFFNESS.
Diagnostics check(const RobotDescription& robot, const BuildOptions& options = {});

/// The same findings. In lenient mode it also changes `robot` into something that can be built: detached parts and
/// extra joints of a link are dropped (a cut joint leaves two frames, `NAME_predecessor` and `NAME_successor`), swapped
/// limits are exchanged, negative bounds become unknown, a broken mimic is removed, an indefinite inertia is projected
/// onto the nearest physical one. In the other modes `robot` stays as it is, with one exception: where options.loops is
/// `constraints`, joints that close loops are marked (closes_loop) and their two frames are added.
Diagnostics repair(RobotDescription& robot, const BuildOptions& options = {});

/// Does any finding refuse the model?
bool refused(const Diagnostics& found);

/// Eigenvalues in ascending order and the matching unit vectors (the columns of `axes`). Cyclic Jacobi rotations.
struct PrincipalInertia {
  double moment[3];
  Mat3<double> axes;
};
/// Principal moments and axes of an inertia.
PrincipalInertia principal_inertia(const Sym3<double>& inertia);

}  // namespace zwang
