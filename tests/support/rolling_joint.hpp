// SPDX-License-Identifier: BSD-3-Clause
// A user-defined joint: a wheel that rolls along x and steers about z. Parameter 0 is its radius.
#pragma once
#include "zwang/model/user_joint.hpp"

namespace zwang::test {

struct Rolling {
  static constexpr const char* name = "rolling";
  static constexpr int nq = 2, nv = 2;
  template <class S> static void transform(const S* q, const Uniform<S>* parameters, Transform<S>& X) {
    const SinCos<S> t = sincos(q[1]);
    X.R = turn_z(Mat3<S>::identity(), t.cos, t.sin);
    X.p = {q[0] * parameters[0], S(0), S(0)};
  }
  template <class S> static void columns(const S* q, const Uniform<S>* parameters, Motion<S>* s) {
    const SinCos<S> t = sincos(q[1]);
    s[0] = {{t.cos * parameters[0], -t.sin * parameters[0], S(0)}, Vec3<S>::zero()};
    s[1] = {Vec3<S>::zero(), {S(0), S(0), S(1)}};
  }
  template <class S> static void rates(const S* q, const S* v, const Uniform<S>* parameters, Motion<S>* r) {
    const SinCos<S> t = sincos(q[1]);
    const S k = v[1] * parameters[0];
    r[0] = {{-t.sin * k, -t.cos * k, S(0)}, Vec3<S>::zero()};
    r[1] = Motion<S>::zero();
  }
};

}  // namespace zwang::test
