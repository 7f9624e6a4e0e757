// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of the motion of a frame, of the centre of mass, and of the momentum about it.
//
//   variation of the frame's body (xi, nu, alpha), variations.hpp:  dv = xi x v + nu,  da = xi x a + alpha - v x nu
//   numbers in axes that move with the body lose xi x:  dv = nu,   da = alpha - v x nu - xi x [g; 0] (a has no gravity)
//     local: these;   local_world_aligned: these turned, and xi.w x of the velocity or acceleration;
//     world: dv = nu + xi x v,   da = alpha - v x nu - xi x [g; 0] + xi x a
//   classical:  a + [w x v; 0], all at the reference's point:  da.v += dw x v + w x dv
//   I^c, B^c, h^c, f^c (-g in it) of the subtree of column k; mass m, centre c of the whole, c_k = (I^c S_k).f / m:
//     d h = S_k x* h^c + I^c psi'_k,   d f = S_k x* f^c + B^c psi'_k + I^c psi''_k        by q_k
//     d h = I^c S_k,                   d f = B^c S_k + I^c (psi'_k + S'_k)                by v_k
//                                      d f = I^c S_k                                      by a_k
//     about c:  - c_k x (linear part of the whole), by q alone
// Derived here from the variations of Singh, Russell & Wensing 2022.
// World axes about the branch's centre. Reads what vary_columns() reads and leaves. Momenta write derivative.subtree,
// and those about the centre of mass the mass stage. Cost O(d) of a frame, O(n) of the momentum. Allocates nothing.
#pragma once
#include "zwang/algorithm/page/centroidal.hpp"
#include "zwang/algorithm/page/inverse_dynamics_products.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Derivatives by q, v and a. Of a velocity or a momentum `a` has no data.
template <class S> struct MotionDerivatives { MatrixView<S> q, v, a; };

/// The motion of a frame seen from a reference: world axes, at the reference's point.
template <class S> struct SeenFrame {
  PointOfView<S> view;
  Reference reference;
  Motion<S> v;  ///< velocity
  Motion<S> a;  ///< spatial acceleration, with -g where it counts
  Vec3<S> g;    ///< gravity that `a` has not
  bool classical;

  ZWANG_INLINE Motion<S> moved(const Motion<S>& m) const { return {m.v + cross(m.w, view.point), m.w}; }
  ZWANG_INLINE Motion<S> in_axes(const Motion<S>& m) const {
    return view.turned ? Motion<S>{transpose_times(view.axes, m.v), transpose_times(view.axes, m.w)} : m;
  }
  /// Of the velocity along a variation (xi, nu, ...), at the point.
  ZWANG_INLINE Motion<S> velocity(const Motion<S>& xi, const Motion<S>& nu) const {
    if (reference == Reference::world) return nu + cross(xi, v);
    if (reference == Reference::local) return in_axes(nu);
    return nu + Motion<S>{cross(xi.w, v.v), cross(xi.w, v.w)};
  }
  ZWANG_INLINE Motion<S> acceleration(const Motion<S>& xi, const Motion<S>& nu, const Motion<S>& alpha) const {
    Motion<S> dv = nu, da = alpha - cross(v, nu);
    da.v -= cross(xi.w, g);
    if (reference == Reference::world) {
      dv += cross(xi, v);
      da += cross(xi, a);
    }
    if (classical) da.v += cross(dv.w, v.v) + cross(v.w, dv.v);
    if (reference != Reference::local_world_aligned) return in_axes(da);
    const Vec3<S> seen = classical ? a.v + cross(v.w, v.v) : a.v;
    return da + Motion<S>{cross(xi.w, seen), cross(xi.w, a.w)};
  }
};

template <class S, class T> SeenFrame<S> seen_frame(const BasicData<S>& data, Index body, const Transform<T>& in_body,
                                                    Reference reference, bool classical, bool with_gravity) {
  SeenFrame<S> x{point_of_view(data, body, in_body, reference),
                 reference,
                 Motion<S>::zero(),
                 Motion<S>::zero(),
                 widen<S>(data.gravity),
                 classical};
  x.v = x.moved(data.velocity.twist[body]);
  Motion<S> a = body_acceleration(data, body);
  if (with_gravity) {
    a.v -= x.g;
    x.g = Vec3<S>::zero();
  }
  x.a = x.moved(a);
  return x;
}

/// Calls f(column, S, psi', psi'', psi' + S') of the columns that move the body, at the frame's point of view.
template <class S, class F>
ZWANG_INLINE void for_variations(const BasicData<S>& data, Index body, const SeenFrame<S>& x, F&& f) {
  for_each_column_towards_root(data.tree(), body, [&](Index k, Index) ZWANG_LAMBDA {
    const ColumnVariation<S>& c = data.derivative.variation[k];
    f(data.tree().column[k], x.moved(c.s), x.moved(c.first), x.moved(c.second), x.moved(c.sum));
  });
}

