// SPDX-License-Identifier: BSD-3-Clause
// Constraint rows that travel to the root with the articulated bodies: Popov & Vereshchagin 1978; Vereshchagin 1989;
// trees and rows on any link as in Sathya, Bruyninckx, Decre & Pipeleers 2024.
//
// A row requires K a + R lambda = beta, a the acceleration of its body. Carried inward, its residual as a function of
// the acceleration of the body reached is  r = K a + l + Lambda lambda.  A column eliminated with U, D, u adds
//   w = K s;   l += w u;   K -= w U^T / D;   Lambda += w w^T / D
// The row's policy says where the row is eliminated. Eliminated at a body with sigma = Lambda_ii it adds
//   I_A += K K^T / sigma,  p_A += K l / sigma     lambda = -(K a + l + ...) / sigma once a is known
//   soft: at its own body, sigma = R.   early: as soon as sigma is large enough (early.hpp).   hard: at the root,
//   where a is known and Lambda lambda = -l, Lambda = J M^-1 J^T exactly. Outward, each column adds w^T lambda.
// A row between bodies travels from each of them. Lambda collects the parts of every branch; K and l are added where
// the branches meet, and from there on the row may be eliminated early. A soft row between bodies starts with
// Lambda_ii = R and is eliminated at the root before the hard rows.
//
// DIFFERS: lambda acts +K^T on the body; gravity is in the bias of forward_dynamics.hpp, so that beta is the physical
// acceleration; rows travel in lanes of one state (double, float) or one at a time (every other scalar).
#pragma once
#include <type_traits>

