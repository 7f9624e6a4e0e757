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

Constraint bind(const Model& model, const CentreOfMassConstraint& c);

}  // namespace zwang
