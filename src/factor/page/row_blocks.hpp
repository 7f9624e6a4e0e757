// SPDX-License-Identifier: BSD-3-Clause
// The rows of a set at a state, stored by bodies: the input of the pages of G = J M^-1 J^T.
#pragma once
#include "zwang/algorithm/page/forward_dynamics.hpp"
#include "zwang/rows/page/row_numbers.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Up to eight rows on one body, zeros in the remaining lanes. A row between bodies has a lane on each of them.
template <class S> struct RowBlock {
  using Rows = typename RowLanes<S>::type;
  Force<Rows> K;  ///< wrenches of unit multipliers, world axes about the branch's centre
  Index body, count;
  Index row[RowLanes<S>::count];  ///< row of G of each lane, in whole or in part
};

/// All blocks, sorted by body. The ground has none.
template <class S> struct RowBlocks {
  Index m = 0, count = 0;
  const RowBlock<S>* block = nullptr;
};

/// G, `stride` numbers from one column to the next; both triangles are written.
template <class S> struct DelassusOut {
  S* G;
  Index m, stride;
  ZWANG_INLINE void clear() const {
    for (Index j = 0; j < m; ++j)
      for (Index i = 0; i < m; ++i) at(i, j) = S(0);
  }
  ZWANG_INLINE S& at(Index i, Index j) const { return G[static_cast<std::ptrdiff_t>(j) * stride + i]; }
  ZWANG_INLINE void add(Index i, Index j, const S& x) const { at(i, j) += x; }
};

/// A symmetric 6 x 6 by rows, in eight lanes.
template <class S> struct SixBySix {
  using Rows = typename RowLanes<S>::type;
  static_assert(RowLanes<S>::count == 8);
  Rows row[6];
  ZWANG_INLINE void clear() {
    for (Rows& r : row) r = Rows(S(0));
  }
};

/// A X for wrenches in lanes with a symmetric X, component by component.
template <class S> ZWANG_INLINE auto product(const Force<typename RowLanes<S>::type>& A, const SixBySix<S>& X) {
  using Rows = typename RowLanes<S>::type;
  Force<Rows> T;
  for (int c = 0; c < 6; ++c) {
    Rows x = A.f.x * lane<S>(&X.row[0], c);
    x += A.f.y * lane<S>(&X.row[1], c);
    x += A.f.z * lane<S>(&X.row[2], c);
    x += A.n.x * lane<S>(&X.row[3], c);
    x += A.n.y * lane<S>(&X.row[4], c);
    T[c] = x + A.n.z * lane<S>(&X.row[5], c);
  }
  return T;
}
/// Row r of T A^T.
template <class S> ZWANG_INLINE auto row_of_product(const Force<typename RowLanes<S>::type>& T, Index r,
                                                    const Force<typename RowLanes<S>::type>& A) {
  auto x = A.f.x * lane<S>(&T.f.x, r);
  x += A.f.y * lane<S>(&T.f.y, r);
  x += A.f.z * lane<S>(&T.f.z, r);
  x += A.n.x * lane<S>(&T.n.x, r);
  x += A.n.y * lane<S>(&T.n.y, r);
  x += A.n.z * lane<S>(&T.n.z, r);
  return x;
}

/// G += T A^T for the rows of two blocks, both triangles. For a block with itself: once.
template <class S> ZWANG_INLINE void add_product(const DelassusOut<S>& out, const RowBlock<S>& a,
                                                 const Force<typename RowLanes<S>::type>& T, const RowBlock<S>& b,
                                                 const Force<typename RowLanes<S>::type>& A) {
  const bool same = &a == &b;
  for (Index r = 0; r < a.count; ++r) {
    const auto x = row_of_product<S>(T, r, A);
    for (Index c = 0; c < (same ? r + 1 : b.count); ++c) {
      const S y = lane<S>(&x, c);
      out.add(a.row[r], b.row[c], y);
      if (!same || c < r) out.add(b.row[c], a.row[r], y);
    }
  }
}

/// The rows of groups that meet at a body: block x of group i with block y of group j < i, and all blocks of the first
/// group (the body's own rows) with each other. `A`: rows carried to the body; `T`: scratch, A times the body's inverse
/// inertia. `next(b)`: the end of the group of block b.
template <class S, class Next>
ZWANG_INLINE void add_meeting(const DelassusOut<S>& out, const RowBlock<S>* block,
                              const Force<typename RowLanes<S>::type>* A, Force<typename RowLanes<S>::type>* T,
                              const SixBySix<S>& inverse_inertia, Index first, Index own_end, Index end, Next&& next) {
  for (Index b = first; b < own_end; ++b) {
    T[b] = product<S>(A[b], inverse_inertia);
    for (Index c = first; c <= b; ++c) add_product(out, block[b], T[b], block[c], A[c]);
  }
  for (Index b = own_end; b < end;) {
    const Index group_end = next(b);
    for (Index c = b; c < group_end && b > first; ++c) {
      T[c] = product<S>(A[c], inverse_inertia);
      for (Index d = first; d < b; ++d) add_product(out, block[c], T[c], block[d], A[d]);
    }
    b = group_end;
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
