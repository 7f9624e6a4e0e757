// SPDX-License-Identifier: BSD-3-Clause
// Second derivatives of one state, at one instruction set.
#include "algorithm/page/own_second_derivatives.hpp"
#include "core/kernel_table.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace {

using State = BasicData<double>;
static_assert(sizeof(page::Aligned<double>) == 12 * sizeof(double));

Index path_stride(Index columns) { return side_stride<double>(columns + 1); }

bool inverse_dynamics(void* d, const double* q, const double* v, const double* a, const SecondScratch& scratch,
                      double* const* out) {
  State& data = *static_cast<State*>(d);
  const Index stride = path_stride(data.tree().spanning_nv);
  using Path = page::PathColumns<double>;
  double* const products = scratch.path + Path::columns * stride;
  page::SecondWork<double> work{{stride, scratch.path, products,
                                 reinterpret_cast<page::SecondForces<double>*>(products + Path::products * stride),
                                 scratch.columns, scratch.columns + stride, scratch.columns + 2 * stride, 0},
                                static_cast<page::OwnGains<double>*>(scratch.gains),
                                static_cast<page::Aligned<double>*>(scratch.aligned)};
  return page::inverse_dynamics_second_derivatives<double>(data, q, v, a, work, {out[0], out[1], out[2], out[3]});
}

/// out += sum_s A[s] B[s, :] of `sides` Sides side by side, B by rows of n numbers.
template <int sides> ZWANG_INLINE void add_sides(Index n, const double* A, const double* B, double* out) {
  constexpr Index L = side_lanes<double>;
  Side<double> sum[sides];
#pragma GCC unroll 8
  for (int i = 0; i < sides; ++i) sum[i] = load_side(out + i * L);
  for (Index s = 0; s < n; ++s)
#pragma GCC unroll 8
    for (int i = 0; i < sides; ++i) sum[i] += load_side(B + s * n + i * L) * A[s];
#pragma GCC unroll 8
  for (int i = 0; i < sides; ++i) store_side(out + i * L, sum[i]);
}
void add_row_product(Index n, const double* A, const double* B, double* out) {
  constexpr Index L = side_lanes<double>;
  Index y = 0;
  for (; y + 8 * L <= n; y += 8 * L) add_sides<8>(n, A, B + y, out + y);
  for (; y + 2 * L <= n; y += 2 * L) add_sides<2>(n, A, B + y, out + y);
  for (; y + L <= n; y += L) add_sides<1>(n, A, B + y, out + y);
  for (; y < n; ++y)
    for (Index s = 0; s < n; ++s) out[y] += A[s] * B[s * n + y];
}

/// x[t, :] := -sum_s A[t, s] x[s, :], A symmetric, rows of `size` numbers; `work` has 32 n.
void negative_product(Index n, const double* A, double* x, std::ptrdiff_t size, double* work) {
  constexpr Index block = 32;
  for (std::ptrdiff_t at = 0; at < size; at += block) {
    const Index count = size - at < block ? static_cast<Index>(size - at) : block;
    for (Index s = 0; s < n; ++s)
      for (Index c = 0; c < block; ++c) work[s * block + c] = c < count ? x[s * size + at + c] : 0;
    for (Index t = 0; t < n; ++t) {
      constexpr Index L = side_lanes<double>, sides = block / L;
      Side<double> sum[sides];
      for (Index i = 0; i < sides; ++i) sum[i] = Side<double>(0.0);
      for (Index s = 0; s < n; ++s)
#pragma GCC unroll 8
        for (Index i = 0; i < sides; ++i) sum[i] -= load_side(work + s * block + i * L) * A[t * n + s];
      double row[block];
      for (Index i = 0; i < sides; ++i) store_side(row + i * L, sum[i]);
      for (Index c = 0; c < count; ++c) x[t * size + at + c] = row[c];
    }
  }
}

void forward_dynamics(Index n, const double* const* H, const double* const* first, double* work, double* const* out) {
  const std::ptrdiff_t square = static_cast<std::ptrdiff_t>(n) * n;
  const double *const by_q = first[0], *const by_v = first[1], *const inverse = first[2];  // by rows
  for (Index t = 0; t < n; ++t) {
    const double* const mass = H[3] + t * square;
    double *const qq = out[0] + t * square, *const qv = out[1] + t * square, *const qtau = out[3] + t * square;
    for (std::ptrdiff_t k = 0; k < square; ++k) {
      work[k] = qtau[k] = 0;
      qv[k] = H[1][t * square + k];
      out[2][t * square + k] = H[2][t * square + k];
    }
    for (Index x = 0; x < n; ++x) {
      add_row_product(n, mass + x * n, by_q, work + x * n);
      add_row_product(n, mass + x * n, by_v, qv + x * n);
      add_row_product(n, mass + x * n, inverse, qtau + x * n);
    }
    for (Index x = 0; x < n; ++x)
      for (Index y = 0; y < n; ++y) qq[x * n + y] = H[0][t * square + x * n + y] + work[x * n + y] + work[y * n + x];
  }
  for (int k = 0; k < 4; ++k) negative_product(n, inverse, out[k], square, work);
}

}  // namespace

extern const SecondDerivativeKernels second_derivative_kernels;
const SecondDerivativeKernels second_derivative_kernels{sizeof(page::OwnGains<double>), path_stride, inverse_dynamics,
                                                        forward_dynamics};

}  // namespace ZWANG_ISA
}  // namespace zwang
