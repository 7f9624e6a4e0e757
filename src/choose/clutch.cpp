// SPDX-License-Identifier: BSD-3-Clause
#include "choose/clutch.hpp"

#include <cmath>

namespace zwang {
namespace {
constexpr double k_least_give = 1e-12;  ///< of the terms of a row: it holds if it gives way by less
constexpr double k_parallel = 1e-8;     ///< of the terms: a sum that is smaller is 0
}  // namespace

Clutch::Clutch(Index nv)
    : coordinate(nv),
      lower(nv),
      upper(nv),
      unit(nv),
      slip(nv),
      growth(nv),
      at_limit(nv),
      share_(nv) {}

void Clutch::read(const MetricRows& rows, const MotorLimits& of) {
  const Problem& whole = rows.whole;
  limits = &of;
  forget();
  count = 0;
  for (Index y = 0; !of.empty() && y < rows.nv(); ++y) {
    const auto at = static_cast<std::size_t>(y);
    lower[y] = of.lower[at] - whole.state.tau[y];
    upper[y] = of.upper[at] - whole.state.tau[y];
    bool used = is_finite(lower[y]) || is_finite(upper[y]);
    used = used && !(whole.state.prescribed.any && whole.state.prescribed.is[y]);
    bool driven = false;
    for (Index k = 0; used && k < whole.rows.m; ++k)
      driven = driven || (whole.rows.role[k] == Role::driver && rows.J(k, y) != 0);
    if (driven) coordinate[count++] = y;
  }
}

void Clutch::find_units(MetricRows& rows) {
  for (Index i = 0; i < count && !rows.whole.state.interruption.asked(); ++i)
    unit[i] = k_stiffness * rows.response(coordinate[i]);
}

void Clutch::write(const Problem& whole, const double* J, Index first_coordinate, ActiveSet& set) const {
  const Index nv = lower.size(), m = whole.rows.m;
  for (Index i = 0; i < count; ++i) {
    const Index y = coordinate[i];
    for (Index k = 0; k < m; ++k)
      if (whole.rows.role[k] == Role::driver) set.row(k)[first_coordinate + i] = -unit[i] * J[k * nv + y];
    set.row(m + i)[first_coordinate + i] = unit[i];
    set.lower[m + i] = lower[y];
    set.upper[m + i] = upper[y];
    set.b[m + i] = 0;
  }
}

bool Clutch::any_at_limit() const {
  for (Index i = 0; i < count; ++i)
    if (at_limit[coordinate[i]]) return true;
  return false;
}

void Clutch::take(const MetricRows& rows, const Box& box, Index first_coordinate, const ActiveSet& set,
                  Choice& choice) {
  const Index m = rows.whole.rows.m;
  for (Index i = 0; i < count; ++i) {
    const Index y = coordinate[i];
    at_limit[y] = set.at(m + i) != ActiveSet::At::inside;
    growth[y] = -unit[i] * set.growth(first_coordinate + i);
    slip[y] = at_limit[y] ? -unit[i] * set.motion(first_coordinate + i) : 0.0;
  }
  if (!any_at_limit()) return;
  choice.limited = true;
  for (Index k = 0; k < m; ++k) {
    const Give slips = give(rows, k);
    if (std::fabs(slips.value) <= k_least_give * (rows.size(k) + slips.terms) || k == set.contradicted()) continue;
    if (box.bounded[k] && set.at(k) != ActiveSet::At::inside) continue;
    choice.fix(k, Choice::Acts::gives_way, set.lambda(k));
  }
}

Clutch::Give Clutch::give(const MetricRows& rows, Index k) const {
  Give of;
  for (Index i = 0; i < count && rows.whole.rows.role[k] == Role::driver; ++i) {
    const double term = rows.J(k, coordinate[i]) * slip[coordinate[i]];
    of.value += term;
    of.terms += std::fabs(term);
  }
  return of;
}

/// Of tau + J^T lambda.
double Clutch::torque_terms(const MetricRows& rows, const Found& of, Index y) const {
  const Problem& whole = rows.whole;
  double terms = std::fabs(whole.state.tau[y]);
  for (Index k = 0; k < whole.rows.m; ++k)
    if (whole.rows.role[k] == Role::driver) terms += std::fabs(rows.J(k, y) * of.multipliers[whole.rows.row_of[k]]);
  return terms;
}

void Clutch::measure_slips(const MetricRows& rows, const Found& of, bool chosen) {
  std::fill_n(share_.data(), share_.size(), 0.0);
  if (!any_at_limit()) return;
  for (Index k = 0; k < rows.whole.rows.m; ++k) {
    const Give slips = give(rows, k);
    if (slips.terms == 0) continue;
    const double terms = rows.residual(k, of, slips.value, slips.terms, chosen).terms;
    for (Index i = 0; i < count; ++i) {
      const Index y = coordinate[i];
      const double share = rows.J(k, y) * slip[y] / terms;
      if (std::fabs(share) > std::fabs(share_[y])) share_[y] = std::copysign(share, slip[y]);
    }
  }
}

void Clutch::measure(const MetricRows& rows, const Found& of, bool chosen, double feasibility, Violation& v) {
  const Problem& whole = rows.whole;
  measure_slips(rows, of, chosen);
  Index driven = 0;  // place in `coordinate`, which is in order
  for (Index y = 0; !limits->empty() && y < slip.size(); ++y) {
    const bool is_driven = driven < count && coordinate[driven] == y;
    driven += is_driven;
    if (whole.state.prescribed.any && whole.state.prescribed.is[y]) continue;
    const auto at = static_cast<std::size_t>(y);
    const double u = of.motor_torque[y], terms = torque_terms(rows, of, y);
    const auto gap = [&](double distance, double limit) {
      const double all = terms + std::fabs(limit);
      return is_finite(limit) && all > 0 ? distance / all : distance;
    };
    const double low = gap(u - limits->lower[at], limits->lower[at]),
                 high = gap(limits->upper[at] - u, limits->upper[at]);
    v.measure(low, high, -share_[y], feasibility);
    if (!(-std::min(low, high) > feasibility)) continue;
    v.beyond = true;
    v.out_of_reach = v.out_of_reach || !is_driven;
  }
}

/// A direction d of torques that driver rows do not change, J_k d = 0, or only within their own limits, while all
/// torques within the limits of motors are on one side of what they give along d (Farkas). Slips grow along such a d
/// without end.
bool Clutch::contradicts(const MetricRows& rows, const Box& box) const {
  double largest = 0;
  for (Index i = 0; i < count; ++i) largest = std::max(largest, std::fabs(growth[coordinate[i]]));
  if (!(largest > 0) || !is_finite(largest)) return false;
  double low = 0, high = 0, terms = 0;  // d . u by the limits of motors, less what rows give
  const auto add = [&](double c, double from, double to) {
    low += c > 0 ? c * from : c * to;
    high += c > 0 ? c * to : c * from;
    for (const double x : {from, to})
      if (is_finite(x)) terms += std::fabs(c * x);
  };
  const auto along = [&](Index i) {  // d, whose small entries are 0
    const double d = growth[coordinate[i]] / largest;
    return std::fabs(d) > k_parallel ? d : 0.0;
  };
  for (Index i = 0; i < count; ++i)
    if (along(i) != 0) add(along(i), lower[coordinate[i]], upper[coordinate[i]]);
  for (Index k = 0; k < rows.whole.rows.m; ++k) {
    if (rows.whole.rows.role[k] != Role::driver) continue;
    double sum = 0, size = 0;
    for (Index i = 0; i < count; ++i) {
      const double term = rows.J(k, coordinate[i]) * along(i);
      sum += term;
      size += std::fabs(term);
    }
    if (std::fabs(sum) > k_parallel * size) add(-sum, box.lower[k], box.upper[k]);
  }
  return low > k_parallel * terms || high < -k_parallel * terms;
}

void Clutch::name(const MetricRows& rows, const Found& of, double feasibility, SolveReport& report) const {
  for (Index y = 0; !limits->empty() && y < slip.size(); ++y) {
    const auto at = static_cast<std::size_t>(y);
    const std::string& motor = rows.whole.state.data.model().coordinate_names()[at];
    const double u = of.motor_torque[y], least = limits->lower[at], most = limits->upper[at];
    if (at_limit[y]) {
      report.motors_at_limit.push_back(motor);
      continue;
    }
    const double beyond = std::max(least - u, u - most);
    if (!(beyond > 0)) continue;
    const double limit = u > most ? most : least;
    if (beyond > feasibility * (torque_terms(rows, of, y) + std::fabs(limit)))
      report.warnings.push_back({SolveWarning::Kind::motor_beyond_limit, {}, beyond, motor});
  }
}

}  // namespace zwang
