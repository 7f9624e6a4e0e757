// SPDX-License-Identifier: BSD-3-Clause
// Rows on coordinates, acting on the bodies that their joints connect.
//
//   v_k = K_k . (V_child - V_parent)       K_k . S_j = delta_kj over the joint's columns S
#pragma once
#include "zwang/constraint/page/row_values.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// A coordinate of the model: a column of the spanning tree that it drives, v_column = multiplier v_k.
struct CoordinateColumn {
  Index v = -1, q = -1;  ///< in the model's v and q; q = -1 if no number of q has v as its rate
  Index column = -1, child = 0, parent = 0;
  double multiplier = 1;
  Index child_place = -1, parent_place = -1;  ///< index in a relation's bodies; -1: the ground
};

namespace impl {
template <class S> ZWANG_INLINE S dot6(const Motion<S>& a, const Motion<S>& b) { return dot(a.v, b.v) + dot(a.w, b.w); }

/// Subtracts from x its projections on an orthonormal basis, twice: after one pass rounding of their size remains.
template <class S> ZWANG_INLINE void project_off(Motion<S>& x, const Motion<S>* basis, Index size) {
  for (int again = 0; again < 2; ++again)
    for (Index i = 0; i < size; ++i) x -= basis[i] * dot6(basis[i], x);
}
}  // namespace impl

/// K_k of a column: the part of S_k that is normal to the joint's other columns, divided by its own
/// square (about the body's origin, so that distance costs no digits). In world axes about the branch's
/// centre; zero if S_k depends on the others.
template <class S> Force<S> dual_of_column(const BasicData<S>& data, Index column) {
  const auto& tree = data.tree();
  const auto& b = tree.body[tree.column[column].body];
  const Vec3<S> origin = data.position.placement[tree.column[column].body].p;
  const S zero(Uniform<S>(0)), one(Uniform<S>(1)), tiny(Uniform<S>(k_no_direction<S>));
  const auto own = [&](Index k)
                       ZWANG_LAMBDA { return with_reference_point(Motion<S>(data.articulated.column[k].s), origin); };
  Motion<S> basis[6], x = own(column);
  Index size = 0;
  for (Index k = b.v; k < b.v + b.nv; ++k) {
    if (k == column) continue;
    Motion<S> y = own(k);
    const S before = impl::dot6(y, y);
    impl::project_off(y, basis, size);
    const S after = impl::dot6(y, y);
    const auto there = less(tiny * before, after);
    basis[size++] = y * select(there, one / sqrt(select(there, after, one)), zero);
  }
  const S before = impl::dot6(x, x);
  impl::project_off(x, basis, size);
  const S after = impl::dot6(x, x);
  const auto there = less(tiny * before, after);
  const S inv = select(there, one / select(there, after, one), without_direction<S>());
  return with_reference_point(Force<S>{x.v * inv, x.w * inv}, -origin);
}

/// Adds `slope` times the coordinate's row to K of child and parent (nullptr: the ground); returns the contribution of
/// the bodies' bias accelerations.
template <class S> S add_coordinate(const BasicData<S>& data, const CoordinateColumn& c, const S& slope,
                                    Force<S>* child, Force<S>* parent) {
  const Force<S> k = dual_of_column(data, c.column) * (slope * Uniform<S>(1 / c.multiplier));
  *child += k;
  if (parent != nullptr) *parent -= k;
  return dot(Motion<S>(data.velocity.bias[c.child]) - Motion<S>(data.velocity.bias[c.parent]), k);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
