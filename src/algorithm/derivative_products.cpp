// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/derivative_products.hpp"

#include <algorithm>

#include "algorithm/friction_at_rest.hpp"
#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "algorithm/turning_wrenches.hpp"

namespace zwang {
namespace {

using detail::check_data, detail::check_q, detail::check_v;

void check_out(const VectorOut& out, Index size, const char* function, const char* name) {
  if (out.size() != size) detail::throw_size(function, name, static_cast<long>(out.size()), size);
}

/// Of inverse dynamics at (q, v, a), wrenches being set: d tau into `out`.
void product_from_the_right(Data& data, const double* q, const double* v, const double* a, const double* const* d,
                            const JointEffects& effects, double* out) {
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  page::kinematics(data, q, v, a);
  kernels().derivative->enter_from_the_right(&data, q, v, a, d);
  kernels().derivative->leave_from_the_right(&data, q, d, effects.damping, effects.springs, out);
  std::copy_n(q, data.q.size(), data.q.data());
}
/// The same from the left, into those of `out` that are there.
void product_from_the_left(Data& data, const double* q, const double* v, const double* a, const double* w,
                           const JointEffects& effects, double* const* out) {
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  page::kinematics(data, q, v, a);
  for (int k = 0; k < 3; ++k)
    if (out[k] != nullptr) std::fill_n(out[k], data.tree().nv, 0.0);
  kernels().derivative->enter_from_the_left(&data, w);
  kernels().derivative->leave_from_the_left(&data, q, v, a, w, effects.damping, effects.springs, out);
  std::copy_n(q, data.q.size(), data.q.data());
}

void check_results(const char* function, std::initializer_list<const VectorOut*> outputs) {
  for (const VectorOut* out : outputs) detail::check_fresh(out->data(), static_cast<Index>(out->size()), function);
}

}  // namespace

void inverse_dynamics_jvp(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, VectorIn dq, VectorIn dv,
                          VectorIn da, VectorOut dtau, ExternalsIn external, const JointEffects& effects) {
  constexpr const char* function = "inverse_dynamics_jvp";
  check_data(model, data, function);
  check_q(model, q, function);
  check_v(model, v, function, "v");
  check_v(model, a, function, "a");
  check_v(model, dq, function, "dq");
  check_v(model, dv, function, "dv");
  check_v(model, da, function, "da");
  check_out(dtau, model.nv(), function, "dtau");
  detail::set_turning_wrenches(model, data, q.data(), external, effects.gravity_scale);
  const double* const d[] = {dq.data(), dv.data(), da.data()};
  product_from_the_right(data, q.data(), v.data(), a.data(), d, effects, dtau.data());
  check_results(function, {&dtau});
}

void inverse_dynamics_vjp(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, VectorIn w,
                          VectorOut by_q, VectorOut by_v, VectorOut by_a, ExternalsIn external,
                          const JointEffects& effects) {
  constexpr const char* function = "inverse_dynamics_vjp";
  check_data(model, data, function);
  check_q(model, q, function);
  check_v(model, v, function, "v");
  check_v(model, a, function, "a");
  check_v(model, w, function, "w");
  check_out(by_q, model.nv(), function, "by_q");
  check_out(by_v, model.nv(), function, "by_v");
  check_out(by_a, model.nv(), function, "by_a");
  detail::set_turning_wrenches(model, data, q.data(), external, effects.gravity_scale);
  double* const out[] = {by_q.data(), by_v.data(), by_a.data()};
  product_from_the_left(data, q.data(), v.data(), a.data(), w.data(), effects, out);
  check_results(function, {&by_q, &by_v, &by_a});
}

VectorView forward_dynamics_jvp(const Model& model, Data& data, TreeCholesky& factor, VectorIn q, VectorIn v,
                                VectorIn tau, VectorIn dq, VectorIn dv, VectorIn dtau, VectorOut da,
                                ExternalsIn external, const JointEffects& effects) {
  constexpr const char* function = "forward_dynamics_jvp";
  check_v(model, dq, function, "dq");
  check_v(model, dv, function, "dv");
  check_v(model, dtau, function, "dtau");
  check_out(da, model.nv(), function, "da");
  const VectorView a = forward_dynamics(model, data, q, v, tau, external, effects);  // checks the rest
  detail::check_differentiable(model, v.data(), effects, function);
  detail::set_turning_wrenches(model, data, q.data(), external, effects.gravity_scale);
  const double* const d[] = {dq.data(), dv.data(), nullptr};
  product_from_the_right(data, q.data(), v.data(), a.data(), d, effects, da.data());
  for (Index k = 0; k < model.nv(); ++k) da[k] = dtau[k] - da[k];
  factor.compute(data, q, effects);
  factor.solve(da);
  check_results(function, {&da});
  return a;
}

VectorView forward_dynamics_vjp(const Model& model, Data& data, TreeCholesky& factor, VectorIn q, VectorIn v,
                                VectorIn tau, VectorIn w, VectorOut by_q, VectorOut by_v, VectorOut by_tau,
                                ExternalsIn external, const JointEffects& effects) {
  constexpr const char* function = "forward_dynamics_vjp";
  check_v(model, w, function, "w");
  check_out(by_q, model.nv(), function, "by_q");
  check_out(by_v, model.nv(), function, "by_v");
  check_out(by_tau, model.nv(), function, "by_tau");
  const VectorView a = forward_dynamics(model, data, q, v, tau, external, effects);  // checks the rest
  detail::check_differentiable(model, v.data(), effects, function);
  factor.compute(data, q, effects);
  std::copy_n(w.data(), model.nv(), by_tau.data());
  factor.solve(by_tau);
  detail::set_turning_wrenches(model, data, q.data(), external, effects.gravity_scale);
  double* const out[] = {by_q.data(), by_v.data(), nullptr};
  product_from_the_left(data, q.data(), v.data(), a.data(), by_tau.data(), effects, out);
  for (int k = 0; k < 2; ++k)
    for (Index i = 0; i < model.nv(); ++i) out[k][i] = -out[k][i];
  check_results(function, {&by_q, &by_v, &by_tau});
  return a;
}

}  // namespace zwang
