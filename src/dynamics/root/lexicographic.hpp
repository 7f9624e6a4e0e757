// SPDX-License-Identifier: BSD-3-Clause
// Lexicographic: the right-hand side nearest to b that dependent rows can meet, level by level.
//
// Rows that depend on each other bind what they can be asked for: y in J's range means c_1 y_1 + ... + c_m y_m = 0 with
// the vectors c_i of the k relations. Wanted is d = y - b with the smallest |d_0| (rows of level 0), then the smallest
// |d_1|, and so on. What
// level p must give is what the levels after it cannot: with B a basis of their relations, Q one of what level p adds
// to it,
//   minimise |d_p|  subject to  Q^T sum_{i in p} d_i c_i = -Q^T g,     g: what levels before have left of sum b_i c_i
// (cf. Escande, Mansard & Wieber 2014, who solve the same problem in the primal.)
#pragma once
#include "zwang/core/buffer.hpp"

namespace zwang {

class Lexicographic {
 public:
  explicit Lexicographic(Index capacity = 0);
  /// Relations: R (m x k, row length capacity) of rows in the units where they are comparable, c_i = R_i inv_s_i. b is
  /// replaced.
  void project(Index m, Index k, const double* R, const double* inv_s, const int* level, double* b);

 private:
  double* row(Buffer<double>& x, Index i) { return &x[i * capacity_]; }
  void one_level(int p);
  Index extend_basis(int p, bool after, Index size);
  Index capacity_, m_ = 0, k_ = 0;
  const double* R_ = nullptr;
  const double* inv_s_ = nullptr;
  const int* level_ = nullptr;
  double* b_ = nullptr;
  Buffer<double> basis_, rest_, G_,
      T_;  ///< orthonormal rows; candidates; Q^T c per row of the level, made orthonormal; its triangle
  Buffer<double> g_, t_;
};

}  // namespace zwang
