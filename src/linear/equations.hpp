// SPDX-License-Identifier: BSD-3-Clause
// Equations: a KktProblem's numbers in memory of our own, with the held coordinates eliminated in place.
//
// A held coordinate k keeps its index: its equation becomes a_k = value, its column goes to the right-hand sides. M
// keeps its pattern and stays positive semidefinite; the methods need not know which columns of J were removed.
#pragma once
#include "linear/kkt_problem.hpp"
#include "zwang/core/buffer.hpp"

namespace zwang::dense {

struct Equations {
  Equations(Index nv, Index m);

  /// False, with a zero answer and its outcome, if the problem does not fit.
  bool take(const KktProblem& p, KktAnswer& answer);
  /// The same problem with other tau, b and held values: only these are copied,
  /// so that M and J factored in place are kept.
  bool take_right(const KktProblem& p, KktAnswer& answer);
  /// Final corrections of an answer: held values as given, no number that is not finite.
  static void finish(const KktProblem& p, KktAnswer& answer);
  static void fail(const KktProblem& p, KktAnswer& answer, KktOutcome outcome);
  /// Scales of columns and rows, powers of two: C M C has ones on its diagonal and S J C no entry above one, nearly.
  /// Coordinates without inertia take their scale from the rows that move them.
  void scales(double* column, double* row) const;

  double* row(Index i) { return J.data() + i * stride; }
  const double* row(Index i) const { return J.data() + i * stride; }
  double* mass_row(Index k) { return M.data() + k * stride; }
  const double* mass_row(Index k) const { return M.data() + k * stride; }

  Index capacity_m, stride, n = 0, m = 0;
  double tolerance = 0;  ///< of the rank, as KktProblem has it, with its default
  Buffer<double> M, J, tau, b, R;

 private:
  bool take_matrices(const KktProblem& p);
  Buffer<unsigned char> nothing_;  ///< [m] hard rows whose J is rounding; a soft one has J^T J / R, however small J is
};

}  // namespace zwang::dense
