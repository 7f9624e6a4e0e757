// SPDX-License-Identifier: BSD-3-Clause
// Choice: which rows of a problem hold, and with what force the others act. Every kind of set that multipliers must
// stay in (box.hpp, clutch.hpp) says so in these words; the solve knows no others.
#pragma once
#include <algorithm>

#include "choose/active_set.hpp"
#include "rows/problem.hpp"

namespace zwang {

/// What a solve has found: q'' [nv], multipliers [rows of the set], torques of motors [nv].
struct Found {
  const double *acceleration, *multipliers, *motor_torque;
};

/// The largest violation of the conditions of all sets, each over the size of its terms.
struct Violation {
  double largest = 0;
  bool clear = true;          ///< no row or motor is near the border of its conditions
  bool beyond = false;        ///< a motor is beyond its limit
  bool out_of_reach = false;  ///< one that no row moves
  /// Of a force `low` above its lower bound and `high` below its upper one: its motion `open` is > 0 at the lower one
  /// only, and < 0 at the upper one only.
  void measure(double low, double high, double open, double feasibility) {
    const double outside = std::max(-low, -high), apart = std::max(std::min(low, open), std::min(high, -open));
    add(std::max({outside, apart, 0.0}), std::max(std::fabs(open), std::min(low, high)), feasibility);
  }
  void add(double distance, double near, double feasibility) {
    largest = std::max(largest, distance);
    clear = clear && near > 10 * feasibility;
  }
};

struct Choice {
  /// `of`: all rows, held or not.
  explicit Choice(const Problem& of);
  void begin();   ///< nothing has been chosen: all rows hold
  void choose();  ///< anew at the same state

  /// How a row of `whole` acts.
  enum class Acts : unsigned char {
    as_row,     ///< by its own conditions: it holds, or is at its bound, with that force
    gives_way,  ///< to another's bound: a wrench, and the row is missed
    as_wrench,  ///< it holds, by a wrench that is known
  };
  /// Row k acts as a wrench.
  void fix(Index k, Acts how, double multiplier) {
    acts[k] = how;
    force[whole.rows.row_of[k]] = multiplier;
  }
  /// The rows with a force as external wrenches on the bodies of the problem, until it takes other forces.
  void load(Problem& problem);
  /// Takes these wrenches away from data that has those of the last solve: to the last bit, whatever they are.
  void unload(Data& data) const;
  /// f(row of whole, body, wrench on the body in world axes about its branch's centre) of these rows.
  template <class F> void for_each_wrench(F&& f) const {
    for (Index k = 0; limited && k < whole.rows.m; ++k)
      if (const double lambda = force[whole.rows.row_of[k]]; lambda != 0)
        page::for_each_part(whole.rows, k, [&](Index body, const Force<double>& K) {
          if (body > 0) f(k, body, K * lambda);
        });
  }
  /// out += J^T lambda of these rows of a role.
  void add_torques(Role role, double* out) const;

  const Problem& whole;
  Buffer<double> force;            ///< [rows of the set] multipliers of rows that act without being held
  Buffer<unsigned char> released;  ///< [rows of the set] not held by the solve
  Buffer<Acts> acts;               ///< [rows of whole]
  bool made = false;               ///< rows have been chosen at this state
  bool idle = false;               ///< some would hold without a force
  bool limited = false;            ///< some row or motor is at its limit
  ActiveSet::End end = ActiveSet::End::found;
  Index singular = -1;  ///< the first coordinate without inertia: nothing could be chosen; -1: all have some

 private:
  Buffer<Force<double>> own_;  ///< [bodies] external wrenches of the problem without those of rows
  bool loaded_ = false;
};

}  // namespace zwang
