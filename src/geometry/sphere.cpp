// SPDX-License-Identifier: BSD-3-Clause
// A sphere and another solid: the nearest point q of the surface to the sphere's centre c. Ericson, Real-Time Collision
// Detection, 2005, chapter 5. With d the signed distance of c from the surface, n the outward normal there:
// gap = d - r, exact for every pair.
//
//   sphere     d = |c| - r_a, n = c / |c|
//   capsule    q on the axis: z clamped to the ends
//   box        c clamped to the box; inside, the nearest face
//   cylinder   in the plane of the axis and c, where it is a rectangle
//
// Where c is in the middle, so that every direction is as good, a fixed one is taken.
#include <algorithm>

#include "geometry/pair.hpp"

namespace zwang::geometry {
namespace {

/// The sphere b about c, whose nearest point on a is c - normal * distance.
void add_sphere(Pair& p, const Point& normal, double distance, std::uint64_t name) {
  const double gap = distance - p.b.r;
  p.add(p.pose.p - normal * p.b.r, normal, gap, name);
}

}  // namespace

void sphere_sphere(Pair& p) {
  const double far = norm(p.pose.p);
  const Point n = far > 0 ? p.pose.p * (1 / far) : Point{0, 0, 1};
  add_sphere(p, n, far - p.a.r, feature(Touch::centre));
}

void capsule_sphere(Pair& p) {
  const Point& c = p.pose.p;
  const double z = std::clamp(c.z, -p.a.half, p.a.half);
  const Point out = c - Point{0, 0, z};
  const double far = norm(out);
  const Point n = far > 0 ? out * (1 / far) : Point{1, 0, 0};
  add_sphere(p, n, far - p.a.r, feature(Touch::centre));
}

void box_sphere(Pair& p) {
  const Point &c = p.pose.p, &h = p.a.size;
  Point out;
  for (int k = 0; k < 3; ++k) out[k] = c[k] - std::clamp(c[k], -h[k], h[k]);
  const double far = norm(out);
  if (far > 0) return add_sphere(p, out * (1 / far), far, feature(Touch::centre));
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (h[k] - std::fabs(c[k]) < h[axis] - std::fabs(c[axis])) axis = k;
  Point n = Point::zero();
  n[axis] = c[axis] < 0 ? -1 : 1;
  add_sphere(p, n, std::fabs(c[axis]) - h[axis], feature(Touch::centre));
}

void cylinder_sphere(Pair& p) {
  const Point& c = p.pose.p;
  const double across = std::hypot(c.x, c.y), side = c.z < 0 ? -1 : 1;
  const Point radial = across > 0 ? Point{c.x / across, c.y / across, 0} : Point{1, 0, 0}, axial{0, 0, side};
  const double u = across - p.a.r, v = std::fabs(c.z) - p.a.half;
  if (u > 0 && v > 0) {
    const double far = std::hypot(u, v);
    return add_sphere(p, radial * (u / far) + axial * (v / far), far, feature(Touch::centre));
  }
  add_sphere(p, u > v ? radial : axial, std::max(u, v), feature(Touch::centre));
}

}  // namespace zwang::geometry
