// SPDX-License-Identifier: BSD-3-Clause
// DistanceConstraint: two points keep their distance, like the ends of a rod with two ball joints.
//
//   d = p_b - p_a,  u = d / |d|         in the world
//   phi = |d| - length                  phi' = u . (v_b - v_a)            J = u^T (J_b - J_a), J of the points
//   gamma = u' . (v_b - v_a)            u' = (1 - u u^T) (v_b - v_a) / |d|
// If the points coincide u is undefined: J and gamma are zero. lambda > 0 pushes the points apart.
#pragma once
#include "zwang/constraint/constraint.hpp"

namespace zwang {

struct DistanceConstraint {
  static constexpr const char* k_type = "distance";
  std::string name = {};
  std::string frame = {};                           ///< a
  Vec3<double> point = Vec3<double>::zero();        ///< in a [m]
  std::string other = {};                           ///< b
  Vec3<double> other_point = Vec3<double>::zero();  ///< in b [m]
  double length = 0;  ///< > 0 [m]; for coincident points use a loop with `joint_rows("ball")`
  ZWANG_HOLDING(AsIs)
};

/// The list of its fields (constraint/holding.hpp).
template <class V> constexpr void fields(V& v, Type<DistanceConstraint> type) {
  using T = DistanceConstraint;
  using Form = KeyForm;
  v.record(T::k_type,
           "Two points keep their distance, as a rod between two balls does:  phi = |p_b - p_a| - length.\n"
           "lambda pushes them apart.");
  v("name", &T::name, "new in its set", {.needed = true});
  v("frames", &T::frame, "a and b", {.form = Form::frames, .needed = true});
  v("point", &T::point, "in a, default its origin [m]");
  v("other", &T::other, "b", {Form::hidden});
  v("other_point", &T::other_point, "in b, default its origin [m]");
  v("length", &T::length, "> 0 [m]", {.needed = true});
  holding_fields(v, type);
}

Constraint bind(const Model& model, const DistanceConstraint& c);

}  // namespace zwang
