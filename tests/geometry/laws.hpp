// SPDX-License-Identifier: BSD-3-Clause
// Random solids, and what their near points must satisfy, by functions that know nothing of the pages of pairs:
// the support function h(n) = max n.x and a function that is 0 on the surface, both in long double.
//
// s(n) = -h_a(n) - h_b(-n) + n.(p_b - p_a) is how far planes with normal n are apart that hold the solids between
// them. The signed gap of two convex solids is the greatest s(n): so the least gap of the points is s of its normal,
// and no other normal has more.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "zwang/geometry/solid.hpp"

namespace zwang::test {

using Kind = Solid::Kind;
using Real = long double;
using Point = Vec3<double>;
using Pose = Transform<double>;

struct Body {
  Solid solid = Solid::half_space();
  Vec3<double> size = Vec3<double>::zero();  ///< radii; halves of lengths in z, of a box in all axes
  std::vector<Point> points = {};
  std::vector<Vec3<Real>> normals = {};  ///< of the faces of a polytope
  std::vector<Real> offsets = {};
  std::vector<Vec3<Real>> edges = {};  ///< directions

  Kind kind() const { return solid.kind(); }
};

inline Vec3<Real> wide(const Point& p) { return {p.x, p.y, p.z}; }
inline Vec3<Real> unit(const Vec3<Real>& x) { return x * (1 / std::sqrt(dot(x, x))); }
inline Real length(const Vec3<Real>& x) { return std::sqrt(dot(x, x)); }

/// Faces of the hull of a few points: planes through three of them with no point above.
inline void find_faces(Body& b) {
  for (std::size_t i = 0; i < b.points.size(); ++i)
    for (std::size_t j = 0; j < b.points.size(); ++j)
      for (std::size_t k = i + 1; k < b.points.size(); ++k) {
        if (j <= i || j == k) continue;
        Vec3<Real> n = cross(wide(b.points[j]) - wide(b.points[i]), wide(b.points[k]) - wide(b.points[i]));
        if (!(length(n) > 1e-12)) continue;
        n = unit(n);
        const Real h = dot(n, wide(b.points[i]));
        bool above = false;
        for (const Point& p : b.points) above = above || dot(n, wide(p)) > h + 1e-13;
        if (above) continue;
        b.normals.push_back(n), b.offsets.push_back(h);
        for (const auto& [p, q] : {std::pair{i, j}, std::pair{j, k}, std::pair{k, i}})
          b.edges.push_back(wide(b.points[q]) - wide(b.points[p]));
      }
}

inline Body sphere(double r) { return {.solid = Solid::sphere(r), .size = {r, 0, 0}}; }
inline Body capsule(double r, double length) {
  return {.solid = Solid::capsule(r, length), .size = {r, 0, length / 2}, .edges = {{0, 0, 1}}};
}
inline Body cylinder(double r, double length) {
  return {.solid = Solid::cylinder(r, length), .size = {r, 0, length / 2}};
}
inline Body ellipsoid(const Point& r) { return {.solid = Solid::ellipsoid(r), .size = r}; }
inline Body box(const Point& lengths) {
  Body b{.solid = Solid::box(lengths), .size = lengths * 0.5};
  for (int k = 0; k < 3; ++k)
    for (const int sign : {-1, 1}) {
      Vec3<Real> n{0, 0, 0};
      n[k] = sign;
      b.normals.push_back(n);
      b.offsets.push_back(static_cast<Real>(b.size[k]));
      b.edges.push_back(n);
    }
  return b;
}
inline Body convex(const std::vector<Point>& points) {
  Body b{.solid = Solid::convex(points), .points = points};
  find_faces(b);
  return b;
}

inline Body random_body(Kind kind, Random& r) {
  const auto some = [&] { return r.uniform(0.2, 1); };
  switch (kind) {
    case Kind::sphere: return sphere(some());
    case Kind::capsule: return capsule(some(), r.below(8) == 0 ? 0 : some());
    case Kind::box: return box({some(), some(), some()});
    case Kind::cylinder: return cylinder(some(), some());
    case Kind::ellipsoid: return ellipsoid({some(), some(), some()});
    case Kind::convex: {
      std::vector<Point> points;
      for (int k = 0, n = r.below(24) == 0 ? 30 : 4 + r.below(7); k < n; ++k)
        points.push_back(r.direction() * r.uniform(0.3, 1));
      return convex(points);
    }
    default: return Body();
  }
}

/// max of n.x over the solid at its own frame.
inline Real support(const Body& b, const Vec3<Real>& n) {
  const Real x = b.size.x, y = b.size.y, z = b.size.z;
  switch (b.kind()) {
    case Kind::sphere: return x * length(n);
    case Kind::capsule: return x * length(n) + z * std::fabs(n.z);
    case Kind::box: return x * std::fabs(n.x) + y * std::fabs(n.y) + z * std::fabs(n.z);
    case Kind::cylinder: return x * std::hypot(n.x, n.y) + z * std::fabs(n.z);
    case Kind::ellipsoid: return std::hypot(std::hypot(x * n.x, y * n.y), z * n.z);
    case Kind::convex: {
      Real most = -HUGE_VALL;
      for (const Point& p : b.points) most = std::max(most, dot(n, wide(p)));
      return most;
    }
    default: return n.z > 1 - 1e-12L ? 0 : HUGE_VALL;
  }
}

/// 0 on the surface, else about the distance; in the solid's own frame.
inline Real off_surface(const Body& b, const Vec3<Real>& p) {
  const Real x = b.size.x, y = b.size.y, z = b.size.z;
  switch (b.kind()) {
    case Kind::sphere: return length(p) - x;
    case Kind::capsule: return length({p.x, p.y, p.z - std::clamp(p.z, -z, z)}) - x;
    case Kind::box: return std::max({std::fabs(p.x) - x, std::fabs(p.y) - y, std::fabs(p.z) - z});
    case Kind::cylinder: return std::max(std::hypot(p.x, p.y) - x, std::fabs(p.z) - z);
    case Kind::ellipsoid: return (length({p.x / x, p.y / y, p.z / z}) - 1) * std::min({x, y, z});
    case Kind::convex: {
      Real most = -HUGE_VALL;
      for (std::size_t k = 0; k < b.normals.size(); ++k) most = std::max(most, dot(b.normals[k], p) - b.offsets[k]);
      return most;
    }
    default: return p.z;
  }
}

inline Vec3<Real> into(const Pose& x, const Vec3<Real>& n) { return transpose_times(widen<Real>(x.R), n); }
inline Vec3<Real> into_point(const Pose& x, const Point& p) { return into(x, wide(p) - wide(x.p)); }

/// s(n), see above.
inline Real separation(const Body& a, const Pose& pa, const Body& b, const Pose& pb, const Vec3<Real>& n) {
  return dot(n, wide(pb.p) - wide(pa.p)) - support(a, into(pa, n)) - support(b, into(pb, n * Real(-1)));
}

/// The greatest s(n) that a search from many normals finds; of polytopes all normals of faces and pairs of edges.
inline Real greatest_separation(const Body& a, const Pose& pa, const Body& b, const Pose& pb, Random& r) {
  std::vector<std::pair<Real, Vec3<Real>>> tried;
  const auto look = [&](Vec3<Real> n) {
    if (!(length(n) > 1e-9)) return;
    n = unit(n);
    for (const Real sign : {-1, 1}) tried.push_back({separation(a, pa, b, pb, n * sign), n * sign});
  };
  if (a.kind() == Kind::half_space) return separation(a, pa, b, pb, wide(column_z(pa.R)));
  for (int k = 0; k < 200; ++k) look(wide(r.direction()));
  const auto out = [](const Pose& x, const Vec3<Real>& n) { return widen<Real>(x.R) * n; };
  for (const auto& n : a.normals) look(out(pa, n));
  for (const auto& n : b.normals) look(out(pb, n));
  for (const auto& d : a.edges)
    for (const auto& e : b.edges) look(cross(out(pa, d), out(pb, e)));
  look(wide(pb.p) - wide(pa.p));
  for (const auto* x : {&pa, &pb})
    for (const auto& axis : {column_x(x->R), column_y(x->R), column_z(x->R)}) look(wide(axis));
  std::sort(tried.begin(), tried.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
  Real best = tried[0].first;
  for (std::size_t k = 0; k < 4; ++k) {  // uphill, by ever smaller steps
    auto [s, n] = tried[k];
    int left = 150;
    for (Real step = 0.1L; step > 1e-9L && left-- > 0;) {
      const Vec3<Real> u = unit(cross(n, std::fabs(n.x) < 0.7L ? Vec3<Real>{1, 0, 0} : Vec3<Real>{0, 1, 0}));
      const Vec3<Real> v = cross(n, u);
      bool better = false;
      const Real turn = static_cast<Real>(r.uniform(0, 1));
      for (int i = 0; i < 8; ++i) {
        const Real angle = 0.785398163397448L * (static_cast<Real>(i) + turn);
        const Vec3<Real> m = unit(n + u * (step * std::cos(angle)) + v * (step * std::sin(angle)));
        const Real t = separation(a, pa, b, pb, m);
        if (t > s) s = t, n = m, better = true;
      }
      if (!better) step *= 0.6L;
    }
    best = std::max(best, s);
  }
  return best;
}

inline std::vector<SurfacePair> near_points(const Body& a, const Pose& pa, const Body& b, const Pose& pb,
                                            double margin) {
  std::vector<SurfacePair> points;
  nearest_points(a.solid, pa, b.solid, pb, margin, points);
  return points;
}

inline SurfacePair least(const std::vector<SurfacePair>& points) {
  if (points.empty()) return {.on_a = Point::zero(), .on_b = Point::zero(), .normal = Point::zero(), .gap = HUGE_VAL};
  return *std::min_element(points.begin(), points.end(), [](const auto& x, const auto& y) { return x.gap < y.gap; });
}

inline double distance(const Point& x, const Point& y) { return norm(x - y); }

/// Every point is consistent and on both surfaces, to `rounding`. The sphere at an end of a capsule has its own point,
/// which may lie inside of the capsule where it is not the least.
inline void expect_on_surfaces(const Body& a, const Pose& pa, const Body& b, const Pose& pb,
                               const std::vector<SurfacePair>& points, double rounding) {
  for (const SurfacePair& p : points) {
    EXPECT_NEAR(norm(p.normal), 1, 1e-14);
    EXPECT_LE(distance(p.on_b, p.on_a + p.normal * p.gap), rounding);
    const auto off = [&](const Body& body, const Pose& pose, const Point& x) {
      const Real d = off_surface(body, into_point(pose, x));
      return static_cast<double>(body.kind() == Kind::capsule && p.gap > least(points).gap ? std::max(d, Real(0))
                                                                                           : std::fabs(d));
    };
    EXPECT_LE(off(a, pa, p.on_a), rounding);
    EXPECT_LE(off(b, pb, p.on_b), rounding);
  }
}

}  // namespace zwang::test
