// SPDX-License-Identifier: BSD-3-Clause
// What Solver.derivatives, vjp, jvp and hvp return, of one state or of N.
#pragma once
#include "call.hpp"
#include "frames.hpp"
#include "record.hpp"

namespace zwang::python {

/// Where derivatives have been taken: shared by the parts of a result.
struct WhereTaken {
  Robot robot = blank_robot();
  Index states = -1;                ///< -1: one
  std::vector<double> q = {};       ///< of all states
  std::vector<Status> status = {};  ///< of each state
  bool single = false;              ///< results are float32
  Index count() const { return states < 0 ? 1 : states; }
  bool ok(Index state) const { return status[static_cast<std::size_t>(state)] == Status::ok; }
  /// Whether there are numbers, if only zeros.
  bool has_numbers(Index state) const {
    const Status x = status[static_cast<std::size_t>(state)];
    return x == Status::ok || x == Status::not_differentiable || x == Status::overflow;
  }
  template <class A> void fields(A& a) { a(robot), a(states), a(q), a(status), a(single); }
  const double* q_of(Index state) const { return q.data() + static_cast<long>(state) * robot.model.nq(); }
};
using TakenAt = std::shared_ptr<const WhereTaken>;
/// Refuses one that was read from a pickle and does not fit itself.
void check_taken(const TakenAt& at, const Pickled& read);

/// Derivatives of one vector of the solution.
struct JacobianObject {
  nb::object q = {}, v = {}, tau = {}, beta = {};
  bool of_motors = false;  ///< motors at prescribed coordinates answer for forces that are no motor's
  TakenAt at = {};
  void check(const Pickled& read) const { check_taken(at, read); }
};
template <class V> void fields(V& v, Type<JacobianObject>) {
  using T = JacobianObject;
  v.record("SolutionJacobian", "Derivatives of one vector of a solution; of N states with a leading N.");
  v("q", &T::q, "(size, nv) along q (+) d");
  v("v", &T::v, "(size, nv)");
  v("tau", &T::tau, "(size, nv); 0 at prescribed coordinates");
  v("beta", &T::beta, "(size, rows)");
  v("of_motors", &T::of_motors, "whether it is of motor torques", {.attribute = false});
  v("at", &T::at, "where it was taken", {.attribute = false});
}

struct RowsObject {
  nb::object q = {}, v = {}, a = {};  ///< empty where it does not depend on that
};
template <class V> void fields(V& v, Type<RowsObject>) {
  using T = RowsObject;
  v.record("RowsJacobian", "Derivatives of what rows say of a state, whose q, v and a are each free.");
  v("q", &T::q, "(rows, nv) along q (+) d");
  v("v", &T::v, "(rows, nv), or None: it does not depend on v", {.type = "Array | None"});
  v("a", &T::a, "(rows, nv), or None: it does not depend on accelerations", {.type = "Array | None"});
}

/// How derivatives of a solution ended.
template <class V, class R> void outcome_fields(V& v, Type<R>) {
  status_field(v, &R::status,
               "ok, not_differentiable or overflow; of N states (N,), where refused states keep the status of their "
               "solve");
  v("reason", &R::reason, "why there is no derivative, or empty; of N states a list", {.type = "str | list[str]"});
}

struct DerivativesObject {
  nb::object status, reason;
  nb::object acceleration, multipliers, motor_torque, residual, velocity_error, position_error;
};
template <class V> void fields(V& v, Type<DerivativesObject> type) {
  using T = DerivativesObject;
  v.record("SolutionDerivatives",
           "Derivatives of a solution: Solver.derivatives(). Of N states all arrays have a leading N.");
  v("acceleration", &T::acceleration, "of q''", {.type = "SolutionJacobian"});
  v("multipliers", &T::multipliers, "of lambda", {.type = "SolutionJacobian"});
  v("motor_torque", &T::motor_torque, "of tau + J^T lambda of driver rows", {.type = "SolutionJacobian"});
  v("residual", &T::residual, "of Solution.residual, J a + J' v + stabilisation - beta; .a is J",
    {.type = "RowsJacobian"});
  v("velocity_error", &T::velocity_error, "of Solution.velocity_error, J v - target_velocity; .v is J",
    {.type = "RowsJacobian"});
  v("position_error", &T::position_error, "of Solution.position_error; NaN where that is NaN",
    {.type = "RowsJacobian"});
  outcome_fields(v, type);
}

/// The names that wrt= of Solver.vjp gave, a set; None: all.
nb::object asked_parts(nb::handle wrt);
inline bool is_asked(const nb::object& asked, const char* name) {
  return asked.is_none() || nb::borrow<nb::set>(asked).contains(name);
}
struct GradientObject {
  nb::object asked = nb::none();  ///< by asked_parts
  nb::object status, reason;
  nb::object q, v, tau, prescribed, beta, target, target_velocity, compliance, time_constant, damping_ratio, armature,
      damping, stiffness, gravity, inertial_parameters, placement;
  nb::object force;  ///< by generalised forces that are no motor's
  TakenAt at;
  void check(const Pickled& read) const { check_taken(at, read); }
};
/// How many numbers a part of a gradient has; `placement` 6 for each.
struct GradientSizes {
  Index nv, rows, constraints, three, parameters, joints;
};
/// f(name, array, size, member, sentence) for each part of a gradient; member(x) is that of the library's result of one
/// state or of N.
template <class F> void for_each_part_of_gradient(F&& f) {
  using G = GradientObject;
  using S = GradientSizes;
#define ZWANG_PART(name, size, says) \
  f(                                 \
      #name, &G::name, &S::size, [](auto& x) -> auto& { return x.name; }, says)
  ZWANG_PART(q, nv, "(nv,) along q (+) d");
  ZWANG_PART(v, nv, "(nv,)");
  ZWANG_PART(tau, nv, "(nv,); 0 at prescribed coordinates");
  ZWANG_PART(prescribed, nv, "(nv,) by prescribed accelerations");
  ZWANG_PART(beta, rows, "(rows,)");
  ZWANG_PART(target, rows, "(rows,); 0 without stabilisation, and at rows whose position error is NaN");
  ZWANG_PART(target_velocity, rows, "(rows,)");
  ZWANG_PART(compliance, rows, "(rows,) of soft rows");
  ZWANG_PART(time_constant, constraints, "(constraints,) by the time_constant of each; 0 without stabilisation");
  ZWANG_PART(damping_ratio, constraints, "(constraints,) by the damping_ratio of each; 0 without stabilisation");
  ZWANG_PART(armature, nv, "(nv,) by the rotor inertia at each coordinate");
  ZWANG_PART(damping, nv, "(nv,) by the damping at each coordinate");
  ZWANG_PART(stiffness, nv, "(nv,) by the spring at each coordinate");
  ZWANG_PART(gravity, three, "(3,)");
  ZWANG_PART(inertial_parameters, parameters, "(10 links,) in the order of Model.inertial_parameters");
  ZWANG_PART(placement, joints,
             "(joints, 6) along X exp(d), X the joint's frame in its parent link, d = [shift; turn] in joint axes; NaN "
             "at joints that are merged into a body: build with lump=False to have them");
#undef ZWANG_PART
}
template <class V> void fields(V& v, Type<GradientObject>) {
  using T = GradientObject;
  v.record("InputGradient",
           "The gradient of a scalar by what a solve has read: Solver.vjp(). Of N states all arrays have a leading N.");
  for_each_part_of_gradient([&](const char* name, auto array, auto, auto, const char* says) { v(name, array, says); });
  v("asked", &T::asked, "wrt="), v("status", &T::status, "how it ended"), v("reason", &T::reason, "why");
  v("force", &T::force, "by generalised forces"), v("at", &T::at, "where it was taken");
}

struct VariationObject {
  nb::object status, reason;
  nb::object acceleration, multipliers, motor_torque;
};
template <class V> void fields(V& v, Type<VariationObject> type) {
  using T = VariationObject;
  v.record("SolutionVariation",
           "How a solution varies along a direction: Solver.jvp(). Of N states all arrays have a leading N.");
  v("acceleration", &T::acceleration, "(nv,)");
  v("multipliers", &T::multipliers, "(rows,)");
  v("motor_torque", &T::motor_torque, "(nv,)");
  outcome_fields(v, type);
}

/// Of one state.
struct GradientVariationObject {
  nb::object status, reason;
  nb::object q, v, tau, prescribed, beta;
};
template <class V> void fields(V& v, Type<GradientVariationObject> type) {
  using T = GradientVariationObject;
  v.record("GradientVariation", "How the gradient of a scalar varies along a direction: Solver.hvp().");
  v("q", &T::q, "(nv,) along q (+) d");
  v("v", &T::v, "(nv,)");
  v("tau", &T::tau, "(nv,); 0 at prescribed coordinates");
  v("prescribed", &T::prescribed, "(nv,) by prescribed accelerations");
  v("beta", &T::beta, "(rows,)");
  outcome_fields(v, type);
}

/// The same as float64, where it is not: for reading.
nb::object in_double(const nb::object& array);

/// By a wrench on a frame: of a vector of the solution, and of a scalar.
nb::object by_wrench(const JacobianObject& x, FrameGiven frame, const char* in);
nb::object by_wrench(const GradientObject& x, FrameGiven frame, const char* in);

/// The classes.
void bind_solution_derivatives(nb::module_& m);

}  // namespace zwang::python
