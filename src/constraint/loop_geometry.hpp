// SPDX-License-Identifier: BSD-3-Clause
// The pose of one frame in another as position errors: what loops and frames with a target have in common.
#pragma once
#include "constraint/pose_relation.hpp"
#include "zwang/constraint/rows.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang {

/// Three linear errors, three angular ones; see types/loop.hpp.
class LoopGeometry {
 public:
  static constexpr Index errors = 6;
  int held = 3;                                        ///< angular directions; 0: no row asks for an angle
  Vec3<double> first = {0, 0, 1}, second = {0, 0, 1};  ///< one held: u1, u2; two held: u is `first`

  template <class S> void operator()(const Transform<S>& A, const Transform<S>& B, S* e, Force<S>* K) const {
    const Vec3<S> p = transpose_times(A.R, B.p - A.p), axis[3] = {column_x(A.R), column_y(A.R), column_z(A.R)};
    for (int i = 0; i < 3; ++i) {
      e[i] = p[i];
      K[i] = {axis[i], cross(B.p, axis[i])};
    }
    if (held > 0) turned(A.R, B.R, e + 3, K + 3);
  }

 private:
  template <class S> void turned(const Mat3<S>& A, const Mat3<S>& B, S* e, Force<S>* K) const {
    Vec3<S> psi;
    Mat3<S> rate;  // of psi per angular velocity, both in a's axes
    if (held == 3) {
      psi = log_so3(transpose(A) * B);
      rate = left_jacobian_inverse(psi);
    } else if (held == 2) {  // -[u][y] = (u . y) 1 - y u^T
      const Vec3<S> y = transpose_times(A, B * first);
      const S cosine = dot(first, y);
      psi = cross(first, y);
      for (int i = 0; i < 3; ++i) {
        rate[i] = first * -y[i];
        rate[i][i] += cosine;
      }
    } else {
      const Vec3<S> y = transpose_times(A, B * second), m = cross(first, y);
      const Vec3<double> k = cross(first, second);
      const S cosine = dot(first, y);
      for (int i = 0; i < 3; ++i) {
        psi[i] = cosine * -k[i];
        rate[i] = m * k[i];
      }
    }
    for (int i = 0; i < 3; ++i) {
      e[i] = psi[i];
      K[i] = {Vec3<S>::zero(), A * rate[i]};
    }
  }
};

/// How many angular directions the rows hold, and what is free then.
LoopGeometry loop_geometry(const RowSelection& rows, const std::string& name);

}  // namespace zwang
