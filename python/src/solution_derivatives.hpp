// SPDX-License-Identifier: BSD-3-Clause
// What Solver.derivatives, vjp, jvp and hvp return, of one state or of N.
#pragma once
#include "call.hpp"
#include "fields.hpp"
#include "frames.hpp"

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

/// Derivatives of one vector of the solution. Arrays: (size, columns), of N states (N, size, columns).
struct JacobianObject {
  nb::object q = {}, v = {}, tau = {}, beta = {};
  bool of_motors = false;  ///< motors at prescribed coordinates answer for forces that are no motor's
  TakenAt at = {};
  template <class A> void fields(A& a) { a(q), a(v), a(tau), a(beta), a(of_motors), a(at); }
  void check(const Pickled& read) const { check_taken(at, read); }
};
/// Of what rows say of a state; empty where it does not depend on that.
struct RowsObject {
  nb::object q = {}, v = {}, a = {};
  template <class A> void fields(A& x) { x(q), x(v), x(a); }
};
struct DerivativesObject {
  nb::object status, reason;
  nb::object acceleration, multipliers, motor_torque, residual, velocity_error, position_error;
  template <class A> void fields(A& a) {
    a(status), a(reason), a(acceleration), a(multipliers), a(motor_torque), a(residual), a(velocity_error),
        a(position_error);
  }
};
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
  template <class A> void fields(A& a) {
    a(asked), a(status), a(reason), a(q), a(v), a(tau), a(prescribed), a(beta), a(target), a(target_velocity),
        a(compliance);
    a(time_constant), a(damping_ratio), a(armature), a(damping), a(stiffness), a(gravity), a(inertial_parameters);
    a(placement), a(force), a(at);
  }
  void check(const Pickled& read) const { check_taken(at, read); }
};
struct VariationObject {
  nb::object status, reason;
  nb::object acceleration, multipliers, motor_torque;
  template <class A> void fields(A& a) { a(status), a(reason), a(acceleration), a(multipliers), a(motor_torque); }
};
/// How a gradient varies along a direction, of one state.
struct GradientVariationObject {
  nb::object status, reason;
  nb::object q, v, tau, prescribed, beta;
  template <class A> void fields(A& a) { a(status), a(reason), a(q), a(v), a(tau), a(prescribed), a(beta); }
};

/// The same as float64, where it is not: for reading.
nb::object in_double(const nb::object& array);

/// By a wrench on a frame: of a vector of the solution, and of a scalar.
nb::object by_wrench(const JacobianObject& x, FrameGiven frame, const char* in);
nb::object by_wrench(const GradientObject& x, FrameGiven frame, const char* in);

/// The classes.
void bind_solution_derivatives(nb::module_& m);

}  // namespace zwang::python
