// SPDX-License-Identifier: BSD-3-Clause
// User-defined joints: a struct templated on the scalar, behind one table of functions per scalar.
//
//   struct Rolling {                                        // what a user writes
//     static constexpr const char* name = "rolling";
//     static constexpr int nq = 2, nv = 2;                  // at most 7 and 6
//     template <class S> static void transform(const S* q, const Uniform<S>* parameters, Transform<S>& X);  // X_J(q)
//     template <class S> static void columns(const S* q, const Uniform<S>* parameters, Motion<S>* s);  // S, body axes
//     template <class S> static void rates(const S* q, const S* v, const Uniform<S>* p, Motion<S>* r);  // dS/dt
//   };
//   joint.type = "user"; joint.user = zwang::user_joint<Rolling>();
//
// q is additive (q + dq) unless the struct names another group of joints/groups.hpp: using group = zwang::Rotations;
#pragma once
#include <memory>
#include <type_traits>

#include "zwang/core/sincos.hpp"
#include "zwang/model/joints/groups.hpp"

namespace zwang {

/// Functions of one user-defined joint for one scalar. Pointers to numbers are untyped:
/// a pack's type differs per instruction set.
struct UserJointFunctions {
  int scalar = -1;  ///< scalar_key of the scalar
  void (*transform)(const void* q, const void* parameters, void* X) = nullptr;
  void (*columns)(const void* q, const void* parameters, void* s) = nullptr;
  void (*rates)(const void* q, const void* v, const void* parameters, void* r) = nullptr;
  void (*neutral)(void* q) = nullptr;
  void (*normalize)(void* q) = nullptr;
  void (*integrate)(const void* q, const void* d, void* out) = nullptr;
  void (*difference)(const void* q0, const void* q1, void* d) = nullptr;
  void (*integrate_jacobians)(const void* q, const void* d, void* Jq, void* Jd) = nullptr;
  void (*difference_jacobians)(const void* q0, const void* q1, void* J0, void* J1) = nullptr;
};

/// A joint type of the user, as the library calls it.
struct UserJoint {
  static constexpr int k_scalars = 11;
  const char* name = "";
  int nq = 0, nv = 0;
  bool additive = true;  ///< q + dq, so that limits and springs have a meaning per coordinate
  UserJointFunctions functions[k_scalars];

