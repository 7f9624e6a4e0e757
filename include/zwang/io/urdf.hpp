// SPDX-License-Identifier: BSD-3-Clause
// The bare description of a URDF, and what is wrong with one.
//
// Every element of URDF 1.2 is read. Beyond it zwang accepts every joint type of model/joint_types.hpp, with its
// parameters as attributes of <joint> (`pitch` of a helical joint in m/rad, `radii` of an ellipsoid, `parameters` in
// general), and <drake:gear_ratio value=""/> and <drake:rotor_inertia value=""/> in the actuator of a transmission.
#pragma once
#include <string>

#include "zwang/io/load.hpp"

namespace zwang {

/// The content of a URDF, without a check of its meaning (see model/check.hpp for that).
///
/// Throws ModelError: E_FILE, E_XML, E_XML_DTD_FORBIDDEN, E_XML_INCLUDE_FORBIDDEN, E_LIMIT_FILE, E_LIMIT_DEPTH,
/// E_LIMIT_ATTRIBUTE, E_LIMIT_ELEMENTS, E_LIMIT_LINKS, E_FORMAT, E_XACRO, E_NAME, E_NUMBER, E_VECTOR_SIZE, E_INERTIA,
/// E_LIMIT, E_LINK, E_MIMIC, E_JOINT_TYPE, E_QUATERNION, E_REPEATED. Warnings: W_UNKNOWN_TAG, W_UNKNOWN_ATTRIBUTE,
/// W_VERSION, W_NAME, W_GEOMETRY, W_MATERIAL, W_TRANSMISSION, W_SAFETY, and of meshes E_URI_PACKAGE, E_URI_MISSING,
/// E_URI_OUTSIDE, E_URI_NOT_REGULAR, E_URI_LOOP, E_URI_SCHEME.
RobotDescription read_urdf(const std::string& path, const LoadOptions& options = {}, Diagnostics* found = nullptr);
RobotDescription parse_urdf(const std::string& text, const LoadOptions& options = {}, Diagnostics* found = nullptr);

/// All errors of a file or text, without building a model and without throwing for its content.
Diagnostics check_urdf(const std::string& path, const LoadOptions& options = {});
Diagnostics check_urdf_text(const std::string& text, const LoadOptions& options = {});

}  // namespace zwang
