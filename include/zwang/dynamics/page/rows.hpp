// SPDX-License-Identifier: BSD-3-Clause
// Rows of constraints that travel to the root with the articulated bodies: Popov & Vereshchagin 1978; Vereshchagin
// 1989; trees and rows on any link as in algorithms of Sathya, Bruyninckx, Decre & Pipeleers 2024.
//
// A row asks K a + R lambda = beta of its body's acceleration a. Carried inward, its residual as a function of the
// acceleration of
// the body reached is  r = K a + l + Lambda lambda,  and a column eliminated with U, D, u takes its part:
//   w = K s;   l += w u;   K -= w U^T / D;   Lambda += w w^T / D
// Where a row is eliminated is its policy; eliminated with sigma = Lambda_ii at a body it leaves
//   I_A += K K^T / sigma,  p_A += K l / sigma     lambda = -(K a + l + ...) / sigma once a is known
//   soft: at its own body, sigma = R.   early: as soon as sigma is large enough (early.hpp).   hard: at the root, where
//   a is known
//   and Lambda lambda = -l, Lambda = J M^-1 J^T exactly. Outward, each column gives back w^T lambda.
//
// DIFFERS: lambda acts +K^T on the body; gravity is in the bias of forward_dynamics.hpp, so that beta is the physical
// acceleration; rows travel in lanes of one state (double, float) or one at a time (every other scalar).
#pragma once
#include <type_traits>

