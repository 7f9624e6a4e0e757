// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics of a tree.
#pragma once
#include <memory>

#include "treeidsolver.hpp"

namespace KDL {

namespace detail {
class Dynamics;
}

class TreeIdSolver_RNE : public TreeIdSolver {
 public:
  /// `grav`: gravity as it is, (0, 0, -9.81) for a base that stands upright.
  TreeIdSolver_RNE(const Tree& tree, Vector grav);
  TreeIdSolver_RNE(const TreeIdSolver_RNE& other);
  ~TreeIdSolver_RNE() override;

  /// f_ext: acts on the segments that it names, in the axes of the tip about the tip;
  /// an unknown name is E_OUT_OF_RANGE.
  int CartToJnt(const JntArray& q, const JntArray& q_dot, const JntArray& q_dotdot, const WrenchMap& f_ext,
                JntArray& torques) override;
  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::Dynamics> dynamics_;
};

}  // namespace KDL
