// SPDX-License-Identifier: BSD-3-Clause
// What a Solver owns: the workspace of the sweep, the root solver, the results.
#pragma once
#include "constraint/constraint_state.hpp"
#include "dynamics/instances.hpp"
#include "zwang/dynamics/solver.hpp"

namespace zwang {

struct SolverImpl {
  SolverImpl(const Model& model, const ConstraintSet& set, const SolverSettings& settings);

  const std::vector<Constraint>& constraints() const { return set.constraints(); }

  // The steps of a solve, in this order.
  bool gather(bool throws);  ///< active constraints, sorted by body; false where one was changed to nonsense
  void sweep(const SolveInput& input);
  void publish(const double* tau);  ///< forces, residuals, wrenches
  void report();
  void warn(const double* tau);
  bool finite() const;
  void refuse(Status status, const char* argument);

  Data data;
  ConstraintSet set;  ///< shares its state with the user's
  SolverSettings settings;
  Index capacity;
  Index added;                   ///< constraints in the set when the solver was made
  unsigned version;              ///< of the set then
  std::vector<Index> by_body;    ///< constraints sorted by body, then by insertion
  std::vector<Index> first_row;  ///< of each constraint, in order of insertion
  std::vector<Index> bodies;     ///< of each constraint when the solver was made
  bool look_ahead;               ///< some rows follow the axes of a body that the sweep enters later

  page::RowStage<double> rows;
  RankRevealing root;
  std::vector<page::ActiveRows<double>> active;
  Buffer<Index> row_of;                                ///< [m] the user's row behind each row of the sweep
  Buffer<Index> sweep_row;                             ///< [rows of the set] and back; -1 inactive
  Buffer<Index> order;                                 ///< active rows of the sweep in the user's order
  Buffer<double> size, lambda_sweep;                   ///< [m] in the order of the sweep
  Buffer<double> tau, total;                           ///< [nv]
  Buffer<Force<double>> driver_force, physical_force;  ///< [n + 1]
  std::unique_ptr<bool[]> dependent;
  double free_motion = 0;  ///< |q''|_M without rows

  Buffer<double> acceleration, lambda, motor_torque, reaction, articulated, residual, relative, wrench;
  Solution solution;
};

}  // namespace zwang
