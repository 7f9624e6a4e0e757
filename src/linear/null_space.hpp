// SPDX-License-Identifier: BSD-3-Clause
// NullSpaceWorkspace: J^T P = [Y Z] [R; 0], a = Y y + Z z: the rows determine y, the motion free of the rows is z,
//
//   R^T y = P^T b,   Z^T M Z z = Z^T (tau - M Y y),   R P^T lambda = Y^T (M a - tau)
//
// Benzi, Golub & Liesen 2005, sec. 6. M need only be definite on the null space of the rows.
// DIFFERS: the rank is revealed by pivots on balanced rows. A soft row is treated as a hard row that also moves, by
// sqrt(R), an additional coordinate of unit inertia: exact for every R, no matter how small.
// Cost: 2 r n^2 for Z^T M Z, and (n - r)^3 / 6, n with soft rows. Allocates nothing after construction.
#pragma once
#include "linear/equations.hpp"
#include "linear/reflections.hpp"
#include "linear/row_relations.hpp"

namespace zwang::dense {

class NullSpaceWorkspace {
 public:
  NullSpaceWorkspace(Index nv, Index m);
  void solve(const KktProblem& p, KktAnswer& answer);
  /// Other tau, b and held values with the factor of the last solve, which has met no singular mass.
  void solve_again(const KktProblem& p, KktAnswer& answer);

 private:
  void answer_right(const KktProblem& p, KktAnswer& answer);
  double* row(Index k) { return M_.data() + k * stride_; }
  void balance();
  void relate(const Interruption* stop);
  void turn(const Interruption* stop);
  bool factor_free(const Interruption* stop);
  void solve_free();
  Equations equations_;
  bool regular_ = false;          ///< every motion free of the rows has inertia
  Index stride_, n_ = 0, m_ = 0;  ///< coordinates including those of soft rows; rows
  Reflections qr_;
  RowRelations relations_;
  Buffer<double> M_, column_, row_, x_, t_, p_, lambda_;
};

}  // namespace zwang::dense
