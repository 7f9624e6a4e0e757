// SPDX-License-Identifier: BSD-3-Clause
// TreeProblem: constrained dynamics for algorithms on the tree that use neither the sweep of row_riders.hpp nor
// matrices.
//
//   M a + h = tau + J^T lambda,   J a + R lambda = beta - J' v     row k:  sum_b K_kb a_b + l_k + R_k lambda_k = 0
// a_b: joint acceleration of body b; l_k: the row at zero joint acceleration minus beta.
#pragma once
#include "linear/kkt_problem.hpp"
#include "zwang/factor/page/hybrid.hpp"

namespace zwang {

struct TreeProblem {
  /// Positions, velocities and biases of the state; s of every column; which columns are prescribed
  /// (articulated.has_given, is_given). An algorithm may write U, 1/D and u of the columns and the accelerations.
  Data& data;
  /// Rows as attached: m, for_each_part (world axes about the branch's centre), compliance.
  const page::RowNumbers<double>& rows;
  // The right-hand side. The bodies' biases in `data` are part of the problem's own, but not of others.
  const double* tau;       ///< [nv] with passive joint effects; not read at prescribed coordinates
  const double* residual;  ///< [m] l_k
  const double* given;     ///< [nv] accelerations of prescribed coordinates
  double tolerance;        ///< of the rank, relative
  int max_iterations;
  const Interruption* stop;  ///< where it says so, the outcome is not ok
};

/// Dependent hard rows and all rows that they depend on, if an algorithm finds such rows itself.
struct DependentRows {
  Index count = 0;          ///< 0: the rows of the problem are independent
  Index rank = 0;           ///< of these
  const Index* row;         ///< [count] of the problem
  const double* W;          ///< [count x nv] J C in a metric C C^T of the algorithm's
  const double *bound, *b;  ///< [count] bounds of |W_i|^2 without cancellation; right-hand sides
  double strength = 0;      ///< of the motion in that metric
};

/// If the outcome is not ok the numbers have no meaning, and the rows go to the root.
struct TreeAnswer {
  double* acceleration;  ///< [nv]
  double* lambda;        ///< [m]
  /// [m] the largest acceleration of the row that the motion could cause, sqrt(Lambda_kk) |q''|: the scale of the
  /// residual of a row that holds by cancellation or by symmetry. Zeros if the algorithm does not compute it.
  double* row_size;
  int iterations = 1;
  DependentRows dependent = {};
  dense::KktOutcome outcome = dense::KktOutcome::ok;
};

}  // namespace zwang
