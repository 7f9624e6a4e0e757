// SPDX-License-Identifier: BSD-3-Clause
// Batches in double, at one instruction set.
#include "kernels/batch_table.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

extern const BatchKernels<double> batch_kernels;
const BatchKernels<double> batch_kernels = batch::table<NativePack<double>>();

}  // namespace ZWANG_ISA
}  // namespace zwang
