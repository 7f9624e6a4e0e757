// SPDX-License-Identifier: BSD-3-Clause
// MatrixFactor: the methods on the matrices M, J and R of a problem (linear/). It forms the
// matrices at a state, calls the method, and computes Lambda of the hard rows, so that rank and
// certificates have the same meaning as after a sweep.
#pragma once
#include "factor/factor.hpp"
#include "factor/method.hpp"
#include "linear/kkt_problem.hpp"

namespace zwang {

class MatrixFactor : public Factor {
 public:
  MatrixFactor(const Problem& problem, const char* name);
  void solve(Problem& problem, const RowPolicy& policy, Answer& answer) override;
  bool apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) override;

 protected:
  /// The method: factors the matrices of a problem and solves for tau and b; then solves for others.
  virtual void factor(const dense::KktProblem& p, dense::KktAnswer& answer) = 0;
  virtual void solve_again(const dense::KktProblem& p, dense::KktAnswer& answer) = 0;

 private:
  void form(Problem& problem);
  void take_rows(const Problem& problem);
  dense::KktProblem equations(const Problem& problem, const RowPolicy& policy) const;
  bool relate(const Problem& problem, const RowPolicy& policy, HardRows& hard);
  void find_free_motion(const Problem& problem, HardRows& hard);
  void solve_ranked(const Problem& problem, HardRows& hard);
  bool is_rounding() const;
  double gross_ratio() const;
  double torque_of(Index y) const;

  const char* name_;
  Index nv_, m_ = 0;
  Buffer<double> M_, J_, tau_, b_, R_, given_;  ///< M a = tau + J^T lambda, J a + R lambda = b
  Buffer<double> reach_, row_bound_;            ///< [m x nv] magnitudes of the entries of J; [m] bounds of Lambda_kk
  Buffer<double> stiff_;                  ///< [nv x nv] Cholesky factor of M with soft rows, without held coordinates
  Buffer<double> free_;                   ///< [nv] q'' without hard rows
  Buffer<double> caused_, bound_;         ///< W of hard rows: L^-1 J^T; bounds of Lambda_ii
  Buffer<double> acceleration_, lambda_;  ///< of the method
  bool by_rank_ = false;                  ///< rows are in doubt: W has answered
};

/// Factor with one of the workspaces of linear/.
template <class Workspace> class MatrixFactorBy final : public MatrixFactor {
 public:
  MatrixFactorBy(const Problem& problem, const char* name)
      : MatrixFactor(problem, name),
        workspace_(problem.state.data.model().nv(), problem.layout.capacity) {}

 private:
  void factor(const dense::KktProblem& p, dense::KktAnswer& answer) override { workspace_.solve(p, answer); }
  void solve_again(const dense::KktProblem& p, dense::KktAnswer& answer) override { workspace_.solve_again(p, answer); }
  Workspace workspace_;
};

/// For the Method entry: make_factor() of its workspace.
template <class Workspace> std::unique_ptr<Factor> make_matrix_factor(const Problem& problem, const Method& method) {
  return std::make_unique<MatrixFactorBy<Workspace>>(problem, method.name);
}

}  // namespace zwang
