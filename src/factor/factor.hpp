// SPDX-License-Identifier: BSD-3-Clause
// Factor: the factorisation that a method keeps of a problem, for further right-hand sides.
//
//   M x - J^T lambda = r_tau,   J x + R lambda = r_b,   x_k given where coordinate k is prescribed
//
// The problem's own right-hand side is r_tau = tau - h, r_b = beta - J' v. In the unknowns (x, -lambda) the
// matrix is symmetric: the factor serves adjoints too, with the signs of r_b and lambda turned. A method solves its
// problem while it factors; apply() solves for all other right-hand sides.
#pragma once
#include "factor/answer.hpp"
#include "zwang/core/pack.hpp"

namespace zwang {

/// Right-hand sides solved side by side.
using Columns = Pack<double, 4>;

struct RightHandSides {
  static constexpr Index most = 4;
  explicit RightHandSides(const Problem& problem)
      : tau(problem.state.data.model().nv()),
        given(problem.state.data.model().nv()),
        b(problem.layout.capacity),
        acceleration(problem.state.data.model().nv()),
        given_torque(problem.state.data.model().nv()),
        articulated(problem.state.data.model().nv()),
        lambda(problem.layout.capacity) {}
  void clear() {
    for (Buffer<Columns>* x : {&tau, &given, &b})
      for (Columns& number : *x) number = Columns(0.0);
  }
  Index count = 1;             ///< columns in use; the others must still hold numbers
  Buffer<Columns> tau, given;  ///< [nv] r_tau; accelerations of prescribed coordinates
  Buffer<Columns> b;           ///< [m] r_b
  // Out:
  Buffer<Columns> acceleration;  ///< [nv]
  Buffer<Columns> given_torque;  ///< [nv] at prescribed coordinates: M x - J^T lambda
  Buffer<Columns> articulated;   ///< [nv] as in Answer
  Buffer<Columns> lambda;        ///< [m]
};

/// Copies q'', lambda and torques of the first column into the answer.
void take_first(const RightHandSides& sides, Answer& answer);

class Factor {
 public:
  virtual ~Factor() = default;

  /// Makes room for the rows of the set on the bodies that they act on now.
  virtual void make_room(const Problem&) {}
  /// Whether the factor can serve the set: not if rows would couple too many bodies.
  virtual bool takes(const Problem&) const { return true; }
  /// Throws UnsupportedError if the set needs what the method does not support.
  virtual void accept(const Problem&) {}
  /// Factors the problem and solves it.
  virtual void solve(Problem& problem, const RowPolicy& policy, Answer& answer) = 0;
  /// Whether the factor is valid for this policy and for the priorities and weights that the set has now.
  virtual bool serves(const Problem&, const RowPolicy&) const { return true; }
  /// Solves for other right-hand sides; `problem.state.data` keeps the accelerations of the answer. False if the factor
  /// cannot solve them: a method without dependent rows, and right-hand sides that contradict the dependency.
  virtual bool apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) = 0;
  /// Whether the answer of an apply() satisfies the hard rows in `problem.rows`,
  /// up to the rounding allowed by the method.
  virtual bool holds(const Problem&, const RowPolicy&, const Answer&) { return true; }
  /// For rows that leave drivers uncompensated: answer.left_out [m], the row accelerations that those drivers alone
  /// cause, at the problem's state and forces.
  virtual void leave_drivers_out(Problem& problem, Answer& answer);
  /// The same, added to sides.b, if the motor torques sides.tau differ by column.
  virtual void leave_drivers_out(Problem&, RightHandSides&) {}
};

}  // namespace zwang
