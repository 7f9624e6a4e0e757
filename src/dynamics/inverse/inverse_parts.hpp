// SPDX-License-Identifier: BSD-3-Clause
// InverseParts: what a ConstrainedInverseDynamics holds, and the steps of a solve.
//
//   unknown: a, tau at motors, lambda of the physical hard rows
//   force_span     the columns of J, without motors first: which equations of motion the rows can carry
//   motion_span    rows, then equations of motion that nobody carries, then driver rows, then demands
// Both work in mass-scaled numbers, alpha_i = sqrt(M_ii) a_i and multipliers times the length of their row there, so
// that tolerances do not depend on units.
// Cost: O((rows + nv) nv^2). Allocates nothing after construction.
#pragma once
#include "dynamics/dense/cone_program.hpp"
#include "dynamics/dense/reflections.hpp"
#include "dynamics/dense/row_span.hpp"
#include "dynamics/problem/evaluated_rows.hpp"
#include "zwang/dynamics/constrained_inverse_dynamics.hpp"

namespace zwang {

/// The numbers of the robot at the state, and the rows by what they are.
struct InverseProblem {
  InverseProblem(Index nv, Index rows);
  Buffer<double> M, Msoft;               ///< [nv x nv]; with the soft rows: M + J^T R^-1 J
  Buffer<double> h, hsoft;               ///< [nv]; h - J^T R^-1 gamma
  Buffer<double> wish, weight;           ///< [nv] a*, sqrt(w)
  Buffer<double> column;                 ///< [nv] 1 / sqrt(M_ii): a = column alpha
  Buffer<double> length, inverse;        ///< [rows] of a row in mass-scaled terms; inverse of that, or 1
  Buffer<Index> physical, soft, driver;  ///< [rows] of EvaluatedRows; the first and last by priority
  Index physical_rows = 0, soft_rows = 0, driver_rows = 0;
  double scale = 0;     ///< of accelerations, mass-scaled: what gravity, velocities and demands ask for
  double open = 0;      ///< largest openness of a physical row
  bool in_mass = true;  ///< the nearest motion was found in the metric of M, not of its diagonal
};

/// What a condition in motion_span is.
struct Condition {
  MotionTerm::Kind kind;
  Index index;  ///< of EvaluatedRows, or coordinate
};

/// Cones of contacts at this solve.
struct ForceCones {
  explicit ForceCones(Index rows) : program(rows, rows), first(rows + 1), mu(rows + 1) {}
  dense::ConeProgram program;
  Buffer<Index> first;  ///< [count] its first row in InverseProblem::physical; rows follow
  Buffer<double> mu;
  Index count = 0;
  bool active = false;  ///< the forces are those of the program
  dense::ConeOutcome outcome = dense::ConeOutcome::optimal;
};

struct InverseParts {
  InverseParts(const Model& model, const ConstraintSet& set, std::vector<bool> actuated, const InverseSettings& s);

  void solve(const InverseInput& input);
  void refuse(Status status, std::string_view what);

  EvaluatedRows rows;
  InverseSettings settings;
  std::vector<bool> actuated;
  InverseProblem problem;
  dense::RowSpan force_span, motion_span;
  Buffer<Index> coordinate;                     ///< [nv] of the rows of force_span: without motors first
  Buffer<Condition> condition;                  ///< [rows of motion_span]
  Buffer<double> condition_scale, target, met;  ///< of the rows of motion_span: scale, right-hand side, what is met
  Buffer<double> work, more;                    ///< [nv + rows]
  dense::Reflections least_squares;             ///< [nv + rows] x [rows]
  Buffer<double> matrix, right;                 ///< [nv x nv], [nv]: normal equations of demands
  Buffer<double> a, tau, lambda, multipliers, reaction, forces;  ///< the last: M a + h
  InverseSolution solution;
  ForceCones cones;
  bool busy = false;

 private:
  // inverse_problem.cpp
  void read(const InverseInput& input);
  void needed_torques(const double* acceleration, double* out);
  void sort_rows();
  void add_soft_rows();
  // inverse_motion.cpp
  void span_forces();
  void span_motion();
  void add_row(Index row);
  void add_condition(Index row);
  void move();
  void move_by_penalty();
  void nearest(Index first, Index end, bool demanded);
  bool solve_normal_equations(Index n);
  // inverse_forces.cpp
  void choose_forces(const InverseInput& input);
  Index carry();
  void choose(const InverseInput& input, Index first, Index end, double torque, double force);
  void publish();
  // inverse_cones.cpp
  void find_cones();
  double outside(Index cone) const;
  void obey_cones(const InverseInput& input, Index decided);
  // inverse_report.cpp
  void certify(const InverseInput& input);
  void check_equations();
  void find_outside();
  void find_missed();
  void find_conflict(Index row);
  double motion_gradient();
  double force_gradient(const InverseInput& input) const;
};

}  // namespace zwang
