// SPDX-License-Identifier: BSD-3-Clause
// CouplingConstraint: a relation between coordinates of joints: gears, differentials, mimic joints of any order.
//
//   linear      phi = sum_i ratio_i q_i - offset      phi' = sum_i ratio_i v_i       J = ratio        J' v = 0
//   polynomial  phi = q_0 - P(q_1)                    phi' = v_0 - P' v_1            J = (1, -P')     J' v = -P'' v_1^2
//   P(x) = sum_j c_j x^j
// The acceleration v_k' is computed from the bodies on both sides of the joint: with K_k . S_j = delta_kj over the
// joint's columns S (least norm about the joint's origin), v_k' = K_k . (a_child - a_parent) minus the bodies' bias
// accelerations. The row acts by K on the child and by -K on the parent. Where the columns depend on each other (a ZYX
// joint whose middle angle is a quarter turn), such a K_k may not exist; the row then leaves the coordinate out. lambda
// is a generalised force: ratio_i lambda at coordinate i.
#pragma once
#include "zwang/constraint/constraint.hpp"

namespace zwang {

struct CouplingConstraint {
  static constexpr const char* k_type = "coupling";
  std::string name = {};
  std::vector<std::string> coordinates = {};  ///< from Model::coordinate_names(), of joints with q' = v; each once
  std::vector<double> ratio = {};             ///< one per coordinate, not all zero
  double offset = 0;                          ///< of the linear form
  std::vector<double> polynomial = {};        ///< c_0, c_1, ...: instead of `ratio`, with two coordinates
  ZWANG_HOLDING(AsIs)
};

/// The list of its fields (constraint/holding.hpp).
template <class V> constexpr void fields(V& v, Type<CouplingConstraint> type) {
  using T = CouplingConstraint;
  v.record(T::k_type, "Coordinates of joints keep a relation: gears, differentials, cams.");
  v("name", &T::name, "new in its set", {.needed = true});
  v("coordinates", &T::coordinates, "names of coordinates, each once", {.needed = true});
  v("ratio", &T::ratio, "one number per coordinate: phi = sum ratio_i q_i - offset", {.by_position = true});
  v("offset", &T::offset, "of the linear form");
  v("polynomial", &T::polynomial,
    "c_0, c_1 ... in place of ratio, of two coordinates: phi = q_0 - (c_0 + c_1 q_1 + ...)");
  holding_fields(v, type);
}

Constraint bind(const Model& model, const CouplingConstraint& c);

}  // namespace zwang
