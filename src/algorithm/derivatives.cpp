// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/derivatives.hpp"

#include <algorithm>

#include "algorithm/friction_at_rest.hpp"
#include "algorithm/instances.hpp"
#include "algorithm/page/excess_gravity.hpp"
#include "algorithm/page/forward_dynamics_derivative_rows.hpp"
#include "algorithm/support.hpp"
#include "algorithm/swept_factor.hpp"
#include "algorithm/turning_wrenches.hpp"

namespace zwang {
namespace {

using detail::check_data, detail::check_matrix, detail::check_q, detail::check_v, detail::set_turning_wrenches;

constexpr JointEffects k_no_effects{
    .armature = false, .damping = false, .springs = false, .friction = false, .gravity_scale = false};

/// An output that may be absent.
struct Out {
  double* data = nullptr;
  Index stride = 0;
  Out() = default;
  Out(MatrixOut& m) : data(m.data()), stride(static_cast<Index>(m.outerStride())) {}
};

/// Of inverse dynamics where the accelerations of (q, v, a) are, wrenches being set. Returns true if they are known to
/// be finite.
bool derivatives_there(Data& data, const double* q, const double* v, const double* a, const JointEffects& effects,
                       Out by_q, Out by_v, Out by_a) {
  double* const out[] = {by_q.data, by_v.data, by_a.data};
  const Index stride[] = {by_q.stride, by_v.stride, by_a.stride};
  const bool finite =
      kernels().derivative->inverse_dynamics(&data, q, v, a, effects.damping, effects.springs, out, stride);
  std::copy_n(q, data.q.size(), data.q.data());
  return finite;
}
/// Of inverse dynamics at (q, v, a).
bool derivatives(Data& data, const double* q, const double* v, const double* a, const JointEffects& effects, Out by_q,
                 Out by_v, Out by_a) {
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  page::kinematics(data, q, v, a);
  return derivatives_there(data, q, v, a, effects, by_q, by_v, by_a);
}

void check_results(const char* function, std::initializer_list<const MatrixOut*> outputs) {
  for (const MatrixOut* out : outputs) detail::check_result(*out, function);
}

/// Of forward dynamics at q, v and the accelerations a that its sweep has found and left, where columns are constant in
/// their joints.
void swept_derivatives(Data& data, TreeCholesky& factor, const double* q, const double* v, const double* a,
                       const JointEffects& effects, MatrixOut& by_q, MatrixOut& by_v, MatrixOut& by_tau,
                       const char* function) {
  const Out to[] = {by_q, by_v, by_tau};
  double* const out[] = {to[0].data, to[1].data, to[2].data};
  const Index stride[] = {to[0].stride, to[1].stride, to[2].stride};
  const detail::SweptFactor left{factor};
  const bool responses = left.prefers_responses();
  const bool finite =
      kernels().derivative->forward_dynamics(&data, q, v, a, effects.damping, effects.springs,
                                             responses ? nullptr : left.numbers(), left.scratch(), out, stride);
  std::copy_n(q, data.q.size(), data.q.data());
  if (responses) factor.inverse(by_tau);
  if (!finite) check_results(function, {&by_q, &by_v, &by_tau});
}

void check_outputs(const Model& model, const char* function, std::initializer_list<const MatrixOut*> outputs) {
  for (const MatrixOut* out : outputs) check_matrix(*out, model.nv(), model.nv(), function);
}

}  // namespace

void detail::set_turning_wrenches(const Model& model, Data& data, const double* q, ExternalsIn external,
                                  bool gravity_scale) {
  detail::set_external(model, data, q, external.data(), external.size(), gravity_scale);
  if (!data.force.has_external) return;
  page::clear_turning(data);
  page::kinematics(data, q);
  if (data.force.has_excess) page::add_excess_turning(data);
  for (const ExternalWrench* e = external.data(); e != external.data() + external.size(); ++e) {
    const Frame& frame = detail::frame_of(model, e->frame, "external wrench");
    const double* const w = e->wrench;
    page::add_turning(data, frame.body.value, frame.in_body, e->in,
                      Force<double>{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}});
  }
}

