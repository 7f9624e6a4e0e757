// SPDX-License-Identifier: BSD-3-Clause
// LoopFactor: the passes of tree/loop_articulated.hpp as the factor of a method.
#pragma once
#include "factor/tree/loop_articulated.hpp"
#include "factor/tree_factor.hpp"

namespace zwang {

class LoopFactor : public TreeFactor {
 public:
  using TreeFactor::TreeFactor;
  /// Computes the order of elimination for the bodies that the set acts on.
  void make_room(const Problem& problem) override;
  bool takes(const Problem& problem) const override;
  void accept(const Problem& problem) override;
  bool serves(const Problem&, const RowPolicy&) const override { return is_factored_; }

 protected:
  static std::size_t moving_bodies(const Constraint& x) { return part_count(x) - (first_body(x) == 0 ? 1 : 0); }

 private:
  bool is_too_dense(const Constraint& x) const;
  void walk(const TreeProblem& problem, TreeAnswer& answer) override {
    loops_->solve(problem, answer);
    is_factored_ = answer.outcome == dense::KktOutcome::ok;
  }
  void walk_again(const TreeProblem& problem, TreeAnswer& answer) override { loops_->apply(problem, answer); }
  std::unique_ptr<LoopArticulated> loops_;
  bool is_factored_ = false;  ///< `loops_` holds the factor of the last solve
};

}  // namespace zwang
