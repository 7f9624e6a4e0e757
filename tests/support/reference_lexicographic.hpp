// SPDX-License-Identifier: BSD-3-Clause
// The hybrid problem by dense linear algebra: soft and hard rows, levels of priority, prescribed coordinates, drivers
// that rows do not make up for. Level by level in the null space of the levels before, by singular values.
//
//   M a + h = tau + A^T lambda,   A a + R lambda = b   (R = 0: hard),   a_p given at prescribed coordinates
#pragma once
#include <utility>
#include <vector>

#include "support/reference.hpp"

namespace zwang::reference {

struct HybridProblem {
  enum class Rule { truncation, weighted, damping };
  enum Driver : unsigned { gravity_driver = 1, external_driver = 2, tau_driver = 4, prescribed_driver = 8 };

  MatrixX<Real> M, A;
  VectorX<Real> h, tau;                               ///< h: all of it, gravity and external wrenches too
  VectorX<Real> b;                                    ///< desired acceleration less the row's bias
  VectorX<Real> R;                                    ///< 0 or more, one per row; empty: zeros
  VectorX<Real> weight;                               ///< of the rule `weighted`; empty: ones
  std::vector<int> level = {};                        ///< 0 highest; empty: zeros. Soft rows have none.
  std::vector<std::pair<int, Real>> prescribed = {};  ///< coordinate and acceleration
  VectorX<Real> gravity, external;                    ///< generalised forces of two drivers, where rows leave them out
  std::vector<unsigned> left_out = {};                ///< drivers a row does not make up for; empty: none
  Rule rule = Rule::truncation;
  Real regularisation = 1e-6L;  ///< of damping, over the mean diagonal of A M^-1 A^T
  Real tolerance = 1e-9L;       ///< of the rank, on rows of unit length
};

struct HybridMotion {
  VectorX<Real> acceleration;
  VectorX<Real> multipliers;               ///< least norm (of lambda / sqrt(weight) where weighted)
  VectorX<Real> target;                    ///< b, and for rows that leave drivers out what those cause added
  VectorX<Real> residual;                  ///< A a - target
  VectorX<Real> free;                      ///< without any row, prescribed coordinates as prescribed
  Real zwang = 0;                          ///< 1/2 |a - free|^2_M
  int rank = 0;                            ///< independent hard rows and all soft ones
  std::vector<Real> singular_values = {};  ///< kept and dropped, of all levels, rows of unit length before projection
  Real amplification = 1;  ///< condition of the scaled inertia times that of the rows it keeps: what rounding grows by
  /// No singular value between the tolerances of this reference and of methods that decide on squares.
  bool clear(Real low = 1e-11L, Real high = 1e-5L) const;
};

/// Throws std::domain_error where the inertia of the free coordinates (soft rows included) is not positive definite.
HybridMotion hybrid_motion(const HybridProblem& p);

/// The same by the KKT system itself, which needs no inverse of M: rows independent and M (with soft rows) definite on
/// their null space. Returns the acceleration and the multipliers; throws std::domain_error where it is singular.
std::pair<VectorX<Real>, VectorX<Real>> kkt_motion(const HybridProblem& p);

}  // namespace zwang::reference
