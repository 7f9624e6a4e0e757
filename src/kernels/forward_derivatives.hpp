// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of forward dynamics, which are a source of their own (forward_derivatives.cpp).
#pragma once
#include "zwang/algorithm/page/inverse_dynamics_derivatives.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// nv x nv matrices by q, v and a (tau).
ZWANG_INLINE page::TorqueDerivatives<double> torque_derivatives(Index nv, double* const* out, const Index* stride) {
  const auto matrix = [&](int k) { return page::MatrixView<double>{out[k], nv, nv, 1, stride[k]}; };
  return {matrix(0), matrix(1), matrix(2)};
}

/// As DerivativeKernels says.
bool forward_derivatives(void* data, const double* q, const double* v, const double* a, bool damping, bool springs,
                         const double* factor, double* scratch, double* const* out, const Index* stride);
Index forward_scratch(Index nv);

}  // namespace ZWANG_ISA
}  // namespace zwang
