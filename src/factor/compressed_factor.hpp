// SPDX-License-Identifier: BSD-3-Clause
// CompressedFactor: another factor, of the problem with compressed rows (factor/compressed_rows.hpp) at the same state.
//
// It serves where the carried rows are independent beyond doubt and no row is missed. solve.cpp solves other states
// again without it. Which states it tries may depend on the states before: answers then differ by rounding.
#pragma once
#include "factor/factor.hpp"

namespace zwang {

class CompressedFactor final : public Factor {
 public:
  explicit CompressedFactor(const Problem& problem);

  /// The factor that solves for the carried rows, and the one for its outcome to_root.
  void use(Factor& first, Factor& at_root) {
    used_ = &first;
    at_root_ = &at_root;
  }
  bool went_to_root() const { return used_ == at_root_; }  ///< in the last solve
  /// Whether policy and set allow compression, and some rows of a relation depend on others at the problem's state.
  /// Then the rows of the problem are attached.
  bool finds(Problem& problem, const RowPolicy& policy);
  /// Makes finds() examine every relation at the next state, not only those with more rows than columns on their loop.
  void examine_all(const Problem& problem) { examined_ = problem.rows.reading; }
  void forget() { examined_ = 0; }  ///< what earlier states have taught

  void solve(Problem& problem, const RowPolicy& policy, Answer& answer) override;
  bool serves(const Problem& problem, const RowPolicy& policy) const override;
  bool apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) override;

 private:
  static bool allows(const Problem& problem, const RowPolicy& policy);
  /// The problem with the carried rows.
  Problem carried(Problem& problem) { return {problem.state, problem.layout, problem.reader, carried_}; }
  bool is_arranged(const Rows& rows) const;
  void arrange(const RowLayout& layout, const Rows& rows);
  void fill(Rows& rows);
  void expand_scale(Answer& answer) const;

  CompressedRows rows_;
  Rows carried_;               ///< Y^T K, Y^T beta of the compressed relations, and the other rows as they are
  Buffer<Index> rank_;         ///< [blocks] in `carried_`
  unsigned arranged_ = 0;      ///< the reading that `carried_` was made for
  unsigned arrangements_ = 0;  ///< number of orders made
  unsigned expected_ = 0;      ///< the reading for which `may_depend_` holds
  bool may_depend_ = false;    ///< some relation has more rows than columns on its loop
  unsigned examined_ = 0;      ///< the reading of which every relation is examined
  Factor *used_ = nullptr, *at_root_ = nullptr;
};

}  // namespace zwang
