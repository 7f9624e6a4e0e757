// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of batches in double, at one instruction set.
#include "kernels/batch_derivatives.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

extern const batch::DerivativeRows<NativePack<double>> derivatives_in_double;
const batch::DerivativeRows<NativePack<double>> derivatives_in_double;

}  // namespace ZWANG_ISA
}  // namespace zwang
