// SPDX-License-Identifier: BSD-3-Clause
// JointConstraint: rows on coordinates, one each: a posture to keep or to reach, a joint to lock or to drive.
//
//   one number of q with the rate v_k     phi = q_k - posture_k     phi' = v_k     J = e_k     J' v = 0
//   a rotation, a free joint, a plane     (R, p): pose of the joint's child in the pose that `posture` gives it
//     linear coordinate k                 phi = p_k        phi' = (R v_p)_k               in the posture's axes
//     angular coordinate k                phi = log(R)_k   phi' = (Jr^-1(log R) w)_k
// so that phi' = v_k in the posture itself, and J = d phi / dq exactly in every other. lambda is the generalised force
// at the coordinate. Without `posture` and `target` any position is allowed: phi is then the coordinate itself.
#pragma once
#include "zwang/constraint/constraint.hpp"

namespace zwang {

struct JointConstraint {
  static constexpr const char* k_type = "joint";
  std::string name = {};
  /// From Model::coordinate_names(), or names of joints for all coordinates of theirs; each once. Empty: all of v.
  std::vector<std::string> coordinates = {};
  /// A configuration [nq] of which the named coordinates are kept; `target` is then an offset from it. Empty: neutral.
  std::vector<double> posture = {};
  ZWANG_HOLDING(AsIs)
};

/// The list of its fields (constraint/holding.hpp).
template <class V> constexpr void fields(V& v, Type<JointConstraint> type) {
  using T = JointConstraint;
  using Form = KeyForm;
  v.record(T::k_type, "Rows on coordinates, one each: a posture to keep or to reach, a joint to lock or to drive.");
  v("name", &T::name, "new in its set", {.needed = true});
  v("coordinates", &T::coordinates, "names of coordinates, or of joints for all that they have; none: all",
    {.by_position = true, .type = "str | Sequence[str] | None"});
  v("posture", &T::posture,
    "a configuration, default neutral: phi is the coordinate less its value in it, of rotations their logarithm; "
    "target: the phi wanted. Without posture and target any position is allowed",
    {Form::posture});
  holding_fields(v, type);
}

Constraint bind(const Model& model, const JointConstraint& c);

}  // namespace zwang
