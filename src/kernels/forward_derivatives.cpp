// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of forward dynamics of one state, at one instruction set.
#include "kernels/forward_derivatives.hpp"

#include "algorithm/page/forward_dynamics_derivative_responses.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

Index forward_scratch(Index nv) { return page::panel_scratch(nv); }

bool forward_derivatives(void* d, const double* q, const double* v, const double* a, bool damping, bool springs,
                         const double* factor, double* scratch, double* const* out, const Index* stride) {
  BasicData<double>& data = *static_cast<BasicData<double>*>(d);
  const Index nv = data.tree().nv;
  const page::PassiveEffects effects{damping, false, springs};
  const page::TorqueDerivatives<double> views = torque_derivatives(nv, out, stride);
  if (factor == nullptr) return page::forward_dynamics_derivative_responses(data, q, v, a, effects, scratch, views);
  return page::forward_dynamics_derivative_rows(data, q, v, a, effects, factor, nv, scratch, views);
}

}  // namespace ZWANG_ISA
}  // namespace zwang
