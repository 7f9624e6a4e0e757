// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of one state, at one instruction set.
#include <cstdint>

#include "algorithm/page/inverse_dynamics_derivative_rows.hpp"
#include "algorithm/page/left_product_lanes.hpp"
#include "core/kernel_table.hpp"
#include "kernels/forward_derivatives.hpp"
#include "zwang/algorithm/page/regressor.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace {

using State = BasicData<double>;

bool inverse_dynamics(void* d, const double* q, const double* v, const double* a, bool damping, bool springs,
                      double* const* out, const Index* stride) {
  State& data = *static_cast<State*>(d);
  return page::inverse_dynamics_derivative_rows(data, q, v, a, page::PassiveEffects{damping, false, springs},
                                                torque_derivatives(data.tree().nv, out, stride));
}
using Vectors = page::ConstStateVectors<double>;

void vary_columns(void* data, const double* q, const double* v, const double* a) {
  State& x = *static_cast<State*>(data);
  page::vary_columns(x, page::SpanningState<double>(x, q, v, a));
}
void enter_from_the_right(void* data, const double* q, const double* v, const double* a, const double* const* d) {
  State& x = *static_cast<State*>(data);
  vary_columns(data, q, v, a);
  page::enter_from_the_right(x, Vectors{d[0], d[1], d[2]});
}
void leave_from_the_right(void* data, const double* q, const double* const* d, bool damping, bool springs,
                          double* out) {
  State& x = *static_cast<State*>(data);
  const page::SpanningState<double> state(x, q, nullptr, nullptr);
  page::leave_from_the_right(x, page::ProductFromTheRight<double>(x), state.in, Vectors{d[0], d[1], d[2]},
                             page::PassiveEffects{damping, false, springs}, out);
}
void enter_from_the_left(void* data, const double* y) { page::enter_left_lanes(*static_cast<State*>(data), y); }
void leave_from_the_left(void* data, const double* q, const double* v, const double* a, const double* y, bool damping,
                         bool springs, double* const* out) {
  State& x = *static_cast<State*>(data);
  page::leave_left_lanes(x, page::SpanningState<double>(x, q, v, a), y, page::PassiveEffects{damping, false, springs},
                         page::StateVectors<double>{out[0], out[1], out[2]});
}
void placements_from_the_left(void* data, const void* joints, Index count, double sign, double* out) {
  page::add_placements_left(*static_cast<State*>(data), static_cast<const page::JointPlace*>(joints), count, sign, out);
}
void inertias_from_the_left(void* data, double* out) { page::subtract_inertias_left(*static_cast<State*>(data), out); }

/// Columns of a product side by side: of every row of B that is not zero in all of them, its number and its entries.
struct PackedColumns {
  static constexpr Index width = 4, most = 256;
  Index count = 0, row[most];
  double x[most * width];

  PackedColumns(Index n, const double* B, Index stride, Index columns) {
    const double* column[width];  // where there are fewer than four, the last one again
    for (Index c = 0; c < width; ++c) column[c] = B + (c < columns ? c : columns - 1) * stride;
    for (Index k = 0; k < n; ++k) {
      double* const to = x + count * width;
      std::uint64_t bits = 0;
#pragma GCC unroll 4
      for (Index c = 0; c < width; ++c) {
        to[c] = column[c][k];
        bits |= __builtin_bit_cast(std::uint64_t, to[c]);
      }
      row[count] = k;
      count += (bits << 1) != 0;  // the sign does not count
    }
  }
};

/// `sides` * L rows of -A B; A and `out` begin at the first of them.
template <int sides> ZWANG_INLINE void rows_of_product(const PackedColumns& B, const double* A, Index a_stride,
                                                       double* out, Index stride, Index columns) {
  constexpr Index L = side_lanes<double>, width = PackedColumns::width;
  Side<double> sum[width][sides];
#pragma GCC unroll 16
  for (int i = 0; i < width * sides; ++i) sum[i / sides][i % sides] = Side<double>(0.0);
  for (Index k = 0; k < B.count; ++k) {
    const double* const a = A + B.row[k] * a_stride;
#pragma GCC unroll 16
    for (int i = 0; i < width * sides; ++i)
      sum[i / sides][i % sides] -= load_side(a + (i % sides) * L) * B.x[k * width + i / sides];
  }
  for (Index c = 0; c < columns; ++c)
    for (int i = 0; i < sides; ++i) store_side(out + c * stride + i * L, sum[c][i]);
}

/// The same, one column at a time: of matrices that are too small or too large for it.
void plain_negative_product(Index n, const double* A, Index a_stride, double* B, Index b_stride, double* work) {
  constexpr Index L = side_lanes<double>;
  for (Index c = 0; c < n; ++c, B += b_stride) {
    for (Index k = 0; k < n; ++k) {
      work[k] = B[k];
      B[k] = 0;
    }
    for (Index k = 0; k < n; ++k) {
      const double* const a = A + k * a_stride;
      if (work[k] == 0) continue;
      Index r = 0;
      for (; r + L <= n; r += L) store_side(B + r, load_side(B + r) - load_side(a + r) * work[k]);
      for (; r < n; ++r) B[r] -= a[r] * work[k];
    }
  }
}

/// Derivatives have zeros where coordinates are not on one path: rows of B that are zero in four columns are left out.
void negative_product(Index n, const double* A, Index a_stride, double* B, Index b_stride, double* work) {
  constexpr Index L = side_lanes<double>, width = PackedColumns::width;
  if (n < L || n > PackedColumns::most) return plain_negative_product(n, A, a_stride, B, b_stride, work);
  for (Index c = 0; c < n; c += width, B += width * b_stride) {
    const Index columns = n - c < width ? n - c : width;
    const PackedColumns packed(n, B, b_stride, columns);
    if (packed.count == 0) continue;
    Index r = 0;
    for (; r + 2 * L <= n; r += 2 * L) rows_of_product<2>(packed, A + r, a_stride, B + r, b_stride, columns);
    for (; r + L <= n; r += L) rows_of_product<1>(packed, A + r, a_stride, B + r, b_stride, columns);
    if (r < n) rows_of_product<1>(packed, A + n - L, a_stride, B + n - L, b_stride, columns);  // some of them again
  }
}

}  // namespace

extern const DerivativeKernels derivative_kernels;
const DerivativeKernels derivative_kernels{
    inverse_dynamics,    enter_from_the_right,     leave_from_the_right,  enter_from_the_left,
    leave_from_the_left, negative_product,         vary_columns,          forward_derivatives,
    forward_scratch,     placements_from_the_left, inertias_from_the_left};

}  // namespace ZWANG_ISA
}  // namespace zwang
