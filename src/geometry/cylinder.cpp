// SPDX-License-Identifier: BSD-3-Clause
// A cylinder and a polytope: capsule, box, convex, or a triangle of a surface. In the frame of the cylinder.
//
// The axis of greatest separation is among the normals at which features of both can be nearest:
//   the caps; the polytope's faces; an edge across the axis; a corner seen from the axis; an edge and a rim, which is a
//   point and an ellipse seen along the edge (cylinder.hpp); a corner and a rim
// Each is evaluated by the support functions of both, s(n) = min n.y - r |n_xy| - h |n_z|, which no normal can make too
// large; so the greatest is exact for the true cylinder. Then points, all exact on its surface:
//   cap            corners of the opposite face within the disc, crossings of its sides with the rim's cylinder, points
//                  of the rim under the face
//   face           points of both rims and ends of the lowest line of the side within the sides of the face; where the
//                  whole cap is near, corners of the face under it and crossings of its sides with the rim
//   otherwise one point; two where an edge lies along the side
#include "geometry/cylinder.hpp"

#include <algorithm>

#include "geometry/segments.hpp"

namespace zwang::geometry {
namespace {

constexpr double k_level = 1e-9;        // of a normal along the axis: across it
constexpr double k_along = 0.05;        // tangent of an edge and the axis: it lies along the side
constexpr double k_nearly_flat = 0.05;  // sine: a face that is nearly across the normal
constexpr double k_past_side = 1e-10;   // of the sizes: on the side of a face

class CylinderContact {
 public:
  /// `part` in the frame of the cylinder.
  CylinderContact(Pair& p, const SolidData& c, const Transform<double>& pose, bool is_a, const Part& part)
      : p_(p),
        c_(c),
        pose_(pose),
        is_a_(is_a),
        part_(part),
        most_(p.margin + part.r),
        size_(c.reach + part.shape.size),
        near_(k_past_side * size_) {}

  void run() {
    if (!search(true)) return;
    const std::size_t before = p_.count();
    if (kind_ == Of::other) return edge_contact();
    kind_ == Of::cap ? cap_points(cap_) : face_points(face_);
    const double s = best_.s;
    if (p_.count() > before &&
        (part_.patch || p_.least_gap(before) + part_.r <= s + 1e-6 * std::fabs(s) + 1e-12 * size_))
      return;
    // Nothing of the one is across from the plane of the other: edges and rims beside it are nearest.
    p_.keep(before);
    if (search(false)) edge_contact();
    if (part_.patch && p_.count() == before) face_points(0);
  }

 private:
  enum class Of { cap, face, other };

  Point normal_of(int face) const { return part_.pose.R * part_.shape.face[face].normal; }
  int opposite(const Point& n) const {
    const Point local = transpose_times(part_.pose.R, n) * -1.0;
    return part_.shape.face_towards(local, part_.shape.farthest(local));
  }

  /// A point y of the part (without its radius) that is s away along n.
  void add(const Point& y, const Point& n, double s, std::uint64_t name) {
    if (s == -HUGE_VAL) return;
    const Point normal = pose_.R * n * (is_a_ ? 1.0 : -1.0), on_b = pose_ * (is_a_ ? y - n * part_.r : y - n * s);
    if (!part_.patch || !p_.has(name, on_b, normal, s - part_.r, near_)) p_.add(on_b, normal, s - part_.r, name);
  }

  /// s(n). Of a patch only where its lowest point has no lower neighbour, and from outside of its surface.
  double separation(const Point& n) {
    const Point local = transpose_times(part_.pose.R, n) * -1.0;
    low_ = part_.shape.farthest(local, low_);
    if (part_.patch && (!part_.is_farthest(local, low_) || !(dot(n, normal_of(0)) < 0) || !(local.z > 0)))
      return -HUGE_VAL;
    return dot(n, part_.point(low_)) - reach_of(c_, n);
  }

