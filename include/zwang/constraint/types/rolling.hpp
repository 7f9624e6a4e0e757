// SPDX-License-Identifier: BSD-3-Clause
// RollingConstraint: a ball, or a wheel (a thin disc), rolls on a plane without slip.
//
//   n, p_0: the plane's normal and a point of it; o, R: origin of the frame and radius; u: the wheel's axis
//   d = -n of a ball,  -(n - (n.u) u) / |n - (n.u) u| of a wheel: from the centre to the lowest point c = o + R d
//   normal      phi = n . (c - p_0)        phi' = n . V_c
//   tangent     no phi (NaN)               phi' = t . V_c      t1, t2: fixed in the plane for a ball; of a wheel the
//                                                              direction it rolls in, u x n, and sideways, n x t1
//   V_c: velocity of the material point at c, seen from the plane     J = [t1 t2 n]^T J_c
//   gamma = K' (V_frame - V_plane)         K = [t, c x t] differentiated as c, t1 and t2 move along the plane
// A wheel that lies flat has no lowest point: its rows are then zero. lambda acts on `frame`.
#pragma once
#include "zwang/constraint/constraint.hpp"

namespace zwang {

struct RollingConstraint {
  static constexpr const char* k_type = "rolling";
  std::string name = {};
  std::string frame = {};                           ///< at the centre of the wheel or ball
  double radius = 0;                                ///< R >= 0 [m]; 0 for a skate
  Vec3<double> axis = Vec3<double>::zero();         ///< u in `frame`, any length; zero: a ball
  std::string other = {};                           ///< carries the plane; empty: the world
  Vec3<double> normal{0, 0, 1};                     ///< n in `other`, any length but zero, pointing to the wheel
  Vec3<double> plane_point = Vec3<double>::zero();  ///< p_0 in `other` [m]
  /// t1 of a ball, in `other`; zero: from the axis with the smallest component along the normal
  Vec3<double> tangent = Vec3<double>::zero();
  std::string rows = "tangent1 tangent2 normal";  ///< which of them, in this order
  ZWANG_HOLDING(AsIs)
};

/// The list of its fields (constraint/holding.hpp).
template <class V> constexpr void fields(V& v, Type<RollingConstraint> type) {
  using T = RollingConstraint;
  using Form = KeyForm;
  v.record(T::k_type, "A ball, or with an axis a wheel, rolls on a plane without slip.");
  v("name", &T::name, "new in its set", {.needed = true});
  v("frame", &T::frame, "at the centre of the wheel or ball", {.needed = true});
  v("radius", &T::radius, ">= 0 [m]", {.needed = true});
  v("axis", &T::axis, "of the wheel, in the frame; none: a ball", {.form = Form::axis, .by_position = true});
  v("other", &T::other, "the frame that carries the plane, default the world");
  v("normal", &T::normal, "of the plane, in its frame, pointing to the wheel, default (0, 0, 1)");
  v("plane_point", &T::plane_point, "of the plane, in its frame, default the origin [m]");
  v("tangent", &T::tangent, "t1 of a ball, in the plane's frame, default the axis least along the normal");
  v("rows", &T::rows, "which of tangent1, tangent2, normal", {Form::words});
  holding_fields(v, type);
}

Constraint bind(const Model& model, const RollingConstraint& c);

}  // namespace zwang
