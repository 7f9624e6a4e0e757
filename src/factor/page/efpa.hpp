// SPDX-License-Identifier: BSD-3-Clause
// G = J M^-1 J^T by extended force propagators: Wensing, Featherstone & Orin 2012 (ICRA), A reduced-order recursive
// algorithm for the computation of the operational-space inertia matrix.
//
//   outward  inverse inertia of every body that rows depend on:
//            Omega_i = L Omega_p(i) L^T + s s^T / D,  L = 1 - s U^T / D
//   inward   rows carried to every body towards the root:         X -= (X s) U^T / D
//   where the rows of b and c meet, at body g:                    G_bc = X_b Omega_g X_c^T
// DIFFERS: the rows themselves are carried instead of 6 x 6 propagators; Omega is about the origin of each body and L
// is two rank-one updates per column, so that no digits are lost where light bodies are far from the root. Not for rows
// on a branch of joints that share a coordinate, below the body where these meet (shared.hpp).
// Reads position and the columns that forward_dynamics has left. Cost O(n + p d + p^2), p rows counted on each of their
// bodies. Allocates nothing.
#pragma once
#include "factor/page/row_blocks.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

template <class S> struct EfpaStage {
  using Rows = typename RowLanes<S>::type;
  Buffer<SixBySix<S>> Omega;    ///< [n+1]
  Buffer<Index> first, end;     ///< [n+1] blocks of the body's subtree
  Buffer<Index> child, next;    ///< [n+1] first child with rows in its subtree, and the one after it; 0: none
  Buffer<Force<Rows>> X, A, T;  ///< [blocks] carried, about the centre; about a body's origin; times Omega
  EfpaStage() = default;
  EfpaStage(Index n, Index blocks)
      : Omega(n + 1),
        first(n + 1),
        end(n + 1),
        child(n + 1),
        next(n + 1),
        X(blocks),
        A(blocks),
        T(blocks) {}
};

template <class S> class Efpa {
 public:
  using Rows = typename RowLanes<S>::type;
  Efpa(const BasicData<S>& data, const RowBlocks<S>& rows, EfpaStage<S>& stage)
      : data_(data),
        tree_(data.tree()),
        rows_(rows),
        x_(stage) {}

  void operator()(const DelassusOut<S>& out) {
    out.clear();
    find_supports();
    outward();
    inward(out);
  }

 private:
  void find_supports() {
    Index block = rows_.count;
    for (Index i = 0; i <= tree_.n; ++i) x_.child[i] = 0;
    for (Index i = tree_.n; i > 0; --i) {
      while (block > 0 && rows_.block[block - 1].body == i) --block;
      x_.first[i] = block;
      const Index after = tree_.body[i].last, parent = tree_.body[i].parent;
      x_.end[i] = after <= tree_.n ? x_.first[after] : rows_.count;
      if (!supports(i)) continue;
      x_.next[i] = x_.child[parent];
      x_.child[parent] = i;
    }
  }
  bool supports(Index i) const { return x_.first[i] < x_.end[i]; }

  void outward() {
    x_.Omega[0].clear();
    for (Index i = 1; i <= tree_.n; ++i) {
      if (!supports(i)) continue;
      const auto& b = tree_.body[i];
      SixBySix<S>& Omega = x_.Omega[i];
      const Vec3<S>& p = data_.position.placement[i].p;
      Omega = x_.Omega[b.parent];
      if (b.parent > 0) shift(Omega, p - data_.position.placement[b.parent].p);
      for (Index k = b.v; k < b.v + b.nv; ++k) take_column(Omega, data_.articulated.column[k], p);
    }
  }
  /// Change of reference point by r: v' = v + w x r, on both sides.
  static void shift(SixBySix<S>& Omega, const Vec3<S>& r) {
    for (int side = 0; side < 2; ++side) {
      Rows x[8];
      for (int c = 0; c < 6; ++c) x[c] = Omega.row[c];
      x[6] = x[7] = Rows(S(0));
      x[0] += x[4] * r.z - x[5] * r.y;
      x[1] += x[5] * r.x - x[3] * r.z;
      x[2] += x[3] * r.y - x[4] * r.x;
      transpose(x);
      for (int c = 0; c < 6; ++c) Omega.row[c] = x[c];
    }
  }
  /// Omega - (s y^T + y s^T) / D + s s^T (U^T y / D + 1) / D with y = Omega U.
  static void take_column(SixBySix<S>& Omega, const Eliminated<S>& e, const Vec3<S>& p) {
    const Vec3<S> v = Vec3<S>(e.s.v) + cross(Vec3<S>(e.s.w), p);
    const Force<S> U = with_reference_point(Force<S>{e.U.f, e.U.n}, p);
    const S column[RowLanes<S>::count] = {v.x, v.y, v.z, e.s.w.x, e.s.w.y, e.s.w.z};
    const Rows s = Rows::load(column);
    Rows y = Omega.row[0] * U.f.x;
    y += Omega.row[1] * U.f.y;
    y += Omega.row[2] * U.f.z;
    y += Omega.row[3] * U.n.x;
    y += Omega.row[4] * U.n.y;
    y += Omega.row[5] * U.n.z;
    S Uy(0);
    for (int c = 0; c < 6; ++c) Uy += U[c] * lane<S>(&y, c);
    const Rows along = s * ((Uy * e.inv_D + S(1)) * e.inv_D) - y * e.inv_D, back = s * e.inv_D;
    for (int r = 0; r < 6; ++r) Omega.row[r] += along * lane<S>(&s, r) - back * lane<S>(&y, r);
  }
  void inward(const DelassusOut<S>& out) {
    for (Index b = 0; b < rows_.count; ++b) x_.X[b] = rows_.block[b].K;
    for (Index i = tree_.n; i > 0; --i) {
      if (!supports(i)) continue;
      const Index first = x_.first[i], end = x_.end[i];
      Index own_end = first;
      while (own_end < end && rows_.block[own_end].body == i) ++own_end;
      Index child = x_.child[i];
      if (own_end > first || x_.next[child] > 0) {
        const Vec3<S>& p = data_.position.placement[i].p;
        for (Index b = first; b < end; ++b) x_.A[b] = with_reference_point(x_.X[b], p);
        add_meeting(out, rows_.block, x_.A.data(), x_.T.data(), x_.Omega[i], first, own_end, end, [&](Index) {
          const Index group_end = x_.end[child];
          child = x_.next[child];
          return group_end;
        });
      }
      for (Index k = tree_.body[i].v + tree_.body[i].nv - 1; k >= tree_.body[i].v; --k) {
        const Eliminated<S>& e = data_.articulated.column[k];
        for (Index b = first; b < end; ++b) carry(x_.X[b], e);
      }
    }
  }
  static void carry(Force<Rows>& X, const Eliminated<S>& e) {
    const Rows g = (dot(e.s.v, X.f) + dot(e.s.w, X.n)) * e.inv_D;
    X.f.x -= g * e.U.f.x;
    X.f.y -= g * e.U.f.y;
    X.f.z -= g * e.U.f.z;
    X.n.x -= g * e.U.n.x;
    X.n.y -= g * e.U.n.y;
    X.n.z -= g * e.U.n.z;
  }

  const BasicData<S>& data_;
  const Tree<Uniform<S>>& tree_;
  const RowBlocks<S>& rows_;
  EfpaStage<S>& x_;
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
