// SPDX-License-Identifier: BSD-3-Clause
// RowStage: the numbers of the constraint rows of one state during the sweep of rows.hpp.
//
// Rows are stored side by side in blocks of SIMD lanes. The rows of one body travel as a *strand*: they fill some lanes
// of a block; the other lanes are zero. Strands of several bodies may share a block; where their paths meet, they are
// added and travel on as one. A row between two bodies has a strand from each body, in the same lanes: where they meet,
// their sum is the row. The blocks alive in a body's subtree are kept as a list, because rows may be eliminated on the
// way; w of a joint's columns is stored densely for that list, so that memory and time follow the paths of the rows
// only.
#pragma once
#include <cstring>

#include "zwang/algorithm/page/forward_dynamics.hpp"
#include "zwang/core/stop.hpp"
#include "zwang/core/wide.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Rows of one body side by side for plain scalars; one row otherwise. `Part` is the part in one register.
template <class S> struct RowLanes {
  using type = S;
  using Part = S;
  static constexpr Index count = 1, parts = 1;
  static ZWANG_INLINE S& part(S& x, Index) { return x; }
  static ZWANG_INLINE const S& part(const S& x, Index) { return x; }
};
template <class T> struct EightRows {
  using type = Wide<T, 8>;
  using Part = typename type::Part;
  static constexpr Index count = 8, parts = type::parts;
  static ZWANG_INLINE Part& part(type& x, Index p) { return x.part[p]; }
  static ZWANG_INLINE const Part& part(const type& x, Index p) { return x.part[p]; }
};
template <> struct RowLanes<double> : EightRows<double> {};
template <> struct RowLanes<float> : EightRows<float> {};

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

/// The room for the rows: computed once for a set of rows, before the sweep.
struct RowRoom {
  Index rows = 0, blocks = 0;  ///< most rows and blocks attached at once
  Index groups = 0;            ///< the same with soft rows of a body separate; 0: as many as blocks
  long w = 0;                  ///< sum of columns x live blocks over all joints
  long lists = 0;              ///< sum of live blocks over all bodies
  Index further = 0;           ///< rows on second and further bodies of relations
  bool early = false;          ///< some may be eliminated early
  bool carried = true;         ///< false: rows are attached to their bodies only
};

