// SPDX-License-Identifier: BSD-3-Clause
// Certificate: what is true of an answer, computed from the problem and the answer alone, for every method.
//
//   residual_k = K_k a - beta_k of every row, with the magnitudes of its terms
//   rank, minimal sets of dependent rows, which of these sets are contradictory, and why each row that is not met fails
#pragma once
#include "factor/answer.hpp"
#include "zwang/certify/solve_report.hpp"

namespace zwang {

class PathFactor;

struct Certificate {
  explicit Certificate(const Problem& problem);

  /// Writes to the report what follows from the residuals of all rows and Z of the hard rows: status, rank, residual,
  /// dependencies, redundant, given_up, infeasible.
  void certify(Problem& problem, Answer& answer, const RowPolicy& policy, SolveReport& report);
  /// The same for rows eliminated at the ends of their own paths, whose factor has found all of them independent and
  /// held to rounding. Takes their multipliers over into the answer. True if warn() may have something to say.
  bool certify_paths(const Problem& problem, const PathFactor& paths, const RowPolicy& policy, Answer& answer,
                     SolveReport& report);
  /// Whether the answer leaves more of the equations of motion than the rounding of their terms, those of rows among
  /// them (algorithm/page/motion_residual.hpp). `lost_coordinate` is then the coordinate that lacks most. Finds
  /// `cancels`.
  bool loses_motion(Problem& problem, const Answer& answer);
  /// Whether there are stiff soft rows, and forces of rows cancel, or the answer loses motion that a step of
  /// refinement, which `stiff` asks for, will not bring back.
  bool hides_motion(Problem& problem, const Answer& answer);
  static bool has_stiff_springs(const Problem& problem);
  /// Warnings about rows and coordinates. `all`: the problem with all rows that have a force, also those at their
  /// limit. `driver_torque` [nv]: J^T lambda of driver rows.
  void warn(const Problem& problem, const Problem& all, const Answer& answer, const double* multipliers,
            const double* driver_torque, const double* motor_torque, SolveReport& report) const;
  /// The motor torque that is largest beside the model's effort limit, where prescribed accelerations determine it, or
  /// driver rows that no limits of motors hold back.
  static void warn_effort(const Problem& problem, const MotorLimits& limits, const double* driver_torque,
                          const double* motor_torque, SolveReport& report);

  // In the order of the set's rows.
  Buffer<double> residual;                        ///< in the rows' units; 0 for inactive rows
  Buffer<double> relative;                        ///< divided by the row's scale
  Buffer<double> position_error, velocity_error;  ///< of the state
  bool loose = false;  ///< rows that are independent by the cheap test hold, but less well than W would make them
  bool stiff = false;  ///< soft rows have lost digits of lambda = (beta - K a) / R
  /// A hard row holds not within the feasibility of its own terms, only within the rounding of inertias that soft rows
  /// have stiffened by 1/R.
  bool hidden = false;
  double soft_open = 0;  ///< the largest |K a + R lambda - beta| of a soft row, over its terms
  Index lost_coordinate = -1;
  double left_over = 0;  ///< what the answer leaves of the equations of motion, at most, over their terms
  bool cancels = false;  ///< the rounding of the forces of rows is more than 1e-12 of all other forces
  static constexpr double k_fast = 1e-6;  ///< a larger error of a position or velocity is warned of
  double energy = 0;  ///< Z = 1/2 lambda^T Lambda lambda of the hard rows that were not eliminated elsewhere

 private:
  using Side = page::RowNumbers<double>::Side;
  static void begin_report(const Problem& problem, const RowPolicy& policy, Index rank, double residual,
                           SolveReport& report);
  void measure(Problem& problem);
  static double energy_of(Answer& answer, const RowPolicy& policy);
  static bool is_drift(const Problem& problem, const HardRows& hard, Index k, Index at, double residual, double scale,
                       double strength);
  void measure_motion(Problem& problem, const Answer& answer);
  bool find_stiff(const Problem& problem, const Answer& answer) const;
  static double terms_of_relation(const Problem& problem, Index k);
  double own_terms(const Problem& problem, const Answer& answer, Index k) const;
  double strength_of(const Problem& problem, const Answer& answer) const;
  bool contradicts(const Problem& problem, const Answer& answer, const RowPolicy& policy,
                   const RankRevealing::Circuit& circuit, double sum) const;
  static double rounding_of(const HardRows& hard, Index i, double gross);
  void find_residuals(const Problem& problem, const Answer& answer, const RowPolicy& policy);
  void find_dependencies(const Problem& problem, Answer& answer, const RowPolicy& policy, SolveReport& report);
  void find_compressed(const Problem& problem, const CompressedRows& rows, SolveReport& report) const;
  void find_given_up(const Problem& problem, const Answer& answer, const RowPolicy& policy, SolveReport& report) const;
  void warn_of_state(const Problem& problem, const double* multipliers, SolveReport& report) const;
  static void warn_unactuated(const Problem& problem, const Problem& all, const double* multipliers,
                              const double* driver_torque, SolveReport& report);
  static void warn_prescribed(const Problem& problem, const double* motor_torque, SolveReport& report);

  Buffer<Side> value_, scale_, speed_;  ///< [groups] as the kernel writes them
  Buffer<unsigned char> contradicted_;  ///< [rows of the set] contradicted by rows of its own level
  Buffer<unsigned char> missed_;        ///< [rows of the set] not within the feasibility, and for no other reason
  Buffer<unsigned char> drifted_;       ///< [rows of the set] not within it only because its relation is not closed
  Buffer<double> motion_, terms_;       ///< [nv] what measure_motion() finds
  Buffer<double> pushed_;               ///< [nv] terms of rows in the equations of motion
  bool all_held_ = true;                ///< every row is within the feasibility
  double largest_ = 0;                  ///< relative residual
};

}  // namespace zwang
