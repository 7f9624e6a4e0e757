// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of inverse and forward dynamics times vectors.
#include "zwang/algorithm/derivative_products.hpp"

#include "bind.hpp"
#include "fields.hpp"
#include "row_call.hpp"
#include "turning_axes.hpp"

namespace zwang::python {
namespace {

/// Gradients by what they are derivatives of; with N states they have a leading dimension.
struct Gradients {
  nb::object q, v, a, tau;
  template <class A> void fields(A& x) { x(q), x(v), x(a), x(tau); }
};
struct GradientOfTorque : Gradients {};
struct GradientOfAcceleration : Gradients {};

Eigen::MatrixXd turned(const Call& call, const Robot& robot, Workspace& x, const Input& q, Index k) {
  return by_turning_axes(robot.model, x.data, x.external, call.axes(), vector(q, k));
}

GradientOfTorque inverse_vjp(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle w_,
                             const Words& words) {
  RowCall call(Row<"inverse_dynamics_vjp">::row(), robot);
  const Input &q = call.next(q_), &v = call.next(v_), &a = call.next(a_), &w = call.next(w_);
  call.read(words);
  const Index nv = robot.model.nv();
  Eigen::VectorXd Q(nv), V(nv), A(nv);
  call.run([&](Workspace& x, Index k) {
    inverse_dynamics_vjp(robot.model, x.data, vector(q, k), vector(v, k), vector(a, k), vector(w, k), Q, V, A,
                         x.external, call.options.effects);
    if (call.needs_axes()) Q -= turned(call, robot, x, q, k).transpose() * vector(w, k);
    call.result(0).put(k, Q.data());
    call.result(1).put(k, V.data());
    call.result(2).put(k, A.data());
  });
  return {{call.result(0).array, call.result(1).array, call.result(2).array, nb::none()}};
}

GradientOfAcceleration forward_vjp(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle tau_, nb::handle w_,
                                   const Words& words) {
  RowCall call(Row<"forward_dynamics_vjp">::row(), robot);
  const Input &q = call.next(q_), &v = call.next(v_), &tau = call.next(tau_), &w = call.next(w_);
  call.read(words);
  const Index nv = robot.model.nv();
  Eigen::VectorXd Q(nv), V(nv), T(nv);
  TreeCholesky factor(robot.model);
  call.run([&](Workspace& x, Index k) {
    forward_dynamics_vjp(robot.model, x.data, factor, vector(q, k), vector(v, k), vector(tau, k), vector(w, k), Q, V, T,
                         x.external, call.options.effects);
    if (call.needs_axes()) Q += turned(call, robot, x, q, k).transpose() * T;
    call.result(0).put(k, Q.data());
    call.result(1).put(k, V.data());
    call.result(2).put(k, T.data());
  });
  return {{call.result(0).array, call.result(1).array, nb::none(), call.result(2).array}};
}

/// A direction, or zeros.
struct Along {
  Along(RowCall& call, nb::handle x, Index nv) : input(call.next_if_given(x)), zeros(Eigen::VectorXd::Zero(nv)) {}
  Eigen::Map<const Eigen::VectorXd> at(Index k) const {
    return {input != nullptr ? input->at(k) : zeros.data(), zeros.size()};
  }
  const Input* input;
  Eigen::VectorXd zeros;
};

nb::object inverse_jvp(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle dq_, nb::handle dv_,
                       nb::handle da_, const Words& words) {
  RowCall call(Row<"inverse_dynamics_jvp">::row(), robot);
  const Input &q = call.next(q_), &v = call.next(v_), &a = call.next(a_);
  const Index nv = robot.model.nv();
  const Along dq(call, dq_, nv), dv(call, dv_, nv), da(call, da_, nv);
  call.read(words);
  Eigen::VectorXd dtau(nv);
  call.run([&](Workspace& x, Index k) {
    inverse_dynamics_jvp(robot.model, x.data, vector(q, k), vector(v, k), vector(a, k), dq.at(k), dv.at(k), da.at(k),
                         dtau, x.external, call.options.effects);
    if (call.needs_axes()) dtau -= turned(call, robot, x, q, k) * dq.at(k);
    call.result(0).put(k, dtau.data());
  });
  return call.result(0).array;
}

nb::object forward_jvp(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle tau_, nb::handle dq_,
                       nb::handle dv_, nb::handle dtau_, const Words& words) {
  RowCall call(Row<"forward_dynamics_jvp">::row(), robot);
  const Input &q = call.next(q_), &v = call.next(v_), &tau = call.next(tau_);
  const Index nv = robot.model.nv();
  const Along dq(call, dq_, nv), dv(call, dv_, nv), dtau(call, dtau_, nv);
  call.read(words);
  Eigen::VectorXd da(nv);
  TreeCholesky factor(robot.model);
  call.run([&](Workspace& x, Index k) {
    Eigen::VectorXd along = dtau.at(k);
    if (call.needs_axes()) along += turned(call, robot, x, q, k) * dq.at(k);
    forward_dynamics_jvp(robot.model, x.data, factor, vector(q, k), vector(v, k), vector(tau, k), dq.at(k), dv.at(k),
                         along, da, x.external, call.options.effects);
    call.result(0).put(k, da.data());
  });
  return call.result(0).array;
}

}  // namespace

void bind_derivative_products(nb::module_& m) {
  ClassOf<GradientOfTorque>(m, "TorqueGradient",
                            "The gradient of w . tau, (nv,) or (N, nv) each: inverse_dynamics_vjp().")
      .def_ro("q", &GradientOfTorque::q, nb::sig("def q(self) -> Array"), "by q, along q (+) d")
      .def_ro("v", &GradientOfTorque::v, nb::sig("def v(self) -> Array"), "by v")
      .def_ro("a", &GradientOfTorque::a, nb::sig("def a(self) -> Array"), "by a");
  ClassOf<GradientOfAcceleration>(m, "AccelerationGradient",
                                  "The gradient of w . a, (nv,) or (N, nv) each: forward_dynamics_vjp().")
      .def_ro("q", &GradientOfAcceleration::q, nb::sig("def q(self) -> Array"), "by q, along q (+) d")
      .def_ro("v", &GradientOfAcceleration::v, nb::sig("def v(self) -> Array"), "by v")
      .def_ro("tau", &GradientOfAcceleration::tau, nb::sig("def tau(self) -> Array"), "by tau");
  kept_by_fields<GradientOfTorque, GradientOfAcceleration>();
  bind_named<"inverse_dynamics_vjp">(m, "TorqueGradient", inverse_vjp);
  bind_named<"forward_dynamics_vjp">(m, "AccelerationGradient", forward_vjp);
  bind_named<"inverse_dynamics_jvp">(m, "Array", inverse_jvp);
  bind_named<"forward_dynamics_jvp">(m, "Array", forward_jvp);
}

}  // namespace zwang::python
