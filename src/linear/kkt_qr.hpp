// SPDX-License-Identifier: BSD-3-Clause
// KktQrWorkspace: the KKT matrix by QR without pivoting.
//
// Golub & Van Loan 2013, algorithm 5.2.1.
// DIFFERS: M and J are balanced first. QR does not support dependent rows: it detects them by its condition number, and
// the same matrix is then factored by complete orthogonal decomposition, with outcome singular_rows if rows are
// dependent. Cost: 2/3 (nv + m)^3 multiply-adds. Allocates nothing after construction.
#pragma once
#include "linear/kkt_cod.hpp"

namespace zwang::dense {

class KktQrWorkspace {
 public:
  KktQrWorkspace(Index nv, Index m);
  void solve(const KktProblem& p, KktAnswer& answer);
  /// Other tau, b and held values with the factor of the last solve, which has met no singular mass.
  void solve_again(const KktProblem& p, KktAnswer& answer);

 private:
  bool factor();
  void apply(double* x);
  bool regular_ = false;  ///< the last K was regular: the factor is that of QR
  KktSystem system_;
  Reflections qr_;
  OrthogonalDecomposition decomposition_;
};

}  // namespace zwang::dense