template <class S> struct RowStage {
  using Rows = typename RowLanes<S>::type;
  static constexpr Index lanes = RowLanes<S>::count;

  RowRoom room;
  Index max_blocks = 0;
  Index m = 0, blocks = 0;      ///< rows and blocks attached in this call
  bool early = false;           ///< input: eliminate rows on the way where that is accurate
  bool joined = false;          ///< input: some rows act on several bodies
  bool in_path_blocks = false;  ///< the rows stand as a PathStage has them (src/kernels/path_rows.hpp): only attached
  Stop stop = {};               ///< input: once it says so, joints leave the rows alone: the sweep has no meaning
  bool attached_only = false;   ///< input: rows are attached and not carried: no Lambda is cleared
  /// Input: hard rows of unit size add this inertia along themselves to their bodies, [kg] for forces and [kg] x
  /// length^2 for moments. The constrained motion is the same, and links without mass become regular if rows determine
  /// their motion. 0: none.
  S stiffening_mass = S(0), stiffening_length2 = S(1);

  // Strands. The strand of the body that opened block b has number b; others are numbered down from the end.
  Index guests = 0;  ///< strands other than those that opened a block
  Index max_strands = 0;
  Buffer<Force<Rows>> K;  ///< [strands] as carried
  Buffer<Rows> l;         ///< [strands]
  /// [strands] squares of |k_lin| and of |k_ang|, |p| |k_lin| as attached: the scale of K's rounding.
  Buffer<Rows> force2, moment2;
  Buffer<Rows> bound;                ///< [strands] sum of |K|^2 |s|^2 / D: bound of Lambda_ii without cancellation
  Buffer<Index> block_of;            ///< [strands]
  Buffer<Index> lane_begin, filled;  ///< [strands] lanes in use
  // Rows as attached, in groups: the rows of one body that start a strand, or the soft rows of a body. Where each row
  // has a register of its own, a group is one row.
  Index groups = 0;
  Buffer<Force<Rows>> K0;  ///< [groups]
  Buffer<Rows> l0;         ///< [groups] residual at zero joint acceleration
  Buffer<Index> body_of;   ///< [groups]
  // Blocks.
  Buffer<Rows> Lambda;                    ///< lower triangle of blocks, see tile()
  Buffer<Rows> coupling, coupling_bound;  ///< [shared x blocks] and |K|^2 |s|^2 of the columns behind it
  Buffer<Rows> lambda;                    ///< [blocks]
  Buffer<Index> alive;                    ///< [blocks] lanes that were not eliminated
  Buffer<unsigned char> gone;             ///< [slots] eliminated
  /// [blocks] early: strands of other bodies not yet met; never_early: the block goes to the root.
  Buffer<Index> awaited;
  static constexpr Index never_early = 1 << 20;
  /// [blocks x blocks] early: the call in which two blocks were first alive together. Before it, their Lambda is not
  /// valid.
  Buffer<unsigned> together;
  unsigned call = 0;
  // Blocks alive at each body.
  Buffer<Index> live;  ///< a stack: strands of the subtree being swept
  Index live_top = 0;
  Buffer<Index> live_begin;  ///< [n+1] height of the stack when the body was entered
  Buffer<Index> list;        ///< arena of the lists below
  long list_top = 0;
  Buffer<Index> list_begin, list_size;  ///< [n+1] blocks alive in each body's subtree while its joint was eliminated
  Buffer<Rows> w;                       ///< arena: K s of each column for each block of its body's list
  long w_top = 0;
  Buffer<long> w_begin;             ///< [n+1]
  Buffer<S> pushed, pushed_shared;  ///< [nv], [shared] w^T lambda of columns and shared coordinates
  bool motion_known = false;        ///< set by the root: it has written `pushed` and all of `lambda` itself
  // Rows as attached.
  Buffer<Index> place;   ///< [m] group * lanes + lane
  Buffer<S> compliance;  ///< [m] R of soft rows, 0 for hard ones
  Buffer<S> stiffness;   ///< [m] added to the body: 1/R of soft rows, or the stiffening of hard rows
  Buffer<Index> body;    ///< [m]
  Buffer<Index> slot;    ///< [m] block * lanes + lane; -1 for soft rows of one body, which do not travel
  // The same rows on further bodies, in the order of the bodies.
  Index further = 0;
  Buffer<Index> further_row, further_place, further_body;  ///< [further]
  Buffer<Index> last_further, before_further;              ///< [m] of a row, [further] the one before it; -1: none
  // Rows at the root: hard ones, and soft ones between bodies, which are eliminated there before the hard ones.
  Index root_rows = 0, root_soft = 0;
  Buffer<Index> root_slot, root_soft_slot;
  Buffer<Rows> l_apart;  ///< [blocks] l at the root before soft rows were eliminated there
  // Rows eliminated before the root.
  Index events = 0, steps = 0;
  Buffer<EarlyEvent<S>> event;
  Buffer<EarlyStep<S>> step;
  Buffer<Rows> coupled;
  Index coupled_top = 0;
  Buffer<Index> event_begin, event_end;  ///< [n+1]

  RowStage() = default;
  /// Room for `rows` rows on `bodies` bodies, with any bodies.
  RowStage(const Tree<Uniform<S>>& t, Index rows, Index bodies) : RowStage(t, anywhere(t, rows, bodies)) {}
  RowStage(const Tree<Uniform<S>>& t, const RowRoom& r)
      : room(r),
        max_blocks(r.blocks),
        max_strands(r.groups > r.blocks ? r.groups : r.blocks) {
    const Index b = max_blocks, slots = b * lanes;
    attached_only = !r.carried;
    K = K0 = Buffer<Force<Rows>>(max_strands);
    l = l0 = bound = force2 = moment2 = Buffer<Rows>(max_strands);
    body_of = block_of = lane_begin = filled = Buffer<Index>(max_strands);
    lambda = l_apart = Buffer<Rows>(b);
    alive = Buffer<Index>(b);
    live = Buffer<Index>(max_strands);
    gone = Buffer<unsigned char>(slots);
    awaited = Buffer<Index>(b);
    coupling = coupling_bound = Buffer<Rows>(t.shared_count * b);
    pushed = Buffer<S>(t.spanning_nv);
    pushed_shared = Buffer<S>(t.shared_count);
    live_begin = list_begin = list_size = Buffer<Index>(t.n + 1);
    compliance = stiffness = Buffer<S>(r.rows);
    slot = body = place = last_further = Buffer<Index>(r.rows);
    root_slot = root_soft_slot = Buffer<Index>(slots);
    further_row = further_place = further_body = before_further = Buffer<Index>(r.further);
    if (!r.carried) return;
    Lambda = Buffer<Rows>(b * (b + 1) / 2 * lanes);
    list = Buffer<Index>(static_cast<Index>(r.lists));
    w = Buffer<Rows>(static_cast<Index>(r.w));
    w_begin = Buffer<long>(t.n + 1);
    if (!r.early) return;
    together = Buffer<unsigned>(b * b);
    event = Buffer<EarlyEvent<S>>(r.rows);
    step = Buffer<EarlyStep<S>>(r.rows);
    coupled = Buffer<Rows>(r.rows * b);
    event_begin = event_end = Buffer<Index>(t.n + 1);
  }
  static RowRoom anywhere(const Tree<Uniform<S>>& t, Index rows, Index bodies) {
    const Index blocks = rows / lanes + bodies + 1;
    return {rows,
            blocks,
            blocks + bodies,
            static_cast<long>(blocks) * t.spanning_nv,
            static_cast<long>(blocks) * (t.n + 1),
            0,
            true,
            true};
  }
  /// Lambda of block b with block c <= b, one row of b each; the block with itself is stored whole.
  ZWANG_INLINE Rows* tile(Index b, Index c) { return Lambda.data() + (b * (b + 1) / 2 + c) * lanes; }
  ZWANG_INLINE const Rows* tile(Index b, Index c) const { return Lambda.data() + (b * (b + 1) / 2 + c) * lanes; }
  ZWANG_INLINE const Index* list_of(Index body_index) const { return list.data() + list_begin[body_index]; }
};

