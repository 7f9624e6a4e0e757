// SPDX-License-Identifier: BSD-3-Clause
// Points of contact of a reference face and what is opposite to it: the face of the other polytope that meets its
// lowest point and is turned most towards the reference face; of a capsule its axis, of a sphere its centre.
//
// Both are looked at along the normal N of the reference face. Points: corners of the other face within the sides of
// the reference face, corners of the reference face within the other one, crossings of sides; at most 8 of two
// rectangles. This is the polygon of Sutherland & Hodgman, Reentrant Polygon Clipping, 1974, by its vertices, each of
// which has a name: an edge enters and leaves the sides of the reference face at parameters of its own (Cyrus & Beck,
// Generalized Two- and Three-Dimensional Clipping, 1978). The gap of a point is its height over the plane.
#include "geometry/part.hpp"

namespace zwang::geometry {
namespace {

/// What lies beyond a side by less than this part of the sizes is on it: equal boxes of a stack keep their corners.
constexpr double k_beside = 1e-10;
constexpr double k_flat_edge = 0.05;  // sine of an edge and a face: nearly flat

class Clip {
 public:
  Clip(Pair& p, const Part& reference, bool is_a, int face, const Part& other)
      : p_(p),
        reference_(reference),
        other_(other),
        is_a_(is_a),
        x_(inverse_times(reference.pose, other.pose)),
        face_(reference.shape.face[face]),
        corners_(reference.shape.corners(face)),
        sides_(reference.shape.sides(face)),
        name_(2 * reference.face_name(face) + (is_a ? 1 : 0)),
        normal_(reference.pose.R * reference.shape.face[face].normal * (is_a ? 1.0 : -1.0)),
        near_(k_beside * (reference.shape.size + other.shape.size)) {
    const Point down = transpose_times(x_.R, face_.normal) * -1.0;
    const int low = other.shape.farthest(down);
    if (other.patch) bottom_ = height(reference.shape.point[reference.shape.farthest(face_.normal * -1.0)]);
    opposite_ = other.shape.face_towards(down, low);
    if (opposite_ >= 0) {
      const Face& f = other.shape.face[opposite_];
      first_ = other.shape.corners(opposite_), count_ = edges_ = f.count;
      other_normal_ = x_.R * f.normal;
    } else {
      first_ = k_own, count_ = other.shape.points, edges_ = other.shape.edges;
    }
  }

  void run() {
    for (int k = 0; k < count_; ++k) {
      if (other_.patch && other_.patch->quiet_corner[k]) continue;
      const Point x = corner(k);
      if (is_within(x)) add(x, feature(Touch::corner, name_, other_.point_name(first_[k])));
    }
    for (int k = 0; k < edges_; ++k)
      if (!(other_.patch && other_.patch->quiet_side[k])) cross(k);
    if (opposite_ >= 0 && dot(other_normal_, face_.normal) < -1e-3)
      for (int k = 0; k < face_.count; ++k) add_own_corner(k);
  }

 private:
  static constexpr int k_own[2] = {0, 1};

  /// A corner of what is opposite, in the frame of the reference.
  Point corner(int k) const { return x_ * other_.shape.point[first_[k % count_]]; }
  const Point& own(int j) const { return reference_.shape.point[corners_[j]]; }
  double height(const Point& x) const { return dot(face_.normal, x) - face_.offset; }
  double beyond(int j, const Point& x) const { return dot(sides_[j], x - own(j)); }

  bool is_within(const Point& x) const {
    const double depth = std::fmax(0, -height(x));
    for (int j = 0; j < face_.count; ++j) {
      const double lean = reference_.patch ? reference_.patch->lean[j] * depth : 0;
      if (beyond(j, x) > near_ + lean) return false;
    }
    return true;
  }

