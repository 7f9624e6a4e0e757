// SPDX-License-Identifier: BSD-3-Clause
// G = J M^-1 J^T by PV-OSIMr: Sathya, Decre & Swevers 2024 (IEEE Robotics and Automation Letters; arXiv 2310.03676),
// after Popov & Vereshchagin 1978 and Wensing, Featherstone & Orin 2012.
//
//   nodes    bodies that rows act on, and bodies where paths of rows meet; anc(d): the next node towards the root
//   inward   from node d to anc(d), a unit wrench a row of P:    z = P s;   Lambda += z z^T / D;   P -= z U^T / D
//   outward  inverse inertia of the node's body:    Omega_d = Lambda_d + P_d Omega_anc P_d^T     (root: Lambda_d)
//   rows     A of a block of rows: K at its own node, A P at the next
//            where A_b and A_c meet, at node g:    G_bc = A_b Omega_g A_c^T
// DIFFERS: P starts with unit wrenches at the body's own origin and arrives as wrenches at that of the next node, so
// that no digits are lost where light bodies are far from the root; one column at a time, as in forward_dynamics.hpp; a
// row between bodies is the sum over its bodies. Not for rows on a branch of joints that share a coordinate, below the
// body where these branches meet (shared.hpp).
// Reads position and the columns that forward_dynamics has left. Cost O(n + p^2), p rows counted on each of their
// bodies. Allocates nothing.
#pragma once
#include "factor/page/row_blocks.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

template <class S> struct OsimrNode {
  using Rows = typename RowLanes<S>::type;
  Force<Rows> P;
  SixBySix<S> Omega;  ///< Lambda during the inward pass
  Index body, anc;    ///< anc: -1 for nodes that hang on the ground
  Index first_block, own_end, end_block;
  Index first_child, next;  ///< by ascending body; -1: none
};

template <class S> struct OsimrStage {
  using Rows = typename RowLanes<S>::type;
  Index nodes = 0;
  Buffer<OsimrNode<S>> node;  ///< [2 x blocks], by descending body
  Buffer<Index> arrived;      ///< [n+1] first of the nodes whose wrenches have reached the body, or -1
  Buffer<Force<Rows>> A, T;   ///< [blocks]
  OsimrStage() = default;
  OsimrStage(Index n, Index blocks) : node(2 * blocks), arrived(n + 1), A(blocks), T(blocks) {}
};

template <class S> class PvOsimr {
 public:
  using Rows = typename RowLanes<S>::type;
  PvOsimr(const BasicData<S>& data, const RowBlocks<S>& rows, OsimrStage<S>& stage)
      : data_(data),
        tree_(data.tree()),
        rows_(rows),
        x_(stage) {}

  void operator()(const DelassusOut<S>& out) {
    out.clear();
    inward();
    outward();
    meet(out);
  }

 private:
  void inward() {
    x_.nodes = 0;
    for (Index i = 0; i <= tree_.n; ++i) x_.arrived[i] = -1;
    Index block = rows_.count;
    for (Index i = tree_.n; i > 0; --i) {
      const Index own_end = block;
      while (block > 0 && rows_.block[block - 1].body == i) --block;
      Index d = x_.arrived[i];
      if (block < own_end || (d >= 0 && x_.node[d].next >= 0)) d = start(i, block, own_end);
      if (d < 0) continue;
      OsimrNode<S>& x = x_.node[d];
      for (Index k = tree_.body[i].v + tree_.body[i].nv - 1; k >= tree_.body[i].v; --k) carry(x, k);
      const Index parent = tree_.body[i].parent;
      x.next = x_.arrived[parent];
      x_.arrived[parent] = d;
    }
  }
  /// Makes a node at body i; the nodes that have arrived become its children.
  Index start(Index i, Index first_block, Index own_end) {
    const Index d = x_.nodes++;
    OsimrNode<S>& x = x_.node[d];
    const Vec3<S>& p = data_.position.placement[i].p;
    x.Omega.clear();
    x.body = i;
    x.anc = -1;
    x.first_block = first_block;
    x.own_end = x.end_block = own_end;
    x.first_child = x_.arrived[i];
    for (Index c = x.first_child; c >= 0; c = x_.node[c].next) {
      x_.node[c].anc = d;
      x_.node[c].P = with_reference_point(x_.node[c].P, p);
      x.end_block = x_.node[c].end_block;
    }
    // Unit forces e: [e; p x e]. Unit moments e: [0; e].
    S unit[6][RowLanes<S>::count] = {};
    for (Index c = 0; c < 6; ++c) unit[c][c] = S(1);
    unit[3][1] = -p.z, unit[3][2] = p.y;
    unit[4][0] = p.z, unit[4][2] = -p.x;
    unit[5][0] = -p.y, unit[5][1] = p.x;
    for (int c = 0; c < 6; ++c) x.P[c] = Rows::load(unit[c]);
    return d;
  }
  void carry(OsimrNode<S>& x, Index k) const {
    const Eliminated<S>& e = data_.articulated.column[k];
    const Rows z = dot(e.s.v, x.P.f) + dot(e.s.w, x.P.n), g = z * e.inv_D;
    for (Index r = 0; r < 6; ++r) x.Omega.row[r] += z * lane<S>(&g, r);
    x.P.f.x -= g * e.U.f.x;
    x.P.f.y -= g * e.U.f.y;
    x.P.f.z -= g * e.U.f.z;
    x.P.n.x -= g * e.U.n.x;
    x.P.n.y -= g * e.U.n.y;
    x.P.n.z -= g * e.U.n.z;
  }
  void outward() {
    for (Index d = x_.nodes; d-- > 0;) {
      OsimrNode<S>& x = x_.node[d];
      if (x.anc < 0) continue;
      const Force<Rows> T = product<S>(x.P, x_.node[x.anc].Omega);
      for (Index r = 0; r < 6; ++r) x.Omega.row[r] += row_of_product<S>(T, r, x.P);
    }
  }
  void meet(const DelassusOut<S>& out) {
    for (Index d = 0; d < x_.nodes; ++d) {
      const OsimrNode<S>& x = x_.node[d];
      const Vec3<S>& p = data_.position.placement[x.body].p;
      for (Index b = x.first_block; b < x.own_end; ++b) x_.A[b] = with_reference_point(rows_.block[b].K, p);
      for (Index c = x.first_child; c >= 0; c = x_.node[c].next)
        for (Index b = x_.node[c].first_block; b < x_.node[c].end_block; ++b) x_.A[b] = carried(x_.A[b], x_.node[c].P);
      Index child = x.first_child;
      add_meeting(out, rows_.block, x_.A.data(), x_.T.data(), x.Omega, x.first_block, x.own_end, x.end_block,
                  [&](Index) {
                    const Index end = x_.node[child].end_block;
                    child = x_.node[child].next;
                    return end;
                  });
    }
  }
  /// A P: the wrench that each row of A forms from the six rows of P.
  static Force<Rows> carried(const Force<Rows>& A, const Force<Rows>& P) {
    Force<Rows> B;
    for (int c = 0; c < 6; ++c) {
      Rows x = A.f.x * lane<S>(&P[c], 0);
      x += A.f.y * lane<S>(&P[c], 1);
      x += A.f.z * lane<S>(&P[c], 2);
      x += A.n.x * lane<S>(&P[c], 3);
      x += A.n.y * lane<S>(&P[c], 4);
      B[c] = x + A.n.z * lane<S>(&P[c], 5);
    }
    return B;
  }

  const BasicData<S>& data_;
  const Tree<Uniform<S>>& tree_;
  const RowBlocks<S>& rows_;
  OsimrStage<S>& x_;
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
