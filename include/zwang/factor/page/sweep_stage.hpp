// SPDX-License-Identifier: BSD-3-Clause
// SweepStage: what the sweep of row_riders.hpp keeps of the rows that travel with it, for one state.
//
// Rows are stored side by side in blocks of SIMD lanes. The rows of one body travel as a *strand*: they fill some lanes
// of a block; the other lanes are zero. Strands of several bodies may share a block; where their paths meet, they are
// added and travel on as one. A row between two bodies has a strand from each body, in the same lanes: where they meet,
// their sum is the row. The blocks alive in a body's subtree are kept as a list, because rows may be eliminated on the
// way; w of a joint's columns is stored densely for that list, so that memory and time follow the paths of the rows
// only.
#pragma once
#include "zwang/core/stop.hpp"
#include "zwang/rows/page/attach.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// A direction of a block that was eliminated before the root: lambda = -(K a + l + coupled^T lambda) / sigma.
template <class S> struct EarlyStep {
  Index lane;
  Force<S> K;
  S sigma, l;
  Index coupled;  ///< index of the first of its couplings with the blocks alive at that time
};
/// The rotation of a block after which some directions are stiff enough for elimination:
/// lambda_before = Q lambda_after.
template <class S> struct EarlyEvent {
  Index body, block, first_step, steps;
  Index list, count;  ///< blocks alive at that time
  S Q[RowLanes<S>::count * RowLanes<S>::count];
};

/// Strands as carried. The strand of the body that opened block b has number b; others are numbered down from the end.
template <class S> struct StrandNumbers {
  using Side = typename RowLanes<S>::type;
  StrandNumbers() = default;
  explicit StrandNumbers(Index n)
      : most(n),
        K(n),
        l(n),
        force2(n),
        moment2(n),
        bound(n),
        block_of(n),
        lane_begin(n),
        filled(n) {}
  Index most = 0;
  Index guests = 0;       ///< strands other than those that opened a block
  Buffer<Force<Side>> K;  ///< [strands]
  Buffer<Side> l;         ///< [strands]
  /// [strands] squares of |k_lin| and of |k_ang|, |p| |k_lin| as attached: the scale of K's rounding.
  Buffer<Side> force2, moment2;
  Buffer<Side> bound;                ///< [strands] sum of |K|^2 |s|^2 / D: bound of Lambda_ii without cancellation
  Buffer<Index> block_of;            ///< [strands]
  Buffer<Index> lane_begin, filled;  ///< [strands] lanes in use
};

/// Blocks of rows, and Lambda between them.
template <class S> struct BlockNumbers {
  using Side = typename RowLanes<S>::type;
  static constexpr Index lanes = RowLanes<S>::count;
  BlockNumbers() = default;
  BlockNumbers(const RowRoom& r, Index shared)
      : most(r.blocks),
        Lambda(most * (most + 1) / 2 * lanes),
        coupling(shared * most),
        coupling_bound(shared * most),
        lambda(most),
        alive(most),
        gone(most * lanes),
        awaited(most),
        together(r.early ? most * most : 0) {}
  Index count = 0, most = 0;              ///< attached in this call; room
  Buffer<Side> Lambda;                    ///< lower triangle of blocks, see SweepStage::tile()
  Buffer<Side> coupling, coupling_bound;  ///< [shared x most] and |K|^2 |s|^2 of the columns behind it
  Buffer<Side> lambda;                    ///< [blocks]
  Buffer<Index> alive;                    ///< [blocks] lanes that were not eliminated
  Buffer<unsigned char> gone;             ///< [slots] eliminated
  /// [blocks] early: strands of other bodies not yet met; never_early: the block goes to the root.
  Buffer<Index> awaited;
  static constexpr Index never_early = 1 << 20;
  /// [blocks x blocks] early: the call in which two blocks were first alive together. Before it, their Lambda is not
  /// valid.
  Buffer<unsigned> together;
  unsigned call = 0;
};

/// The blocks alive at each body, and w of its columns.
template <class S> struct LiveBlocks {
  using Side = typename RowLanes<S>::type;
  LiveBlocks() = default;
  LiveBlocks(const RowRoom& r, Index bodies)
      : stack(r.most_groups()),
        begin(bodies + 1),
        list(static_cast<Index>(r.lists)),
        list_begin(bodies + 1),
        list_size(bodies + 1),
        w(static_cast<Index>(r.w)),
        w_begin(bodies + 1) {}
  Buffer<Index> stack;  ///< strands of the subtree being swept
  Index top = 0;        ///< of the stack
  Buffer<Index> begin;  ///< [n+1] height of the stack when the body was entered
  Buffer<Index> list;   ///< arena of the lists below
  long list_top = 0;
  Buffer<Index> list_begin, list_size;  ///< [n+1] blocks alive in each body's subtree while its joint was eliminated
  Buffer<Side> w;                       ///< arena: K s of each column for each block of its body's list
  long w_top = 0;
  Buffer<long> w_begin;  ///< [n+1]

  ZWANG_INLINE const Index* list_of(Index body) const { return list.data() + list_begin[body]; }
};

