// SPDX-License-Identifier: BSD-3-Clause
// The convex hull of points in space.
#pragma once
#include <array>
#include <vector>

#include "zwang/spatial/vec3.hpp"

namespace zwang::geometry {

/// Why there is no hull: all points lie in a plane, to rounding; rounding has torn the surface; it would take more
/// heights of points over faces than are allowed.
enum class HullFault { none, flat, torn, long_work };

/// Heights that the hull of so many points may take: far more than points in general do, and no more than seconds.
constexpr long most_heights(std::size_t points) { return 100'000'000 + 1000 * static_cast<long>(points); }

/// Triangles of the hull, counter-clockwise seen from outside, as indices into `points`; empty where `fault` says why.
/// At most `most` heights of points over faces are computed. Quickhull (Barber, Dobkin & Huhdanpaa, The Quickhull
/// Algorithm for Convex Hulls, 1996): O(n log n) for points in general, O(n^2) at worst.
std::vector<std::array<int, 3>> convex_hull(const std::vector<Vec3<double>>& points, long most, HullFault& fault);

}  // namespace zwang::geometry
