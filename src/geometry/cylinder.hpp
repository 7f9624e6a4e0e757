// SPDX-License-Identifier: BSD-3-Clause
// Points of a cylinder's rims.
#pragma once
#include <cmath>

#include "geometry/solid_data.hpp"

namespace zwang::geometry {

constexpr int k_lowest = 4;  // the number of a rim's extreme point, behind those of its four fixed points

/// The point of a cylinder's rim (cap 0: below, 1: above) that is farthest along a direction; along the axis any.
inline Point rim_point(const SolidData& c, int cap, const Point& along) {
  const double t = std::hypot(along.x, along.y), z = cap == 0 ? -c.half : c.half;
  return t > 0 ? Point{c.r * along.x / t, c.r * along.y / t, z} : Point{c.r, 0, z};
}

/// Points of a rim that touch a plane towards `along`, in the frame of the cylinder: with their numbers, to `visit`.
/// The extreme point; where `is_near` holds for the whole rim, four fixed points, and the extreme one only if it is
/// farther than they are by more than rounding.
template <class Near, class Visit>
void rim_points(const SolidData& c, int cap, const Point& along, Near&& is_near, Visit&& visit) {
  const Point extreme = rim_point(c, cap, along);
  const bool flat = is_near(Point{-extreme.x, -extreme.y, extreme.z});
  double most = -HUGE_VAL;
  for (int k = 0; k < 4 && flat; ++k) {
    const Point x{k == 0 ? c.r : k == 2 ? -c.r : 0, k == 1 ? c.r : k == 3 ? -c.r : 0, extreme.z};
    most = std::fmax(most, dot(along, x));
    visit(x, k);
  }
  if (dot(along, extreme) > most + 1e-12 * c.r) visit(extreme, k_lowest);
}

}  // namespace zwang::geometry
