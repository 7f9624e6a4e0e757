// SPDX-License-Identifier: BSD-3-Clause
// Storage of constrained_aba and loop_aba: the order of elimination and the numbers of the page.
#pragma once
#include <string>

#include "factor/page/loop_articulated.hpp"
#include "factor/tree/joint_graph.hpp"
#include "factor/tree/tree_problem.hpp"
#include "rows/row_layout.hpp"

namespace zwang {

class LoopArticulated {
 public:
  /// For the constraints as they are, active or not, and as many rows and parts of rows.
  LoopArticulated(const Tree<double>& tree, const std::vector<Constraint>& constraints, Index max_rows,
                  Index max_parts);
  /// Whether it was made for these constraints, or for others that act on the same bodies.
  bool serves(const std::vector<Constraint>& constraints) const;
  /// The constraint on the most bodies, if there are too many bodies; otherwise none.
  const std::string& too_dense() const { return too_dense_; }
  void solve(const TreeProblem& problem, TreeAnswer& answer);
  /// Another right-hand side with the factor of the last solve, which was ok. not_converged if the rows contradict it.
  void apply(const TreeProblem& problem, TreeAnswer& answer);

 private:
  bool know(const page::RowNumbers<double>& rows);
  void take_rows(const TreeProblem& problem);
  void settle(const TreeProblem& problem, TreeAnswer& answer);
  double take_residuals(bool first);

  JointOrder order_;
  page::LoopStage stage_;
  CoupledBodies set_;     ///< of all constraints
  CoupledBodies active_;  ///< of the rows of the last solve
  Buffer<double> probe_;  ///< [rows] random numbers
  std::string too_dense_;
  bool known_ = false;
};

}  // namespace zwang
