// SPDX-License-Identifier: BSD-3-Clause
// KktPivotedQrWorkspace: the KKT matrix by QR with column pivoting.
//
// Dependent rows: R ends at the rank, R = [R_11 R_12]; its null space is [-R_11^-1 R_12; 1]. RowRelations turn a basic
// solution into the least-norm one by it.
// Cost: 2/3 (nv + m)^3 multiply-adds. Allocates nothing after construction.
#pragma once
#include "linear/kkt_system.hpp"
#include "linear/reflections.hpp"

namespace zwang::dense {

class KktPivotedQrWorkspace {
 public:
  KktPivotedQrWorkspace(Index nv, Index m);
  void solve(const KktProblem& p, KktAnswer& answer);
  /// Other tau, b and held values with the factor of the last solve, which has met no singular mass.
  void solve_again(const KktProblem& p, KktAnswer& answer);

 private:
  void null_vector(Index k, double* v);
  void apply(double* x);
  KktSystem system_;
  Reflections qr_;
  Buffer<double> y_;
};

}  // namespace zwang::dense
