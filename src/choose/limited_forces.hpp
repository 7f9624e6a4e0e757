// SPDX-License-Identifier: BSD-3-Clause
// LimitedForces: the problem of an ActiveSet on one level, with its clutches as exact limits and not as stiff
// coordinates. A primal active-set method for convex quadratic programs whose Hessian may be singular (Gill, Murray,
// Saunders & Wright 1991, Inertia-controlling methods for general quadratic programming, SIAM Review 33).
//
//   minimal 1/2 |y|^2 - b^T x,  y = y_0 + W^T x    lower <= x <= upper,  from <= A x <= to
//   x: multipliers in units of their row, |W_k| = 1;  A: J^T of driver rows by motors, |A_j| = 1
// So neither the scale of a row nor how far a demand is beyond a limit costs digits: every x keeps all bounds, exactly
// where it is at one. A step solves for the rows inside with limits of motors reached as equations: Q R = A^T there, Z:
// the part of Q that leaves these motors alone, B = W^T Z by QR with pivoting. Where B has no full rank and the
// objective falls along that direction, the step goes to the first bound; there being none, rows contradict each other.
// At the minimum the bound whose multiplier has the wrong sign most is let go (the lowest, after steps of length 0:
// Bland). Starts at x = 0; where that is beyond limits of motors, the same method first shrinks the excess, and what
// cannot be shrunk proves by its multipliers (Farkas) that no forces keep the limits.
// This costs O(n m^2) a step, more than ActiveSet: it is for where the answer of that one fails. Allocates at
// construction.
#pragma once
#include "choose/active_set.hpp"

namespace zwang {

class LimitedForces {
 public:
  LimitedForces(Index coordinates, Index rows, Index motors, const Interruption* stop = nullptr);

  enum class End {
    found,
    rows_contradict,
    limits_contradict,  ///< `slip` of motors is a direction of torques that proves it
    unsettled,          ///< more steps than rounding explains, or stopped
  };
  /// `set` holds the problem: `rows` rows over `coordinates`, then the rows of as many clutches as motors.
  End find(const ActiveSet& set, const ActiveSet::Tolerances& tolerances, Index coordinates, Index rows, Index motors);
  ActiveSet::At at(Index k) const { return point_.at[k < m_ ? k : k + 1]; }  ///< of a row, then of motors
  double lambda(Index k) const { return point_.x[k] / of_.size[k]; }
  double slip(Index motor) const { return point_.nu[motor] / of_.motor_size[motor]; }

 private:
  using At = ActiveSet::At;
  enum class Phase { feasible, optimal };
  // Bounds k: of rows, of the excess that the first phase shrinks (row m), of motors.
  Index bound_of_motor(Index j) const { return m_ + 1 + j; }
  bool is_motor(Index bound) const { return bound > m_; }
  const double* w(Index k) const { return of_.W.data() + k * n_; }
  const double* a(Index motor) const { return of_.A.data() + motor * (m_ + 1); }
  double torque(Index motor, const double* x) const;
  void read(const ActiveSet& set, Index coordinates, Index rows, Index motors);
  bool start();
  End run(Phase phase);
  void factor_limits();
  void meet_limits();
  void evaluate(Phase phase);
  void factor_rows(Phase phase);
  bool find_descent(Phase phase);
  void find_minimum(Phase phase);
  void step_of(const double* along_basis);
  double find_block(bool free, Index& bound, bool& far) const;
  void join(Index bound, bool far);
  void find_slips();
  Index find_wrong(bool lowest) const;

  Index n_ = 0, m_ = 0, motors_ = 0;
  ActiveSet::Tolerances tolerance_{};
  struct Of {
    Buffer<double> W, A, start, b, lower, upper;  ///< lower, upper: of all bounds
    Buffer<double> size, motor_size;              ///< |W_k|; |A_j|
  };
  Of of_;
  struct Point {
    Buffer<double> x, y, slope, terms;  ///< slope: of the objective along x_k, and the sizes of its terms
    Buffer<double> nu, nu_terms;        ///< [motors] multipliers
    Buffer<double> step;                ///< of x
    Buffer<At> at;                      ///< [bounds]
    Buffer<unsigned char> passed;       ///< [bounds] let go and met again without a step: rounding
  };
  Point point_;
  struct Factor {
    Buffer<Index> inside, reached, order;  ///< rows; motors; columns of B, independent ones first
    Index rows = 0, limits = 0, rank = 0;
    Buffer<double> Q, R;              ///< A^T = Q R, Q: [column x rows inside], Z: from column `limits` on
    Buffer<double> B, T;              ///< basis of the columns of B; its triangle
    Buffer<double> r, r_terms, z, c;  ///< slope along Z; steps along Z; scratch
  };
  Factor f_;
  const Interruption* stop_;
};

}  // namespace zwang
