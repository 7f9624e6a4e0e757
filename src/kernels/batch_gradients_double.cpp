// SPDX-License-Identifier: BSD-3-Clause
// Gradients of constrained solutions of many states in double, at one instruction set.
#include "kernels/gradients.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

// Compiled in batch_double.cpp.
extern template void accelerate(ConstrainedWorkspace<NativePack<double>>&, const ConstrainedTask<double>&,
                                const NativePack<double>*);
extern template void forces(ConstrainedWorkspace<NativePack<double>>&, const BatchCall<double>&);

template void* make_gradient<NativePack<double>>(const void*, const double*, const ConstrainedRoom&, Index);
template void drop_gradient<NativePack<double>>(void*);
template void gradient<NativePack<double>>(void*, const BatchCall<double>&, long, long);

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
