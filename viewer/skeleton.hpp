// SPDX-License-Identifier: BSD-3-Clause
// The skeleton of a robot: limbs from joint to joint, for links without shapes.
#pragma once
#include <vector>

#include "zwang/model/model.hpp"

namespace zwang::viewer {

/// Cylinders and balls in the frame of each link, in the order of model.links().
std::vector<std::vector<Shape>> skeleton_of(const Model& model);
/// Of each link: has it neither mass nor shapes, and stands between two joints that move? MJCF makes such links of the
/// joints of one body.
std::vector<bool> helper_links(const Model& model);

}  // namespace zwang::viewer
