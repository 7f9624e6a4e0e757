// SPDX-License-Identifier: BSD-3-Clause
// Poses of trees: along the segments from one to the root. The solver has nothing but the tree, so that it follows
// every change, and several threads may call it.
#include <cmath>
#include <kdl/treefksolverpos_recursive.hpp>

namespace KDL {

TreeFkSolverPos_recursive::TreeFkSolverPos_recursive(const Tree& tree) : tree_(tree) {}
TreeFkSolverPos_recursive::TreeFkSolverPos_recursive(const TreeFkSolverPos_recursive& other) = default;
TreeFkSolverPos_recursive::~TreeFkSolverPos_recursive() = default;

int TreeFkSolverPos_recursive::JntToCart(const JntArray& q_in, Frame& p_out, std::string segmentName) {
  constexpr int wrong_size = -1, no_segment = -2, not_finite = -4;
  if (q_in.rows() != tree_.getNrOfJoints()) return wrong_size;
  auto element = tree_.getSegment(segmentName);
  if (element == tree_.getSegments().end()) return no_segment;
  Frame tip;
  for (const auto root = tree_.getRootSegment(); element != root; element = element->second.parent) {
    const Segment& segment = element->second.segment;
    const bool moves = segment.getJoint().getType() != Joint::Fixed;
    tip = segment.pose(moves ? q_in(element->second.q_nr) : 0) * tip;
  }
  double sum = tip.p(0) + tip.p(1) + tip.p(2);
  for (const double number : tip.M.data) sum += number;
  if (!q_in.data.allFinite() || !std::isfinite(sum)) return not_finite;
  p_out = tip;
  return 0;
}
void TreeFkSolverPos_recursive::updateInternalDataStructures() {}

}  // namespace KDL
