// SPDX-License-Identifier: BSD-3-Clause
// How far rows of many states in lanes are from dependent, while they are factored.
#pragma once
#include "zwang/core/pack.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

/// The cheap test of rank_revealing.hpp in lanes: m e prod(Lambda_ii / D_i) is at least tr E^-1, because det
/// E <= smallest eigenvalue * (m / (m - 1))^(m - 1); sum bound_i / D_i is at least sum bound_i / Lambda_ii.
template <class S> struct RowDoubt {
  using T = Uniform<S>;
  S growth = S(T(1)), spread = S(T(0));
  Index rows = 0;
  /// Of float lanes less is asked, since their rows lose g eps of 1e-5:
  /// that every row counts, with the constant as measured (0.9).
  static constexpr T k_passes = sizeof(T) < 8 ? T(0.5) : T(1e-6), c = sizeof(T) < 8 ? T(1) : T(8);

  ZWANG_INLINE S fast_trace() const { return growth * (T(rows) * T(2.7182819)); }
  /// Whether the test passes with this trace, and the user's tolerance is far. `most`:
  /// of the noise, relative to what would make a row dependent.
  ZWANG_INLINE auto passes(const S& trace, const S& gross_ratio, T tolerance, T most = k_passes) const {
    constexpr T eps = epsilon_of<S>;
    const S delta = sqrt(gross_ratio * spread) * (c * eps);
    const S theta = trace * (delta * T(2) + c * T(rows) * eps) + gross_ratio * (c * eps);
    const S policy = trace * (T(rows) * T(4) * tolerance * tolerance * most);
    return less(select(less(theta, policy), policy, theta), S(most));
  }
  /// Whether it passes with half of `most`: without a root.
  ZWANG_INLINE auto passes_easily(const S& trace, const S& gross_ratio, T tolerance, T most) const {
    constexpr T eps = epsilon_of<S>;
    const S half(most * T(0.5)), of_rows = trace * (T(2) * c * eps);
    const S rest = trace * (c * T(rows) * eps) + gross_ratio * (c * eps);
    const S policy = trace * (T(rows) * T(4) * tolerance * tolerance);
    const auto small = less(of_rows * of_rows * (gross_ratio * spread), half * half), rest_small = less(rest, half),
               allowed = less(policy, S(T(1)));
    return small & rest_small & allowed;
  }
};

/// A pivot that is small relative to its terms makes its lane irregular.
template <class S> struct RegularPivot {
  S& irregular;
  RowDoubt<S>& doubt;
  Uniform<S> tolerance;
  ZWANG_INLINE void count(const S& own, const S& inv, const S& bound) const {
    doubt.growth = doubt.growth * (own * inv);
    doubt.spread += bound * inv;
    ++doubt.rows;
  }
  ZWANG_INLINE S operator()(const S& pivot, const S& bound) const {
    const S one(Uniform<S>(1));
    const auto regular = less(bound * tolerance, pivot);
    irregular = select(regular, irregular, one);
    return select(regular, pivot, one);
  }
};

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
