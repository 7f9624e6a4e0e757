// SPDX-License-Identifier: BSD-3-Clause
// CompressedFactor: another factor, of the problem with compressed rows (root/compressed_rows.hpp). While that factor
// works, the problem has the rows that are carried; at all other times it has those of the set.
//
// It serves where the carried rows are independent beyond doubt and no row is missed. solve.cpp solves other states again
// without it. Which states it tries may depend on the states before: answers then differ by rounding.
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
  /// Then the rows of the set are attached.
  bool finds(Problem& problem, const RowPolicy& policy);
  /// Makes finds() examine every relation at the next state, not only those with more rows than columns on their loop.
  void suspect(const Problem& problem) { suspected_ = problem.reader.reading; }
  void forget() { suspected_ = 0; }  ///< what earlier states have taught
  /// Returns to the problem the stage for rows without compression.
  void release(Problem& problem);

  void solve(Problem& problem, const RowPolicy& policy, Answer& answer) override;
  bool serves(const Problem& problem, const RowPolicy& policy) const override;
  bool apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) override;

 private:
  class AsCarried;
  static bool allows(const Problem& problem, const RowPolicy& policy);
  bool is_arranged(const Problem& problem) const;
  void arrange(const Problem& problem);
  void fill(Problem& problem);
  void expand_scale(Answer& answer) const;

  CompressedRows rows_;
  RowOrder order_;                  ///< of the carried rows; of the set's, while the other factor works
  page::RowNumbers<double> stage_;  ///< the stage that the problem does not have now
  bool has_attached_ = false;       ///< the problem has the stage of attached rows
  Buffer<double> numbers_;          ///< of carried rows, as RowReader::numbers
  Buffer<Index> rank_;              ///< [blocks] in `order_`
  unsigned arranged_ = 0;           ///< the reading that `order_` was made for
  unsigned arrangements_ = 0;       ///< number of orders made
  unsigned expected_ = 0;           ///< the reading for which `may_depend_` holds
  bool may_depend_ = false;         ///< some relation has more rows than columns on its loop
  unsigned suspected_ = 0;          ///< the reading of which every relation is examined
  Factor *used_ = nullptr, *at_root_ = nullptr;
};

}  // namespace zwang
