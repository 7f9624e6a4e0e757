// SPDX-License-Identifier: BSD-3-Clause
// Chooser: which rows hold at a state, and whether an answer satisfies the conditions of all.
//
//   read → MetricRows (J, b; W in the metric of M) → the sets write bounds → ActiveSet → the sets take → Choice
// One file for each kind of set: box.hpp (senses and limits of rows), clutch.hpp (limits of motors). A kind writes what
// its multipliers may be, takes what was found, measures an answer and names its rows; what comes out is a Choice
// whatever the kind. All rows of the set are evaluated, held or not, at the state of the solver; what the Choice
// releases is left out of the rows that the solver solves for, and acts as a wrench where it has a force. Rows of
// several priorities: level_forces.hpp finds all forces, which then act as wrenches.
#pragma once
#include <memory>

#include "choose/clutch.hpp"
#include "choose/level_forces.hpp"
#include "choose/limited_forces.hpp"
#include "factor/hard_rows.hpp"
#include "factor/method.hpp"

namespace zwang {

class Chooser {
 public:
  explicit Chooser(const Problem& of);

  /// Reads the rows and evaluates them at the state of the problem. Nothing is chosen yet: all rows hold.
  void evaluate(const Problem& of, const Method& method, const MotorLimits& limits);
  /// Whether the rows released from the problem may be those of this state: it is worth a solve.
  bool may_stay(const Problem& of) const { return box_.may_stay(whole, of); }
  /// Finds the rows that hold.
  const Choice& choose(const RowPolicy& policy);
  const Choice& choice() const { return choice_; }
  /// The choice as the rows that are left out; with `idle`, rows that would hold without a force are held, too. Those
  /// that act as wrenches are loaded on the problem.
  const unsigned char* release(bool idle);
  void load(Problem& problem) { choice_.load(problem); }
  /// Where an answer fails: chooses by LimitedForces. What has bounds acts as wrenches, also rows that hold: where rows
  /// depend on each other, multipliers of least norm may be beyond them, and those that were found are not. Rows that
  /// contradict each other whatever forces are at a bound are held, without limits of motors: the certificate names
  /// them. False where that finds nothing.
  bool choose_exactly(const RowPolicy& policy);

  Violation measure(const Found& of, double feasibility);
  /// Names of the rows with a sense or a limit that hold, that do not, and that are at their limit; of motors at their
  /// limit and beyond; of rows that give way, by q''.
  void name(const Problem& of, const Found& found, double feasibility, SolveReport& report);
  /// Errors of row k of whole at the state, and K a - beta by q''.
  struct Errors {
    double position, velocity, residual;
  };
  Errors errors_of(Index k, const double* acceleration) const;
  /// The row that contradicts others whatever gives way; -1: none is known.
  Index contradicted() const { return set_.contradicted(); }
  /// Whether no multipliers of driver rows keep all motors within their limits; after choose().
  bool limits_contradict() const { return clutch_.contradicts(rows_, box_); }
  /// 1/2 t^T M^-1 t, prescribed coordinates held. Not where M is singular.
  double energy(const double* torque) { return rows_.energy(torque); }
  /// The first coordinate without inertia, where rows without bounds are to give it some; -1: all have it.
  Index stiffened() const { return rows_.stiffened(); }

  // Rows of several priorities (chooser_levels.cpp).
  bool has_levels() const { return whole.rows.traits.levels; }
  /// How far multipliers and torques of a solve without limits are beyond their bounds; where they are not, it stands.
  Violation beyond_bounds(const Found& of, double feasibility);
  /// `of`: the answer without limits.
  const Choice& choose_by_levels(const RowPolicy& policy, const Found& of);
  Violation measure_levels(const Found& of, double feasibility);
  void name_levels(const Found& of, double feasibility, SolveReport& report) const;

  SharedProblem whole;  ///< all rows of the set, at the state of the solver

 private:
  bool begin_choice();
  void take();
  void count_forces(const Problem& of, const Found& found, SolveReport& report);
  double angle_of(const RowPolicy& policy) const;
  double level_residual_of(Index k, const Found& of) const;

  const Interruption& stop_;  ///< where it says so, what has been chosen has no meaning
  ActiveSet set_;
  LimitedForces exact_;
  MetricRows rows_;
  Box box_;
  Clutch clutch_;
  Choice choice_;
  Buffer<unsigned char> holds_;  ///< [rows, clutches] as a row or by a force that was found
  struct ByLevel {
    ByLevel(Index nv, Index rows) : forces(2 * nv, rows, nv), motion((2 * nv + rows + 16) / 8 * 8), rounding(rows) {}
    LevelForces forces;
    Buffer<double> motion;      ///< [nv] in the metric of M, with entries of soft rows
    Buffer<double> rounding;    ///< [rows] of |W_k|
    double reference_miss = 0;  ///< between the levels here and those of the method
  };
  std::unique_ptr<ByLevel> levels_;  ///< made where rows of several priorities have bounds
};

}  // namespace zwang
