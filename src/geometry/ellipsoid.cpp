// SPDX-License-Identifier: BSD-3-Clause
// Ellipsoid sum (x_i / e_i)^2 = 1 and sphere: the nearest point q of the ellipsoid to the sphere's centre c.
//
// c - q is along the normal, c_i - q_i = t q_i / e_i^2, so q_i = e_i^2 c_i / (t + e_i^2), with t the largest root of
//   F(t) = sum (e_i c_i / (t + e_i^2))^2 - 1 = 0,  t > -min e_i^2.
// F falls and is convex there: Newton's steps from the left of the root stay left of it; a bracket halves what leaves
// it. t < 0 where c is inside. Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid, 2013.
// Where c lies in the planes across the shortest axes, the root may be at t = -min e_i^2 itself: then q has a part
// along that axis that its own equation does not give, but F(t) = 0 does.
#include <algorithm>
#include <limits>

#include "geometry/ellipsoid.hpp"
#include "geometry/pair.hpp"

namespace zwang::geometry {

double nearest_on_ellipsoid(const Point& e, const Point& c, Point& normal) {
  int shortest = 0;
  for (int k = 1; k < 3; ++k)
    if (e[k] < e[shortest]) shortest = k;
  // In units of the shortest axis: w = t / e^2 + 1 > 0, z_i = c_i / e_i, ratio_i = (e_i / e)^2 - 1 >= 0.
  const double small = e[shortest];
  Point z, ratio;
  for (int k = 0; k < 3; ++k) {
    z[k] = c[k] / e[k];
    ratio[k] = (e[k] - small) * (e[k] + small) / (small * small);
  }
  const auto part = [&](int k, double w) {  // e_i c_i / (t + e_i^2)
    const double g = 1 + ratio[k];
    return z[k] == 0 ? 0 : g * z[k] / (w + ratio[k]);
  };
  const auto excess = [&](double w) {
    double f = -1;
    for (int k = 0; k < 3; ++k) f += part(k, w) * part(k, w);
    return f;
  };
  // Each term alone is at most 1 at the root, so w >= |z_s| along the shortest axis; all of them: w <= the root of the
  // sum with the least denominators.
  double low = std::fabs(z[shortest]), sum = 0;
  for (int k = 0; k < 3; ++k) sum += (1 + ratio[k]) * z[k] * (1 + ratio[k]) * z[k];
  double high = std::max(low, std::sqrt(sum)), w = low;
  const bool on_edge = low == 0 && !(excess(0) > 0);  // no root above -e^2
  for (int k = 0; k < 200 && !on_edge; ++k) {
    double f = -1, slope = 0;
    for (int i = 0; i < 3; ++i) {
      const double y = part(i, w);
      f += y * y;
      if (y != 0) slope -= 2 * y * y / (w + ratio[i]);
    }
    if (f == 0) break;
    (f > 0 ? low : high) = w;
    double next = slope < 0 ? w - f / slope : HUGE_VAL;
    if (!(next > low && next < high)) next = f > 0 && next >= high ? high : 0.5 * (low + high);
    if (next == w || std::fabs(next - w) <= 2 * std::numeric_limits<double>::epsilon() * w) break;
    w = next;
  }
  Point q;
  double rest = 1;
  for (int k = 0; k < 3; ++k) {
    const double y = on_edge && ratio[k] == 0 ? 0 : part(k, w);  // q_i / e_i
    rest -= y * y;
    q[k] = e[k] * y;
    normal[k] = y / e[k];
  }
  if (on_edge) {
    const double y = std::sqrt(std::max(rest, 0.0));
    q[shortest] = e[shortest] * y;
    normal[shortest] = y / e[shortest];
  }
  normal = normal * (1 / norm(normal));
  // The normal of the ellipsoid at q is known to rounding even where c - q is next to nothing.
  return dot(normal, c - q);
}

void ellipsoid_sphere(Pair& p) {
  Point normal;
  const double gap = nearest_on_ellipsoid(p.a.size, p.pose.p, normal) - p.b.r;
  p.add(p.pose.p - normal * p.b.r, normal, gap, feature(Touch::centre));
}

}  // namespace zwang::geometry
