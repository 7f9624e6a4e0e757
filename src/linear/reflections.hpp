// SPDX-License-Identifier: BSD-3-Clause
// Reflections: A P = Q R by Householder reflections, columns in memory one after the other.
//
// Businger & Golub 1965; Golub & Van Loan 2013, algorithm 5.4.1. Column norms are downdated, and recomputed when little
// is left of them.
// Cost: 2 n^2 (rows - n / 3) multiply-adds for n columns. Allocates nothing after construction.
#pragma once
#include "linear/interruption.hpp"
#include "zwang/core/buffer.hpp"

namespace zwang::dense {

class Reflections {
 public:
  Reflections(Index rows, Index columns);
  double* column(Index k) { return a_.data() + k * stride_; }
  const double* column(Index k) const { return a_.data() + k * stride_; }
  /// Ends when no remaining column is longer than `tolerance` times the longest column.
  void factor(Index rows, Index columns, double tolerance, const Interruption* stop = nullptr);
  void factor_in_order(Index rows, Index columns, const Interruption* stop = nullptr);  ///< P = 1, full rank
  /// The same with rows interchanged, so that the largest entry of a column is reflected on (Powell & Reid 1969): rows
  /// of very different size keep their digits, and zeros stay zero. `place` [rows] is interchanged with them.
  void factor_by_rows(Index rows, Index columns, Index* place, const Interruption* stop = nullptr);

  Index rank() const { return rank_; }
  Index pivot(Index k) const { return pivot_[k]; }
  double diagonal(Index k) const { return d_[k]; }
  void reflect(Index k, double* x) const;  ///< x := H_k x
  double strength(Index k) const { return beta_[k]; }
  /// H_k = 1 - strength v v^T with v 0 before k.
  const double* direction(Index k) const { return column(k) + k; }
  void apply_transposed(double* x) const;  ///< x := Q^T x
  void apply(double* x) const;             ///< x := Q x
  void solve_upper(double* x) const;       ///< x := R_11^-1 x, the leading rank() numbers
  void solve_lower(double* x) const;       ///< x := R_11^-T x

 private:
  void swap_columns(Index i, Index j);
  void raise_largest(Index k, Index* place);
  void eliminate(Index k);
  Index stride_, rows_ = 0, columns_ = 0, rank_ = 0;
  Buffer<double> a_, d_, beta_, norm2_, found2_;  ///< remaining squared lengths, now and when last computed
  Buffer<Index> pivot_;
};

}  // namespace zwang::dense
