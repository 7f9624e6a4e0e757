// SPDX-License-Identifier: BSD-3-Clause
// Solids that touch: their shapes, and the points at which two of them are close.
//
//   const Solid ground = Solid::half_space(), box = Solid::box({0.2, 0.2, 0.1});
//   std::vector<SurfacePair> points;
//   nearest_points(ground, Transform<double>::identity(), box, pose, 1e-3, points);
//
// A point of contact has its gap from exact features (the plane of a face, a vertex, the axis of a capsule): a gap
// enters a simulation divided by its step, so that noise of 1e-6 m would be a speed of 1e-3 m/s.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "zwang/spatial/transform.hpp"

namespace zwang {

/// Two points of two surfaces that are close to each other, in the world.
struct SurfacePair {
  Vec3<double> on_a, on_b;    ///< on_b = on_a + gap * normal [m]
  Vec3<double> normal;        ///< of length 1, from a to b
  double gap = 0;             ///< negative where the solids overlap [m]
  std::uint64_t feature = 0;  ///< the same as long as the same features of the two solids are close
};

struct SolidData;  ///< the numbers of a Solid, private to the library

/// The shape of a solid body, prepared for contact: const, shared by copies.
class Solid {
 public:
  /// What there is, in the order of the functions below.
  enum class Kind { half_space, sphere, capsule, box, cylinder, ellipsoid, convex, height_field };

  static Solid half_space();                            ///< z <= 0
  static Solid sphere(double radius);                   ///< about the origin
  static Solid capsule(double radius, double length);   ///< along z; length: between the centres of its ends
  static Solid box(const Vec3<double>& lengths);        ///< whole lengths
  static Solid cylinder(double radius, double length);  ///< along z
  static Solid ellipsoid(const Vec3<double>& radii);
  /// The convex hull of points. Throws std::invalid_argument where they lie in a plane. Here and above and below also
  /// for lengths that are not above 0 (of a capsule: not 0 or above), numbers that are not finite, and wrong counts.
  static Solid convex(const std::vector<Vec3<double>>& points);
  /// Heights over a grid centred at the origin: heights[x + columns * y], and all below; beyond its edge is nothing.
  static Solid height_field(int columns, int rows, double length_x, double length_y, std::vector<double> heights);

  Kind kind() const;  ///< which of them it is
  /// Of the sphere about the origin that holds it; infinite for half spaces.
  double radius() const;
  const SolidData& data() const { return *data_; }  ///< for the library's own pages

 private:
  explicit Solid(std::shared_ptr<const SolidData> data) : data_(std::move(data)) {}
  std::shared_ptr<const SolidData> data_;
};

/// Whether points of such a pair are found. Not: a half space or height field with another of the two; an ellipsoid
/// with anything but a half space or a sphere.
bool can_touch(Solid::Kind a, Solid::Kind b);

/// Appends the points of a pair whose gap is at most `margin`. Allocates only where `points` has no room.
///
/// The least gap is the signed distance: of solids that are apart their distance, else minus the shortest way out, to
/// 1e-6 of itself, since a face is preferred to edges that are nearer by less. Faces that meet have a point for each
/// corner of their common polygon (two boxes: up to 8), segments two, a cap four points of its rim. Exact: planes,
/// edges and corners of boxes and hulls, and true spheres, cylinders and ellipsoids; triangles of a hull that lie in a
/// plane to 3e-7 of its size are one face. Two cylinders deep inside of each other may have a gap that is too low by
/// 1 %. Of height fields each triangle has its own points; edges in a plane or a hollow have none.
void nearest_points(const Solid& a, const Transform<double>& pose_a, const Solid& b, const Transform<double>& pose_b,
                    double margin, std::vector<SurfacePair>& points);

}  // namespace zwang
