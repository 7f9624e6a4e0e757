// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/dynamics.hpp"

#include <algorithm>

#include "algorithm/friction_at_rest.hpp"
#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "algorithm/swept_factor.hpp"
#include "core/all_finite.hpp"
#include "zwang/algorithm/real_time.hpp"

namespace zwang {

using detail::check_data, detail::check_q, detail::check_v, detail::check_stage;

namespace {
/// tau of the motors: that of the page, plus the torque needed against the passive joint effects. Computed in data.work
/// where tau is one of the inputs (an earlier result, or the caller's output).
void inverse(Data& data, const double* q, const double* v, const double* a, const JointEffects& effects, double* tau) {
  const Index nv = data.work.size();
  const auto apart = [=](const double* x, Index size) { return x + size <= tau || tau + nv <= x; };
  double* const total = apart(q, data.q.size()) && apart(v, nv) && apart(a, nv) ? tau : data.work.data();
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  page::inverse_dynamics(data, q, v, a, total);
  detail::add_passive(data, q, v, effects, -1.0, total);
  if (total != tau) std::copy_n(total, nv, tau);
}

/// The page may read q and v again after it has written qdd: where one of them is the caller's output,
/// it writes elsewhere.
using Sweep = bool (*)(void* data, const double* q, const double* v, const double* tau, double* qdd);
Status forward(Data& data, const double* q, const double* v, const double* tau, const JointEffects& effects,
               double* qdd, Sweep sweep) {
  const Index nv = data.work.size();
  const auto apart = [=](const double* x, Index size) { return x + size <= qdd || qdd + nv <= x; };
  double* const out = apart(q, data.q.size()) && apart(v, nv) ? qdd : data.mass.force.data();
  double* const total = data.work.data();
  std::copy_n(tau, data.work.size(), total);
  detail::add_passive(data, q, v, effects, 1.0, total);
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  const bool rests = detail::rubs_at_rest(data.model(), v, effects) >= 0;
  const Status status = rests                            ? detail::forward_at_rest(data.model(), data, q, v, total, out)
                        : sweep(&data, q, v, total, out) ? Status::ok
                                                         : Status::singular_mass;
  if (out != qdd) std::copy_n(out, nv, qdd);
  return status;
}

VectorView forward(const Model& model, Data& data, VectorIn& q, VectorIn& v, VectorIn& tau, ExternalsIn& external,
                   const JointEffects& effects, Sweep sweep) {
  check_data(model, data, "forward_dynamics");
  check_q(model, q, "forward_dynamics");
  check_v(model, v, "forward_dynamics", "v");
  check_v(model, tau, "forward_dynamics", "tau");
  detail::set_external(model, data, q.data(), external.data(), external.size(), effects.gravity_scale);
  const Status status = forward(data, q.data(), v.data(), tau.data(), effects, data.acceleration_out.data(), sweep);
  if (status == Status::singular_mass) detail::throw_singular(data);
  if (status != Status::ok)
    throw std::runtime_error(
        "forward_dynamics: which joints at rest their Coulomb friction holds was not decided; leave friction off, or "
        "ask with a status");
  return detail::checked(data.acceleration_out, "forward_dynamics");
}

/// By pointer: a Ref made from another Ref would hold a vector of its own.
template <class Vector> bool finite(const Vector& x) { return all_finite(x.data(), x.size()); }
}  // namespace

VectorView inverse_dynamics(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, ExternalsIn external,
                            const JointEffects& effects) {
  check_data(model, data, "inverse_dynamics");
  check_q(model, q, "inverse_dynamics");
  check_v(model, v, "inverse_dynamics", "v");
  check_v(model, a, "inverse_dynamics", "a");
  detail::set_external(model, data, q.data(), external.data(), external.size(), effects.gravity_scale);
  inverse(data, q.data(), v.data(), a.data(), effects, data.torque.data());
  return detail::checked(data.torque, "inverse_dynamics");
}

VectorView bias_forces(const Model& model, Data& data, VectorIn q, VectorIn v, ExternalsIn external,
                       const JointEffects& effects) {
  check_data(model, data, "bias_forces");
  check_q(model, q, "bias_forces");
  check_v(model, v, "bias_forces", "v");
  detail::set_external(model, data, q.data(), external.data(), external.size(), effects.gravity_scale);
  for (double& x : data.work) x = 0;
  JointEffects at_rest = effects;
  at_rest.armature = false;  // rotors that do not accelerate
  inverse(data, q.data(), v.data(), data.work.data(), at_rest, data.bias_out.data());
  return detail::checked(data.bias_out, "bias_forces");
}

VectorView gravity_forces(const Model& model, Data& data, VectorIn q) {
  check_data(model, data, "gravity_forces");
  check_q(model, q, "gravity_forces");
  data.force.has_external = false;
  for (double& x : data.work) x = 0;
  page::inverse_dynamics(data, q.data(), data.work.data(), data.work.data(), data.gravity_out.data());
  return detail::checked(data.gravity_out, "gravity_forces");
}

VectorView forward_dynamics(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn tau, ExternalsIn external,
                            const JointEffects& effects) {
  return forward(model, data, q, v, tau, external, effects, kernels().state->forward_dynamics);
}
VectorView detail::sweep_columns(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn tau,
                                 ExternalsIn external, const JointEffects& effects) {
  return forward(model, data, q, v, tau, external, effects, kernels().factor->forward_dynamics);
}

Status try_forward_dynamics(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn tau, VectorOut out,
                            ExternalsIn external, const JointEffects& effects) noexcept {
  if (!data.made_for(model) || q.size() != model.nq() || v.size() != model.nv() || tau.size() != model.nv() ||
      out.size() != model.nv())
    return Status::invalid_input;
  if (!finite(q) || !finite(v) || !finite(tau)) return Status::non_finite_input;
  if (!detail::normalized_within(data.tree(), q.data(), k_unit_tolerance)) return Status::invalid_input;
  if (const Status s = detail::status_of(model, external); s != Status::ok) return s;
  detail::set_external(model, data, q.data(), external.data(), external.size(), effects.gravity_scale);
  const Status status =
      forward(data, q.data(), v.data(), tau.data(), effects, out.data(), kernels().state->forward_dynamics);
  if (status == Status::singular_mass) return status;
  return finite(out) ? status : Status::overflow;
}

Status try_inverse_dynamics(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, VectorOut out,
                            ExternalsIn external, const JointEffects& effects) noexcept {
  if (!data.made_for(model) || q.size() != model.nq() || v.size() != model.nv() || a.size() != model.nv() ||
      out.size() != model.nv())
    return Status::invalid_input;
  if (!finite(q) || !finite(v) || !finite(a)) return Status::non_finite_input;
  if (!detail::normalized_within(data.tree(), q.data(), k_unit_tolerance)) return Status::invalid_input;
  if (const Status s = detail::status_of(model, external); s != Status::ok) return s;
  detail::set_external(model, data, q.data(), external.data(), external.size(), effects.gravity_scale);
  inverse(data, q.data(), v.data(), a.data(), effects, out.data());
  return finite(out) ? Status::ok : Status::overflow;
}

void mass_matrix(const Model& model, Data& data, VectorIn q, MatrixOut out, const JointEffects& effects) {
  check_data(model, data, "mass_matrix");
  check_q(model, q, "mass_matrix");
  detail::check_matrix(out, model.nv(), model.nv(), "mass_matrix");
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  page::mass_matrix(data, q.data(), out.data(), static_cast<Index>(out.outerStride()));
  detail::check_diagonal(out, "mass_matrix");
}

Force<double> joint_wrench(const Model& model, const Data& data, LinkId child) {
  check_data(model, data, "joint_wrench");
  check_stage(data, stage_force, "joint_wrench", "inverse dynamics");
  if (child.value < 0 || child.value >= static_cast<Index>(model.links().size()))
    throw std::invalid_argument("joint_wrench: no link has the id " + std::to_string(child.value));
  const Link& link = model.links()[static_cast<std::size_t>(child.value)];
  if (link.joint.value < 0)
    throw std::invalid_argument("joint_wrench: link '" + link.name + "' is the root and hangs on no joint");
  if (model.joints()[static_cast<std::size_t>(link.joint.value)].lumped)
    throw UnsupportedError("joint_wrench: the fixed joint of link '" + link.name +
                           "' was merged into a body; build the model with lump = false to read its wrench");
  return detail::checked(inverse_times(link.in_body, page::joint_force(data, link.body.value)), "joint_wrench");
}

double kinetic_energy(const Model& model, Data& data, VectorIn q, VectorIn v, const JointEffects& effects) {
  forward_kinematics(model, data, q, v);
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  return detail::checked(page::kinetic_energy(data, data.tree().mimic ? data.v_spanning.data() : v.data()),
                         "kinetic_energy");
}

double potential_energy(const Model& model, Data& data, VectorIn q, const JointEffects& effects) {
  forward_kinematics(model, data, q);
  return detail::checked(page::potential_energy(data) + detail::energy_of_effects(data, q.data(), effects),
                         "potential_energy");
}

Vec3<double> centre_of_mass(const Model& model, Data& data, VectorIn q) {
  forward_kinematics(model, data, q);
  return detail::checked(page::centre_of_mass(data).position, "centre_of_mass");
}
Vec3<double> centre_of_mass_velocity(const Model& model, const Data& data) {
  check_data(model, data, "centre_of_mass_velocity");
  check_stage(data, stage_velocity, "centre_of_mass_velocity", "velocities");
  return detail::checked(page::centre_of_mass(data).velocity, "centre_of_mass_velocity");
}
Vec3<double> centre_of_mass_acceleration(const Model& model, const Data& data) {
  check_data(model, data, "centre_of_mass_acceleration");
  check_stage(data, stage_acceleration, "centre_of_mass_acceleration", "accelerations");
  return detail::checked(page::centre_of_mass(data).acceleration, "centre_of_mass_acceleration");
}
Vec3<double> centre_of_mass_velocity(const Model& model, Data& data, VectorIn q, VectorIn v) {
  forward_kinematics(model, data, q, v);
  return centre_of_mass_velocity(model, data);
}
Vec3<double> centre_of_mass_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a) {
  forward_kinematics(model, data, q, v, a);
  return centre_of_mass_acceleration(model, data);
}
void centre_of_mass_jacobian(const Model& model, Data& data, VectorIn q, MatrixOut out) {
  check_data(model, data, "centre_of_mass_jacobian");
  check_q(model, q, "centre_of_mass_jacobian");
  detail::check_matrix(out, 3, model.nv(), "centre_of_mass_jacobian");
  page::columns(data, q.data());
  page::centre_of_mass_jacobian(
      data, page::MatrixView<double>{out.data(), 3, model.nv(), 1, static_cast<Index>(out.outerStride())});
  detail::check_result(out, "centre_of_mass_jacobian");
}

}  // namespace zwang
