// SPDX-License-Identifier: BSD-3-Clause
// The hybrid page that the library holds compiled.
#pragma once
#include "dynamics/rank_revealing.hpp"
#include "zwang/dynamics/page/hybrid.hpp"

namespace zwang {

/// Solves the rows at the root with the rank revealed.
struct RootByRank {
  const Data& data;
  RankRevealing& solver;
  double* size;    ///< [m] magnitude of the terms of each right-hand side
  double* lambda;  ///< [m] in the order of the sweep
  double tolerance, feasibility;
  double free_motion = 0;  ///< out: |q''|_M without rows
  void operator()(page::RowStage<double>& rows);
};

bool run_hybrid(Data& data, page::RowStage<double>& rows, const page::ActiveRows<double>* first,
                const page::ActiveRows<double>* last, RootByRank& root, const double* q, const double* v,
                const double* tau, double* qdd);

}  // namespace zwang
