// SPDX-License-Identifier: BSD-3-Clause
// for_each_joint: the joints of a tree that own coordinates of the model, with the functions of their groups.
//
// A mimicking joint owns none: a mimic group shares one additive coordinate of the model, and the first of its joints
// in depth-first order stands for all of them.
#pragma once
#include <type_traits>

#include "zwang/model/joint_types.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// Where a joint's coordinates are in the model's q and v.
struct JointCoordinates {
  Index body;
  Index q, nq;
  Index v, nv;
  const UserJoint* user;
};

/// A joint of type J and its group, whether it is one of the library or a user's.
template <class J> struct JointGroup : JointCoordinates {
  /// q + d, so that every coordinate has a meaning of its own.
  bool additive() const {
    if constexpr (std::is_same_v<J, User>)
      return user->additive;
    else
      return std::is_base_of_v<Additive<J::nv>, J>;
  }
  template <class S> ZWANG_INLINE void neutral(S* x) const {
    if constexpr (std::is_same_v<J, User>)
      User::table<S>(user).neutral(x);
    else
      J::neutral(x);
  }
  template <class S> ZWANG_INLINE void normalize(S* x) const {
    if constexpr (std::is_same_v<J, User>)
      User::table<S>(user).normalize(x);
    else
      J::normalize(x);
  }
  template <class S> ZWANG_INLINE void integrate(const S* x, const S* d, S* out) const {
    if constexpr (std::is_same_v<J, User>)
      User::table<S>(user).integrate(x, d, out);
    else
      J::integrate(x, d, out);
  }
  template <class S> ZWANG_INLINE void difference(const S* x0, const S* x1, S* d) const {
    if constexpr (std::is_same_v<J, User>)
      User::table<S>(user).difference(x0, x1, d);
    else
      J::difference(x0, x1, d);
  }
  template <class S> ZWANG_INLINE void integrate_jacobians(const S* x, const S* d, S* Jq, S* Jd) const {
    if constexpr (std::is_same_v<J, User>)
      User::table<S>(user).integrate_jacobians(x, d, Jq, Jd);
    else
      J::integrate_jacobians(x, d, Jq, Jd);
  }
  template <class S> ZWANG_INLINE void difference_jacobians(const S* x0, const S* x1, S* J0, S* J1) const {
    if constexpr (std::is_same_v<J, User>)
      User::table<S>(user).difference_jacobians(x0, x1, J0, J1);
    else
      J::difference_jacobians(x0, x1, J0, J1);
  }
  /// Within limits; a user's joint that is not additive goes from neutral by an increment from [-pi, pi]^nv.
  void random(Random& numbers, const double* lower, const double* upper, double* x) const {
    if constexpr (std::is_same_v<J, User>) {
      double d[J::nv];
      neutral(x);
      for (Index i = 0; i < nv; ++i)
        d[i] = additive() ? impl::random_within(numbers, lower[i], upper[i], impl::k_pi)
                          : numbers.uniform(-impl::k_pi, impl::k_pi);
      integrate(x, d, x);
    } else {
      J::random(numbers, lower, upper, x);
    }
  }
};

/// Calls f(JointGroup<J>) for every joint that owns coordinates, in the order of the coordinates.
template <class T, class F> ZWANG_INLINE void for_each_joint(const Tree<T>& tree, F&& f) {
  Index next = 0;  // the first coordinate of the model that no joint stands for yet
  for (Index i = 1; i <= tree.n; ++i) {
    const Body<T>& b = tree.body[i];
    if (b.nv == 0 || (tree.mimic && tree.q_source[b.q] != next)) continue;
    const JointCoordinates at{i, next, b.nq, tree.column[b.v].v, b.nv, b.user};
    next += b.nq;
    visit(b.kind, [&](auto joint) ZWANG_LAMBDA {
      if constexpr (joint.nv > 0) f(JointGroup<decltype(joint)>{at});
    });
  }
}

}  // namespace ZWANG_ISA
}  // namespace zwang
