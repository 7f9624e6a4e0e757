// SPDX-License-Identifier: BSD-3-Clause
// BoundedSolve: a solve of rows of which some have a sense or a limit, or drivers of motors with limits. The rows that
// hold are chosen, and are then ordinary rows.
//
//   as in the last solve  the rows held then are held again; the answer stands where all conditions hold by a margin
//   otherwise             Chooser finds the rows that hold; their answer is certified, and checked against the others
// So the answer does not depend on what was solved before.
#pragma once
#include "choose/chooser.hpp"

namespace zwang {

struct SolverParts;

class BoundedSolve {
 public:
  explicit BoundedSolve(SolverParts& of);
  void solve();
  /// The next solve chooses the rows that hold anew.
  void forget() { chosen_for_ = 0; }
  /// Some row or motor is at its limit, and acts as a wrench on the bodies of the problem.
  bool is_limited() const { return chooser.choice().limited; }

  Chooser chooser;

 private:
  void solve_levels(const RowPolicy& policy);
  bool stands_as_before(const RowPolicy& policy);
  void hold(bool idle);
  Found found() const;
  Violation check();
  void add_errors();
  void add_limited();
  void report(const Violation& violation);

  SolverParts& s_;
  Buffer<double> torque_;    ///< [nv] scratch
  unsigned chosen_for_ = 0;  ///< the reading whose rows have been chosen, without forces; 0: none
};

}  // namespace zwang
