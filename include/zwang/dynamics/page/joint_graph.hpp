// SPDX-License-Identifier: BSD-3-Clause
// JointGraph: in which order bodies are eliminated where rows couple them beyond their joints, and what that fills.
//
// Nodes are bodies, edges their joints and the rows between them. A body whose children are gone may go: it leaves its
// parent and its *neighbours*, the bodies that rows (or bodies gone before) have coupled it with, coupled with each
// other. Everything here is by position in that order; the ground is position n.
#pragma once
#include "zwang/core/buffer.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

struct JointGraph {
  /// Where what belongs to a body begins; it ends where that of the next one begins.
  struct Node {
    Index body, parent;  ///< parent: a position
    Index column;        ///< in columns, which stand in the order of elimination
    Index part;          ///< in parts
    Index neighbour;     ///< in neighbours
    Index coupling;      ///< in couplings of columns with neighbours: column by column
    Index slot;          ///< where its articulated inertia is summed up
    bool carries;        ///< rows act on it or on bodies behind it
  };
  Index n = 0, parts = 0;
  Index max_neighbours = 0;
  Buffer<Node> node;                      ///< [n + 1]
  Buffer<Index> neighbour;                ///< positions, increasing, all later than the body's own
  Buffer<Index> pair_slot;                ///< of each neighbour: where its 6 x 6 coupling with the body is summed up
  Buffer<Index> part_row, part_of_row;    ///< parts by body; the same by row
  Buffer<Index> row_part;                 ///< [rows + 1] where a row's parts begin in part_of_row
  Buffer<Index> part_position, part_key;  ///< the body's position, and which of the parts given it was

  /// The place of (first, second) among the neighbours, first < second; -1: they are not coupled.
  ZWANG_INLINE Index find(Index first, Index second) const {
    for (Index k = node[first].neighbour; k < node[first + 1].neighbour; ++k)
      if (neighbour[k] == second) return k;
    return -1;
  }
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
