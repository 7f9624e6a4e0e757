// SPDX-License-Identifier: BSD-3-Clause
// ProximalNewton: the method of multipliers on the conditions of contact themselves, in the velocity y.
//
//   F(y) = y - y_0 - W P_K(l_k - rho (s + Gamma(s))) = 0,  s = W^T y + b,   by semismooth Newton steps with
//   H = 1 + rho W B (1 + Gamma') W^T,   B of the projection;   then  l_(k+1) = P_K(...)
// Alart & Curnier 1991; Rockafellar 1976. rho grows where the residual does not fall by ten. The one stage in which the
// term of De Saxcé is not a step behind; it wants a start from ADMM.
#pragma once
#include "contact/scaled_problem.hpp"
#include "linear/interruption.hpp"

namespace zwang::contact {

class ProximalNewton {
 public:
  void reserve(Index rows, Index all);
  /// From l, which becomes the best that was met; its residual.
  double run(const ScaledProblem& p, double* l, double rho, int outer, double goal, const Interruption& stop);
  int iterations = 0;

 private:
  struct Point {
    Buffer<double> y, s, z, projected, F;
    double size = 0;  ///< |F|
  };
  void evaluate(const ScaledProblem& p, const double* l, double rho, Point& at) const;
  bool step(const ScaledProblem& p, const double* l, double rho);

  Point here_, there_;
  Buffer<double> H_, direction_, rest_, l_, best_;
  Buffer<Index> order_;
  mutable Buffer<double> gamma_;
};

}  // namespace zwang::contact
