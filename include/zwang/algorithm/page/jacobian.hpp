// SPDX-License-Identifier: BSD-3-Clause
// Jacobian of a frame and its time derivative: Featherstone 2008, sec. 4.5. Column k: S_k moved to the reference; its
// derivative: v_k x S_k + dS_k/dt, moved likewise, plus the term of the moving reference.
// Reads position and velocity stages and the columns (page::kinematics with v, or page::columns). Writes J: 6 x nv,
// linear rows first. Cost O(d). Allocates nothing.
#pragma once
#include <algorithm>

#include "zwang/algorithm/page/kinematics.hpp"
#include "zwang/algorithm/reference.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

namespace page {

/// A 6 x n matrix in memory of the caller: entry (row, column) at data[row * row_stride + column * column_stride].
template <class S> struct MatrixView {
  S* data;
  Index rows, columns, row_stride, column_stride;
  ZWANG_INLINE S& operator()(Index r, Index c) const { return data[r * row_stride + c * column_stride]; }
};

/// The frame's point of view: how a motion in world axes about the branch's centre looks from the reference.
template <class S> struct PointOfView {
  Mat3<S> axes;   ///< columns: the reference's axes in the world
  Vec3<S> point;  ///< its origin about the branch's centre
  bool turned;    ///< axes are not the world's
  ZWANG_INLINE Motion<S> see(const Motion<S>& m) const {
    const Vec3<S> v = m.v + cross(m.w, point);
    return turned ? Motion<S>{transpose_times(axes, v), transpose_times(axes, m.w)} : Motion<S>{v, m.w};
  }
};

template <class S, class T>
PointOfView<S> point_of_view(const BasicData<S>& data, Index body, const Transform<T>& in_body, Reference reference) {
  if (reference == Reference::world)
    return {Mat3<S>::identity(), -data.position.centre[data.tree().body[body].root], false};
  const Transform<S> X = frame_about_centre(data, body, in_body);
  return {X.R, X.p, reference == Reference::local};
}

template <class S> ZWANG_INLINE void clear(const MatrixView<S>& J) {
  if (J.row_stride == 1 && J.column_stride == J.rows) {
    std::fill_n(J.data, J.rows * J.columns, S(0));
    return;
  }
  for (Index c = 0; c < J.columns; ++c)
    for (Index r = 0; r < J.rows; ++r) J(r, c) = S(0);
}
template <class S, class T>
ZWANG_INLINE void add_column(const MatrixView<S>& J, Index c, const Motion<S>& m, const T& multiplier) {
  for (Index r = 0; r < 6; ++r) J(r, c) += m[r] * multiplier;
}

/// Calls f(column) for every column that moves the body, from the body to the root.
template <class T, class F> ZWANG_INLINE void for_each_column_towards_root(const Tree<T>& tree, Index body, F&& f) {
  for (Index i = body; i > 0; i = tree.body[i].parent)
    for (Index k = tree.body[i].v + tree.body[i].nv - 1; k >= tree.body[i].v; --k) f(k, i);
}

/// Positions and columns only of the bodies from the ground to this one: no stage of Data is complete afterwards.
template <class S> void enter_path(BasicData<S>& data, const S* q, Index body) {
  const auto& tree = data.tree();
  const SweepInput<S> in = prepare(data, q);
  enter_ground(data);
  for (Index i = 1; i <= body; i = tree.body[i].last > body ? i + 1 : tree.body[i].last) {
    if (tree.body[i].last <= body) continue;  // a branch beside the path
    enter_position(tree.body[i], i, in, data);
    enter_columns(tree.body[i], i, in, data);
  }
  data.stages = 0;
}

template <class S, class T> void jacobian(const BasicData<S>& data, Index body, const Transform<T>& in_body,
                                          Reference reference, const MatrixView<S>& J) {
  const auto& tree = data.tree();
  clear(J);
  if (body == 0) return;
  const PointOfView<S> view = point_of_view(data, body, in_body, reference);
  for_each_column_towards_root(tree, body, [&](Index k, Index) ZWANG_LAMBDA {
    add_column(J, tree.column[k].v, view.see(data.articulated.column[k].s), tree.column[k].multiplier);
  });
}

/// dS/dt of a body's columns in world axes: v x S + X (dS/dt in body axes).
template <class S> ZWANG_INLINE void column_rates(const BasicData<S>& data, Index i, const SweepInput<S>& in,
                                                  const S* v, Motion<S>* rate) {
  const auto& b = data.tree().body[i];
  visit(b.kind, [&](auto joint) ZWANG_LAMBDA {
    using J = decltype(joint);
    if constexpr (!J::constant_columns) {
      J::rates(in.of(b), v + b.v, rate);
      for (Index k = 0; k < b.nv; ++k) rate[k] = data.position.placement[i] * rate[k];
    } else {
      for (Index k = 0; k < b.nv; ++k) rate[k] = Motion<S>::zero();
    }
  });
  for (Index k = 0; k < b.nv; ++k) rate[k] += cross(data.velocity.twist[i], data.articulated.column[b.v + k].s);
}

/// dJ/dt of the published matrix. With J dJ/dt: J a + (dJ/dt) v is the spatial acceleration for `local` and `world`,
/// the classical one for `local_world_aligned`. `in`, `v` are those of the last kinematics call, of the spanning tree.
template <class S, class T> void jacobian_dot(const BasicData<S>& data, const SweepInput<S>& in, const S* v, Index body,
                                              const Transform<T>& in_body, Reference reference,
                                              const MatrixView<S>& J) {
  const auto& tree = data.tree();
  clear(J);
  if (body == 0) return;
  const PointOfView<S> view = point_of_view(data, body, in_body, reference);
  const Motion<S>& twist = data.velocity.twist[body];
  const Vec3<S> velocity = twist.v + cross(twist.w, view.point);  // of the frame's origin
  Motion<S> rate[max_joint_columns];
  Index of = 0;
  for_each_column_towards_root(tree, body, [&](Index k, Index i) ZWANG_LAMBDA {
    if (of != i) column_rates(data, of = i, in, v, rate);
    const Motion<S>& s = data.articulated.column[k].s;
    Motion<S> r = rate[k - tree.body[i].v];
    if (reference == Reference::local) r -= cross(twist, s);                       // the frame's axes and origin move
    if (reference == Reference::local_world_aligned) r.v += cross(s.w, velocity);  // its origin moves
    add_column(J, tree.column[k].v, view.see(r), tree.column[k].multiplier);
  });
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
