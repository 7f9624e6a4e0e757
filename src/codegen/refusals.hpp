// SPDX-License-Identifier: BSD-3-Clause
// Inputs that mean nothing, in a recording: a factor that is NaN makes results NaN and the status 1.
#pragma once
#include "codegen/recording.hpp"
#include "zwang/spatial/mat3.hpp"

namespace zwang::codegen {

/// 1, or NaN where a condition does not hold.
inline Symbol one_where(const Choice& holds) { return sqrt(select(holds, Symbol(1.0), Symbol(-1.0))); }

/// Coordinates of one joint, divided by their length; NaN where they have no direction: zeros, and lengths whose square
/// overflows or loses digits. `normalize` is the joint's own.
template <class F> void normalize_or_refuse(Symbol* q, Index nq, F&& normalize) {
  const std::vector<Symbol> given(q, q + nq);
  normalize(q);
  Symbol square(0.0);
  Index first = nq;
  for (Index k = nq; k-- > 0;) {
    if (q[k].node == given[static_cast<std::size_t>(k)].node) continue;
    first = k;
    square += q[k] * q[k];
  }
  if (first < nq) q[first] *= one_where(less(Symbol(0.99999), square) & less(square, Symbol(1.00001)));
}

/// 1 of a rotation, else NaN: |R R^T - 1| (Frobenius) is at most 1e-3, and no axis is mirrored.
inline Symbol one_of_rotation(const Mat3<Symbol>& R) {
  const Symbol one(1.0), two(2.0), x = dot(R.r0, R.r0) - one, y = dot(R.r1, R.r1) - one, z = dot(R.r2, R.r2) - one,
                                   xy = dot(R.r0, R.r1), xz = dot(R.r0, R.r2), yz = dot(R.r1, R.r2);
  return one_where(less(x * x + y * y + z * z + two * (xy * xy + xz * xz + yz * yz), Symbol(1e-6)) &
                   less(Symbol(0.0), dot(R.r0, cross(R.r1, R.r2))));
}

}  // namespace zwang::codegen
