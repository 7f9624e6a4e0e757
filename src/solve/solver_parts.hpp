// SPDX-License-Identifier: BSD-3-Clause
// The members of a Solver: the problem, the factors, the answer, its certificate and the numbers that users read. The
// steps of a solve are in solve.cpp.
#pragma once
#include <memory>

#include "factor/factors.hpp"
#include "solve/bounded_solve.hpp"
#include "solve/questions.hpp"
#include "solve/solution_numbers.hpp"

namespace zwang {

struct SolverParts {
  SolverParts(const Model& model, const ConstraintSet& set, const SolverSettings& settings);
  ~SolverParts();

  // solve.cpp
  void check_settings();
  void read();  ///< reads the set and the settings as they are now; throws if they are not valid
  void solve(const SolveInput& input);
  void solve_stated();  ///< solves the problem as set
  /// Solves for the rows as read, certifies and publishes the answer.
  void solve_by(const RowPolicy& policy);
  /// The same where bounds of forces are asked for.
  void solve_forces_by(const RowPolicy& policy);
  /// Where W has decided, refines multipliers, up to six times, until the motion follows from them; not_converged where
  /// more than the tolerance of feasibility of the equations of motion is left.
  void settle_forces(const RowPolicy& policy);
  bool is_stopped();
  bool can_resolve() const;
  void resolve(const ResolveInput& input);
  void refuse(Status status, const char* argument);
  void refuse_massless(Index coordinate);
  void warn();  ///< where rows have bounds: after the forces of rows at their limit are in the solution
  /// The last solve left a factor, of the rows as they have been read since, and nobody has written to its Data.
  bool has_factor() const {
    return factor != nullptr && last_.reading == problem.rows.reading &&
           (problem.state.data.stages & stage_factor) != 0;
  }
  /// The rows are stabilised as they were in the last solve or resolve.
  bool is_stabilised_as_solved() const { return last_.stabilisation == problem.rows.stabilisation; }
  /// Reads the rows again, for right-hand sides on the factor of the last solve. Throws where it does not serve them.
  void prepare_right_hand_sides(const char* function);
  RightHandSides& right_hand_sides() { return sides_; }  ///< for calls of `factor` from outside

  // columns.cpp
  void solve_columns(MatrixIn tau, MatrixIn beta, MatrixOut acceleration, MatrixOut multipliers);
  enum class Operator { inertia, pseudo_inverse, projector };
  void operator_columns(MatrixOut out, Operator which);

  BoundedSolve& make_bounded();
  bool is_limited() const { return bounded != nullptr && problem.rows.traits.bounded && bounded->is_limited(); }
  void forget_bounds() {
    if (bounded != nullptr) bounded->forget();
  }

  SolverSettings settings;
  OwnProblem problem;
  const Method* method;  ///< named by the settings
  Factors factors;
  Factor* factor = nullptr;           ///< of the last solve; nullptr: it left none
  const Method* solved_by = nullptr;  ///< method asked for in the last solve
  bool busy = false;                  ///< a call is in progress, which may be evaluating rows of the user
  Answer answer;
  Certificate certificate;
  SolutionNumbers numbers;
  Solution solution;
  const char* border = nullptr;  ///< why the solution has no derivative: a row is at the border of its conditions
  Questions questions;           ///< asked of its solutions
  std::unique_ptr<BoundedSolve> bounded;  ///< rows with a sense or a limit; nullptr where there have been none

 private:
  void bind_rows();
  void read_rows_again(const char* function);
  void state_right_hand_side();
  void solve_as_given(const RowPolicy& policy);
  void finish(const RowPolicy& policy);
  bool solve_by_paths(const RowPolicy& policy);
  void refine(const RowPolicy& policy, bool keeps_motion = false);
  bool solve_better(const RowPolicy& policy);
  bool may_travel(const RowPolicy& policy) const;
  bool holds_soft_rows(const RowPolicy& policy);
  void refuse_singular(const RowPolicy& policy, Index coordinate);
  void ask_of_operator(Operator which, Index column, Index lane);
  void solve_sides(const RowPolicy& policy);

  /// What the factor and the solution belong to.
  struct LastSolve {
    unsigned reading = 0;             ///< whose rows the factor holds
    std::uint64_t stabilisation = 0;  ///< Rows::stabilisation of the solution
    double tolerance = 0;             ///< of the rank
    bool refined = false;             ///< its answer has been refined
  };
  LastSolve last_;
  unsigned accepted_ = 0;  ///< the reading that the factor has been chosen for
  RightHandSides sides_;
  Buffer<double> bias_;                ///< [nv] h
  Buffer<double> left_out_;            ///< [m] of the published solution, while columns are solved
  Buffer<double> residual_;            ///< [m] l of the rows as the set has them now
  Buffer<double> multiplier_, scale_;  ///< [m] of hard rows, before refinement
  Buffer<Index> active_row_;           ///< [m] active rows of the sweep in the user's order
};

}  // namespace zwang
