// SPDX-License-Identifier: BSD-3-Clause
// From the axis of greatest separation of two polytopes to their points of contact.
//
//   face          the two faces are clipped (clip.cpp). Where the least of these points is not as near as the axis
//                 says, the nearest features are edges or corners beside the face.
//   edges         the nearest points of the two lines; the gap is the height along the normal
//   apart, beside a face: the nearest points of all pairs of edges, which are those of the polytopes, since no corner
//                 is over a face. (The greatest separation by faces and pairs of edges is less than the distance.)
// Where the two faces that are nearest to the normal of edges are nearly parallel, their points are added, with the
// normal of the face: a body that rocks on two of its edges must not lose all other points at once. Those that would be
// deeper than the edges are not: they are beside what touches.
#include "geometry/part.hpp"
#include "geometry/segments.hpp"

namespace zwang::geometry {
namespace {

constexpr double k_face_angle = 1e-6;      // sine: it is the normal of the face, to what matters
constexpr double k_flat_angle = 0.05;      // sine: faces that are nearly parallel
constexpr double k_edges_parallel = 1e-3;  // sine: edges side by side
constexpr double k_cone = 1e-9;            // of the normals of an edge or point, for rounding

class Touching {
 public:
  Touching(Pair& p, const Part& a, const Part& b)
      : p_(p),
        a_(a),
        b_(b),
        radii_(a.r + b.r),
        size_(a.shape.size + b.shape.size) {}

  void run(const Axis& best) {
    const std::size_t before = p_.count();
    along(best);
    // Of a triangle of a surface, whose best axis may be of features beside each other: its own plane.
    if (a_.patch && p_.count() == before && best.of != Axis::Of::face_a) clip(true, 0, best.s);
  }

 private:
  void along(const Axis& best) {
    if (best.of == Axis::Of::edges) {
      if (best.s > 0 && !is_inside(best)) return apart(best);
      if (!add_faces(best.normal, best.s)) add_edges(best);
      return;
    }
    if (clip(best.of == Axis::Of::face_a, best.face, best.s)) return;
    if (best.s > 0) return apart(best);
    if (a_.patch) return;
    if (-best.s > 1e-9 * size_ && !all_edges_) {  // no overlap beside the face: edges far from each other decide
      all_edges_ = true;
      const Axis whole = separating_axis(a_, b_, p_.margin, true);
      if (whole.of != Axis::Of::none) along(whole);
      return;
    }
    // Inside of each other by rounding alone: the lowest point.
    const bool is_a = best.of == Axis::Of::face_a;
    const Part& other = is_a ? b_ : a_;
    const int low = other.farthest(is_a ? -best.normal : best.normal);
    const Point x = other.point(low);
    p_.add(is_a ? x - best.normal * b_.r : x + best.normal * (best.s - b_.r), best.normal, best.s - radii_,
           feature(Touch::corner, is_a ? 1 : 0, other.point_name(low)));
  }

  Segment edge(const Part& part, int from, int to) const { return {part.point(from), part.point(to)}; }

  /// The points of a reference face, if the least of them is as near as `s` says.
  bool clip(bool is_a, int face, double s) {
    const std::size_t before = p_.count();
    is_a ? clip_faces(p_, a_, true, face, b_) : clip_faces(p_, b_, false, face, a_);
    const double least = p_.least_gap(before) + radii_;
    if (p_.count() > before && (a_.patch || least <= s + 1e-6 * std::fabs(s) + 1e-12 * size_)) return true;
    p_.keep(before);
    return false;
  }

  /// The face of a part that is turned most towards a direction, and the sine between.
  int face_of(const Part& part, const Point& along, double& sine) const {
    const Point local = transpose_times(part.pose.R, along);
    const int face = part.shape.face_towards(local, part.shape.farthest(local));
    sine = face < 0 ? 2 : norm(cross(part.shape.face[face].normal, local));
    return face;
  }

