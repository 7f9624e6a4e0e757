// SPDX-License-Identifier: BSD-3-Clause
// ContactConstraint: a point of a body that touches the world.
//
//   phi'' = [t1 t2 n]^T a_p = beta    a_p: classical acceleration of the point; n: normal; t1, t2: tangents, world axes
//   J = [t1 t2 n]^T J_p,   J'v = [t1 t2 n]^T (a_p at zero joint acceleration)
// With a target point there is a position error: phi = [t1 t2 n]^T (p - target_point).
// With a friction the point sticks, slips or leaves, in a motion by Integrator::contact (docs/contact-in-time.md).
// Rows: 3 sticks (tangent 1, tangent 2, normal), 1 slides (normal), 2 for plane problems (tangent 1, normal).
#pragma once
#include <optional>

#include "zwang/constraint/constraint.hpp"

namespace zwang {

struct ContactConstraint {
  static constexpr const char* k_type = "contact";
  std::string name = {};
  std::string frame = {};
  Vec3<double> point = Vec3<double>::zero();  ///< in the frame [m]
  Vec3<double> normal{0, 0, 1};               ///< world axes, any length but zero, pointing out of the ground
  /// World axes; zero: from the world axis with the smallest component along the normal.
  Vec3<double> tangent = Vec3<double>::zero();
  int rows = 3;
  /// Coulomb's coefficient of a point that only pushes, >= 0: of a motion by Integrator::contact alone, with 3 rows and
  /// the sense `at_least`.
  std::optional<double> friction = {};
  ZWANG_HOLDING_BETA(AsIs)
  ZWANG_HOLDING_POLICY(AsIs)
  bool has_target = false;
  Vec3<double> target_point = Vec3<double>::zero();  ///< in the world, with has_target [m]
  ZWANG_HOLDING_ERRORS(AsIs)                         // members used only with has_target
};

/// The list of its fields (constraint/holding.hpp).
template <class V> constexpr void fields(V& v, Type<ContactConstraint> type) {
  using T = ContactConstraint;
  using Form = KeyForm;
  v.record(T::k_type, "A point of a body that touches the world:  [t1 t2 n]^T a_p = beta, world axes.");
  v("name", &T::name, "new in its set", {.needed = true});
  v("frame", &T::frame, "of the body that touches", {.needed = true});
  v("point", &T::point, "in the frame, default its origin [m]");
  v("normal", &T::normal, "world axes, pointing out of the ground, default (0, 0, 1)", {.by_position = true});
  v("tangent", &T::tangent, "world axes, default the axis least along the normal");
  v("rows", &T::rows, "3 sticks (t1, t2, n), 2 for plane problems (t1, n), 1 slides (n)", {.by_position = true});
  v("friction", &T::friction,
    "Coulomb's coefficient of a point that only pushes (3 rows, sense at_least), in a motion by integrator contact "
    "alone; none: no friction");
  v("has_target", &T::has_target, "whether there is a position error", {Form::hidden});
  v("target_point", &T::target_point,
    "in the world [m]: there is a position error then, phi = [t1 t2 n]^T (p - target_point)", {Form::target});
  holding_fields(v, type);
}

Constraint bind(const Model& model, const ContactConstraint& c);

}  // namespace zwang
