// SPDX-License-Identifier: BSD-3-Clause
// LoopConstraint: closes a loop between two frames as a joint of any type would, a weld included.
//
//   X = X_a^-1 X_b = (R, p)        phi = K [p; psi]            V, a: motion of b relative to a, at b's origin, a's axes
//   phi' = K [V_p; A V_w]          J = K [1 0; 0 A] (J_b - J_a)
//   gamma = K [1 0; 0 A]' (V_b - V_a)    the matrix differentiated along the motion
// psi are angles, zero only where the rows hold; which ones depends on the angular directions that the rows K hold:
//   three, one   psi = log R                 A = Jl^-1(psi), exact at any angle; psi is unique up to half a turn
//   two          psi = (t / sin t) u x (R u), t the angle between u and R u, up to half a turn: any number of turns
//                about u (hinge, cylinder)   A = -(t / sin t) [u][R u] + (1 - t cot t) / t^2 psi psi^T
//   universal    psi = -k (u1 . R u2)        A = -k (R u2 x u1)^T, k = u1 x u2: free about u1 in a, u2 in b
// so that J = d phi / dq exactly, also off the closed manifold; of two directions up to 1e-6 rad from the opposed axis,
// where A would grow without bound. lambda acts +K on b's body and -K on a's.
//
// In `local_world_aligned`, of linear rows alone, the axes are the world's and stand still:
//   phi = K (p_b - p_a)    phi' = K (v_b - v_a)    phi'' = K (classical acceleration of b's origin - that of a's)
//   J = K (J_b - J_a), each at its own origin      gamma = K (w_b x v_b - w_a x v_a), v of the origins
// lambda is a force at b's origin and the opposite one at a's. Where phi = 0 of three rows, both hold the same motions;
// elsewhere a's moving axes see the points' distance turn, and the forces of the rows in the world are a couple.
#pragma once
#include "zwang/constraint/constraint.hpp"

namespace zwang {

struct LoopConstraint {
  static constexpr const char* k_type = "loop";
  std::string name = {};
  std::string frame = {};  ///< a
  std::string other = {};  ///< b
  /// Directions held: `linear.x` ... `angular.z`; or those of a joint, see joint_rows().
  RowSelection rows = zwang::rows("all");
  std::string in = "local";  ///< axes of the rows: `local` (a's, which move), or `local_world_aligned` (the world's)
  ZWANG_HOLDING(AsIs)
};

/// The rows that replace a joint in a loop: `hinge` (or `revolute`), `slider` (`prismatic`),
/// `cylindrical`, `planar` (the axis is the plane's normal), `universal` (first axis in a, second in b),
/// `ball` (`spherical`), `weld` (`fixed`), `point_on_line`, `point_on_plane`. Axes in a's frame, any
/// length but zero; `second` is for universal only.
RowSelection joint_rows(const std::string& joint, const Vec3<double>& axis = {0, 0, 1},
                        const Vec3<double>& second = {0, 0, 0});

/// The rows that replace a joint that closes a loop of the model. None for a joint without constraints (`floating`).
LoopConstraint loop_constraint(const Model& model, const Loop& loop);

/// The list of its fields (constraint/holding.hpp).
template <class V> constexpr void fields(V& v, Type<LoopConstraint> type) {
  using T = LoopConstraint;
  using Form = KeyForm;
  v.record(
      T::k_type,
      "Closes a loop between two frames a, b as a joint would:  phi = K [p; psi] = target.\n\n"
      "p: where b's origin is in a; psi: how b is turned, by the log of its rotation, or free of the turns that\n"
      "    the rows leave free. The rows speak of a's axes. The wrench acts on b's body, along a's axes, about b's\n"
      "    origin; its opposite on a's. In local_world_aligned p is b's origin less a's, in the world's axes, and\n"
      "    the opposite force acts at a's origin.");
  v("name", &T::name, "new in its set", {.needed = true});
  v("frames", &T::frame, "a and b", {.form = Form::frames, .needed = true});
  v("other", &T::other, "b", {Form::hidden});
  v("rows", &T::rows,
    "words (linear.x ... angular.z, linear, angular, all), a matrix k x 6, or those of a joint, {\"joint\": \"hinge\", "
    "\"axis\": \"z\"}: hinge, slider, cylindrical, planar, ball, universal, weld ...",
    {.form = Form::joint_rows, .by_position = true});
  v("in", &T::in, "axes of the rows: local (a's, which move), or of linear rows local_world_aligned (the world's)");
  holding_fields(v, type);
}

Constraint bind(const Model& model, const LoopConstraint& c);

}  // namespace zwang
