// SPDX-License-Identifier: BSD-3-Clause
// Two boxes: the greatest separation along 15 axes, the normals of three faces of each and the nine products of their
// edges. Gottschalk, Lin & Manocha, OBBTree: A Hierarchical Structure for Rapid Interference Detection, 1996.
//
//   s(n) = |n . t| - sum h_i |n . a_i| - sum g_j |n . b_j|,   t from centre to centre, h, g halves of lengths
//
// A face stays the axis until a pair of edges separates more by 1e-6 of it.
#include "geometry/part.hpp"

namespace zwang::geometry {
namespace {

/// The corner of a box that is farthest along n, in its frame.
int corner_of(const Point& n) { return (n.x > 0 ? 1 : 0) + (n.y > 0 ? 2 : 0) + (n.z > 0 ? 4 : 0); }

double reach(const Point& half, const Point& n) {
  return half.x * std::fabs(n.x) + half.y * std::fabs(n.y) + half.z * std::fabs(n.z);
}

}  // namespace

void box_box(Pair& p) {
  const Point &h = p.a.size, &g = p.b.size, &t = p.pose.p;
  const Mat3<double>& R = p.pose.R;
  const double size = p.a.reach + p.b.reach;
  Axis best;
  // n of length 1 in the frame of a; false where the boxes are too far apart
  const auto look = [&](Axis::Of of, int face, Point n) {
    double along = dot(n, t);
    if (along < 0) n = -n, along = -along;
    const Point in_b = transpose_times(R, n);
    const double s = along - reach(h, n) - reach(g, in_b);
    if (s > p.margin) return false;
    if (best.of != Axis::Of::none && !is_better(s, best, size)) return true;
    best = {.of = of, .s = s, .normal = n, .face = face};
    return true;
  };
  const Point axes_b[3] = {column_x(R), column_y(R), column_z(R)};
  for (int k = 0; k < 3; ++k) {
    Point n = Point::zero();
    n[k] = 1;
    if (!look(Axis::Of::face_a, 2 * k, n)) return;
  }
  for (int k = 0; k < 3; ++k)
    if (!look(Axis::Of::face_b, 2 * k, axes_b[k])) return;
  int edge_a = 0, edge_b = 0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      Point n = Point::zero();
      n[i] = 1;
      n = cross(n, axes_b[k]);
      const double length = norm(n);
      if (!(length > 1e-9)) continue;
      const double before = best.s;
      if (!look(Axis::Of::edges, 0, n * (1 / length))) return;
      if (best.s > before) edge_a = i, edge_b = k;
    }
  const Part a = part_of(p.a, Transform<double>::identity()), b = part_of(p.b, p.pose);
  if (best.of == Axis::Of::edges) {
    best.from_a = corner_of(best.normal) & ~(1 << edge_a), best.to_a = best.from_a | (1 << edge_a);
    best.from_b = corner_of(transpose_times(R, -best.normal)) & ~(1 << edge_b), best.to_b = best.from_b | (1 << edge_b);
  } else if (best.of == Axis::Of::face_a) {
    best.face += best.normal[best.face / 2] > 0 ? 1 : 0;
  } else {
    best.face += dot(best.normal, axes_b[best.face / 2]) < 0 ? 1 : 0;
  }
  add_contacts(p, a, b, best);
}

}  // namespace zwang::geometry
