// SPDX-License-Identifier: BSD-3-Clause
// Batches in double, at one instruction set.
#include "kernels/batch_table.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

static constexpr batch::Kernels<NativePack<double>> k_algorithms_of_this_level;
extern const BatchKernels<double> batch_kernels;
const BatchKernels<double> batch_kernels = batch::table(k_algorithms_of_this_level);

}  // namespace ZWANG_ISA
}  // namespace zwang
