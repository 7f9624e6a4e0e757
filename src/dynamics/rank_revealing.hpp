// SPDX-License-Identifier: BSD-3-Clause
// RankRevealing: Lambda lambda = b for a positive semidefinite Lambda = J M^-1 J^T whose rank is not known.
//
// Rows are equilibrated, E = S^-1 Lambda S^-1 with s_i^2 a bound of Lambda_ii that is free of cancellation. Full rank: LDL^T with
// diagonal pivoting. Otherwise the eigenvectors of E tell range and null space; lambda is then least-norm, and an inconsistent b is
// replaced by its least-squares projection, both in the units of the rows as given. Everything is sized once.
#pragma once
#include "zwang/core/buffer.hpp"

namespace zwang {

class RankRevealing {
 public:
  explicit RankRevealing(Index capacity);

  /// A: lower triangle of Lambda, row length `capacity()`; b its right-hand side and `size`, and `strength` times the root of the bound,
  /// the magnitudes of its terms.
  /// `tolerance` is relative to the equilibrated rows, `feasibility` says how small a contradiction is rounding.
  void solve(Index m, const double* bound, const double* size, double strength, double tolerance, double feasibility,
             double* lambda);
  double row_scale(Index i) const { return s_[i]; }  ///< the root of the row's bound; 1 for a row without one

  double* A() { return A_.data(); }
  double* b() { return b_.data(); }
  Index capacity() const { return capacity_; }
  Index rank() const { return rank_; }
  double energy(const double* lambda) const;  ///< 1/2 lambda^T Lambda lambda

  /// Marks the rows that depend on rows before them in the order given: `order[k]` is the row that comes k-th.
  void find_dependent(const Index* order, bool* dependent);
  /// Lambda^+ in the rows' own units, m x m.
  void pseudo_inverse(double* out, Index stride, const Index* order) const;

 private:
  double& at(Buffer<double>& m, Index i, Index j) { return m[i * capacity_ + j]; }
  double at(const Buffer<double>& m, Index i, Index j) const { return m[i * capacity_ + j]; }
  bool factor(double tolerance);
  void decompose(double tolerance);
  void relations();
  void choose_relation(Index k, Index& row, Index& column) const;
  void exchange(Index k, Index i);
  void null_space();
  void refine(double* b, double* x);
  void apply_scaled(const double* b, double* x) const;
  void project(double* x) const;

  Index capacity_, m_ = 0, rank_ = 0;
  bool pivoted_ = false;   ///< full rank by LDL^T; otherwise by eigenvectors
  double last_pivot_ = 0;  ///< the smallest of LDL^T
  Buffer<double> A_, b_, s_, inv_s_, E_, F_, V_,
      N_;  ///< F: factor; V: eigenvectors (columns); N: null space in the rows' units
  mutable Buffer<double> d_, x_, y_;
  Buffer<Index> pivot_;
};

}  // namespace zwang