  /// Points of faces that are nearly across a normal. True where they say all that there is to say.
  bool add_faces(const Point& normal, double s) {
    double of_a = 2, of_b = 2;
    const int a = face_of(a_, normal, of_a), b = face_of(b_, -normal, of_b);
    if (a >= 0 && of_a <= k_face_angle && clip(true, a, s)) return true;
    if (b >= 0 && of_b <= k_face_angle && clip(false, b, s)) return true;
    const bool flat_a = of_a <= k_flat_angle || a < 0, flat_b = of_b <= k_flat_angle || b < 0;
    if (!flat_a || !flat_b || (a < 0 && b < 0)) return false;
    // A capsule's axis is flat only where it is across the normal.
    for (const Part* part : {&a_, &b_})
      if (part->shape.faces == 0 && part->shape.points == 2) {
        const Point d = part->point(1) - part->point(0);
        if (std::fabs(dot(d, normal)) > k_flat_angle * norm(d)) return false;
      }
    const std::size_t before = p_.count();
    a >= 0 ? clip_faces(p_, a_, true, a, b_) : clip_faces(p_, b_, false, b, a_);
    p_.drop(before, s - radii_);
    return false;
  }

  /// One point that other points of this pair do not have yet.
  void add_once(const Point& on_b, const Point& normal, double gap, std::uint64_t name, double near) {
    const std::size_t before = p_.count();
    if (a_.patch && p_.has(name, on_b, normal, gap, near)) return;
    p_.add(on_b, normal, gap, name);
    for (std::size_t k = 0; k < before && p_.count() > before; ++k) {
      const Point d = p_.found(k).on_b - p_.found(before).on_b;
      if (norm(d) <= near && p_.found(k).gap <= gap) p_.keep(before);
    }
  }

  bool is_inside(const Axis& e) const {
    const Nearest n = nearest(edge(a_, e.from_a, e.to_a), edge(b_, e.from_b, e.to_b));
    return n.s > 0 && n.s < 1 && n.t > 0 && n.t < 1;
  }

  void add_edges(const Axis& e) {
    const Segment a = edge(a_, e.from_a, e.to_a), b = edge(b_, e.from_b, e.to_b);
    const Point d = a.to - a.from, f = b.to - b.from, n = cross(d, f);
    const double t = dot(cross(b.from - a.from, d), n) / dot(n, n);
    if (a_.patch) {  // the lines may be near where the edges are not
      const double s = dot(cross(b.from - a.from, f), n) / dot(n, n);
      if (!(s >= -1e-9 && s <= 1 + 1e-9 && t >= -1e-9 && t <= 1 + 1e-9)) return;
    }
    const Point x = b.from + f * t;
    add_once(x - e.normal * b_.r, e.normal, e.s - radii_,
             feature(Touch::edges, a_.edge_name(e.from_a, e.to_a), b_.edge_name(e.from_b, e.to_b)), 1e-9 * size_);
  }

  /// Whether a normal is in the cone of a point or edge of a part, outward: always for convex polytopes, where the
  /// points are nearest; on a surface they may be nearest on its triangle alone.
  bool holds(const Part& part, const Edge& e, double at, const Point& normal) const {
    if (!part.patch) return true;
    const Point local = transpose_times(part.pose.R, normal);
    if (at > 0 && at < 1) return dot(local, e.out[0]) >= -k_cone && dot(local, e.out[1]) >= -k_cone;
    return part.is_farthest(local, at > 0 ? e.to : e.from);
  }

  template <class Visit> static void for_each_edge(const Part& part, Visit&& visit) {
    if (part.shape.edges == 0) return visit(Edge{});
    for (int k = 0; k < part.shape.edges; ++k) visit(part.shape.edge[k]);
  }

