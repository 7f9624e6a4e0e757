// SPDX-License-Identifier: BSD-3-Clause
// The choice among rows of several priorities.
#include <cmath>

#include "choose/chooser.hpp"

namespace zwang {

Violation Chooser::beyond_bounds(const Found& of, double feasibility) {
  clutch_.forget();
  Violation v;
  for (Index k = 0; k < whole.rows.m; ++k) {
    if (!box_.bounded[k]) continue;
    const Box::Gaps at = box_.gaps(k, of.multipliers[whole.rows.row_of[k]], 0);
    const double inside = std::min(at.low, at.high);
    v.add(std::max(-inside, 0.0), inside, feasibility);
  }
  clutch_.measure(rows_, of, false, feasibility, v);
  return v;
}

const Choice& Chooser::choose_by_levels(const RowPolicy& policy, const Found& of) {
  if (!begin_choice()) return choice_;
  const Index m = whole.rows.m;
  LevelForces& forces = levels_->forces;
  for (Index k = 0; k < m && !stop_.asked(); ++k) levels_->rounding[k] = rows_.rounding(k, set_.row(k));
  choice_.end = ActiveSet::End::unsettled;
  if (stop_.asked()) return choice_;
  const LevelForces::Input input{.whole = whole,
                                 .J = rows_.J(),
                                 .clutch = clutch_,
                                 .coordinates = rows_.nv() + rows_.soft(),
                                 .weighted = policy.singularity == Singularity::weighted,
                                 .tolerance = {angle_of(policy), policy.feasibility},
                                 .stop = &stop_,
                                 .rounding = levels_->rounding.data(),
                                 .multipliers = of.multipliers};
  choice_.end = forces.find(set_, input);
  if (stop_.asked()) return choice_;
  rows_.motion(of, levels_->motion);
  levels_->reference_miss = forces.reference_miss(levels_->motion.data(), input);
  choice_.limited = true;
  for (Index k = 0; k < m; ++k) choice_.fix(k, Choice::Acts::as_wrench, forces.lambda(k));
  for (Index i = 0; i < clutch_.count; ++i) {
    clutch_.at_limit[clutch_.coordinate[i]] = forces.motor_at_limit(i);
    clutch_.growth[clutch_.coordinate[i]] = forces.motor_growth(i);
  }
  return choice_;
}

/// w of row k over its own terms and those of the coordinates that it sees.
double Chooser::level_residual_of(Index k, const Found& of) const {
  MetricRows::Residual r = rows_.residual(k, of, 0, 0, false);
  r.terms += levels_->forces.terms(k);
  return r.relative();
}

Violation Chooser::measure_levels(const Found& of, double feasibility) {
  const LevelForces& forces = levels_->forces;
  Violation v{std::max(forces.violation(), levels_->reference_miss), false};
  if (choice_.end == ActiveSet::End::unsettled) v.largest = 1;
  rows_.motion(of, levels_->motion);
  v.add(forces.miss(levels_->motion.data()), 0, feasibility);
  for (Index k = 0; k < whole.rows.m; ++k)
    if (forces.place(k) == LevelForces::Place::held) v.add(std::fabs(level_residual_of(k, of)), 0, feasibility);
  clutch_.measure(rows_, of, true, feasibility, v);
  return v;
}

void Chooser::name_levels(const Found& of, double feasibility, SolveReport& report) const {
  using Of = LevelForces::Place;
  report.rows = 0;
  report.residual = 0;
  for (Index r = 0; r < whole.layout.rows(); ++r) {
    const Index k = whole.rows.sweep_row[r];
    if (k < 0) continue;
    const Of place = levels_->forces.place(k);
    const std::string_view name = whole.row_name(k);
    if (place == Of::at_limit) {
      (choice_.force[r] != 0 ? report.at_limit : report.released).push_back(name);
      continue;
    }
    if (place == Of::held) {
      if (box_.bounded[k]) report.held.push_back(name);
      report.residual = std::max(report.residual, std::fabs(level_residual_of(k, of)));
    } else {
      report.given_up.push_back({name, errors_of(k, of.acceleration).residual,
                                 place == Of::gives_way  ? GivenUp::Reason::limit
                                 : place == Of::priority ? GivenUp::Reason::priority
                                                         : GivenUp::Reason::conflict});
    }
    report.rows += place != Of::gives_way;
  }
  report.rank = std::min(levels_->forces.rank_held(), report.rows);
  clutch_.name(rows_, of, feasibility, report);
}

}  // namespace zwang
