// SPDX-License-Identifier: BSD-3-Clause
// The Jacobian of a tree: base axes, at the tip of a segment.
#pragma once
#include <memory>
#include <string>

#include "jacobian.hpp"
#include "jntarray.hpp"
#include "tree.hpp"

namespace KDL {

namespace detail {
class Robot;
}

class TreeJntToJacSolver {
 public:
  explicit TreeJntToJacSolver(const Tree& tree);
  TreeJntToJacSolver(const TreeJntToJacSolver& other);
  virtual ~TreeJntToJacSolver();

  /// A column for each joint of the tree, 0 where it does not move the segment. 0; -1 for wrong numbers of joints or
  /// columns, -2 for an unknown segment, -3 for a tree that got other segments since, -4 for numbers that are not
  /// finite.
  int JntToJac(const JntArray& q_in, Jacobian& jac, const std::string& segmentname);
  void updateInternalDataStructures();

 private:
  std::unique_ptr<detail::Robot> robot_;
};

}  // namespace KDL
