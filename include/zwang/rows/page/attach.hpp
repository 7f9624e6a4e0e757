// SPDX-License-Identifier: BSD-3-Clause
// From the rows of constraints to the numbers of a state.
//
// Row of a point p of a body, along k_lin, k_ang in world axes:
//   K = [k_lin; k_ang + p x k_lin],   l = k_lin.(a_0 + [w x (v + w x p)]) + k_ang.al_0 - beta
// (a_0, al_0): the point's acceleration at zero joint acceleration, with gravity; the bracket only for the classical
// acceleration. A sweep attaches rows when it enters their bodies, attach_rows() does so without a sweep.
#pragma once
#include "zwang/algorithm/page/forward_dynamics.hpp"
#include "zwang/constraint/rows_on_body.hpp"
#include "zwang/rows/page/row_numbers.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Rows to attach: those of one constraint with their beta.
template <class S> struct ActiveRows {
  const RowsOnBody* rows;  ///< nullptr for rows of a relation: `columns` holds K itself, and -l for beta
  const S* beta;
  AccelerationKind kind;
  const S* compliance = nullptr;  ///< R per row of a soft constraint
  const S* activity = nullptr;    ///< 1, or 0 in the lanes where the constraint is switched off
  /// The six numbers of all rows and beta again: column by column, each with `lanes` zeros before and behind it.
  const S* columns = nullptr;
  // Of a relation:
  Index body = 0, count = 0;
  Index rejoins = 0;     ///< if an earlier body has attached the rows: 1 + index of the first in the sweep
  Index further = 0;     ///< number of further bodies of the rows
  std::size_t next = 0;  ///< the entry of the same rows at their next body
};

/// Rows on a body at its current position and velocity, in world axes about the branch's centre. THE step from
/// RowsOnBody to numbers, for one state and for lanes.
///   K = [f; n + p x f],   l = f.a0 + n.al_0 - beta       f, n: a row of the matrix, its axes turned
template <class S> struct SeenRows {
  Vec3<S> p;        ///< the point
  S reach2;         ///< |p|^2 before the two parts of p cancel
  Vec3<S> a0, al0;  ///< its acceleration, and the angular one, at zero joint acceleration; with gravity
  bool turned;      ///< the axes are not the world's
  Mat3<S> A;        ///< columns of the axes, if turned

  ZWANG_INLINE SeenRows(const BasicData<S>& data, const RowsOnBody& r, AccelerationKind kind)
      : al0(data.velocity.bias[r.body].w),
        turned(r.axes == RowsOnBody::Axes::body) {
    using T = Uniform<S>;
    const Motion<S>&bias = data.velocity.bias[r.body], &twist = data.velocity.twist[r.body];
    p = r.about_world_origin ? -data.position.centre[data.tree().body[r.body].root]
                             : data.position.placement[r.body] * widen<T>(r.point);
    const Vec3<S>& origin = data.position.placement[r.body].p;
    reach2 = r.about_world_origin ? dot(p, p) : dot(origin, origin) + S(T(dot(r.point, r.point)));
    a0 = bias.v + cross(bias.w, p) + data.gravity;
    if (kind == AccelerationKind::classical) a0 += cross(twist.w, twist.v + cross(twist.w, p));
    const Mat3<double>& B = r.axes_in_body;
    if (turned) A = data.position.placement[r.axes_body].R * Mat3<T>{widen<T>(B.r0), widen<T>(B.r1), widen<T>(B.r2)};
  }
  /// The wrench of a row, and its acceleration at zero joint acceleration. Several rows side by side are a pack.
  template <class R> ZWANG_INLINE Force<R> wrench(const Vec3<R>& f, const Vec3<R>& n) const {
    return {f, n + cross(p, f)};
  }
  template <class F> ZWANG_INLINE auto bias(const F& f, const F& n) const { return dot(f, a0) + dot(n, al0); }
};

