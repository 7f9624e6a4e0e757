// SPDX-License-Identifier: BSD-3-Clause
// CentreOfMassConstraint: the centre of mass of all moving bodies.
//
//   phi = K c             m c = sum_i m_i c_i      world axes; masses are those of Data, payloads included
//   phi' = K c'           J = K sum_i (m_i / m) J_ci
//   J' v = K sum_i (m_i / m) J_ci' v
// So body i takes the share m_i / m of lambda at its own centre of mass.
#pragma once
#include "zwang/constraint/constraint.hpp"

namespace zwang {

struct CentreOfMassConstraint {
  static constexpr const char* k_type = "centre_of_mass";
  std::string name = {};
  RowSelection rows = zwang::rows("linear");  ///< `linear.x`, `linear.y`, `linear.z`
  std::vector<double> matrix = {};            ///< K, k x 3, row by row: instead of `rows`
  ZWANG_HOLDING(AsIs)
};

/// The list of its fields (constraint/holding.hpp).
template <class V> constexpr void fields(V& v, Type<CentreOfMassConstraint> type) {
  using T = CentreOfMassConstraint;
  using Form = KeyForm;
  v.record(T::k_type, "The centre of mass of everything that moves:  phi = K c, world axes.");
  v("name", &T::name, "new in its set", {.needed = true});
  v("rows", &T::rows, "linear.x, linear.y, linear.z, linear, a list of them, or a matrix K of k x 3",
    {.by_position = true});
  v("matrix", &T::matrix, "K, k x 3, in place of rows", {Form::three_wide});
  holding_fields(v, type);
}

Constraint bind(const Model& model, const CentreOfMassConstraint& c);

}  // namespace zwang
