// SPDX-License-Identifier: BSD-3-Clause
// RankRevealing: Lambda lambda = b for a positive semidefinite Lambda = J M^-1 J^T of unknown rank.
//
// Where a cheap test proves that every row counts, the inverse of the equilibrated Lambda is used
// (kernels/regular_rows.hpp). Otherwise rank, motion and multipliers come from W = M^-1/2 J^T (mass_weighted_rows.hpp):
// lambda is least-norm, and a contradictory b is met in the sense of least squares, level by level. Both are in the
// units of the rows as given, or in the metric of weights.
//
// The cheap test. E = S^-1 Lambda S^-1 with s_i^2 = Lambda_ii, t = tr E^-1 >= m, g^2 the largest ratio of a column's
// inertia before and after cancellation:
//   delta = c g eps sqrt(sum bound_i / s_i^2),   theta = t (2 delta + c m eps) + c eps g^2,   c = 8;   theta < 1e-6
// The sweep is exact for an M that differs by c eps g^2 in its own norm, and for a W that differs by c g eps
// sqrt(bound_i) in row i (measured, not proved), so that the smallest eigenvalue of the true E is at least
// (1 - theta) / t: all rows count, no level and no contradiction matters, and S lambda is off by theta / (1 - theta). A
// theta of 1e-3 would do for that; 1e-6 also keeps the motion as accurate through lambda as it is by W.
// All memory is allocated at construction.
#pragma once
#include <cmath>

#include "core/kernel_table.hpp"
#include "linear/mass_weighted_rows.hpp"

namespace zwang {

/// Lambda, and -E^-1 of the rows divided by the roots of their bounds.
struct EquilibratedRows {
  explicit EquilibratedRows(Index capacity);
  Buffer<double> A_, X_;
  Buffer<double> bound_;              ///< of the diagonal of Lambda
  Buffer<double> scale_, inv_scale_;  ///< roots of the bounds; |W_i| where the rank was in doubt
  Buffer<double> root_weight_;
};

/// Minimal sets of dependent rows, one for each redundant row.
struct CircuitNumbers {
  explicit CircuitNumbers(Index capacity);
  Buffer<double> C_, largest_;  ///< largest_: of each column of C; scratch
  Buffer<Index> circuit_row_;
};

class RankRevealing : private EquilibratedRows, private CircuitNumbers {
 public:
  /// `stop`: where it says so, what has been factored last has no meaning, and must not be solved with.
  RankRevealing(Index coordinates, Index capacity, const Interruption* stop = nullptr);

  /// Begins with m rows: the caller writes both triangles of Lambda, with zeros behind, and the bounds of its diagonal.
  RootRows begin(Index m);
  /// Lambda and the bounds of its diagonal from W: m rows of `coordinates` numbers.
  void gather(Index m, Index coordinates, const double* W, const double* bound);
  /// True if the cheap test passes; the factor is then complete. `gross_ratio`: g^2. `tolerance`: of the rank rule.
  /// Otherwise `ranked` must get W of the rows, then factor_ranked() is to be called.
  bool factor_regular(double gross_ratio, double tolerance);
  void doubt() { regular_ = false; }
  /// The cheap test: whether rows, or blocks of rows with columns of their own, are independent beyond doubt. `bounds`:
  /// trace sqrt(spread), `rows`: trace times their number, each the largest of any block (RootDoubt).
  static bool is_beyond_doubt(double bounds, double rows, double gross_ratio, double tolerance);
  /// `open`, `weight`, `level` may be null (MassWeightedRows::Terms).
  void factor_ranked(const double* open, const double* weight, const int* level, double tolerance);
  /// Rows of its matrices are padded to whole registers.
  static constexpr Index k_padding = 8;

  void solve(const double* soft_right, const double* b, double* lambda);
  /// (Lambda + mu) lambda = b with mu = `relative` x the mean of Lambda's diagonal.
  void solve_damped(const double* b, double relative, double* lambda);
  /// The same iterated to convergence: first for the part of b that no lambda reaches, mu^k (Lambda + mu)^-k b, then
  /// for the rest. lambda is least-norm. Counts the iterations; false if not converged within `limit`.
  bool solve_proximal(const double* b, double relative, int limit, double* lambda, int& count);

  Index capacity() const { return capacity_; }
  Index rank() const { return rank_; }
  bool by_cheap_test() const { return regular_; }
  double row_scale(Index i) const {
    return std::sqrt(std::fabs(at(A_, i, i)));
  }  ///< what a motion of |q''|_M = 1 causes
  double root_bound(Index i) const { return std::sqrt(bound_[i]); }
  void least_norm(double* lambda);  ///< removes the null-space part
  /// Relation k of the rows in their own units: sum_i relation(i, k) (J a)_i = 0 for every a.
  double relation(Index i, Index k) const { return at(R_, i, k) * inv_scale_[i]; }
  double energy(const double* lambda);  ///< 1/2 lambda^T Lambda lambda

  /// A minimal set of dependent rows: coefficients c_i of its rows, in the rows' own units.
  struct Circuit {
    Index row;        ///< the last of them in the order given, with c = 1
    const double* c;  ///< [m] stride `capacity()`; 0 for rows that are not in the set
  };
  /// One circuit per dependent row; order[k] is the k-th row: it depends on rows before it. Returns the number of
  /// circuits, 0 where it is stopped.
  Index circuits(const Index* order);
  Circuit circuit(Index k) const { return {circuit_row_[k], &C_[k]}; }

  MassWeightedRows ranked;

 private:
  double& at(Buffer<double>& m, Index i, Index j) { return m[i * capacity_ + j]; }
  double at(const Buffer<double>& m, Index i, Index j) const { return m[i * capacity_ + j]; }
  RootRows plain();
  void relations();
  void null_space();
  bool is_stopped() const { return is_asked(stop_); }
  void project(double* x) const;
  void factor_damped(double mu);
  void apply_damped(double* x) const;

  Index capacity_, m_ = 0, rank_ = 0;
  bool regular_ = false, spans_null_space_ = false;
  double least_share_ = 1e-7;  ///< of a row in a relation whose largest coefficient is 1; less is rounding, or drift
  const Interruption* stop_;
  double damped_ = 0;  ///< mu of the factor in C, or 0
  Buffer<double> R_;   ///< [m x (m - rank)] relations of the rows divided by their scales
  Buffer<double> N_;   ///< [m x (m - rank)] null space in the rows' units, orthonormal
  Buffer<double> b_, d_, x_, y_;
  Buffer<double> one_;  ///< zeros with a 1 in the middle
};

}  // namespace zwang
