// SPDX-License-Identifier: BSD-3-Clause
// Coordinates that several joints share (mimic): eliminated where the subtrees of their joints meet, in the sweep of
// forward_dynamics.hpp. This is the constraint embedding of a constant G (Chignoli et al. 2024) without a cluster's 6k
// x 6k algebra.
//
// A column that shares its coordinate y is not eliminated at its joint. Its body's I_A and p_A go to the parent
// unreduced, together with
//   F = I_A s g   the force on the body per unit of y''
//   D, u          the coordinate's own articulated inertia and right-hand side
// Columns eliminated on the way take their part:  e = s^T F;  F -= U e/D_k,  D -= e e/D_k,  u -= e u_k.  At the body
// where the last column of y has joined, y is eliminated like any column, with U = F:  y'' = u - (F^T a + ...)/D.
// DIFFERS: no citation gives this form; it is the same elimination as Featherstone's with one unknown postponed.
#pragma once
#include "zwang/algorithm/page/sweep.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// The sweep of a model where every column has a coordinate of its own.
template <class S> struct NothingShared {
  ZWANG_INLINE const S* begin(const S* tau) { return tau; }
  ZWANG_INLINE void enter(Index) {}
  template <class R> ZWANG_INLINE void leave(Index, Level<S>&, R&) {}
  template <class R> ZWANG_INLINE void leave_ground(R&) {}
  ZWANG_INLINE constexpr bool defers(Index) const { return false; }
  template <class R> ZWANG_INLINE void defer(Index, Index, Level<S>&, R&) {}
  template <class R> ZWANG_INLINE void column(Index, const Eliminated<S>&, R&) {}
  template <class R> ZWANG_INLINE void push(Index, bool, R&) {}
  ZWANG_INLINE S value(Index) const { return S(0); }
  ZWANG_INLINE S coupling(Index) const { return S(0); }
  ZWANG_INLINE void store(S*) {}
};

