// SPDX-License-Identifier: BSD-3-Clause
// TestForcesWorkspace: a unit force along each row, and the acceleration it causes: column i of M^-1 J^T. The rows see
// Lambda (Kokkevis 2004).
//
// DIFFERS: the source runs one forward dynamics per test force and subtracts the free motion; here the change itself is
// a solve with the factor of M. Rows of any kind, dependent ones too. M must be definite.
// Cost: sum d^2 / 2 + m (n + m / 2) d + m^3 / 6 multiply-adds. Allocates nothing after construction.
#pragma once
#include "zwang/dynamics/dense/equations.hpp"
#include "zwang/dynamics/dense/path_factor.hpp"
#include "zwang/dynamics/dense/row_system.hpp"

namespace zwang::dense {

class TestForcesWorkspace {
 public:
  TestForcesWorkspace(Index nv, Index m);
  void solve(const KktProblem& p, KktAnswer& answer);

 private:
  Equations equations_;
  PathFactor path_;
  RowSystem rows_;
  Buffer<double> caused_, b_;
};

}  // namespace zwang::dense
