// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of points of contact by the motion of solid b, with a at rest. x on b, n from a to b, v_x = v + w x x:
//
//   plane of a and b    n stays; x = s_b(-n), the point of b that is farthest along -n: dx = v_x + H (w x n), with H
//                       the Hessian of b's support function at -n (Schneider 1993, 2.5); d gap = n . v_x
//   sphere b about c    gap = d_a(c) - r: dn = (Hessian of a's distance) v_c, d gap = n . v_c, c = x + r n
//   a plane of b, a sphere a: the same with the twist of a against b, and all of it carried along with b
// H of a sphere and of a capsule's end r (1 - n n^T), of a vertex and of a cylinder's fixed points 0, of its rim
// r (1 - k k^T) / |n_k|, k along the axis and along the radius; of an ellipsoid with radii D and m = D R^T n
// R D (1 - m m^T / |m|^2) D R^T / |m|. The point between the surfaces is x - n gap / 2.
//
// Others: central differences with twice extrapolated steps (Richardson), on lengths k_step and angles k_step; where
// features change within a step, or the estimates differ, shorter ones: faces that lie on each other keep the one whose
// normal is taken up to a tilt of 1e-6. What has a kink there is not smooth.
#include "geometry/point_motion.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/cylinder.hpp"
#include "geometry/pair.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::geometry {
namespace {

constexpr double k_step[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};  // rad, and of the smaller solid's size
constexpr double k_good = 1e-9;      // differences of estimates that no shorter step is tried for
constexpr double k_bad = 1e-4;       // those of what has a kink
constexpr double k_same = 1e-9;      // of the sizes: a vertex, a face
constexpr double k_parallel = 1e-5;  // of two faces, either of which may be the one whose normal is taken

struct Twist {
  Point v, w;
  Point at(const Point& x) const { return v + cross(w, x); }
  Twist operator-() const { return {-v, -w}; }
};
struct Change {
  Point point, normal;
  double gap;
};

void put(int column, const Change& c, PointMotion& out) {
  for (int i = 0; i < 3; ++i) out.point[i][column] = c.point[i], out.normal[i][column] = c.normal[i];
  out.gap[column] = c.gap;
}
Twist unit(int k) {
  Twist t{Point::zero(), Point::zero()};
  (k < 3 ? t.v : t.w)[k % 3] = 1;
  return t;
}
/// change(twist) is that of b against a; `exchanged`: that of a against b.
template <class F> void write(const SurfacePair& at, bool exchanged, F&& change, PointMotion& out) {
  const Point p = (at.on_a + at.on_b) * 0.5;
  out.is_exact = true, out.error = 0;
  for (int k = 0; k < 6; ++k) {
    const Twist t = unit(k);
    if (!exchanged) {
      put(k, change(t), out);
      continue;
    }
    Change c = change(-t);
    c.point = c.point + t.at(p);
    c.normal = -c.normal + cross(t.w, at.normal);  // its normal is from b to a
    put(k, c, out);
  }
}

Mat3<double> minus_outer(const Mat3<double>& m, const Point& a, double weight) {
  Mat3<double> out = m;
  for (int i = 0; i < 3; ++i) out[i] = out[i] - a * (a[i] * weight);
  return out;
}
/// R D R^T, D diagonal.
Mat3<double> turned(const Mat3<double>& R, const Point& d) {
  Mat3<double> m = transpose(R);
  for (int i = 0; i < 3; ++i) m[i] = m[i] * d[i];
  return R * m;
}

/// The Hessian of b's support function where its point has the name `feature` and the outward normal `out`, world axes.
Mat3<double> support_hessian(const Solid& b, const Transform<double>& pose, const Point& out, std::uint64_t name) {
  const SolidData& d = b.data();
  switch (b.kind()) {
    case Solid::Kind::sphere:
    case Solid::Kind::capsule: return minus_outer(Mat3<double>::identity(), out, 1) * d.r;
    case Solid::Kind::cylinder: {
      if (name != feature(Touch::rim, 0, k_lowest) && name != feature(Touch::rim, 1, k_lowest)) break;
      const Point axis = column_z(pose.R), across = cross(axis, out);
      const double level = norm(across);
      if (!(level > 0)) break;
      const Point around = across * (1 / level);
      return minus_outer(Mat3<double>::zero(), around, -d.r / level);
    }
    case Solid::Kind::ellipsoid: {
      const Point u = transpose_times(pose.R, out), m{d.size.x * u.x, d.size.y * u.y, d.size.z * u.z};
      const double reach = norm(m);
      const Point x{d.size.x * m.x / reach, d.size.y * m.y / reach, d.size.z * m.z / reach};
      const Point squares{d.size.x * d.size.x, d.size.y * d.size.y, d.size.z * d.size.z};
      return minus_outer(turned(pose.R, squares), pose.R * x, 1) * (1 / reach);
    }
    default: break;
  }
  return Mat3<double>::zero();
}

Change on_plane(const Twist& t, const Point& n, const Point& x, const Mat3<double>& H) {
  const Point moved = t.at(x) + H * cross(t.w, n);
  const double gap = dot(n, t.at(x));
  return {moved - n * (0.5 * gap), Point::zero(), gap};
}

/// (1 + d K)^-1 K for the curvature K of an ellipsoid's surface at x, whose distance is d: in its axes.
Mat3<double> ellipsoid_hessian(const Point& radii, const Point& x, const Point& n, double distance) {
  Point squares;
  for (int i = 0; i < 3; ++i) squares[i] = 1 / (radii[i] * radii[i]);
  const double slope = norm(Point{x.x * squares.x, x.y * squares.y, x.z * squares.z});
  // In a basis of the tangents.
  const Point e = std::fabs(n.x) < 0.7 ? Point{1, 0, 0} : Point{0, 1, 0};
  Point t1 = e - n * dot(n, e);
  t1 = t1 * (1 / norm(t1));
  const Point t2 = cross(n, t1);
  const auto curved = [&](const Point& s, const Point& t) {
    return (s.x * t.x * squares.x + s.y * t.y * squares.y + s.z * t.z * squares.z) / slope;
  };
  const double a = curved(t1, t1), b = curved(t1, t2), c = curved(t2, t2), D = a * c - b * b;
  // (1 + d K)^-1 K of 2 x 2: (K + d det K 1) / det(1 + d K)
  const double det = 1 + distance * (a + c) + distance * distance * D, k = 1 / det;
  const double h11 = (a + distance * D) * k, h12 = b * k, h22 = (c + distance * D) * k;
  Mat3<double> out = Mat3<double>::zero();
  for (int i = 0; i < 3; ++i) out[i] = t1 * (h11 * t1[i] + h12 * t2[i]) + t2 * (h12 * t1[i] + h22 * t2[i]);
  return out;
}

/// The Hessian of the distance of c from the surface of a, world axes. False: there is none.
bool distance_hessian(const Solid& a, const Transform<double>& pose, const Point& centre, const Point& normal,
                      double distance, Mat3<double>& out) {
  const SolidData& d = a.data();
  const Point c = transpose_times(pose.R, centre - pose.p), n = transpose_times(pose.R, normal);
  Point free{1, 1, 1};  // what of c is a distance from
  double far = 0;
  switch (a.kind()) {
    case Solid::Kind::sphere: far = norm(c); break;
    case Solid::Kind::capsule:
      free.z = std::fabs(c.z) > d.half ? 1 : 0;
      far = std::hypot(c.x, c.y, c.z - std::clamp(c.z, -d.half, d.half));
      break;
    case Solid::Kind::box: {
      Point off;
      for (int k = 0; k < 3; ++k) {
        off[k] = c[k] - std::clamp(c[k], -d.size[k], d.size[k]);
        free[k] = off[k] != 0 ? 1 : 0;
      }
      far = norm(off);
      if (!(far > 0)) return out = Mat3<double>::zero(), true;  // inside: a face
      break;
    }
    case Solid::Kind::cylinder: {
      const double across = std::hypot(c.x, c.y), u = across - d.r, v = std::fabs(c.z) - d.half;
      if (!(u > 0 && v > 0) && u <= v) return out = Mat3<double>::zero(), true;  // a cap
      if (!(across > 0)) return false;
      const Point around{-c.y / across, c.x / across, 0}, side = cross(around, n);
      const double radial = std::hypot(n.x, n.y);
      Mat3<double> m = minus_outer(Mat3<double>::zero(), around, -radial / across);
      if (u > 0 && v > 0) m = minus_outer(m, side, -1 / std::hypot(u, v));
      out = pose.R * (m * transpose(pose.R));
      return true;
    }
    case Solid::Kind::ellipsoid: {
      const Mat3<double> m = ellipsoid_hessian(d.size, c - n * distance, n, distance);
      out = pose.R * (m * transpose(pose.R));
      return true;
    }
    default: return false;
  }
  if (!(far > 0)) return false;
  out = minus_outer(turned(pose.R, free), normal, 1) * (1 / far);
  return true;
}

bool has_faces(const Solid& a) { return a.kind() == Solid::Kind::box || a.kind() == Solid::Kind::convex; }
bool is_point_like(const Solid& b) { return has_faces(b) || b.kind() == Solid::Kind::capsule; }

bool has_face(const Solid& a, const Transform<double>& pose, const Point& n, double near) {
  const Point normal = transpose_times(pose.R, n);
  const std::vector<Face>& faces = a.data().polytope.face;
  return std::any_of(faces.begin(), faces.end(), [&](const Face& f) { return norm(f.normal - normal) <= near; });
}

/// Whether n is the normal of a face of a, of no face of b, and x on b is one of its vertices, or the end of a capsule.
bool is_vertex_on_face(const Solid& a, const Transform<double>& pose_a, const Solid& b, const Transform<double>& pose_b,
                       const Point& n, const Point& x) {
  const Point at = transpose_times(pose_b.R, x + n * b.data().r - pose_b.p);
  const std::vector<Point>& points = b.data().polytope.point;
  return has_face(a, pose_a, n, k_same) && !has_face(b, pose_b, -n, k_parallel) &&
         std::any_of(points.begin(), points.end(), [&](const Point& p) { return norm(p - at) <= k_same * b.radius(); });
}

/// b against a where a formula holds.
template <class F> bool exact(const Solid& a, const Transform<double>& pose_a, const Solid& b,
                              const Transform<double>& pose_b, const Point& n, const Point& on_b, double gap,
                              std::uint64_t name, F&& take) {
  const bool plane = a.kind() == Solid::Kind::half_space && b.kind() != Solid::Kind::height_field;
  if (plane || (has_faces(a) && is_point_like(b) && is_vertex_on_face(a, pose_a, b, pose_b, n, on_b))) {
    const Mat3<double> H = support_hessian(b, pose_b, -n, name);
    take([&](const Twist& t) { return on_plane(t, n, on_b, H); });
    return true;
  }
  if (b.kind() != Solid::Kind::sphere) return false;
  const double r = b.data().r;
  const Point c = on_b + n * r;
  Mat3<double> K;
  if (!distance_hessian(a, pose_a, c, n, gap + r, K)) return false;
  take([&](const Twist& t) {
    const Point moved = t.at(c), turn = K * moved;
    const double opens = dot(n, moved);
    return Change{moved - turn * (r + 0.5 * gap) - n * (0.5 * opens), turn, opens};
  });
  return true;
}

/// The point of this name at another pose of b, near where it was; false: there is none.
bool again(const Solid& a, const Transform<double>& pose_a, const Solid& b, const Transform<double>& pose_b,
           const SurfacePair& at, double margin, std::vector<SurfacePair>& room, double (&out)[7]) {
  room.clear();
  nearest_points(a, pose_a, b, pose_b, margin, room);
  const SurfacePair* best = nullptr;
  double least = HUGE_VAL;
  for (const SurfacePair& x : room) {
    const double off = norm(x.on_a - at.on_a);
    if (x.feature != at.feature || !(off < least)) continue;
    best = &x, least = off;
  }
  if (best == nullptr) return false;
  for (int i = 0; i < 3; ++i) out[i] = 0.5 * (best->on_a[i] + best->on_b[i]), out[3 + i] = best->normal[i];
  out[6] = best->gap;
  return true;
}

}  // namespace