  /// Takes a normal if it separates more; false where it separates more than the margin. `own` is what it separates the
  /// feature it was found from: where that is more, the feature is not the lowest along it.
  bool look(Of kind, const Point& n, int feature_of, double own) {
    const double s = separation(n);
    if (s > most_) return false;
    if (own > s + 1e-12 * size_) return true;
    if (s == -HUGE_VAL || !can_win(s, kind)) return true;
    best_ = {.of = Axis::Of::edges, .s = s, .normal = n};
    kind_ = kind;
    (kind == Of::cap ? cap_ : kind == Of::face ? face_ : edge_) = feature_of;
    return true;
  }
  /// Whether a normal that separates s is taken. Planes are preferred to what is no plane.
  bool can_win(double s, Of kind = Of::other) const {
    if (best_.of == Axis::Of::none) return true;
    return kind == Of::other && kind_ == Of::other ? s > best_.s : is_better(s, best_, size_);
  }

  /// The axis; false where the solids are farther apart than the margin. Without planes: among edges, rims and corners.
  bool search(bool planes) {
    best_ = {};
    for (int cap = 0; cap < 2 && planes; ++cap)
      if (!look(Of::cap, {0, 0, cap == 0 ? -1.0 : 1.0}, cap, -HUGE_VAL)) return false;
    for (int f = 0; f < part_.shape.faces && planes; ++f) {
      const Point n = -normal_of(f);
      if (part_.patch) {  // its own normal counts whatever its neighbours are
        const double s = dot(n, part_.point(part_.shape.corners(f)[0])) - reach_of(c_, n);
        if (s > most_) return false;
        if (can_win(s, Of::face)) best_ = {.of = Axis::Of::edges, .s = s, .normal = n}, kind_ = Of::face, face_ = f;
      } else if (!look(Of::face, n, f, -HUGE_VAL)) {
        return false;
      }
    }
    for (int k = 0; k < part_.shape.points; ++k)
      if (!look_at_corner(part_.point(k))) return false;
    bool skipped = false;
    for (int k = 0; k < part_.shape.edges; ++k) {
      if (is_beyond(k))
        skipped = true;
      else if (!look_at_edge(k))
        return false;
    }
    // That they overlap is known when all axes have been looked at: an edge out of reach may have one that separates.
    for (int k = 0; k < part_.shape.edges && skipped && best_.s <= 0 && !part_.patch; ++k)
      if (!look_at_edge(k)) return false;
    return best_.of != Axis::Of::none;
  }

  bool look_at_corner(const Point& y) {
    const double across = std::hypot(y.x, y.y), u = across - c_.r, v = std::fabs(y.z) - c_.half;
    const Point radial = across > 0 ? Point{y.x / across, y.y / across, 0} : Point{1, 0, 0};
    if (u > 0 && v > 0) {
      const double far = std::hypot(u, v);
      const Point n = radial * (u / far) + Point{0, 0, (y.z < 0 ? -v : v) / far};
      if (can_win(far) && !look(Of::other, n, -1, far)) return false;
    }
    return !can_win(u) || look(Of::other, radial, -1, u);
  }

  /// Whether an edge is too far to be nearest.
  bool is_beyond(int k) const {
    const Edge& edge = part_.shape.edge[k];
    const Point from = part_.point(edge.from), to = part_.point(edge.to);
    const double reach = std::fmax(most_, -best_.s);
    const Point wide{c_.r + reach, c_.r + reach, c_.half + reach};
    for (int i = 0; i < 3; ++i)
      if (std::fmin(from[i], to[i]) > wide[i] || std::fmax(from[i], to[i]) < -wide[i]) return true;
    return false;
  }

