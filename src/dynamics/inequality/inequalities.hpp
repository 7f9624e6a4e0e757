// SPDX-License-Identifier: BSD-3-Clause
// Inequalities: which rows with a sense or a limit hold at a state, and whether an answer satisfies all of them.
//
//   sense at_least   w >= 0, lambda >= 0, lambda w = 0       w = J q'' + R lambda - b, b as of an ordinary row
//   sense at_most    w <= 0, lambda <= 0, lambda w = 0
//   limit L          |lambda| <= L; at its limit the row is not held: w <= 0 at L, w >= 0 at -L
// In a shock J q'' are changes of velocities and lambda impulses; rows that are not touched let go.
// It evaluates all rows of the set, held or not, in a Problem of its own. The rows that do not hold are released from the
// problem of the solver, where those at a limit act as wrenches; the others are ordinary rows there.
#pragma once
#include "dynamics/factor/answer.hpp"
#include "dynamics/inequality/active_set.hpp"

namespace zwang {

class Inequalities {
 public:
  explicit Inequalities(const Problem& of);

  /// Reads the rows and evaluates them at the state of the problem.
  void evaluate(const Problem& of, const Method& method);
  /// Whether the rows released from the problem may be those of this state: it is worth a solve.
  bool may_stay(const Problem& of) const;
  /// Finds the rows that hold. `singular`: the first coordinate without inertia, -1: all have some.
  struct Choice {
    ActiveSet::End end;
    Index singular;
  };
  Choice choose(const RowPolicy& policy);
  /// [rows of the set] the rows that do not hold; with `idle`, rows that would hold without a force are held, too.
  const unsigned char* released(bool idle);
  bool has_idle() const { return idle_; }
  /// Some row is at its limit.
  bool has_limited() const { return limited_; }
  /// The rows at a limit as external wrenches on the bodies of the problem, until it takes other forces.
  void load(Problem& problem) const;
  /// f(row of whole, body, wrench on the body in world axes about its branch's centre) of the rows at their limit.
  template <class F> void for_each_limited(F&& f) const {
    for (Index k = 0; limited_ && k < whole.rows.m; ++k)
      if (const double lambda = fixed_[whole.reader.row_of[k]]; lambda != 0)
        page::for_each_part(whole.rows, k, [&](Index body, const Force<double>& K) {
          if (body > 0) f(k, body, K * lambda);
        });
  }
  /// Errors of row k of whole at the state, and K a - beta by q''.
  struct Errors {
    double position, velocity, residual;
  };
  Errors errors_of(Index k, const double* acceleration) const;
  /// The multiplier of a row of the set that is at its limit; 0 for others.
  double limited(Index row) const { return fixed_[row]; }
  /// out += J^T lambda of the rows of a role that are at their limit.
  void add_torques(Role role, double* out) const;
  /// 1/2 t^T M^-1 t, prescribed coordinates held. Not where M is singular.
  double energy(const double* torque);
  bool is_stiffened() const { return stiffened_; }

  /// The largest violation of the conditions above, each over the size of its terms, by q'' and the multipliers [rows of
  /// the set]. `clear`: no row is near the border of its conditions.
  struct Violation {
    double largest;
    bool clear;
  };
  Violation measure(const double* acceleration, const double* multipliers, double feasibility) const;
  /// Names of the rows with a sense or a limit that hold, that do not, and that are at their limit.
  void name(const Problem& of, SolveReport& report) const;

  Problem whole;  ///< all rows of the set; shares its state with the solver's

 private:
  void take_state(const Problem& of);
  void write_rows();
  void write_bounds();
  bool is_open(Index k, Sense sense) const;
  void write_mass();
  void hold_prescribed();
  Index factor_mass();

  Index nv_;
  ActiveSet set_;
  Buffer<double> J_, terms_, b_, size_;  ///< [rows of whole x nv] J and |J| before terms cancel; [rows] b, terms of b
  Buffer<double> M_, force_, scratch_;   ///< [nv x nv] and its factor; [nv] tau - h
  Buffer<double> fixed_;                 ///< [rows of the set] the multipliers of rows at a limit
  Buffer<unsigned char> bounded_;        ///< [rows of whole]
  Buffer<unsigned char> released_;       ///< [rows of the set]
  bool idle_ = false, limited_ = false, chosen_ = false, stiffened_ = false;
};

}  // namespace zwang
