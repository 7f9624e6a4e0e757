// SPDX-License-Identifier: BSD-3-Clause
// How a point of contact moves where one solid moves against the other and its features stay what they are.
#pragma once
#include "zwang/geometry/solid.hpp"

namespace zwang::geometry {

/// Of a SurfacePair: d of the point between the two surfaces, of the normal and of the gap by the twist of b while a is
/// at rest. Twists are those of the world: three linear columns at its origin, then three angular ones.
struct PointMotion {
  double point[3][6], normal[3][6], gap[6];
  bool is_exact = true;  ///< by formulas; else by differences
  double error = 0;      ///< of differences: two estimates differ by this, lengths beside the smaller solid
};

/// Exact: a half space and any solid but height fields; a sphere and a sphere, capsule, box, cylinder or ellipsoid;
/// vertices, and round ends, on faces of boxes and hulls. Others by differences of nearest_points(). False: the point
/// is no smooth function of the poses, as where a corner lies on an edge.
bool point_motion(const Solid& a, const Transform<double>& pose_a, const Solid& b, const Transform<double>& pose_b,
                  const SurfacePair& at, PointMotion& out);

/// The same by differences alone.
bool point_motion_by_differences(const Solid& a, const Transform<double>& pose_a, const Solid& b,
                                 const Transform<double>& pose_b, const SurfacePair& at, PointMotion& out);

}  // namespace zwang::geometry
