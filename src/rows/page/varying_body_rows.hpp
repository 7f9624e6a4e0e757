// SPDX-License-Identifier: BSD-3-Clause
// How the rows of one constraint on one body, and the wrench of their multipliers, vary with the motion of that body.
//
//   d rho = K.alpha + P.nu + N.xi                    (xi, nu, alpha): algorithm/page/variations.hpp
//   dF    = xi x* F - W xi                           F: the wrench, W: algorithm/page/turning.hpp
//   d, e: a row's directions; p: the point; v_p, a_p: its velocity and acceleration; K = [d; p x d + e]
//     classical  P = [0; 2 v_p x d + w x e]     spatial  P = v x* K
//     axes of the body   N = 0, W = 0           aligned  N = [0; a_p x d + w' x e]
//     axes of a body c   N and W as aligned on b, minus those on c
//     world              N = a x* K (p: the origin), classical: + v x* [d x w; v x d]
// Accelerations without gravity: who counts -g as one of the ground takes g x* K off N. World axes about the branch's
// centre. Reads position, velocity and acceleration stages. Allocates nothing.
#pragma once
#include "zwang/algorithm/page/kinematics.hpp"
#include "zwang/algorithm/page/turning.hpp"
#include "zwang/rows/page/attach.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// A row: its directions in world axes, and how it varies.
template <class S> struct VaryingRow {
  Vec3<S> d, e;
  Force<S> K, P, N;
};

template <class S> struct VaryingBodyRows {
  const RowsOnBody& rows;
  SeenRows<S> seen;
  bool classical, own_axes, of_another;  ///< of_another: the axes turn with another body than that of the rows
  Motion<S> v, a;
  Vec3<S> v_p, a_p;

  VaryingBodyRows(const BasicData<S>& data, const RowsOnBody& r, AccelerationKind kind)
      : rows(r),
        seen(data, r, kind),
        classical(kind == AccelerationKind::classical),
        own_axes(r.axes == RowsOnBody::Axes::body && r.axes_body == r.body),
        of_another(r.axes == RowsOnBody::Axes::body && r.axes_body != r.body && r.axes_body > 0),
        v(data.velocity.twist[r.body]),
        a(body_acceleration(data, r.body)),
        v_p(v.v + cross(v.w, seen.p)),
        a_p(a.v + cross(a.w, seen.p)) {
    if (classical) a_p += cross(v.w, v_p);
  }
  VaryingRow<S> row(Index i) const {
    using T = Uniform<S>;
    const double* const m = &rows.matrix[static_cast<std::size_t>(6 * i)];
    const auto number = [=](int k) ZWANG_LAMBDA { return S(static_cast<T>(m[k])); };
    VaryingRow<S> x{{number(0), number(1), number(2)}, {number(3), number(4), number(5)}, {}, {}, Force<S>::zero()};
    if (seen.turned) {
      x.d = seen.A * x.d;
      x.e = seen.A * x.e;
    }
    x.K = seen.wrench(x.d, x.e);
    x.P = classical ? Force<S>{Vec3<S>::zero(), cross(v_p, x.d) * T(2) + cross(v.w, x.e)} : cross(v, x.K);
    if (own_axes) return x;
    if (!rows.about_world_origin) {
      x.N = {Vec3<S>::zero(), cross(a_p, x.d) + cross(a.w, x.e)};
      return x;
    }
    x.N = cross(a, x.K);
    if (classical) {
      const Vec3<S> turned = cross(x.d, v.w);
      x.N += cross(v, Force<S>{turned, cross(v_p, x.d) + cross(seen.p, turned)});
    }
    return x;
  }
  /// W of the wrench [sum d lambda; sum e lambda]. Not for own axes.
  Turning<S> turning(const Force<S>& at_point) const {
    return rows.about_world_origin ? turning_at_rest(with_reference_point(at_point, -seen.p))
                                   : turning_at(seen.p, at_point);
  }
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
