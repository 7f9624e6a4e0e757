// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of dynamics.
#include "zwang/algorithm/derivatives.hpp"

#include "bind.hpp"
#include "call.hpp"
#include "zwang/algorithm/values.hpp"

namespace zwang::python {
namespace {

/// Results by what they are derivatives of; with N states they have a leading dimension.
struct Derivatives {
  nb::object q = nb::none(), v = nb::none(), a = nb::none(), tau = nb::none();
};
struct OfTorque : Derivatives {};
struct OfAcceleration : Derivatives {};
struct OfBias : Derivatives {};

JointEffects effects_of(const JointEffects* given) { return given != nullptr ? *given : JointEffects(); }

/// d/dq of J^T w for wrenches w that turn with the axes of a frame; placed, they have the world's axes.
Eigen::MatrixXd by_turning_axes(const Model& model, Workspace& w, FrameId axes, const Eigen::VectorXd& q) {
  const Index nv = model.nv();
  constexpr Reference reference = Reference::local_world_aligned;
  Eigen::MatrixXd at_frame(6, nv), of_axes(6, nv), turned(6, nv), out = Eigen::MatrixXd::Zero(nv, nv);
  jacobian(model, w.data, q, axes, reference, of_axes);
  for (const ExternalWrench& e : w.external) {
    for (Index k = 0; k < nv; ++k) {
      const Vec3<double> turn{of_axes(3, k), of_axes(4, k), of_axes(5, k)};
      turned.col(k).head(3) = cross(turn, Vec3<double>{e.wrench[0], e.wrench[1], e.wrench[2]}).eigen();
      turned.col(k).tail(3) = cross(turn, Vec3<double>{e.wrench[3], e.wrench[4], e.wrench[5]}).eigen();
    }
    jacobian(model, w.data, q, e.frame, reference, at_frame);
    out += at_frame.transpose() * turned;
  }
  return out;
}

OfTorque inverse(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle external, const char* in,
                 const JointEffects* effects, nb::handle gravity) {
  Call call("inverse_dynamics_derivatives", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_);
  call.environment(gravity, external, in);
  const Index nv = robot.model.nv();
  const Output &by_q = call.output(nb::none(), {nv, nv}, "q"), &by_v = call.output(nb::none(), {nv, nv}, "v"),
               &by_a = call.output(nb::none(), {nv, nv}, "a");
  call.run([&](Workspace& w, Index k) {
    auto d = inverse_dynamics_derivatives(robot.model, w.data, vector(q, k), vector(v, k), vector(a, k), w.external,
                                          effects_of(effects));
    if (call.needs_axes()) d.q -= by_turning_axes(robot.model, w, call.axes(), vector(q, k));
    by_q.put_matrix(k, d.q.data());
    by_v.put_matrix(k, d.v.data());
    by_a.put_matrix(k, d.a.data());
  });
  return {{by_q.array, by_v.array, by_a.array}};
}

OfAcceleration forward(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle tau_, nb::handle external,
                       const char* in, const JointEffects* effects, nb::handle gravity) {
  Call call("forward_dynamics_derivatives", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &tau = call.tangent("tau", tau_);
  call.environment(gravity, external, in);
  const Index nv = robot.model.nv();
  const Output &by_q = call.output(nb::none(), {nv, nv}, "q"), &by_v = call.output(nb::none(), {nv, nv}, "v"),
               &by_tau = call.output(nb::none(), {nv, nv}, "tau");
  call.run([&](Workspace& w, Index k) {
    auto d = forward_dynamics_derivatives(robot.model, w.data, vector(q, k), vector(v, k), vector(tau, k), w.external,
                                          effects_of(effects));
    if (call.needs_axes()) d.q += d.tau * by_turning_axes(robot.model, w, call.axes(), vector(q, k));
    by_q.put_matrix(k, d.q.data());
    by_v.put_matrix(k, d.v.data());
    by_tau.put_matrix(k, d.tau.data());
  });
  return {{by_q.array, by_v.array, nb::none(), by_tau.array}};
}

OfBias bias(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle external, const char* in,
            const JointEffects* effects, nb::handle gravity) {
  Call call("bias_forces_derivatives", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_);
  call.environment(gravity, external, in);
  const Index nv = robot.model.nv();
  const Output &by_q = call.output(nb::none(), {nv, nv}, "q"), &by_v = call.output(nb::none(), {nv, nv}, "v");
  call.run([&](Workspace& w, Index k) {
    Eigen::MatrixXd Q(nv, nv), V(nv, nv);
    bias_forces_derivatives(robot.model, w.data, vector(q, k), vector(v, k), Q, V, w.external, effects_of(effects));
    if (call.needs_axes()) Q -= by_turning_axes(robot.model, w, call.axes(), vector(q, k));
    by_q.put_matrix(k, Q.data());
    by_v.put_matrix(k, V.data());
  });
  return {{by_q.array, by_v.array}};
}

nb::object gravity_forces_by_q(const Robot& robot, nb::handle q_, nb::handle gravity) {
  Call call("gravity_forces_derivatives", robot);
  const Input& q = call.configuration(q_);
  call.gravity(gravity);
  const Index nv = robot.model.nv();
  const Output& by_q = call.output(nb::none(), {nv, nv});
  call.run([&](Workspace& w, Index k) {
    Eigen::MatrixXd Q(nv, nv);
    gravity_forces_derivatives(robot.model, w.data, vector(q, k), Q);
    by_q.put_matrix(k, Q.data());
  });
  return by_q.array;
}

nb::object static_torque_by_q(const Robot& robot, nb::handle q_, nb::handle external, const char* in,
                              const JointEffects* effects, nb::handle gravity) {
  Call call("static_torque_derivatives", robot);
  const Input& q = call.configuration(q_);
  call.environment(gravity, external, in);
  const Index nv = robot.model.nv();
  const Output& by_q = call.output(nb::none(), {nv, nv});
  call.run([&](Workspace& w, Index k) {
    Eigen::MatrixXd Q(nv, nv);
    static_torque_derivatives(robot.model, w.data, vector(q, k), Q, w.external, effects_of(effects));
    if (call.needs_axes()) Q -= by_turning_axes(robot.model, w, call.axes(), vector(q, k));
    by_q.put_matrix(k, Q.data());
  });
  return by_q.array;
}

#define ZWANG_WORDS                                                                        \
  nb::kw_only(), nb::arg("external") = nb::none(), nb::arg("in_") = "local_world_aligned", \
                 nb::arg("joint_effects").none() = nb::none(), nb::arg("gravity") = nb::none()
#define ZWANG_WORDS_SIGNATURE                                                                                      \
  "*, external: External | None = None, in_: str = \"local_world_aligned\", joint_effects: JointEffects | None = " \
  "None, "                                                                                                         \
  "gravity: ArrayLike | None = None) -> "
#define ZWANG_DERIVATIVES_DOC                                                                                        \
  "\n\nBy q: along q (+) d at d = 0, a column for each coordinate of v. External wrenches are constant in the axes " \
  "in\n"                                                                                                             \
  "which they are given. With a leading dimension (N, ...) the results have it too."

}  // namespace

void bind_derivatives(nb::module_& m) {
  nb::class_<OfTorque>(m, "InverseDynamicsDerivatives", "d tau of inverse_dynamics, (nv, nv) or (N, nv, nv) each.")
      .def_ro("q", &OfTorque::q, nb::sig("def q(self) -> Array"), "by q, along q (+) d")
      .def_ro("v", &OfTorque::v, nb::sig("def v(self) -> Array"), "by v")
      .def_ro("a", &OfTorque::a, nb::sig("def a(self) -> Array"), "by a: the mass matrix");
  nb::class_<OfAcceleration>(m, "ForwardDynamicsDerivatives", "d a of forward_dynamics, (nv, nv) or (N, nv, nv) each.")
      .def_ro("q", &OfAcceleration::q, nb::sig("def q(self) -> Array"), "by q, along q (+) d")
      .def_ro("v", &OfAcceleration::v, nb::sig("def v(self) -> Array"), "by v")
      .def_ro("tau", &OfAcceleration::tau, nb::sig("def tau(self) -> Array"), "by tau: the inverse of the mass matrix");
  nb::class_<OfBias>(m, "BiasForcesDerivatives", "d of bias_forces, (nv, nv) or (N, nv, nv) each.")
      .def_ro("q", &OfBias::q, nb::sig("def q(self) -> Array"), "by q, along q (+) d")
      .def_ro("v", &OfBias::v, nb::sig("def v(self) -> Array"), "by v");
  m.def("inverse_dynamics_derivatives", &inverse, nb::arg("model"), nb::arg("q").none(), nb::arg("v").none(),
        nb::arg("a").none(), ZWANG_WORDS,
        nb::sig("def inverse_dynamics_derivatives(model: Model, q: Vector, v: Vector, a: Vector, " ZWANG_WORDS_SIGNATURE
                "InverseDynamicsDerivatives"),
        "Derivatives of inverse_dynamics by q, v and a." ZWANG_DERIVATIVES_DOC);
  m.def(
      "forward_dynamics_derivatives", &forward, nb::arg("model"), nb::arg("q").none(), nb::arg("v").none(),
      nb::arg("tau").none(), ZWANG_WORDS,
      nb::sig("def forward_dynamics_derivatives(model: Model, q: Vector, v: Vector, tau: Vector, " ZWANG_WORDS_SIGNATURE
              "ForwardDynamicsDerivatives"),
      "Derivatives of forward_dynamics by q, v and tau." ZWANG_DERIVATIVES_DOC
      " Raises SingularMassError where a coordinate has no inertia.");
  m.def("bias_forces_derivatives", &bias, nb::arg("model"), nb::arg("q").none(), nb::arg("v").none(), ZWANG_WORDS,
        nb::sig("def bias_forces_derivatives(model: Model, q: Vector, v: Vector, " ZWANG_WORDS_SIGNATURE
                "BiasForcesDerivatives"),
        "Derivatives of bias_forces by q and v." ZWANG_DERIVATIVES_DOC);
  m.def(
      "gravity_forces_derivatives", &gravity_forces_by_q, nb::arg("model"), nb::arg("q").none(), nb::kw_only(),
      nb::arg("gravity") = nb::none(),
      nb::sig("def gravity_forces_derivatives(model: Model, q: Vector, *, gravity: ArrayLike | None = None) -> Array"),
      "Derivative of gravity_forces by q, (nv, nv) or (N, nv, nv).");
  m.def("static_torque_derivatives", &static_torque_by_q, nb::arg("model"), nb::arg("q").none(), ZWANG_WORDS,
        nb::sig("def static_torque_derivatives(model: Model, q: Vector, " ZWANG_WORDS_SIGNATURE "Array"),
        "Derivative of static_torque by q, (nv, nv) or (N, nv, nv)." ZWANG_DERIVATIVES_DOC);
}

}  // namespace zwang::python
