// SPDX-License-Identifier: BSD-3-Clause
// The mass matrix, its inverse and solves with it for states in lanes. A matrix of packs is larger than the fast
// caches: every entry is written once, directly to the caller's memory if that is in tiles.
//
// These are separate from page/mass_matrix.hpp, tree_cholesky.hpp and articulated_inverse.hpp, which put bodies and
// columns of one state side by side; a test holds both equal. Not for coordinates that joints share.
#pragma once
#include <cstdint>

#include "core/instructions.hpp"
#include "kernels/batch.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

/// Destination of the entries of an nv x nv matrix of packs: the caller's tiles,
/// or w.out and from there the caller's rows.
template <class S> class MatrixOut {
 public:
  using T = Uniform<S>;
  MatrixOut(Workspace<S>& w, const BatchCall<T>& c) : w_(w), c_(c), n_(w.data.tree().nv) {
    const StateArray<T>& out = c.out[0];
    tiles_ = out.lane == 1 && w.state + lanes_of<S> <= c.states;
    at_ = tiles_ ? of_state(out, w.state) : reinterpret_cast<T*>(w.out.data());
    step_ = tiles_ ? out.number : lanes_of<S>;
    streams_ = tiles_ && static_cast<double>(c.states) * out.size * sizeof(T) > k_beyond_caches &&
               reinterpret_cast<std::uintptr_t>(at_) % sizeof(S) == 0 && step_ % lanes_of<S> == 0;
  }
  ~MatrixOut() {
    if (streams_) end_stream();
    if (!tiles_) store_states(static_cast<const S*>(w_.out.data()), c_.out[0], w_.state, c_.states);
    w_.written = true;
  }
  MatrixOut(const MatrixOut&) = delete;
  MatrixOut& operator=(const MatrixOut&) = delete;

  ZWANG_INLINE void diagonal(Index k, const S& x) {
    w_.overflow += x * T(0);
    put(k, k, x);
  }
  /// An entry and its mirror image.
  ZWANG_INLINE void both(Index j, Index k, const S& x) {
    w_.overflow += x * T(0);
    put(j, k, x);
    put(k, j, x);
  }
  ZWANG_INLINE void none(Index j, Index k) {
    put(j, k, S(T(0)));
    put(k, j, S(T(0)));
  }

 private:
  ZWANG_INLINE void put(Index j, Index k, const S& x) {
    T* const p = at_ + (j * n_ + k) * step_;
    if (streams_)
      stream(p, x);
    else
      x.store(p);
  }
  Workspace<S>& w_;
  const BatchCall<T>& c_;
  static constexpr double k_beyond_caches = 4e6;  // bytes: beside them nothing else would stay in a cache of one core
  const long n_;
  bool tiles_, streams_;
  T* at_;
  long step_;
};

/// A body's inertia in world axes about the branch's centre.
template <class S> ZWANG_INLINE Inertia<S> inertia_in_world(const BasicData<S>& data, Index i) {
  const Transform<S>& X = data.position.placement[i];
  const Inertia<Uniform<S>>& J = data.inertia[i];
  const Vec3<S> h = X.R * J.h, mc = X.p * J.m + h;
  return {S(J.m), mc, shifted(congruence(X.R, J.I), X.p, h, mc)};
}

/// M by composite rigid bodies: Featherstone 2008, table 6.2, from the tips to the root.
template <class S> ZWANG_INLINE void mass_matrix_of(Workspace<S>& w, MatrixOut<S>&& M) {
  BasicData<S>& data = w.data;
  const auto& tree = data.tree();
  page::columns(data, w.q.data());
  for (Index i = tree.n; i > 0; --i) {
    const auto& b = tree.body[i];
    Inertia<S>& I = w.composite[i];
    if (w.joined[i])
      I += inertia_in_world(data, i);
    else
      I = inertia_in_world(data, i);
    w.joined[i] = false;
    for (Index k = b.v + b.nv - 1; k >= b.v; --k) {
      const Force<S> F = I * data.articulated.column[k].s;
      M.diagonal(k, dot(data.articulated.column[k].s, F) + column_inertia(data, k));
      for (Index j = k - 1; j >= 0; --j)
        if (tree.column[j].end > k)
          M.both(j, k, dot(data.articulated.column[j].s, F));
        else
          M.none(j, k);
    }
    if (b.parent == 0) continue;
    if (w.joined[b.parent])
      w.composite[b.parent] += I;
    else
      w.composite[b.parent] = I;
    w.joined[b.parent] = true;
  }
}

/// The columns after their elimination at rest: U, 1/D. forward_dynamics.hpp without forces.
template <class S> ZWANG_INLINE void articulated_columns(Workspace<S>& w) {
  BasicData<S>& data = w.data;
  const auto& tree = data.tree();
  page::columns(data, w.q.data());
  Level<S>* const level = data.level.data();
  data.articulated.gross_ratio = S(Uniform<S>(0));
  depth_first(
      tree,
      [&](const auto& b, Index i) ZWANG_LAMBDA {
        Level<S>& x = level[b.depth];
        const Inertia<S> I = inertia_in_world(data, i);
        x.IA.M = Sym3<S>::diagonal(I.m, I.m, I.m);
        x.IA.Ht = skew(I.h);
        x.IA.I = I.I;
        x.gross_mass = I.m;
        x.gross_moment = trace(I.I);
      },
      [&](const auto& b, Index) ZWANG_LAMBDA {
        Level<S>&x = level[b.depth], &up = level[b.depth - 1];
        for (Index k = b.v + b.nv - 1; k >= b.v; --k) {
          Eliminated<S>& e = data.articulated.column[k];
          const S D = enter_column(data, k, x);
          e.inv_D = Uniform<S>(1) / D;
          note_inertia(data.articulated, k, gross_inertia(x, e.s), D, e.inv_D);
          const auto G = e.U * e.inv_D;
          if (k > b.v)
            subtract_outer(x.IA, G, e.U);
          else if (b.parent != 0)
            add_minus_outer(up.IA, x.IA, G, e.U);
        }
        if (b.parent == 0) return;
        up.gross_mass += x.gross_mass;
        up.gross_moment += x.gross_moment;
        if (b.nv == 0) up.IA += x.IA;
      });
  if (any(page::is_doubtful(data))) articulated_columns_again(w);
}

