// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of one state, at one instruction set.
#include "core/kernel_table.hpp"
#include "zwang/algorithm/page/inverse_dynamics_products.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace {

using State = BasicData<double>;

void inverse_dynamics(void* d, const double* q, const double* v, const double* a, bool damping, bool springs,
                      double* const* out, const Index* stride) {
  State& data = *static_cast<State*>(d);
  const Index nv = data.tree().nv;
  const auto matrix = [&](int k) { return page::MatrixView<double>{out[k], nv, nv, 1, stride[k]}; };
  page::inverse_dynamics_derivatives(data, q, v, a, page::PassiveEffects{damping, false, springs},
                                     page::TorqueDerivatives<double>{matrix(0), matrix(1), matrix(2)});
}

using Vectors = page::ConstStateVectors<double>;

void enter_from_the_right(void* data, const double* q, const double* v, const double* a, const double* const* d) {
  State& x = *static_cast<State*>(data);
  page::vary_columns(x, page::SpanningState<double>(x, q, v, a));
  page::enter_from_the_right(x, Vectors{d[0], d[1], d[2]});
}
void leave_from_the_right(void* data, const double* q, const double* const* d, bool damping, bool springs,
                          double* out) {
  State& x = *static_cast<State*>(data);
  const page::SpanningState<double> state(x, q, nullptr, nullptr);
  page::leave_from_the_right(x, page::ProductFromTheRight<double>(x), state.in, Vectors{d[0], d[1], d[2]},
                             page::PassiveEffects{damping, false, springs}, out);
}
void enter_from_the_left(void* data, const double* q, const double* v, const double* a, const double* y) {
  State& x = *static_cast<State*>(data);
  page::vary_columns(x, page::SpanningState<double>(x, q, v, a));
  page::enter_from_the_left(x, y);
}
void leave_from_the_left(void* data, const double* q, const double* y, bool damping, bool springs, double* const* out) {
  State& x = *static_cast<State*>(data);
  const page::SpanningState<double> state(x, q, nullptr, nullptr);
  page::leave_from_the_left(x, page::ProductFromTheLeft<double>(x), state.in, y,
                            page::PassiveEffects{damping, false, springs},
                            page::StateVectors<double>{out[0], out[1], out[2]});
}

/// Rows [first, first + sides * L) of -A x, side by side.
template <int sides>
ZWANG_INLINE void rows_of_product(Index n, const double* A, Index stride, const double* x, double* out) {
  constexpr Index L = side_lanes<double>;
  Side<double> sum[sides];
#pragma GCC unroll 8
  for (int i = 0; i < sides; ++i) sum[i] = Side<double>(0.0);
  for (Index k = 0; k < n; ++k)
#pragma GCC unroll 8
    for (int i = 0; i < sides; ++i) sum[i] -= load_side(A + k * stride + i * L) * x[k];
#pragma GCC unroll 8
  for (int i = 0; i < sides; ++i) store_side(out + i * L, sum[i]);
}

void negative_product(Index n, const double* A, Index a_stride, double* B, Index b_stride, double* work) {
  constexpr Index L = side_lanes<double>;
  for (Index c = 0; c < n; ++c, B += b_stride) {
    for (Index k = 0; k < n; ++k) work[k] = B[k];
    Index r = 0;
    for (; r + 4 * L <= n; r += 4 * L) rows_of_product<4>(n, A + r, a_stride, work, B + r);
    for (; r + L <= n; r += L) rows_of_product<1>(n, A + r, a_stride, work, B + r);
    for (; r < n; ++r) {
      double sum = 0;
      for (Index k = 0; k < n; ++k) sum -= A[k * a_stride + r] * work[k];
      B[r] = sum;
    }
  }
}

}  // namespace

extern const DerivativeKernels derivative_kernels;
const DerivativeKernels derivative_kernels{inverse_dynamics,    enter_from_the_right, leave_from_the_right,
                                           enter_from_the_left, leave_from_the_left,  negative_product};

}  // namespace ZWANG_ISA
}  // namespace zwang
