// SPDX-License-Identifier: BSD-3-Clause
// The steps of an impulse.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "algorithm/instances.hpp"
#include "linear/vectors.hpp"
#include "question/impulse/impulse_parts.hpp"
#include "zwang/algorithm/page/centre_of_mass.hpp"

namespace zwang {
namespace {

constexpr double k_turned = 1e-9;  ///< relative difference of velocities that counts as none

void reserve(SolveReport& to, const SolveReport& as) {
  to.redundant.reserve(as.redundant.capacity());
  to.infeasible.reserve(as.infeasible.capacity());
  to.given_up.reserve(as.given_up.capacity());
  to.dependencies.reserve(as.dependencies.capacity());
  to.terms.reserve(as.terms.capacity());
  to.warnings.reserve(as.warnings.capacity() + 2 * static_cast<std::size_t>(as.redundant.capacity()) + 1);
  for (auto names : {&SolveReport::held, &SolveReport::released, &SolveReport::at_limit})
    (to.*names).reserve((as.*names).capacity());
}
void bind(VectorView& view, const Buffer<double>& of, Index size) { new (&view) VectorView(of.data(), size); }

}  // namespace

ImpulseParts::ImpulseParts(Owned<SolverParts> of)
    : parts(std::move(of)),
      moving(parts->problem.state.data.model()),
      v(moving.tree().nv),
      after(moving.tree().nv),
      rows(parts->problem.layout.capacity),
      shock{rows.change.data(), rows.share.data(), v.data()} {
  parts->problem.rows.shock = &shock;
  parts->problem.state.data.gravity = moving.gravity = Vec3<double>::zero();
  result.parts_ = this;
  reserve(result.report, parts->solution.report);
}

void ImpulseParts::read(const SolverParts& of) {
  SolverSettings& s = parts->settings;
  const SolverSettings& from = of.settings;
  if (s.method != from.method) s.method = from.method;
  s.tolerance = from.tolerance;
  s.feasibility = from.feasibility;
  s.singularity = from.singularity;
  s.regularisation = from.regularisation;
  s.max_iterations = from.max_iterations;
  s.stop = from.stop;
  if (s.motor_limits.empty() != from.motor_limits.empty()) s.motor_limits = from.motor_limits;
  s.joint_effects = {from.joint_effects.armature, false, false, false, false};  // the others are finite forces
  for (Index i = 1; i <= moving.tree().n; ++i)
    for (Data* data : {&parts->problem.state.data, &moving}) {
      data->inertia[i] = of.problem.state.data.inertia[i];
      data->lanes.set_inertia(i, data->inertia[i]);
    }
  parts->problem.reader.keep_all(parts->problem.rows);
  parts->read();
  if (!parts->settings.motor_limits.empty())
    throw UnsupportedError("Solver::impulse: motor_limits bound torques, not impulses; solve the impulse without them");
  RowReader::take_shock(parts->problem.layout, parts->problem.rows);
}

void ImpulseParts::clear() {
  const Index count = parts->problem.layout.known ? parts->problem.layout.rows() : 0, nv = v.size();
  for (Buffer<double>* b : {&after, &rows.velocity, &rows.after}) std::fill_n(b->data(), b->size(), 0.0);
  const Solution& s = parts->solution;
  bind(result.velocity, after, nv);
  bind(result.velocity_before, rows.velocity, count);
  bind(result.velocity_after, rows.after, count);
  bind(result.change, parts->answer.acceleration, nv);
  bind(result.motor_impulse, parts->numbers.motor_torque, nv);
  bind(result.reaction, parts->numbers.reaction, nv);
  bind(result.multipliers, parts->numbers.multipliers, s.multipliers.data() != nullptr ? count : 0);
  bind(result.residual, parts->certificate.residual, count);
  result.energy_before = result.energy_after = 0;
}

void ImpulseParts::refuse(Status status, const char* argument) {
  parts->refuse(status, argument);
  clear();
  result.report = parts->solution.report;
}

void ImpulseParts::take(const ImpulseInput& input) {
  const RowLayout& layout = parts->problem.layout;
  if (input.v.size() > 0)
    std::copy_n(input.v.data(), v.size(), v.data());
  else
    std::fill_n(v.data(), v.size(), 0.0);
  model = input.model;
  for (Index c = 0; c < layout.count; ++c) {
    const Constraint& x = layout.constraint(c);
    const Index first = layout.first_row_of(c);
    for (Index i = 0; i < x.size(); ++i) {
      const Index r = first + i;
      const double own = x.target_velocity.empty() ? 0.0 : x.target_velocity[static_cast<std::size_t>(i)];
      rows.target[r] = input.target.size() > 0 ? input.target.data()[r] : own;
      rows.restitution[r] = input.restitution.size() == 0   ? 0.0
                            : input.restitution.size() == 1 ? input.restitution.data()[0]
                                                            : input.restitution.data()[r];
    }
  }
}

/// J v of every active row. Leaves the kinematics of v.
void ImpulseParts::find_row_velocities(const double* q, const double* velocity, double* out) {
  Problem& p = parts->problem;
  page::kinematics(moving, q, velocity);
  if (p.rows.traits.relation) p.reader.evaluate(p.layout, moving, q, velocity, p.rows);
  for (std::size_t e = 0; e < p.rows.active.size(); ++e) {
    if (p.rows.part[e] > 0) continue;
    const Constraint& x = p.layout.constraint(p.rows.constraint[e]);
    const Index first = p.layout.first_row_of(p.rows.constraint[e]);
    if (x.relation != nullptr) {
      for (Index i = 0; i < x.size(); ++i)
        out[first + i] =
            p.rows.rate[first + i] + (x.target_velocity.empty() ? 0.0 : x.target_velocity[static_cast<std::size_t>(i)]);
      continue;
    }
    const page::SeenRows<double> seen(moving, x.rows_on_body, x.acceleration);
    const Motion<double> twist = moving.velocity.twist[x.rows_on_body->body];
    const double* k = x.rows_on_body->matrix.data();
    for (Index i = 0; i < x.size(); ++i, k += 6) {
      Vec3<double> linear{k[0], k[1], k[2]}, angular{k[3], k[4], k[5]};
      if (seen.turned) {
        linear = seen.A * linear;
        angular = seen.A * angular;
      }
      out[first + i] = dot(twist, seen.wrench(linear, angular));
    }
  }
}

/// Of the velocities whose kinematics `moving` has.
double ImpulseParts::kinetic_energy(const double* velocity) {
  moving.armature_factor = parts->settings.joint_effects.armature ? 1.0 : 0.0;
  return page::kinetic_energy(moving, moving.tree().mimic ? moving.v_spanning.data() : velocity);
}

/// Sets what the impulse shall change: J v+ = w - E (J v- - w) with restitution, else J v+ = w. A row with a sense that
/// is opening has no restitution: E would turn its velocity round and close it.
void ImpulseParts::ask(bool with_restitution) {
  const RowLayout& layout = parts->problem.layout;
  rows.at_kink = false;
  for (Index c = 0; c < layout.count; ++c) {
    const Constraint& x = layout.constraint(c);
    for (Index i = 0, r = layout.first_row_of(c); i < x.size(); ++i, ++r) {
      const double E = with_restitution ? rows.restitution[r] : 0.0, comes = rows.target[r] - rows.velocity[r];
      const Sense sense = x.sense.empty() ? Sense::equal : x.sense[static_cast<std::size_t>(i)];
      rows.leaves[r] = sense != Sense::equal && (sense == Sense::at_least ? comes < 0 : comes > 0);
      const double size = std::fabs(rows.target[r]) + std::fabs(rows.velocity[r]);
      rows.at_kink =
          rows.at_kink || (x.active && sense != Sense::equal && E > 0 && std::fabs(comes) <= k_turned * size);
      rows.share[r] = rows.leaves[r] ? 1.0 : 1 + E;
      rows.change[r] = rows.share[r] * comes;
    }
  }
}

void ImpulseParts::run(const ImpulseInput& input) {
  RowReader::take_shock(parts->problem.layout, parts->problem.rows);
  parts->solve({.q = input.q, .tau = input.impulse, .external = input.external, .prescribed = input.prescribed});
}

/// The compression, then the changes of velocity that Poisson's or Stronge's restitution adds.
/// False if one of them has no solution.
bool ImpulseParts::restitute(const ImpulseInput& input) {
  ask(false);
  run(input);
  if (parts->factor == nullptr) return false;
  if (others == nullptr) others = std::make_unique<RestitutionVelocities>(parts->problem);
  const RestitutionVelocities::Contact contact{rows.velocity.data(), rows.target.data(), rows.restitution.data()};
  if (const Status status = others->find(*parts, contact, model == Restitution::energetic); status != Status::ok) {
    refuse(status, "");
    return false;
  }
  for (Index r = 0; r < parts->problem.layout.rows(); ++r) rows.change[r] += others->velocity()[r];
  return true;
}

void ImpulseParts::enter(const ImpulseInput& input) {
  take(input);
  clear();
  find_row_velocities(input.q.data(), v.data(), rows.velocity.data());
  result.energy_before = kinetic_energy(v.data());
  ask(true);
}

void ImpulseParts::leave(const double* q, const double* velocity) {
  std::fill_n(rows.after.data(), rows.after.size(), 0.0);
  find_row_velocities(q, velocity, rows.after.data());
  result.energy_after = kinetic_energy(velocity);
}

void ImpulseParts::solve(const ImpulseInput& input) {
  enter(input);
  if (model != Restitution::newton && !restitute(input)) {
    if (parts->factor == nullptr) refuse(parts->solution.report.status, "");
    return;
  }
  run(input);
  publish(input);
}

void ImpulseParts::publish(const ImpulseInput& input) {
  SolverParts& s = *parts;
  SolveReport& report = result.report;
  report = s.solution.report;
  if (s.factor == nullptr) {
    clear();
    return;
  }
  check_custom_rows();
  if (model != Restitution::newton) others->warn(s.problem, rows.restitution.data(), report);
  warn_of_energy();
  const Index nv = v.size();
  for (Index y = 0; y < nv; ++y) after[y] = v[y] + s.answer.acceleration[y];
  for (Index k = 0; k < s.problem.rows.m; ++k) {
    const Index r = s.problem.rows.row_of[k];
    rows.after[r] = rows.velocity[r] + (rows.change[r] + s.answer.left_out[k] + s.certificate.residual[r]);
  }
  for (Index r = 0; r < s.problem.layout.rows(); ++r) {
    if (s.problem.rows.sweep_row[r] >= 0) continue;
    if (s.problem.rows.released[r])
      rows.after[r] = rows.velocity[r] + (rows.change[r] + s.certificate.residual[r]);
    else
      rows.velocity[r] = rows.after[r] = 0;
  }
  warn_of_entering();
  page::kinematics(moving, input.q.data(), after.data());
  result.energy_after = kinetic_energy(after.data());
  bind(result.multipliers, s.numbers.multipliers, s.problem.layout.rows());
  if (!(is_finite(result.energy_before) && is_finite(result.energy_after) && all_finite(nv, after.data())))
    refuse(Status::overflow, "");
}

/// Rows of the user were evaluated at v- and at rest. Throws where the two differ by more than k_turned.
void ImpulseParts::check_custom_rows() {
  const Problem& p = parts->problem;
  for (Index k = 0; k < p.rows.m; ++k) {
    const Constraint& x = p.constraint_of(k);
    if (x.relation == nullptr || x.relation->page() != nullptr) continue;
    double speed = 0, size = 0;
    page::for_each_part(p.rows, k, [&](Index body, const Force<double>& K) {
      const Motion<double> twist = moving.velocity.twist[body];
      speed += dot(twist, K);
      for (Index c = 0; c < 6; ++c) size += std::fabs(twist[c] * K[c]);
    });
    if (!(std::fabs(speed - rows.velocity[p.rows.row_of[k]]) <= k_turned * size))
      throw std::invalid_argument("Solver::impulse: the rows of constraint '" + x.name +
                                  "' depend on the velocity; those of an impulse depend on q alone");
  }
}

/// Warns where the rows do more work on the robot than rounding explains: the sum of lambda times the mean of J v - w
/// before and after, w the velocity of what the row is fixed to. A soft row ends with J v + R lambda, as if it held a
/// free mass 1/R.
void ImpulseParts::warn_of_energy() {
  const Problem& p = parts->problem;
  double work = 0, size = 0;
  for (Index k = 0; k < p.rows.m; ++k) {
    const Index r = p.rows.row_of[k];
    const double lambda = parts->answer.lambda[k], R = p.rows.compliance[k], residual = parts->certificate.residual[r];
    double terms = std::fabs(rows.velocity[r]);
    page::for_each_part(p.rows, k, [&](Index body, const Force<double>& K) {
      const Motion<double> twist = moving.velocity.twist[body], change = p.state.data.acceleration.joint[body];
      for (Index c = 0; c < 6; ++c) terms += std::fabs(twist[c] * K[c]) + std::fabs(change[c] * K[c]);
    });
    const double before = rows.velocity[r], moved = rows.change[r] + parts->answer.left_out[k] + residual + R * lambda;
    work += lambda * (before + 0.5 * moved - rows.target[r]);
    size += std::fabs(lambda) * (terms + std::fabs(rows.target[r]) + R * std::fabs(lambda));
  }
  const double rounding = 8 * epsilon_of<double> * static_cast<double>(p.state.data.tree().nv + p.rows.m);
  if (work > rounding * size) result.report.warnings.push_back({SolveWarning::Kind::energy_grows, {}, work});
}

/// Warns of contacts whose normal velocity after the impulse points into the surface.
void ImpulseParts::warn_of_entering() {
  const RowLayout& layout = parts->problem.layout;
  for (Index c = 0; c < layout.count; ++c) {
    const Constraint& x = layout.constraint(c);
    const Index normal = layout.first_row_of(c) + x.size() - 1;
    if (!x.active || !x.unilateral) continue;
    const double speed = rows.after[normal] - rows.target[normal];
    if (speed < -Certificate::k_fast)
      result.report.warnings.push_back({SolveWarning::Kind::contact_enters, x.row_names.back(), speed});
  }
}

double ImpulseParts::energy_of(Index c) const {
  const RowLayout& layout = parts->problem.layout;
  double sum = 0;
  for (Index i = 0, r = layout.first_row_of(c); i < layout.constraint(c).size(); ++i, ++r)
    sum += 0.5 * parts->numbers.multipliers[r] * (rows.velocity[r] + rows.after[r]);
  return sum;
}

}  // namespace zwang
