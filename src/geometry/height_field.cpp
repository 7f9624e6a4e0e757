// SPDX-License-Identifier: BSD-3-Clause
// A height field and a solid: each triangle below or near the solid's box on its own, as the part of a surface.
//
// A cell has two triangles, along its diagonal from (i, j) to (i + 1, j + 1). A triangle's plane always counts; normals
// of its edges and corners only where the surface is nearest to something above: n . out >= 0 for the directions out of
// the two triangles of an edge, no neighbour of a corner farther along n. So edges within a plane or a hollow give no
// points and no normals of their own (the internal edges on which wheels and boxes stumble: Moravanszky & Terdiman,
// Fast Contact Reduction for Dynamics Simulation, 2004). What is below the surface belongs to the nearest of two
// triangles: they meet in the plane between both normals.
#include <algorithm>
#include <cmath>

#include "geometry/bounds.hpp"
#include "geometry/part.hpp"

namespace zwang::geometry {
namespace {

constexpr int k_neighbours = 6;
constexpr int k_around[k_neighbours][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};

Point normal_of(const Point& a, const Point& b, const Point& c) {
  const Point n = cross(b - a, c - a);
  return n * (1 / norm(n));
}

/// A triangle with its neighbours, as a polytope with one face.
class Triangle {
 public:
  struct Corner {
    int i, j;
  };

  Triangle(const Heights& h, const Corner (&corner)[3], Name name) : h_(h) {
    patch_.name = name;
    for (int k = 0; k < 3; ++k) {
      point_[k] = h.point(corner[k].i, corner[k].j);
      patch_.corner_name[k] = corner[k].i + static_cast<Name>(h.columns) * corner[k].j;
    }
    face_.normal = normal_of(point_[0], point_[1], point_[2]);
    face_.offset = dot(face_.normal, point_[0]);
    face_.count = 3;
    size_ = norm(point_[2] - point_[0]);
    for (int k = 0; k < 3; ++k) look_around(k, corner[k]);
    for (int k = 0; k < 3; ++k) look_across(k, corner[k], corner[(k + 1) % 3], corner[(k + 2) % 3]);
  }
  Triangle(const Triangle&) = delete;
  Triangle& operator=(const Triangle&) = delete;

  Part part() const {
    Part p;
    p.shape.point = point_, p.shape.points = 3;
    p.shape.face = &face_, p.shape.faces = 1;
    p.shape.corner = k_corners, p.shape.side = side_;
    p.shape.edge = edge_, p.shape.edges = 3;
    p.shape.beside_first = beside_first_, p.shape.beside = beside_;
    p.shape.face_first = k_face_first, p.shape.face_beside = k_faces;
    p.shape.size = size_;
    p.patch = &patch_;
    return p;
  }

 private:
  static constexpr int k_corners[3] = {0, 1, 2}, k_face_first[4] = {0, 1, 2, 3}, k_faces[3] = {0, 0, 0};

  bool is_there(int i, int j) const { return i >= 0 && j >= 0 && i < h_.columns && j < h_.rows; }
  double over(const Point& x) const { return dot(face_.normal, x) - face_.offset; }
  double flat() const { return 1e-9 * size_; }

  /// The neighbours of a corner, and whether the surface is flat there.
  void look_around(int k, const Corner& c) {
    bool is_flat = true;
    int& end = beside_first_[k + 1];
    end = beside_first_[k];
    for (const auto& [di, dj] : k_around) {
      if (!is_there(c.i + di, c.j + dj)) {
        is_flat = false;
        continue;
      }
      point_[3 + end] = h_.point(c.i + di, c.j + dj);
      is_flat = is_flat && std::fabs(over(point_[3 + end])) <= flat();
      beside_[end] = 3 + end;
      ++end;
    }
    patch_.quiet_corner[k] = is_flat;
  }

  /// The triangle on the other side of the edge from a to b: its third corner is a + b - c, as in a parallelogram.
  void look_across(int k, const Corner& a, const Corner& b, const Corner& c) {
    const Point from = point_[k], to = point_[(k + 1) % 3], out = cross(to - from, face_.normal);
    side_[k] = out * (1 / norm(out));
    Edge& e = edge_[k];
    e = {.from = k, .to = (k + 1) % 3, .has_faces = true};
    e.out[0] = side_[k];
    e.out[1] = {0, 0, 1};  // at the border, the wall down
    const Corner d{a.i + b.i - c.i, a.j + b.j - c.j};
    if (!is_there(d.i, d.j)) return;
    const Point beyond = h_.point(d.i, d.j), n = normal_of(from, beyond, to), other = cross(from - to, n);
    e.out[1] = other * (1 / norm(other));
    const double height = over(beyond);
    patch_.quiet_side[k] = height >= -flat();
    const double half = norm(cross(face_.normal, n)) / (1 + dot(face_.normal, n));  // tan of half the angle
    patch_.lean[k] = height > 0 ? half : -half;
  }