template <class S, class Rows> ZWANG_INLINE S lane(const Rows* p, Index i) {
  S s;
  std::memcpy(static_cast<void*>(&s), reinterpret_cast<const char*>(p) + static_cast<std::size_t>(i) * sizeof(S),
              sizeof(S));
  return s;
}
template <class S, class Rows> ZWANG_INLINE void set_lane(Rows* p, Index i, const S& s) {
  std::memcpy(reinterpret_cast<char*>(p) + static_cast<std::size_t>(i) * sizeof(S), static_cast<const void*>(&s),
              sizeof(S));
}
/// A row by its index in the groups.
template <class S> ZWANG_INLINE Force<S> row_at(const RowStage<S>& r, Index place) {
  const auto& K = r.K0[place / RowStage<S>::lanes];
  const Index at = place % RowStage<S>::lanes;
  return {{lane<S>(&K.f.x, at), lane<S>(&K.f.y, at), lane<S>(&K.f.z, at)},
          {lane<S>(&K.n.x, at), lane<S>(&K.n.y, at), lane<S>(&K.n.z, at)}};
}
/// Row i as attached (a row on several bodies: at the first), and its residual at zero joint acceleration.
template <class S> ZWANG_INLINE Force<S> attached_row(const RowStage<S>& r, Index i) { return row_at(r, r.place[i]); }
template <class S> ZWANG_INLINE S attached_residual(const RowStage<S>& r, Index i) {
  return lane<S>(r.l0.data(), r.place[i]);
}
/// f(body, K) for every body that row i acts on.
template <class S, class F> ZWANG_INLINE void for_each_part(const RowStage<S>& r, Index i, F&& f) {
  f(r.body[i], attached_row(r, i));
  for (Index k = r.last_further[i]; k >= 0; k = r.before_further[k])
    f(r.further_body[k], row_at(r, r.further_place[k]));
}
/// w of a joint's column for the blocks of its body's list.
template <class S> ZWANG_INLINE auto* w_of(const Tree<Uniform<S>>& tree, const RowStage<S>& r, Index k) {
  const Index body = tree.column[k].body;
  return r.w.data() + r.w_begin[body] + static_cast<long>(k - tree.body[body].v) * r.list_size[body];
}
template <class S> ZWANG_INLINE auto* w_of(const Tree<Uniform<S>>& tree, RowStage<S>& r, Index k) {
  const Index body = tree.column[k].body;
  return r.w.data() + r.w_begin[body] + static_cast<long>(k - tree.body[body].v) * r.list_size[body];
}
template <class S, class Rows> ZWANG_INLINE S lane_sum(const Rows& x) {
  if constexpr (RowLanes<S>::count == 1)
    return x;
  else
    return sum(x);
}
/// w^T lambda of a column.
template <class S> ZWANG_INLINE S row_product(const Tree<Uniform<S>>& tree, const RowStage<S>& r, Index k) {
  const Index body = tree.column[k].body, count = r.list_size[body];
  if (count == 0) return S(0);
  const Index* const list = r.list_of(body);
  const auto* const w = w_of(tree, r, k);
  auto x = w[0] * r.lambda[list[0]];
  for (Index j = 1; j < count; ++j) x += w[j] * r.lambda[list[j]];
  return lane_sum<S>(x);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
