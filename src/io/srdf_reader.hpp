// SPDX-License-Identifier: BSD-3-Clause
// SRDF, the file that stands beside a URDF and says what the links and joints are for (MoveIt's and Pinocchio's).
#pragma once
#include "io/robot_document.hpp"
#include "io/xml_document.hpp"

namespace zwang::io {

/// Adds what an SRDF says to the robot that it is about: configurations, joints without motors, rotors, pairs of links
/// that never touch.
void read_srdf(XmlDocument& srdf, const LoadOptions& options, RobotDocument& robot, detail::Findings& found);

/// Is a <robot> without links the root of an SRDF?
bool is_srdf(pugi::xml_node robot);

}  // namespace zwang::io
