// SPDX-License-Identifier: BSD-3-Clause
// RangeSpaceWorkspace: Lambda = Y^T D^-1 Y with Y = L^-T J^T on the path-sparse factor
// of M (Featherstone 2008, sec. 6.5; 2010).
//
// DIFFERS: Y keeps the sparsity of the paths (RBDL's range space fills it), and an entry of Lambda costs only the
// shared path of two rows. Plain range space does not support dependent rows; here they are solved by pivots
// (RowSystem): outcome singular_rows, answer right. M must be definite.
// Cost: sum d^2 / 2 + m d (d + m) / 2 + m^3 / 6 multiply-adds. Allocates nothing after construction.
#pragma once
#include "linear/dense_path_factor.hpp"
#include "linear/equations.hpp"
#include "linear/row_system.hpp"

namespace zwang::dense {

class RangeSpaceWorkspace {
 public:
  RangeSpaceWorkspace(Index nv, Index m);
  void solve(const KktProblem& p, KktAnswer& answer);
  /// Other tau, b and held values with the factor of the last solve, which has met no singular mass.
  void solve_again(const KktProblem& p, KktAnswer& answer);

 private:
  void answer_right(const KktProblem& p, KktAnswer& answer);
  Equations equations_;
  PathFactor path_;
  RowSystem rows_;
  Buffer<double> weighted_, b_, w_;
};

}  // namespace zwang::dense
