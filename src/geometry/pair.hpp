// SPDX-License-Identifier: BSD-3-Clause
// Two solids whose near points are asked for, in the frame of the first: what a page of a pair reads and writes.
#pragma once
#include <cmath>

#include "geometry/solid_data.hpp"

namespace zwang::geometry {

/// What a feature is: with the numbers of vertices, edges and faces it makes the name of a contact.
enum class Touch : std::uint64_t { centre, vertex, end, rim, lowest, edges, clipped, corner, crossing, near_edges };

/// Of a vertex, an edge or a face in its solid. Two numbers of vertices make that of an edge, so that `long`, which has
/// 32 bits in places, is too short.
using Name = std::int64_t;

/// A name of features: different numbers give, but for chance of 2^-64, different names (Steele, Lea & Flood, Fast
/// splittable pseudorandom number generators, 2014: the finaliser of SplitMix64).
inline std::uint64_t feature(Touch touch, Name i = 0, Name j = 0, Name k = 0) {
  std::uint64_t h = (static_cast<std::uint64_t>(touch) + 1) * 0xD1342543DE82EF95u;
  for (const Name n : {i, j, k}) {
    h = (h + static_cast<std::uint64_t>(n) + 1) * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9u;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
    h ^= h >> 31;
  }
  return h;
}

class Pair {
 public:
  /// Exchanged: `first` and `second` are the second and the first solid of the call.
  Pair(const SolidData& first, const Transform<double>& pose_a, const SolidData& second,
       const Transform<double>& pose_b, double most, bool exchanged, std::vector<SurfacePair>& points)
      : a(first),
        b(second),
        pose(inverse_times(pose_a, pose_b)),
        margin(most),
        pose_a_(pose_a),
        exchanged_(exchanged),
        points_(points),
        begin_(points.size()) {}

  const SolidData &a, &b;
  const Transform<double> pose;  ///< of b in a
  const double margin;

  /// A point of b's surface, the normal from a to b, the gap along it. Nothing where the gap exceeds the margin.
  void add(const Point& on_b, const Point& normal, double gap, std::uint64_t name) {
    if (!(gap <= margin)) return;
    const Point n = pose_a_.R * normal;
    SurfacePair p{.on_a = pose_a_ * (exchanged_ ? on_b : on_b - normal * gap),
                  .on_b = Point::zero(),
                  .normal = exchanged_ ? -n : n,
                  .gap = gap,
                  .feature = name};
    p.on_b = p.on_a + p.normal * gap;
    points_.push_back(p);
  }
  /// Number of points of this pair so far.
  std::size_t count() const { return points_.size() - begin_; }
  /// Takes back all points but the first `count`.
  void keep(std::size_t count) { points_.resize(begin_ + count); }
  /// Takes back those behind the first `begin` whose gap is less.
  void drop(std::size_t begin, double gap) {
    std::size_t kept = begin_ + begin;
    for (std::size_t k = kept; k < points_.size(); ++k)
      if (points_[k].gap >= gap) points_[kept++] = points_[k];
    points_.resize(kept);
  }
  const SurfacePair& found(std::size_t k) const { return points_[begin_ + k]; }
  double least_gap(std::size_t from = 0) const {
    double least = HUGE_VAL;
    for (std::size_t k = from; k < count(); ++k) least = found(k).gap < least ? found(k).gap : least;
    return least;
  }
  /// Whether this very point is there: the same features or the same place to `near`, with the same normal to 1e-6.
  bool has(std::uint64_t name, const Point& on_b, const Point& normal, double gap, double near) const {
    const Point n = pose_a_.R * normal * (exchanged_ ? -1.0 : 1.0);
    const Point x = pose_a_ * (exchanged_ ? on_b : on_b - normal * gap);  // on the first solid of the call
    for (std::size_t k = 0; k < count(); ++k)
      if (dot(found(k).normal, n) > 1 - 1e-12 && (found(k).feature == name || norm(found(k).on_a - x) <= near))
        return true;
    return false;
  }

 private:
  const Transform<double> pose_a_;
  const bool exchanged_;
  std::vector<SurfacePair>& points_;
  const std::size_t begin_;
};

// The pages, each in a file of its own.
void half_space_sphere(Pair&);
void half_space_capsule(Pair&);
void half_space_polytope(Pair&);  ///< box, convex
void half_space_cylinder(Pair&);
void half_space_ellipsoid(Pair&);
void sphere_sphere(Pair&);
void capsule_sphere(Pair&);
void box_sphere(Pair&);
void cylinder_sphere(Pair&);
void ellipsoid_sphere(Pair&);
void capsule_capsule(Pair&);
void box_box(Pair&);
void cylinder_cylinder(Pair&);
void cylinder_polytope(Pair&);   ///< capsule, box, convex
void height_field_solid(Pair&);  ///< sphere, capsule, box, cylinder, convex
void polytope_polytope(Pair&);   ///< sphere, capsule, box, convex, where no page of their own is above

}  // namespace zwang::geometry