template <class S> void keep_columns(Workspace<S>& w) {
  for (Index k = 0; k < w.data.tree().nv; ++k) w.columns[k] = w.data.articulated.column[k];
}
/// The columns that were kept, in the lanes without doubt.
template <class S, class Mask> void restore_columns(Workspace<S>& w, const Mask& doubtful) {
  for (Index k = 0; k < w.data.tree().nv; ++k) {
    Eliminated<S>& e = w.data.articulated.column[k];
    const Eliminated<S>& before = w.columns[k];
    for (Index c = 0; c < 6; ++c) e.U[c] = select(doubtful, e.U[c], before.U[c]);
    e.inv_D = select(doubtful, e.inv_D, before.inv_D);
  }
}
/// The columns again, with care, in the lanes where they were doubtful.
template <class S> [[gnu::noinline]] void articulated_columns_again(Workspace<S>& w) {
  BasicData<S>& data = w.data;
  const Index nv = data.tree().nv;
  const auto doubtful = page::is_doubtful(data);
  S *const zero = w.x.data(), *const qdd = zero + nv;
  for (Index k = 0; k < nv; ++k) zero[k] = S(Uniform<S>(0));
  keep_columns(w);
  page::NoRiders<S> none;
  data.articulated.has_given = false;
  data.articulated.is_careful = true;
  page::articulated_sweep(data, w.q.data(), zero, zero, qdd, none);
  data.articulated.is_careful = false;
  restore_columns(w, doubtful);
}

/// M^-1 by articulated bodies, where their columns are eliminated: Carpentier 2018. Column c: a unit torque there gives
/// its path u, and all columns before it move. `inverse` is written like a MatrixOut.
template <class S, class Out> ZWANG_INLINE void inverse_of_columns(Workspace<S>& w, Out&& inverse) {
  BasicData<S>& data = w.data;
  const auto& tree = data.tree();
  const Eliminated<S>* const column = data.articulated.column.data();
  Motion<S>* const acceleration = w.acceleration.data();
  S* const u = w.x.data();
  for (Index c = 0; c < tree.nv; ++c) {
    Index top = c;
    Force<S> p = column[c].U * column[c].inv_D;
    u[c] = column[c].inv_D;
    for (Index k = tree.column[c].parent; k >= 0; k = tree.column[k].parent) {
      const S y = -dot(column[k].s, p);
      u[k] = y * column[k].inv_D;
      p += column[k].U * u[k];
      top = k;
    }
    for (Index k = 0; k < top; ++k) inverse.none(k, c);  // of other branches on the ground
    Motion<S> a = Motion<S>::zero();
    for (Index k = top; k <= c; ++k) {
      const Eliminated<S>& e = column[k];
      const Index parent = tree.column[k].parent;
      if (k == top)
        a = Motion<S>::zero();
      else if (parent != k - 1)
        a = acceleration[parent];
      S x = -dot(a, e.U) * e.inv_D;
      if (tree.column[k].end > c) x += u[k];
      a += e.s * x;
      acceleration[k] = a;
      if (k < c)
        inverse.both(k, c, x);
      else
        inverse.diagonal(c, x);
    }
  }
}

template <class S> ZWANG_INLINE void mass_matrix_inverse_of(Workspace<S>& w, MatrixOut<S>&& inverse) {
  articulated_columns(w);
  inverse_of_columns(w, inverse);
}

/// x = M^-1 b where the columns are eliminated: forward dynamics at rest and without gravity. x may be b.
template <class S> ZWANG_INLINE void solve_with_columns(Workspace<S>& w, const S* b, S* x) {
  BasicData<S>& data = w.data;
  const auto& tree = data.tree();
  const Eliminated<S>* const column = data.articulated.column.data();
  Motion<S>* const carried = w.acceleration.data();  // inward it holds forces
  for (Index k = 0; k < tree.nv; ++k) carried[k] = Motion<S>::zero();
  for (Index k = tree.nv - 1; k >= 0; --k) {
    const Eliminated<S>& e = column[k];
    Force<S> p{carried[k].v, carried[k].w};
    x[k] = (b[k] - dot(e.s, p)) * e.inv_D;
    const Index parent = tree.column[k].parent;
    if (parent < 0) continue;
    p += e.U * x[k];
    carried[parent].v += p.f;
    carried[parent].w += p.n;
  }
  for (Index k = 0; k < tree.nv; ++k) {
    const Eliminated<S>& e = column[k];
    const Index parent = tree.column[k].parent;
    carried[k] = parent >= 0 ? carried[parent] : Motion<S>::zero();
    x[k] -= dot(carried[k], e.U) * e.inv_D;
    carried[k] += e.s * x[k];
  }
}

template <class S> ZWANG_INLINE void mass_matrix_solve_of(Workspace<S>& w, const S* b, S* x) {
  articulated_columns(w);
  solve_with_columns(w, b, x);
}

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
