// SPDX-License-Identifier: BSD-3-Clause
// Factor: what a method leaves of a problem, to be asked again.
//
//   M x - J^T lambda = r_tau,   J x + R lambda = r_b,   x_k given where coordinate k is prescribed
//
// The problem's own right-hand side is r_tau = tau - h, r_b = beta - J' v. The matrix is symmetric, so that the same
// factor serves adjoints. A method solves its problem while it factors; all other right-hand sides go by apply().
#pragma once
#include "dynamics/factor/answer.hpp"
#include "zwang/core/pack.hpp"

namespace zwang {

/// Right-hand sides that are solved side by side.
using Columns = Pack<double, 4>;

struct RightHandSides {
  static constexpr Index most = 4;
  explicit RightHandSides(const Problem& problem)
      : tau(problem.data.model().nv()),
        given(problem.data.model().nv()),
        b(problem.layout.capacity),
        acceleration(problem.data.model().nv()),
        given_torque(problem.data.model().nv()),
        articulated(problem.data.model().nv()),
        lambda(problem.layout.capacity) {}
  void clear() {
    for (Buffer<Columns>* x : {&tau, &given, &b})
      for (Columns& number : *x) number = Columns(0.0);
  }
  Index count = 1;             ///< columns in use; the others hold numbers all the same
  Buffer<Columns> tau, given;  ///< [nv] r_tau; accelerations of prescribed coordinates
  Buffer<Columns> b;           ///< [m] r_b
  // Out:
  Buffer<Columns> acceleration;  ///< [nv]
  Buffer<Columns> given_torque;  ///< [nv] of prescribed coordinates: M x - J^T lambda
  Buffer<Columns> articulated;   ///< [nv] as in Answer
  Buffer<Columns> lambda;        ///< [m]
};

/// q'', lambda and torques of the first column as an answer.
void take_first(const RightHandSides& sides, Answer& answer);

class Factor {
 public:
  virtual ~Factor() = default;

  /// Makes room for the rows of the set on the bodies that they act on now.
  virtual void make_room(const Problem&) {}
  /// Throws UnsupportedError where the set asks for what the method cannot do.
  virtual void accept(const Problem&) {}
  /// Factors the problem and solves it.
  virtual void solve(Problem& problem, const RowPolicy& policy, Answer& answer) = 0;
  /// The factor answers this policy, and the priorities and weights that the set has now.
  virtual bool serves(const Problem&, const RowPolicy&) const { return true; }
  /// Other right-hand sides; the accelerations in `problem.data` stay those of the answer. False where the factor cannot answer them: dependent rows that they contradict, for a
  /// method that takes none.
  virtual bool apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) = 0;
  /// The answer of an apply() holds: the hard rows are as `problem.rows` asks, up to what the method takes for rounding.
  virtual bool holds(const Problem&, const RowPolicy&, const Answer&) { return true; }
  /// Rows that do not make up for all drivers of the motion: answer.left_out [m], what those drivers cause alone, at the
  /// problem's state and forces.
  virtual void leave_drivers_out(Problem& problem, Answer& answer);
  /// The same added to sides.b where the motors' torques differ by column, sides.tau.
  virtual void leave_drivers_out(Problem&, RightHandSides&) {}
};

}  // namespace zwang