#include "zwang/dynamics/page/early.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Riders of articulated_sweep. `Attach` is asked once per body, attach(body, level, rows), and calls rows.add or
/// rows.add_soft for each row; `Root` solves Lambda lambda = -l of the rows that reach it.
template <class S, class Attach, class Root> class RowRiders {
 public:
  using Rows = typename RowLanes<S>::type;
  static constexpr Index lanes = RowLanes<S>::count;

  RowRiders(const Tree<Uniform<S>>& tree, RowStage<S>& rows, Attach& attach, Root& root)
      : tree_(tree),
        r_(rows),
        attach_(attach),
        root_(root) {
    r_.m = r_.blocks = r_.live_top = r_.events = r_.steps = r_.coupled_top = r_.root_rows = 0;
    r_.list_top = r_.w_top = 0;
    for (Index y = 0; y < tree.shared_count; ++y)
      for (Index b = 0; b < r_.max_blocks; ++b)
        r_.coupling[y * r_.max_blocks + b] = r_.coupling_bound[y * r_.max_blocks + b] = Rows(Uniform<S>(0));
  }

  /// One hard row of the body being entered: K in world axes about the branch's centre, l = K a + ... - beta at zero
  /// joint acceleration. `moment2`: the square of K.n's magnitude before it was summed up.
  ZWANG_INLINE void add(Index body, Level<S>& x, const Force<S>& K, const S& moment2, const S& l) {
    if (used_ == lanes) next_block();
    const Index b = r_.blocks - 1;
    for (Index c = 0; c < 3; ++c) {
      set_lane(&r_.K[b].f[c], used_, K.f[c]);
      set_lane(&r_.K[b].n[c], used_, K.n[c]);
    }
    set_lane(&r_.l[b], used_, l);
    set_lane(&r_.force2[b], used_, dot(K.f, K.f));
    set_lane(&r_.moment2[b], used_, moment2);
    r_.slot[r_.m] = b * lanes + used_;
    r_.alive[b] = r_.filled[b] = ++used_;
    S stiffness(0);
    if (stiffen_ && body > 0) {
      stiffness = r_.stiffening_mass / (dot(K.f, K.f) + moment2 / r_.stiffening_length2);
      absorb(body, x, K, l, stiffness);
    }
    remember(body, K, l, S(0), stiffness);
  }
  /// A soft row: its body takes it over.
  ZWANG_INLINE void add_soft(Index body, Level<S>& x, const Force<S>& K, const S& l, const S& R) {
    r_.slot[r_.m] = -1;
    const S stiffness = Uniform<S>(1) / R;
    absorb(body, x, K, l, stiffness);
    remember(body, K, l, R, stiffness);
  }
  ZWANG_INLINE void enter(Index body, Level<S>& x) {
    r_.live_begin[body] = r_.live_top;
    used_ = lanes;  // rows of another body go into another block
    attach_(body, x, *this);
  }
  /// All rows of the subtree are known: its list, and room for w of the joint's columns.
  ZWANG_INLINE void leave(Index body) {
    const Index begin = r_.live_begin[body], count = r_.live_top - begin;
    r_.list_size[body] = count;
    if (last_begin_ != begin) {  // the child's list serves a body that adds no rows and has one child
      r_.list_begin[body] = static_cast<Index>(r_.list_top);
      for (Index j = 0; j < count; ++j) r_.list[static_cast<Index>(r_.list_top) + j] = r_.live[begin + j];
      r_.list_top += count;
      last_begin_ = begin;
    } else {
      r_.list_begin[body] = static_cast<Index>(r_.list_top) - count;
    }
    r_.w_begin[body] = r_.w_top;
    r_.w_top += static_cast<long>(tree_.body[body].nv) * count;
    if (r_.early) r_.event_begin[body] = r_.event_end[body] = r_.events;
  }

  ZWANG_INLINE void column(Index k, const Eliminated<S>& e) {
    const Index body = tree_.column[k].body, count = r_.list_size[body];
    if (count == 0) return;
    const Index* const list = r_.list_of(body);
    Rows* const w = w_of(tree_, r_, k);
    const S linear = dot(e.s.v, e.s.v) * e.inv_D, angular = dot(e.s.w, e.s.w) * e.inv_D;
    for (Index j = 0; j < count; ++j) {
      const Index b = list[j];
      Force<Rows>& K = r_.K[b];
      w[j] = dot(e.s.v, K.f) + dot(e.s.w, K.n);
      r_.bound[b] += r_.force2[b] * linear + r_.moment2[b] * angular;
      take(b, w[j], e);
    }
  }
  /// A prescribed column: nothing gives way, l += w q''.
  ZWANG_INLINE void given(Index k, const Eliminated<S>& e) {
    const Index body = tree_.column[k].body, count = r_.list_size[body];
    const Index* const list = r_.list_of(body);
    Rows* const w = w_of(tree_, r_, k);
    for (Index j = 0; j < count; ++j) {
      const Force<Rows>& K = r_.K[list[j]];
      w[j] = dot(e.s.v, K.f) + dot(e.s.w, K.n);
      r_.l[list[j]] += w[j] * e.u;
    }
  }
  /// All columns of a joint have been eliminated: Lambda += sum of w w^T / D, each entry read and written once.
  ZWANG_INLINE void joint(Index body, Index first, Index columns, const Buffer<Eliminated<S>>& column, Level<S>& up) {
    const Index count = r_.list_size[body];
    if (count == 0) return;
    const Index* const list = r_.list_of(body);
    const Rows* const w = w_of(tree_, r_, first);
    for (Index j = 0; j < count; ++j)
      for (Index r = 0; r < r_.filled[list[j]]; ++r) {
        S h[max_joint_columns];
        for (Index k = 0; k < columns; ++k) h[k] = lane<S>(w + k * count + j, r) * column[first + k].inv_D;
        Rows* const row = &r_.Lambda[(list[j] * lanes + r) * r_.max_blocks];
        for (Index i = 0; i <= j; ++i) {
          Rows sum = row[list[i]];
          for (Index k = 0; k < columns; ++k) sum += w[k * count + i] * h[k];
          row[list[i]] = sum;
        }
      }
    if constexpr (std::is_floating_point_v<S>)
      if (r_.early && tree_.body[body].parent != 0 && eliminate_early(r_, body, up)) last_begin_ = -1;
  }
  /// A postponed column: its coupling with the rows.
  ZWANG_INLINE void defer(Index y, Index body, const Motion<S>& s, const S& g) {
    const S linear = dot(s.v, s.v) * g * g, angular = dot(s.w, s.w) * g * g;
    for_each_block(body, [&](Index, Index b) {
      const Force<Rows>& K = r_.K[b];
      r_.coupling[y * r_.max_blocks + b] += (dot(s.v, K.f) + dot(s.w, K.n)) * g;
      r_.coupling_bound[y * r_.max_blocks + b] += r_.force2[b] * linear + r_.moment2[b] * angular;
    });
  }
  ZWANG_INLINE void couple(Index y, Index k, const S& f) {
    const Rows* const w = w_of(tree_, r_, k);
    for_each_block(tree_.column[k].body, [&](Index j, Index b) { r_.coupling[y * r_.max_blocks + b] -= w[j] * f; });
  }
  ZWANG_INLINE void shared(Index y, Index body, const Eliminated<S>& e) {
    const Rows* const w = &r_.coupling[y * r_.max_blocks];
    const auto take_part = [&](Index b) {
      r_.bound[b] += r_.coupling_bound[y * r_.max_blocks + b] * e.inv_D;
      take(b, w[b], e);
      for (Index r = 0; r < r_.filled[b]; ++r) {
        const S h = lane<S>(w + b, r) * e.inv_D;
        Rows* const row = &r_.Lambda[(b * lanes + r) * r_.max_blocks];
        for (Index c = 0; c <= b; ++c) row[c] += w[c] * h;
      }
    };
    if (body > 0)
      for_each_block(body, [&](Index, Index b) { take_part(b); });
    else
      for (Index b = 0; b < r_.blocks; ++b) take_part(b);
  }
  ZWANG_INLINE void couple_shared(Index z, Index y, const S& f) {
    for (Index b = 0; b < r_.blocks; ++b) r_.coupling[z * r_.max_blocks + b] -= r_.coupling[y * r_.max_blocks + b] * f;
  }
  ZWANG_INLINE void solve() {
    for (Index j = 0; j < r_.live_top; ++j)
      for (Index r = 0, b = r_.live[j]; r < r_.filled[b]; ++r)
        if (!r_.gone[b * lanes + r]) r_.root_slot[r_.root_rows++] = b * lanes + r;
    if (r_.m > 0) root_(r_);
  }
  ZWANG_INLINE void descend(Index body, const Motion<S>& a) {
    if constexpr (std::is_floating_point_v<S>)
      if (r_.early) recover_early(r_, body, a);
  }
  ZWANG_INLINE S push(Index k) { return r_.pushed[k] = row_product(tree_, r_, k); }
  ZWANG_INLINE S pushed(Index k) const { return r_.pushed[k]; }
  ZWANG_INLINE S push_shared(Index y) {
    if (r_.blocks == 0) return r_.pushed_shared[y] = S(0);
    const Rows* const w = &r_.coupling[y * r_.max_blocks];
    Rows x = w[0] * r_.lambda[0];
    for (Index b = 1; b < r_.blocks; ++b) x += w[b] * r_.lambda[b];
    return r_.pushed_shared[y] = lane_sum<S>(x);
  }

 private:
  void next_block() {
    const Index b = r_.blocks++;
    r_.K[b] = {Vec3<Rows>::zero(), Vec3<Rows>::zero()};
    r_.l[b] = r_.bound[b] = r_.force2[b] = r_.moment2[b] = r_.lambda[b] = Rows(Uniform<S>(0));
    for (Index r = 0; r < lanes; ++r) {
      r_.gone[b * lanes + r] = 0;
      for (Index c = 0; c <= b; ++c) r_.Lambda[(b * lanes + r) * r_.max_blocks + c] = Rows(Uniform<S>(0));
    }
    r_.live[r_.live_top++] = b;
    last_begin_ = -1;
    used_ = 0;
  }
  ZWANG_INLINE void remember(Index body, const Force<S>& K, const S& l, const S& R, const S& stiffness) {
    r_.K0[r_.m] = K;
    r_.l0[r_.m] = l;
    r_.compliance[r_.m] = R;
    r_.stiffness[r_.m] = stiffness;
    r_.body[r_.m++] = body;
  }
  /// I_A += K g K^T, p_A += K g l
  ZWANG_INLINE void absorb(Index body, Level<S>& x, const Force<S>& K, const S& l, const S& g) {
    if (body == 0) return;  // the ground does not give way
    absorb_row(x, K, l, g);
  }
  template <class F> ZWANG_INLINE void for_each_block(Index body, F&& f) {
    const Index* const list = r_.list_of(body);
    for (Index j = 0; j < r_.list_size[body]; ++j) f(j, list[j]);
  }
  /// l += w u;  K -= U w / D
  ZWANG_INLINE void take(Index b, const Rows& w, const Eliminated<S>& e) {
    Force<Rows>& K = r_.K[b];
    const Rows g = w * e.inv_D;
    r_.l[b] += w * e.u;
    K.f.x -= g * e.U.f.x;
    K.f.y -= g * e.U.f.y;
    K.f.z -= g * e.U.f.z;
    K.n.x -= g * e.U.n.x;
    K.n.y -= g * e.U.n.y;
    K.n.z -= g * e.U.n.z;
  }
  const Tree<Uniform<S>>& tree_;
  RowStage<S>& r_;
  Attach& attach_;
  Root& root_;
  const bool stiffen_ = value_of(r_.stiffening_mass) > 0;
  Index used_ = lanes;
  Index last_begin_ = -1;  ///< of the list appended last, while nothing has changed since
};

/// LDL^T by selection, for every scalar: a pivot below `tolerance` of its bound drops its row (lambda = 0 there).
/// A is the lower triangle and is overwritten; x is b in and lambda out.
template <class S> void solve_by_selection(Index m, S* A, Index stride, const S* bound, Uniform<S> tolerance, S* x) {
  for (Index j = 0; j < m; ++j) {
    const S d = A[j * stride + j];
    const auto keep = less(bound[j] * tolerance, d);
    const S inv = select(keep, S(Uniform<S>(1)) / select(keep, d, S(Uniform<S>(1))), S(Uniform<S>(0)));
    A[j * stride + j] = inv;
    for (Index i = j + 1; i < m; ++i) {
      const S g = A[i * stride + j] * inv;
      for (Index k = j + 1; k <= i; ++k) A[i * stride + k] -= g * A[k * stride + j];
      x[i] -= g * x[j];
    }
  }
  for (Index j = m - 1; j >= 0; --j) {
    S s = x[j];
    for (Index i = j + 1; i < m; ++i) s -= A[i * stride + j] * x[i];
    x[j] = s * A[j * stride + j];
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