  /// The functions for a scalar, or nullptr where the joint was not made for it.
  ZWANG_INLINE const UserJointFunctions* find(int scalar) const {
    for (const UserJointFunctions& f : functions)
      if (scalar >= 0 && f.scalar == scalar) return &f;  // -1: a scalar that the library does not know
    return nullptr;
  }
};

namespace detail {
[[noreturn]] void throw_no_scalar(const UserJoint& joint);  // src/model/joint_types.cpp
}

inline namespace ZWANG_ISA {

/// A number that names the scalar across translation units: kind * 64 + lanes.
template <class S> inline constexpr int scalar_key = -1;
template <> inline constexpr int scalar_key<double> = 1;
template <> inline constexpr int scalar_key<float> = 64 + 1;
template <> inline constexpr int scalar_key<long double> = 128 + 1;
template <> inline constexpr int scalar_key<std::complex<double>> = 192 + 1;
template <> inline constexpr int scalar_key<Dual<double>> = 256 + 1;
template <> inline constexpr int scalar_key<Dual<Dual<double>>> = 448 + 1;
template <> inline constexpr int scalar_key<Dual<float>> = 512 + 1;
template <int N> inline constexpr int scalar_key<Pack<double, N>> = 320 + N;
template <int N> inline constexpr int scalar_key<Pack<float, N>> = 384 + N;

namespace impl {
template <class J, class = void> struct GroupOf : Additive<J::nv> {};
template <class J> struct GroupOf<J, std::void_t<typename J::group>> : J::group {};

template <class J, class S> UserJointFunctions functions_of() {
  using T = Uniform<S>;
  using G = GroupOf<J>;
  UserJointFunctions f;
  f.scalar = scalar_key<S>;
  f.transform = [](const void* q, const void* p, void* X) {
    J::template transform<S>(static_cast<const S*>(q), static_cast<const T*>(p), *static_cast<Transform<S>*>(X));
  };
  f.columns = [](const void* q, const void* p, void* s) {
    J::template columns<S>(static_cast<const S*>(q), static_cast<const T*>(p), static_cast<Motion<S>*>(s));
  };
  f.rates = [](const void* q, const void* v, const void* p, void* r) {
    J::template rates<S>(static_cast<const S*>(q), static_cast<const S*>(v), static_cast<const T*>(p),
                         static_cast<Motion<S>*>(r));
  };
  f.neutral = [](void* q) { G::template neutral<S>(static_cast<S*>(q)); };
  f.normalize = [](void* q) { G::template normalize<S>(static_cast<S*>(q)); };
  f.integrate = [](const void* q, const void* d, void* out) {
    G::template integrate<S>(static_cast<const S*>(q), static_cast<const S*>(d), static_cast<S*>(out));
  };
  f.difference = [](const void* a, const void* b, void* d) {
    G::template difference<S>(static_cast<const S*>(a), static_cast<const S*>(b), static_cast<S*>(d));
  };
  f.integrate_jacobians = [](const void* q, const void* d, void* Jq, void* Jd) {
    G::template integrate_jacobians<S>(static_cast<const S*>(q), static_cast<const S*>(d), static_cast<S*>(Jq),
                                       static_cast<S*>(Jd));
  };
  f.difference_jacobians = [](const void* a, const void* b, void* J0, void* J1) {
    G::template difference_jacobians<S>(static_cast<const S*>(a), static_cast<const S*>(b), static_cast<S*>(J0),
                                        static_cast<S*>(J1));
  };
  return f;
}
}  // namespace impl

namespace impl {
/// One lane of a scalar.
template <class S> struct LaneOf {
  using Scalar = Uniform<S>;
  static Scalar get(const S& x, int l) { return x[l]; }
  static void set(S& x, int l, const Scalar& one) { x.set(l, one); }
};
template <class P> struct LaneOf<Dual<P>> {
  using Scalar = Dual<Uniform<P>>;
  static Scalar get(const Dual<P>& x, int l) { return {x.v[l], x.d[l]}; }
  static void set(Dual<P>& x, int l, const Scalar& one) {
    x.v.set(l, one.v);
    x.d.set(l, one.d);
  }
};
template <class S> struct UserInput {
  const S* x;
  int size;
  typename LaneOf<S>::Scalar lane[7] = {};
  const void* all() const { return x; }
  const void* one(int l) {
    for (int i = 0; i < size; ++i) lane[i] = LaneOf<S>::get(x[i], l);
    return lane;
  }
  void keep(int) const {}
};
template <class S> struct UserOutput {
  S* x;
  int size;
  typename LaneOf<S>::Scalar lane[36] = {};
  void* all() const { return x; }
  void* one(int l) {
    for (int i = 0; i < size; ++i) lane[i] = LaneOf<S>::get(x[i], l);
    return lane;
  }
  void keep(int l) const {
    for (int i = 0; i < size; ++i) LaneOf<S>::set(x[i], l, lane[i]);
  }
};
struct UserParameters {
  const void* x;
  const void* all() const { return x; }
  const void* one(int) const { return x; }
  void keep(int) const {}
};
}  // namespace impl

/// The functions of a user's joint for the scalar S. A pack for which the user's file was not compiled (because the
/// machine has a wider instruction set) is computed lane by lane with the functions for one state.
template <class S> class UserCalls {
 public:
  using T = Uniform<S>;
  explicit UserCalls(const UserJoint& joint) : j_(joint) {}

  void transform(const S* q, const T* p, Transform<S>* X) const {
    call(&F::transform, in(q, j_.nq), parameters(p), out(reinterpret_cast<S*>(X), 12));
  }
  void columns(const S* q, const T* p, Motion<S>* s) const {
    call(&F::columns, in(q, j_.nq), parameters(p), out(reinterpret_cast<S*>(s), 6 * j_.nv));
  }
  void rates(const S* q, const S* v, const T* p, Motion<S>* r) const {
    call(&F::rates, in(q, j_.nq), in(v, j_.nv), parameters(p), out(reinterpret_cast<S*>(r), 6 * j_.nv));
  }
  void neutral(S* q) const { call(&F::neutral, out(q, j_.nq)); }
  void normalize(S* q) const { call(&F::normalize, out(q, j_.nq)); }
  void integrate(const S* q, const S* d, S* x) const { call(&F::integrate, in(q, j_.nq), in(d, j_.nv), out(x, j_.nq)); }
  void difference(const S* q0, const S* q1, S* d) const {
    call(&F::difference, in(q0, j_.nq), in(q1, j_.nq), out(d, j_.nv));
  }
  void integrate_jacobians(const S* q, const S* d, S* Jq, S* Jd) const {
    call(&F::integrate_jacobians, in(q, j_.nq), in(d, j_.nv), out(Jq, j_.nv * j_.nv), out(Jd, j_.nv * j_.nv));
  }
  void difference_jacobians(const S* q0, const S* q1, S* J0, S* J1) const {
    call(&F::difference_jacobians, in(q0, j_.nq), in(q1, j_.nq), out(J0, j_.nv * j_.nv), out(J1, j_.nv * j_.nv));
  }

 private:
  using F = UserJointFunctions;
  static impl::UserInput<S> in(const S* x, int size) { return {x, size}; }
  static impl::UserOutput<S> out(S* x, int size) { return {x, size}; }
  static impl::UserParameters parameters(const T* p) { return {p}; }

  template <class Member, class... A> void call(Member member, A... a) const {
    if constexpr (scalar_key<S> >= 0)
      if (const F* f = j_.find(scalar_key<S>)) return (f->*member)(a.all()...);
    if constexpr (lanes_of < S >> 1) {
      if (const F* f = j_.find(scalar_key<typename impl::LaneOf<S>::Scalar>)) {
        for (int l = 0; l < lanes_of<S>; ++l) {
          (f->*member)(a.one(l)...);
          (a.keep(l), ...);
        }
        return;
      }
    }
    detail::throw_no_scalar(j_);
  }
  const UserJoint& j_;
};

/// The table of a user's joint, for every scalar of the library and every width of pack.
template <class J> std::shared_ptr<const UserJoint> user_joint() {
  static_assert(J::nv >= 1 && J::nv <= 6 && J::nq >= J::nv && J::nq <= 7, "a joint has 1 to 6 degrees of freedom");
  auto u = std::make_shared<UserJoint>();
  u->name = J::name;
  u->nq = J::nq;
  u->nv = J::nv;
  u->additive = std::is_base_of_v<Additive<J::nv>, impl::GroupOf<J>>;
  UserJointFunctions* f = u->functions;
  *f++ = impl::functions_of<J, double>();
  *f++ = impl::functions_of<J, float>();
  *f++ = impl::functions_of<J, long double>();
  *f++ = impl::functions_of<J, std::complex<double>>();
  *f++ = impl::functions_of<J, Dual<double>>();
  *f++ = impl::functions_of<J, Dual<Dual<double>>>();  // second derivatives
  *f++ = impl::functions_of<J, Dual<float>>();         // derivatives of states in lanes
  *f++ = impl::functions_of<J, Pack<double, 2>>();
  *f++ = impl::functions_of<J, Pack<float, 4>>();
  if constexpr (register_bytes > 16) {
    *f++ = impl::functions_of<J, NativePack<double>>();
    *f++ = impl::functions_of<J, NativePack<float>>();
  }
  return u;
}

}  // namespace ZWANG_ISA
}  // namespace zwang
