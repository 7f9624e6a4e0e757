// SPDX-License-Identifier: BSD-3-Clause
// Convex polytopes: points, faces (polygons), edges with their two faces, and what is beside what.
//
// A point and a segment are polytopes without faces: with a rounding radius about them they are sphere and capsule.
#pragma once
#include <array>
#include <vector>

#include "zwang/spatial/vec3.hpp"

namespace zwang::geometry {

using Point = Vec3<double>;

struct Face {
  Point normal;              ///< of length 1, outward
  double offset = 0;         ///< normal . x <= offset for all points x
  int first = 0, count = 0;  ///< corners, counter-clockwise seen from outside
};

struct Edge {
  int from = 0, to = 0;
  bool has_faces = false;
  /// Of each of the two faces: in the face, perpendicular to the edge, of length 1, out of the face.
  Point out[2] = {Point::zero(), Point::zero()};
};

/// A polytope as it is read; its numbers belong to someone else.
struct Polytope {
  const Point* point = nullptr;
  int points = 0;
  const Face* face = nullptr;
  int faces = 0;
  const int* corner = nullptr;  ///< of all faces
  const Point* side = nullptr;  ///< of the edge that begins at the corner: in the face, out of it, of length 1
  const Edge* edge = nullptr;
  int edges = 0;
  const int *beside_first = nullptr, *beside = nullptr;     ///< points that an edge joins to point k
  const int *face_first = nullptr, *face_beside = nullptr;  ///< faces that meet at point k
  double size = 0;                                          ///< about this large, for rounding

  const int* corners(int f) const { return corner + face[f].first; }
  const Point* sides(int f) const { return side + face[f].first; }
  /// A point that is farthest along a direction; from `start` over edges where there are many.
  int farthest(const Point& along, int start = 0) const;
  /// Of the faces that meet at a point, the one whose normal is nearest to a direction; -1 where there are none.
  int face_towards(const Point& along, int at) const;
};

/// The numbers of a polytope.
struct PolytopeData {
  std::vector<Point> point;
  std::vector<Face> face;
  std::vector<int> corner;
  std::vector<Point> side;
  std::vector<Edge> edge;
  std::vector<int> beside_first, beside, face_first, face_beside;
  std::vector<int> sharp;  ///< points at which three or more faces meet
  double size = 0;

  Polytope view() const;
};

PolytopeData point_polytope();
/// From (0, 0, -half) to (0, 0, half).
PolytopeData segment_polytope(double half);
/// Point k has the signs of the bits of k: 1 x, 2 y, 4 z.
PolytopeData box_polytope(const Point& half);
/// The hull of points. Triangles that lie in one plane to `k_flat` of the size, which is what numbers of a mesh file
/// leave of a plane, are one face. Throws std::invalid_argument, with `what` in front, where there is no hull.
PolytopeData hull_polytope(const std::vector<Point>& points, const char* what);
constexpr double k_flat = 3e-7;

}  // namespace zwang::geometry
