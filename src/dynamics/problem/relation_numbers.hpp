// SPDX-License-Identifier: BSD-3-Clause
// RelationNumbers: what the relations of a problem are at one state.
#pragma once
#include "dynamics/problem/row_reader.hpp"

namespace zwang {

struct RelationNumbers {
  RelationNumbers() = default;
  explicit RelationNumbers(const RowLayout& layout);
  /// Rows between bodies at the positions and velocities of `data`, into the numbers that the sweep reads:
  ///   phi'' = sum K a + gamma = beta - (2 zeta / T) (phi' - target') - (phi - target) / T^2
  /// std::invalid_argument where rows of the user are not finite.
  void evaluate(const RowLayout& layout, RowReader& rows, const Data& data, const double* q, const double* v);

  Buffer<double> phi, rate;  ///< [rows of the set] errors of position and velocity
  Buffer<double> as_given;   ///< [6 rows of the set] wrench of a unit multiplier, as users see it

 private:
  Buffer<double> gamma_;
  Buffer<Force<double>> K_;
};

}  // namespace zwang
