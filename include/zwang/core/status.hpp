// SPDX-License-Identifier: BSD-3-Clause
// Status: how a numerical call ended, for callers that take no exceptions.
#pragma once
#include "zwang/core/record.hpp"

namespace zwang {

/// Outcome of a call for real-time callers, instead of an exception. `overflow`: the input is finite, the result is not
/// (numbers beyond the range of double); the throwing calls throw ArithmeticOverflowError. `stopped`: the caller
/// stopped the call (SolverSettings::stop), or a batch before it reached this state. `not_differentiable`: the value is
/// there, its derivative is not. `drifted`: a motion went to its end, but its rows do not hold there.
enum class Status {
  ok,
  infeasible,
  singular_mass,
  not_converged,
  non_finite_input,
  invalid_input,
  overflow,
  not_differentiable,
  drifted,
  stopped
};
/// Whether a state with this status has results; a batch fills the results of all others with NaN.
constexpr bool has_result(Status s) {
  return s == Status::ok || s == Status::infeasible || s == Status::not_converged || s == Status::drifted;
}
/// The words of its values, in their order.
constexpr auto words_of(Type<Status>) {
  return std::array{
      "ok",       "infeasible",         "singular_mass", "not_converged", "non_finite_input", "invalid_input",
      "overflow", "not_differentiable", "drifted",       "stopped"};
}

}  // namespace zwang
