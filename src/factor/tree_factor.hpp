// SPDX-License-Identifier: BSD-3-Clause
// TreeFactor: the algorithms on the tree that need neither a sweep of rows nor matrices (tree/). If rows are dependent
// in a way that they do not support, or do not converge, the rows go to the root: the answer is the same, and the
// report names the rows.
#pragma once
#include "factor/factor.hpp"
#include "factor/tree/tree_problem.hpp"

namespace zwang {

class TreeFactor : public Factor {
 public:
  TreeFactor(const Problem& problem, const char* name);
  void solve(Problem& problem, const RowPolicy& policy, Answer& answer) override;
  bool apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) override;
  bool holds(const Problem& problem, const RowPolicy& policy, const Answer& answer) override;

 protected:
  virtual void walk(const TreeProblem& problem, TreeAnswer& answer) = 0;
  virtual void walk_again(const TreeProblem& problem, TreeAnswer& answer) = 0;
  const char* name() const { return name_; }

 private:
  TreeProblem stated(Problem& problem, const RowPolicy& policy) const;
  bool relate(const Problem& problem, const RowPolicy& policy, const DependentRows& dependent, Answer& answer) const;
  void state_hard_rows(const Problem& problem, const RightHandSides& sides, Index c, const TreeAnswer& found,
                       HardRows& hard) const;

  const char* name_;
  Buffer<double> tau_, given_, residual_;  ///< the right-hand side
  Buffer<double> acceleration_, lambda_;   ///< and its answer
  Buffer<double> value_, size_;            ///< [m] scratch for holds()
};

}  // namespace zwang