template <class S> void frame_velocity_derivatives(const BasicData<S>& data, Index body, const SeenFrame<S>& x,
                                                   const MotionDerivatives<S>& out) {
  const Motion<S> none = Motion<S>::zero();
  clear(out.q);
  clear(out.v);
  for_variations(data, body, x,
                 [&](const auto& column, const Motion<S>& s, const Motion<S>& first, const Motion<S>&, const Motion<S>&)
                     ZWANG_LAMBDA {
                       add_column(out.q, column.v, x.velocity(s, first), column.multiplier);
                       add_column(out.v, column.v, x.velocity(none, s), column.multiplier);
                     });
}

template <class S> void frame_acceleration_derivatives(const BasicData<S>& data, Index body, const SeenFrame<S>& x,
                                                       const MotionDerivatives<S>& out) {
  const Motion<S> none = Motion<S>::zero();
  clear(out.q);
  clear(out.v);
  clear(out.a);
  for_variations(data, body, x,
                 [&](const auto& column, const Motion<S>& s, const Motion<S>& first, const Motion<S>& second,
                     const Motion<S>& by_v) ZWANG_LAMBDA {
                   add_column(out.q, column.v, x.acceleration(s, first, second), column.multiplier);
                   add_column(out.v, column.v, x.acceleration(none, s, by_v), column.multiplier);
                   add_column(out.a, column.v, x.in_axes(s), column.multiplier);
                 });
}

/// What for_momentum_columns gives of one column: about the branch's centre.
template <class S> struct MomentumColumn {
  Force<S> by_v, by_q;            ///< of the momentum
  Force<S> rate_by_q, rate_by_v;  ///< of its rate
};

/// Calls f(k, MomentumColumn) of every column. vary_columns() has been, no wrenches from outside are set.
template <class S, class F> void for_momentum_columns(BasicData<S>& data, F&& f) {
  const auto& tree = data.tree();
  const Uniform<S> two(2);
  subtree_terms(data);
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const SubtreeTerms<S>& x = data.derivative.subtree[tree.column[k].body];
    const ColumnVariation<S>& c = data.derivative.variation[k];
    f(k, MomentumColumn<S>{x.I * c.s, cross(c.s, x.m.h) + x.I * c.first,
                           cross(c.s, x.f) + x.m.half_times(c.first) * two + x.I * c.second,
                           x.m.half_times(c.s) * two + x.I * c.sum});
  }
}

/// 3 x nv each.
template <class S> void centre_of_mass_velocity_derivatives(BasicData<S>& data, const MotionDerivatives<S>& out) {
  const Uniform<S> mass = moving_mass(data), inv = mass > 0 ? Uniform<S>(1) / mass : Uniform<S>(0);
  clear(out.q);
  clear(out.v);
  for_momentum_columns(data, [&](Index k, const MomentumColumn<S>& x) ZWANG_LAMBDA {
    const auto& column = data.tree().column[k];
    for (Index r = 0; r < 3; ++r) {
      out.q(r, column.v) += x.by_q[r] * (inv * column.multiplier);
      out.v(r, column.v) += x.by_v[r] * (inv * column.multiplier);
    }
  });
}

/// 6 x nv each.
template <class S> void centroidal_derivatives(BasicData<S>& data, const MotionDerivatives<S>& momentum,
                                               const MotionDerivatives<S>& rate) {
  const CentreOfMass<S> com = centre_of_mass(data);
  const Uniform<S> inv = com.mass > 0 ? Uniform<S>(1) / com.mass : Uniform<S>(0);
  const Vec3<S> h = com.velocity * com.mass, f = (com.acceleration - widen<S>(data.gravity)) * com.mass;
  for (const MatrixView<S>& matrix : {momentum.q, momentum.v, rate.q, rate.v, rate.a}) clear(matrix);
  for_momentum_columns(data, [&](Index k, const MomentumColumn<S>& x) ZWANG_LAMBDA {
    const auto& column = data.tree().column[k];
    const Vec3<S> c = from_branch_to(data, column.body, com.position), moves = x.by_v.f * inv;
    const auto add = [&](const MatrixView<S>& out, Force<S> y, const Vec3<S>& whole) ZWANG_LAMBDA {
      y = with_reference_point(y, c);
      y.n -= cross(moves, whole);
      for (Index r = 0; r < 6; ++r) out(r, column.v) += y[r] * column.multiplier;
    };
    const Vec3<S> none = Vec3<S>::zero();
    add(momentum.q, x.by_q, h);
    add(momentum.v, x.by_v, none);
    add(rate.q, x.rate_by_q, f);
    add(rate.v, x.rate_by_v, none);
    add(rate.a, x.by_v, none);
  });
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
