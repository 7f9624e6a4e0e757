// SPDX-License-Identifier: BSD-3-Clause
// The pose of one frame in another as position errors, for loops and frames with a target. Derivation: types/loop.hpp.
#pragma once
#include "zwang/constraint/page/point.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Three linear errors, three angular ones; see types/loop.hpp.
struct LoopGeometry {
  static constexpr Index errors = 6;
  int held = 3;                                        ///< angular directions; 0: no row holds an angle
  Vec3<double> first = {0, 0, 1}, second = {0, 0, 1};  ///< one held: u1, u2; two held: u is `first`

  template <class S> void operator()(const Transform<S>& A, const Transform<S>& B, S* e, Force<S>* K) const {
    point_errors(A, B, e, K);
    if (held > 0) turned(A.R, B.R, e + 3, K + 3);
  }

  template <class S> void turned(const Mat3<S>& A, const Mat3<S>& B, S* e, Force<S>* K) const {
    Vec3<S> psi;
    Mat3<S> rate;  // of psi per angular velocity, both in a's axes
    if (held == 3) {
      psi = log_so3(transpose(A) * B);
      rate = left_jacobian_inverse(psi);
    } else if (held == 2) {  // -[u][y] = (u . y) 1 - y u^T
      const Vec3<S> y = transpose_times(A, B * widen<Uniform<S>>(first));
      const S cosine = dot(first, y);
      psi = cross(first, y);
      for (int i = 0; i < 3; ++i) {
        rate[i] = first * -y[i];
        rate[i][i] += cosine;
      }
    } else {
      const Vec3<S> y = transpose_times(A, B * widen<Uniform<S>>(second)), m = cross(first, y);
      const Vec3<double> k = cross(first, second);
      const S cosine = dot(first, y);
      for (int i = 0; i < 3; ++i) {
        psi[i] = cosine * Uniform<S>(-k[i]);
        rate[i] = m * k[i];
      }
    }
    for (int i = 0; i < 3; ++i) {
      e[i] = psi[i];
      K[i] = {Vec3<S>::zero(), A * rate[i]};
    }
  }
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
