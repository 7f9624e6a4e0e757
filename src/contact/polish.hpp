// SPDX-License-Identifier: BSD-3-Clause
// polish: an active-set Newton method on lambda = P_K(lambda - u).
//
// Each cone is open (lambda = 0), stuck (sigma = 0), or slips: sigma_n = 0 with lambda along (mu d, 1), and along
// e ⟂ d the derivative of the direction d = z_t/|z_t|, a compliance |sigma_t|/(mu lambda_n). Quadratic near the answer.
// Redundant rows: instead of a rank decision the matrix gets 1e-9 on its diagonal (times the square of a weight), and
// three refinements take that out of the correction again (proximal point; Rockafellar 1976).
#pragma once
#include "contact/scaled_problem.hpp"

namespace zwang::contact {

class Polish {
 public:
  void reserve(Index rows, Index all);
  /// At most `steps` from l, which becomes the best that was met; its residual. Ends at `goal`.
  double run(const ScaledProblem& p, double* l, int steps, double goal);
  /// Whether the loads l of its last answer, in which nothing slips, have no part that moves nothing (EvenLoads). False
  /// where it is not known.
  bool is_even(const double* l);
  int runs = 0;        ///< so far
  int iterations = 0;  ///< since it was last set to 0

 private:
  /// An unknown: what it adds to the impulses, and the combination of rows that it makes zero.
  struct Unknown {
    Index row[3], equation[2];
    double by[3], of[2];
    int rows, equations;
  };
  void classify(const ScaledProblem& p, const double* l);
  bool correct(const ScaledProblem& p);

  Index count_ = 0;
  bool sticks_ = false;  ///< all unknowns of LU_ are rows that are held
  Buffer<Unknown> unknown_;
  Buffer<double> soft_, shift_;               ///< on the diagonal; the one that is taken out again
  Buffer<double> next_, best_, y_, s_;        ///< impulses, motion
  Buffer<double> A_, LU_, r_, x_, d_, rest_;  ///< A x = -r
  Buffer<Index> order_;
};

}  // namespace zwang::contact