/// Attaches active rows, sorted by body, when the sweep enters their bodies.
template <class S> struct AttachRows {
  using T = Uniform<S>;
  using Rows = typename RowLanes<S>::type;
  static constexpr Index lanes = RowLanes<S>::count;
  const BasicData<S>& data;
  const ActiveRows<S>* first;
  const ActiveRows<S>* last;

  template <class Riders> ZWANG_INLINE void operator()(Index body, Level<S>& x, Riders& riders) {
    if (first == last || body_of(*first) != body) return;
    for (; first != last && body_of(*first) == body && first->rejoins > 0; ++first) rejoin(*first, body, riders);
    Index travel = 0;
    for (const ActiveRows<S>* c = first; c != last && body_of(*c) == body; ++c)
      if (c->rows == nullptr ? !riders.eliminates_early() : !riders.is_local(c->compliance != nullptr))
        travel += row_count(*c);
    riders.expect(body, travel);
    for (; first != last && body_of(*first) == body; ++first)
      if (first->rows != nullptr)
        attach(*first, body, x, riders);
      else
        attach_relation(*first, body, x, riders);
  }
  static ZWANG_INLINE Index body_of(const ActiveRows<S>& c) { return c.rows != nullptr ? c.rows->body : c.body; }
  static ZWANG_INLINE Index row_count(const ActiveRows<S>& c) {
    return c.rows != nullptr ? static_cast<Index>(c.rows->matrix.size()) / 6 : c.count;
  }
  /// Rows of a relation on the first of its bodies. Rows on further bodies are
  /// attached before the rows that begin at a body.
  template <class Riders>
  [[gnu::noinline]] void attach_relation(const ActiveRows<S>& c, Index body, Level<S>& x, Riders& riders) const {
    if (riders.eliminates_early()) riders.expect(body, c.count);  // relations have a block of their own
    for (Index i = 0, n; i < c.count; i += n) {
      const Index at = riders.lane_for(body, false);
      n = c.count - i < lanes - at ? c.count - i : lanes - at;
      Rows k[7];
      side_by_side(c, i, n, at, k);
      const Force<Rows> K{{k[0], k[1], k[2]}, {k[3], k[4], k[5]}};
      riders.add(body, x, at, n, K, gross_moment2(body, K), -k[6], true,
                 c.compliance != nullptr ? c.compliance + i : nullptr);
      riders.await(c.further);
    }
  }
  template <class Riders> [[gnu::noinline]] void rejoin(const ActiveRows<S>& c, Index body, Riders& riders) const {
    for (Index i = 0, n; i < c.count; i += n) {
      const Index at = riders.lane_of(c.rejoins - 1 + i);
      n = c.count - i < lanes - at ? c.count - i : lanes - at;
      Rows k[7];
      side_by_side(c, i, n, at, k);
      const Force<Rows> K{{k[0], k[1], k[2]}, {k[3], k[4], k[5]}};
      riders.add_further(body, c.rejoins - 1 + i, at, n, K, gross_moment2(body, K));
    }
  }
  /// |K.n|^2 of rows on a body, before the moment of K.f about the centre and their own moment cancel.
  ZWANG_INLINE Rows gross_moment2(Index body, const Force<Rows>& K) const {
    const Vec3<S>& p = data.position.placement[body].p;
    return dot(K.n, K.n) + dot(K.f, K.f) * dot(p, p);
  }
  template <class Riders>
  ZWANG_INLINE void attach(const ActiveRows<S>& c, Index body, Level<S>& x, Riders& riders) const {
    const SeenRows<S> seen(data, *c.rows, c.kind);
    for (Index i = 0, n, count = row_count(c); i < count; i += n) {
      const bool soft = c.compliance != nullptr, local = riders.is_local(soft);
      const Index at = riders.lane_for(body, local);
      n = count - i < lanes - at ? count - i : lanes - at;
      Rows k[7];
      side_by_side(c, i, n, at, k);
      Vec3<Rows> lin{k[0], k[1], k[2]}, ang{k[3], k[4], k[5]};
      if (seen.turned) {
        lin = seen.A * lin;
        ang = seen.A * ang;
      }
      const Rows moment2 = dot(ang, ang) + dot(lin, lin) * seen.reach2;
      const Force<Rows> K = seen.wrench(lin, ang);
      const Rows l = seen.bias(lin, ang) - k[6];
      if (local)
        riders.add_soft(body, x, at, n, K, l, c.compliance + i);
      else
        riders.add(body, x, at, n, K, moment2, l, false, soft ? c.compliance + i : nullptr);
      if (!local) riders.await_root();
    }
  }
  /// n rows from row i on, and their beta, in the lanes from `at` on; zeros in the other lanes.
  ZWANG_INLINE void side_by_side(const ActiveRows<S>& c, Index i, Index n, Index at, Rows* k) const {
    if constexpr (lanes > 1)
      if (c.columns != nullptr) {
        const S* column = c.columns + lanes + i - at;
        for (Index d = 0; d < 7; ++d, column += row_count(c) + 2 * lanes) k[d] = Rows::load(column);
        return;
      }
    if constexpr (lanes > 1)
      for (Index d = 0; d < 7; ++d) k[d] = Rows(T(0));
    if constexpr (lanes == 1)
      if (c.rows == nullptr) {
        for (Index d = 0; d < 7; ++d) k[d] = c.columns[d * (c.count + 2) + 1 + i];
        return;
      }
    const double* number = c.rows->matrix.data() + 6 * i;
    for (Index r = at; r < at + n; ++r, number += 6) {
      for (Index d = 0; d < 6; ++d) set_lane(k + d, r, S(T(number[d])));
      set_lane(k + 6, r, c.beta[i + r - at]);
    }
    if (c.activity != nullptr)
      for (Index d = 0; d < 7; ++d) k[d] = k[d] * *c.activity;
  }
};

