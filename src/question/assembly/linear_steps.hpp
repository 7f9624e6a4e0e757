// SPDX-License-Identifier: BSD-3-Clause
// LinearSteps: the linear problems of an assembly, on rows A x = r in the lengths x of a Metric.
//
//   damped step    minimise |A x + phi|^2 + mu^2 |x|^2   subject to   x_held given,   by [A^T; mu] = Q R, never A A^T
//   tangent space  Z, orthonormal: A Z = 0, held coordinates at rest; lambda = argmin |g + A^T lambda|
// Rank of the second by MassWeightedRows. Held coordinates are rows that always count. Of the rows take part those that
// act. Allocates nothing after construction.
#pragma once
#include "linear/mass_weighted_rows.hpp"
#include "question/assembly/metric.hpp"

namespace zwang {

/// Coordinates that move by a given amount, to a limit.
struct HeldCoordinates {
  explicit HeldCoordinates(Index n) : at(n), by(n), is(n) {}
  Index count = 0;
  Buffer<Index> at;          ///< [count] index among the free coordinates
  Buffer<double> by;         ///< [count] their steps
  Buffer<unsigned char> is;  ///< [n]
  void clear();
  void add(Index j, double step);
};

/// Rows at a configuration, divided by their sizes.
struct ScaledRows {
  ScaledRows(Index rows, Index coordinates) : phi(rows), A(rows * coordinates), bound(rows), side(rows), acts(rows) {}
  Index m = 0, n = 0;
  Buffer<double> phi, A;       ///< [m], [m x n]
  Buffer<double> bound;        ///< [m] square of the terms of a row of A
  Buffer<signed char> side;    ///< [m] 1: phi >= 0 is wanted, -1: phi <= 0, 0: phi = 0
  Buffer<unsigned char> acts;  ///< [m] the row is there in a linear problem
  const double* row(Index i) const { return &A[i * n]; }
  double largest_row() const;  ///< length
  /// What is left of phi: the violation, where a row has a side.
  double rest(Index i) const { return side[i] == 0 || (side[i] > 0) == (phi[i] < 0) ? phi[i] : 0.0; }
};

class LinearSteps {
 public:
  LinearSteps(const Metric& metric, Index rows, Index nv);

  /// x [n].
  void damped_step(const ScaledRows& rows, const HeldCoordinates& held, double mu, double* x);

  /// `open`: how far rows may be off, relative to their terms, because they do not hold.
  void find_tangents(const ScaledRows& rows, const HeldCoordinates& held, double open);
  Index tangents() const { return n_ - counted_; }
  const double* tangent(Index k) const { return &Z_[k * n_]; }
  /// Reduced gradient Z^T g into out [tangents()]; multipliers of the rows and of held coordinates.
  void split(const double* g, double* out);
  double multiplier(Index i) const { return lambda_[i]; }  ///< of row i; 0 where it does not count
  double limit_multiplier(Index h) const { return limit_[h]; }

  /// Rank of the rows alone; a row counts that does not depend on rows before it.
  void rank(const ScaledRows& rows, double open);
  const MassWeightedRows& ranked() const { return ranked_; }
  double alignment(const ScaledRows& before, const ScaledRows& now);  ///< after rank() of `now`; see ClosestPoint
  int sign_of_determinant(const ScaledRows& rows);  ///< after rank(): of the rows that count, if they are n; else 0

 private:
  void unit_column(Index j, double* out);
  const Metric& metric_;
  Index n_, counted_ = 0, held_ = 0;
  dense::Reflections damped_, tangent_;
  MassWeightedRows ranked_;
  Buffer<double> x_, unit_, Z_, lambda_, limit_, bound_, open_;
  Buffer<int> level_;
  Buffer<Index> counted_row_;  ///< of each column of tangent_: held coordinates, then rows
};

}  // namespace zwang
