// SPDX-License-Identifier: BSD-3-Clause
// RelationNumbers: evaluates the relations of a set at one state.
#pragma once
#include "rows/rows.hpp"

namespace zwang {

class RowReader;

class RelationNumbers {
 public:
  RelationNumbers() = default;
  explicit RelationNumbers(const RowLayout& layout);
  /// Evaluates rows between bodies at the positions and velocities of `data` and writes the numbers that the sweep
  /// reads:
  ///   phi'' = sum K a + gamma = beta - (2 zeta / T) (phi' - target') - (phi - target) / T^2
  /// Throws std::invalid_argument if rows written by the user are not finite, std::logic_error if they have changed
  /// the set that `reader` has read.
  void evaluate(const RowLayout& layout, const RowReader& reader, const Data& data, const double* q, const double* v,
                Rows& rows);

 private:
  Buffer<double> gamma_;     ///< [rows of the set]
  Buffer<Force<double>> K_;  ///< [rows of a relation on each of its bodies]
};

}  // namespace zwang
