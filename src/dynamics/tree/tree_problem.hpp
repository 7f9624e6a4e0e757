// SPDX-License-Identifier: BSD-3-Clause
// TreeProblem: constrained dynamics for the algorithms that walk the tree by themselves, without the sweep of rows.hpp
// and without matrices.
//
//   M a + h = tau + J^T lambda,   J a + R lambda = beta - J' v     row k:  sum_b K_kb a_b + l_k + R_k lambda_k = 0
// a_b the joint acceleration of body b, l_k the row at zero joint acceleration less beta.
#pragma once
#include "dynamics/dense/kkt_problem.hpp"
#include "zwang/dynamics/page/hybrid.hpp"

namespace zwang {

struct TreeProblem {
  /// Positions, velocities and biases of the state; s of every column; which columns are prescribed
  /// (articulated.has_given, is_given). An algorithm may write the columns' U, 1/D and u and the accelerations.
  Data& data;
  /// Rows as attached: m, for_each_part (world axes about the branch's centre), compliance.
  const page::RowStage<double>& rows;
  // The right-hand side. Of the problem's own the bodies' biases in `data` are part, of others they are not.
  const double* tau;       ///< [nv] with passive joint effects; not read at prescribed coordinates
  const double* residual;  ///< [m] l_k
  const double* given;     ///< [nv] accelerations of prescribed coordinates
  double tolerance;        ///< of the rank, relative
  int max_iterations;
};

/// Hard rows that depend on each other, with all that they depend on, where an algorithm meets such rows by itself.
struct DependentRows {
  Index count = 0;          ///< 0: the rows of the problem are independent
  Index rank = 0;           ///< of these
  const Index* row;         ///< [count] of the problem
  double* Lambda;           ///< [count x count] J W J^T in a metric W of the algorithm's
  const double *bound, *b;  ///< [count] bounds of its diagonal without cancellation; right-hand sides
  double strength;          ///< of the motion in that metric
};

/// With an outcome that is not ok the numbers mean nothing, and the rows are taken to the root instead.
struct TreeAnswer {
  double* acceleration;  ///< [nv]
  double* lambda;        ///< [m]
  /// [m] how large an acceleration of the row the motion could cause, sqrt(Lambda_kk) |q''|: what a row that holds by
  /// cancellation or by symmetry is measured with. Zeros where the algorithm does not say.
  double* row_size;
  int iterations = 1;
  DependentRows dependent = {};
  dense::KktOutcome outcome = dense::KktOutcome::ok;
};

}  // namespace zwang
