// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/bounds.hpp"

#include <cmath>

namespace zwang::geometry {

void bounding_box(const SolidData& d, const Transform<double>& pose, Point& low, Point& high) {
  const geometry::Polytope shape = d.polytope.view();
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> n = pose.R[k];  // the axis of the world in the solid's frame
    double up = 0, down = 0;           // h(n), h(-n)
    switch (d.kind) {
      case Solid::Kind::sphere: up = down = d.r; break;
      case Solid::Kind::capsule: up = down = d.r + d.half * std::fabs(n.z); break;
      case Solid::Kind::box:
        up = down = d.size.x * std::fabs(n.x) + d.size.y * std::fabs(n.y) + d.size.z * std::fabs(n.z);
        break;
      case Solid::Kind::cylinder: up = down = d.r * std::hypot(n.x, n.y) + d.half * std::fabs(n.z); break;
      case Solid::Kind::ellipsoid:
        up = down = norm(Vec3<double>{d.size.x * n.x, d.size.y * n.y, d.size.z * n.z});
        break;
      case Solid::Kind::convex:
        up = dot(n, shape.point[shape.farthest(n)]);
        down = -dot(n, shape.point[shape.farthest(-n)]);
        break;
      default: up = down = HUGE_VAL;
    }
    low[k] = pose.p[k] - down;
    high[k] = pose.p[k] + up;
  }
}

}  // namespace zwang::geometry
