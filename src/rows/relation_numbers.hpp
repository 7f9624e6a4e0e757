// SPDX-License-Identifier: BSD-3-Clause
// RelationNumbers: the relations of a problem, evaluated at one state.
#pragma once
#include "rows/row_reader.hpp"

namespace zwang {

struct RelationNumbers {
  RelationNumbers() = default;
  explicit RelationNumbers(const RowLayout& layout);
  /// Evaluates rows between bodies at the positions and velocities of `data` and writes the numbers that the sweep
  /// reads:
  ///   phi'' = sum K a + gamma = beta - (2 zeta / T) (phi' - target') - (phi - target) / T^2
  /// Throws std::invalid_argument if rows written by the user are not finite, std::logic_error if they have changed
  /// the set.
  void evaluate(const RowLayout& layout, RowReader& rows, const Data& data, const double* q, const double* v);

  Buffer<double> phi, rate;  ///< [rows of the set] position and velocity errors
  Buffer<double> as_given;   ///< [6 rows of the set] wrench of a unit multiplier, in the form shown to users

 private:
  void evaluate_custom(const RowLayout& layout, const RowReader& rows, const Relation& relation, const Data& data,
                       const double* q, const double* v, const RowValues& out) const;
  Buffer<double> gamma_;
  Buffer<Force<double>> K_;
};

}  // namespace zwang
