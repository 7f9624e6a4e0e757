// SPDX-License-Identifier: BSD-3-Clause
// Construction of a JointGraph: the order once for all constraints of a set, the fill whenever other rows are active.
#pragma once
#include <vector>

#include "factor/page/joint_graph.hpp"
#include "zwang/model/tree.hpp"

namespace zwang {

/// Parts of rows: the row and the body that it acts on, which may be the ground.
struct CoupledBodies {
  Index rows = 0;
  std::vector<Index> row, body;
  Index parts() const { return static_cast<Index>(row.size()); }
  Index row_of(Index part) const { return row[static_cast<std::size_t>(part)]; }
  Index body_of(Index part) const { return body[static_cast<std::size_t>(part)]; }
};

class JointOrder {
 public:
  JointOrder() = default;
  /// Leaves first, and of them the one with the fewest neighbours. Has room for all rows of the set, unless their
  /// bodies fill too many pairs to be worth it (too_dense). In `all` the parts of a row must stand together.
  JointOrder(const Tree<double>& tree, const CoupledBodies& all, Index max_rows, Index max_parts);
  /// Computes the fill of these rows in the order found for all. False if there is no room for it. Allocates nothing.
  bool fill(const CoupledBodies& rows);
  bool too_dense() const { return too_dense_; }
  const page::JointGraph& graph() const { return graph_; }
  Index couplings() const { return couplings_; }  ///< room for couplings of columns with neighbours
  Index pairs() const { return graph_.pair_slot.size(); }

 private:
  void find_order(const CoupledBodies& all);
  void take_parts(const CoupledBodies& rows);
  bool take_neighbours(Index position);
  void take_slots();
  Index slot_of_pair(Index place);

  const Tree<double>* tree_ = nullptr;
  page::JointGraph graph_;
  Buffer<Index> position_;                ///< [n + 1] of each body
  Buffer<Index> child_, sibling_, mark_;  ///< [n] eliminated bodies whose couplings this one passes on
  Buffer<Index> free_;                    ///< free slots of pairs
  Index free_count_ = 0, pair_slots_ = 0, couplings_ = 0;
  bool too_dense_ = false;
};

}  // namespace zwang