#include "zwang/factor/page/early.hpp"
#include "zwang/factor/page/root_rows.hpp"
#include "zwang/factor/page/strands.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Riders of articulated_sweep. `Attach` is called once per body, attach(body, level, rows): it announces the number of
/// hard rows by rows.expect() and adds rows by rows.add and rows.add_soft. `Root` solves Lambda lambda = -l of the rows
/// that reach it.
template <class S, class Attach, class Root> class RowRiders : public Strands<S> {
  using Base = Strands<S>;
  using Base::alone_, Base::group_, Base::r_, Base::rows_, Base::strand_, Base::tree_;

 public:
  using Lanes = RowLanes<S>;
  using Rows = typename Lanes::type;
  using Part = typename Lanes::Part;
  static constexpr Index lanes = Lanes::count;

  RowRiders(const Tree<Uniform<S>>& tree, RowNumbers<S>& rows, SweepStage<S>& stage, Attach& attach, Root& root)
      : Base(tree, rows, stage),
        attach_(attach),
        root_(root) {
    r_.gone.events = r_.gone.steps = r_.gone.coupled_top = r_.root.count = 0;
    r_.live.w_top = 0;
    r_.motion_known = false;
    for (Index y = 0; y < tree.shared_count; ++y)
      for (Index b = 0; b < r_.block.most; ++b)
        r_.block.coupling[y * r_.block.most + b] = r_.block.coupling_bound[y * r_.block.most + b] = Rows(Uniform<S>(0));
  }

  /// Hard rows in the lanes [at, at + count), zeros in the others: K in world axes about the branch's centre,
  /// l = K a + ... - beta at zero joint acceleration. `moment2`: the square of K.n's magnitude before summation. Rows
  /// that travel may be soft: with their compliances R. Rows of relations are never stiffened.
  ZWANG_INLINE void add(Index body, Level<S>& x, Index at, Index count, const Force<Rows>& K, const Rows& moment2,
                        const Rows& l, bool relation = false, const S* R = nullptr) {
    const Index s = strand_, b = r_.strand.block_of[s];
    rows_.place_rows(group_, at == r_.strand.lane_begin[s], at, count, K, l);
    if (at == r_.strand.lane_begin[s]) {
      r_.strand.K[s] = K;
      r_.strand.l[s] = l;
      r_.strand.force2[s] = dot(K.f, K.f);
      r_.strand.moment2[s] = moment2;
      r_.strand.bound[s] = Rows(Uniform<S>(0));
    } else {
      r_.strand.K[s] += K;
      r_.strand.l[s] += l;
      r_.strand.force2[s] += dot(K.f, K.f);
      r_.strand.moment2[s] += moment2;
    }
    for (Index i = at; i < at + count; ++i) {
      const Index slot = b * lanes + i;
      r_.block.gone[slot] = 0;
      for (Index c = r_.early ? b : 0; c <= b; ++c) r_.tile(b, c)[i] = Rows(Uniform<S>(0));
      const S softness = R != nullptr ? R[i - at] : S(0);
      S stiffness(0);
      if (stiffen_ && body > 0 && !relation) {
        const Force<S> row = attached_row(rows_, rows_.m);
        stiffness =
            r_.stiffening_mass / (dot(row.f, row.f) + lane<S>(&r_.strand.moment2[s], i) / r_.stiffening_length2);
        stiffness = stiffness / (Uniform<S>(1) + Uniform<S>(2) * stiffness * softness);
        absorb_row(x, row, lane<S>(&l, i), stiffness);
      }
      if (R != nullptr) {
        soft_travels_ = true;
        const S rest = rest_of_compliance(softness, stiffness);
        set_lane(r_.tile(b, b) + i, i, rest);
        set_lane(&r_.strand.bound[s], i, rest);
      }
      number(body, slot, softness, stiffness, false);
    }
    this->fill(b, at + count);
  }
  /// Rows [row, row + count) that another body has attached, in the same lanes as there, from `at` on.
  ZWANG_INLINE void add_further(Index body, Index row, Index at, Index count, const Force<Rows>& K,
                                const Rows& moment2) {
    this->rejoin(body, r_.slot[row] / lanes, at, count);
    rows_.place_further(group_, row, at, count, K);
    const Index s = strand_;
    r_.strand.K[s] = K;
    r_.strand.l[s] = r_.strand.bound[s] = Rows(Uniform<S>(0));
    r_.strand.force2[s] = dot(K.f, K.f);
    r_.strand.moment2[s] = moment2;
  }
  /// The lane of a row that travels.
  ZWANG_INLINE Index lane_of(Index row) const { return r_.slot[row] % lanes; }
  /// Soft rows: added to the inertia of their body. R holds one compliance per row.
  ZWANG_INLINE void add_soft(Index body, Level<S>& x, Index at, Index count, const Force<Rows>& K, const Rows& l,
                             const S* R) {
    rows_.place_rows(alone_, at == 0, at, count, K, l);
    for (Index i = 0; i < count; ++i) {
      const S stiffness = Uniform<S>(1) / R[i];
      if (body > 0)
        absorb_row(x, attached_row(rows_, rows_.m), lane<S>(&l, at + i), stiffness);  // the ground does not move
      number(body, -1, R[i], stiffness, true);
    }
    this->fill_soft(at + count);
  }
  ZWANG_INLINE void enter(Index body, Level<S>& x) {
    this->enter_body(body);
    attach_(body, x, *this);
  }
  /// All rows of the subtree are known: makes its list, and room for w of the joint's columns.
  ZWANG_INLINE void leave(Index body) {
    this->list_blocks(body);
    r_.live.w_begin[body] = r_.live.w_top;
    r_.live.w_top += static_cast<long>(tree_.body[body].nv) * r_.live.list_size[body];
    if (r_.early) r_.gone.event_begin[body] = r_.gone.event_end[body] = r_.gone.events;
  }

  /// Columns are carried over together when all columns of a joint are known, unless joints share coordinates.
  ZWANG_INLINE void column(Index k, const Eliminated<S>& e) {
    if (tree_.shared_count > 0) carry_column(k, e);
  }
  ZWANG_INLINE void given(Index k, const Eliminated<S>& e) { column(k, e); }  // 1/D = 0: l += w q'' remains
  /// All columns of a joint have been eliminated.
  ZWANG_INLINE void joint(Index body, Index first, Index columns, const Buffer<Eliminated<S>>& column, Level<S>& up) {
    if (r_.live.list_size[body] == 0) return;
    if (r_.stop.asked != nullptr && r_.stop.asked(r_.stop.context)) return;
    const Eliminated<S>* const e = &column[first];
    if (tree_.shared_count > 0) {
      for (Index j = 0; j < r_.live.list_size[body]; ++j) spread<0>(body, j, first, columns, e);
    } else if (columns == 1) {
      carry<1>(body, first, 1, e);
    } else if (columns == 6) {
      carry<6>(body, first, 6, e);
    } else {
      carry<0>(body, first, columns, e);
    }
    if constexpr (std::is_floating_point_v<S>)
      if (r_.early && tree_.body[body].parent != 0 && eliminate_early(r_, body, up)) this->lists_changed();
  }
  /// A postponed column: its coupling with the rows.
  ZWANG_INLINE void defer(Index y, Index body, const Motion<S>& s, const S& g) {
    const S linear = dot(s.v, s.v) * g * g, angular = dot(s.w, s.w) * g * g;
    for_each_block(body, [&](Index j, Index b) {
      const Index strand = this->strand(body, j);
      const Force<Rows>& K = r_.strand.K[strand];
      r_.block.coupling[y * r_.block.most + b] += (dot(s.v, K.f) + dot(s.w, K.n)) * g;
      r_.block.coupling_bound[y * r_.block.most + b] +=
          r_.strand.force2[strand] * linear + r_.strand.moment2[strand] * angular;
    });
  }
  ZWANG_INLINE void couple(Index y, Index k, const S& f) {
    const Rows* const w = w_of(tree_, r_, k);
    for_each_block(tree_.column[k].body,
                   [&](Index j, Index b) { r_.block.coupling[y * r_.block.most + b] -= w[j] * f; });
  }
  ZWANG_INLINE void shared(Index y, Index body, const Eliminated<S>& e) {
    const Rows* const w = &r_.block.coupling[y * r_.block.most];
    const auto take_part = [&](Index b, Index strand) {
      r_.strand.bound[strand] += r_.block.coupling_bound[y * r_.block.most + b] * e.inv_D;
      take(strand, w[b], e);
      for (Index r = 0; r < r_.strand.filled[b]; ++r) {
        const S h = lane<S>(w + b, r) * e.inv_D;
        for (Index c = 0; c <= b; ++c) r_.tile(b, c)[r] += w[c] * h;
      }
    };
    if (body > 0)
      for_each_block(body, [&](Index j, Index b) { take_part(b, this->strand(body, j)); });
    else
      for (Index b = 0; b < r_.block.count; ++b) take_part(b, b);
  }
  ZWANG_INLINE void couple_shared(Index z, Index y, const S& f) {
    for (Index b = 0; b < r_.block.count; ++b)
      r_.block.coupling[z * r_.block.most + b] -= r_.block.coupling[y * r_.block.most + b] * f;
  }
  ZWANG_INLINE void solve() {
    this->meet(0);
    if (r_.early) this->come_together(0);
    for (Index j = 0; j < r_.live.top; ++j)
      for (Index r = 0, b = r_.live.stack[j]; r < r_.strand.filled[b]; ++r)
        if (!r_.block.gone[b * lanes + r]) r_.root.slot[r_.root.count++] = b * lanes + r;
    r_.root.soft = 0;
    if (soft_travels_) set_soft_apart();
    if (rows_.m > 0) root_(r_);
    if (soft_travels_ && !r_.motion_known)
      recover_soft(r_, BySlot<S, Rows>{r_.strand.l.data()}, BySlot<S, Rows>{r_.block.lambda.data()});
  }
  ZWANG_INLINE void descend(Index body, const Motion<S>& a) {
    if constexpr (std::is_floating_point_v<S>)
      if (r_.early) recover_early(r_, body, a);
  }
  ZWANG_INLINE S push(Index k) {
    if (!r_.motion_known) r_.pushed[k] = row_product(tree_, r_, k);
    return r_.pushed[k];
  }
  ZWANG_INLINE S pushed(Index k) const { return r_.pushed[k]; }
  ZWANG_INLINE S push_shared(Index y) {
    if (r_.motion_known) return r_.pushed_shared[y];
    if (r_.block.count == 0) return r_.pushed_shared[y] = S(0);
    const Rows* const w = &r_.block.coupling[y * r_.block.most];
    Rows x = w[0] * r_.block.lambda[0];
    for (Index b = 1; b < r_.block.count; ++b) x += w[b] * r_.block.lambda[b];
    return r_.pushed_shared[y] = lane_sum<S>(x);
  }

 private:
  [[gnu::noinline]] void set_soft_apart() {
    Index hard = 0;
    for (Index j = 0; j < r_.root.count; ++j) {
      const Index s = r_.root.slot[j];
      bool soft = false;
      for (Index i = 0; i < rows_.m && !soft; ++i) soft = r_.slot[i] == s && value_of(rows_.compliance[i]) > 0;
      (soft ? r_.root.soft_slot[r_.root.soft++] : r_.root.slot[hard++]) = s;
    }
    r_.root.count = hard;
    for (Index b = 0; b < r_.block.count; ++b) r_.root.l_apart[b] = r_.strand.l[b];
    eliminate_soft(r_);
    carry_soft(r_, BySlot<S, Rows>{r_.strand.l.data()});
  }
  /// w of the columns of a joint; l += w u;  K -= U w / D;  Lambda += w w^T / D, each entry read and written once. `N`:
  /// the number of columns, or 0 if known only at run time.
  template <int N> ZWANG_INLINE void carry(Index body, Index first, Index some, const Eliminated<S>* e) {
    const Index columns = N > 0 ? N : some, count = r_.live.list_size[body];
    const Index* const live = &r_.live.stack[r_.live.begin[body]];
    Rows* const w = w_of(tree_, r_, first);
    S linear[N > 0 ? N : max_joint_columns], angular[N > 0 ? N : max_joint_columns];
    for (Index k = 0; k < columns; ++k) {
      linear[k] = dot(e[k].s.v, e[k].s.v) * e[k].inv_D;
      angular[k] = dot(e[k].s.w, e[k].s.w) * e[k].inv_D;
    }
    for (Index j = 0; j < count; ++j) {
      const Index s = live[j];
      for (Index p = 0; p < Lanes::parts; ++p) {
        Force<Part> K = part(r_.strand.K[s], p);
        Part l = Lanes::part(r_.strand.l[s], p), bound = Lanes::part(r_.strand.bound[s], p);
        const Part force2 = Lanes::part(r_.strand.force2[s], p), moment2 = Lanes::part(r_.strand.moment2[s], p);
        for (Index k = columns; k-- > 0;) {
          const Part x = dot(e[k].s.v, K.f) + dot(e[k].s.w, K.n), g = x * e[k].inv_D;
          Lanes::part(w[k * count + j], p) = x;
          l += x * e[k].u;
          bound += force2 * linear[k] + moment2 * angular[k];
          give_way(K, g, e[k].U);
        }
        if (tree_.body[body].parent != 0) {
          for (Index c = 0; c < 3; ++c) {
            Lanes::part(r_.strand.K[s].f[c], p) = K.f[c];
            Lanes::part(r_.strand.K[s].n[c], p) = K.n[c];
          }
        }
        Lanes::part(r_.strand.l[s], p) = l;
        Lanes::part(r_.strand.bound[s], p) = bound;
      }
      if constexpr (N > 0)
        spread<N>(body, j, first, N, e);
      else
        spread<0>(body, j, first, columns, e);
    }
  }
  /// Lambda += w w^T / D: the rows of strand j of a body's list with those of the strands before it.
  template <int N> ZWANG_INLINE void spread(Index body, Index j, Index first, Index some, const Eliminated<S>* e) {
    const Index columns = N > 0 ? N : some;
    const Index count = r_.live.list_size[body], s = r_.live.stack[r_.live.begin[body] + j];
    const Index begin = r_.strand.lane_begin[s], end = r_.strand.filled[s];
    const Index* const list = r_.live.list_of(body);
    const Rows* const w = w_of(tree_, r_, first);
    S g[max_joint_columns * lanes];
    for (Index k = 0; k < columns; ++k)
      for (Index r = begin; r < end; ++r) g[k * lanes + r] = lane<S>(w + k * count + j, r) * e[k].inv_D;
    for (Index i = 0; i <= j; ++i) {
      Rows* const rows = r_.tile(list[j], list[i]);
      for (Index p = 0; p < Lanes::parts; ++p) {
        Part x[N > 0 ? N : max_joint_columns];
        for (Index k = 0; k < columns; ++k) x[k] = Lanes::part(w[k * count + i], p);
        for (Index r = begin; r < end; ++r) {
          Part& row = Lanes::part(rows[r], p);
          Part sum = row;
          for (Index k = 0; k < columns; ++k) sum += x[k] * g[k * lanes + r];
          row = sum;
        }
      }
    }
  }
  ZWANG_INLINE void carry_column(Index k, const Eliminated<S>& e) {
    const Index body = tree_.column[k].body;
    const S linear = dot(e.s.v, e.s.v) * e.inv_D, angular = dot(e.s.w, e.s.w) * e.inv_D;
    Rows* const w = w_of(tree_, r_, k);
    for_each_block(body, [&](Index j, Index) ZWANG_LAMBDA {
      const Index s = this->strand(body, j);
      w[j] = dot(e.s.v, r_.strand.K[s].f) + dot(e.s.w, r_.strand.K[s].n);
      r_.strand.bound[s] += r_.strand.force2[s] * linear + r_.strand.moment2[s] * angular;
      take(s, w[j], e);
    });
  }
  template <class F> ZWANG_INLINE void for_each_block(Index body, F&& f) {
    const Index* const list = r_.live.list_of(body);
    for (Index j = 0; j < r_.live.list_size[body]; ++j) f(j, list[j]);
  }
  /// l += w u;  K -= U w / D
  ZWANG_INLINE void take(Index strand, const Rows& w, const Eliminated<S>& e) {
    r_.strand.l[strand] += w * e.u;
    give_way(r_.strand.K[strand], w * e.inv_D, e.U);
  }
  static ZWANG_INLINE Force<Part> part(const Force<Rows>& K, Index p) {
    return {{Lanes::part(K.f.x, p), Lanes::part(K.f.y, p), Lanes::part(K.f.z, p)},
            {Lanes::part(K.n.x, p), Lanes::part(K.n.y, p), Lanes::part(K.n.z, p)}};
  }
  template <class X> static ZWANG_INLINE void give_way(Force<X>& K, const X& g, const Force<S>& U) {
    K.f.x -= g * U.f.x;
    K.f.y -= g * U.f.y;
    K.f.z -= g * U.f.z;
    K.n.x -= g * U.n.x;
    K.n.y -= g * U.n.y;
    K.n.z -= g * U.n.z;
  }
  ZWANG_INLINE void number(Index body, Index slot, const S& R, const S& stiffness, bool local) {
    r_.slot[rows_.m] = slot;
    r_.stiffness[rows_.m] = stiffness;
    rows_.number(body, R, local);
  }

  Attach& attach_;
  Root& root_;
  bool soft_travels_ = false;
  const bool stiffen_ = value_of(r_.stiffening_mass) > 0;
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