bool point_motion_by_differences(const Solid& a, const Transform<double>& pose_a, const Solid& b,
                                 const Transform<double>& pose_b, const SurfacePair& at, PointMotion& out) {
  const double size = std::fmin(a.radius(), b.radius());
  const Point p = (at.on_a + at.on_b) * 0.5;
  std::vector<SurfacePair> room;
  out.error = HUGE_VAL;
  for (const double step : k_step) {
    // Along unit velocities of b at p (times its size) and along turns about p.
    double D[7][6], error = 0;
    bool found = true;
    const double margin = std::fabs(at.gap) + 8 * step * size;
    double middle[7];
    if (!again(a, pose_a, b, pose_b, at, margin, room, middle)) continue;
    for (int k = 0; k < 6 && found; ++k) {
      double by[3][7], kink[3] = {};
      for (int level = 0; level < 3 && found; ++level) {
        const double s = step / (1 << level);
        double side[2][7];
        for (const int sign : {0, 1}) {
          const double d = sign == 0 ? -s : s;
          Point turn = Point::zero(), shift = Point::zero();
          if (k < 3)
            shift[k] = d * size;
          else
            turn[k - 3] = d;
          const Mat3<double> R = exp_so3(turn);
          const Transform<double> moved(R * pose_b.R, p + R * (pose_b.p - p) + shift);
          found = found && again(a, pose_a, b, moved, at, margin, room, side[sign]);
        }
        for (int i = 0; i < 7 && found; ++i) {
          const double unit_of = (i >= 3 && i < 6 ? 1 : size);
          by[level][i] = (side[1][i] - side[0][i]) / (2 * s);
          kink[level] = std::fmax(kink[level], std::fabs(side[1][i] + side[0][i] - 2 * middle[i]) / (s * unit_of));
        }
      }
      if (!found) break;
      if (kink[2] > k_bad && kink[2] > 0.5 * kink[0]) found = false;  // of what is smooth it falls with the step
      for (int i = 0; i < 7; ++i) {
        const double unit_of = (i >= 3 && i < 6 ? 1 : size);
        const double first = (4 * by[1][i] - by[0][i]) / 3, second = (4 * by[2][i] - by[1][i]) / 3;
        D[i][k] = (16 * second - first) / 15;
        error = std::fmax(error, std::fabs(second - first) / unit_of);
      }
    }
    if (!found || !(error < out.error)) continue;
    out.error = error;
    for (int k = 0; k < 6; ++k) {  // a twist of the world: v at p, and w
      const Twist t = unit(k);
      const Point v = t.at(p) * (1 / size);
      double x[7];
      for (int i = 0; i < 7; ++i) {
        x[i] = 0;
        for (int l = 0; l < 3; ++l) x[i] += D[i][l] * v[l] + D[i][3 + l] * t.w[l];
      }
      put(k, {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, x[6]}, out);
    }
    if (error <= k_good) break;
  }
  out.is_exact = false;
  return out.error <= k_bad;
}

bool point_motion(const Solid& a, const Transform<double>& pose_a, const Solid& b, const Transform<double>& pose_b,
                  const SurfacePair& at, PointMotion& out) {
  if (exact(a, pose_a, b, pose_b, at.normal, at.on_b, at.gap, at.feature,
            [&](auto&& change) { write(at, false, change, out); }))
    return true;
  if (exact(b, pose_b, a, pose_a, -at.normal, at.on_a, at.gap, at.feature,
            [&](auto&& change) { write(at, true, change, out); }))
    return true;
  return point_motion_by_differences(a, pose_a, b, pose_b, at, out);
}

}  // namespace zwang::geometry
