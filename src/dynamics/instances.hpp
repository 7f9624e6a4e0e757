// SPDX-License-Identifier: BSD-3-Clause
// The hybrid pages that the library holds compiled.
#pragma once
#include "dynamics/rank_revealing.hpp"
#include "zwang/dynamics/page/resolve.hpp"

namespace zwang {

struct SolverImpl;

/// Right-hand sides that are solved side by side.
using Columns = Pack<double, 4>;

/// The root of a solver's sweep.
struct SolveAtRoot {
  SolverImpl& solver;
  void operator()(page::RowStage<double>& rows);
};

bool run_hybrid(Data& data, page::RowStage<double>& rows, const page::ActiveRows<double>* first,
                const page::ActiveRows<double>* last, SolveAtRoot& root, const double* q, const double* v,
                const double* tau, double* qdd);

extern template class page::Resolve<double, double>;
extern template class page::Resolve<double, Columns>;

}  // namespace zwang
