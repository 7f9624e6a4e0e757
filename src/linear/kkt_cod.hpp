// SPDX-License-Identifier: BSD-3-Clause
// KktCodWorkspace: the KKT matrix by complete orthogonal decomposition, K P = Q [S^T 0; 0 0] Z^T.
//
// Golub & Van Loan 2013, sec. 5.4.7. The last columns of Z are an orthonormal null space; the solution is the
// least-norm one of the balanced matrix.
// DIFFERS: the solution is least-norm in the rows' own units only after RowRelations. At full rank the
// second half is not needed. Cost: 2/3 (nv + m)^3 multiply-adds, twice where rows depend on each
// other. Allocates nothing after construction.
#pragma once
#include "linear/kkt_system.hpp"
#include "linear/reflections.hpp"

namespace zwang::dense {

class OrthogonalDecomposition {
 public:
  explicit OrthogonalDecomposition(Index size);
  void factor(const KktSystem& system);
  Index rank() const { return qr_.rank(); }
  void null_vector(Index k, double* v);                                   ///< k = 0 ... size - rank - 1
  void apply(double* x);                                                  ///< x := K^+ x
  void solve(const KktProblem& p, KktSystem& system, KktAnswer& answer);  ///< the rest of a solve
  void solve_again(const KktProblem& p, KktSystem& system, KktAnswer& answer) {
    system.solve([&](double* x) { apply(x); });
    system.publish(p, answer);
  }
  /// For methods without dependent rows: the whole solve, with outcome singular_rows if there are any.
  void solve_instead(const KktProblem& p, KktSystem& system, KktAnswer& answer);

 private:
  void permute(double* x);
  Index size_ = 0;
  Reflections qr_, z_;
  Buffer<double> y_;
};

class KktCodWorkspace {
 public:
  KktCodWorkspace(Index nv, Index m);
  void solve(const KktProblem& p, KktAnswer& answer);
  /// Other tau, b and held values with the factor of the last solve, which has met no singular mass.
  void solve_again(const KktProblem& p, KktAnswer& answer);

 private:
  KktSystem system_;
  OrthogonalDecomposition decomposition_;
};

}  // namespace zwang::dense
