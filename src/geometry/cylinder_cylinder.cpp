// SPDX-License-Identifier: BSD-3-Clause
// Two cylinders. The axis of greatest separation s(n) = n.t - h_a(n) - h_b(n), h = r |n across| + half |n along|, is
//   a cap of one; across both axes; a rim of one and the side of the other, which is an ellipse and a point seen along
//   the other's axis (cylinder.hpp); two rims: n where the gradient of s along the unit sphere is 0, by Newton's steps
//   s = n.d - r_a |A n| - r_b |B n|,  gradient g = d - r_a A n / |A n| - r_b B n / |B n|,  A, B across the axes,
//   Hessian along the sphere: -r_a t_a t_a' / |A n| - r_b t_b t_b' / |B n| - s,  t the tangents of the rims
// Apart, or overlapping by little, this is the distance or depth. Deep inside of each other solids have several ways
// out that are least among their neighbours: in 1 of 1000 the one found is longer than the shortest, by less than 1 %.
// Points of a cap: of both rims, of the lowest line of the other's side within the disc, crossings of two rims.
// Otherwise one point; two where the axes are parallel to 1e-6.
#include <algorithm>

#include "geometry/cylinder.hpp"

namespace zwang::geometry {
namespace {

constexpr double k_across = 1e-9;  // of a normal along an axis: across it
constexpr double k_axes = 1e-6;    // sine: axes side by side
constexpr int k_most = 16;         // normals of caps, across the axes and of rims and sides

class Drums {
 public:
  explicit Drums(Pair& p)
      : p_(p),
        a_(p.a),
        b_(p.b),
        x_(p.pose),
        back_(inverse(p.pose)),
        size_(p.a.reach + p.b.reach),
        near_(1e-10 * size_) {}

  void run() {
    if (!search(true)) return;
    if (kind_ == Of::other) return other_point();
    kind_ == Of::cap_a ? cap_points(a_, b_, x_, true) : cap_points(b_, a_, back_, false);
    if (p_.count() > 0 && p_.least_gap() <= s_ + 1e-6 * std::fabs(s_) + 1e-12 * size_) return;
    p_.keep(0);
    if (search(false)) other_point();
  }

 private:
  enum class Of { none, cap_a, cap_b, other };

  Point in_b(const Point& n) const { return transpose_times(x_.R, n); }
  double separation(const Point& n) const { return dot(n, x_.p) - reach_of(a_, n) - reach_of(b_, in_b(n)); }

  bool look(Of kind, const Point& n) {
    const double s = separation(n);
    if (s > p_.margin) return false;
    if (count_ < k_most) tried_[count_++] = n;
    const bool plane = kind_ == Of::cap_a || kind_ == Of::cap_b || kind != Of::other;
    const double step = plane ? 1e-6 * std::fabs(s_) + 1e-12 * size_ : 0;
    if (kind_ == Of::none || s > s_ + step) s_ = s, n_ = n, kind_ = kind;
    return true;
  }

  bool search(bool planes) {
    kind_ = Of::none, s_ = -HUGE_VAL, count_ = 0;
    const Point up{0, 0, 1}, axis = column_z(x_.R);
    for (const double sign : {1.0, -1.0})
      if (planes && (!look(Of::cap_a, up * sign) || !look(Of::cap_b, axis * sign))) return false;
    Point across = cross(up, axis);
    if (norm(across) > k_across) {
      across = across * (1 / norm(across));
    } else {
      const double far = std::hypot(x_.p.x, x_.p.y);
      across = far > 0 ? Point{x_.p.x / far, x_.p.y / far, 0} : Point{1, 0, 0};
    }
    if (!look(Of::other, across) || !look(Of::other, -across)) return false;
    for (const int cap : {0, 1}) {
      Point normals[2];
      for (int i = 0, count = rim_normals(a_, cap, x_.p, axis, normals); i < count; ++i)
        if (!look(Of::other, normals[i])) return false;
      const Point axis_a = column_z(back_.R);
      for (int i = 0, count = rim_normals(b_, cap, back_.p, axis_a, normals); i < count; ++i)
        if (!look(Of::other, x_.R * normals[i] * -1.0)) return false;
    }
    // Overlapping solids have several least overlaps: from each normal so far, and from centre to centre.
    const int first = count_;
    for (int k = 0; k < first; ++k)
      if (!look_at_rims(tried_[k])) return false;
    return look_at_rims(norm(x_.p) > 0 ? x_.p * (1 / norm(x_.p)) : up) && look_at_rims(n_);
  }

