// SPDX-License-Identifier: BSD-3-Clause
// The page of hybrid dynamics for double.
#include "dynamics/instances.hpp"

namespace zwang {

void RootByRank::operator()(page::RowStage<double>& rows) {
  page::gather_rows(rows, solver.A(), solver.capacity(), solver.b());
  double* const bound = lambda;  // free until the solve
  for (Index i = 0; i < rows.m; ++i) bound[i] = page::lane<double>(rows.bound.data(), rows.slot[i]);
  free_motion = sqrt(page::free_motion_norm2(data));
  for (Index i = 0; i < rows.m; ++i) size[i] = abs(rows.l0[i]);
  const double relative = tolerance > 0 ? tolerance : 64 * epsilon_of<double> * rows.m;
  solver.solve(rows.m, bound, size, free_motion, relative, feasibility, lambda);
  page::scatter_rows(rows, lambda);
}

bool run_hybrid(Data& data, page::RowStage<double>& rows, const page::ActiveRows<double>* first,
                const page::ActiveRows<double>* last, RootByRank& root, const double* q, const double* v,
                const double* tau, double* qdd) {
  return page::hybrid_dynamics(data, rows, first, last, root, q, v, tau, qdd);
}

}  // namespace zwang
