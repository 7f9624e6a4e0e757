// SPDX-License-Identifier: BSD-3-Clause
// The pages of hybrid dynamics for double.
#include "dynamics/instances.hpp"

namespace zwang {

bool run_hybrid(Data& data, page::RowStage<double>& rows, const page::ActiveRows<double>* first,
                const page::ActiveRows<double>* last, SolveAtRoot& root, const double* q, const double* v,
                const double* tau, double* qdd) {
  return page::hybrid_dynamics(data, rows, first, last, root, q, v, tau, qdd);
}

template class page::Resolve<double, double>;
template class page::Resolve<double, Columns>;

}  // namespace zwang
