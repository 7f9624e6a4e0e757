// SPDX-License-Identifier: BSD-3-Clause
#include "io/solids.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace zwang::io {

namespace {

constexpr double k_pi = std::numbers::pi;

Solid about_z(double volume, double across, double along) {
  return {volume, Sym3<double>::diagonal(across, across, along)};
}

Solid ball(double volume, double moment) { return {volume, Sym3<double>::diagonal(moment, moment, moment)}; }

}  // namespace

Solid solid_sphere(double r) { return ball(4.0 / 3 * k_pi * r * r * r, 0.4 * r * r); }
Solid shell_sphere(double r) { return ball(4 * k_pi * r * r, 2.0 / 3 * r * r); }

Solid solid_cylinder(double r, double half) {
  return about_z(2 * k_pi * r * r * half, (3 * r * r + 4 * half * half) / 12, r * r / 2);
}

Solid solid_capsule(double r, double half) {
  const double h = 2 * half, ends = 4.0 / 3 * r / (h + 4.0 / 3 * r), tube = 1 - ends;
  const double across = tube * (3 * r * r + h * h) / 12 + ends * (0.4 * r * r + h * (3 * r + 2 * h) / 8);
  return about_z(k_pi * r * r * (h + 4.0 / 3 * r), across, tube * r * r / 2 + ends * 0.4 * r * r);
}

/// A half sphere's centre lies r / 2 from its base: parallel axes from there.
Solid shell_capsule(double r, double half) {
  const double h = 2 * half, caps = 2 * r / (2 * r + h), tube = 1 - caps;
  const double across =
      tube * (6 * r * r + h * h) / 12 + caps * (2.0 / 3 * r * r + (half + r / 2) * (half + r / 2) - r * r / 4);
  return about_z(2 * k_pi * r * (2 * r + h), across, tube * r * r + caps * 2.0 / 3 * r * r);
}

Solid shell_cylinder(double r, double half) {
  const double h = 2 * half, disc = k_pi * r * r, wall = 2 * k_pi * r * h, area = 2 * disc + wall;
  const double discs = 2 * disc / area, tube = wall / area;
  return about_z(area, tube * (6 * r * r + h * h) / 12 + discs * (r * r / 4 + half * half),
                 tube * r * r + discs * r * r / 2);
}

