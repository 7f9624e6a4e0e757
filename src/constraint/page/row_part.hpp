// SPDX-License-Identifier: BSD-3-Clause
// How a row varies with one of the bodies on which it acts: d rho = K.alpha + P.nu + N.xi, (xi, nu, alpha) as
// algorithm/page/variations.hpp has them.
#pragma once
#include "zwang/core/config.hpp"
#include "zwang/spatial/force.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// A row on one of its bodies.
template <class S> struct BasicRowPart {
  Index row, body;
  Force<S> K, P, N;
  Force<S> R;  ///< d of the row's velocity = K . nu + R . xi, summed over its parts, at fixed joint velocities
};

// Kernels of every instruction set read those of ordinary code.
static_assert(sizeof(BasicRowPart<double>) == 2 * sizeof(Index) + 24 * sizeof(double));

}  // namespace ZWANG_ISA
}  // namespace zwang
