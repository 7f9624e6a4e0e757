// SPDX-License-Identifier: BSD-3-Clause
// The derivatives of a Solver's solution: the public calls and their checks.
#include "question/derivatives/second_order.hpp"
#include "solve/solver_calls.hpp"

namespace zwang {
namespace {

/// Ready to solve at the factor of the last solve. Where that has failed there is none: the derivatives have a status.
void prepare_derivatives(SolverParts& s, const char* function) {
  if (s.solution.report.status == Status::ok) check_factor(s, function);
  read_again(s);
  if (s.factor == nullptr) return;
  s.prepare_right_hand_sides(function);
  if (!s.is_stabilised_as_solved())
    throw WorkspaceMismatch(std::string(function) +
                            ": other time constants or damping ratios than in the last solve; call solve() first");
}
void check(const SolverParts& s, const char* function, const SolutionGradient& of) {
  const Index nv = s.problem.state.data.tree().nv;
  check_vector(function, "acceleration", of.acceleration, nv);
  check_vector(function, "multipliers", of.multipliers, s.problem.layout.rows());
  check_vector(function, "motor_torque", of.motor_torque, nv);
}
void check(const SolverParts& s, const char* function, const InputVariation& along) {
  const Index nv = s.problem.state.data.tree().nv;
  check_vector(function, "q", along.q, nv);
  check_vector(function, "v", along.v, nv);
  check_vector(function, "tau", along.tau, nv);
  check_vector(function, "beta", along.beta, s.problem.layout.rows());
  check_vector(function, "force", along.force, nv);
}

}  // namespace

const SolutionDerivatives& Solver::derivatives() {
  SolverParts& s = ready(parts_, "Solver::derivatives");
  prepare_derivatives(s, "Solver::derivatives");
  const Busy busy(s);
  return s.questions.find_or_make<Linearised>(s).whole();
}
const InputGradient& Solver::vjp(const SolutionGradient& of) { return vjp(of, {}); }
const InputGradient& Solver::vjp(const SolutionGradient& of, const GradientParts& wrt) {
  constexpr const char* function = "Solver::vjp";
  SolverParts& s = ready(parts_, function);
  prepare_derivatives(s, function);
  check(s, function, of);
  const Busy busy(s);
  return s.questions.find_or_make<Linearised>(s).from_the_left(of, wrt);
}
const SolutionVariation& Solver::jvp(const InputVariation& along) {
  constexpr const char* function = "Solver::jvp";
  SolverParts& s = ready(parts_, function);
  prepare_derivatives(s, function);
  check(s, function, along);
  const Busy busy(s);
  return s.questions.find_or_make<Linearised>(s).from_the_right(along);
}
const GradientVariation& Solver::hvp(const InputVariation& along, const SolutionGradient& of) {
  constexpr const char* function = "Solver::hvp";
  SolverParts& s = ready(parts_, function);
  prepare_derivatives(s, function);
  check(s, function, along);
  check(s, function, of);
  const Busy busy(s);
  return s.questions.find_or_make<SecondOrder>(s)(along, of);
}

}  // namespace zwang
