// SPDX-License-Identifier: BSD-3-Clause
// CouplingConstraint: coordinates of joints keep a relation: gears, differentials, mimic joints of any order.
//
//   linear      phi = sum_i ratio_i q_i - offset      phi' = sum_i ratio_i v_i       J = ratio        J' v = 0
//   polynomial  phi = q_0 - P(q_1)                    phi' = v_0 - P' v_1            J = (1, -P')     J' v = -P'' v_1^2
//   P(x) = sum_j c_j x^j
// An acceleration v_k' is read off the bodies that the joint joins: with K_k . S_j = delta_kj over the joint's columns S
// (least norm about the joint's origin), v_k' = K_k . (a_child - a_parent) less the bodies' own bias accelerations: the
// row acts by K on the child and by -K on the parent. Where the columns depend on each other (the middle angle of a ZYX
// joint at a quarter turn) a coordinate has no such K, and the row leaves it out. lambda is a generalised force:
// ratio_i lambda at coordinate i.
#pragma once
#include "zwang/constraint/constraint.hpp"

namespace zwang {

struct CouplingConstraint {
  static constexpr const char* k_type = "coupling";
  std::string name = {};
  std::vector<std::string> coordinates = {};  ///< of Model::coordinate_names(), of joints whose q' is v; each once
  std::vector<double> ratio = {};             ///< one per coordinate, not all zero
  double offset = 0;                          ///< of the linear form
  std::vector<double> polynomial = {};        ///< c_0, c_1, ...: instead of `ratio`, with two coordinates
  ZWANG_HOLDING(AsIs)
};

Constraint bind(const Model& model, const CouplingConstraint& c);

}  // namespace zwang
