// SPDX-License-Identifier: BSD-3-Clause
// Strands: which lanes the rows of a body fill, and which rows are alive at each body. The index bookkeeping of
// row_riders.hpp; the only arithmetic is the sum of strands that meet.
//
// The rows of a body open a block, or join that of the previous body if they fit: then two strands share a block, each
// with zeros in the other's lanes, until their paths meet. Rows that act on a further body send a second strand into
// their block. Soft rows of one body stay at that body, in groups of their own.
#pragma once
#include "zwang/factor/page/sweep_stage.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

template <class S> class Strands {
 public:
  static constexpr Index lanes = RowLanes<S>::count;

  /// `count` hard rows of the body being entered will follow: they join the block of the previous body if they fit.
  ZWANG_INLINE void expect(Index body, Index count) {
    if (count == 0) return;
    if (share_ && r_.block.count > 0 && used_ + count <= lanes)
      open_strand(r_.strand.most - ++r_.strand.guests, body, r_.block.count - 1, used_);
    else
      next_block(body);
  }
  /// Rows attached by an earlier body also act on this one: a strand in lanes [at, at + count) of their block.
  ZWANG_INLINE void rejoin(Index body, Index block, Index at, Index count) {
    open_strand(r_.strand.most - ++r_.strand.guests, body, block, at);
    r_.strand.filled[strand_] = at + count;
  }
  /// The block of the rows added last may be eliminated early after `strands` more strands have met it.
  ZWANG_INLINE void await(Index strands) { r_.block.awaited[r_.strand.block_of[strand_]] += strands; }
  /// The rows added last act on one body.
  ZWANG_INLINE void await_root() {
    if (r_.bodies_to_root) await(BlockNumbers<S>::never_early);
  }
  ZWANG_INLINE bool eliminates_early() const { return r_.early; }
  ZWANG_INLINE bool is_local(bool soft) const { return soft && !r_.soft_travels; }
  /// First lane of the next rows.
  ZWANG_INLINE Index lane_for(Index body, bool soft) {
    if (!soft) {
      if (used_ == lanes) next_block(body);
      return used_;
    }
    if (soft_used_ == lanes) {
      alone_ = rows_.new_group(body);
      soft_used_ = 0;
    }
    return soft_used_;
  }

 protected:
  Strands(const Tree<Uniform<S>>& tree, RowNumbers<S>& rows, SweepStage<S>& stage)
      : tree_(tree),
        rows_(rows),
        r_(stage) {
    rows_.clear();
    r_.block.count = r_.strand.guests = r_.live.top = 0;
    r_.live.list_top = 0;
    if (r_.early && ++r_.block.call == 0)
      for (unsigned& x : r_.block.together) x = r_.block.call;
  }
  ZWANG_INLINE void enter_body(Index body) {
    r_.live.begin[body] = r_.live.top;
    soft_used_ = lanes;
  }
  /// The rows of the body being entered fill block b up to lane `end`, or soft rows their group.
  ZWANG_INLINE void fill(Index b, Index end) { r_.block.alive[b] = r_.strand.filled[strand_] = used_ = end; }
  ZWANG_INLINE void fill_soft(Index end) { soft_used_ = end; }
  /// The list of the blocks alive in a subtree that is complete.
  ZWANG_INLINE void list_blocks(Index body) {
    const Index begin = r_.live.begin[body];
    if (last_begin_ != begin) {  // a body without rows and with one child uses the child's list
      meet(begin);
      if (r_.early) come_together(begin);
      const Index count = r_.live.top - begin;
      r_.live.list_begin[body] = static_cast<Index>(r_.live.list_top);
      for (Index j = 0; j < count; ++j)
        r_.live.list[static_cast<Index>(r_.live.list_top) + j] = r_.strand.block_of[r_.live.stack[begin + j]];
      r_.live.list_top += count;
      last_begin_ = begin;
    } else {
      r_.live.list_begin[body] = static_cast<Index>(r_.live.list_top) - (r_.live.top - begin);
    }
    r_.live.list_size[body] = r_.live.top - begin;
  }
  ZWANG_INLINE void lists_changed() { last_begin_ = -1; }
  /// Adds strands of one block that have met. The stack stays sorted by blocks.
  ZWANG_INLINE void meet(Index begin) {
    if (!share_ && !r_.joined) return;
    Index top = begin;
    for (Index j = begin; j < r_.live.top; ++j) {
      const Index s = r_.live.stack[j];
      Index at = top;  // after the blocks with smaller numbers: most often at the end
      while (at > begin && r_.strand.block_of[r_.live.stack[at - 1]] > r_.strand.block_of[s]) --at;
      const bool met = at > begin && r_.strand.block_of[r_.live.stack[at - 1]] == r_.strand.block_of[s];
      if (met) {
        Index& kept = r_.live.stack[at - 1];
        const bool opener = s == r_.strand.block_of[s];  // the opener has the block's number: it stays
        --r_.block.awaited[r_.strand.block_of[s]];
        add_strand(opener ? s : kept, opener ? kept : s);
        if (opener) kept = s;
        continue;
      }
      for (Index k = top++; k > at; --k) r_.live.stack[k] = r_.live.stack[k - 1];
      r_.live.stack[at] = s;
    }
    r_.live.top = top;
  }
  /// The Lambda of two blocks is cleared when they are first alive together. With early elimination few pairs ever are,
  /// so that no Lambda is cleared in advance.
  ZWANG_INLINE void come_together(Index begin) {
    for (Index j = begin; j < r_.live.top; ++j)
      for (Index i = begin; i < j; ++i) {
        const Index b = r_.strand.block_of[r_.live.stack[j]], c = r_.strand.block_of[r_.live.stack[i]];
        unsigned& since = r_.block.together[b * r_.block.most + c];
        if (since == r_.block.call) continue;
        since = r_.block.call;
        for (Index k = 0; k < lanes; ++k) r_.tile(b, c)[k] = typename SweepStage<S>::Side(Uniform<S>(0));
      }
  }
  /// The strand at index j of a body's list, while the sweep leaves the body.
  ZWANG_INLINE Index strand(Index body, Index j) const { return r_.live.stack[r_.live.begin[body] + j]; }

  const Tree<Uniform<S>>& tree_;
  RowNumbers<S>& rows_;
  SweepStage<S>& r_;
  Index strand_ = -1, group_ = -1;  ///< of the hard rows of the body being entered
  Index alone_ = -1;                ///< group of its soft rows

 private:
  ZWANG_INLINE void add_strand(Index to, Index from) {
    r_.strand.K[to] += r_.strand.K[from];
    for (auto* x : {&r_.strand.l, &r_.strand.bound, &r_.strand.force2, &r_.strand.moment2}) (*x)[to] += (*x)[from];
    if (r_.strand.lane_begin[from] < r_.strand.lane_begin[to]) r_.strand.lane_begin[to] = r_.strand.lane_begin[from];
    if (r_.strand.filled[from] > r_.strand.filled[to]) r_.strand.filled[to] = r_.strand.filled[from];
  }
  ZWANG_INLINE void open_strand(Index s, Index body, Index block, Index at) {
    r_.strand.block_of[s] = block;
    r_.strand.lane_begin[s] = r_.strand.filled[s] = at;
    r_.live.stack[r_.live.top++] = strand_ = s;
    group_ = rows_.new_group(body);
    last_begin_ = -1;
  }
  ZWANG_INLINE void next_block(Index body) {
    const Index b = r_.block.count++;
    r_.block.lambda[b] = typename SweepStage<S>::Side(Uniform<S>(0));
    r_.block.awaited[b] = 0;
    open_strand(b, body, b, used_ = 0);
  }

  const bool share_ = lanes > 1 && !r_.early && tree_.shared_count == 0;
  Index used_ = lanes, soft_used_ = lanes;  ///< lanes in use of the block, and of the soft group, opened last
  Index last_begin_ = -1;                   ///< of the list appended last, if nothing has changed since
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
