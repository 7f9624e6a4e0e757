// SPDX-License-Identifier: BSD-3-Clause
// The box about a solid.
#pragma once
#include "geometry/solid_data.hpp"

namespace zwang::geometry {

/// The least box along the axes of a frame in which the solid has a pose: its support function along each of them.
/// Without end for half spaces and height fields.
void bounding_box(const SolidData& d, const Transform<double>& pose, Point& low, Point& high);

}  // namespace zwang::geometry
