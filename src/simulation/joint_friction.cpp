// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/joint_friction.hpp"

#include <algorithm>
#include <cmath>

#include "constraint/joint_columns.hpp"
#include "zwang/core/error.hpp"

namespace zwang {
namespace {

constexpr double k_still = 1e-13;        // of the largest velocity: what projections and impulses leave of v_i = 0
constexpr double k_at_limit = 1 - 1e-9;  // of c: a multiplier at its limit

}  // namespace

JointFriction::JointFriction(const Model& model, const SolverSettings& settings) : model_(model) {
  if (!settings.joint_effects.friction) return;
  for (Index k = 0; k < model.nv(); ++k) {
    const double c = model.friction()[static_cast<std::size_t>(k)];
    if (c == 0 || std::isnan(c)) continue;
    const std::string& name = model.coordinate_names()[static_cast<std::size_t>(k)];
    if (c < 0)
      throw std::invalid_argument("Simulator: the friction of '" + name + "' is " + std::to_string(c) +
                                  ", which drives; expected >= 0, or joint_effects.friction off");
    if (detail::coordinate_column(model, k).q < 0)
      throw UnsupportedError("Simulator: Coulomb friction of '" + name +
                             "', which turns with the others of its joint; switch joint_effects.friction off");
    One x{k, c, "friction of " + name};
    list_.push_back(std::move(x));
  }
}

ConstraintSet JointFriction::with_rows(const ConstraintSet& set) const {
  ConstraintSet out(set);
  for (const One& x : list_)
    out.add(JointConstraint{.name = x.row,
                            .coordinates = {model_.coordinate_names()[static_cast<std::size_t>(x.v)]},
                            .active = false,
                            .limit = {x.friction}});
  return out;
}

void JointFriction::begin(const double* v, Index nv, const Prescribed& prescribed, ConstraintSet& set) {
  if (list_.empty()) return;
  double largest = 0;
  for (Index k = 0; k < nv; ++k) largest = std::max(largest, std::fabs(v[k]));
  Index at = set.rows() - static_cast<Index>(list_.size());
  for (One& x : list_) {
    x.at = at++;
    x.free =
        std::any_of(prescribed.begin(), prescribed.end(), [&](const PrescribedCoordinate& p) { return p.v == x.v; });
    const bool noise = std::fabs(v[x.v]) <= k_still * largest;
    x.sign = noise || x.free ? 0 : v[x.v] > 0 ? 1 : -1;
  }
  keep();
  activate(set);
}

/// True: something has changed.
bool JointFriction::activate(ConstraintSet& set) const {
  bool changed = false;
  for (const One& x : list_) {
    Constraint& row = set[x.row];
    const bool sticks = x.sign == 0 && !x.free;
    if (row.active == sticks) continue;
    row.active = sticks;
    changed = true;
  }
  return changed;
}
void JointFriction::release(ConstraintSet& set) const {
  for (const One& x : list_) set[x.row].active = false;
}

void JointFriction::add_to(double* tau) const {
  for (const One& x : list_) tau[x.v] -= x.friction * x.sign;
}

void JointFriction::add_to_motors(const double* v, double* torque) const {
  for (const One& x : list_) torque[x.v] += x.friction * (x.free ? (v[x.v] > 0) - (v[x.v] < 0) : x.sign);
}

void JointFriction::note(const Solution& solution) {
  for (One& x : list_) {
    const double lambda = x.sign == 0 && !x.free ? solution.multipliers[x.at] : 0.0;
    if (std::fabs(lambda) >= k_at_limit * x.friction) x.reached = lambda;
  }
}

bool JointFriction::start_step(ConstraintSet& set) {
  bool changed = false;
  for (One& x : list_) {
    changed = changed || x.sign != x.kept;
    x.sign = x.kept;
  }
  clear_notes();
  return activate(set) || changed;
}
void JointFriction::clear_notes() {
  for (One& x : list_) x.reached = 0;
}
void JointFriction::keep() {
  for (One& x : list_) x.kept = x.sign;
}

bool JointFriction::stops(const double* v0, const double* v1, double& fraction) const {
  fraction = 1;
  bool some = false;
  for (const One& x : list_) {
    if (x.sign == 0 || !(x.sign * v1[x.v] < 0)) continue;
    some = true;
    const double from = std::max(x.sign * v0[x.v], 0.0);
    fraction = std::min(fraction, from / (from - x.sign * v1[x.v]));
  }
  return some;
}

void JointFriction::settle(double* v, ConstraintSet& set) {
  for (One& x : list_) {
    double& rate = v[x.v];
    if (x.free) continue;
    if (x.sign == 0) {
      if (x.reached * rate < 0)  // it has given way, against its friction
        x.sign = rate > 0 ? 1 : -1;
      else
        rate = 0;
    } else if (!(x.sign * rate > 0)) {
      x.sign = 0;
      rate = 0;
    }
    x.reached = 0;
  }
  activate(set);
}

}  // namespace zwang