  const Heights& h_;
  Point point_[3 + 3 * k_neighbours];
  Face face_;
  Point side_[3];
  Edge edge_[3];
  int beside_first_[4] = {0, 0, 0, 0}, beside_[3 * k_neighbours];
  double size_ = 0;
  Patch patch_;
};

/// The cells of a row that an interval touches.
bool cells_of(double low, double high, double first, double step, int points, int& begin, int& end) {
  const double from = (low - first) / step, to = (high - first) / step;
  if (!(from <= points - 1 && to >= 0)) return false;
  begin = static_cast<int>(std::max(from, 0.0));
  end = static_cast<int>(std::min(to, points - 2.0));
  begin = std::min(begin, points - 2);
  return true;
}

/// A sample of the surface within a cylinder of which no triangle knows: each is taken alone, and a peak may be inside
/// of what each of its triangles leaves by a side. The cylinder goes up by the nearest side.
void add_peak(Pair& p, int i, int j, const Transform<double>& back) {
  constexpr double k_upwards = 1e-3, k_within = 1e-7;  // of normals; of the radius: below it triangles are right
  const Point peak = p.a.heights.point(i, j), x = back * peak;
  const double across = std::hypot(x.x, x.y), sides[2] = {p.b.r - across, p.b.half - std::fabs(x.z)};
  if (!(std::fmin(sides[0], sides[1]) > k_within * p.b.r) || p.least_gap() < 0) return;
  const Point out[2] = {across > 0 ? Point{x.x / across, x.y / across, 0} : Point{1, 0, 0},
                        Point{0, 0, x.z < 0 ? -1.0 : 1.0}};
  const double whole[2] = {2 * p.b.r, 2 * p.b.half};
  double depth = 0;
  Point normal = Point::zero();
  for (int k = 0; k < 2; ++k)
    for (const double sign : {1.0, -1.0}) {
      const Point n = p.pose.R * out[k] * -sign;
      const double d = sign > 0 ? sides[k] : whole[k] - sides[k];
      if (!(n.z > k_upwards) || (depth > 0 && !(d < depth))) continue;
      depth = d;
      normal = n;
    }
  if (depth > 0) p.add(peak - normal * depth, normal, -depth, feature(Touch::vertex, i, j, -1));
}

}  // namespace

void height_field_solid(Pair& p) {
  const Heights& h = p.a.heights;
  Point low, high;
  bounding_box(p.b, p.pose, low, high);
  int i0 = 0, i1 = 0, j0 = 0, j1 = 0;
  if (!cells_of(low.x - p.margin, high.x + p.margin, h.x(0), h.dx, h.columns, i0, i1) ||
      !cells_of(low.y - p.margin, high.y + p.margin, h.y(0), h.dy, h.rows, j0, j1))
    return;
  const bool is_cylinder = p.b.kind == Solid::Kind::cylinder;
  const Transform<double> back = inverse(p.pose);
  const Part solid = part_of(p.b, p.pose);
  for (int j = j0; j <= j1; ++j)
    for (int i = i0; i <= i1; ++i) {
      const double top = std::max({h.point(i, j).z, h.point(i + 1, j).z, h.point(i, j + 1).z, h.point(i + 1, j + 1).z});
      if (!(low.z - p.margin <= top)) continue;
      for (const int half : {0, 1}) {
        const Triangle::Corner corner[3] = {
            {i, j}, {i + 1, j + half}, half == 0 ? Triangle::Corner{i + 1, j + 1} : Triangle::Corner{i, j + 1}};
        const Triangle triangle(h, corner, 2 * (i + static_cast<Name>(h.columns) * j) + half);
        Part part = triangle.part();
        if (is_cylinder) {
          part.pose = back;
          cylinder_part(p, p.b, p.pose, false, part);
          continue;
        }
        const Axis best = separating_axis(part, solid, p.margin);
        if (best.of != Axis::Of::none) add_contacts(p, part, solid, best);
      }
    }
  if (!is_cylinder) return;
  for (int j = j0; j <= j1 + 1; ++j)
    for (int i = i0; i <= i1 + 1; ++i) add_peak(p, i, j, back);
}

}  // namespace zwang::geometry
