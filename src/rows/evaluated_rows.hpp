// SPDX-License-Identifier: BSD-3-Clause
// EvaluatedRows: the active rows of a set at a state as plain numbers, in order of insertion, without a solve.
//
//   J a + R lambda = gamma       J [rows x nv] row by row, gamma = beta - J' v - feedback of the errors
// `magnitude`: the sizes of the vectors that each entry of J is a product of. Rounding of J is epsilon times that.
#pragma once
#include "rows/problem.hpp"

namespace zwang {

struct EvaluatedRows {
  /// `owner` and `remedy`: for messages, as in RowLayout.
  EvaluatedRows(const Model& model, const ConstraintSet& set, const char* owner, const char* remedy = "make a new one");

  /// `velocity` nullptr: at rest. Throws what the set throws where it is not valid. Allocates nothing.
  void evaluate(const double* q, const double* velocity);
  void evaluate_magnitudes();  ///< of the rows evaluated last

  const Constraint& constraint_of(Index i) const { return problem.constraint_of(order[i]); }
  std::string_view name(Index i) const { return problem.row_name(order[i]); }
  std::size_t row_in_constraint(Index i) const { return problem.row_in_constraint(order[i]); }
  Index row_of_set(Index i) const { return problem.rows.row_of[order[i]]; }
  /// By how much the row may be off because its relation is not closed (Problem::openness).
  double openness(Index i) const { return problem.openness(order[i]); }
  double compliance(Index i) const { return problem.rows.compliance[order[i]]; }
  const double* row(Index i) const { return jacobian.data() + i * nv; }
  const double* magnitudes(Index i) const { return magnitude.data() + i * nv; }

  OwnProblem problem;
  Index rows = 0;
  Index nv;
  Buffer<Index> order;            ///< [rows] row of the sweep
  Buffer<double> position_error;  ///< phi - target; NaN where a row has none
  Buffer<double> velocity_error, gamma;
  Buffer<double> jacobian, magnitude;  ///< [rows x nv]
};

}  // namespace zwang
