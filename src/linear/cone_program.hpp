// SPDX-License-Identifier: BSD-3-Clause
// ConeProgram: a convex quadratic function over friction cones.
//
//   minimise 1/2 z^T P z + c^T z   subject to   s = S z + s_0,  s_k = (s_k0; s_k1) with |s_k1| <= s_k0 for each block k
// Primal-dual interior point method with Nesterov's and Todd's scaling and Mehrotra's corrector (Andersen, Dahl &
// Vandenberghe 2011; Domahidi, Chu & Boyd 2013, sec. III). A block of one number is s >= 0.
//   optimal      residuals and s^T u are rounding:  P z + c = S^T u, u in the cones
//   infeasible   u in the cones with S^T u = 0 and s_0^T u < 0 was found: no z satisfies the cones
// Cost: some 10 to 20 Cholesky factorisations of P + S^T W^-2 S. Allocates nothing after construction.
#pragma once
#include "zwang/core/buffer.hpp"

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
  Index rows() const { return m_; }

  ConeOutcome solve();
  const double* z() const { return best_.data(); }
  const double* u() const { return at_.u.data(); }  ///< [rows] of the last iterate
  int iterations() const { return iterations_; }
  double residual() const { return quality_.worst; }  ///< of the equations and s^T u, relative to their terms

 private:
  void start();
  double residuals();
  bool factor();
  bool advance();
  void scale();
  void times_W(double sign, const double* x, double* out) const;  ///< W x or, for sign -1, W^-1 x
  void solve_for(double* d);
  void back_substitute(double* x) const;
  double step(const double* x, const double* dx) const;
  bool proves_infeasible() const;
  template <class F> void each_block(F&& f) const {
    for (Index k = 0; k < blocks_; ++k) f(first_[k], first_[k + 1] - first_[k], k);
  }

  Index n_ = 0, m_ = 0, blocks_ = 0;
  int iterations_ = 0;
  struct Quality {
    double primal = 0, dual = 0, gap = 0, worst = 0;
  } quality_;
  Buffer<double> P_, c_, S_, s_0_, K_;  ///< K: P + S^T W^-2 S and its factor
  struct Iterate {
    Buffer<double> z, s, u;
  } at_, way_;  ///< and its change
  Buffer<double> r_d_, right_, best_, r_p_;
  Buffer<double> w_, eta_, lambda_, d_, work_, more_;
  Buffer<Index> first_;
};

}  // namespace zwang::dense
