// SPDX-License-Identifier: BSD-3-Clause
// Other right-hand sides with the factorisation that a sweep of hybrid.hpp has left:
// only p_A, u, l, lambda and a are recomputed.
//
//   inward    u = (tau - s^T p_A) / D,  p_A += U u,  l += w u
//             a row eliminated on the way:  p_A += K l / sigma,  l_F -= f l / sigma
//   root      Lambda lambda = -l
//   outward   q'' = u - (U^T a - w^T lambda) / D
// R is a scalar, or a pack of right-hand sides side by side; the factorisation is of one state S. Reads the columns and
// shared coordinates in Data and the SweepStage, both as the sweep left them. Cost O(n rows).
#pragma once
#include "zwang/factor/page/hybrid.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

template <class R> struct RightHandSide {
  /// [n+1] input: wrenches that keep each body's motion at zero joint acceleration; overwritten.
  Buffer<Force<R>> p;
  Buffer<R> tau;                    ///< [nv] input
  Buffer<R> given;                  ///< [spanning nv] input: accelerations of prescribed columns
  Buffer<R> l0;                     ///< [m] input: residual of each attached row at zero joint acceleration
  Buffer<Motion<R>> a;              ///< [n+1] joint accelerations of the bodies
  Buffer<R> qdd;                    ///< [nv] output
  Buffer<R> row;                    ///< [m] output: multipliers of all attached rows
  Buffer<R> pushed, pushed_shared;  ///< as in SweepStage
  bool motion_known = false;        ///< set by the root, as in SweepStage
  Buffer<R> l, lambda;              ///< [slots]
  Buffer<R> l_apart;                ///< [slots] l at the root before soft rows were eliminated there
  Buffer<R> given_force;            ///< [spanning nv] as in ArticulatedStage
  Buffer<R> u, step_l;              ///< [spanning nv], [steps]
  Buffer<R> shared_u, shared_value;

  RightHandSide() = default;
  template <class T> RightHandSide(const Tree<T>& t, Index rows, Index slots) {
    p = Buffer<Force<R>>(t.n + 1);
    a = Buffer<Motion<R>>(t.n + 1);
    tau = qdd = Buffer<R>(t.nv);
    given = given_force = u = pushed = Buffer<R>(t.spanning_nv);
    l0 = row = step_l = Buffer<R>(rows);
    l = lambda = l_apart = Buffer<R>(slots);
    shared_u = shared_value = pushed_shared = Buffer<R>(t.shared_count);
  }
};

