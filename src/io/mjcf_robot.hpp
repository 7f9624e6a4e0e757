// SPDX-License-Identifier: BSD-3-Clause
// An MJCF as a RobotDocument: links, joints, frames, rows, configurations.
#pragma once
#include "io/mjcf_document.hpp"
#include "io/mjcf_model.hpp"
#include "io/robot_document.hpp"

namespace zwang::io {

/// Findings go to `work`. `fixed`: bodies with a free joint are fixed where they are drawn.
RobotDocument mjcf_robot(MjcfModel model, bool fixed, MjcfWork& work);

}  // namespace zwang::io
