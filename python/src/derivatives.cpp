// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of dynamics and kinematics.
#include "zwang/algorithm/derivatives.hpp"

#include "bind.hpp"
#include "fields.hpp"
#include "frames.hpp"
#include "row_call.hpp"
#include "turning_axes.hpp"
#include "zwang/algorithm/kinematics_derivatives.hpp"

namespace zwang::python {
namespace {

/// Results by what they are derivatives of; with N states they have a leading dimension.
struct Derivatives {
  nb::object q = nb::none(), v = nb::none(), a = nb::none(), tau = nb::none();
  template <class A> void fields(A& x) { x(q), x(v), x(a), x(tau); }
};
struct OfTorque : Derivatives {};
struct OfAcceleration : Derivatives {};
struct OfBias : Derivatives {};
struct OfFrameVelocity : Derivatives {};
struct OfFrameAcceleration : Derivatives {};
struct OfCentreOfMassVelocity : Derivatives {};
struct OfMomentum : Derivatives {};
struct OfMomentumRate : Derivatives {};
struct OfCentroidal {
  OfMomentum momentum;
  OfMomentumRate rate;
  template <class A> void fields(A& a) { a(momentum), a(rate); }
};

using ByRows = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// Vectors, words, and the evaluation of a row whose first result is a derivative by q. Where wrenches turn with the
/// axes of a frame, `turn(by_q, the other results, change)` adds what that changes in the torques.
template <class Turn> void evaluate(RowCall& call, const Robot& robot, std::initializer_list<nb::handle> vectors,
                                    const Words& words, Turn&& turn) {
  for (const nb::handle x : vectors) call.next(x);
  call.read(words);
  const Index nv = robot.model.nv();
  call.run([&](Workspace& w, Index k) {
    call.evaluate(w, k, [&](std::span<double* const> results) {
      if (!call.needs_axes()) return;
      const Eigen::MatrixXd change =
          by_turning_axes(robot.model, w.data, w.external, call.axes(), vector(call.vector(0), k));
      turn(ByRows(results[0], nv, nv), results, change);
    });
  });
}
/// Of torques.
void evaluate(RowCall& call, const Robot& robot, std::initializer_list<nb::handle> vectors, const Words& words) {
  evaluate(call, robot, vectors, words,
           [](ByRows by_q, std::span<double* const>, const Eigen::MatrixXd& change) { by_q -= change; });
}

OfTorque inverse(const Robot& robot, nb::handle q, nb::handle v, nb::handle a, const Words& words) {
  RowCall call(Row<"inverse_dynamics_derivatives">::row(), robot);
  evaluate(call, robot, {q, v, a}, words);
  return {{call.result(0).array, call.result(1).array, call.result(2).array}};
}

OfAcceleration forward(const Robot& robot, nb::handle q, nb::handle v, nb::handle tau, const Words& words) {
  RowCall call(Row<"forward_dynamics_derivatives">::row(), robot);
  evaluate(call, robot, {q, v, tau}, words,
           [](ByRows by_q, std::span<double* const> results, const Eigen::MatrixXd& change) {
             const Eigen::MatrixXd by_tau = ByRows(results[2], by_q.rows(), by_q.cols());
             by_q += by_tau * change;
           });
  return {{call.result(0).array, call.result(1).array, nb::none(), call.result(2).array}};
}

OfBias bias(const Robot& robot, nb::handle q, nb::handle v, const Words& words) {
  RowCall call(Row<"bias_forces_derivatives">::row(), robot);
  evaluate(call, robot, {q, v}, words);
  return {{call.result(0).array, call.result(1).array}};
}

/// A row whose only result is a derivative of torques by q.
template <RowName name> nb::object torque_by_q(const Robot& robot, nb::handle q, const Words& words) {
  RowCall call(Row<name>::row(), robot);
  evaluate(call, robot, {q}, words);
  return call.result(0).array;
}

OfFrameVelocity frame_velocity(const Robot& robot, nb::handle q_, nb::handle v_, FrameGiven frame,
                               const char* reference) {
  Call call("frame_velocity_derivatives", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_);
  const FrameId id = frame_of(robot, "frame_velocity_derivatives", frame);
  const Reference in = reference_of(reference);
  const Index nv = robot.model.nv();
  const Output &by_q = call.output(nb::none(), {6, nv}, "q"), &by_v = call.output(nb::none(), {6, nv}, "v");
  call.run([&](Workspace& w, Index k) {
    const auto d = frame_velocity_derivatives(robot.model, w.data, vector(q, k), vector(v, k), id, in);
    by_q.put_matrix(k, d.q.data());
    by_v.put_matrix(k, d.v.data());
  });
  return {{by_q.array, by_v.array}};
}

OfFrameAcceleration frame_acceleration(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_,
                                       FrameGiven frame, const std::string& kind_, const char* reference,
                                       bool with_gravity, nb::handle gravity) {
  Call call("frame_acceleration_derivatives", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_);
  call.gravity(gravity);
  const FrameId id = frame_of(robot, "frame_acceleration_derivatives", frame);
  const Reference in = reference_of(reference);
  const AccelerationKind kind = acceleration_of("frame_acceleration_derivatives", "kind", kind_);
  const Index nv = robot.model.nv();
  const Output &by_q = call.output(nb::none(), {6, nv}, "q"), &by_v = call.output(nb::none(), {6, nv}, "v"),
               &by_a = call.output(nb::none(), {6, nv}, "a");
  call.run([&](Workspace& w, Index k) {
    const auto d = frame_acceleration_derivatives(robot.model, w.data, vector(q, k), vector(v, k), vector(a, k), id,
                                                  kind, in, with_gravity);
    by_q.put_matrix(k, d.q.data());
    by_v.put_matrix(k, d.v.data());
    by_a.put_matrix(k, d.a.data());
  });
  return {{by_q.array, by_v.array, by_a.array}};
}

OfCentreOfMassVelocity centre_of_mass_velocity(const Robot& robot, nb::handle q_, nb::handle v_) {
  Call call("centre_of_mass_velocity_derivatives", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_);
  const Index nv = robot.model.nv();
  const Output &by_q = call.output(nb::none(), {3, nv}, "q"), &by_v = call.output(nb::none(), {3, nv}, "v");
  call.run([&](Workspace& w, Index k) {
    const auto d = centre_of_mass_velocity_derivatives(robot.model, w.data, vector(q, k), vector(v, k));
    by_q.put_matrix(k, d.q.data());
    by_v.put_matrix(k, d.v.data());
  });
  return {{by_q.array, by_v.array}};
}

OfCentroidal centroidal(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_) {
  Call call("centroidal_derivatives", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_);
  const Index nv = robot.model.nv();
  const Output &of_q = call.output(nb::none(), {6, nv}, "momentum.q"),
               &of_v = call.output(nb::none(), {6, nv}, "momentum.v"),
               &rate_q = call.output(nb::none(), {6, nv}, "rate.q"),
               &rate_v = call.output(nb::none(), {6, nv}, "rate.v");
  call.run([&](Workspace& w, Index k) {
    const auto d = centroidal_derivatives(robot.model, w.data, vector(q, k), vector(v, k), vector(a, k));
    of_q.put_matrix(k, d.momentum.q.data());
    of_v.put_matrix(k, d.momentum.v.data());
    rate_q.put_matrix(k, d.rate.q.data());
    rate_v.put_matrix(k, d.rate.v.data());
  });
  // by a the rate has the momentum's matrix by v: equal numbers in an array of its own
  return {{{of_q.array, of_v.array}}, {{rate_q.array, rate_v.array, of_v.array.attr("copy")()}}};
}

template <class T> void bind_results(nb::module_& m, const char* name, const char* doc, bool by_a) {
  ClassOf<T> type(m, name, doc);
  type.def_ro("q", &T::q, nb::sig("def q(self) -> Array"), "by q, along q (+) d");
  type.def_ro("v", &T::v, nb::sig("def v(self) -> Array"), "by v");
  if (by_a) type.def_ro("a", &T::a, nb::sig("def a(self) -> Array"), "by a");
}

void bind_of_kinematics(nb::module_& m) {
  bind_results<OfFrameVelocity>(m, "FrameVelocityDerivatives", "d of frame_velocity, (6, nv) or (N, 6, nv) each.",
                                false);
  bind_results<OfFrameAcceleration>(m, "FrameAccelerationDerivatives",
                                    "d of frame_acceleration, (6, nv) or (N, 6, nv) each.", true);
  bind_results<OfCentreOfMassVelocity>(m, "CentreOfMassVelocityDerivatives",
                                       "d of the velocity of the centre of mass, (3, nv) or (N, 3, nv) each.", false);
  bind_results<OfMomentum>(m, "CentroidalMomentumDerivatives", "d of centroidal_momentum, (6, nv) or (N, 6, nv) each.",
                           false);
  bind_results<OfMomentumRate>(m, "CentroidalMomentumRateDerivatives",
                               "d of centroidal_momentum_rate, (6, nv) or (N, 6, nv) each.", true);
  ClassOf<OfCentroidal>(m, "CentroidalDerivatives", "d of the momentum about the centre of mass, and of its rate.")
      .def_ro("momentum", &OfCentroidal::momentum, "by q and v")
      .def_ro("rate", &OfCentroidal::rate, "by q, v and a");
  def(m,
      ZWANG_SIGNATURE(
          "def frame_velocity_derivatives(model: Model, q: Vector, v: Vector, frame: str | int, reference: str = "
          "\"local_world_aligned\") -> FrameVelocityDerivatives"),
      &frame_velocity,
      "Derivatives of frame_velocity by q and v, where by v is the Jacobian: (6, nv) each, linear rows first.\n\n"
      "reference: local, world or local_world_aligned; in local axes these are the changes of the numbers that are\n"
      "read in the moving frame. By q: along q (+) d at d = 0, a column for each coordinate of v. With a leading\n"
      "dimension (N, ...) the results have it too.");
  def(m,
      ZWANG_SIGNATURE(
          "def frame_acceleration_derivatives(model: Model, q: Vector, v: Vector, a: Vector, frame: str | int, kind: "
          "str = \"classical\", reference: str = \"local_world_aligned\", *, with_gravity: bool = False, gravity: "
          "ArrayLike | None = None) -> FrameAccelerationDerivatives"),
      &frame_acceleration,
      "Derivatives of frame_acceleration by q, v and a, where by a is the Jacobian: (6, nv) each, linear rows first.\n"
      "\n"
      "kind: classical or spatial; reference as in frame_velocity_derivatives; with_gravity: of the acceleration\n"
      "with -g. With a leading dimension (N, ...) the results have it too.");
  def(m,
      ZWANG_SIGNATURE("def centre_of_mass_velocity_derivatives(model: Model, q: Vector, v: Vector) -> "
                      "CentreOfMassVelocityDerivatives"),
      &centre_of_mass_velocity,
      "Derivatives of the velocity of the centre of mass by q and v, where by v is centre_of_mass_jacobian: (3, nv)\n"
      "or (N, 3, nv) each, world axes.");
  def(m,
      ZWANG_SIGNATURE(
          "def centroidal_derivatives(model: Model, q: Vector, v: Vector, a: Vector) -> CentroidalDerivatives"),
      &centroidal,
      "Derivatives of centroidal_momentum (momentum.q, momentum.v, which is centroidal_map) and of\n"
      "centroidal_momentum_rate (rate.q, rate.v, rate.a): (6, nv) or (N, 6, nv) each, linear rows first, world axes,\n"
      "about the centre of mass, which moves with q.");
}

}  // namespace

void bind_derivatives(nb::module_& m) {
  bind_of_kinematics(m);
  ClassOf<OfTorque>(m, "InverseDynamicsDerivatives", "d tau of inverse_dynamics, (nv, nv) or (N, nv, nv) each.")
      .def_ro("q", &OfTorque::q, nb::sig("def q(self) -> Array"), "by q, along q (+) d")
      .def_ro("v", &OfTorque::v, nb::sig("def v(self) -> Array"), "by v")
      .def_ro("a", &OfTorque::a, nb::sig("def a(self) -> Array"), "by a: the mass matrix");
  ClassOf<OfAcceleration>(m, "ForwardDynamicsDerivatives", "d a of forward_dynamics, (nv, nv) or (N, nv, nv) each.")
      .def_ro("q", &OfAcceleration::q, nb::sig("def q(self) -> Array"), "by q, along q (+) d")
      .def_ro("v", &OfAcceleration::v, nb::sig("def v(self) -> Array"), "by v")
      .def_ro("tau", &OfAcceleration::tau, nb::sig("def tau(self) -> Array"), "by tau: the inverse of the mass matrix");
  ClassOf<OfBias>(m, "BiasForcesDerivatives", "d of bias_forces, (nv, nv) or (N, nv, nv) each.")
      .def_ro("q", &OfBias::q, nb::sig("def q(self) -> Array"), "by q, along q (+) d")
      .def_ro("v", &OfBias::v, nb::sig("def v(self) -> Array"), "by v");
  kept_by_fields<OfTorque, OfAcceleration, OfBias, OfFrameVelocity, OfFrameAcceleration, OfCentreOfMassVelocity,
                 OfMomentum, OfMomentumRate, OfCentroidal>();
  bind_named<"inverse_dynamics_derivatives">(m, "InverseDynamicsDerivatives", inverse);
  bind_named<"forward_dynamics_derivatives">(m, "ForwardDynamicsDerivatives", forward);
  bind_named<"bias_forces_derivatives">(m, "BiasForcesDerivatives", bias);
  bind_named<"gravity_forces_derivatives">(m, "Array", torque_by_q<"gravity_forces_derivatives">);
  bind_named<"static_torque_derivatives">(m, "Array", torque_by_q<"static_torque_derivatives">);
}

}  // namespace zwang::python
