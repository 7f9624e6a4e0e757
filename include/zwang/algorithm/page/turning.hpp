// SPDX-License-Identifier: BSD-3-Clause
// External wrenches on bodies that move: a wrench F about the common origin varies by dF = xi
// x* F - W xi where its body varies by xi.
//
//   in local axes:         W = 0: F turns with the body
//   local_world_aligned:   (f, n) at p:  W = [0, -[f]; 0, -[p][f] - [n]]
//   world:                 F = (f, n):   W xi = xi x* F, so that dF = 0
// Of several wrenches W is the sum: 15 numbers, f of all, f of those given in world axes, and the lower right block.
// World axes about the branch's centre. Reads the position stage. Writes derivative.outside. Allocates nothing.
#pragma once
#include "zwang/algorithm/page/applied.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

template <class S> struct Turning {
  Vec3<S> f, f_world;
  Mat3<S> lower;

  ZWANG_INLINE Force<S> operator*(const Motion<S>& x) const {
    return {cross(x.w, f), cross(x.v, f_world) + lower * x.w};
  }
  /// W^T s.
  ZWANG_INLINE Force<S> transposed_times(const Motion<S>& s) const {
    return {cross(f_world, s.w), cross(f, s.v) + transpose_times(lower, s.w)};
  }
};
inline constexpr Index k_turning_numbers = 15;

/// Number r is at(r).
template <class A, class At> ZWANG_INLINE Turning<A> turning_from(At&& at) {
  return {{at(0), at(1), at(2)},
          {at(3), at(4), at(5)},
          {{at(6), at(7), at(8)}, {at(9), at(10), at(11)}, {at(12), at(13), at(14)}}};
}
/// Of the subtree of a body, after turning_of_subtrees().
template <class S> ZWANG_INLINE Turning<S> turning_of(const BasicData<S>& data, Index body) {
  const S* const x = data.derivative.outside.data() + body - 1;
  const Index stride = data.mass.stride;
  return turning_from<S>([=](Index r) ZWANG_LAMBDA { return x[r * stride]; });
}

template <class S> void clear_turning(BasicData<S>& data) {
  std::fill_n(data.derivative.outside.data(), k_turning_numbers * data.mass.stride, S(Uniform<S>(0)));
}

/// W of a wrench whose axes are the world's, at a point p that moves with the body.
template <class S> Turning<S> turning_at(const Vec3<S>& p, const Force<S>& wrench) {
  const Vec3<S> f = wrench.f;
  Mat3<S> lower = skew(-wrench.n);
  subtract_outer(lower, f, p);  // [p][f] = f p^T - (p.f) 1
  const S pf = dot(p, f);
  lower.r0.x += pf;
  lower.r1.y += pf;
  lower.r2.z += pf;
  return {f, Vec3<S>::zero(), lower};
}
/// W of a wrench about the centre that stays where it is.
template <class S> Turning<S> turning_at_rest(const Force<S>& about_centre) {
  return {about_centre.f, about_centre.f, skew(-about_centre.n)};
}

template <class S> void add_turning(BasicData<S>& data, Index body, const Turning<S>& W) {
  S* const x = data.derivative.outside.data() + body - 1;
  const Index stride = data.mass.stride;
  for (Index r = 0; r < 3; ++r) {
    x[r * stride] += W.f[r];
    x[(3 + r) * stride] += W.f_world[r];
    for (Index c = 0; c < 3; ++c) x[(6 + 3 * r + c) * stride] += W.lower(r, c);
  }
}
/// Adds W of a wrench on a frame of a body, given as add_wrench() takes it.
template <class S> void add_turning(BasicData<S>& data, Index body, const Transform<Uniform<S>>& in_body, Reference in,
                                    const Force<S>& wrench) {
  if (in == Reference::local || body == 0) return;
  add_turning(data, body,
              in == Reference::world
                  ? turning_at_rest<S>(with_reference_point(wrench, data.position.centre[data.tree().body[body].root]))
                  : turning_at<S>(data.position.placement[body] * in_body.p, wrench));
}

template <class S> void turning_of_subtrees(BasicData<S>& data) {
  const auto& tree = data.tree();
  const Index stride = data.mass.stride;
  S* const x = data.derivative.outside.data();
  for (Index i = tree.n; i > 0; --i)
    if (const Index parent = tree.body[i].parent; parent > 0)
      for (Index r = 0; r < k_turning_numbers; ++r) x[r * stride + parent - 1] += x[r * stride + i - 1];
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
