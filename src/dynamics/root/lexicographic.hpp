// SPDX-License-Identifier: BSD-3-Clause
// Lexicographic: the right-hand side nearest to b that dependent rows can meet, level by level.
//
// Dependent rows restrict the right-hand sides y that they can meet: y is in J's range only if
// c_1 y_1 + ... + c_m y_m = 0, with the vectors c_i of the k relations. Wanted is d = y - b with the smallest |d_0|
// (rows of level 0), then the smallest |d_1|, and so on. Level p must satisfy the relations that the levels after it
// cannot: with B a basis of their relations and Q a basis of the part that level p adds to B,
//   minimise |d_p|  subject to  Q^T sum_{i in p} d_i c_i = -Q^T g     g: part of sum b_i c_i left by the levels before
// (cf. Escande, Mansard & Wieber 2014, who solve the same problem in the primal.)
#pragma once
#include "zwang/core/buffer.hpp"

namespace zwang {

class Lexicographic {
 public:
  explicit Lexicographic(Index capacity = 0);
  /// Relations: R (m x k, row length capacity) of rows in units in which they are comparable, c_i = R_i inv_s_i. b is
  /// overwritten.
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
  /// Orthonormal rows; candidates; Q^T c per row of the level, made orthonormal; its triangle.
  Buffer<double> basis_, rest_, G_, T_;
  Buffer<double> g_, t_;
};

}  // namespace zwang
