// SPDX-License-Identifier: BSD-3-Clause
// Inequalities of rows of several priorities.
#include <algorithm>
#include <cmath>
#include <limits>

#include "choose/inequalities.hpp"
#include "linear/vectors.hpp"

namespace zwang {
namespace {
/// x <- a bound of |L^-1| x for x >= 0: of all matrices with the sizes of these entries (Higham 2002, Accuracy and Stability, 8.3).
void solve_lower_sizes(Index n, const double* L, double* x) {
  for (Index k = 0; k < n; ++k) {
    for (Index j = 0; j < k; ++j) x[k] += std::fabs(L[k * n + j]) * x[j];
    x[k] /= std::fabs(L[k * n + k]);
  }
}
}  // namespace

/// What rounding of J and of L may change of |W_k|.
double Inequalities::rounding_of(Index k) {
  for (Index y = 0; y < nv_; ++y) {
    double sum = terms_[k * nv_ + y];
    for (Index x = 0; x <= y; ++x) sum += static_cast<double>(nv_) * std::fabs(M_[y * nv_ + x] * set_.row(k)[x]);
    scratch_[y] = sum;
  }
  solve_lower_sizes(nv_, M_.data(), scratch_.data());
  double sum = 0;
  for (Index y = 0; y < nv_; ++y) sum += scratch_[y] * scratch_[y];
  return 8 * epsilon_of<double> * std::sqrt(sum);
}

/// w of row k over the magnitudes of its terms.
double Inequalities::residual_of(Index k, const Numbers& of) const {
  const double soft = whole.rows.compliance[k] * of.multipliers[whole.rows.row_of[k]];
  double w = soft - b_[k], terms = std::fabs(soft) + size_[k] + (chosen_ ? reach_[k] : 0.0);
  for (Index y = 0; y < nv_; ++y) {
    w += J_[k * nv_ + y] * of.acceleration[y];
    terms += terms_[k * nv_ + y] * std::fabs(of.acceleration[y]);
  }
  return terms > 0 ? w / terms : 0.0;
}

Inequalities::Violation Inequalities::beyond_bounds(const Numbers& of, double feasibility) {
  motors_.forget();
  const double strength = strength_of(of);
  Violation v{0, true, false, false};
  for (Index k = 0; k < whole.rows.m; ++k) {
    if (!bounded_[k]) continue;
    const double unit = strength > 0 ? size_of(k) / strength : 1.0, lambda = of.multipliers[whole.rows.row_of[k]];
    const double inside = std::min(lambda - set_.lower[k], set_.upper[k] - lambda) * unit;
    v.add(std::max(-inside, 0.0), inside, feasibility);
  }
  measure_motors(of, strength, feasibility, v);
  return v;
}

/// L^T q'', and root(R) lambda of soft rows.
void Inequalities::write_motion(const Numbers& of) {
  std::fill_n(levels_->motion.data(), levels_->motion.size(), 0.0);
  const auto a = [&](Index y) {
    return whole.state.prescribed.any && whole.state.prescribed.is[y] ? 0.0 : of.acceleration[y];
  };
  for (Index y = 0; y < nv_; ++y)
    for (Index x = y; x < nv_; ++x) levels_->motion[y] += M_[x * nv_ + y] * a(x);
  for (Index k = 0, own = nv_; k < whole.rows.m; ++k)
    if (const double R = whole.rows.compliance[k]; R > 0)
      levels_->motion[own++] = std::sqrt(R) * of.multipliers[whole.rows.row_of[k]];
}

Inequalities::Choice Inequalities::choose_by_levels(const RowPolicy& policy, const Numbers& of) {
  Index soft = 0;
  if (const Choice without = begin_choice(soft); without.singular >= 0) return without;
  const Index m = whole.rows.m;
  const double angle = std::max(policy.tolerance, 64 * epsilon_of<double> * (nv_ + m));
  for (Index k = 0; k < m && !stop_.asked(); ++k) levels_->rounding[k] = rounding_of(k);
  if (stop_.asked()) return {ActiveSet::End::unsettled, -1};
  const bool weighted = policy.singularity == Singularity::weighted;
  const ActiveSet::End end = levels_->forces.find(
      set_,
      {whole, J_.data(), motors_, nv_ + soft, weighted, {angle, policy.feasibility}, &stop_, levels_->rounding.data()});
  if (stop_.asked()) return {end, -1};
  write_motion(of);
  levels_->reference_miss = levels_->forces.miss(levels_->motion.data(), true);
  limited_ = true;
  for (Index k = 0; k < m; ++k) {
    fixed_[whole.rows.row_of[k]] = levels_->forces.lambda(k);
    gives_[k] = 3;
  }
  for (Index i = 0; i < motors_.count; ++i) {
    motors_.at_limit[motors_.coordinate[i]] = levels_->forces.motor_at_limit(i);
    motors_.growth[motors_.coordinate[i]] = levels_->forces.motor_growth(i);
  }
  return {end, -1};
}

Inequalities::Violation Inequalities::measure_levels(const Numbers& of, double feasibility) {
  Violation v{std::max(levels_->forces.violation(), levels_->reference_miss), false, false, false};
  write_motion(of);
  v.add(levels_->forces.miss(levels_->motion.data(), false), 0, feasibility);
  for (Index k = 0; k < whole.rows.m; ++k)
    if (levels_->forces.place(k) == LevelForces::Place::held) v.add(std::fabs(residual_of(k, of)), 0, feasibility);
  measure_motors(of, strength_of(of), feasibility, v);
  return v;
}

void Inequalities::name_levels(const Numbers& of, double feasibility, SolveReport& report) const {
  using Of = LevelForces::Place;
  report.rows = 0;
  report.residual = 0;
  for (Index r = 0; r < whole.layout.rows(); ++r) {
    const Index k = whole.rows.sweep_row[r];
    if (k < 0) continue;
    const Of place = levels_->forces.place(k);
    const std::string_view name = whole.row_name(k);
    if (place == Of::at_limit) {
      (fixed_[r] != 0 ? report.at_limit : report.released).push_back(name);
      continue;
    }
    if (place == Of::held) {
      if (bounded_[k]) report.held.push_back(name);
      report.residual = std::max(report.residual, std::fabs(residual_of(k, of)));
    } else {
      report.given_up.push_back({name, errors_of(k, of.acceleration).residual,
                                 place == Of::gives_way  ? GivenUp::Reason::limit
                                 : place == Of::priority ? GivenUp::Reason::priority
                                                         : GivenUp::Reason::conflict});
    }
    report.rows += place != Of::gives_way;
  }
  report.rank = std::min(levels_->forces.rank_held(), report.rows);
  name_motors(of, feasibility, report);
}

}  // namespace zwang
