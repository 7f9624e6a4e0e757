// SPDX-License-Identifier: BSD-3-Clause
// RowNumbers: the rows of one state as a value, whatever solves them.
//
//   row k:  sum_b K_kb a_b + l_k + R_k lambda_k = 0      a_b: acceleration of body b caused by the joints
// K_kb: the wrench of the row on body b per unit of lambda_k, in world axes about the branch's centre; l_k: the row's
// acceleration at zero joint acceleration minus beta; R_k: its compliance.
//
// Rows stand side by side in groups of SIMD lanes: a group holds rows of one body. A row between bodies has a place in
// a group of each of them.
#pragma once
#include "zwang/core/buffer.hpp"
#include "zwang/linear/page/row_lanes.hpp"
#include "zwang/spatial/force.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// The room for the rows of a set: computed once for it, before they are attached.
struct RowRoom {
  Index rows = 0, blocks = 0;  ///< most rows and blocks attached at once
  Index groups = 0;            ///< the same with soft rows of a body separate; 0: as many as blocks
  long w = 0;                  ///< sum of columns x live blocks over all joints
  long lists = 0;              ///< sum of live blocks over all bodies
  Index further = 0;           ///< rows on second and further bodies of relations
  bool early = false;          ///< some may be eliminated early

  Index most_groups() const { return groups > blocks ? groups : blocks; }
};

template <class S> struct RowNumbers {
  using Side = typename RowLanes<S>::type;  ///< rows side by side
  static constexpr Index lanes = RowLanes<S>::count;

  Index m = 0, groups = 0;
  Buffer<Force<Side>> K;        ///< [groups]
  Buffer<Side> l;               ///< [groups]
  Buffer<Index> body_of;        ///< [groups]
  Buffer<Index> place, body;    ///< [m] group * lanes + lane; of a row between bodies: at the first of them
  Buffer<S> compliance;         ///< [m] R; 0 of a hard row
  Buffer<unsigned char> local;  ///< [m] a soft row on one body, which a sweep adds to the inertia of its body
  /// The same rows on further bodies, in the order of the bodies.
  Index further = 0;
  Buffer<Index> further_row, further_place, further_body;  ///< [further]
  Buffer<Index> last_further, before_further;              ///< [m] of a row, [further] the one before it; -1: none
  /// The groups are those of a PathStage, whose sweep need not be told again where rows stand.
  bool in_path_blocks = false;

  RowNumbers() = default;
  explicit RowNumbers(const RowRoom& room)
      : K(room.most_groups()),
        l(room.most_groups()),
        body_of(room.most_groups()),
        place(room.rows),
        body(room.rows),
        compliance(room.rows),
        local(room.rows),
        further_row(room.further),
        further_place(room.further),
        further_body(room.further),
        last_further(room.rows),
        before_further(room.further) {}

  ZWANG_INLINE void clear() {
    m = groups = further = 0;
    in_path_blocks = false;
  }
  ZWANG_INLINE Index new_group(Index of_body) {
    body_of[groups] = of_body;
    return groups++;
  }
  /// Rows in the lanes [at, at + count) of a group, zeros in the others. `first`: the group holds none yet.
  ZWANG_INLINE void place_rows(Index group, bool first, Index at, Index count, const Force<Side>& wrench,
                               const Side& residual) {
    if (first) {
      K[group] = wrench;
      l[group] = residual;
    } else {
      K[group] += wrench;
      l[group] += residual;
    }
    for (Index i = 0; i < count; ++i) place[m + i] = group * lanes + at + i;
  }
  /// Numbers the next row, which has been placed.
  ZWANG_INLINE void number(Index of_body, const S& R, bool is_local) {
    last_further[m] = -1;
    compliance[m] = R;
    local[m] = is_local;
    body[m++] = of_body;
  }
  /// Rows [row, row + count) in the lanes from `at` on of a group that holds nothing else.
  ZWANG_INLINE void place_further(Index group, Index row, Index at, Index count, const Force<Side>& wrench) {
    K[group] = wrench;
    l[group] = Side(Uniform<S>(0));
    for (Index i = 0; i < count; ++i) {
      before_further[further] = last_further[row + i];
      last_further[row + i] = further;
      further_row[further] = row + i;
      further_place[further] = group * lanes + at + i;
      further_body[further++] = body_of[group];
    }
  }
};

/// A row by its place.
template <class S> ZWANG_INLINE Force<S> row_at(const RowNumbers<S>& r, Index place) {
  const auto& K = r.K[place / RowNumbers<S>::lanes];
  const Index at = place % RowNumbers<S>::lanes;
  return {{lane<S>(&K.f.x, at), lane<S>(&K.f.y, at), lane<S>(&K.f.z, at)},
          {lane<S>(&K.n.x, at), lane<S>(&K.n.y, at), lane<S>(&K.n.z, at)}};
}
/// K of row i (a row on several bodies: at the first), and its residual at zero joint acceleration.
template <class S> ZWANG_INLINE Force<S> attached_row(const RowNumbers<S>& r, Index i) { return row_at(r, r.place[i]); }
template <class S> ZWANG_INLINE S attached_residual(const RowNumbers<S>& r, Index i) {
  return lane<S>(r.l.data(), r.place[i]);
}
/// f(body, K) for every body that row i acts on.
template <class S, class F> ZWANG_INLINE void for_each_part(const RowNumbers<S>& r, Index i, F&& f) {
  f(r.body[i], attached_row(r, i));
  for (Index k = r.last_further[i]; k >= 0; k = r.before_further[k])
    f(r.further_body[k], row_at(r, r.further_place[k]));
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
