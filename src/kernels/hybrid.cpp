// SPDX-License-Identifier: BSD-3-Clause
// The constrained sweep for one state, at one instruction set. Rows at the root are solved here where they are
// independent beyond doubt, else by ordinary code.
#include "kernels/regular_rows.hpp"
#include "kernels/solution.hpp"
#include "zwang/constraint/page/relations.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace {

struct CallRoot {
  void (*root)(void* context);
  void* context;
  void operator()(page::SweepStage<double>&) const { root(context); }
};

bool sweep(void* data, void* rows, void* stage, const void* first, const void* last, void (*root)(void*), void* context,
           const double* q, const double* v, const double* tau, double* qdd) {
  CallRoot call{root, context};
  return page::hybrid_dynamics(*static_cast<BasicData<double>*>(data), *static_cast<page::RowNumbers<double>*>(rows),
                               *static_cast<page::SweepStage<double>*>(stage),
                               static_cast<const page::ActiveRows<double>*>(first),
                               static_cast<const page::ActiveRows<double>*>(last), call, q, v, tau, qdd);
}

void gather(const void* stage, const RootRows& x) {
  regular::gather(*static_cast<const page::SweepStage<double>*>(stage), x);
}

void residuals(const void* data, const void* rows, void* value, void* scale, void* speed) {
  using Rows = solution::Rows;
  solution::residuals(*static_cast<const BasicData<double>*>(data), *static_cast<const page::RowNumbers<double>*>(rows),
                      static_cast<Rows*>(value), static_cast<Rows*>(scale), static_cast<Rows*>(speed));
}
double energy(void* data, const double* t) { return solution::energy(*static_cast<BasicData<double>*>(data), t); }

}  // namespace

extern const HybridKernels hybrid_kernels;
const HybridKernels hybrid_kernels{static_cast<int>(sizeof(page::RowNumbers<double>)),
                                   static_cast<int>(sizeof(page::SweepStage<double>)),
                                   static_cast<int>(sizeof(page::ActiveRows<double>)),
                                   static_cast<int>(sizeof(RelationPage)),
                                   sweep,
                                   gather,
                                   regular::invert,
                                   regular::solve,
                                   residuals,
                                   energy};

}  // namespace ZWANG_ISA
}  // namespace zwang
