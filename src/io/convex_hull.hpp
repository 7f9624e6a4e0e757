// SPDX-License-Identifier: BSD-3-Clause
// The convex hull of points in space.
#pragma once
#include <array>
#include <vector>

#include "zwang/spatial/vec3.hpp"

namespace zwang::io {

/// Triangles of the hull, counter-clockwise seen from outside, as indices into `points`. Empty where all points lie in
/// a plane, to rounding. Quickhull (Barber, Dobkin & Huhdanpaa, The Quickhull Algorithm for Convex Hulls, 1996):
/// O(n log n) for points in general.
std::vector<std::array<int, 3>> convex_hull(const std::vector<Vec3<double>>& points);

}  // namespace zwang::io
