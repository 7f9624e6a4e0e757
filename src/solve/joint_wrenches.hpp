// SPDX-License-Identifier: BSD-3-Clause
// The wrenches that joints transmit in a solution, in the axes of each joint's link about its origin.
#pragma once
#include "factor/answer.hpp"

namespace zwang {

Force<double> joint_wrench(const Problem& problem, const Answer& answer, LinkId child);
/// Of all joints of the model, one column each; zeros for merged fixed joints.
void joint_wrenches(Problem& problem, const Answer& answer, MatrixOut out);

}  // namespace zwang
