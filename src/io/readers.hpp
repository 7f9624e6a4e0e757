// SPDX-License-Identifier: BSD-3-Clause
// THE list of readers. A file is read by the one of its root element, whatever the file is called.
#pragma once
#include <string_view>

#include "io/robot_document.hpp"
#include "io/xml_document.hpp"

namespace zwang::io {

RobotDocument read_urdf_document(XmlDocument& document, const LoadOptions& options, detail::Findings& found);
RobotDocument read_mjcf_document(XmlDocument& document, const LoadOptions& options, detail::Findings& found);
RobotDocument read_sdf_document(XmlDocument& document, const LoadOptions& options, detail::Findings& found);

/// A format: what it is called, its root element, and its reader.
struct Reader {
  const char *format, *root;
  RobotDocument (*read)(XmlDocument& document, const LoadOptions& options, detail::Findings& found);
};
inline constexpr Reader k_readers[] = {{"URDF", "robot", read_urdf_document},
                                       {"SDF", "sdf", read_sdf_document},
                                       {"MJCF (MuJoCo)", "mujoco", read_mjcf_document}};

/// Root elements that are known and not read, and what to do about it.
struct NotRead {
  const char *root, *is, *hint;
};
inline constexpr NotRead k_not_read[] = {
    {"gazebo", "SDF of the time before its version 1.2", "convert the file: gz sdf -p"},
    {"mujocoinclude", "a part of an MJCF file (MuJoCo)", "load the file that includes it"},
    {"COLLADA", "COLLADA", "it is a mesh; load the robot that uses it"},
};

}  // namespace zwang::io
