// SPDX-License-Identifier: BSD-3-Clause
// FrameConstraint: some directions of a frame's acceleration.
//
//   phi'' = K a_f = beta      a_f: [classical or spatial acceleration of the frame's origin; angular acceleration]
//   J = K J_f,   J'v = K (a_f at zero joint acceleration),   K = rows in the axes of `in`
// Without a target there is no position error, and K may have any axes. With a target (R_t, p_t) the position error is
// that of types/loop.hpp, and the rows hold its second derivative:
//   `local_world_aligned`, or a frame fixed in the world    phi = K [p - p_t; psi(R R_t^T)] in these axes
//   `local`                                                 phi = -K [R^T (p_t - p); psi(R^T R_t)]
// Where phi = 0, phi'' = K a_f in the first case, and K (a_f - 2 w x v) in the second, whose axes turn.
#pragma once
#include "zwang/constraint/constraint.hpp"

namespace zwang {

struct FrameConstraint {
  static constexpr const char* k_type = "frame";
  std::string name = {};
  std::string frame = {};
  RowSelection rows = zwang::rows("all");
  /// Axes of the rows: `local`, `world` (the reference point is then the world's origin), `local_world_aligned`,
  /// or a frame's name.
  std::string in = "local_world_aligned";
  ZWANG_HOLDING_BETA(AsIs)
  AccelerationKind acceleration = AccelerationKind::classical;
  ZWANG_HOLDING_POLICY(AsIs)
  bool has_target = false;
  Transform<double> target_pose = Transform<double>::identity();  ///< of the frame in the world, with has_target
  ZWANG_HOLDING_ERRORS(AsIs)                                      // members used only with has_target
};

/// The list of its fields (constraint/holding.hpp).
template <class V> constexpr void fields(V& v, Type<FrameConstraint> type) {
  using T = FrameConstraint;
  using Form = KeyForm;
  v.record(T::k_type, "Some directions of a frame's acceleration:  K a = beta.");
  v("name", &T::name, "new in its set", {.needed = true});
  v("frame", &T::frame, "the frame whose acceleration is held", {.needed = true});
  v("rows", &T::rows, "words (linear.x ... angular.z, linear, angular, all) or a matrix k x 6 over [linear; angular]",
    {.by_position = true});
  v("in", &T::in,
    "axes of the rows: local, world (also the point is the world's origin), local_world_aligned, or a frame's name",
    {.by_position = true});
  v("acceleration", &T::acceleration,
    "classical or spatial, gravity not counted: beta = 0 holds a frame at rest still");
  v("has_target", &T::has_target, "whether there is a position error", {Form::hidden});
  v("target_pose", &T::target_pose,
    "4 x 4, of the frame in the world: there is a position error then, phi = K [p - p_t; log R R_t^T]", {Form::target});
  holding_fields(v, type);
}

Constraint bind(const Model& model, const FrameConstraint& c);

}  // namespace zwang
