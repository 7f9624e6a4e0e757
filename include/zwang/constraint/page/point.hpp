// SPDX-License-Identifier: BSD-3-Clause
// For a contact with a target point (types/contact.hpp): position of one origin in the other frame.
#pragma once
#include "zwang/constraint/page/pose_rows.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Linear errors in A's axes.
template <class S> ZWANG_INLINE void point_errors(const Transform<S>& A, const Transform<S>& B, S* e, Force<S>* K) {
  const Vec3<S> p = transpose_times(A.R, B.p - A.p), axis[3] = {column_x(A.R), column_y(A.R), column_z(A.R)};
  for (int i = 0; i < 3; ++i) {
    e[i] = p[i];
    K[i] = {axis[i], cross(B.p, axis[i])};
  }
}

/// The origin of B relative to A.
struct PointGeometry {
  static constexpr Index errors = 3;
  template <class S> void operator()(const Transform<S>& A, const Transform<S>& B, S* e, Force<S>* K) const {
    point_errors(A, B, e, K);
  }
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
