// SPDX-License-Identifier: BSD-3-Clause
#include "choose/box.hpp"

#include <cmath>
#include <limits>

#include "certify/certificate.hpp"

namespace zwang {
namespace {

constexpr double k_unbounded = std::numeric_limits<double>::infinity();

/// Whether a row with a sense is beyond its position by more than what is warned of: in a shock it is not touched. One
/// without a position is.
bool is_open(const Problem& whole, Index k, Sense sense) {
  const Constraint& x = whole.constraint_of(k);
  if (sense == Sense::equal || x.relation == nullptr || (x.target.empty() && x.relation->position_is_free()))
    return false;
  const double error = whole.rows.phi[whole.rows.row_of[k]];
  return (sense == Sense::at_least ? error : -error) > Certificate::k_fast;
}

}  // namespace

void Box::read(const Problem& whole) {
  for (Index k = 0; k < whole.rows.m; ++k) {
    const Constraint& x = whole.constraint_of(k);
    const std::size_t i = whole.row_in_constraint(k);
    const Sense sense = x.sense.empty() ? Sense::equal : x.sense[i];
    const double limit = x.limit.empty() ? k_unbounded : x.limit[i];
    lower[k] = sense == Sense::at_least ? 0.0 : -limit;
    upper[k] = sense == Sense::at_most ? 0.0 : limit;
    bounded[k] = sense != Sense::equal || limit < k_unbounded;
    if (whole.rows.shock != nullptr && is_open(whole, k, sense)) lower[k] = upper[k] = 0;
  }
}

bool Box::may_stay(const Problem& whole, const Problem& of) const {
  for (Index k = 0; k < whole.rows.m; ++k)
    if (of.rows.released[whole.rows.row_of[k]] && !(bounded[k] && (lower[k] == 0 || upper[k] == 0))) return false;
  return true;
}

void Box::write(Index rows, ActiveSet& set) const {
  std::copy_n(lower.data(), rows, set.lower.data());
  std::copy_n(upper.data(), rows, set.upper.data());
}

void Box::take(const ActiveSet& set, Choice& choice) const {
  for (Index k = 0; k < choice.whole.rows.m; ++k) {
    const ActiveSet::At at = set.at(k);
    choice.idle = choice.idle || set.is_idle(k);
    if (!bounded[k] || at == ActiveSet::At::inside || k == set.contradicted()) continue;
    const double bound = at == ActiveSet::At::lower ? lower[k] : upper[k];
    choice.fix(k, Choice::Acts::as_row, bound);
    choice.limited = choice.limited || bound != 0;
  }
}

Box::Gaps Box::gaps(Index k, double lambda, double terms) const {
  const auto gap = [&](double distance, double bound) {
    const double unit = std::max(std::fabs(lambda), bound != 0 ? std::fabs(bound) : terms);
    return is_finite(bound) && unit > 0 ? distance / unit : distance;
  };
  return {gap(lambda - lower[k], lower[k]), gap(upper[k] - lambda, upper[k])};
}

/// lambda is within its bounds, and w > 0 at the lower one only, w < 0 at the upper one only.
void Box::measure(Index k, double lambda, double terms, double open, double feasibility, Violation& v) const {
  if (lower[k] == upper[k]) return;  // open in a shock
  const Gaps at = gaps(k, lambda, terms);
  v.measure(at.low, at.high, open, feasibility);
}

}  // namespace zwang
