// SPDX-License-Identifier: BSD-3-Clause
// KktProblem: constrained dynamics as matrices, for the solvers that work on them.
//
//   M a - J^T lambda = tau,   J a + R lambda = b        a_k given where coordinate k is held
//
// The answer is that of every solver of the library: a is nearest M^-1 tau in M, lambda least-norm in the rows' own
// units. Where rows contradict each other b is replaced by the nearest right-hand side that they can meet, in the same
// units.
#pragma once
#include "zwang/core/index.hpp"

namespace zwang::dense {

/// Row-major matrices of the caller. What is not finite ends as not_converged.
struct KktProblem {
  Index nv = 0, m = 0;
  const double* M = nullptr;  ///< nv x nv, both triangles, armature included, positive semidefinite
  Index M_stride = 0;
  const double* tau = nullptr;  ///< [nv] less the bias forces; not read at held coordinates
  const double* J = nullptr;    ///< m x nv
  Index J_stride = 0;
  const double* b = nullptr;            ///< [m]
  const double* R = nullptr;            ///< [m] compliances, 0 or more; nullptr: zeros
  const unsigned char* held = nullptr;  ///< [nv] not 0: prescribed; nullptr: none
  const double* held_value = nullptr;   ///< [nv]
  const Index* row_parent = nullptr;    ///< [nv] elimination tree of M (Tree::row_parent)
  /// [m] bounds of the diagonal of J M^-1 J^T that are free of cancellation, or nullptr: a row of J that is smaller by
  /// the tolerance is rounding and counts as zero. Without them J is taken as exact.
  const double* row_bound = nullptr;
  double tolerance = 0;  ///< of the rank, on equilibrated rows of J M^-1 J^T; 0: 64 eps m
};

enum class KktOutcome {
  ok,
  singular_mass,  ///< M moves without inertia where no row (or for some methods: although a row) determines it
  singular_rows,  ///< the method cannot do dependent rows; the answer is right, by a factor that tells the rank
  not_converged,  ///< no answer within the iterations, or not finite
  unsupported,    ///< larger than the workspace
};

/// All numbers are 0 unless the outcome is ok or singular_rows.
struct KktAnswer {
  double* acceleration = nullptr;  ///< [nv]
  double* lambda = nullptr;        ///< [m]
  Index rank = 0;                  ///< of the rows; soft ones count in full
  int iterations = 0;
  KktOutcome outcome = KktOutcome::ok;
};

}  // namespace zwang::dense
