// SPDX-License-Identifier: BSD-3-Clause
// The motion of least constraint by dense singular values: minimise 1/2 |a - a_free|^2_M subject to A a = b.
#pragma once
#include "support/reference.hpp"

namespace zwang::reference {

struct Constrained {
  VectorX<Real> acceleration;  ///< a, nearest a_free in M among the (least-squares) solutions of A a = b
  VectorX<Real> multipliers;   ///< M a + h = tau + A^T lambda; least norm in the user's units
  VectorX<Real> residual;      ///< A a - b, the user's units; zero for consistent rows
  VectorX<Real> free;          ///< a_free = M^-1 (tau - h)
  Real zwang = 0;              ///< 1/2 |a - a_free|^2_M
  int rank = 0;
  VectorX<Real> singular_values;  ///< of the rows in M^-1, each divided by its scale; largest first
  MatrixX<Real> delassus;         ///< A M^-1 A^T, the user's units
};

/// Rows A a = b, M positive definite. The rank counts the singular values of D^-1 A L^-T (M = L L^T, D the norms
/// of its rows) above `tolerance` times the largest; a row below `tolerance` times the sum of its terms'
/// magnitudes counts as zero. Inconsistent rows are solved in least squares of the user's units. Throws
/// std::domain_error where M is not positive definite.
Constrained constrained_motion(const MatrixX<Real>& M, const VectorX<Real>& h, const VectorX<Real>& tau,
                               const MatrixX<Real>& A, const VectorX<Real>& b, Real tolerance = 1e-9L);
/// A a + R lambda = b with R > 0: lambda = (A M^-1 A^T + R)^-1 (b - A a_free).
Constrained compliant_motion(const MatrixX<Real>& M, const VectorX<Real>& h, const VectorX<Real>& tau,
                             const MatrixX<Real>& A, const VectorX<Real>& b, const VectorX<Real>& R);

}  // namespace zwang::reference
