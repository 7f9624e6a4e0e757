// SPDX-License-Identifier: BSD-3-Clause
// RowSystem: G lambda = b, G = J M^-1 J^T + R of any rank, by Cholesky on equilibrated rows.
//
// Golub & Van Loan 2013, sec. 4.2.8; Higham 2002, sec. 10.3 (pivoted, rank revealing).
// DIFFERS: rows are taken in their order first; the search for pivots begins only when a pivot is small. Nothing is
// moved in memory: row i of the factor belongs to row i of G, column k to pivot k.
// Cost: m^3 / 3 multiply-adds, twice where rows depend on each other. Allocates nothing after construction.
#pragma once
#include "linear/row_relations.hpp"

namespace zwang::dense {

class RowSystem {
 public:
  explicit RowSystem(Index capacity);
  double* row(Index i) { return G_.data() + i * capacity_; }  ///< of G: j <= i is read
  void factor(Index m, double tolerance, const Interruption* stop = nullptr);
  void solve(const double* b, double* lambda);
  Index rank() const { return rank_; }
  const RowRelations& relations() const { return relations_; }
  double inv_scale(Index i) const { return inv_scale_[i]; }
  /// Row i of the equilibrated matrix, j <= i.
  const double* equilibrated(Index i) const { return E_.data() + i * capacity_; }

 private:
  const double* factor_row(Index i) const { return L_.data() + i * capacity_; }
  double* factor_row(Index i) { return L_.data() + i * capacity_; }
  bool factor_in_order(const Interruption* stop);
  void factor_by_pivots(double tolerance, const Interruption* stop);
  void relate(const Interruption* stop);
  void apply(const double* y, double* x);
  Index capacity_, m_ = 0, rank_ = 0;
  Buffer<double> G_, E_, L_, inv_scale_, d_, y_, x_, r_;
  Buffer<Index> pivot_;
  RowRelations relations_;
};

}  // namespace zwang::dense
