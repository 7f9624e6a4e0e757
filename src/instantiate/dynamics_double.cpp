// SPDX-License-Identifier: BSD-3-Clause
// The pages of hybrid dynamics for double.
#include "core/kernel_table.hpp"
#include "dynamics/instances.hpp"

namespace zwang {

bool run_hybrid(Data& data, page::RowStage<double>& rows, const page::ActiveRows<double>* first,
                const page::ActiveRows<double>* last, SolveAtRoot& root, const double* q, const double* v,
                const double* tau, double* qdd) {
  const auto call = [](void* context, void* stage) {
    (*static_cast<SolveAtRoot*>(context))(*static_cast<page::RowStage<double>*>(stage));
  };
  return kernels().hybrid->sweep(&data, &rows, first, last, call, &root, q, v, tau, qdd);
}

template class page::Resolve<double, double>;
template class page::Resolve<double, Columns>;

}  // namespace zwang
