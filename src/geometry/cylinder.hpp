// SPDX-License-Identifier: BSD-3-Clause
// Cylinders: points of their rims, normals of their rims, and how their points are handed out.
#pragma once
#include <cmath>

#include "geometry/ellipsoid.hpp"
#include "geometry/part.hpp"

namespace zwang::geometry {

constexpr int k_lowest = 4;  // the number of a rim's extreme point, behind those of its four fixed points

inline double height_of(int cap, const SolidData& c) { return cap == 0 ? -c.half : c.half; }

/// The point of a cylinder's rim (cap 0: below, 1: above) that is farthest along a direction; along the axis any.
inline Point rim_point(const SolidData& c, int cap, const Point& along) {
  const double t = std::hypot(along.x, along.y), z = height_of(cap, c);
  return t > 0 ? Point{c.r * along.x / t, c.r * along.y / t, z} : Point{c.r, 0, z};
}

/// h(n) of a cylinder in its frame.
inline double reach_of(const SolidData& c, const Point& n) {
  return c.r * std::hypot(n.x, n.y) + c.half * std::fabs(n.z);
}

/// Points of a rim that touch a plane towards `along`, in the frame of the cylinder: with their numbers, to `visit`.
/// The extreme point; where `is_near` holds for the whole rim, four fixed points, and the extreme one only if it is
/// farther than they are by more than rounding. True where the whole rim is near.
template <class Near, class Visit>
bool rim_points(const SolidData& c, int cap, const Point& along, Near&& is_near, Visit&& visit) {
  const Point extreme = rim_point(c, cap, along);
  const bool flat = is_near(Point{-extreme.x, -extreme.y, extreme.z});
  double most = -HUGE_VAL;
  for (int k = 0; k < 4 && flat; ++k) {
    const Point x{k == 0 ? c.r : k == 2 ? -c.r : 0, k == 1 ? c.r : k == 3 ? -c.r : 0, extreme.z};
    most = std::fmax(most, dot(along, x));
    visit(x, k);
  }
  if (dot(along, extreme) > most + 1e-12 * c.r) visit(extreme, k_lowest);
  return flat;
}

/// Another normal of an ellipse with radii a > b along which (x, y) is less deep than along those around it: on the
/// other side of the long axis. False where there is none. With t = -b^2 - u in the equation of ellipsoid.cpp,
/// (a x / (a^2 - b^2 - u))^2 + (b y / u)^2 = 1: Newton from where the second term alone is 1, to the least root.
inline bool opposite_normal(double a, double b, double x, double y, Point& normal) {
  const double wide = (a - b) * (a + b);
  if (y == 0) return normal.y = -normal.y, normal.y != 0;
  double u = b * std::fabs(y);
  for (int k = 0; k < 60 && u < wide; ++k) {
    const double p = a * x / (wide - u), q = b * y / u, f = p * p + q * q - 1;
    const double slope = 2 * (p * p / (wide - u) - q * q / u);
    if (!(slope < 0)) return false;
    const double next = u - f / slope;
    if (!(next > u * (1 + 1e-15))) {
      normal = {p / a, -q / b, 0};
      return true;
    }
    u = next;
  }
  return false;
}

/// The normals between a rim of a cylinder (cap) and a line through x along e, of length 1, in the cylinder's frame;
/// how many. Seen along the line the rim is an ellipse with radii r and r |e_z|, and the line is a point: the normals
/// of the ellipse at the nearest point of each side, since one of them is of the other cap. None where the line is
/// along the axis: then seen as a circle, by its points.
inline int rim_normals(const SolidData& c, int cap, const Point& x, const Point& e, Point (&normals)[2]) {
  const double level = std::hypot(e.x, e.y), narrow = c.r * std::fmax(std::fabs(e.z), 1e-12);
  if (!(level > 1e-9)) return 0;
  const Point u{e.y / level, -e.x / level, 0}, w = cross(u, e), from = x - Point{0, 0, height_of(cap, c)};
  const double along = dot(u, from), across = dot(w, from);
  Point seen;
  int count = 1;
  nearest_on_ellipsoid({c.r, narrow, c.r}, {along, across, 0}, seen);
  normals[0] = u * seen.x + w * seen.y;
  if (opposite_normal(c.r, narrow, along, across, seen)) normals[count++] = u * seen.x + w * seen.y;
  for (int k = 0; k < count; ++k) normals[k] = normals[k] * (1 / norm(normals[k]));
  return count;
}

/// Where a line from `from` to `to` is within the circle of radius r about the z axis; false where it is nowhere.
inline bool within_circle(double r, const Point& from, const Point& to, double& enter, double& leave) {
  const Point d = to - from;
  const double a = d.x * d.x + d.y * d.y, b = from.x * d.x + from.y * d.y;
  const double c = from.x * from.x + from.y * from.y - r * r;
  if (!(a > 0)) return false;
  const double root = b * b - a * c;
  if (!(root > 0)) return false;
  const double q = -(b + std::copysign(std::sqrt(root), b));  // of like signs: no cancellation
  const double s = q / a, t = q != 0 ? c / q : -s;
  enter = std::fmin(s, t), leave = std::fmax(s, t);
  return true;
}

}  // namespace zwang::geometry
