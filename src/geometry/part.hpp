// SPDX-License-Identifier: BSD-3-Clause
// Polytopes with a rounding radius, placed in the frame of a pair, and the contacts of two of them.
#pragma once
#include "geometry/pair.hpp"

namespace zwang::geometry {

/// What the neighbours say of a triangle that is a part of a surface: the numbers of its corners and sides follow the
/// corners of its face.
struct Patch {
  bool quiet_corner[3] = {};  ///< the surface is flat or hollow there: no point of contact begins there
  bool quiet_side[3] = {};
  double lean[3] = {};       ///< of a hollow side: what is below the surface may lie beyond it by depth * lean
  Name name = 0;             ///< of the triangle
  Name corner_name[3] = {};  ///< of its corners in the surface
};

struct Part {
  Polytope shape;
  Transform<double> pose = Transform<double>::identity();
  double r = 0;
  const Patch* patch = nullptr;

  Point point(int k) const { return pose * shape.point[k]; }
  /// The point that is farthest along a direction of the pair's frame.
  int farthest(const Point& along, int start = 0) const {
    return shape.farthest(transpose_times(pose.R, along), start);
  }
  /// Whether no neighbour of a point is farther along a direction of the part's own frame; of a surface it may be one
  /// that is not in the part.
  bool is_farthest(const Point& along, int k) const {
    for (int i = shape.beside_first[k]; i < shape.beside_first[k + 1]; ++i) {
      const Point d = shape.point[shape.beside[i]] - shape.point[k];
      if (dot(d, along) > 1e-9 * norm(d)) return false;
    }
    return true;
  }
  Name point_name(int k) const { return patch && k < 3 ? patch->corner_name[k] : k; }
  Name face_name(int f) const { return patch ? patch->name : f; }
  Name edge_name(int from, int to) const {
    const Name a = point_name(from), b = point_name(to);
    return a < b ? (a << 32) + b : (b << 32) + a;
  }
};

inline Part part_of(const SolidData& s, const Transform<double>& pose) {
  return {.shape = s.polytope.view(), .pose = pose, .r = s.r};
}

/// A normal, from a to b, and the features whose planes across it are `s` apart (without the radii).
struct Axis {
  enum class Of { none, face_a, face_b, edges } of = Of::none;
  double s = -HUGE_VAL;
  Point normal = Point::zero();
  int face = -1;                                   ///< of a or b
  int from_a = 0, to_a = 0, from_b = 0, to_b = 0;  ///< edges
};

/// The first axis stays unless the other one separates more by this: normals must not flicker.
inline bool is_better(double s, const Axis& than, double size) {
  return s > than.s + 1e-6 * std::fabs(than.s) + 1e-12 * size;
}

/// Points of a reference face of a or b and what is opposite to it, a face, an edge or a point (clip.cpp).
void clip_faces(Pair& p, const Part& reference, bool is_a, int face, const Part& other);

/// The points of two polytopes whose greatest separation is along an axis (touching.cpp).
void add_contacts(Pair& p, const Part& a, const Part& b, const Axis& best);

/// The axis of two polytopes; Of::none where they are farther apart than the margin (polytopes.cpp).
/// all_edges: also edges that are farther from each other than the margin and what the faces have found.
Axis separating_axis(const Part& a, const Part& b, double margin, bool all_edges = false);

/// The points of a cylinder with a pose in the pair's frame and a part, whose pose here is that in the frame of the
/// cylinder (cylinder.cpp).
void cylinder_part(Pair& p, const SolidData& c, const Transform<double>& pose, bool is_a, const Part& part);

}  // namespace zwang::geometry
