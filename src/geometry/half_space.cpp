// SPDX-License-Identifier: BSD-3-Clause
// Half space z <= 0 and another solid: heights of the points of the solid that can be lowest. Ericson, Real-Time
// Collision Detection, 2005, 5.2. All of them are exact.
//
//   sphere      centre - r z
//   capsule     both ends, the same way
//   polytope    its sharp vertices
//   cylinder    of each cap the lowest point of the rim, centre + r d, d = -(z - (z.a) a) / |.|, a the axis; where the
//               whole rim of a cap is within the margin, also four points fixed to the body, so that contacts of a
//               standing cylinder stay where they are; the lowest one then only where it is lower than they are
//   ellipsoid   x = -D^2 R^T z / |D R^T z|, D the radii: the normal of its surface there is -z; height c.z - |D R^T z|
#include <algorithm>

#include "geometry/cylinder.hpp"
#include "geometry/pair.hpp"

namespace zwang::geometry {
namespace {

const Point k_up{0, 0, 1};

}  // namespace

void half_space_sphere(Pair& p) {
  const Point low = p.pose.p - k_up * p.b.r;
  p.add(low, k_up, low.z, feature(Touch::centre));
}

void half_space_capsule(Pair& p) {
  const Point axis = column_z(p.pose.R) * p.b.half;
  for (int end = 0; end < (p.b.half > 0 ? 2 : 1); ++end) {
    const Point low = p.pose.p + axis * (end == 0 ? -1.0 : 1.0) - k_up * p.b.r;
    p.add(low, k_up, low.z, feature(Touch::end, end));
  }
}

void half_space_polytope(Pair& p) {
  for (const int k : p.b.polytope.sharp) {
    const Point x = p.pose * p.b.polytope.point[static_cast<std::size_t>(k)];
    p.add(x, k_up, x.z, feature(Touch::vertex, k));
  }
}

void half_space_cylinder(Pair& p) {
  const Point up = transpose_times(p.pose.R, k_up);
  const auto height = [&](const Point& x) { return dot(up, x) + p.pose.p.z; };
  for (const int cap : {0, 1})
    rim_points(
        p.b, cap, -up, [&](const Point& x) { return height(x) <= p.margin; },
        [&](const Point& x, int k) {
          const Point low = p.pose * x;
          p.add(low, k_up, low.z, feature(Touch::rim, cap, k));
        });
}

void half_space_ellipsoid(Pair& p) {
  const Point up = transpose_times(p.pose.R, k_up), d{p.b.size.x * up.x, p.b.size.y * up.y, p.b.size.z * up.z};
  const double reach = norm(d);
  const Point low = p.pose * (Point{p.b.size.x * d.x, p.b.size.y * d.y, p.b.size.z * d.z} * (-1 / reach));
  p.add({low.x, low.y, p.pose.p.z - reach}, k_up, p.pose.p.z - reach, feature(Touch::centre));
}

}  // namespace zwang::geometry