  /// Two polytopes that are apart, none of whose corners is over a face of the other.
  void apart(const Axis& axis) {
    Nearest best{.s = 0, .t = 0, .squared = HUGE_VAL};
    Edge best_a, best_b;
    const double reach = p_.margin + radii_;
    for_each_edge(a_, [&](const Edge& ea) {
      const Segment a = edge(a_, ea.from, ea.to);
      const Point middle_a = a.at(0.5);
      const double half_a = 0.5 * norm(a.to - a.from);
      for_each_edge(b_, [&](const Edge& eb) {
        const Segment b = edge(b_, eb.from, eb.to);
        const double most = std::fmin(reach, std::sqrt(best.squared)) + half_a + 0.5 * norm(b.to - b.from);
        const Point between = b.at(0.5) - middle_a;
        if (dot(between, between) > most * most) return;
        const Nearest n = nearest(a, b);
        if (!(n.squared < best.squared)) return;
        if (a_.patch && n.squared > 0) {
          const Point d = (b.at(n.t) - a.at(n.s)) * (1 / std::sqrt(n.squared));
          if (!holds(a_, ea, n.s, d)) return;
        }
        best = n, best_a = ea, best_b = eb;
      });
    });
    if (!(best.squared < HUGE_VAL)) return;
    const Segment a = edge(a_, best_a.from, best_a.to), b = edge(b_, best_b.from, best_b.to);
    const double far = std::sqrt(best.squared);
    const Point between = b.at(best.t) - a.at(best.s);
    Point normal = far > 1e-12 * size_ ? between * (1 / far) : axis.normal;
    if (best.s > 0 && best.s < 1 && best.t > 0 && best.t < 1) {  // the perpendicular of two edges has less rounding
      const Point n = cross(a.to - a.from, b.to - b.from);
      if (dot(n, n) > 0) normal = n * ((dot(n, normal) < 0 ? -1 : 1) / norm(n));
    }
    if (add_faces(normal, far)) return;
    if (add_side_by_side(a, b, best_a, best_b, normal)) return;
    add_once(b.at(best.t) - normal * b_.r, normal, far - radii_, name_of(best, best_a, best_b), 1e-9 * size_);
  }

  std::uint64_t name_of(const Nearest& n, const Edge& a, const Edge& b) const {
    const auto name = [](const Part& part, const Edge& e, double at) {
      if (at > 0 && at < 1) return part.edge_name(e.from, e.to);
      return -1 - part.point_name(at > 0 ? e.to : e.from);
    };
    return feature(Touch::near_edges, name(a_, a, n.s), name(b_, b, n.t));
  }

  /// Two edges that are nearly parallel: the ends of the part that lies side by side.
  bool add_side_by_side(const Segment& a, const Segment& b, const Edge& ea, const Edge& eb, const Point& normal) {
    const Point d = a.to - a.from, e = b.to - b.from;
    const double long_a = norm(d), long_b = norm(e);
    if (a_.patch || !(norm(cross(d, e)) <= k_edges_parallel * long_a * long_b) || !(long_a * long_b > 0)) return false;
    const std::size_t before = p_.count();
    const auto end = [&](double s, double t, std::uint64_t name) {
      const Point x = b.at(t), between = x - a.at(s);
      const double far = norm(between);
      const Point n = far > 1e-12 * size_ ? between * (1 / far) : normal;
      if (dot(n, normal) > 0.99) add_once(x - n * b_.r, n, far - radii_, name, 1e-9 * size_);
    };
    const auto is_inner = [](const Segment& s, const Point& x) {
      const Point along = s.to - s.from;
      const double t = dot(along, x - s.from) / dot(along, along);
      return t > -1e-9 && t < 1 + 1e-9;
    };
    for (const int k : {0, 1})
      if (is_inner(b, a.at(k)))
        end(k, nearest_on(b, a.at(k)),
            feature(Touch::end, -1 - a_.point_name(k == 0 ? ea.from : ea.to), b_.edge_name(eb.from, eb.to)));
    for (const int k : {0, 1})
      if (is_inner(a, b.at(k)))
        end(nearest_on(a, b.at(k)), k,
            feature(Touch::end, a_.edge_name(ea.from, ea.to), -1 - b_.point_name(k == 0 ? eb.from : eb.to)));
    const double far = dot(normal, b.at(0.5) - a.at(0.5));
    if (p_.count() > before + 1 && p_.least_gap(before) <= far - radii_ + 1e-9 * size_) return true;
    p_.keep(before);
    return false;
  }

  Pair& p_;
  const Part &a_, &b_;
  bool all_edges_ = false;
  const double radii_, size_;
};

}  // namespace

void add_contacts(Pair& p, const Part& a, const Part& b, const Axis& best) { Touching(p, a, b).run(best); }

}  // namespace zwang::geometry
