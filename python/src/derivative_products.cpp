// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of inverse and forward dynamics times vectors.
#include "zwang/algorithm/derivative_products.hpp"

#include "bind.hpp"
#include "call.hpp"
#include "turning_axes.hpp"

namespace zwang::python {
namespace {

/// Gradients by what they are derivatives of; with N states they have a leading dimension.
struct Gradients {
  nb::object q, v, a, tau;
};
struct GradientOfTorque : Gradients {};
struct GradientOfAcceleration : Gradients {};

JointEffects effects_of(const JointEffects* given) { return given != nullptr ? *given : JointEffects(); }

Eigen::MatrixXd turned(const Call& call, const Robot& robot, Workspace& x, const Input& q, Index k) {
  return by_turning_axes(robot.model, x.data, x.external, call.axes(), vector(q, k));
}

GradientOfTorque inverse_vjp(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle w_,
                             nb::handle external, const char* in, const JointEffects* effects, nb::handle gravity) {
  Call call("inverse_dynamics_vjp", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_),
              &w = call.tangent("w", w_);
  call.environment(gravity, external, in);
  const Index nv = robot.model.nv();
  const Output &by_q = call.output(nb::none(), {nv}, "q"), &by_v = call.output(nb::none(), {nv}, "v"),
               &by_a = call.output(nb::none(), {nv}, "a");
  Eigen::VectorXd Q(nv), V(nv), A(nv);
  call.run([&](Workspace& x, Index k) {
    inverse_dynamics_vjp(robot.model, x.data, vector(q, k), vector(v, k), vector(a, k), vector(w, k), Q, V, A,
                         x.external, effects_of(effects));
    if (call.needs_axes()) Q -= turned(call, robot, x, q, k).transpose() * vector(w, k);
    by_q.put(k, Q.data());
    by_v.put(k, V.data());
    by_a.put(k, A.data());
  });
  return {{by_q.array, by_v.array, by_a.array, nb::none()}};
}

GradientOfAcceleration forward_vjp(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle tau_, nb::handle w_,
                                   nb::handle external, const char* in, const JointEffects* effects,
                                   nb::handle gravity) {
  Call call("forward_dynamics_vjp", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &tau = call.tangent("tau", tau_),
              &w = call.tangent("w", w_);
  call.environment(gravity, external, in);
  const Index nv = robot.model.nv();
  const Output &by_q = call.output(nb::none(), {nv}, "q"), &by_v = call.output(nb::none(), {nv}, "v"),
               &by_tau = call.output(nb::none(), {nv}, "tau");
  Eigen::VectorXd Q(nv), V(nv), T(nv);
  TreeCholesky factor(robot.model);
  call.run([&](Workspace& x, Index k) {
    forward_dynamics_vjp(robot.model, x.data, factor, vector(q, k), vector(v, k), vector(tau, k), vector(w, k), Q, V, T,
                         x.external, effects_of(effects));
    if (call.needs_axes()) Q += turned(call, robot, x, q, k).transpose() * T;
    by_q.put(k, Q.data());
    by_v.put(k, V.data());
    by_tau.put(k, T.data());
  });
  return {{by_q.array, by_v.array, nb::none(), by_tau.array}};
}

/// A direction, or zeros.
struct Along {
  Along(Call& call, const char* name, nb::handle x, Index nv)
      : input(x.is_none() ? nullptr : &call.tangent(name, x)),
        zeros(Eigen::VectorXd::Zero(nv)) {}
  Eigen::Map<const Eigen::VectorXd> at(Index k) const {
    return {input != nullptr ? input->at(k) : zeros.data(), zeros.size()};
  }
  const Input* input;
  Eigen::VectorXd zeros;
};

nb::object inverse_jvp(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle dq_, nb::handle dv_,
                       nb::handle da_, nb::handle external, const char* in, const JointEffects* effects,
                       nb::handle gravity) {
  Call call("inverse_dynamics_jvp", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_);
  const Index nv = robot.model.nv();
  const Along dq(call, "dq", dq_, nv), dv(call, "dv", dv_, nv), da(call, "da", da_, nv);
  call.environment(gravity, external, in);
  const Output& out = call.output(nb::none(), {nv});
  Eigen::VectorXd dtau(nv);
  call.run([&](Workspace& x, Index k) {
    inverse_dynamics_jvp(robot.model, x.data, vector(q, k), vector(v, k), vector(a, k), dq.at(k), dv.at(k), da.at(k),
                         dtau, x.external, effects_of(effects));
    if (call.needs_axes()) dtau -= turned(call, robot, x, q, k) * dq.at(k);
    out.put(k, dtau.data());
  });
  return out.array;
}

nb::object forward_jvp(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle tau_, nb::handle dq_,
                       nb::handle dv_, nb::handle dtau_, nb::handle external, const char* in,
                       const JointEffects* effects, nb::handle gravity) {
  Call call("forward_dynamics_jvp", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &tau = call.tangent("tau", tau_);
  const Index nv = robot.model.nv();
  const Along dq(call, "dq", dq_, nv), dv(call, "dv", dv_, nv), dtau(call, "dtau", dtau_, nv);
  call.environment(gravity, external, in);
  const Output& out = call.output(nb::none(), {nv});
  Eigen::VectorXd da(nv);
  TreeCholesky factor(robot.model);
  call.run([&](Workspace& x, Index k) {
    Eigen::VectorXd along = dtau.at(k);
    if (call.needs_axes()) along += turned(call, robot, x, q, k) * dq.at(k);
    forward_dynamics_jvp(robot.model, x.data, factor, vector(q, k), vector(v, k), vector(tau, k), dq.at(k), dv.at(k),
                         along, da, x.external, effects_of(effects));
    out.put(k, da.data());
  });
  return out.array;
}

#define ZWANG_WORDS                                                                        \
  nb::kw_only(), nb::arg("external") = nb::none(), nb::arg("in_") = "local_world_aligned", \
                 nb::arg("joint_effects").none() = nb::none(), nb::arg("gravity") = nb::none()
#define ZWANG_WORDS_SIGNATURE                                                                                      \
  "*, external: External | None = None, in_: str = \"local_world_aligned\", joint_effects: JointEffects | None = " \
  "None, "                                                                                                         \
  "gravity: ArrayLike | None = None) -> "

}  // namespace

void bind_derivative_products(nb::module_& m) {
  nb::class_<GradientOfTorque>(m, "TorqueGradient",
                               "The gradient of w . tau, (nv,) or (N, nv) each: inverse_dynamics_vjp().")
      .def_ro("q", &GradientOfTorque::q, nb::sig("def q(self) -> Array"), "by q, along q (+) d")
      .def_ro("v", &GradientOfTorque::v, nb::sig("def v(self) -> Array"), "by v")
      .def_ro("a", &GradientOfTorque::a, nb::sig("def a(self) -> Array"), "by a");
  nb::class_<GradientOfAcceleration>(m, "AccelerationGradient",
                                     "The gradient of w . a, (nv,) or (N, nv) each: forward_dynamics_vjp().")
      .def_ro("q", &GradientOfAcceleration::q, nb::sig("def q(self) -> Array"), "by q, along q (+) d")
      .def_ro("v", &GradientOfAcceleration::v, nb::sig("def v(self) -> Array"), "by v")
      .def_ro("tau", &GradientOfAcceleration::tau, nb::sig("def tau(self) -> Array"), "by tau");
  m.def("inverse_dynamics_vjp", &inverse_vjp, nb::arg("model"), nb::arg("q").none(), nb::arg("v").none(),
        nb::arg("a").none(), nb::arg("w").none(), ZWANG_WORDS,
        nb::sig(
            "def inverse_dynamics_vjp(model: Model, q: Vector, v: Vector, a: Vector, w: Vector, " ZWANG_WORDS_SIGNATURE
            "TorqueGradient"),
        "The gradient of w . tau of inverse_dynamics by q, v and a, in O(n) and without a matrix.");
  m.def("forward_dynamics_vjp", &forward_vjp, nb::arg("model"), nb::arg("q").none(), nb::arg("v").none(),
        nb::arg("tau").none(), nb::arg("w").none(), ZWANG_WORDS,
        nb::sig("def forward_dynamics_vjp(model: Model, q: Vector, v: Vector, tau: Vector, w: "
                "Vector, " ZWANG_WORDS_SIGNATURE "AccelerationGradient"),
        "The gradient of w . a of forward_dynamics by q, v and tau. Raises SingularMassError where a coordinate has no "
        "inertia.");
  m.def(
      "inverse_dynamics_jvp", &inverse_jvp, nb::arg("model"), nb::arg("q").none(), nb::arg("v").none(),
      nb::arg("a").none(), nb::arg("dq") = nb::none(), nb::arg("dv") = nb::none(), nb::arg("da") = nb::none(),
      ZWANG_WORDS,
      nb::sig("def inverse_dynamics_jvp(model: Model, q: Vector, v: Vector, a: Vector, dq: Vector | None = None, dv: "
              "Vector | None = None, da: Vector | None = None, " ZWANG_WORDS_SIGNATURE "Array"),
      "d tau of inverse_dynamics along (dq, dv, da), None: zeros; dq is a tangent increment. (nv,) or (N, nv), O(n).");
  m.def(
      "forward_dynamics_jvp", &forward_jvp, nb::arg("model"), nb::arg("q").none(), nb::arg("v").none(),
      nb::arg("tau").none(), nb::arg("dq") = nb::none(), nb::arg("dv") = nb::none(), nb::arg("dtau") = nb::none(),
      ZWANG_WORDS,
      nb::sig("def forward_dynamics_jvp(model: Model, q: Vector, v: Vector, tau: Vector, dq: Vector | None = None, "
              "dv: Vector | None = None, dtau: Vector | None = None, " ZWANG_WORDS_SIGNATURE "Array"),
      "d a of forward_dynamics along (dq, dv, dtau), None: zeros; dq is a tangent increment. (nv,) or (N, nv). Raises\n"
      "SingularMassError where a coordinate has no inertia.");
}

}  // namespace zwang::python
