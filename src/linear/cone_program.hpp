// SPDX-License-Identifier: BSD-3-Clause
// ConeProgram: a convex quadratic function over friction cones.
//
//   minimise 1/2 z^T P z + c^T z   subject to   s = S z + s_0,  s_k = (s_k0; s_k1) with |s_k1| <= s_k0 for each block k
// Primal-dual interior point method with Nesterov's and Todd's scaling and Mehrotra's corrector (Andersen, Dahl &
// Vandenberghe 2011; Domahidi, Chu & Boyd 2013, sec. III). A block of one number is s >= 0. Each block is given in a
// unit in which numbers of size 1 are ordinary: residuals count against it.
//   optimal      P z + c = S^T u, u in the cones; residuals, and what s^T u leaves to gain, are rounding
//   infeasible   u in the cones with s_0^T u < 0 is a proof: S^T u = 0 but for the rounding of its terms, and s_0^T u
//                is below what that rounding, times z of 1e6 ordinary sizes, and that of s_0 can be
// Cost: some 10 to 20 Cholesky factorisations of P + S^T W^-2 S. Where rounding spoils them, once more with numbers of
// twice as many digits (Twofold). Allocates nothing after construction.
#pragma once
#include "linear/cone_iteration.hpp"

namespace zwang::dense {

enum class ConeOutcome { optimal, infeasible, not_converged };

class ConeProgram {
 public:
  ConeProgram(Index variables, Index rows);  ///< room
  /// Blocks follow by add_block; P, c, S, s_0 are then written by the caller.
  void begin(Index variables);
  void add_block(Index size);  ///< 1 or more
  void drop_block();           ///< the last one
  double& P(Index i, Index j) { return P_[i * n_ + j]; }
  double& c(Index i) { return c_[i]; }
  double* S(Index row) { return S_.data() + row * n_; }
  double& s_0(Index row) { return s_0_[row]; }
  Index rows() const { return blocks_.first[blocks_.count]; }

  ConeOutcome solve();  ///< P, c and S are then those of other variables
  /// Of a program whose last variable t is to be least, moves each bound by t, and has the last block t >= -1: t where
  /// it is above 0 and u proves that no z of the others keeps the other bounds with t = 0; otherwise 0.
  double margin();
  const double* z() const { return z_.data(); }
  const double* u() const { return u_.data(); }  ///< [rows]
  int iterations() const { return iterations_; }
  double residual() const { return residual_; }  ///< of the rows, and what is left to gain, relative to their terms

 private:
  void choose_variables(Index count);
  template <class Real> ConeOutcome iterate(ConeIteration<Real>& by);
  template <class Real> bool iterate_margin(ConeIteration<Real>& by);
  void find_z();
  bool proves_infeasible(Index count, Index blocks);

  Index n_ = 0;
  int iterations_ = 0;
  double residual_ = 0;
  ConeBlocks blocks_;
  Buffer<double> P_, c_, S_, s_0_;
  Buffer<double> z_, T_, x_, u_;  ///< z = T x: the x of the iterations
  Buffer<double> work_, matrix_;
  ConeIteration<double> fast_;
  ConeIteration<Twofold> exact_;
};

}  // namespace zwang::dense