  bool look_at_edge(int k) {
    const Edge& edge = part_.shape.edge[k];
    const Point from = part_.point(edge.from), to = part_.point(edge.to);
    const double length = norm(to - from);
    if (!(length > 0)) return true;
    const Point e = (to - from) * (1 / length);
    const double level = std::hypot(e.x, e.y);
    if (level > 1e-9)
      for (const double sign : {1.0, -1.0}) {
        const Point n{sign * e.y / level, -sign * e.x / level, 0};
        const double own = dot(n, from) - c_.r;
        if (can_win(own) && !look(Of::other, n, k, own)) return false;
      }
    for (const int cap : {0, 1}) {
      Point normals[2];
      for (int i = 0, count = rim_normals(c_, cap, from, e, normals); i < count; ++i) {
        const Point& n = normals[i];
        const double own = dot(n, from - rim_point(c_, cap, n));
        if (can_win(own) && !look(Of::other, n, k, own)) return false;
      }
    }
    return true;
  }

  /// A cap, and what is opposite to it along the axis.
  void cap_points(int cap) {
    const Point n{0, 0, cap == 0 ? -1.0 : 1.0};
    const int face = opposite(n), low = part_.farthest(-n);
    const auto over = [&](const Point& y) {
      const double s = dot(n, y) - c_.half;
      return part_.patch && s < -2 * c_.half ? -HUGE_VAL : s;  // the surface is behind the cylinder
    };
    const int own[2] = {0, 1};
    const int* const corners = face >= 0 ? part_.shape.corners(face) : own;
    const int count = face >= 0 ? part_.shape.face[face].count : part_.shape.points;
    const int edges = face >= 0 ? count : part_.shape.edges;
    for (int k = 0; k < count; ++k) {
      const Point y = part_.point(corners[k]);
      if (std::hypot(y.x, y.y) <= c_.r + near_ && !(part_.patch && part_.patch->quiet_corner[k]))
        add(y, n, over(y), feature(Touch::corner, cap, part_.point_name(corners[k])));
    }
    for (int k = 0; k < edges; ++k) {
      if (part_.patch && part_.patch->quiet_side[k]) continue;
      const int next = (k + 1) % count;
      const Point from = part_.point(corners[k]), to = part_.point(corners[next]);
      double enter = 0, leave = 1;
      if (!within_circle(c_.r, from, to, enter, leave)) continue;
      for (const int way : {0, 1}) {
        const double t = way == 0 ? enter : leave;
        if (!(t > 0 && t < 1)) continue;
        const Point y = from * (1 - t) + to * t;
        add(y, n, over(y),
            feature(Touch::crossing, cap, part_.edge_name(corners[k], corners[next]),
                    (corners[k] < corners[next]) == (way == 0) ? 0 : 1));
      }
    }
    if (face < 0) return;
    const Point N = normal_of(face), at = part_.point(low);
    if (!(dot(N, n) < -0.1)) return;
    const auto gap = [&](const Point& x) {
      const double s = dot(at - x, N) / dot(n, N);
      return part_.patch && s < -2 * c_.half ? -HUGE_VAL : s;
    };
    rim_points(
        c_, cap, N, [&](const Point& x) { return gap(x) <= most_; },
        [&](const Point& x, int k) {
          const double s = gap(x);
          const Point y = x + n * s;
          if (s > -HUGE_VAL && is_within(face, y, 0)) add(y, n, s, feature(Touch::rim, cap, k, part_.face_name(face)));
        });
  }

