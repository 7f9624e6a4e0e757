// SPDX-License-Identifier: BSD-3-Clause
// admm: the alternating direction method of multipliers on  lambda = P_K(lambda - u),  with polish at checkpoints.
//
//   y = P_K(x - z/rho),   s = Gamma(z),   x = (G + rho + eta)^-1 (rho y + eta x + z - g - s),   z -= rho (x - y)
// x, y: impulses; z: u = sigma + Gamma(sigma). Carpentier, Le Lidec & Montaut 2024 (arXiv 2405.17020). rho begins at a
// mean of the extreme eigenvalues of G and follows primal and dual residual (OSQP, Stellato et al. 2020), or stays as
// it was given: near wedged contacts a rule that adapts never settles.
// Pushes of normals that grow without end along a direction that moves nothing prove that no answer exists (Farkas).
#pragma once
#include "contact/polish.hpp"
#include "linear/interruption.hpp"

namespace zwang::contact {

struct AdmmSettings {
  int iterations = 150;
  double rho = 0;         ///< fixed; 0: adapted
  double enough = 1e-12;  ///< residual at which it ends
  bool warm = false;      ///< begins at l
};

class Admm {
 public:
  void reserve(Index rows, Index all);
  /// From l, which becomes the best that was met; its residual.
  double run(const ScaledProblem& p, double* l, const AdmmSettings& settings, Polish& polish, const Interruption& stop);
  int iterations = 0;
  bool infeasible = false;  ///< `direction` proves that there is no answer
  const double* direction() const { return ray_.data(); }

 private:
  void estimate_eigenvalues(const ScaledProblem& p);
  bool factor(const ScaledProblem& p, double rho);
  void solve(Index m, double* x) const;
  bool proves(const ScaledProblem& p);

  double most_ = 1, least_ = 1;  ///< of G
  Buffer<double> K_, x_, y_, z_, s_, old_, t_, best_, tried_, ray_, move_, last_;
};

}  // namespace zwang::contact
