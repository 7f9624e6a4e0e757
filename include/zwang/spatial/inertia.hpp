// SPDX-License-Identifier: BSD-3-Clause
// Inertia<S>: a rigid body in ten numbers about a reference point. [m 1, -[h]; [h], I].
#pragma once
#include "zwang/spatial/force.hpp"
#include "zwang/spatial/sym3.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class S> struct Inertia {
  S m;        ///< mass [kg]
  Vec3<S> h;  ///< first moment m c [kg m]
  Sym3<S> I;  ///< second moment about the reference point (not the centre of mass) [kg m^2]
  /// The 6 x 6 matrix that takes a motion to a momentum, linear rows first.
  auto eigen() const {
    typename EigenTypes<S>::Matrix6 J;
    const S o(0);
    J << m, o, o, o, h.z, -h.y, o, m, o, -h.z, o, h.x, o, o, m, h.y, -h.x, o,  //
        o, -h.z, h.y, I.xx, I.xy, I.xz, h.z, o, -h.x, I.xy, I.yy, I.yz, -h.y, h.x, o, I.xz, I.yz, I.zz;
    return J;
  }
  static ZWANG_INLINE Inertia zero() { return {S(0), Vec3<S>::zero(), Sym3<S>::zero()}; }
};

/// From mass, centre of mass and rotational inertia about the centre of mass.
template <class S> ZWANG_INLINE Inertia<S> from_centre(const S& m, const Vec3<S>& c, const Sym3<S>& I_c) {
  return {m, c * m, I_c + point_inertia(m, c)};
}
template <class A, class B> ZWANG_INLINE auto operator*(const Inertia<A>& I, const Motion<B>& x) {
  return Force<Product<A, B>>{x.v * I.m + cross(x.w, I.h), I.I * x.w + cross(I.h, x.v)};
}
template <class A, class B> ZWANG_INLINE auto operator+(const Inertia<A>& a, const Inertia<B>& b) {
  return Inertia<Product<A, B>>{a.m + b.m, a.h + b.h, a.I + b.I};
}
template <class S> ZWANG_INLINE void operator+=(Inertia<S>& a, const Inertia<S>& b) {
  a.m += b.m;
  a.h += b.h;
  a.I += b.I;
}
template <class S, class A> ZWANG_INLINE Inertia<S> widen(const Inertia<A>& a) {
  return {S(a.m), widen<S>(a.h), widen<S>(a.I)};
}

/// The same body seen from the parent's origin and axes.
template <class S, class T> ZWANG_INLINE Inertia<S> operator*(const Transform<S>& X, const Inertia<T>& J) {
  const Vec3<S> h = X.R * J.h, k = X.p * J.m + h;
  return {S(J.m), k, shifted(congruence(X.R, J.I), X.p, h, k)};
}

}  // namespace ZWANG_ISA
}  // namespace zwang
