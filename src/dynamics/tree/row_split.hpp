// SPDX-License-Identifier: BSD-3-Clause
// RowSplit: K a = kappa of one cluster, some coordinates a_d determined by the others a_i.
//
//   P R K C Q = [L1; L2] [U1 U2]      a_d = g + G_d a_i,   C^-1 G_d C = -U1^-1 U2,   g = C U1^-1 L1^-1 P R kappa
//
// Golub & Van Loan 2013, algorithm 3.4.3 (complete pivoting), on rows divided by their length and columns by the root
// of their coordinate's inertia. So G is small and the pivots tell the rank.
// Memory is the caller's: a split is kept from the way in to the way out.
#pragma once
#include "zwang/core/index.hpp"

namespace zwang {

struct RowSplit {
  enum class Rank { full, short_of_rows, in_doubt };

  Index m = 0, n = 0, rank = 0;             ///< rows, free coordinates
  double* lu = nullptr;                     ///< [m x n] R K C before, its factors after
  double* R = nullptr;                      ///< [m] as the rows were given
  double* C = nullptr;                      ///< [n] in the order of `column` after
  double* start = nullptr;                  ///< [m] L1^-1 P R kappa
  Index *row = nullptr, *column = nullptr;  ///< which of those given stands where; the first `rank` are pivots

  /// Rows of length 1, `noise` times that before cancellation at worst. Pivots whose squares are near `tolerance`, the
  /// library's of J M^-1 J^T, leave the rank in doubt.
  Rank factor(double tolerance, double noise);
  void begin(const double* kappa);  ///< [m] as the rows were given
  /// a [n] in the order of `column`: the first `rank` from the others.
  void determine(double* a) const;
  /// G_d [rank x (n - rank)].
  void dependence(double* G) const;
  /// lambda [m] as the rows were given, that of rows beyond the rank 0, of K^T lambda = t; t [rank] is used up.
  void multipliers(double* t, double* lambda) const;
  /// c [m]: row p >= rank less its combination of the pivots' rows, sum of c_i R_i (row i) = 0.
  void relation(Index p, double* c) const;

 private:
  double* at(Index i) { return lu + i * n; }
  const double* at(Index i) const { return lu + i * n; }
};

}  // namespace zwang
