// SPDX-License-Identifier: BSD-3-Clause
// Two polytopes, rounded or not: the normal along which they are farthest apart, or overlap least, among the normals of
// faces of both and the common perpendiculars of pairs of edges. Gottschalk, Lin & Manocha, OBBTree, 1996; Gregorius,
// The Separating Axis Test between Convex Polyhedra, 2013. No iteration: what is near is decided by planes alone.
//
// A pair of edges counts where their perpendicular is outward at both: n . out >= 0 for the two directions out of the
// faces of each edge (the arcs of the Gauss map cross). Only edges whose boxes are as near as the depth by faces, or as
// the margin, can be better: the others are not looked at.
// Cost: faces times the walk to the farthest point, and pairs of near edges.
#include "geometry/part.hpp"

namespace zwang::geometry {
namespace {

constexpr double k_outward = 1e-10;

/// The least box along the axes of the pair's frame.
struct Bounds {
  Point low{HUGE_VAL, HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};

  void add(const Point& x) {
    for (int k = 0; k < 3; ++k) low[k] = std::fmin(low[k], x[k]), high[k] = std::fmax(high[k], x[k]);
  }
  bool is_near(const Bounds& other, double reach) const {
    for (int k = 0; k < 3; ++k)
      if (low[k] > other.high[k] + reach || other.low[k] > high[k] + reach) return false;
    return true;
  }
};

Bounds bounds_of(const Part& part) {
  Bounds b;
  for (int k = 0; k < 3; ++k) {
    Point axis = Point::zero();
    for (const double sign : {-1.0, 1.0}) {
      axis[k] = sign;
      b.add(part.point(part.farthest(axis)));
    }
  }
  return b;
}

/// Whether a normal points out of a patch, and upwards, as all normals of a graph do.
bool is_from_outside(const Part& patch, const Point& n) {
  return dot(n, patch.pose.R * patch.shape.face[0].normal) > 0 && dot(n, patch.pose.R * Point{0, 0, 1}) > 0;
}

/// The best of the planes of a part's faces; false where one of them is farther than `most` from the other part.
bool look_at_faces(const Part& part, const Part& other, bool is_a, double most, double size, Axis& best) {
  const Transform<double> x = inverse_times(part.pose, other.pose);
  int low = 0;
  for (int f = 0; f < part.shape.faces; ++f) {
    const Face& face = part.shape.face[f];
    low = other.shape.farthest(transpose_times(x.R, face.normal) * -1.0, low);
    const double s = dot(face.normal, x * other.shape.point[low]) - face.offset;
    if (s > most) return false;
    if (best.of != Axis::Of::none && !is_better(s, best, size)) continue;
    if (other.patch && !is_from_outside(other, part.pose.R * face.normal * -1.0)) continue;
    // The lowest point of a triangle may be beside a lower one of its surface.
    if (other.patch && !other.is_farthest(transpose_times(x.R, face.normal) * -1.0, low)) continue;
    best = {.of = is_a ? Axis::Of::face_a : Axis::Of::face_b, .s = s, .face = f};
    best.normal = part.pose.R * face.normal * (is_a ? 1.0 : -1.0);
  }
  return true;
}

bool is_outward(const Edge& e, const Point& n) {
  return !e.has_faces || (dot(n, e.out[0]) >= -k_outward && dot(n, e.out[1]) >= -k_outward);
}

bool look_at_edges(const Part& a, const Part& b, double most, double size, bool all, Axis& best) {
  const double reach = all ? HUGE_VAL : std::fmax(most, -best.s);
  const Bounds box_b = bounds_of(b);
  for (int i = 0; i < a.shape.edges; ++i) {
    const Edge& ea = a.shape.edge[i];
    const Point a0 = a.point(ea.from), a1 = a.point(ea.to), d = a1 - a0;
    Bounds near;
    near.add(a0), near.add(a1);
    if (!near.is_near(box_b, reach)) continue;
    for (int k = 0; k < b.shape.edges; ++k) {
      const Edge& eb = b.shape.edge[k];
      const Point b0 = b.point(eb.from), b1 = b.point(eb.to), e = b1 - b0;
      Bounds other;
      other.add(b0), other.add(b1);
      if (!other.is_near(near, reach)) continue;
      Point n = cross(d, e);
      const double length = norm(n);
      if (!(length > 1e-9 * norm(d) * norm(e))) continue;
      n = n * (1 / length);
      for (const double sign : {1.0, -1.0}) {
        const Point m = n * sign;
        const double s = dot(m, b0 - a0);
        if (!is_better(s, best, size)) continue;
        if (a.patch && !is_from_outside(a, m)) continue;
        if (!is_outward(ea, transpose_times(a.pose.R, m)) || !is_outward(eb, transpose_times(b.pose.R, m) * -1.0))
          continue;
        if (s > most) return false;
        best = {.of = Axis::Of::edges, .s = s, .normal = m};
        best.from_a = ea.from, best.to_a = ea.to, best.from_b = eb.from, best.to_b = eb.to;
      }
    }
  }
  return true;
}

}  // namespace

Axis separating_axis(const Part& a, const Part& b, double margin, bool all_edges) {
  const double size = a.shape.size + b.shape.size, most = margin + a.r + b.r;
  Axis best;
  if (!look_at_faces(a, b, true, most, size, best) || !look_at_faces(b, a, false, most, size, best) ||
      !look_at_edges(a, b, most, size, all_edges, best))
    best.of = Axis::Of::none;
  return best;
}

void polytope_polytope(Pair& p) {
  const Part a = part_of(p.a, Transform<double>::identity()), b = part_of(p.b, p.pose);
  const Axis best = separating_axis(a, b, p.margin);
  if (best.of != Axis::Of::none) add_contacts(p, a, b, best);
}

}  // namespace zwang::geometry