  /// From a normal to those of two rims: of the caps it points at, and of the others.
  bool look_at_rims(const Point& from) {
    const int cap_a = from.z < 0 ? 0 : 1, cap_b = dot(column_z(x_.R), from) > 0 ? 0 : 1;
    for (int k = 0; k < 4; ++k) {
      Point n = from;
      if (rims(cap_a ^ (k & 1), cap_b ^ (k >> 1), n) && !look(Of::other, n)) return false;
    }
    return true;
  }

  /// Newton's steps from n to the normal of two rims; false where they lead nowhere.
  bool rims(int cap_a, int cap_b, Point& n) const {
    const Point up{0, 0, 1}, axis = column_z(x_.R);
    const Point d = x_ * Point{0, 0, height_of(cap_b, b_)} - Point{0, 0, height_of(cap_a, a_)};
    const auto value = [&](const Point& m) {
      return dot(m, d) - a_.r * norm(cross(up, m)) - b_.r * norm(cross(axis, m));
    };
    for (int k = 0; k < 40; ++k) {
      const Point ta = cross(up, n), tb = cross(axis, n);
      const double la = norm(ta), lb = norm(tb);
      if (!(la > k_across && lb > k_across)) return false;
      const double s = value(n);
      Point g = d - (n - up * n.z) * (a_.r / la) - (n - axis * dot(axis, n)) * (b_.r / lb);
      g = g - n * dot(g, n);
      // A frame across n; the Hessian in it.
      const Point u = ta * (1 / la), v = cross(n, u), w = tb * (1 / lb);
      const double ka = a_.r / la, kb = b_.r / lb, wu = dot(w, u), wv = dot(w, v);
      const double huu = -ka - kb * wu * wu - s, huv = -kb * wu * wv, hvv = -kb * wv * wv - s;
      const double det = huu * hvv - huv * huv, gu = dot(g, u), gv = dot(g, v);
      Point step = g;
      if (det > 0 && huu < 0) step = u * (-(hvv * gu - huv * gv) / det) + v * (-(huu * gv - huv * gu) / det);
      double length = norm(step);
      if (length > 0.5) step = step * (0.5 / length), length = 0.5;
      if (!(length > 1e-16)) return true;
      Point next = n;
      for (double part = 1; part > 1e-6; part *= 0.5) {
        next = n + step * part;
        next = next * (1 / norm(next));
        if (value(next) >= s - 1e-15 * size_) break;
      }
      const bool uphill = value(next) > s + 1e-12 * size_;
      n = next;
      if (length < 1e-14) return true;
      if (!uphill && !(det > 0 && huu < 0)) return false;
    }
    return true;
  }

  /// A point y of the second solid in the frame of one of them.
  void add(bool frame_is_a, const Point& y, const Point& n, double gap, std::uint64_t name) {
    if (frame_is_a)
      p_.add(y, n, gap, name);
    else
      p_.add(x_ * (y - n * gap), x_.R * n * -1.0, gap, name);
  }

  /// The cap of c that faces the other cylinder, whose pose in c is x.
  void cap_points(const SolidData& c, const SolidData& other, const Transform<double>& x, bool is_a) {
    const Point n{0, 0, (is_a ? n_.z : dot(column_z(x_.R), n_) * -1.0) < 0 ? -1.0 : 1.0};
    const int cap = n.z < 0 ? 0 : 1;
    const long own = 2 * cap + (is_a ? 1 : 0);
    const Point down = transpose_times(x.R, n) * -1.0;
    const auto height = [&](const Point& y) { return dot(n, y) - c.half; };
    const auto is_within = [&](const Point& y) { return std::hypot(y.x, y.y) <= c.r + near_; };
    const auto add_point = [&](const Point& y, std::uint64_t name) { add(is_a, y, n, height(y), name); };
    for (const int k : {0, 1}) {
      const bool flat = rim_points(
          other, k, down, [&](const Point& y) { return height(x * y) <= p_.margin; },
          [&](const Point& y, int i) {
            if (is_within(x * y)) add_point(x * y, feature(Touch::rim, own, k, i));
          });
      const Point N = column_z(x.R) * (k == 0 ? -1.0 : 1.0), centre = x * Point{0, 0, height_of(k, other)};
      if (!flat || !(dot(N, n) < -0.5)) continue;
      for (int i = 0; i < 4; ++i) {
        const Point from{i == 0 ? c.r : i == 2 ? -c.r : 0, i == 1 ? c.r : i == 3 ? -c.r : 0, n.z * c.half};
        const Point y = from + n * (dot(centre - from, N) / dot(n, N));
        if (norm(y - centre) <= other.r + near_) add_point(y, feature(Touch::clipped, own, k, i));
      }
      cross_rims(c, other, x, centre, k,
                 [&](const Point& y, int i) { add_point(y, feature(Touch::crossing, own, k, i)); });
    }
    if (std::hypot(down.x, down.y) < k_across) return;
    const Point from = x * rim_point(other, 0, down), to = x * rim_point(other, 1, down);
    double enter = 0, leave = 0;
    if (!within_circle(c.r, from, to, enter, leave)) return;
    for (const int k : {0, 1}) {
      const double t = k == 0 ? enter : leave;
      if (t > 0 && t < 1) add_point(from * (1 - t) + to * t, feature(Touch::crossing, own, 2, k));
    }
  }

