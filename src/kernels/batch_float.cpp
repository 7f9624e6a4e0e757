// SPDX-License-Identifier: BSD-3-Clause
// Batches in float, at one instruction set.
#include "kernels/batch_table.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

extern const BatchKernels<float> batch_kernels_float;
const BatchKernels<float> batch_kernels_float = batch::table<NativePack<float>>();

}  // namespace ZWANG_ISA
}  // namespace zwang
