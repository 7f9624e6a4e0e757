// SPDX-License-Identifier: BSD-3-Clause
#include "batch/lane_rows.hpp"

#include <algorithm>

#include "certify/certificate.hpp"
#include "constraint/looks_ahead.hpp"
#include "factor/method.hpp"
#include "zwang/constraint/relation.hpp"

namespace zwang {
namespace {

/// Bounds for a solution that lanes may keep: the smallest pivot of equilibrated rows (rounding leaves some 1e-10 of a
/// double row that depends on others, and some 1e-5 of a float one), and the largest residual relative to its terms.
template <class T> constexpr double k_regular = 1e-7;
template <> constexpr double k_regular<float> = 2e-5;
template <class T> constexpr double k_held = 1e-11;
template <> constexpr double k_held<float> = 3e-5;
/// With a larger tolerance nearly every state would be left to the solver of one state.
constexpr double k_most_tolerant = 1e-2;
/// A larger violation of a row is counted.
template <class T> constexpr double k_notable = Certificate::k_fast;
template <> constexpr double k_notable<float> = 1e-4;
}  // namespace

bool rubs(const Model& model, const SolverSettings& s) {
  const std::vector<double>& c = model.friction();
  return s.joint_effects.friction && std::any_of(c.begin(), c.end(), [](double x) { return x > 0; });
}

ConstrainedRoom LaneRows::room_of(const ConstraintSet& set) {
  const auto constraints = static_cast<Index>(set.size());
  ConstrainedRoom r{set.rows(), set.rows(), constraints, 0, 0};
  for (const Constraint& x : set.constraints()) {
    if (x.relation == nullptr) continue;
    const auto bodies = static_cast<Index>(x.relation->bodies().size());
    r.parts += x.size() * bodies;
    r.tips += (x.size() + 2) / 3 * bodies;
  }
  return r;
}

template <class T> bool LaneRows::suit(const Model& model, const ConstraintSet& set, const SolverSettings& settings) {
  if (!settings.motor_limits.empty() || rubs(model, settings)) return false;
  int priority = -1;
  for (const Constraint& x : set.constraints()) {
    if (!x.compensate.all() || x.is_bounded()) return false;
    if (x.policy == Policy::soft) continue;
    if (priority >= 0 && x.priority != priority) return false;
    priority = x.priority;
  }
  if (std::is_same_v<T, double> && settings.feasibility < k_held<T>) return false;
  for (const Constraint& c : set.constraints())  // relations in the user's own code
    if (c.relation != nullptr && c.relation->page() == nullptr) return false;
  if (!method_of(settings.method).can.lanes) return false;
  return settings.singularity == Singularity::truncation && settings.tolerance < k_most_tolerant;
}

void LaneRows::reserve(const ConstraintSet& set) {
  room_ = room_of(set);
  rows.reserve(static_cast<std::size_t>(set.size()));
  relations.reserve(static_cast<std::size_t>(set.size()));
}

template <class T>
void LaneRows::list(const ConstraintSet& set, const SolverSettings& settings, bool switched, ConstrainedTask<T>& t) {
  rows.clear();
  relations.clear();
  Index row = 0;
  const bool all_soft = method_of(settings.method).makes_rows_soft;
  const auto& constraints = set.constraints();
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    const Constraint& x = constraints[k];
    const RowsOnBody& r = x.rows_on_body;
    const Index at = row;
    row += x.size();
    if (!x.active && !switched) continue;
    const bool soft = x.policy == Policy::soft || all_soft;
    const auto given = [](const std::vector<double>& a) { return a.empty() ? nullptr : a.data(); };
    if (x.relation != nullptr) {
      const double time = x.stabilisation.time_constant;
      relations.push_back({x.relation->page(), x.beta.data(), soft ? x.compliance.data() : nullptr, given(x.target),
                           given(x.target_velocity), time > 0 ? 1 / time : 0, x.stabilisation.damping_ratio,
                           x.role == Role::driver, x.unilateral, !detail::has_position(x), x.size(), at,
                           static_cast<Index>(k), x.relation->bodies().data(),
                           static_cast<Index>(x.relation->bodies().size())});
      continue;
    }
    rows.push_back({&r, x.beta.data(), soft ? x.compliance.data() : nullptr, given(x.target_velocity),
                    x.acceleration == AccelerationKind::classical, x.role == Role::driver, x.unilateral, x.size(), at,
                    static_cast<Index>(k)});
    t.look_ahead = t.look_ahead || (r.axes == RowsOnBody::Axes::body && r.axes_body > r.body);
    for (std::size_t i = rows.size() - 1; i > 0; --i) {  // insertion keeps the order of equal bodies
      const auto body_of = [](const RowsTask& y) { return static_cast<const RowsOnBody*>(y.rows)->body; };
      if (body_of(rows[i - 1]) <= body_of(rows[i])) break;
      std::swap(rows[i - 1], rows[i]);
    }
  }
  t.rows = rows.data();
  t.count = static_cast<Index>(rows.size());
  t.relation = relations.data();
  t.relations = static_cast<Index>(relations.size());
  t.total_rows = set.rows();
  t.rank_tolerance = k_regular<T>;
  t.tolerance = settings.tolerance;
  t.feasibility = k_held<T>;
  t.notable = k_notable<T>;
}

template bool LaneRows::suit<double>(const Model&, const ConstraintSet&, const SolverSettings&);
template bool LaneRows::suit<float>(const Model&, const ConstraintSet&, const SolverSettings&);
template void LaneRows::list(const ConstraintSet&, const SolverSettings&, bool, ConstrainedTask<double>&);
template void LaneRows::list(const ConstraintSet&, const SolverSettings&, bool, ConstrainedTask<float>&);

}  // namespace zwang
