// SPDX-License-Identifier: BSD-3-Clause
// Constrained inverse dynamics: rows with a sense.
//
//   at_least   J a >= gamma, lambda >= 0, one of them as an equality        at_most   the signs turned
// The motion says which: a row that the motion satisfies strictly is open, lambda = 0. The others are held, J
// a = gamma, and the sign of lambda is a bound (inverse_bounds.cpp). The first motion to look at is the one nearest to
// a* of those that the rows permit, by ActiveSet with y = L^T a, L L^T = the metric of the demands.
// A contact with a friction cone is released with all of its rows: without a normal force there is no friction.
#include <algorithm>
#include <cmath>
#include <limits>

#include "question/inverse/inverse_parts.hpp"
#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

constexpr double k_wish = 1e-4;      ///< weight of wishes beside demands, where they only choose between motions
constexpr double k_singular = 1e-8;  ///< added to a metric that is singular
constexpr double k_infinite = std::numeric_limits<double>::infinity();

}  // namespace

Sense InverseParts::sense_of(Index row) const {
  const Constraint& x = rows.constraint_of(row);
  return x.sense.empty() ? Sense::equal : x.sense[rows.problem.row_in_constraint(rows.order[row])];
}
double InverseParts::limit_of(Index row) const {
  const Constraint& x = rows.constraint_of(row);
  return x.limit.empty() ? k_infinite : x.limit[rows.problem.row_in_constraint(rows.order[row])];
}

/// Refuses what senses and limits do not go together with. No row is open.
void InverseParts::check_senses() {
  const auto refuse_row = [&](Index i, const char* what) {
    throw UnsupportedError("ConstrainedInverseDynamics: constraint '" + rows.constraint_of(i).name.value() + "' " +
                           what);
  };
  senses.any = false;
  for (Index i = 0; i < rows.rows; ++i) {
    senses.open[i] = senses.released[i] = 0;
    const bool sided = sense_of(i) != Sense::equal, limited = limit_of(i) < k_infinite;
    if (!sided && !limited) continue;
    if (settings.penalty > 0) refuse_row(i, "has a sense or a limit, which do not go together with a penalty");
    if (rows.compliance(i) > 0)
      refuse_row(i, "is soft and has a sense or a limit: its force follows from the motion alone; make it hard");
    if (limited && rows.constraint_of(i).role == Role::driver)
      refuse_row(i, "is a driver with a limit: motors meet it, limit their torques");
    senses.any = senses.any || sided;
  }
}

/// By how much a motion is on the open side of a row, relative to the terms of the row.
double InverseParts::open_by(Index i, const double* acceleration) const {
  double left = -rows.gamma[i], terms = std::fabs(rows.gamma[i]) + problem.length[i] * problem.scale;
  for (Index c = 0; c < rows.nv; ++c) {
    left += rows.row(i)[c] * acceleration[c];
    terms += rows.magnitudes(i)[c] * std::fabs(acceleration[c]);
  }
  return terms > 0 ? (sense_of(i) == Sense::at_most ? -left : left) / terms : 0.0;
}

