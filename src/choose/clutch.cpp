// SPDX-License-Identifier: BSD-3-Clause
#include "choose/clutch.hpp"

#include <cmath>

namespace zwang {
namespace {
constexpr double k_least_give = 1e-12;  ///< of the terms of a row: it holds if it gives way by less
constexpr double k_parallel = 1e-8;     ///< of the terms: a sum that is smaller is 0
}  // namespace

Clutch::Clutch(Index nv) : coordinate(nv), lower(nv), upper(nv), unit(nv), slip(nv), growth(nv), at_limit(nv) {}

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
    double terms = rows.size(k);
    for (Index i = 0; i < count; ++i) terms += std::fabs(rows.J(k, coordinate[i]) * slip[coordinate[i]]);
    if (std::fabs(give(rows, k)) <= k_least_give * terms || k == set.contradicted()) continue;
    if (box.bounded[k] && set.at(k) != ActiveSet::At::inside) continue;
    choice.fix(k, Choice::Acts::gives_way, set.lambda(k));
  }
}

double Clutch::give(const MetricRows& rows, Index k) const {
  double sum = 0;
  for (Index i = 0; i < count && rows.whole.rows.role[k] == Role::driver; ++i)
    sum += rows.J(k, coordinate[i]) * slip[coordinate[i]];
  return sum;
}

void Clutch::measure(const Problem& whole, const Found& of, double strength, double feasibility, Violation& v) const {
  const Index nv = slip.size();
  double fastest = 0;
  for (Index y = 0; y < nv; ++y) fastest = std::max({fastest, std::fabs(of.acceleration[y]), std::fabs(slip[y])});
  for (Index y = 0; !limits->empty() && y < nv; ++y) {
    if (whole.state.prescribed.any && whole.state.prescribed.is[y]) continue;
    const double tau = whole.state.tau[y], u = of.motor_torque[y] - tau, largest = std::max(strength, std::fabs(tau));
    const double unit_force = largest > 0 ? 1 / largest : 1.0, force = u * unit_force;
    const double slips = fastest > 0 ? slip[y] / fastest : 0.0;
    const double low = force - lower[y] * unit_force, high = upper[y] * unit_force - force;
    const double to = std::clamp(force + slips, lower[y] * unit_force, upper[y] * unit_force);
    v.add(std::fabs(force - to), std::max(std::fabs(slips), std::min(low, high)), feasibility);
    if (!(-std::min(low, high) > feasibility)) continue;
    v.beyond = true;
    v.out_of_reach = v.out_of_reach || !at_limit[y];
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
  for (Index i = 0; i < count; ++i) {
    const Index y = coordinate[i];
    const double d = growth[y] / largest;
    if (std::fabs(d) > k_parallel) add(d, lower[y], upper[y]);
  }
  for (Index k = 0; k < rows.whole.rows.m; ++k) {
    if (rows.whole.rows.role[k] != Role::driver) continue;
    double sum = 0, size = 0;
    for (Index i = 0; i < count; ++i) {
      const double term = rows.J(k, coordinate[i]) * growth[coordinate[i]] / largest;
      sum += term;
      size += std::fabs(term);
    }
    if (std::fabs(sum) > k_parallel * size) add(-sum, box.lower[k], box.upper[k]);
  }
  return low > k_parallel * terms || high < -k_parallel * terms;
}

void Clutch::name(const Problem& whole, const Found& of, double strength, double feasibility,
                  SolveReport& report) const {
  for (Index y = 0; !limits->empty() && y < slip.size(); ++y) {
    const auto at = static_cast<std::size_t>(y);
    const std::string& motor = whole.state.data.model().coordinate_names()[at];
    const double u = of.motor_torque[y], largest = std::max(strength, std::fabs(u));
    if (at_limit[y])
      report.motors_at_limit.push_back(motor);
    else if (const double beyond = std::max(limits->lower[at] - u, u - limits->upper[at]);
             beyond > feasibility * largest)
      report.warnings.push_back({SolveWarning::Kind::motor_beyond_limit, {}, beyond, motor});
  }
}

}  // namespace zwang
