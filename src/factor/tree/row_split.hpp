// SPDX-License-Identifier: BSD-3-Clause
// RowSplit: K a = kappa of one cluster; some coordinates a_d are determined by the others a_i.
//
//   P R K C Q = [L1; L2] [U1 U2]      a_d = g + G_d a_i,   C^-1 G_d C = -U1^-1 U2,   g = C U1^-1 L1^-1 P R kappa
//
// Golub & Van Loan 2013, algorithm 3.4.3 (complete pivoting). Rows are divided by their length, columns by the root of
// their coordinate's inertia, so that G is small and the pivots reveal the rank. Memory is the caller's: a split is
// kept from the inward to the outward pass.
#pragma once
#include "linear/interruption.hpp"
#include "zwang/core/index.hpp"

namespace zwang {

struct RowSplit {
  enum class Rank { full, short_of_rows, in_doubt };

  Index m = 0, n = 0, rank = 0;             ///< rows, free coordinates
  double* lu = nullptr;                     ///< [m x n] R K C, overwritten by its factors
  double* R = nullptr;                      ///< [m] 1 / length, rows as given
  double* C = nullptr;                      ///< [n] afterwards in the order of `column`
  double* start = nullptr;                  ///< [m] L1^-1 P R kappa
  Index *row = nullptr, *column = nullptr;  ///< given index at each place; the first `rank` are pivots

  /// Rows of length 1; before cancellation their terms are at most `noise` times larger. If squares of pivots are near
  /// `tolerance`, the library's for J M^-1 J^T, the rank is in doubt; also where it is stopped.
  Rank factor(double tolerance, double noise, const Interruption* stop);
  void begin(const double* kappa);  ///< [m] as the rows were given
  /// Computes the first `rank` numbers of a [n], in the order of `column`, from the others.
  void determine(double* a) const;
  /// G_d [rank x (n - rank)].
  void dependence(double* G) const;
  /// lambda [m], rows as given and 0 beyond the rank, from K^T lambda = t; t [rank] is overwritten.
  void multipliers(double* t, double* lambda) const;
  /// c [m]: row p >= rank minus its combination of the pivots' rows: sum of c_i R_i (row i) = 0.
  void relation(Index p, double* c) const;

 private:
  double* at(Index i) { return lu + i * n; }
  const double* at(Index i) const { return lu + i * n; }
};

}  // namespace zwang
