// SPDX-License-Identifier: BSD-3-Clause
// The Delassus operator of one state, at one instruction set.
#include "core/kernel_table.hpp"
#include "factor/page/compliant_bodies.hpp"
#include "factor/page/efpa.hpp"
#include "factor/page/pv_osimr.hpp"
#include "factor/page/sparse_delassus.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace {

using State = BasicData<double>;
using Rows = page::RowBlocks<double>;
const Rows& rows_of(const void* rows) { return *static_cast<const Rows*>(rows); }

bool articulate(void* d, const double* q, const void* rows, const double* mu, const double* zero, double* qdd) {
  State& data = *static_cast<State*>(d);
  if (mu != nullptr || data.articulated.has_given) return page::compliant_bodies(data, q, rows_of(rows), mu, zero, qdd);
  data.force.has_external = false;
  return page::forward_dynamics(data, q, zero, zero, qdd);
}
void pv_osimr(const void* data, const void* rows, void* stage, double* G, Index stride) {
  page::PvOsimr<double>(*static_cast<const State*>(data), rows_of(rows),
                        *static_cast<page::OsimrStage<double>*>(stage))({G, rows_of(rows).m, stride});
}
void efpa(const void* data, const void* rows, void* stage, double* G, Index stride) {
  page::Efpa<double>(*static_cast<const State*>(data), rows_of(rows),
                     *static_cast<page::EfpaStage<double>*>(stage))({G, rows_of(rows).m, stride});
}
void sparse(void* data, const double* q, const void* rows, void* stage, double* G, Index stride) {
  page::sparse_delassus(*static_cast<State*>(data), q, rows_of(rows), *static_cast<page::SparseStage<double>*>(stage),
                        page::DelassusOut<double>{G, rows_of(rows).m, stride});
}

}  // namespace

extern const DelassusKernels delassus_kernels;
const DelassusKernels delassus_kernels{static_cast<int>(sizeof(page::RowBlock<double>)),
                                       static_cast<int>(sizeof(page::OsimrNode<double>)),
                                       articulate,
                                       pv_osimr,
                                       efpa,
                                       sparse};

}  // namespace ZWANG_ISA
}  // namespace zwang