/// A rider that keeps the rows and eliminates none: AttachRows without a sweep.
template <class S> class CollectRows {
 public:
  using Rows = typename RowLanes<S>::type;
  static constexpr Index lanes = RowLanes<S>::count;

  explicit CollectRows(RowNumbers<S>& rows) : rows_(rows) { rows.clear(); }
  ZWANG_INLINE bool eliminates_early() const { return false; }
  ZWANG_INLINE bool is_local(bool soft) const { return soft; }
  ZWANG_INLINE void expect(Index, Index) const {}
  ZWANG_INLINE void await(Index) const {}
  ZWANG_INLINE void await_root() const {}
  ZWANG_INLINE Index lane_of(Index row) const { return rows_.place[row] % lanes; }
  ZWANG_INLINE Index lane_for(Index body, bool soft) {
    Group& g = soft ? soft_ : hard_;
    if (g.body != body || g.used == lanes) g = {rows_.new_group(body), body, 0};
    return g.used;
  }
  ZWANG_INLINE void add(Index body, Level<S>&, Index at, Index count, const Force<Rows>& K, const Rows&, const Rows& l,
                        bool = false, const S* R = nullptr) {
    take(hard_, false, body, at, count, K, l, R);
  }
  ZWANG_INLINE void add_soft(Index body, Level<S>&, Index at, Index count, const Force<Rows>& K, const Rows& l,
                             const S* R) {
    take(soft_, true, body, at, count, K, l, R);
  }
  ZWANG_INLINE void add_further(Index body, Index row, Index at, Index count, const Force<Rows>& K, const Rows&) {
    rows_.place_further(rows_.new_group(body), row, at, count, K);
  }

 private:
  struct Group {
    Index number = -1, body = -1, used = lanes;  ///< used: lanes
  };
  ZWANG_INLINE void take(Group& g, bool local, Index body, Index at, Index count, const Force<Rows>& K, const Rows& l,
                         const S* R) {
    rows_.place_rows(g.number, at == 0, at, count, K, l);
    for (Index i = 0; i < count; ++i) rows_.number(body, R != nullptr ? R[i] : S(0), local);
    g.used = at + count;
  }

  RowNumbers<S>& rows_;
  Group hard_, soft_;  ///< the groups that are being filled
};

/// Attaches active rows, sorted by body, at the positions and velocities of `data`, without a sweep.
template <class S>
void attach_rows(const BasicData<S>& data, const ActiveRows<S>* first, const ActiveRows<S>* last, RowNumbers<S>& rows) {
  AttachRows<S> attach{data, first, last};
  CollectRows<S> collect(rows);
  Level<S> none{};
  while (attach.first != last) attach(AttachRows<S>::body_of(*attach.first), none, collect);
}

/// Residual K a - beta of row i after the sweep, and the sum of the magnitudes of its terms, before gravity and
/// velocity products have cancelled: the only scale of a row that holds a link at rest.
template <class S> struct RowResidual { S value, scale; };
template <class S> RowResidual<S> row_residual(const BasicData<S>& data, const RowNumbers<S>& rows, Index i) {
  S value = attached_residual(rows, i), scale = abs(value);
  for_each_part(rows, i, [&](Index body, const Force<S>& K) {
    const Motion<S>&a = data.acceleration.joint[body], &bias = data.velocity.bias[body];
    for (Index c = 0; c < 6; ++c) {
      value += K[c] * a[c];
      scale += abs(K[c] * a[c]) + abs(K[c] * bias[c]);
    }
    scale += abs(K.f.x * data.gravity.x) + abs(K.f.y * data.gravity.y) + abs(K.f.z * data.gravity.z);
  });
  return {value, scale};
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