/// Rows at the root: hard ones, and soft ones between bodies, which are eliminated there before the hard ones.
template <class S> struct RowsAtRoot {
  using Side = typename RowLanes<S>::type;
  RowsAtRoot() = default;
  explicit RowsAtRoot(Index blocks)
      : slot(blocks * RowLanes<S>::count),
        soft_slot(blocks * RowLanes<S>::count),
        l_apart(blocks) {}
  Index count = 0, soft = 0;
  Buffer<Index> slot, soft_slot;
  Buffer<Side> l_apart;  ///< [blocks] l before soft rows were eliminated
};

/// Rows eliminated before the root.
template <class S> struct EarlyRows {
  EarlyRows() = default;
  EarlyRows(const RowRoom& r, Index bodies) {
    if (!r.early) return;
    event = Buffer<EarlyEvent<S>>(r.rows);
    step = Buffer<EarlyStep<S>>(r.rows);
    coupled = Buffer<typename RowLanes<S>::type>(r.rows * r.blocks);
    event_begin = event_end = Buffer<Index>(bodies + 1);
  }
  Index events = 0, steps = 0;
  Buffer<EarlyEvent<S>> event;
  Buffer<EarlyStep<S>> step;
  Buffer<typename RowLanes<S>::type> coupled;
  Index coupled_top = 0;
  Buffer<Index> event_begin, event_end;  ///< [n+1]
};

template <class S> struct SweepStage {
  using Side = typename RowLanes<S>::type;
  static constexpr Index lanes = RowLanes<S>::count;

  // Inputs.
  bool early = false;           ///< eliminate rows on the way where that is accurate
  bool bodies_to_root = false;  ///< early: but not rows on one body
  bool joined = false;          ///< some rows act on several bodies
  bool soft_travels = false;    ///< soft rows of one body go to the root, too: no inertia has 1/R in it
  Stop stop = {};               ///< once it says so, joints leave the rows alone: the sweep has no meaning
  /// Rows of unit size that travel add this inertia along themselves to their bodies, [kg] for forces and [kg] x
  /// length^2 for moments. The constrained motion is the same, and links without mass become regular if rows determine
  /// their motion. 0: none.
  S stiffening_mass = S(0), stiffening_length2 = S(1);

  StrandNumbers<S> strand;
  BlockNumbers<S> block;
  LiveBlocks<S> live;
  RowsAtRoot<S> root;
  EarlyRows<S> gone;
  Buffer<Index> slot;               ///< [m] block * lanes + lane of each row; -1 for local ones, which do not travel
  Buffer<S> stiffness;              ///< [m] added to the body: 1/R of local rows, or the stiffening of others
  Buffer<S> pushed, pushed_shared;  ///< [nv], [shared] w^T lambda of columns and shared coordinates
  bool motion_known = false;        ///< set by the root: it has written `pushed` and all of `lambda` itself

  SweepStage() = default;
  SweepStage(const Tree<Uniform<S>>& t, const RowRoom& r)
      : strand(r.most_groups()),
        block(r, t.shared_count),
        live(r, t.n),
        root(r.blocks),
        gone(r, t.n),
        slot(r.rows),
        stiffness(r.rows),
        pushed(t.spanning_nv),
        pushed_shared(t.shared_count) {}
  /// Room for `rows` rows on `bodies` bodies, with any bodies.
  static RowRoom anywhere(const Tree<Uniform<S>>& t, Index rows, Index bodies) {
    const Index blocks = rows / lanes + bodies + 1;
    return {
        rows, blocks, blocks + bodies, static_cast<long>(blocks) * t.spanning_nv, static_cast<long>(blocks) * (t.n + 1),
        0,    true};
  }
  /// Lambda of block b with block c <= b, one row of b each; the block with itself is stored whole.
  ZWANG_INLINE Side* tile(Index b, Index c) { return block.Lambda.data() + (b * (b + 1) / 2 + c) * lanes; }
  ZWANG_INLINE const Side* tile(Index b, Index c) const { return block.Lambda.data() + (b * (b + 1) / 2 + c) * lanes; }
};

/// The compliance of a soft row that has stiffened its body by s. With lambda = lambda' - s (K a + l), its equation
/// K a + l + R lambda = 0 is K a + l + R / (1 - s R) lambda' = 0.
template <class S> ZWANG_INLINE S rest_of_compliance(const S& R, const S& s) { return R / (Uniform<S>(1) - s * R); }

/// w of a joint's column for the blocks of its body's list.
template <class S> ZWANG_INLINE auto* w_of(const Tree<Uniform<S>>& tree, const SweepStage<S>& r, Index k) {
  const Index body = tree.column[k].body;
  return r.live.w.data() + r.live.w_begin[body] + static_cast<long>(k - tree.body[body].v) * r.live.list_size[body];
}
template <class S> ZWANG_INLINE auto* w_of(const Tree<Uniform<S>>& tree, SweepStage<S>& r, Index k) {
  const Index body = tree.column[k].body;
  return r.live.w.data() + r.live.w_begin[body] + static_cast<long>(k - tree.body[body].v) * r.live.list_size[body];
}
/// w^T lambda of a column.
template <class S> ZWANG_INLINE S row_product(const Tree<Uniform<S>>& tree, const SweepStage<S>& r, Index k) {
  const Index body = tree.column[k].body, count = r.live.list_size[body];
  if (count == 0) return S(0);
  const Index* const list = r.live.list_of(body);
  const auto* const w = w_of(tree, r, k);
  auto x = w[0] * r.block.lambda[list[0]];
  for (Index j = 1; j < count; ++j) x += w[j] * r.block.lambda[list[j]];
  return lane_sum<S>(x);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
