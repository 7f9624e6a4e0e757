// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a solver's last solution, of one state; those of N states are in states_derivatives.cpp.
#include <mutex>

#include "bind.hpp"
#include "differentiated.hpp"
#include "solution_derivatives.hpp"
#include "states_question.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::python {
namespace {

ConstVector view(const Eigen::VectorXd& x) { return {x.data(), static_cast<Index>(x.size())}; }

/// Where the last solution of one state has been differentiated.
TakenAt taken_at(const SolverCore& core, Status status) {
  return std::make_shared<const WhereTaken>(WhereTaken{core.shared->robot, -1, core.q, {status}});
}
/// The last solve where it was of N states; null where it was of one.
std::shared_ptr<const AskedStates> asked_states(const SolverCore& core, const char* function) {
  if (core.of_states && core.asked == nullptr)
    throw std::logic_error(std::string(function) +
                           ": there is nothing to differentiate: the last solve, of N states, was refused or stopped; "
                           "call solve() first");
  return core.asked;
}

nb::object derivatives_of(const std::shared_ptr<SolverCore>& core, nb::handle progress) {
  if (const auto asked = asked_states(*core, "Solver.derivatives")) return asked->derivatives(*core, progress);
  std::unique_lock<SetMutex> lock(core->shared->mutex, std::defer_lock);
  Eigen::MatrixXd by_axes;
  const SolutionDerivatives& d = unlocked(
      lock, [&]() -> auto& {
        by_axes = turned(core->shared->robot, *core, by_turning_axes);
        return core->solver.derivatives();
      });
  const TakenAt at = taken_at(*core, d.status);
  const auto jacobian = [&](const SolutionJacobian& x) {
    Eigen::MatrixXd by_q = x.q;
    if (by_axes.size() > 0) by_q += by_generalised_force(d, x) * by_axes;
    return nb::cast(JacobianObject{matrix_of(by_q), matrix_of(x.v), matrix_of(x.tau), matrix_of(x.beta),
                                   &x == &d.motor_torque, at});
  };
  const auto rows = [&](const JacobianView& q, const JacobianView* v, const JacobianView* a) {
    return nb::cast(
        RowsObject{matrix_of(q), v != nullptr ? matrix_of(*v) : nb::none(), a != nullptr ? matrix_of(*a) : nb::none()});
  };
  return nb::cast(DerivativesObject{status_of(d), reason_of(d), jacobian(d.acceleration), jacobian(d.multipliers),
                                    jacobian(d.motor_torque), rows(d.residual.q, &d.residual.v, &d.residual.a),
                                    rows(d.velocity_error.q, &d.velocity_error.v, nullptr),
                                    rows(d.position_error.q, nullptr, nullptr)});
}

nb::object vjp_of(const std::shared_ptr<SolverCore>& core, const SolutionWeights& of, nb::handle progress) {
  if (const auto asked = asked_states(*core, "Solver.vjp")) return asked->vjp(*core, of, progress);
  const Index nv = core->shared->robot.model.nv(), rows = core->shared->set.rows();
  const Eigen::VectorXd a = one_vector("Solver.vjp", "acceleration", of.acceleration, nv),
                        l = one_vector("Solver.vjp", "multipliers", of.multipliers, rows),
                        t = one_vector("Solver.vjp", "motor_torque", of.motor_torque, nv);
  std::unique_lock<SetMutex> lock(core->shared->mutex, std::defer_lock);
  Eigen::VectorXd by_q;
  Eigen::MatrixXd by_placement;
  const InputGradient& g = unlocked(
      lock, [&]() -> auto& {
        const Eigen::MatrixXd axes_by_q = turned(core->shared->robot, *core, by_turning_axes),
                              axes_by_placement = turned(core->shared->robot, *core, by_axes_of_placements);
        const InputGradient& gradient = core->solver.vjp(
            {view(a), view(l), view(t)}, {is_asked(of.asked, "inertial_parameters"), is_asked(of.asked, "placement")});
        by_q = gradient.q;
        by_placement = gradient.placement;
        if (axes_by_q.size() > 0) by_q += axes_by_q.transpose() * gradient.force;
        if (axes_by_placement.size() > 0 && by_placement.size() > 0)
          Eigen::Map<Eigen::VectorXd>(by_placement.data(), by_placement.size()) +=
              axes_by_placement.transpose() * gradient.force;
        return gradient;
      });
  GradientObject made;
  made.asked = of.asked, made.status = status_of(g), made.reason = reason_of(g);
  for_each_part_of_gradient([&](const char*, nb::object GradientObject::*array, auto, auto member, const char*) {
    const auto& x = member(g);
    made.*array = x.cols() == 1 ? new_array(x.data(), static_cast<Index>(x.size())) : matrix_of(x.transpose());
  });
  made.q = vector_of(by_q);
  made.placement = matrix_of(by_placement.transpose());
  made.force = vector_of(g.force);
  made.at = taken_at(*core, g.status);
  return nb::cast(std::move(made));
}

nb::object jvp_of(SolverCore& core, const InputDirection& along, nb::handle progress) {
  if (const auto asked = asked_states(core, "Solver.jvp")) return asked->jvp(core, along, progress);
  const Index nv = core.shared->robot.model.nv(), rows = core.shared->set.rows();
  const Eigen::VectorXd q = one_vector("Solver.jvp", "q", along.q, nv), v = one_vector("Solver.jvp", "v", along.v, nv),
                        tau = one_vector("Solver.jvp", "tau", along.tau, nv),
                        beta = one_vector("Solver.jvp", "beta", along.beta, rows);
  std::unique_lock<SetMutex> lock(core.shared->mutex, std::defer_lock);
  const SolutionVariation& x = unlocked(
      lock, [&]() -> auto& {
        Eigen::VectorXd force;
        if (q.size() > 0)
          if (const Eigen::MatrixXd by_axes = turned(core.shared->robot, core, by_turning_axes); by_axes.size() > 0)
            force = by_axes * q;
        return core.solver.jvp({view(q), view(v), view(tau), view(beta), view(force)});
      });
  return nb::cast(VariationObject{status_of(x), reason_of(x), vector_of(x.acceleration), vector_of(x.multipliers),
                                  vector_of(x.motor_torque)});
}

nb::object hvp_of(SolverCore& core, const InputDirection& along, const SolutionWeights& of) {
  if (core.of_states)
    throw std::logic_error("Solver.hvp: the last solve was of N states; it answers for a solve of one state");
  const Index nv = core.shared->robot.model.nv(), rows = core.shared->set.rows();
  const auto vector = [&](const char* name, nb::handle x, Index size) {
    return one_vector("Solver.hvp", name, x, size);
  };
  const Eigen::VectorXd q = vector("q", along.q, nv), v = vector("v", along.v, nv), tau = vector("tau", along.tau, nv),
                        beta = vector("beta", along.beta, rows), a = vector("acceleration", of.acceleration, nv),
                        l = vector("multipliers", of.multipliers, rows),
                        t = vector("motor_torque", of.motor_torque, nv);
  std::unique_lock<SetMutex> lock(core.shared->mutex, std::defer_lock);
  bool turning = false;
  const GradientVariation& x = unlocked(
      lock, [&]() -> auto& {
        turning = !core.turning.empty();
        return core.solver.hvp({view(q), view(v), view(tau), view(beta)}, {view(a), view(l), view(t)});
      });
  if (turning) {
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(nv), no_rows = Eigen::VectorXd::Zero(rows);
    return nb::cast(GradientVariationObject{nb::cast(Status::not_differentiable),
                                            nb::cast("a wrench turns with the axes of another frame"), vector_of(none),
                                            vector_of(none), vector_of(none), vector_of(none), vector_of(no_rows)});
  }
  return nb::cast(GradientVariationObject{status_of(x), reason_of(x), vector_of(x.q), vector_of(x.v), vector_of(x.tau),
                                          vector_of(x.prescribed), vector_of(x.beta)});
}

}  // namespace

