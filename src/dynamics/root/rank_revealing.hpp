// SPDX-License-Identifier: BSD-3-Clause
// RankRevealing: Lambda lambda = b for a positive semidefinite Lambda = J M^-1 J^T of unknown rank.
//
// Rows are equilibrated, E = S^-1 Lambda S^-1, where s_i^2 is a bound of Lambda_ii that is free of cancellation. If the
// rank is full beyond doubt, the inverse of E is used (kernels/regular_rows.hpp). Otherwise the eigenvectors of E give
// range and null space: lambda is least-norm, and an inconsistent b is replaced by its least-squares projection, level
// by level if there are several (lexicographic.hpp). Both are in the units of the rows as given, or in the metric of
// weights. All memory is allocated at construction.
#pragma once
#include "core/kernel_table.hpp"
#include "dynamics/root/lexicographic.hpp"
#include "zwang/dynamics/page/row_stage.hpp"

namespace zwang {

/// Lambda, and the equilibrated rows E = S^-1 Lambda S^-1.
struct EquilibratedRows {
  explicit EquilibratedRows(Index capacity);
  Buffer<double> A_, X_;              ///< Lambda; -E^-1
  Buffer<double> bound_;              ///< of the diagonal of Lambda
  Buffer<double> scale_, inv_scale_;  ///< S
  Buffer<double> root_weight_;
  Buffer<double> s_, inv_s_;  ///< scale of the rows times the square roots of their weights
};

/// Minimal sets of dependent rows, one for each redundant row.
struct CircuitNumbers {
  explicit CircuitNumbers(Index capacity);
  Buffer<double> C_, contradiction_;
  Buffer<Index> circuit_row_;
  Buffer<unsigned char> conflicting_;
};

class RankRevealing : private EquilibratedRows, private CircuitNumbers {
 public:
  explicit RankRevealing(Index capacity = 0);

  /// Lambda and the bounds of its diagonal from a sweep.
  void gather(const page::RowStage<double>& rows);
  /// The same from a dense symmetric matrix, m x m.
  void gather(Index m, const double* Lambda, const double* bound);
  /// `weight` may be null. `tolerance` is relative to the equilibrated rows.
  void factor(const double* weight, double tolerance);
  /// Rows of its matrices are padded to whole registers.
  static constexpr Index k_padding = 8;

  /// Scale of a contradiction: `size`, and `strength` times the root of the bound, are the magnitudes of the terms of
  /// b. A contradiction below `feasibility` times the scale is rounding.
  struct Measure {
    const double* size;
    double strength, feasibility;
  };
  /// Solves for lambda. `level` (0 first) may be null: all rows on one level.
  void solve(const double* b, const Measure& measure, const int* level, double* lambda);
  /// (Lambda + mu) lambda = b with mu = `relative` x the mean of Lambda's diagonal.
  void solve_damped(const double* b, double relative, double* lambda);
  /// The same iterated to convergence: first for the part of b that no lambda reaches, mu^k (Lambda + mu)^-k b, then
  /// for the rest. lambda is least-norm. Counts the iterations; false if not converged within `limit`.
  bool solve_proximal(const double* b, double relative, int limit, double* lambda, int& count);

  Index capacity() const { return capacity_; }
  Index rank() const { return rank_; }
  double row_scale(Index i) const { return scale_[i]; }  ///< the root of the row's bound; 1 for a row without one
  void least_norm(double* lambda) const;                 ///< removes the null-space part
  double energy(const double* lambda);                   ///< 1/2 lambda^T Lambda lambda

  /// A minimal set of dependent rows: coefficients c_i of its rows, in the rows' own units.
  struct Circuit {
    Index row;             ///< the last of them in the order given, with c = 1
    const double* c;       ///< [m] stride `capacity()`; 0 for rows that are not in the set
    double contradiction;  ///< sum c_i b_i
    bool conflicting;
  };
  /// One circuit per dependent row; order[k] is the k-th row: it depends on rows before it. Returns the number of
  /// circuits.
  Index circuits(const Index* order, const double* b, const Measure& measure);
  Circuit circuit(Index k) const { return {circuit_row_[k], &C_[k], contradiction_[k], conflicting_[k] != 0}; }

 private:
  double& at(Buffer<double>& m, Index i, Index j) { return m[i * capacity_ + j]; }
  double at(const Buffer<double>& m, Index i, Index j) const { return m[i * capacity_ + j]; }
  RootRows plain();
  void equilibrate(const double* weight);
  void decompose(double tolerance);
  void relations();
  void choose_relation(Index k, Index& row, Index& column) const;
  void tridiagonalise();
  void find_eigenvalues();
  void rotate(Index i, double c, double s);
  void null_space();
  bool consistent(const double* b, const Measure& measure) const;
  void refine(double* b, double* x);
  void apply_scaled(const double* b, double* x);
  void project(double* x) const;
  void factor_damped(double mu);
  void apply_damped(double* x) const;

  Index capacity_, m_ = 0, rank_ = 0;
  bool weighted_ = false;
  bool regular_ = false;  ///< full rank, solved by the inverse; otherwise by eigenvectors
  double damped_ = 0;     ///< mu of the factor in C, or 0
  Buffer<double> E_, F_;  ///< equilibrated matrix; its elimination, or eigenvalues on the diagonal
  Buffer<double> V_;      ///< eigenvectors (columns)
  Buffer<double> R_;      ///< [m x (m - rank)] relations of equilibrated rows
  Buffer<double> N_;      ///< [m x (m - rank)] null space in the rows' units
  Buffer<double> b_, d_, x_, y_;
  Buffer<double> one_;  ///< zeros with a 1 in the middle
  Buffer<Index> pivot_;
  Lexicographic levels_;
};

}  // namespace zwang
