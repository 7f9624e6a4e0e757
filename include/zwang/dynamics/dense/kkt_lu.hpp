// SPDX-License-Identifier: BSD-3-Clause
// KktLuWorkspace: the KKT matrix by LU with partial pivoting; what others call the direct method.
//
// Golub & Van Loan 2013, algorithm 3.4.1.
// DIFFERS: M and J are balanced first. LU cannot do dependent rows: it tells by its condition, and the same matrix is
// then factored by complete orthogonal decomposition, with outcome singular_rows where rows do depend.
// Cost: (nv + m)^3 / 3 multiply-adds. Allocates nothing after construction.
#pragma once
#include "zwang/dynamics/dense/kkt_cod.hpp"

namespace zwang::dense {

class KktLuWorkspace {
 public:
  KktLuWorkspace(Index nv, Index m);
  void solve(const KktProblem& p, KktAnswer& answer);

 private:
  bool factor();
  void apply(double* x) const;
  double* row(Index i) { return F_.data() + i * capacity_; }
  const double* row(Index i) const { return F_.data() + i * capacity_; }
  Index capacity_;
  KktSystem system_;
  OrthogonalDecomposition decomposition_;
  Buffer<double> F_;
  Buffer<Index> exchange_;
};

}  // namespace zwang::dense
