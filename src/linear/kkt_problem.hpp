// SPDX-License-Identifier: BSD-3-Clause
// KktProblem: constrained dynamics as matrices, for the solvers that work on them.
//
//   M a - J^T lambda = tau,   J a + R lambda = b        a_k given where coordinate k is held
//
// All solvers of the library give the same answer: a is nearest to M^-1 tau in the metric of M, lambda is least-norm in
// the rows' own units. If rows are contradictory b is replaced by the nearest right-hand side that they can meet, in
// the same units.
#pragma once
#include "linear/interruption.hpp"
#include "zwang/core/index.hpp"

namespace zwang::dense {

/// Row-major matrices of the caller. Numbers that are not finite lead to not_finite.
struct KktProblem {
  Index nv = 0, m = 0;
  const double* M = nullptr;  ///< nv x nv, both triangles, armature included, positive semidefinite
  Index M_stride = 0;
  const double* tau = nullptr;  ///< [nv] minus the bias forces; not read at held coordinates
  const double* J = nullptr;    ///< m x nv
  Index J_stride = 0;
  const double* b = nullptr;            ///< [m]
  const double* R = nullptr;            ///< [m] compliances, 0 or more; nullptr: zeros
  const unsigned char* held = nullptr;  ///< [nv] not 0: prescribed; nullptr: none
  const double* held_value = nullptr;   ///< [nv]
  const Index* row_parent = nullptr;    ///< [nv] elimination tree of M (Tree::row_parent)
  /// [m] bounds of the diagonal of J M^-1 J^T that are free of cancellation, or nullptr. A row of J that is below its
  /// bound by the tolerance is rounding and counts as zero. With nullptr J is taken as exact.
  const double* row_bound = nullptr;
  const Interruption* stop = nullptr;  ///< where it says so, the answer is not_converged
  double tolerance = 0;                ///< of the rank, on equilibrated rows of J M^-1 J^T; 0: 64 eps m
};

enum class KktOutcome {
  ok,
  singular_mass,  ///< M is singular where no row (or for some methods: although a row) determines the motion
  singular_rows,  ///< the method does not support dependent rows; the answer is right, by a rank-revealing factor
  not_converged,  ///< no answer within the iterations
  not_finite,     ///< a number of the problem or of the answer is not finite
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
