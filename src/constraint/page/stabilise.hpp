// SPDX-License-Identifier: BSD-3-Clause
// Stabilisation of rows, for every scalar: Baumgarte 1972.
//
//   phi'' = beta - (2 zeta / T) (phi' - target') - (phi - target) / T^2
#pragma once
#include "zwang/core/scalar.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// The amount subtracted from beta for the position and velocity errors of a row. Velocity rows have no position error:
/// NaN. `inverse_time` is 1 / T; 0: off.
template <class S>
ZWANG_INLINE S stabilisation(const S& error, const S& rate, Uniform<S> inverse_time, Uniform<S> damping_ratio) {
  using T = Uniform<S>;
  const S zero(T(0)), one(T(1));
  const auto below = less(error, one), above = less(zero, error);
  return (rate * (2 * damping_ratio) + select(below | above, error, zero) * inverse_time) * inverse_time;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
