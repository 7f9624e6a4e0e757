// SPDX-License-Identifier: BSD-3-Clause
// InverseParts: what a ConstrainedInverseDynamics holds, and the steps of a solve.
//
//   unknown: a, u of the motors, lambda of the physical hard rows
//   force_span     J^T by equations of motion, without motors first: which of them the rows can carry
//   motion_span    rows, then equations of motion that neither motors nor rows carry, then driver rows, then demands
// Both work in mass-scaled numbers, alpha_i = sqrt(M_ii) a_i and multipliers times the length of their row there, so
// that tolerances do not depend on units.
// Cost: O((rows + nv) nv^2). Allocates nothing after construction.
#pragma once
#include "choose/active_set.hpp"
#include "linear/cone_program.hpp"
#include "linear/reflections.hpp"
#include "linear/row_span.hpp"
#include "question/inverse/motors.hpp"
#include "rows/evaluated_rows.hpp"
#include "zwang/question/constrained_inverse_dynamics.hpp"

namespace zwang {

/// The numbers of the robot at the state, and the rows by what they are.
struct InverseProblem {
  InverseProblem(Index nv, Index rows, Index motors);
  Buffer<double> M, Msoft;               ///< [nv x nv]; with the soft rows: M + J^T R^-1 J
  Buffer<double> h, hsoft;               ///< [nv]; h - J^T R^-1 gamma
  Buffer<double> wish, weight;           ///< [nv] a*, sqrt(w)
  Buffer<double> motor_wish;             ///< [nu] u*
  Buffer<double> lower, upper;           ///< [nu] bounds of u
  Buffer<double> pull;                   ///< [reach x rows] Y J^T of the physical rows
  Buffer<double> column;                 ///< [nv] 1 / sqrt(M_ii): a = column alpha
  Buffer<double> length, inverse;        ///< [rows] of a row in mass-scaled terms; inverse of that, or 1
  Buffer<Index> physical, soft, driver;  ///< [rows] of EvaluatedRows; the first and last by priority
  Index physical_rows = 0, soft_rows = 0, driver_rows = 0;
  double scale = 0;     ///< of mass-scaled accelerations: those of gravity, velocities and demands
  double open = 0;      ///< largest openness of a physical row
  bool in_mass = true;  ///< the nearest motion was found in the metric of M, not of its diagonal
};

/// What a condition in motion_span is.
struct Condition {
  MotionTerm::Kind kind;
  Index index;  ///< of EvaluatedRows, or coordinate
};

/// Of rows with a sense, of all rows of EvaluatedRows.
struct RowSenses {
  RowSenses(Index nv, Index rows) : set(nv, rows), open(rows), released(rows) {}
  ActiveSet set;
  Buffer<unsigned char> open;      ///< [rows] does not hold as an equality: no force, no condition
  Buffer<unsigned char> released;  ///< [rows] open because it would have to pull
  bool any = false;
};

/// A bound of a force: side (value - x) >= 0. Of a cone: |across| <= value along; of its only row, x >= 0.
struct ForceBound {
  enum class Kind : unsigned char { cone, sense, limit, motor, effort, open };
  Kind kind;
  unsigned char size;  ///< rows of a cone, or 1
  Index at;            ///< (first) row in InverseProblem::physical; motor; coordinate; of `open` in EvaluatedRows
  double side, value;
};

/// The bounds at this solve, and the program that finds forces within them.
///
///   (lambda, u, a) = (lambda, u, a)_0 + sum z_k way_k
struct ForceBounds {
  ForceBounds(Index nv, Index rows, Index motors);
  dense::ConeProgram program;
  Buffer<ForceBound> list;
  Index count = 0;
  Buffer<unsigned char> left_out;                   ///< [count] while minimal sets are searched
  Buffer<double> force_way, motor_way, motion_way;  ///< [ways x rows], [ways x nu], [ways x nv]
  Buffer<double> size;                              ///< [ways] z_k = size z of the program
  Index ways = 0, moving = 0;                       ///< the first `moving` ways change the motion
  Buffer<double> idle;                              ///< [nu - reach] w
  double force_scale = 0, motor_scale = 0;  ///< of multipliers times the length of their row; of u: terms that cancel
  bool active = false;                      ///< the forces are those of the program
  bool demands_give_way = false;            ///< and so is the motion that was demanded
  dense::ConeOutcome outcome = dense::ConeOutcome::optimal;
};

/// The rows of motion_span once more, to take some of them out.
struct AskedMotion {
  AskedMotion(Index nv, Index rows) : row(rows * nv), noise(rows), slope(nv), left_out(rows), span(rows + 1, nv) {}
  Buffer<double> row, noise, slope;
  Buffer<unsigned char> left_out;
  dense::RowSpan span;
  Index decided = 0, demanded = 0;  ///< rank of motion_span before and after the demands
};

/// The conditions of a solve on the motion, in the order of motion_span.
struct MotionConditions {
  explicit MotionConditions(Index rows) : of(rows), scale(rows), target(rows), met(rows) {}
  Buffer<Condition> of;
  Buffer<double> scale, target, met;  ///< scale, right-hand side, what is met
};

struct InverseParts {
  InverseParts(const Model& model, const ConstraintSet& set, Motors motors, const InverseSettings& s);