template <class S> class SharedColumns {
 public:
  explicit SharedColumns(BasicData<S>& data)
      : data_(data),
        tree_(data.tree()),
        s_(data.shared),
        c_(data.tree().shared_count) {}

  /// The torques of the columns with coordinates of their own; those of shared
  /// coordinates become their right-hand sides.
  const S* begin(const S* tau) {
    for (Index k = 0; k < tree_.spanning_nv; ++k) data_.tau_spanning[k] = tau[tree_.column[k].v];
    for (Index y = 0; y < c_; ++y) {
      s_.u[y] = tau[tree_.shared[y].v];
      s_.gross[y] = s_.value[y] = S(0);  // coupling() also multiplies values that are not known yet, by zeros
      for (Index z = 0; z < c_; ++z) D(y, z) = S(0);
    }
    s_.top = s_.eliminated = 0;
    for (Index y = 0; y < c_; ++y) s_.order[y] = -1;
    return data_.tau_spanning.data();
  }
  void enter(Index body) { s_.begin[body] = s_.top; }
  bool given(Index k) const { return data_.articulated.has_given && data_.articulated.is_given[k]; }
  bool defers(Index k) const { return tree_.column[k].deferred && !given(k); }

  /// A column with a coordinate of its own takes its part of the postponed ones.
  template <class R> void column(Index k, const Eliminated<S>& e, R& riders) {
    S* const E = &s_.E[k * c_];
    for (Index z = 0; z < c_; ++z) E[z] = S(0);
    const Index lo = s_.begin[tree_.column[k].body];
    if (lo == s_.top) return;
    for (Index m = lo; m < s_.top; ++m) {
      const S x = dot(e.s, s_.slot[m]);
      E[s_.slot_of[m]] += x;
      s_.slot[m] -= e.U * (x * e.inv_D);
    }
    for_each_live(lo, [&](Index z) {
      const S f = E[z] * e.inv_D;
      s_.u[z] -= E[z] * e.u;
      for_each_live(lo, [&](Index w) { D(z, w) -= f * E[w]; });
      riders.couple(z, k, f);
    });
  }

  /// A column that shares its coordinate: its inertia is added to the coordinate's;
  /// its body goes to the parent unreduced.
  template <class R> void defer(Index body, Index k, Level<S>& x, R& riders) {
    const auto& c = tree_.column[k];
    const Index y = tree_.shared_of[c.v];
    const auto g = c.multiplier;
    Eliminated<S>& e = data_.articulated.column[k];
    const S own = enter_column(data_, k, x);
    for (Index m = s_.begin[body]; m < s_.top; ++m) {
      const Index z = s_.slot_of[m];
      const S f = dot(e.s, s_.slot[m]) * g;
      D(y, z) += f;  // counts twice where z is y: its two columns share the diagonal
      D(z, y) += f;
    }
    D(y, y) += own * (g * g);
    s_.u[y] -= dot(e.s, x.pA) * g;
    s_.gross[y] += gross_inertia(x, e.s) * (g * g);
    riders.defer(y, body, e.s, S(g));
    s_.slot[s_.top] = e.U * g;
    s_.slot_of[s_.top++] = y;
    if (tree_.shared[y].own && tree_.shared[y].body == body) eliminate(y, body, &x, riders);
  }

  /// Coordinates whose columns have all joined at this body, which has none of them itself.
  template <class R> void leave(Index body, Level<S>& x, R& riders) {
    for (Index y = 0; y < c_; ++y)
      if (tree_.shared[y].body == body && !tree_.shared[y].own && !held(y)) eliminate(y, body, &x, riders);
  }
  template <class R> void leave_ground(R& riders) {
    for (Index y = 0; y < c_; ++y)
      if (tree_.shared[y].body == 0 && !held(y)) eliminate(y, 0, nullptr, riders);
  }

  /// Solves the coordinates eliminated at a body: before its own columns (`own`), or after them.
  template <class R> void push(Index body, bool own, R& riders) {
    for (Index y = c_ - 1; y >= 0; --y) {
      if (tree_.shared[y].body != body || tree_.shared[y].own != own || held(y)) continue;
      const Eliminated<S>& e = s_.done[y];
      S x = -riders.push_shared(y);
      if (body > 0) x += dot(data_.acceleration.joint[body], e.U);
      for (Index z = 0; z < c_; ++z)
        if (s_.order[z] > s_.order[y]) x += D(y, z) * s_.value[z];
      s_.value[y] = e.u - x * e.inv_D;
    }
  }
  /// Acceleration of a postponed column.
  S value(Index k) const { return s_.value[tree_.shared_of[tree_.column[k].v]] * tree_.column[k].multiplier; }
  /// What the postponed coordinates add to s^T f of an eliminated column.
  S coupling(Index k) const {
    S x(0);
    for (Index z = 0; z < c_; ++z) x += s_.E[k * c_ + z] * s_.value[z];
    return x;
  }
  void store(S* qdd) const {
    for (Index y = 0; y < c_; ++y)
      if (!held(y)) qdd[tree_.shared[y].v] = s_.value[y];
  }

 private:
  /// A prescribed coordinate: its columns are ordinary ones of infinite inertia.
  bool held(Index y) const { return data_.articulated.has_given && given(column_of(y)); }
  S& D(Index y, Index z) { return s_.D[y * c_ + z]; }

  /// Calls f once for each coordinate that has a slot above `lo`.
  template <class F> void for_each_live(Index lo, F&& f) {
    for (Index m = lo; m < s_.top; ++m) {
      bool first = true;
      for (Index l = lo; l < m && first; ++l) first = s_.slot_of[l] != s_.slot_of[m];
      if (first) f(s_.slot_of[m]);
    }
  }

  template <class R> void eliminate(Index y, Index body, Level<S>* x, R& riders) {
    const Index lo = body > 0 ? s_.begin[body] : 0;
    Eliminated<S>& e = s_.done[y];
    e.U = Force<S>::zero();
    Index kept = lo;
    for (Index m = lo; m < s_.top; ++m) {
      if (s_.slot_of[m] == y) {
        e.U += s_.slot[m];
      } else {
        s_.slot[kept] = s_.slot[m];
        s_.slot_of[kept++] = s_.slot_of[m];
      }
    }
    s_.top = kept;
    s_.order[y] = s_.eliminated++;
    e.inv_D = Uniform<S>(1) / D(y, y);
    note_inertia(data_.articulated, column_of(y), s_.gross[y], D(y, y), e.inv_D);
    e.u = s_.u[y] * e.inv_D;
    riders.shared(y, body, e);
    for_each_live(lo, [&](Index z) {
      const S f = D(y, z) * e.inv_D;
      s_.u[z] -= D(y, z) * e.u;
      for_each_live(lo, [&](Index w) { D(z, w) -= f * D(y, w); });
      first_slot(lo, z) -= e.U * f;
      riders.couple_shared(z, y, f);
    });
    if (x != nullptr) {
      subtract_outer(x->IA, e.U * e.inv_D, e.U);
      x->pA += e.U * e.u;
    }
  }
  StoredForce<S>& first_slot(Index lo, Index z) {
    Index m = lo;
    while (s_.slot_of[m] != z) ++m;
    return s_.slot[m];
  }
  Index column_of(Index y) const {
    Index k = 0;
    while (tree_.column[k].v != tree_.shared[y].v) ++k;
    return k;
  }

  BasicData<S>& data_;
  const Tree<Uniform<S>>& tree_;
  SharedStage<S>& s_;
  Index c_;
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
