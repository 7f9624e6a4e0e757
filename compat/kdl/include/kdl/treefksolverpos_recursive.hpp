// SPDX-License-Identifier: BSD-3-Clause
// Poses of the segments of a tree.
#pragma once
#include <memory>

#include "treefksolver.hpp"

namespace KDL {

namespace detail {
class Robot;
}

class TreeFkSolverPos_recursive : public TreeFkSolverPos {
 public:
  explicit TreeFkSolverPos_recursive(const Tree& tree);
  TreeFkSolverPos_recursive(const TreeFkSolverPos_recursive& other);
  ~TreeFkSolverPos_recursive() override;

  /// Codes as SolverI's: -4 for a wrong number of joints, -6 for an unknown segment, -3 for a tree that got other
  /// segments since (updateInternalDataStructures()).
  int JntToCart(const JntArray& q_in, Frame& p_out, std::string segmentName) override;
  void updateInternalDataStructures();

 private:
  std::unique_ptr<detail::Robot> robot_;
};

}  // namespace KDL
