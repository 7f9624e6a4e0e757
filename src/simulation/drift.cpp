// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/drift.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "simulation/all_zero.hpp"
#include "simulation/keeper.hpp"
#include "zwang/algorithm/real_time.hpp"
#include "zwang/constraint/relation.hpp"

namespace zwang {
namespace {

std::string time_text(double t) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", t);
  return text;
}

}  // namespace

Drift::Drift(Movement& motion) : motion_(motion), data_(motion.model), size_(motion.set.rows()) {}

void Drift::begin(const SimulationState& state, const SimulationInput& input) {
  find_sizes(state.q.data(), state.v.data());
  keeps_energy_ = undriven(input);
  first_energy_ = state.energy;
  begun_ = changed_ = false;
}

/// Of the rows at a state that `data` of the solver is at.
void Drift::find_sizes(const double* q, const double* v) {
  const Data& data = motion_.solver.data();
  double extent = 0;
  for (Index b = 1; b <= data.tree().n; ++b) extent = std::max(extent, norm(data.position.placement[b].p));
  if (!(extent > 0)) extent = 1;
  const auto size_of = [&](const Force<double>& f) { return std::max(norm(f.f) * extent, norm(f.n)); };
  std::fill_n(size_.data(), size_.size(), 1.0);
  Index first = 0;
  for (const Constraint& x : motion_.set.constraints()) {
    const auto rows = static_cast<std::size_t>(x.size());
    if (has_position(x)) {
      const std::vector<Index>& bodies = x.relation.value()->bodies();
      std::vector<double> phi(rows), gamma(rows), given(6 * rows);
      std::vector<Force<double>> K(rows * bodies.size());
      x.relation.value()->evaluate(data, q, v, {phi.data(), gamma.data(), K.data(), given.data()});
      for (std::size_t i = 0; i < rows; ++i) {
        const double* const g = &given[6 * i];
        double size = size_of({{g[0], g[1], g[2]}, {g[3], g[4], g[5]}});  // of rows of joints, whose K are zero
        for (std::size_t b = 0; b < bodies.size(); ++b) {
          const Force<double>& k = K[b * rows + i];
          size = std::max(size, size_of({k.f, k.n - cross(Vec3<double>(data.position.placement[bodies[b]].p), k.f)}));
        }
        if (size > 0 && std::isfinite(size)) size_[first + static_cast<Index>(i)] = size;
      }
    }
    first += x.size();
  }
}

/// Whether kinetic and potential energy stay what they are: no torques, no rows that work, no dampers.
bool Drift::undriven(const SimulationInput& input) const {
  const JointEffects& effects = motion_.settings.solver.joint_effects;
  if (motion_.settings.integrator == Integrator::contact) return false;  // what touches rubs and strikes
  if (motion_.control != nullptr || !motion_.prescribed().empty()) return false;
  if (input.tau.size() > 0 && !all_zero(input.tau.data(), input.tau.size())) return false;
  for (const ExternalWrench& w : motion_.external())
    if (!all_zero(w.wrench, 6)) return false;
  if (effects.damping && !all_zero(motion_.model.damping())) return false;
  if (motion_.friction.any()) return false;
  for (const Constraint& x : motion_.set.constraints())
    if (x.role == Role::driver || x.policy == Policy::soft || x.is_bounded() || x.stabilisation.time_constant > 0 ||
        !all_zero(x.beta) || !all_zero(x.target_velocity))
      return false;
  return true;
}

void Drift::measure(const Solution& s, SimulationState& into) {
  into.error = into.velocity_error = now_ = 0;
  Index r = 0;
  std::uint64_t stamp = 0;
  const bool of_steps = !motion_.sided().empty();  // rows with a sense are those of steps, and measured there
  for (const Constraint& x : motion_.set.constraints()) {
    if (of_steps && x.is_sided()) {
      r += x.size();
      continue;
    }
    const bool counts = x.active && x.policy != Policy::soft && x.limit.empty();
    const bool placed = has_position(x) && acceleration_asked(x) == static_cast<std::size_t>(x.size());
    stamp += x.stamp();
    for (Index i = 0; i < x.size(); ++i, ++r) {
      if (!counts) continue;
      const Sense sense = x.sense.empty() ? Sense::equal : x.sense[static_cast<std::size_t>(i)];
      const double e = s.position_error[r], v = s.velocity_error[r];
      const double miss = sense == Sense::equal ? std::fabs(e) : sense == Sense::at_least ? -e : e;
      if (placed && miss > into.error) into.error = miss;
      if (placed && x.role == Role::physical && miss > now_ * size_[r]) {
        now_ = miss / size_[r];
        now_row_ = r;
        now_error_ = miss;
      }
      if (sense == Sense::equal) into.velocity_error = std::max(into.velocity_error, std::fabs(v));
    }
  }
  changed_ = changed_ || stamp != stamp_;
  stamp_ = stamp;
}

void Drift::accept(const SimulationState& state, SimulationReport& report) {
  report.error = std::max(report.error, state.error);
  report.velocity_error = std::max(report.velocity_error, state.velocity_error);
  if (!begun_ || changed_)
    start_ = std::max(begun_ ? start_ : 0.0, now_);  // other rows, or other targets, may begin open
  changed_ = false;
  if (!begun_ || now_ > largest_) {
    largest_ = now_;
    largest_row_ = now_row_;
    largest_error_ = now_error_;
    largest_time_ = state.time;
  }
  if (!begun_ || keeps_energy_) {
    double kinetic = 0;
    keeps_energy_ =
        keeps_energy_ && try_kinetic_energy(motion_.model, data_, vector_in(state.q.data(), motion_.model.nq()),
                                            vector_in(state.v.data(), motion_.model.nv()), kinetic,
                                            motion_.settings.solver.joint_effects) == Status::ok;
    report.kinetic_energy = std::max(report.kinetic_energy, kinetic);
    const double change =
        std::max(std::isnan(report.energy_drift) ? 0.0 : report.energy_drift, std::fabs(state.energy - first_energy_));
    report.energy_drift = keeps_energy_ ? change : std::numeric_limits<double>::quiet_NaN();
  }
  begun_ = true;
}

void Drift::struck(SimulationReport& report) {
  keeps_energy_ = false;
  report.energy_drift = std::numeric_limits<double>::quiet_NaN();
}

bool Drift::holds() {
  const double allowed = motion_.settings.drift_tolerance;
  const bool left = largest_ > std::max(allowed, start_);
  if (!left && !(now_ > allowed)) return true;
  if (!left) {
    largest_row_ = now_row_;
    largest_error_ = now_error_;
    largest_time_ = motion_.settings.time;
  }
  std::string row;
  Index first = 0;
  for (const Constraint& x : motion_.set.constraints()) {
    if (largest_row_ < first + x.size()) {
      row = x.row_names[static_cast<std::size_t>(largest_row_ - first)];
      break;
    }
    first += x.size();
  }
  char text[400];
  std::snprintf(
      text, sizeof text,
      "row '%s' is off by %.3g%s, more than %.3g of its size; keep it by projection, or by a time constant that "
      "the steps can follow",
      row.c_str(), largest_error_, left ? (" at t = " + time_text(largest_time_) + " s").c_str() : " at the end",
      allowed);
  return motion_.fail(Status::drifted, text);
}

}  // namespace zwang
