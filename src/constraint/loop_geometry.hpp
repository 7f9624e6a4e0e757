// SPDX-License-Identifier: BSD-3-Clause
// The pose of one frame in another as position errors: what loops and frames with a target have in common.
#pragma once
#include "constraint/pose_relation.hpp"
#include "zwang/constraint/rows.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang {

/// Three linear errors, three angular ones; see types/loop.hpp.
struct LoopGeometry {
  static constexpr Index errors = 6;
  int held = 3;                                        ///< angular directions
  Vec3<double> first = {0, 0, 1}, second = {0, 0, 1};  ///< one held: u1, u2; two held: u is `first`

  template <class S> void operator()(const Transform<S>& A, const Transform<S>& B, S* e, Force<S>* K) const {
    const Vec3<S> p = transpose_times(A.R, B.p - A.p);
    const Mat3<S> R = transpose(A.R) * B.R;
    Vec3<S> psi;
    Mat3<S> rate;  // of psi per angular velocity, both in a's axes
    if (held == 3) {
      psi = log_so3(R);
      rate = left_jacobian_inverse(psi);
    } else if (held == 2) {
      const Vec3<S> u = widen<S>(first), y = R * u;
      psi = cross(u, y);
      rate = skew(u) * skew(-y);
    } else {
      const Vec3<S> u = widen<S>(first), y = R * widen<S>(second), k = widen<S>(cross(first, second)), m = cross(y, u);
      psi = -(k * dot(u, y));
      rate = {m * -k.x, m * -k.y, m * -k.z};
    }
    const Vec3<S> axis[3] = {column_x(A.R), column_y(A.R), column_z(A.R)};
    for (int i = 0; i < 3; ++i) {
      e[i] = p[i];
      K[i] = {axis[i], cross(B.p, axis[i])};
      e[3 + i] = psi[i];
      const Vec3<S> row = i == 0 ? rate.r0 : i == 1 ? rate.r1 : rate.r2;
      K[3 + i] = {Vec3<S>::zero(), A.R * row};
    }
  }
};

/// How many angular directions the rows hold, and what is free then.
LoopGeometry loop_geometry(const RowSelection& rows, const std::string& name);

}  // namespace zwang