Solid solid_box(double a, double b, double c) {
  return {8 * a * b * c, Sym3<double>::diagonal((b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3)};
}

/// Six plates: of a pair at distance a, the part of the mass and its moments.
Solid shell_box(double a, double b, double c) {
  const double area = 8 * (b * c + c * a + a * b);
  const double x = 8 * b * c / area, y = 8 * c * a / area, z = 8 * a * b / area;
  const double aa = a * a * (x + y / 3 + z / 3), bb = b * b * (y + x / 3 + z / 3), cc = c * c * (z + x / 3 + y / 3);
  return {area, Sym3<double>::diagonal(bb + cc, aa + cc, aa + bb)};
}

Solid solid_ellipsoid(double a, double b, double c) {
  return {4.0 / 3 * k_pi * a * b * c,
          Sym3<double>::diagonal((b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5)};
}

Solid shell_ellipsoid(double a, double b, double c) {
  constexpr double p = 1.6075, layer = 1e-6;
  const double x = std::pow(a, p), y = std::pow(b, p), z = std::pow(c, p);
  const Solid in = solid_ellipsoid(a, b, c), out = solid_ellipsoid(a + layer, b + layer, c + layer);
  return {4 * k_pi * std::pow((x * y + x * z + y * z) / 3, 1 / p),
          (out.inertia * out.volume - in.inertia * in.volume) * (1 / (out.volume - in.volume))};
}

// ---- meshes

Surface surface_of(const TriangleMesh& mesh, const Vec3<double>& scale) {
  Surface out;
  out.points.reserve(mesh.points.size());
  for (const std::array<float, 3>& p : mesh.points)
    out.points.push_back({scale.x * p[0], scale.y * p[1], scale.z * p[2]});
  const bool mirrored = scale.x * scale.y * scale.z < 0;
  out.triangles.reserve(mesh.triangles.size());
  for (const std::array<std::uint32_t, 3>& t : mesh.triangles) {
    const std::array<int, 3> corner{static_cast<int>(t[0]), static_cast<int>(t[1]), static_cast<int>(t[2])};
    out.triangles.push_back({corner[0], corner[mirrored ? 2 : 1], corner[mirrored ? 1 : 2]});
  }
  return out;
}

/// About the centre m, each pyramid has the second moment v / 20 (aa + bb + cc + ss), s = a + b + c, and each triangle
/// of a shell the same with v / 12, corners relative to m.
MeshBody mesh_body(const Surface& surface, MeshMass how) {
  const auto each = [&](auto&& f) {
    const auto at = [&](int k) { return surface.points[static_cast<std::size_t>(k)]; };
    for (const std::array<int, 3>& t : surface.triangles) f(at(t[0]), at(t[1]), at(t[2]));
  };
  using Point = Vec3<double>;
  MeshBody body;
  double area = 0;
  Point middle = Point::zero();  // of the surface
  each([&](const Point& p, const Point& q, const Point& r) {
    const double a = norm(cross(q - p, r - p)) / 2;
    area += a;
    middle += (p + q + r) * (a / 3);
  });
  if (!(area > 0)) return body;
  middle = middle * (1 / area);
  const auto weight = [&](const Point& p, const Point& q, const Point& r, const Point& from) {
    const Point n = cross(q - p, r - p);
    if (how == MeshMass::shell) return norm(n) / 2;
    const double v = dot((p + q + r) * (1.0 / 3) - from, n) / 6;
    return how == MeshMass::legacy ? std::fabs(v) : v;
  };
  Point sum = Point::zero();
  each([&](const Point& p, const Point& q, const Point& r) {
    const Point c = (p + q + r) * (1.0 / 3);
    const double v = weight(p, q, r, middle);
    body.volume += v;
    sum += (how == MeshMass::shell ? c : c * 0.75 + middle * 0.25) * v;
  });
  if (!(body.volume > 0)) return body;
  body.centre = sum * (1 / body.volume);
  double total = 0;
  Sym3<double> second = Sym3<double>::zero();
  each([&](const Point& p, const Point& q, const Point& r) {
    const double v = weight(p, q, r, body.centre);
    total += v;
    const Point a = p - body.centre, b = q - body.centre, c = r - body.centre;
    for (const Point& x : {a, b, c, a + b + c}) {
      const double k = v / (how == MeshMass::shell ? 12 : 20);
      second += Sym3<double>{x.x * x.x, x.x * x.y, x.x * x.z, x.y * x.y, x.y * x.z, x.z * x.z} * k;
    }
  });
  body.volume = total;  // from the centre, as in MuJoCo: without signs, or of an open mesh, it depends on the point
  const double s = trace(second);
  body.inertia = (Sym3<double>::diagonal(s, s, s) - second) * (1 / total);
  const Sym3<double>& I = body.inertia;
  const bool finite = std::isfinite(total) && std::isfinite(norm(body.centre)) && std::isfinite(trace(I)) &&
                      std::isfinite(I.xy) && std::isfinite(I.xz) && std::isfinite(I.yz);
  return finite ? body : MeshBody();  // overflow
}

SurfaceFault fault_of(const Surface& surface) {
  struct Edge {
    int low, high;
    bool up;  ///< the triangle goes from low to high
  };
  std::vector<Edge> edges;
  edges.reserve(3 * surface.triangles.size());
  for (const std::array<int, 3>& t : surface.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), a < b});
    }
  const auto same = [](const Edge& a, const Edge& b) { return a.low == b.low && a.high == b.high; };
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.low != b.low ? a.low < b.low : a.high < b.high; });
  bool inconsistent = false;
  for (std::size_t k = 0; k < edges.size();) {
    long up = 0, down = 0;
    std::size_t end = k;
    for (; end < edges.size() && same(edges[end], edges[k]); ++end) (edges[end].up ? up : down) += 1;
    if ((up + down) % 2 != 0) return SurfaceFault::open;
    inconsistent = inconsistent || up != down;
    k = end;
  }
  return inconsistent ? SurfaceFault::inconsistent : SurfaceFault::none;
}

}  // namespace zwang::io
