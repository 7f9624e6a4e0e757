// SPDX-License-Identifier: BSD-3-Clause
// TestForcesWorkspace: a unit force along each row, and the acceleration it causes: column i of M^-1 J^T. Their row
// accelerations are Lambda (Kokkevis 2004).
//
// DIFFERS: the source runs one forward dynamics per test force and subtracts the free motion; here the change itself is
// a solve with the factor of M. Rows of any kind, including dependent ones. M must be definite.
// Cost: sum d^2 / 2 + m (n + m / 2) d + m^3 / 6 multiply-adds. Allocates nothing after construction.
#pragma once
#include "linear/dense_path_factor.hpp"
#include "linear/equations.hpp"
#include "linear/row_system.hpp"

namespace zwang::dense {

class TestForcesWorkspace {
 public:
  TestForcesWorkspace(Index nv, Index m);
  void solve(const KktProblem& p, KktAnswer& answer);
  /// Other tau, b and held values with the factor of the last solve, which has met no singular mass.
  void solve_again(const KktProblem& p, KktAnswer& answer);

 private:
  void answer_right(const KktProblem& p, KktAnswer& answer);
  Equations equations_;
  PathFactor path_;
  RowSystem rows_;
  Buffer<double> caused_, b_;
};

}  // namespace zwang::dense