  void solve(const InverseInput& input);
  void refuse(Status status, std::string_view what);

  EvaluatedRows rows;
  InverseSettings settings;
  Motors motors;
  InverseProblem problem;
  dense::RowSpan force_span, motion_span;
  MotionConditions conditions;  ///< the rows of motion_span
  AskedMotion asked;
  RowSenses senses;
  Buffer<double> work, more;                                        ///< [nv + rows]
  dense::Reflections least_squares;                                 ///< [nv + rows] x [rows]
  Buffer<double> matrix, right;                                     ///< [nv x nv], [nv]: normal equations of demands
  Buffer<double> a, tau, u, lambda, multipliers, reaction, forces;  ///< the last: M a + h
  InverseSolution solution;
  ForceBounds bounds;
  bool busy = false;

 private:
  // inverse_problem.cpp
  void read(const InverseInput& input);
  void read_motors(const InverseInput& input);
  void needed_torques(const double* acceleration, double* out);
  void sort_rows();
  void add_soft_rows();
  void answer(const InverseInput& input);
  void solve_held(const InverseInput& input);
  // inverse_senses.cpp
  Sense sense_of(Index row) const;
  double limit_of(Index row) const;
  double open_by(Index row, const double* acceleration) const;
  void check_senses();
  void hold_touching();
  bool project_wish();
  void follow_normals();
  bool hold_violated();
  bool release_pulling();
  // inverse_motion.cpp
  void span_forces();
  void span_motion();
  void ask(const double* row, double noise, double inverse_scale);
  void add_row(Index row);
  void add_condition(Index row);
  void move();
  void move_by_penalty();
  void nearest(Index first, Index end, bool demanded);
  bool solve_normal_equations(Index n);
  // inverse_forces.cpp
  void choose_forces(const InverseInput& input);
  Index levels_of_carry() const;
  Index decided_of_carry() const;
  void carry();
  void choose(const InverseInput& input, Index first, Index end, double torque, double force);
  void find_motors();
  void publish();
  // inverse_bounds.cpp
  void find_bounds();
  void find_cones();
  double along(const ForceBound& b, Index r, const double* force, const double* motor, const double* motion) const;
  double outside(const ForceBound& b) const;
  double scale_of(const ForceBound& b) const;
  bool is_outside() const;
  void set_ways(const dense::RowSpan& span, Index first);
  void add_moving_way(const double* direction);
  void finish_way(const double* torque);
  bool write_blocks();
  void write_objective(const InverseInput& input);
  void settle_forces();
  bool solve_program();
  void obey_bounds(const InverseInput& input);
  // inverse_conflicts.cpp
  double unit_of(const ForceBound& b) const;
  double margin();
  bool is_demand(Index row) const;
  void span_asked();
  bool is_contradicted();
  void keep_what_matters();
  void add_bound_term(const ForceBound& b);
  void find_minimal_set();
  // inverse_report.cpp
  void certify(const InverseInput& input);
  void check_equations();
  void find_outside();
  void find_missed();
  void find_conflict(Index row);
  void name_pulling();
  void name_senses();
  double motion_gradient();
  double force_gradient(const InverseInput& input) const;
};

}  // namespace zwang
