// SPDX-License-Identifier: BSD-3-Clause
// Inequalities: which rows with a sense or a limit hold at a state, and whether an answer satisfies all of them.
//
//   sense at_least   w >= 0, lambda >= 0, lambda w = 0       w = J q'' + R lambda - b, b as of an ordinary row
//   sense at_most    w <= 0, lambda <= 0, lambda w = 0
//   limit L          |lambda| <= L; at its limit the row is not held: w <= 0 at L, w >= 0 at -L
//   limits of motors give way as clutches (motor_bounds.hpp): then w is not 0 for the driver rows of that motor
// In a shock J q'' are changes of velocities and lambda impulses; rows that are not touched let go.
// It evaluates all rows of the set, held or not, at the state of the solver. The rows that do not hold are released from the
// problem of the solver, where those with a force act as wrenches; the others are ordinary rows there.
#pragma once
#include "choose/active_set.hpp"
#include "choose/level_forces.hpp"
#include "factor/answer.hpp"
#include "factor/method.hpp"
#include "zwang/certify/solve_report.hpp"

namespace zwang {

class Inequalities {
 public:
  explicit Inequalities(const Problem& of);

  /// Reads the rows and evaluates them at the state of the problem.
  void evaluate(const Problem& of, const Method& method, const MotorLimits& limits);
  /// Whether the rows released from the problem may be those of this state: it is worth a solve.
  bool may_stay(const Problem& of) const;
  /// The largest violation of the conditions above, each over the size of its terms, by q'', the multipliers [rows of
  /// the set] and the torques of motors. `clear`: no row or motor is near the border of its conditions.
  struct Violation {
    double largest;
    bool clear;
    bool beyond;        ///< a motor is beyond its limit
    bool out_of_reach;  ///< one that no row moves
    void add(double distance, double near, double feasibility) {
      largest = std::max(largest, distance);
      clear = clear && near > 10 * feasibility;
    }
  };
  struct Numbers {
    const double *acceleration, *multipliers, *motor_torque;
  };
  /// Finds the rows that hold. `singular`: the first coordinate without inertia, -1: all have some.
  struct Choice {
    ActiveSet::End end;
    Index singular;
  };
  Choice choose(const RowPolicy& policy);
  // Rows of several priorities: all of them act as found, as wrenches.
  bool has_levels() const { return whole.rows.traits.levels; }
  /// How far multipliers and torques of a solve without limits are beyond their bounds; where they are not, it stands.
  Violation beyond_bounds(const Numbers& of, double feasibility);
  /// `of`: the answer without limits.
  Choice choose_by_levels(const RowPolicy& policy, const Numbers& of);
  Violation measure_levels(const Numbers& of, double feasibility);
  void name_levels(const Numbers& of, double feasibility, SolveReport& report) const;
  /// The row that contradicts others whatever gives way; -1: none is known.
  Index contradicted() const { return set_.contradicted(); }
  /// [rows of the set] the rows that do not hold; with `idle`, rows that would hold without a force are held, too.
  const unsigned char* released(bool idle);
  bool has_idle() const { return idle_; }
  /// Some row or motor is at its limit.
  bool has_limited() const { return limited_; }
  /// Takes all driver rows as wrenches, also those that hold: where rows depend on each other, multipliers of least norm
  /// may leave the limits of motors, and those that were found do not. False if that changes nothing.
  bool fix_drivers();
  /// The released rows with a force as external wrenches on the bodies of the problem, until it takes other forces.
  void load(Problem& problem);
  /// Takes these wrenches away from data that has those of the last solve.
  void unload(Data& data) const;
  /// f(row of whole, body, wrench on the body in world axes about its branch's centre) of these rows.
  template <class F> void for_each_limited(F&& f) const {
    for (Index k = 0; limited_ && k < whole.rows.m; ++k)
      if (const double lambda = fixed_[whole.rows.row_of[k]]; lambda != 0)
        page::for_each_part(whole.rows, k, [&](Index body, const Force<double>& K) {
          if (body > 0) f(k, body, K * lambda);
        });
  }
  /// Errors of row k of whole at the state, and K a - beta by q''.
  struct Errors {
    double position, velocity, residual;
  };
  Errors errors_of(Index k, const double* acceleration) const;
  /// The multiplier of a row of the set that is released with a force; 0 for others.
  double limited(Index row) const { return fixed_[row]; }
  /// out += J^T lambda of the rows of a role that are released with a force.
  void add_torques(Role role, double* out) const;
  /// 1/2 t^T M^-1 t, prescribed coordinates held. Not where M is singular.
  double energy(const double* torque);
  /// The first coordinate without inertia, where rows without bounds are to give it some; -1: all have it.
  Index stiffened() const { return stiffened_; }

  /// Whether no multipliers of driver rows keep all motors within their limits; after choose().
  bool limits_contradict() const;
  Violation measure(const Numbers& of, double feasibility) const;
  /// Names of the rows with a sense or a limit that hold, that do not, and that are at their limit; of motors at their
  /// limit and beyond; of rows that give way, by q''.
  void name(const Problem& of, const Numbers& numbers, double feasibility, SolveReport& report) const;

  SharedProblem whole;  ///< all rows of the set, at the state of the solver

 private:
  void write_rows();
  void write_bounds();
  bool is_open(Index k, Sense sense) const;
  void write_mass();
  void hold_prescribed();
  Index factor_mass();
  void write_set(Index soft);
  void take_limited(Index first_motor);
  Choice begin_choice(Index& soft);
  double rounding_of(Index k);
  double residual_of(Index k, const Numbers& of) const;
  void write_motion(const Numbers& of);
  void name_motors(const Numbers& of, double feasibility, SolveReport& report) const;
  double strength_of(const Numbers& of) const;
  double size_of(Index k) const;
  double give(Index k) const;
  void measure_motors(const Numbers& of, double strength, double feasibility, Violation& v) const;

  const Interruption& stop_;  ///< of the solver's problem; where it says so, what has been chosen has no meaning
  Index nv_;
  ActiveSet set_;
  Buffer<double> J_, terms_, b_, size_;  ///< [rows of whole x nv] J and |J| before terms cancel; [rows] b, terms of b
  Buffer<double> reach_, needed_;  ///< [rows of whole] |W_k| |y_0|; lambda of the row alone; once rows have been chosen
  Buffer<double> M_, force_, scratch_;  ///< [nv x nv] and its factor; [nv] tau - h
  MotorBounds motors_;
  const MotorLimits* limits_ = nullptr;
  Buffer<double> fixed_, loaded_;          ///< [rows of the set] multipliers of released rows; those loaded
  Buffer<unsigned char> bounded_, gives_;  ///< [rows of whole] it has bounds; 1: it gives way, 2: it holds as a wrench
  Buffer<unsigned char> released_;         ///< [rows of the set]
  struct ByLevel {
    ByLevel(Index nv, Index rows) : forces(2 * nv, rows, nv), motion((2 * nv + rows + 16) / 8 * 8), rounding(rows) {}
    LevelForces forces;
    Buffer<double> motion;      ///< [nv] in the metric of M, with entries of soft rows
    Buffer<double> rounding;    ///< [rows] of |W_k|
    double reference_miss = 0;  ///< between the levels here and those of the method
  };
  std::unique_ptr<ByLevel> levels_;  ///< made where rows of several priorities have bounds
  bool idle_ = false, limited_ = false, chosen_ = false;
  Index stiffened_ = -1;
};

}  // namespace zwang