void inverse_dynamics_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, MatrixOut by_q,
                                  MatrixOut by_v, MatrixOut by_a, ExternalsIn external, const JointEffects& effects) {
  constexpr const char* function = "inverse_dynamics_derivatives";
  check_data(model, data, function);
  check_q(model, q, function);
  check_v(model, v, function, "v");
  check_v(model, a, function, "a");
  check_outputs(model, function, {&by_q, &by_v, &by_a});
  set_turning_wrenches(model, data, q.data(), external, effects.gravity_scale);
  if (!derivatives(data, q.data(), v.data(), a.data(), effects, by_q, by_v, by_a))
    check_results(function, {&by_q, &by_v, &by_a});
}

VectorView forward_dynamics_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q, VectorIn v,
                                        VectorIn tau, MatrixOut by_q, MatrixOut by_v, MatrixOut by_tau,
                                        ExternalsIn external, const JointEffects& effects) {
  constexpr const char* function = "forward_dynamics_derivatives";
  check_outputs(model, function, {&by_q, &by_v, &by_tau});
  const VectorView a = detail::sweep_columns(model, data, q, v, tau, external, effects);  // checks the rest
  detail::check_differentiable(model, v.data(), effects, function);
  const bool swept = detail::SweptFactor::is_left(data);
  set_turning_wrenches(model, data, q.data(), external, effects.gravity_scale);
  if (swept) {
    detail::SweptFactor{factor}.take(data);
    data.stages = stage_position | stage_velocity | stage_acceleration | stage_columns;  // of the sweep
  } else {
    page::kinematics(data, q.data(), v.data(), a.data());
  }
  const bool balls = effects.springs && data.tree().ball_springs > 0;  // more than one number for each column
  if (swept && !balls && page::has_constant_columns(data.tree())) {
    swept_derivatives(data, factor, q.data(), v.data(), a.data(), effects, by_q, by_v, by_tau, function);
    return a;
  }
  derivatives_there(data, q.data(), v.data(), a.data(), effects, by_q, by_v, {});
  if (!swept) factor.compute(data, q, effects);
  factor.inverse(by_tau);
  for (MatrixOut* const x : {&by_q, &by_v})
    kernels().derivative->negative_product(model.nv(), by_tau.data(), static_cast<Index>(by_tau.outerStride()),
                                           x->data(), static_cast<Index>(x->outerStride()), data.work.data());
  check_results(function, {&by_q, &by_v, &by_tau});
  return a;
}

void bias_forces_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut by_q, MatrixOut by_v,
                             ExternalsIn external, const JointEffects& effects) {
  constexpr const char* function = "bias_forces_derivatives";
  check_data(model, data, function);
  check_q(model, q, function);
  check_v(model, v, function, "v");
  check_outputs(model, function, {&by_q, &by_v});
  set_turning_wrenches(model, data, q.data(), external, effects.gravity_scale);
  for (double& x : data.work) x = 0;
  if (!derivatives(data, q.data(), v.data(), data.work.data(), effects, by_q, by_v, {}))
    check_results(function, {&by_q, &by_v});
}

void static_torque_derivatives(const Model& model, Data& data, VectorIn q, MatrixOut by_q, ExternalsIn external,
                               const JointEffects& effects) {
  constexpr const char* function = "static_torque_derivatives";
  check_data(model, data, function);
  check_q(model, q, function);
  check_outputs(model, function, {&by_q});
  set_turning_wrenches(model, data, q.data(), external, effects.gravity_scale);
  for (double& x : data.work) x = 0;
  if (!derivatives(data, q.data(), data.work.data(), data.work.data(), effects, by_q, {}, {}))
    check_results(function, {&by_q});
}

void gravity_forces_derivatives(const Model& model, Data& data, VectorIn q, MatrixOut by_q) {
  static_torque_derivatives(model, data, q, by_q, {}, k_no_effects);
}

}  // namespace zwang
