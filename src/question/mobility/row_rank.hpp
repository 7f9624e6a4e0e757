// SPDX-License-Identifier: BSD-3-Clause
// RowRank: which rows of a set count at a configuration, and which minimal sets depend, as a Solver says it.
//
// A sweep to the root decides, by the cheap test or by the rank rule of linear/mass_weighted_rows.hpp on the W =
// D^-1/2 L^-T J^T that it leaves: angles are measured in the metric of M. Soft rows keep nothing from moving. Where M
// is singular and the rows leave a motion without inertia, the metric is that of scaled coordinates.
#pragma once
#include "factor/sweep_factor.hpp"
#include "rows/evaluated_rows.hpp"

namespace zwang {

class RowRank {
 public:
  explicit RowRank(EvaluatedRows& rows);

  /// Of the rows that were evaluated last, the hard ones without those where `out` [rows of EvaluatedRows] is set.
  /// False where the sweep finds a motion without inertia.
  bool find(const unsigned char* out, double tolerance);
  /// The same on rows [count x nv] in other coordinates, the `listed` rows of EvaluatedRows; `terms`: magnitudes of
  /// their entries.
  void find(const Index* listed, Index count, const double* rows, const double* terms, double tolerance);

  Index rank() const { return rank_; }  ///< of the hard rows
  bool counts(Index i) const { return counts_[i] != 0; }

  /// How many minimal sets of dependent rows there are, one for each redundant row, these in the user's order.
  Index find_circuits();
  /// Row i is the last of set k in the user's order: redundant.
  bool ends(Index k, Index i) const { return at_[i] == circuit(k).row; }
  /// Coefficient of row i, own units, in set k. That of its last row is 1.
  double coefficient(Index k, Index i) const;

 private:
  RankRevealing::Circuit circuit(Index k) const { return answer_.hard.system.circuit(circuits_ - 1 - k); }
  void take();

  EvaluatedRows& rows_;
  SharedProblem problem_;  ///< the rows left out are not among its own
  SweepFactor sweep_;
  Answer answer_;
  Buffer<unsigned char> released_, counts_;  ///< [rows of the set]; [rows of EvaluatedRows]
  Buffer<Index> of_set_, at_;                ///< row of EvaluatedRows of a row of the set; row of `hard`, or -1
  Buffer<double> bound_;
  Index rank_ = 0, circuits_ = 0;
};

}  // namespace zwang