  /// A face of the part, and what of the cylinder is opposite to it.
  void face_points(int f) {
    const Face& face = part_.shape.face[f];
    const Point n = -normal_of(f), first = part_.point(part_.shape.corners(f)[0]);
    const Name name = part_.face_name(f);
    const auto gap = [&](const Point& x) { return dot(n, first - x); };
    const auto add_point = [&](const Point& x, std::uint64_t id) { add(x + n * gap(x), n, gap(x), id); };
    for (const int cap : {0, 1}) {
      const bool flat = rim_points(
          c_, cap, n, [&](const Point& x) { return gap(x) <= most_; },
          [&](const Point& x, int k) {
            if (is_within(f, x, gap(x))) add_point(x, feature(Touch::rim, cap, k, part_.patch ? -1 : name));
          });
      if (!flat || !(n.z * (cap == 0 ? -1 : 1) > 0.5)) continue;
      for (int k = 0; k < face.count; ++k) corner_under_cap(f, k, cap, n);
    }
    if (std::hypot(n.x, n.y) < k_level) return;
    // The line of the side that is lowest: where it enters and leaves the sides of the face.
    const Point from = rim_point(c_, 0, n), to = rim_point(c_, 1, n);
    double enter = 0, leave = 1;
    int enters = -1, leaves = -1;
    for (int k = 0; k < face.count; ++k) {
      const double d = beyond(f, k, from), e = beyond(f, k, to);
      if (d <= near_ && e <= near_) continue;
      if (d > -near_ && e > -near_) return;
      const double t = d / (d - e);
      if (d > 0 && t > enter) enter = t, enters = k;
      if (d < 0 && t < leave) leave = t, leaves = k;
    }
    if (!(leave > enter) || (part_.patch && std::fabs(n.z) > k_nearly_flat)) return;
    for (const int k : {enters, leaves})
      if (k >= 0 && !(part_.patch && part_.patch->quiet_side[k])) {
        const double t = k == enters ? enter : leave;
        add_point(from * (1 - t) + to * t, feature(Touch::crossing, side_name(f, k), -1, k == enters ? 0 : 1));
      }
  }

  /// A corner of a face under a cap that is nearly parallel, and where the side that begins there crosses the rim.
  void corner_under_cap(int f, int k, int cap, const Point& n) {
    const int* const corners = part_.shape.corners(f);
    const Point y = part_.point(corners[k]), m = part_.pose.R * part_.shape.sides(f)[k];
    const double z = height_of(cap, c_), up = (y.z - z) / n.z;
    const Point x = y - n * up;  // on the cap
    if (std::hypot(x.x, x.y) <= c_.r + near_ && !(part_.patch && part_.patch->quiet_corner[k]))
      add(y, n, up, feature(Touch::clipped, cap, part_.point_name(corners[k])));
    if (part_.patch && part_.patch->quiet_side[k]) return;
    const double most = c_.r * std::hypot(m.x, m.y), is = dot(m, y) - m.z * z;
    if (!(std::fabs(is) < most)) return;
    const double middle = std::atan2(m.y, m.x), half = std::acos(is / most);
    for (const int way : {0, 1}) {
      const double angle = middle + (way == 0 ? -half : half);
      const Point rim{c_.r * std::cos(angle), c_.r * std::sin(angle), z};
      const double s = dot(n, y - rim);
      if (is_within(f, rim, s)) add(rim + n * s, n, s, feature(Touch::crossing, cap, side_name(f, k), way));
    }
  }

  Name side_name(int f, int k) const {
    const int* const corners = part_.shape.corners(f);
    return part_.edge_name(corners[k], corners[(k + 1) % part_.shape.face[f].count]);
  }
  double beyond(int f, int k, const Point& x) const {
    return dot(part_.pose.R * part_.shape.sides(f)[k], x - part_.point(part_.shape.corners(f)[k]));
  }
  bool is_within(int f, const Point& x, double s) const {
    const double depth = std::fmax(0, -s);
    for (int k = 0; k < part_.shape.face[f].count; ++k)
      if (beyond(f, k, x) > near_ + (part_.patch ? part_.patch->lean[k] * depth : 0)) return false;
    return true;
  }

  /// The nearest points of edges, corners, rims and the side; those of a face that is nearly across the normal.
  void edge_contact() {
    const std::size_t before = p_.count();
    const int face = opposite(best_.normal);
    if (face >= 0 && norm(cross(normal_of(face), best_.normal)) <= k_nearly_flat) {
      face_points(face);
      p_.drop(before, best_.s - part_.r);
    }
    edge_points();
  }

