// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of batches in float, at one instruction set.
#include "kernels/batch_derivatives.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

extern const batch::DerivativeRows<NativePack<float>> derivatives_in_float;
const batch::DerivativeRows<NativePack<float>> derivatives_in_float;

}  // namespace ZWANG_ISA
}  // namespace zwang
