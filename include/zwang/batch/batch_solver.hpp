// SPDX-License-Identifier: BSD-3-Clause
// BatchSolver: constrained forward dynamics, and rollouts, of many states of one model with one set of constraints.
//
//   zwang::BatchSolver solver(model, constraints);
//   solver.solve({.q = q, .v = v, .tau = tau}, {.acceleration = a, .multipliers = lambda});
//
// The results of a state are those of Solver (solve/solver.hpp). States with independent rows and a regular mass
// matrix are solved in lanes, all others one at a time by a Solver, so that ranks, levels, conflicts and statuses have
// the same meaning. Equal to the bit for every number of threads, place in the batch and size of the batch.
#pragma once
#include "zwang/batch/batch.hpp"
#include "zwang/core/owned.hpp"
#include "zwang/question/impulse.hpp"

namespace zwang {

/// The states to solve at, and what acts there.
template <class T> struct BatchSolveInput {
  StatesIn<T> q;
  StatesIn<T> v = {}, tau = {};  ///< absent: zeros
  StatesIn<T> beta = {};         ///< rows of the set; absent: as the constraints say
  StatesIn<T> active = {};       ///< one number per constraint, 0: switched off; absent: as the constraints say
  BatchWrenches<T> external = {};
  std::vector<Index> prescribed = {};  ///< coordinates of the velocity whose accelerations are given
  StatesIn<T> prescribed_acceleration = {};
};
/// The outputs; those that are not given are not computed.
template <class T> struct BatchSolveOutput {
  StatesOut<T> acceleration = {}, multipliers = {}, motor_torque = {}, reaction = {};
};

/// How a rollout steps.
enum class RolloutIntegrator {
  semi_implicit,  ///< v += h q'', q = q (+) h v, with joint damping at the end of the step: order 1, one solve a step
  rk4,            ///< the classical Runge-Kutta method on the groups of the joints: order 4, four solves a step
};

/// k steps of length h: M(q) q'' + h(q, v) = tau + J^T lambda. Constraints act on accelerations; position drift is not
/// corrected. Torques, wrenches and prescribed accelerations are constant during a step.
template <class T> struct BatchRolloutInput {
  StatesIn<T> q;
  StatesIn<T> v = {};
  StatesIn<T> tau = {};  ///< nv numbers for all steps, or steps * nv
  Index steps = 1;
  double step = 1e-3;  ///< [s]
  RolloutIntegrator integrator = RolloutIntegrator::semi_implicit;
  StatesIn<T> active = {};
  BatchWrenches<T> external = {};
  std::vector<Index> prescribed = {};  ///< coordinates whose accelerations are given, for all steps
  StatesIn<T> prescribed_acceleration = {};
};
/// Where a rollout writes; what is empty is not written.
template <class T> struct BatchRolloutOutput {
  StatesOut<T> q = {}, v = {};  ///< at the end
  /// steps * nq, steps * nv: after each step. They must not share memory with the inputs (q and v above may).
  StatesOut<T> q_trajectory = {}, v_trajectory = {};
};

/// A row that states of a call violate, or a contact that pulls in them, as a warning says it of one (SolveWarning).
struct BatchWarning {
  SolveWarning::Kind kind;  ///< position_violates, velocity_violates, contact_pulls
  std::string row;
  long states;        ///< of those that have a result
  double largest;     ///< SolveWarning::value of largest size
  bool at_last_step;  ///< of a rollout: where its last step begins, after the first; else at the states that were given
  std::string text() const;
};

/// Impulses (question/impulse.hpp) of many states. Rows are those of the set.
template <class T> struct BatchImpulseInput {
  StatesIn<T> q;
  StatesIn<T> v = {};            ///< before; absent: at rest
  StatesIn<T> restitution = {};  ///< rows of the set; absent: 0
  StatesIn<T> target = {};       ///< rows of the set; absent: target_velocity
  Restitution model = Restitution::newton;
  StatesIn<T> impulse = {};  ///< of the motors; absent: zeros
  StatesIn<T> active = {};   ///< as in BatchSolveInput
  BatchWrenches<T> external = {};
  std::vector<Index> prescribed = {};  ///< coordinates whose change of velocity is given
  StatesIn<T> prescribed_change = {};
};
/// As in Impulse; `wrench` 6 and `energy` one number for each constraint, energies of the robot one number.
template <class T> struct BatchImpulseOutput {
  StatesOut<T> velocity = {}, multipliers = {}, motor_impulse = {}, reaction = {}, velocity_before = {},
               velocity_after = {}, residual = {}, wrench = {}, energy = {}, energy_before = {}, energy_after = {};
};

/// Workspace for solves and rollouts of many states; T: the numbers of the states.
template <class T> class BasicBatchSolver {
 public:
  /// Follows the set, like a Solver.
  BasicBatchSolver(const Model& model, const ConstraintSet& constraints, const SolverSettings& settings = {},
                   const BatchOptions& options = {});
  BasicBatchSolver(BasicBatchSolver&&) noexcept;
  BasicBatchSolver& operator=(BasicBatchSolver&&) noexcept;
  ~BasicBatchSolver();

  const Model& model() const;
  SolverSettings& settings();  ///< checked by the next call
  int threads() const;
  void reserve(long states);  ///< room for reports of this many states
  void on_progress(BatchProgress callback, void* context, double interval = 0.1);  ///< as in Batch
  void all_or_nothing(bool on);                                                    ///< as in Batch
  const BatchReport& report() const;
  /// States of the last call that were solved one at a time: near-singular ones, and all states if a constraint is
  /// custom or a setting is not supported in lanes (levels, drivers left out, methods on matrices ...).
  long solved_alone() const;

  /// Of the last solve() or rollout(), in the order of the set; of rollouts without contact_pulls. With float a row is
  /// violated by more than 1e-4, else by more than 1e-6 [m, rad; m/s, rad/s].
  std::vector<BatchWarning> warnings() const;

  const BatchReport& solve(const BatchSolveInput<T>& input, const BatchSolveOutput<T>& output);
  const BatchReport& rollout(const BatchRolloutInput<T>& input, const BatchRolloutOutput<T>& output);
  /// By Newton's restitution in lanes, as solve(); by another one state by state. A restitution outside [0, 1] is
  /// invalid_input of its state. all_or_nothing() does not concern this call.
  const BatchReport& impulse(const BatchImpulseInput<T>& input, const BatchImpulseOutput<T>& output);

  struct Impl;

 private:
  Owned<Impl> impl_;
};

using BatchSolver = BasicBatchSolver<double>;
using FloatBatchSolver = BasicBatchSolver<float>;

}  // namespace zwang
