// SPDX-License-Identifier: BSD-3-Clause
// JointGraph: the order of elimination of bodies that rows couple beyond their joints, and the fill of this order.
//
// Nodes are bodies, edges are joints and the rows between bodies. A body may be eliminated when its children are. Its
// *neighbours* are the bodies coupled with it by rows or by earlier eliminations; its elimination couples its parent
// and its neighbours with each other. All indices are positions in that order; the ground is position n.
#pragma once
#include "zwang/core/buffer.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

struct JointGraph {
  /// First index of what belongs to a body; the range ends where that of the next body begins.
  struct Node {
    Index body, parent;  ///< parent: a position
    Index column;        ///< in columns, which are in the order of elimination
    Index part;          ///< in parts
    Index neighbour;     ///< in neighbours
    Index coupling;      ///< in couplings of columns with neighbours, sorted by column
    Index slot;          ///< where its articulated inertia is summed
    bool carries;        ///< rows act on it or on bodies behind it
  };
  Index n = 0, parts = 0;
  Index max_neighbours = 0;
  Buffer<Node> node;                      ///< [n + 1]
  Buffer<Index> neighbour;                ///< positions, ascending, all later than the body's own
  Buffer<Index> pair_slot;                ///< of each neighbour: where its 6 x 6 coupling with the body is summed
  Buffer<Index> part_row, part_of_row;    ///< parts by body; the same by row
  Buffer<Index> row_part;                 ///< [rows + 1] first index of a row's parts in part_of_row
  Buffer<Index> part_position, part_key;  ///< the body's position; index of the part as given

  /// Index of the pair (first, second) among the neighbours, first < second; -1: not coupled.
  ZWANG_INLINE Index find(Index first, Index second) const {
    for (Index k = node[first].neighbour; k < node[first + 1].neighbour; ++k)
      if (neighbour[k] == second) return k;
    return -1;
  }
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
