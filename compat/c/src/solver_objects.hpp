// SPDX-License-Identifier: BSD-3-Clause
// What the handles of sets, solvers and motions stand for.
#pragma once
#include <memory>
#include <optional>

#include "objects.hpp"
#include "zwang/batch/batch_solver.hpp"
#include "zwang/simulation/simulator.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::c {

/// What solvers, which follow their set, share with it: a call of theirs reads it.
struct SetGate : Gate {
  Index rows = 0;
};
struct SetObject : Object {
  static constexpr Kind k_kind = Kind::constraints;
  explicit SetObject(ConstraintSet s) : set(std::move(s)), gate(std::make_shared<SetGate>()) {
    gate->rows = set.rows();
  }
  ConstraintSet set;
  std::shared_ptr<SetGate> gate;
};

/// What acts in a solve besides torques.
struct Acting {
  explicit Acting(const Model& model);
  /// Checks and reads; `states`: how many the wrenches may be given for.
  void read(const Model& model, const zwang_wrench* wrenches, std::size_t count, std::size_t states);
  void read(const Model& model, const int* coordinates, const double* accelerations, std::size_t count);
  std::vector<zwang_wrench> wrenches;
  Externals external;
  Prescribed prescribed;
};

struct SolverObject : Object {
  static constexpr Kind k_kind = Kind::solver;
  SolverObject(const SetObject& of, const SolverSettings& settings)
      : set_gate(of.gate),
        solver(of.set.model(), of.set, settings),
        acting(of.set.model()) {}
  std::shared_ptr<SetGate> set_gate;
  Gate gate;
  Solver solver;
  Acting acting;
  bool solved = false;       // there is a solution
  std::vector<double> room;  // of matrices
};

struct BatchSolverObject : Object {
  static constexpr Kind k_kind = Kind::batch_solver;
  BatchSolverObject(const SetObject& of, int threads)
      : set_gate(of.gate),
        solver(of.set.model(), of.set, {}, {.threads = threads}),
        acting(of.set.model()) {}
  std::shared_ptr<SetGate> set_gate;
  Gate gate;
  BatchSolver solver;
  Acting acting;
};

/// A named vector of a solution, or of the part of a constraint.
template <class S> struct SolutionVector {
  const char* word;
  VectorView S::*vector;
};
inline constexpr SolutionVector<Solution> k_solution_vectors[] = {
    {"acceleration", &Solution::acceleration},
    {"multipliers", &Solution::multipliers},
    {"motor_torque", &Solution::motor_torque},
    {"reaction", &Solution::reaction},
    {"articulated_constraint_torque", &Solution::articulated_constraint_torque},
    {"residual", &Solution::residual},
    {"position_error", &Solution::position_error},
    {"velocity_error", &Solution::velocity_error}};
inline constexpr SolutionVector<ConstraintSolution> k_constraint_vectors[] = {
    {"multipliers", &ConstraintSolution::multipliers},
    {"wrench", &ConstraintSolution::wrench},
    {"residual", &ConstraintSolution::residual},
    {"position_error", &ConstraintSolution::position_error},
    {"velocity_error", &ConstraintSolution::velocity_error}};
inline constexpr SolutionVector<SimulationState> k_state_vectors[] = {{"q", &SimulationState::q},
                                                                      {"v", &SimulationState::v},
                                                                      {"acceleration", &SimulationState::acceleration},
                                                                      {"multipliers", &SimulationState::multipliers}};

}  // namespace zwang::c
