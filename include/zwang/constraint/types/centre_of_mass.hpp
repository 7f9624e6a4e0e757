// SPDX-License-Identifier: BSD-3-Clause
// CentreOfMassConstraint: the centre of mass of everything that moves.
//
//   phi = K c             m c = sum_i m_i c_i      world axes; masses are those of Data, payloads included
//   phi' = K c'           J = K sum_i (m_i / m) J_ci
//   J' v = K sum_i (m_i / m) J_ci' v
// So body i bears the share m_i / m of lambda at its own centre of mass.
#pragma once
#include "zwang/constraint/constraint.hpp"

namespace zwang {

struct CentreOfMassConstraint {
  std::string name = {};
  RowSelection rows = zwang::rows("linear");  ///< `linear.x`, `linear.y`, `linear.z`
  std::vector<double> matrix = {};            ///< K, k x 3, row by row: instead of `rows`
  std::vector<double> beta = {};              ///< one per row; none: zeros
  Role role = Role::physical;
  bool active = true;
  Policy policy = Policy::hard;
  int priority = 0;
  Compensate compensate = {};
  std::vector<double> compliance = {};  ///< one per row, or one for all, with policy soft
  std::vector<double> weight = {};      ///< one per row, or one for all
  Stabilisation stabilisation = {};
  std::vector<double> target = {};           ///< desired phi, one per row
  std::vector<double> target_velocity = {};  ///< desired phi', one per row
};

Constraint bind(const Model& model, const CentreOfMassConstraint& c);

}  // namespace zwang