/// The two passes. `root(rhs)` solves Lambda lambda = -l for the slots of the rows at the root.
template <class S, class R> class Resolve {
 public:
  static constexpr Index lanes = SweepStage<S>::lanes;

  Resolve(const BasicData<S>& data, const RowNumbers<S>& rows, const SweepStage<S>& stage, RightHandSide<R>& x)
      : data_(data),
        tree_(data.tree()),
        rows_(rows),
        r_(stage),
        x_(x) {}

  template <class Root> void operator()(Root&& root) {
    inward();
    root(x_);
    outward();
  }

  void inward() {
    start();
    for (Index i = tree_.n; i > 0; --i) {
      const auto& b = tree_.body[i];
      join(i, false);
      if (b.nv > 0 && defers(b.v)) {
        const auto& c = tree_.column[b.v];
        x_.shared_u[tree_.shared_of[c.v]] -= dot(data_.articulated.column[b.v].s, x_.p[i]) * c.multiplier;
        join(i, true);
      } else {
        for (Index k = b.v + b.nv - 1; k >= b.v; --k) column(i, k);
      }
      if (b.parent > 0) x_.p[b.parent] += x_.p[i];
      if (r_.early)
        for (Index e = r_.gone.event_begin[i]; e < r_.gone.event_end[i]; ++e) absorb(r_.gone.event[e], b.parent);
    }
    join(0, false);
    for (Index s = 0; r_.root.soft > 0 && s < r_.block.count * lanes; ++s) x_.l_apart[s] = x_.l[s];
    carry_soft(r_, ByIndex<R>{x_.l.data()});
  }

  void outward() {
    if (!x_.motion_known) recover_soft(r_, ByIndex<R>{x_.l.data()}, ByIndex<R>{x_.lambda.data()});
    x_.a[0] = Motion<R>::zero();
    push_shared(0, false);
    for (Index i = 1; i <= tree_.n; ++i) {
      const auto& b = tree_.body[i];
      Motion<R>& a = x_.a[i];
      a = x_.a[b.parent];
      if (r_.early)
        for (Index e = r_.gone.event_end[i]; e-- > r_.gone.event_begin[i];) recover(r_.gone.event[e], a);
      push_shared(i, true);
      for (Index k = b.v; k < b.v + b.nv; ++k) {
        const Eliminated<S>& e = data_.articulated.column[k];
        if (!x_.motion_known) x_.pushed[k] = row_product(i, k);
        R y, coupling(S(0));
        for (Index z = 0; z < tree_.shared_count; ++z)
          coupling += x_.shared_value[z] * data_.shared.E[k * tree_.shared_count + z];
        if (defers(k)) {
          y = x_.shared_value[tree_.shared_of[tree_.column[k].v]] * tree_.column[k].multiplier;
        } else {
          y = x_.u[k] - (dot(a, e.U) - x_.pushed[k] + coupling) * e.inv_D;
          if (!is_given(k)) x_.qdd[tree_.column[k].v] = y;
        }
        a += Motion<R>{e.s.v * y, e.s.w * y};
        if (is_given(k)) x_.given_force[k] += dot(a, e.U) - x_.pushed[k] + coupling + y * S(column_inertia(data_, k));
      }
      push_shared(i, false);
    }
    for (Index y = 0; y < tree_.shared_count; ++y)
      if (!held(y)) x_.qdd[tree_.shared[y].v] = x_.shared_value[y];
    for (Index i = 0; i < rows_.m; ++i) x_.row[i] = r_.slot[i] >= 0 ? x_.lambda[r_.slot[i]] : R(S(0));
    for (Index i = 0; i < rows_.m; ++i)
      if (r_.stiffness[i] > S(0))
        x_.row[i] -= (dot(x_.a[rows_.body[i]], attached_row(rows_, i)) + x_.l0[i]) * r_.stiffness[i];
  }

 private:
  bool is_given(Index k) const { return data_.articulated.has_given && data_.articulated.is_given[k]; }
  bool defers(Index k) const { return tree_.column[k].deferred && !is_given(k); }
  bool held(Index y) const { return data_.shared.order[y] < 0; }

  void start() {
    x_.motion_known = false;
    for (Index y = 0; y < tree_.shared_count; ++y) {
      x_.shared_u[y] = x_.tau[tree_.shared[y].v];
      x_.shared_value[y] = R(S(0));
    }
    for (Index s = 0; s < r_.block.count * lanes; ++s) x_.l[s] = x_.lambda[s] = R(S(0));
    for (Index i = 0; i < rows_.m; ++i) {
      if (r_.slot[i] >= 0) x_.l[r_.slot[i]] = x_.l0[i];
      if (r_.stiffness[i] > S(0)) add(x_.p[rows_.body[i]], attached_row(rows_, i), x_.l0[i] * r_.stiffness[i]);
    }
  }
  static void add(Force<R>& p, const Force<S>& K, const R& x) {
    p.f += Vec3<R>{x * K.f.x, x * K.f.y, x * K.f.z};
    p.n += Vec3<R>{x * K.n.x, x * K.n.y, x * K.n.z};
  }
  void column(Index i, Index k) {
    const Eliminated<S>& e = data_.articulated.column[k];
    R& u = x_.u[k];
    if (is_given(k)) x_.given_force[k] = dot(e.s, x_.p[i]);
    u = is_given(k) ? x_.given[k] : (x_.tau[tree_.column[k].v] - dot(e.s, x_.p[i])) * e.inv_D;
    for_each_row(i, k, [&](Index slot, const S& w) { x_.l[slot] += u * w; });
    for (Index z = 0; z < tree_.shared_count; ++z) x_.shared_u[z] -= u * data_.shared.E[k * tree_.shared_count + z];
    add(x_.p[i], e.U, u);
  }
  /// Shared coordinates eliminated at a body.
  void join(Index body, bool own) {
    const Index c = tree_.shared_count;
    for (Index y = 0; y < c; ++y) {
      if (tree_.shared[y].body != body || tree_.shared[y].own != own || held(y)) continue;
      const Eliminated<S>& e = data_.shared.done[y];
      const R u = x_.shared_u[y] * e.inv_D;
      x_.shared_u[y] = u;
      for (Index s = 0; s < r_.block.count * lanes; ++s)
        x_.l[s] += u * lane<S>(&r_.block.coupling[y * r_.block.most], s);
      for (Index z = 0; z < c; ++z)
        if (data_.shared.order[z] > data_.shared.order[y]) x_.shared_u[z] -= u * data_.shared.D[y * c + z];
      if (body > 0) add(x_.p[body], e.U, u);
    }
  }
  void push_shared(Index body, bool own) {
    const Index c = tree_.shared_count;
    for (Index y = c - 1; y >= 0; --y) {
      if (tree_.shared[y].body != body || tree_.shared[y].own != own || held(y)) continue;
      const Eliminated<S>& e = data_.shared.done[y];
      R pushed = x_.motion_known ? x_.pushed_shared[y] : R(S(0));
      for (Index s = 0; !x_.motion_known && s < r_.block.count * lanes; ++s)
        pushed += x_.lambda[s] * lane<S>(&r_.block.coupling[y * r_.block.most], s);
      x_.pushed_shared[y] = pushed;
      R x = -pushed;
      if (body > 0) x += dot(x_.a[body], e.U);
      for (Index z = 0; z < c; ++z)
        if (data_.shared.order[z] > data_.shared.order[y]) x += x_.shared_value[z] * data_.shared.D[y * c + z];
      x_.shared_value[y] = x_.shared_u[y] - x * e.inv_D;
    }
  }
  template <class F> void for_each_row(Index body, Index k, F&& f) const {
    const Index count = r_.live.list_size[body];
    if (count == 0) return;
    const Index* const list = r_.live.list_of(body);
    const auto* const w = w_of(tree_, r_, k);
    for (Index j = 0; j < count; ++j)
      for (Index i = 0; i < r_.strand.filled[list[j]]; ++i) f(list[j] * lanes + i, lane<S>(w + j, i));
  }
  R row_product(Index body, Index k) const {
    R sum(S(0));
    for_each_row(body, k, [&](Index slot, const S& w) { sum += x_.lambda[slot] * w; });
    return sum;
  }

  void absorb(const EarlyEvent<S>& e, Index parent) {
    R* const l = &x_.l[e.block * lanes];
    R turned[lanes];
    for (Index c = 0; c < lanes; ++c) {
      turned[c] = R(S(0));
      for (Index i = 0; i < lanes; ++i) turned[c] += l[i] * e.Q[i * lanes + c];
    }
    for (Index c = 0; c < lanes; ++c) l[c] = turned[c];
    const Index* const list = r_.live.list.data() + e.list;
    for (Index s = e.first_step; s < e.first_step + e.steps; ++s) {
      const EarlyStep<S>& step = r_.gone.step[s];
      const R t = l[step.lane] * (S(1) / step.sigma);
      x_.step_l[s] = l[step.lane];
      l[step.lane] = R(S(0));
      add(x_.p[parent], step.K, t);
      for_each_coupled(step, e, list, [&](Index slot, const S& f) { x_.l[slot] -= t * f; });
    }
  }
  void recover(const EarlyEvent<S>& e, const Motion<R>& a) {
    const Index* const list = r_.live.list.data() + e.list;
    R* const lambda = &x_.lambda[e.block * lanes];
    for (Index s = e.first_step + e.steps; s-- > e.first_step;) {
      const EarlyStep<S>& step = r_.gone.step[s];
      R y = x_.step_l[s] + dot(a, step.K);
      for_each_coupled(step, e, list, [&](Index slot, const S& f) { y += x_.lambda[slot] * f; });
      lambda[step.lane] = y * (S(-1) / step.sigma);
    }
    R before[lanes];
    for (Index i = 0; i < lanes; ++i) {
      before[i] = R(S(0));
      for (Index c = 0; c < lanes; ++c) before[i] += lambda[c] * e.Q[i * lanes + c];
    }
    for (Index i = 0; i < lanes; ++i) lambda[i] = before[i];
  }
  template <class F>
  void for_each_coupled(const EarlyStep<S>& step, const EarlyEvent<S>& e, const Index* list, F&& f) const {
    for (Index j = 0; j < e.count; ++j)
      for (Index o = 0; list[j] != e.block && o < r_.strand.filled[list[j]]; ++o)
        f(list[j] * lanes + o, lane<S>(&r_.gone.coupled[step.coupled + j], o));
  }

  const BasicData<S>& data_;
  const Tree<Uniform<S>>& tree_;
  const RowNumbers<S>& rows_;
  const SweepStage<S>& r_;
  RightHandSide<R>& x_;
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
