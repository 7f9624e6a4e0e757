// SPDX-License-Identifier: BSD-3-Clause
// How rows between two frames vary where the second frame moves and the first is held.
//
//   y = K . (a_B - a_A) + gamma + (2 zeta / T) phi' + phi / T^2
//   N . x:  the derivative of y along  dX_B = x X_B,  dv_B = x x v_B,  da_B = x x a_B
//   P . x:  the derivative of y along  dv_B = x,  da_B = -v_B x x
//   D x:    the derivative of K^T lambda along dX_B = x X_B
//   R . x:  the derivative of K . (v_B - v_A) along  dX_B = x X_B,  dv_B = x x v_B
// Where the first frame moves they are the negative of these: a motion of both alike changes nothing but the axes.
// No formula per relation: the geometry (pose_rows.hpp) is evaluated with dual numbers of dual numbers.
// World axes about the point of the pair. a: without gravity. Allocates nothing.
#pragma once
#include "zwang/constraint/page/pose_rows.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// 2 zeta / T and 1 / T^2 of a constraint's stabilisation.
template <class T> struct Gains { T damping, stiffness; };

namespace impl {
template <class S> ZWANG_INLINE Dual<S> constant(const S& x) { return {x, S(Uniform<S>(0))}; }
template <class S> ZWANG_INLINE Motion<Dual<S>> varied(const Motion<S>& x, const Motion<S>& d) {
  Motion<Dual<S>> out;
  for (int i = 0; i < 6; ++i) out[i] = {x[i], d[i]};
  return out;
}
}  // namespace impl

/// The pair, whose second frame varies along (x, nu); `a`: accelerations of the two about the pair's point.
template <class S> struct VariedPair {
  using D = Dual<S>;
  Transform<D> A, B;
  Motion<D> VA, VB, apart;  ///< apart: a_B - a_A
  VariedPair(const FramePair<S>& at, const Motion<S>& a_A, const Motion<S>& a_B, const Motion<S>& x,
             const Motion<S>& nu)
      : A(impl::moving(at.A, Motion<S>::zero())),
        B(impl::moving(at.B, x)),
        VA(impl::varied(at.VA, Motion<S>::zero())),
        VB(impl::varied(at.VB, Motion<S>(cross(x, at.VB) + nu))),
        apart(impl::varied(Motion<S>(a_B - a_A), Motion<S>(cross(x, a_B) - cross(at.VB, nu)))) {}
};

/// K of the `count` rows: on the second frame's body, less on the first one's.
template <class Geometry, class S>
void pose_wrenches(const PoseRows<Geometry>& rows, Index count, const FramePair<S>& at, Force<S>* K) {
  constexpr Index n = Geometry::errors;
  S e[n];
  Force<S> k[n];
  rows.geometry(at.A, at.B, e, k);
  for (Index r = 0; r < count; ++r) {
    K[r] = Force<S>::zero();
    for (Index i = 0; i < n; ++i)
      if (const double m = rows.matrix[r * n + i]; m != 0) K[r] += k[i] * S(static_cast<Uniform<S>>(m));
  }
}

/// P, N of the `count` rows; adds D of the multipliers to six columns.
template <class Geometry, class S> void vary_pose_rows(const PoseRows<Geometry>& rows, Index count,
                                                       const FramePair<S>& at, const Motion<S>& a_A,
                                                       const Motion<S>& a_B, const Gains<Uniform<S>>& gains,
                                                       const S* lambda, Force<S>* P, Force<S>* N, Force<S>* turned) {
  using T = Uniform<S>;
  using D = Dual<S>;
  constexpr Index n = Geometry::errors;
  const S zero(T(0)), one(T(1));
  for (Index r = 0; r < count; ++r) P[r] = N[r] = Force<S>::zero();
  for (int direction = 0; direction < 12; ++direction) {
    const int c = direction % 6;
    const bool moves = direction < 6;
    Motion<S> x = Motion<S>::zero(), nu = x;
    (moves ? x : nu)[c] = one;
    const VariedPair<S> pair(at, a_A, a_B, x, nu);
    const Motion<D> V = pair.VB - pair.VA;
    Dual<D> e[n];
    Force<Dual<D>> k[n];
    rows.geometry(impl::moving(pair.A, pair.VA), impl::moving(pair.B, pair.VB), e, k);
    for (Index r = 0; r < count; ++r)
      for (Index i = 0; i < n; ++i) {
        const double m = rows.matrix[r * n + i];
        if (m == 0) continue;  // an error that the row does not use may be NaN
        const T weight(static_cast<T>(m));
        D y(zero, zero);
        for (int j = 0; j < 6; ++j) {
          y += k[i][j].v * pair.apart[j] + k[i][j].d * V[j] + k[i][j].v * V[j] * S(gains.damping);
          if (moves) turned[c][j] += k[i][j].v.d * (lambda[r] * weight);
        }
        if (gains.stiffness != 0 && value_of(e[i].v) == value_of(e[i].v)) y += e[i].v * S(gains.stiffness);
        (moves ? N : P)[r][c] += y.d * weight;
      }
  }
}

/// R of the `count` rows.
template <class Geometry, class S>
void vary_pose_rates(const PoseRows<Geometry>& rows, Index count, const FramePair<S>& at, Force<S>* R) {
  using T = Uniform<S>;
  constexpr Index n = Geometry::errors;
  const Transform<Dual<S>> A = impl::moving(at.A, Motion<S>::zero());
  const Motion<S> V = at.VB - at.VA;
  for (Index r = 0; r < count; ++r) R[r] = Force<S>::zero();
  for (int c = 0; c < 6; ++c) {
    Motion<S> x = Motion<S>::zero();
    x[c] = S(T(1));
    const Motion<S> turned = cross(x, at.VB);
    Dual<S> e[n];
    Force<Dual<S>> k[n];
    rows.geometry(A, impl::moving(at.B, x), e, k);
    for (Index r = 0; r < count; ++r)
      for (Index i = 0; i < n; ++i)
        if (const double m = rows.matrix[r * n + i]; m != 0)
          for (int j = 0; j < 6; ++j) R[r][c] += (k[i][j].v * turned[j] + k[i][j].d * V[j]) * S(static_cast<T>(m));
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
