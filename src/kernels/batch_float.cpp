// SPDX-License-Identifier: BSD-3-Clause
// Batches in float, at one instruction set.
#include "kernels/batch_table.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

static constexpr batch::Kernels<NativePack<float>> k_algorithms_of_this_level;
extern const BatchKernels<float> batch_kernels_float;
const BatchKernels<float> batch_kernels_float = batch::table(k_algorithms_of_this_level);

}  // namespace ZWANG_ISA
}  // namespace zwang