  /// Points of the other's rim on the side of c: from those of circles in a plane, by Newton's steps along the rim.
  template <class Visit> void cross_rims(const SolidData& c, const SolidData& other, const Transform<double>& x,
                                         const Point& centre, int cap, Visit&& visit) {
    const double far = std::hypot(centre.x, centre.y);
    if (!(far > std::fabs(c.r - other.r) + near_ && far < c.r + other.r)) return;
    const double along = (far * far + other.r * other.r - c.r * c.r) / (2 * far);
    const double aside = std::sqrt(std::max(0.0, other.r * other.r - along * along));
    const Point e{-centre.x / far, -centre.y / far, 0}, f{-e.y, e.x, 0};
    for (const int way : {0, 1}) {
      const Point v = transpose_times(x.R, e * along + f * (way == 0 ? aside : -aside));
      double angle = std::atan2(v.y, v.x);
      Point y;
      for (int k = 0; k < 6; ++k) {
        y = x * Point{other.r * std::cos(angle), other.r * std::sin(angle), height_of(cap, other)};
        const Point d = x.R * Point{-other.r * std::sin(angle), other.r * std::cos(angle), 0};
        const double slope = 2 * (y.x * d.x + y.y * d.y);
        if (slope != 0) angle -= (y.x * y.x + y.y * y.y - c.r * c.r) / slope;
      }
      if (std::fabs(std::hypot(y.x, y.y) - c.r) <= near_) visit(y, way);
    }
  }

  void other_point() {
    const Point m = in_b(n_) * -1.0;
    const bool rim_a = std::fabs(n_.z) > k_across, rim_b = std::fabs(m.z) > k_across;
    const auto name = [&](int a, int b) { return feature(Touch::near_edges, a, b); };
    const int cap_a = n_.z < 0 ? 0 : 1, cap_b = m.z < 0 ? 0 : 1;
    if (rim_b) return p_.add(x_ * rim_point(b_, cap_b, m), n_, s_, name(rim_a ? cap_a : 2, cap_b));
    if (rim_a) return p_.add(rim_point(a_, cap_a, n_) + n_ * s_, n_, s_, name(cap_a, 2));
    // Side and side: where the axes are nearest, or the ends of what lies side by side.
    const Point axis = column_z(x_.R), at{x_.p.x, x_.p.y, 0};
    const double level = axis.x * axis.x + axis.y * axis.y;
    if (level > k_axes * k_axes) {
      const Point y = x_.p - axis * (dot(axis, at) / level);
      return p_.add(y - n_ * b_.r, n_, s_, name(2, 2));
    }
    const double reach = b_.half * std::fabs(axis.z);
    for (const int end : {0, 1}) {
      const double z = end == 0 ? std::max(-a_.half, x_.p.z - reach) : std::min(a_.half, x_.p.z + reach);
      const Point y = x_.p + axis * ((z - x_.p.z) / axis.z);
      p_.add(y - n_ * b_.r, n_, s_, feature(Touch::end, end));
    }
  }

  Pair& p_;
  const SolidData &a_, &b_;
  const Transform<double> x_, back_;  ///< of b in a, of a in b
  const double size_, near_;
  Of kind_ = Of::none;
  double s_ = -HUGE_VAL;
  Point n_ = Point::zero();
  Point tried_[k_most];
  int count_ = 0;
};

}  // namespace

void cylinder_cylinder(Pair& p) { Drums(p).run(); }

}  // namespace zwang::geometry