/// a: the motion nearest to a* that the rows permit. senses.open: the rows that do not act on it.
/// False where it is not found.
bool InverseParts::project_wish() {
  const InverseProblem& p = problem;
  const Index n = rows.nv;
  double most = 0;
  for (Index c = 0; c < n; ++c) most = std::max(most, p.weight[c]);
  const auto scale = [&](Index c) { return p.column[c] * (most > 0 ? std::max(p.weight[c], k_wish * most) : 1.0); };
  for (const double tie : {0.0, k_singular}) {
    for (Index c = 0; c < n; ++c)
      for (Index d = 0; d <= c; ++d) matrix[c * n + d] = scale(c) * p.M[c * n + d] * scale(d) + (c == d ? tie : 0.0);
    std::fill(right.begin(), right.end(), 0.0);
    if (solve_normal_equations(n)) break;
    if (tie > 0) return false;
  }
  const double* const L = matrix.data();
  ActiveSet& set = senses.set;
  Index count = 0;
  const auto taken = [&](Index i) { return !(rows.compliance(i) > 0) && !senses.released[i]; };
  for (Index i = 0; i < rows.rows; ++i) count += taken(i);
  set.begin(n, count);
  for (Index c = 0; c < n; ++c) {
    const double alpha = p.wish[c] / p.column[c];
    for (Index d = 0; d <= c; ++d) set.start()[d] += L[c * n + d] * alpha;
  }
  for (Index i = 0, k = 0; i < rows.rows; ++i) {
    if (!taken(i)) continue;
    double* const w = set.row(k);
    for (Index c = 0; c < n; ++c)
      w[c] = (rows.row(i)[c] * p.column[c] * p.inverse[i] - dot(c, L + c * n, w)) / L[c * n + c];
    const Sense sense = sense_of(i);
    set.b[k] = rows.gamma[i] * p.inverse[i];
    set.lower[k] = sense == Sense::at_least ? 0 : -k_infinite;
    set.upper[k] = sense == Sense::at_most ? 0 : k_infinite;
    ++k;
  }
  const double angle = std::max(1e-11, 64 * epsilon_of<double> * (n + count));
  if (set.find({angle, settings.feasibility}) != ActiveSet::End::found) return false;
  std::copy_n(set.motion(), n, a.data());
  for (Index c = n - 1; c >= 0; --c) {
    a[c] /= L[c * n + c];
    for (Index d = 0; d < c; ++d) a[d] -= L[c * n + d] * a[c];
  }
  for (Index c = 0; c < n; ++c) a[c] *= p.column[c];
  for (Index i = 0, k = 0; i < rows.rows; ++i) {
    if (!taken(i)) continue;
    senses.open[i] = sense_of(i) != Sense::equal && set.at(k) != ActiveSet::At::inside;
    ++k;
  }
  return true;
}

void InverseParts::hold_touching() {
  if (!senses.any) return;
  for (Index i = 0; i < rows.rows; ++i) senses.open[i] = sense_of(i) != Sense::equal;
  if (!project_wish()) std::copy_n(problem.wish.data(), rows.nv, a.data());
  for (Index i = 0; i < rows.rows; ++i)
    senses.open[i] = senses.released[i] || (senses.open[i] && open_by(i, a.data()) > settings.feasibility);
  follow_normals();
}

/// The tangents of a contact with a friction cone are open where its normal is.
void InverseParts::follow_normals() {
  for (const FrictionCone& cone : settings.friction) {
    const Constraint& x = rows.problem.layout.set[cone.contact];  // throws with the nearest name
    Index last = -1;
    for (Index i = 0; i < rows.rows; ++i)
      if (&rows.constraint_of(i) == &x) last = i;
    if (last < 0 || sense_of(last) == Sense::equal) continue;
    for (Index i = last - x.size() + 1; i < last; ++i)
      if (sense_of(i) == Sense::equal) senses.open[i] = senses.open[last];
  }
}

/// Holds the open row that the motion goes against most. False: there is none.
bool InverseParts::hold_violated() {
  if (!senses.any) return false;
  Index worst = -1;
  double most = settings.feasibility;
  for (Index i = 0; i < rows.rows; ++i) {
    if (!senses.open[i] || sense_of(i) == Sense::equal) continue;
    if (const double against = -open_by(i, a.data()); against > most) most = against, worst = i;
  }
  if (worst < 0) return false;
  senses.open[worst] = 0;
  follow_normals();
  return true;
}

/// Opens the rows that would have to pull, where some coordinates are not demanded and may give way.
bool InverseParts::release_pulling() {
  if (!senses.any || solution.report.status != Status::infeasible || bounds.outcome != dense::ConeOutcome::infeasible ||
      asked.demanded == rows.nv)
    return false;
  bool some = false;
  for (Index k = 0; k < bounds.count; ++k) {
    const ForceBound& b = bounds.list[k];
    if (b.kind == ForceBound::Kind::open || b.kind == ForceBound::Kind::motor || b.kind == ForceBound::Kind::effort)
      continue;
    const Index i = problem.physical[b.at + b.size - 1];
    if (sense_of(i) == Sense::equal || !(outside(b) > 0)) continue;
    senses.released[i] = senses.open[i] = 1;
    some = true;
  }
  if (some) follow_normals();
  return some;
}

void InverseParts::name_senses() {
  InverseReport& r = solution.report;
  for (Index i = 0; i < rows.rows; ++i)
    if (sense_of(i) != Sense::equal) (senses.open[i] ? r.released : r.held).push_back(rows.name(i));
}

}  // namespace zwang
