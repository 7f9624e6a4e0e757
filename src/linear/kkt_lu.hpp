// SPDX-License-Identifier: BSD-3-Clause
// KktLuWorkspace: the KKT matrix by LU with partial pivoting, elsewhere called the direct method.
//
// Golub & Van Loan 2013, algorithm 3.4.1.
// DIFFERS: M and J are balanced first. LU does not support dependent rows: it detects them by its condition number, and
// the same matrix is then factored by complete orthogonal decomposition, with outcome singular_rows if rows are
// dependent. Cost: (nv + m)^3 / 3 multiply-adds. Allocates nothing after construction.
#pragma once
#include "linear/kkt_cod.hpp"

namespace zwang::dense {

class KktLuWorkspace {
 public:
  KktLuWorkspace(Index nv, Index m);
  void solve(const KktProblem& p, KktAnswer& answer);
  /// Other tau, b and held values with the factor of the last solve, which has met no singular mass.
  void solve_again(const KktProblem& p, KktAnswer& answer);

 private:
  bool factor();
  void apply(double* x) const;
  double* row(Index i) { return F_.data() + i * capacity_; }
  const double* row(Index i) const { return F_.data() + i * capacity_; }
  Index capacity_;
  bool regular_ = false;  ///< the last K was regular: the factor is that of LU
  KktSystem system_;
  OrthogonalDecomposition decomposition_;
  Buffer<double> F_;
  Buffer<Index> exchange_;
};

}  // namespace zwang::dense
