// SPDX-License-Identifier: BSD-3-Clause
// BatchDerivatives: derivatives of the solutions of many states of one model with one set of constraints.
//
//   zwang::BatchDerivatives derivatives(model, constraints);
//   derivatives.vjp({.q = q, .v = v, .tau = tau}, {.acceleration = weights}, {.q = by_q, .tau = by_tau});
//
// Equations, shapes and what is held are those of question/derivatives.hpp; a matrix of one state lies in its row, row
// after row. Each thread has a Solver of its own and takes a fixed contiguous range; it solves and differentiates one
// state after the other, to the bits of a fresh Solver.
//
// vjp() is computed in SIMD lanes, of double for float states, too, where BatchSolver::solve() uses lanes, all rows are
// hard and each acts on a single body, and no coordinate is prescribed or shared; weights of motor torques only without
// driver rows. States whose rows are near-singular are left to the Solver, as BatchSolver::solve() does. What lanes
// answer differs from a Solver's numbers by rounding times the condition of the problem. All numbers are equal to the
// bit for every number of threads, place in the batch and size of the batch. Outputs that are not given are not
// written.
//
// A state that cannot be differentiated is Status::not_differentiable or overflow, its numbers are 0, and reason() says
// why. Where its inputs or the weights are refused, or nobody came to it, it has that status and NaN. A call allocates
// nothing once earlier ones have had as many states and wrenches and the same set.
#pragma once
#include <string_view>

#include "zwang/batch/batch_solver.hpp"
#include "zwang/core/owned.hpp"

namespace zwang {

/// A part of the solution by q, v, tau and beta, of all states.
template <class T> struct BatchSolutionJacobian {
  StatesOut<T> q = {}, v = {}, tau = {};  ///< size x nv
  StatesOut<T> beta = {};                 ///< size x rows
};
/// Rows by q.
template <class T> struct BatchRowsByPosition {
  StatesOut<T> q = {};
};
/// Rows by q and v.
template <class T> struct BatchRowsByVelocity {
  StatesOut<T> q = {}, v = {};
};
/// Rows by q, v and a.
template <class T> struct BatchRowsByAcceleration {
  StatesOut<T> q = {}, v = {}, a = {};
};
/// Results, as in SolutionDerivatives.
template <class T> struct BatchSolutionDerivatives {
  BatchSolutionJacobian<T> acceleration = {}, multipliers = {}, motor_torque = {};
  BatchRowsByAcceleration<T> residual = {};
  BatchRowsByVelocity<T> velocity_error = {};
  BatchRowsByPosition<T> position_error = {};
};

/// The weights of the solution in a scalar, of each state or for all; absent: zeros.
template <class T> struct BatchSolutionGradient {
  StatesIn<T> acceleration = {}, multipliers = {}, motor_torque = {};
};
/// Results, as in InputGradient; `placement` is joints x 6, `gravity` 3 numbers.
template <class T> struct BatchInputGradient {
  StatesOut<T> q = {}, v = {}, tau = {}, prescribed = {}, force = {}, beta = {}, target = {}, target_velocity = {},
               compliance = {}, time_constant = {}, damping_ratio = {}, armature = {}, damping = {}, stiffness = {},
               gravity = {}, inertial_parameters = {}, placement = {};
};

/// A direction in which inputs vary, of each state or for all; absent: they do not.
template <class T> struct BatchInputVariation {
  StatesIn<T> q = {}, v = {}, tau = {}, beta = {}, force = {};
};
/// Results, as in SolutionVariation.
template <class T> struct BatchSolutionVariation {
  StatesOut<T> acceleration = {}, multipliers = {}, motor_torque = {};
};

/// Workspace for the derivatives of solutions of many states; T: the numbers of the states.
template <class T> class BasicBatchDerivatives {
 public:
  /// Follows the set, like a Solver.
  BasicBatchDerivatives(const Model& model, const ConstraintSet& constraints, const SolverSettings& settings = {},
                        const BatchOptions& options = {});
  BasicBatchDerivatives(BasicBatchDerivatives&&) noexcept;
  BasicBatchDerivatives& operator=(BasicBatchDerivatives&&) noexcept;
  ~BasicBatchDerivatives();

  const Model& model() const;
  SolverSettings& settings();  ///< checked by the next call
  int threads() const;
  void reserve(long states);  ///< room for reports of this many states
  void on_progress(BatchProgress callback, void* context, double interval = 0.1);  ///< as in Batch
  void set_gravity(const Vec3<double>& gravity);  ///< of the next calls; at first that of the model
  const BatchReport& report() const;
  /// Why a state of the last call has no derivative, or empty. Throws std::out_of_range.
  std::string_view reason(long state) const;

  /// States of the last call that were left to a Solver: all of them where lanes do not serve.
  long solved_alone() const;

  // They throw std::invalid_argument for wrong sizes, and what BatchSolver::solve() throws for a set or settings that
  // are not valid.
  const BatchReport& derivatives(const BatchSolveInput<T>& input, const BatchSolutionDerivatives<T>& output);
  const BatchReport& vjp(const BatchSolveInput<T>& input, const BatchSolutionGradient<T>& of,
                         const BatchInputGradient<T>& output);
  const BatchReport& jvp(const BatchSolveInput<T>& input, const BatchInputVariation<T>& along,
                         const BatchSolutionVariation<T>& output);

  struct Impl;

 private:
  Owned<Impl> impl_;
};

using BatchDerivatives = BasicBatchDerivatives<double>;
using FloatBatchDerivatives = BasicBatchDerivatives<float>;

}  // namespace zwang
