// SPDX-License-Identifier: BSD-3-Clause
// Two capsules: the nearest points of their axes, gap = distance - r_a - r_b (Ericson, Real-Time Collision Detection,
// 2005, 5.1.9). Where the axes are nearly parallel, the ends of the part that lies side by side, each with its nearest
// point on the other axis; the nearest points of all beside them only where they are nearer by more than rounding.
// Where axes cross, the normal is across both.
#include "geometry/pair.hpp"
#include "geometry/segments.hpp"

namespace zwang::geometry {
namespace {

constexpr double k_axes_parallel = 0.05;  // sine

}  // namespace

void capsule_capsule(Pair& p) {
  const Point up{0, 0, 1}, axis = column_z(p.pose.R);
  const Segment a{up * -p.a.half, up * p.a.half};
  const Segment b{p.pose.p - axis * p.b.half, p.pose.p + axis * p.b.half};
  const double radii = p.a.r + p.b.r;
  Point across = cross(up, axis);
  const double sine = norm(across);
  // Where the axes meet: across both, or across one of them.
  across = sine > 1e-9 ? across * (1 / sine) : Point{1, 0, 0};
  const auto add = [&](double s, double t, std::uint64_t name) {
    const Point x = b.at(t), between = x - a.at(s);
    const double far = norm(between);
    const Point n = far > 1e-14 * (p.a.reach + p.b.reach) ? between * (1 / far) : across;
    p.add(x - n * p.b.r, n, far - radii, name);
  };
  const Nearest best = nearest(a, b);
  double least = HUGE_VAL;
  if (sine <= k_axes_parallel && p.a.half > 0 && p.b.half > 0) {
    const double along = axis.z < 0 ? -1 : 1, reach = p.b.half * std::fabs(axis.z);
    const double low = std::max(-p.a.half, p.pose.p.z - reach), high = std::min(p.a.half, p.pose.p.z + reach);
    if (high - low > 1e-9 * (p.a.half + p.b.half)) {
      for (const int end : {0, 1}) {
        // An end of one axis: which of the two solids it belongs to names the point.
        const double z = end == 0 ? low : high;
        const bool of_a = z == (end == 0 ? -p.a.half : p.a.half);
        const double s = of_a ? end : nearest_on(a, b.at(along * (end == 0 ? -1 : 1) < 0 ? 0 : 1));
        const double t = of_a ? nearest_on(b, a.at(s)) : (along * (end == 0 ? -1 : 1) < 0 ? 0 : 1);
        const Point between = b.at(t) - a.at(s);
        least = std::min(least, norm(between));
        add(s, t, feature(Touch::end, end, of_a ? 0 : 1));
      }
    }
  }
  if (std::sqrt(best.squared) < least - 1e-12 * (p.a.reach + p.b.reach)) add(best.s, best.t, feature(Touch::edges));
}

}  // namespace zwang::geometry
