// SPDX-License-Identifier: BSD-3-Clause
// Forward kinematics of a tree: interfaces.
#pragma once
#include <string>

#include "frames.hpp"
#include "jntarray.hpp"
#include "tree.hpp"

namespace KDL {

class TreeFkSolverPos {
 public:
  /// The tip of a segment in the root. 0, or a code below 0.
  virtual int JntToCart(const JntArray& q_in, Frame& p_out, std::string segmentName) = 0;
  virtual ~TreeFkSolverPos() = default;
};

}  // namespace KDL