  /// A point x of the other solid (without its radius).
  void add(const Point& x, std::uint64_t name) {
    const double phi = height(x);
    if (other_.patch && phi < bottom_) return;  // the surface is behind the solid
    const Point on_b = reference_.pose * (x - face_.normal * (is_a_ ? other_.r : phi - reference_.r));
    const double gap = phi - reference_.r - other_.r;
    if ((reference_.patch || other_.patch) && p_.has(name, on_b, normal_, gap, near_)) return;
    p_.add(on_b, normal_, gap, name);
  }

  /// Where edge k of what is opposite enters and leaves.
  void cross(int k) {
    const Point from = corner(k), to = corner(k + 1);
    double enter = 0, leave = 1;
    int enters = -1, leaves = -1;
    for (int j = 0; j < face_.count; ++j) {
      const double d = beyond(j, from), e = beyond(j, to);
      if (d <= near_ && e <= near_) continue;
      if ((d > near_ && e > -near_) || (e > near_ && d > -near_)) {
        // It touches this side with an end, or not at all: the end speaks for itself.
        return;
      }
      const double t = d / (d - e);
      if (d > 0 && t > enter) enter = t, enters = j;
      if (d < 0 && t < leave) leave = t, leaves = j;
    }
    if (!((leave - enter) * norm(to - from) > 2 * near_)) return;
    if (reference_.patch && !is_flat(to - from)) return;
    const Name edge = other_.edge_name(first_[k], first_[(k + 1) % count_]);
    for (const int j : {enters, leaves}) {
      if (j < 0 || (reference_.patch && reference_.patch->quiet_side[j])) continue;
      const double t = j == enters ? enter : leave;
      const Point x = from * (1 - t) + to * t;
      const int next = (j + 1) % face_.count;
      // At a corner of the reference face: that corner is a point where what is opposite is a face.
      if (opposite_ >= 0 && (is_over(own(j), x) || is_over(own(next), x))) continue;
      add(x, feature(Touch::crossing, name_, edge, reference_.edge_name(corners_[j], corners_[next])));
    }
  }

  /// What goes over the ridge of a surface is nearest to the ridge, unless it is nearly flat on this side.
  bool is_flat(const Point& edge) const {
    const Point x = opposite_ >= 0 ? zwang::cross(other_normal_, face_.normal) : edge * dot(edge, face_.normal);
    return norm(x) <= k_flat_edge * (opposite_ >= 0 ? 1 : dot(edge, edge));
  }

  bool is_over(const Point& corner, const Point& x) const {
    const Point d = x - corner;
    return norm(d - face_.normal * dot(d, face_.normal)) <= 4 * near_;
  }

  /// A corner of the reference face, where it is under the other one.
  void add_own_corner(int k) {
    if (reference_.patch && reference_.patch->quiet_corner[k]) return;
    const Point &c = own(k), first = corner(0);
    const Point x = c + face_.normal * (dot(first - c, other_normal_) / dot(face_.normal, other_normal_));
    const Point* const sides = other_.shape.sides(opposite_);
    for (int j = 0; j < count_; ++j) {
      const Point y = corner(j);
      if (dot(x_.R * sides[j], x - y) > near_ || is_over(c, y)) return;
    }
    add(x, feature(Touch::clipped, name_, reference_.point_name(corners_[k]), other_.face_name(opposite_)));
  }

  Pair& p_;
  const Part &reference_, &other_;
  const bool is_a_;
  const Transform<double> x_;  ///< of the other in the reference
  const Face& face_;
  const int* corners_;
  const Point* sides_;
  const Name name_;
  const Point normal_;  ///< from a to b, in the pair's frame
  const double near_;
  int opposite_ = -1, count_ = 0, edges_ = 0;
  const int* first_ = nullptr;
  Point other_normal_ = Point::zero();
  double bottom_ = -HUGE_VAL;  ///< of the reference solid below its face
};

}  // namespace

void clip_faces(Pair& p, const Part& reference, bool is_a, int face, const Part& other) {
  Clip(p, reference, is_a, face, other).run();
}

}  // namespace zwang::geometry
