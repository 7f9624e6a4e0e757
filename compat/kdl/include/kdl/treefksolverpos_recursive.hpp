// SPDX-License-Identifier: BSD-3-Clause
// Poses of the segments of a tree.
#pragma once
#include "treefksolver.hpp"

namespace KDL {

class TreeFkSolverPos_recursive : public TreeFkSolverPos {
 public:
  /// Keeps a reference to the tree.
  explicit TreeFkSolverPos_recursive(const Tree& tree);
  TreeFkSolverPos_recursive(const TreeFkSolverPos_recursive& other);
  ~TreeFkSolverPos_recursive() override;

  /// Of the tree as it is now. 0; -1 for a wrong number of joints, -2 for an unknown segment, -4 for numbers that are
  /// not finite. Several threads may call one solver.
  int JntToCart(const JntArray& q_in, Frame& p_out, std::string segmentName) override;
  void updateInternalDataStructures();

 private:
  const Tree& tree_;
};

}  // namespace KDL
