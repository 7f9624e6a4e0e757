// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/movement.hpp"

#include <algorithm>
#include <cstring>

#include "algorithm/support.hpp"
#include "batch/forget_states.hpp"
#include "core/all_finite.hpp"
#include "simulation/unfit_side.hpp"

namespace zwang {
namespace {

constexpr const char* k_function = "Simulator";

/// Which is not a function of the state (joint_friction.hpp).
const SolverSettings& without_friction(SimulationSettings& s) {
  s.solver.joint_effects.friction = false;
  return s.solver;
}

std::vector<Index> sided_of(const ConstraintSet& set, Integrator integrator) {
  std::vector<Index> sided;
  for (Index c = 0; integrator == Integrator::contact && c < set.size(); ++c)
    if (set.constraints()[static_cast<std::size_t>(c)].is_sided()) sided.push_back(c);
  return sided;
}

bool same_bits(const double* a, const Buffer<double>& b) {
  return b.size() == 0 || std::memcmp(a, b.data(), sizeof(double) * static_cast<std::size_t>(b.size())) == 0;
}

}  // namespace

void MovementState::copy(const MovementState& from) {
  time = from.time;
  std::copy_n(from.q.data(), q.size(), q.data());
  std::copy_n(from.v.data(), v.size(), v.data());
}

Movement::Movement(const Model& of, const ConstraintSet& constraints, const SimulationSettings& with,
                   const Scene* scene)
    : model(of),
      settings(with),
      dry_friction(with.integrator == Integrator::contact && with.solver.joint_effects.friction),
      friction(model, dry_friction ? without_friction(settings) : with.solver),
      rows(constraints.rows()),
      set(friction.with_rows(constraints)),
      sided_(sided_of(set, settings.integrator)),
      were_active_(sided_.size()),
      solver([this] {
        const WithoutSided without(*this);
        return Solver(model, set, without_friction(settings));
      }()),
      tau_(model.nv()),
      given_tau_(model.nv()),
      known_q_(model.nq()),
      known_v_(model.nv()) {
  if (settings.integrator == Integrator::contact)
    scene_ = scene != nullptr ? *scene : Scene(model);
  else if (scene != nullptr)
    throw std::invalid_argument("Simulator: a scene belongs to integrator 'contact'");
  if (scene != nullptr && scene->model().id() != model.id())
    throw WorkspaceMismatch("Simulator: the scene is that of another model: make it of this very object");
}

Movement::WithoutSided::WithoutSided(Movement& motion) : motion_(motion) {
  for (std::size_t k = 0; k < motion.sided_.size(); ++k) {
    const Constraint& x = motion.set.constraints()[static_cast<std::size_t>(motion.sided_[k])];
    motion.were_active_[k] = x.active;
    if (x.active) motion.set.set_active(x.name, false);
  }
}
Movement::WithoutSided::~WithoutSided() {
  for (std::size_t k = 0; k < motion_.sided_.size(); ++k)
    if (motion_.were_active_[k])
      motion_.set.set_active(motion_.set.constraints()[static_cast<std::size_t>(motion_.sided_[k])].name, true);
}

void Movement::begin(const SimulationInput& input) {
  check_configuration(model, input.q.data(), input.q.size(), k_function, "q");
  if (input.v.size() > 0) detail::check_v(model, vector_in(input.v.data(), input.v.size()), k_function, "v");
  if (input.tau.size() > 0) detail::check_v(model, vector_in(input.tau.data(), input.tau.size()), k_function, "tau");
  if (!std::isfinite(input.time)) throw std::invalid_argument("Simulator: time of the start is not finite");
  take_torques(input.tau.size() > 0 ? input.tau.data() : nullptr);
  given_external_ = input.external != nullptr ? *input.external : Externals();
  given_prescribed_ = input.prescribed != nullptr ? *input.prescribed : Prescribed();
  external_ = given_external_;
  prescribed_ = given_prescribed_;
  first_contacts_ = input.contacts;
  status = Status::ok;
  reason.clear();
}

void Movement::take_torques(const double* tau) {
  std::fill_n(given_tau_.data(), model.nv(), 0.0);
  if (tau != nullptr) std::copy_n(tau, model.nv(), given_tau_.data());
  known_ = false;
}

void Movement::apply_control(double time, const double* q, const double* v) {
  std::copy_n(given_tau_.data(), tau_.size(), tau_.data());
  if (control == nullptr) return;
  external_ = given_external_;  // no more wrenches than before: nothing is allocated
  prescribed_ = given_prescribed_;
  SimulationStage stage{
      time, VectorView(q, model.nq()), VectorView(v, model.nv()), map_of(tau_), external_, prescribed_, set};
  (*control)(stage);
}

bool Movement::accelerate(double time, const double* q, const double* v, double implicit) {
  known_ = false;
  if (!all_finite(q, model.nq()) || !all_finite(v, model.nv()))
    return fail(Status::overflow, "the state leaves the range of double");
  apply_control(time, q, v);
  if (!all_finite(tau_.data(), tau_.size()))
    return fail(Status::non_finite_input, "the control gives a torque that is not finite");
  friction.add_to(tau_.data());
  for (const Index c : sided_)
    if (const Constraint& x = set.constraints()[static_cast<std::size_t>(c)]; unfit_side(x) != nullptr)
      return fail(Status::invalid_input, "constraint '" + x.name.value() + "' has a sense, and " + unfit_side(x));
  solver.data().damping_step = settings.solver.joint_effects.damping ? implicit : 0;
  const WithoutSided without(*this);
  if (settings.integrator == Integrator::contact) forget_states(solver);  // a step depends on its state alone
  const Solution& s = solver.solve({.q = {q, model.nq()},
                                    .v = {v, model.nv()},
                                    .tau = {tau_.data(), tau_.size()},
                                    .external = &external_,
                                    .prescribed = &prescribed_});
  if (s.report.status != Status::ok) return fail(s.report.status, s.report.explain());
  if (!all_finite(s.acceleration.data(), model.nv()))
    return fail(Status::overflow, "accelerations leave the range of double");
  friction.note(s);
  known_ = true;
  known_time_ = time;
  known_implicit_ = implicit;
  std::copy_n(q, model.nq(), known_q_.data());
  std::copy_n(v, model.nv(), known_v_.data());
  return true;
}

bool Movement::accelerate(const MovementState& at, double implicit) {
  if (known_ && known_time_ == at.time && known_implicit_ == implicit && same_bits(at.q.data(), known_q_) &&
      same_bits(at.v.data(), known_v_)) {
    friction.note(solver.solution());
    return true;
  }
  return accelerate(at.time, at.q.data(), at.v.data(), implicit);
}

bool Movement::fail(Status with, std::string why) {
  status = with;
  reason = std::move(why);
  return false;
}

}  // namespace zwang
