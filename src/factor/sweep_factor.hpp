// SPDX-License-Identifier: BSD-3-Clause
// SweepFactor: rows that travel with the articulated sweep, for every method that eliminates them at the root, early,
// where their paths meet, or soft at their bodies. The factor is what the sweep leaves: columns, w and Lambda
// (factor/page/resolve.hpp).
#pragma once
#include "factor/factor.hpp"
#include "factor/method.hpp"
#include "factor/page/resolve.hpp"

namespace zwang {

class SweepFactor final : public Factor {
 public:
  explicit SweepFactor(const Problem& problem);

  /// Chooses where rows are eliminated, for the method and the rows as read.
  void plan(Problem& problem, const Method& method);
  void forget() { dependent_ = false; }                      ///< what earlier states have taught
  const PlaceOfRows& estimate() const { return estimate_; }  ///< of `automatic`
  void solve(Problem& problem, const RowPolicy& policy, Answer& answer) override;
  bool serves(const Problem& problem, const RowPolicy& policy) const override;
  bool apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) override;
  bool holds(const Problem& problem, const RowPolicy& policy, const Answer& answer) override;
  void leave_drivers_out(Problem& problem, Answer& answer) override;
  void leave_drivers_out(Problem& problem, RightHandSides& sides) override;

 private:
  struct AtRoot;
  static bool is_postponed(const Data& data, Index k);
  bool wants_early(const Problem& problem) const;
  bool may_be_early(const Problem& problem, const RowPolicy& policy) const;
  bool sweep_once(Problem& problem, const RowPolicy& policy, Answer& answer, bool early, bool stiffened);
  bool sweep(Problem& problem, const RowPolicy& policy, Answer& answer, bool early, bool stiffened);
  void solve_rows(Problem& problem, const RowPolicy& policy, Answer& answer);
  void factor_rows(const Problem& problem, const RowPolicy& policy, HardRows& hard);
  void write_W(const Problem& problem, const HardRows& hard, MassWeightedRows& W);
  void gather_rows(RankRevealing& system) const;
  void push_motion(const Problem& problem, const MassWeightedRows& W);
  template <class R>
  void push_motion(const Problem& problem, const MassWeightedRows& W, page::RightHandSide<R>& at, Index c) const;
  void find_causes(Problem& problem);
  static void project_multipliers(HardRows& hard, RightHandSides& sides);
  void respond(const Problem& problem, RightHandSides& sides);
  void take_multipliers(const Problem& problem, Answer& answer);
  void take_torques(const Problem& problem, Answer& answer);
  template <class R> void load(const Problem& problem, const RightHandSides& sides, page::RightHandSide<R>& x) const;
  template <class R> void run(const Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides,
                              page::RightHandSide<R>& x);

  page::SweepStage<double> stage_;
  page::RightHandSide<double> single_;
  page::RightHandSide<Columns> several_;
  RightHandSides causes_, torques_;    ///< of drivers that rows leave uncompensated
  Buffer<double> torque_;              ///< [nv] scratch
  Buffer<double> right_, soft_right_;  ///< [m] of hard and soft rows at the root, before soft rows were eliminated
  Buffer<Index> index_;                ///< [slots] of a hard row at the root; of a soft one: -2 - index; -1: neither
  const Method* method_ = nullptr;
  Place place_ = Place::root;  ///< where rows will be eliminated
  PlaceOfRows estimate_;       ///< and the reason
  bool dependent_ = false;     ///< the estimate was wrong because rows are dependent: they stay at the root
  bool nothing_left_out_ = false;
};

extern template class page::Resolve<double, double>;
extern template class page::Resolve<double, Columns>;

}  // namespace zwang
