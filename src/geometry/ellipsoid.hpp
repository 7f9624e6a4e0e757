// SPDX-License-Identifier: BSD-3-Clause
// The nearest point of an ellipsoid.
#pragma once
#include "geometry/polytope.hpp"

namespace zwang::geometry {

/// The signed distance of a point c from the ellipsoid with radii e about the origin, negative inside; the outward
/// normal at the nearest point.
double nearest_on_ellipsoid(const Point& e, const Point& c, Point& normal);

}  // namespace zwang::geometry
