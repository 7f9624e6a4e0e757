// SPDX-License-Identifier: BSD-3-Clause
// RowRelations: the relations of dependent rows, N^T J = 0 with orthonormal columns N in the rows' own units.
//
//   b     := (1 - N N^T) b        the nearest right-hand side that the rows can meet (least squares)
//   lambda := (1 - N N^T) lambda  the shortest with the same J^T lambda (least norm)
//
// These two projections turn the answer of any method into the least-squares, least-norm one.
#pragma once
#include "linear/interruption.hpp"
#include "zwang/core/buffer.hpp"

namespace zwang::dense {

class RowRelations {
 public:
  explicit RowRelations(Index capacity);
  void begin(Index m);
  /// Room for one more relation: the caller writes m numbers, c of sum c_i (row i) inv_scale_i = 0.
  double* add();
  void finish(const double* inv_scale, const Interruption* stop = nullptr);
  Index count() const { return count_; }

  void project(double* x) const;  ///< x := (1 - N N^T) x
  /// The same where b contradicts itself by more than rounding. Rows of small scale are then recomputed from the
  /// others, because the rounding of large rows may exceed their whole value.
  void meet(double* b) const;

 private:
  double* at(Index k) { return N_.data() + k * capacity_; }
  const double* at(Index k) const { return N_.data() + k * capacity_; }
  void eliminate(const double* inv_scale, const Interruption* stop);
  bool choose(Index k, const double* inv_scale, Index& vector, Index& row) const;
  Index capacity_, m_ = 0, count_ = 0;
  Buffer<double> N_;  ///< one relation per row
  Buffer<double> C_;  ///< before orthonormalisation: only one of them contains row own_[k]
  Buffer<Index> own_;
  Buffer<unsigned char> taken_;
};

}  // namespace zwang::dense