#define ZWANG_OF_STATES                                                                                            \
  "\n\nAfter a solve of N states: of all of them, with a leading N, from the inputs that the solve had. Each is\n" \
  "solved again, on the threads of a batch, one at a time. status is then uint8 (N,), reason a list. progress:\n"  \
  "True, a callable (done, total) or ProgressEvery. Ctrl-C stops."

void bind_solver_derivatives(nb::module_& m, ClassOf<SolverObject>& c) {
  bind_solution_derivatives(m);
  c.def(
      ZWANG_SIGNATURE("def derivatives(self, *, progress: Progress = None) -> SolutionDerivatives"),
      [](const SolverObject& s, nb::handle progress) { return derivatives_of(s.core, progress); },
      "Derivatives of the last solution by q, v, tau and beta: accelerations, multipliers, motor torques; and of what\n"
      "its rows say of the state.\n\n"
      "At the factor that the solve left, whatever method solved; dependent rows at constant rank. Where there is no\n"
      "derivative, status is not_differentiable, reason says why, and the numbers are 0: contradictory rows, a rank "
      "that\n"
      "changes at the state, rows written by the user. Raises RuntimeError where no solve left a "
      "factorisation." ZWANG_OF_STATES);
  c.def(
      ZWANG_SIGNATURE("def vjp(self, *, acceleration: Vector | None = None, multipliers: Vector | None = None, "
                      "motor_torque: Vector | None = None, wrt: str | Sequence[str] | None = None, "
                      "progress: Progress = None) -> InputGradient"),
      [](const SolverObject& s, nb::handle acceleration, nb::handle multipliers, nb::handle motor_torque,
         nb::handle wrt, nb::handle progress) {
        return vjp_of(s.core, {acceleration, multipliers, motor_torque, asked_parts(wrt)}, progress);
      },
      "The gradient of a scalar by what the last solve has read, from its gradient by the solution: acceleration "
      "(nv,),\n"
      "multipliers (rows,), motor_torque (nv,); None: zeros. Of N states (N, nv) and (N, rows), or one for all. One\n"
      "right-hand side and a sweep of O(n): no matrix. `wrt` names the attributes of the result that are wanted, as "
      "(\"q\", \"tau\"); inertial_parameters and placement cost most. What has no "
      "derivative has the status "
      "not_differentiable." ZWANG_OF_STATES);
  c.def(
      ZWANG_SIGNATURE("def jvp(self, *, q: Vector | None = None, v: Vector | None = None, tau: Vector | None = None, "
                      "beta: Vector | None = None, progress: Progress = None) -> SolutionVariation"),
      [](const SolverObject& s, nb::handle q, nb::handle v, nb::handle tau, nb::handle beta, nb::handle progress) {
        return jvp_of(*s.core, {q, v, tau, beta}, progress);
      },
      "How the last solution varies along a direction of its inputs: q (nv,) as a tangent increment, v (nv,), tau "
      "(nv,),\n"
      "beta (rows,); None: zeros. Of N states with a leading N, or one for all. One right-hand side and a sweep of "
      "O(n)." ZWANG_OF_STATES);
  c.def(
      ZWANG_SIGNATURE(
          "def hvp(self, *, q: Vector | None = None, v: Vector | None = None, tau: Vector | None = None, "
          "beta: Vector | None = None, acceleration: Vector | None = None, multipliers: Vector | None = None, "
          "motor_torque: Vector | None = None) -> GradientVariation"),
      [](const SolverObject& s, nb::handle q, nb::handle v, nb::handle tau, nb::handle beta, nb::handle acceleration,
         nb::handle multipliers, nb::handle motor_torque) {
        return hvp_of(*s.core, {q, v, tau, beta}, {acceleration, multipliers, motor_torque});
      },
      "How the gradient of a scalar of the last solution, of one state, varies along a direction: its Hessian by q, "
      "v,\n"
      "tau and beta times (q, v, tau, beta), a direction as jvp takes it. The scalar is acceleration . q'' +\n"
      "multipliers . lambda + motor_torque . motor torques, weights as vjp takes them; None: zeros. By dual numbers,\n"
      "exact to rounding; three right-hand sides and sweeps of O(n). Increments of q on the right, the direction\n"
      "differentiated last: within a joint whose increments do not commute the Hessian is not symmetric. Multipliers "
      "of\n"
      "dependent rows, and wrenches in the axes of another frame, have the status not_differentiable.");
}

}  // namespace zwang::python