  /// Whether a point is on the edge or corner that it was found from: the nearest features may be others, which are
  /// farther than the margin.
  bool is_there(const Point& y) const {
    if (best_.s <= 0 && !part_.patch) return true;
    const double near = part_.patch ? near_ : 1e-7 * size_;
    if (edge_ < 0) return norm(part_.point(low_) - y) <= near;
    const Edge& e = part_.shape.edge[edge_];
    const Segment s{part_.point(e.from), part_.point(e.to)};
    return norm(s.at(nearest_on(s, y)) - y) <= near;
  }

  void edge_points() {
    const Point& n = best_.normal;
    separation(n);
    if (part_.patch && best_.s < -2 * c_.reach) return;  // the surface is behind the cylinder
    if (std::fabs(n.z) <= k_level) return side_points(n);
    const int cap = n.z < 0 ? 0 : 1;
    const Point y = rim_point(c_, cap, n) + n * best_.s;
    if (is_there(y)) add(y, n, best_.s, feature(Touch::near_edges, cap, found_name()));
  }

  Name found_name() const {
    if (edge_ < 0) return -1 - part_.point_name(low_);
    return part_.edge_name(part_.shape.edge[edge_].from, part_.shape.edge[edge_].to);
  }

  /// An edge or a corner at the side; of an edge that is nearly along it also the ends of what lies side by side.
  void side_points(const Point& n) {
    const std::size_t before = p_.count();
    for (int k = 0; k < part_.shape.edges && !part_.patch; ++k) {
      const Edge& e = part_.shape.edge[k];
      if (edge_ >= 0 ? k == edge_ : e.from == low_ || e.to == low_) ends_of(e, n);
    }
    p_.drop(before, best_.s - part_.r - 1e-12 * size_);
    if (p_.count() > before && p_.least_gap(before) + part_.r <= best_.s + 1e-12 * size_) return;
    Point y = part_.point(low_);
    if (edge_ >= 0) {
      const Edge& e = part_.shape.edge[edge_];
      const Point from = part_.point(e.from), d = part_.point(e.to) - from;
      y = from - d * ((from.x * d.x + from.y * d.y) / (d.x * d.x + d.y * d.y));
    }
    const bool beside = std::fabs(y.z) <= c_.half + near_ || (best_.s <= 0 && !part_.patch);
    if (beside && is_there(y)) add(y, n, best_.s, feature(Touch::near_edges, 2, found_name()));
  }

  void ends_of(const Edge& e, const Point& n) {
    const Segment s{part_.point(e.from), part_.point(e.to)};
    const Point d = s.to - s.from;
    if (!(std::hypot(d.x, d.y) <= k_along * std::fabs(d.z))) return;
    for (const int end : {0, 1}) {
      const double z =
          end == 0 ? std::fmax(-c_.half, std::fmin(s.from.z, s.to.z)) : std::fmin(c_.half, std::fmax(s.from.z, s.to.z));
      const double t = (z - s.from.z) / d.z;
      if (!(t >= -1e-12 && t <= 1 + 1e-12)) continue;
      const Point y = s.at(std::clamp(t, 0.0, 1.0));
      const double across = std::hypot(y.x, y.y);
      const Point radial = across > 0 ? Point{y.x / across, y.y / across, 0} : n;
      if (dot(radial, n) > 0.99) add(y, radial, across - c_.r, feature(Touch::end, part_.edge_name(e.from, e.to), end));
    }
  }

  Pair& p_;
  const SolidData& c_;
  const Transform<double>& pose_;
  const bool is_a_;
  const Part& part_;
  const double most_, size_, near_;
  Axis best_;
  Of kind_ = Of::other;
  int cap_ = 0, face_ = -1, edge_ = -1, low_ = 0;
};

}  // namespace

void cylinder_part(Pair& p, const SolidData& c, const Transform<double>& pose, bool is_a, const Part& part) {
  CylinderContact(p, c, pose, is_a, part).run();
}

void cylinder_polytope(Pair& p) {
  const Part part = part_of(p.b, p.pose);
  cylinder_part(p, p.a, Transform<double>::identity(), true, part);
}

}  // namespace zwang::geometry
