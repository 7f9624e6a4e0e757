// SPDX-License-Identifier: BSD-3-Clause
// Singular values by one-sided Jacobi rotations of rows (Hestenes 1958; Golub & Van Loan 2013, sec. 8.6.3).
//
// Small singular values of a matrix whose rows have one size are found to epsilon times the largest.
// Cost: about 6 sweeps of 3 m^2 n multiply-adds for m rows of n numbers. Allocates nothing.
#pragma once
#include <algorithm>
#include <cmath>

#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang::dense {

/// A: m x n row by row, overwritten; values [m], largest first. For m > n give the transposed matrix.
inline void singular_values(Index m, Index n, double* A, double* values) {
  for (int sweep = 0; sweep < 40; ++sweep) {
    bool turned = false;
    for (Index i = 0; i < m; ++i)
      for (Index j = i + 1; j < m; ++j) {
        double *const x = A + i * n, *const y = A + j * n;
        const double a = dot(n, x, x), b = dot(n, y, y), c = dot(n, x, y);
        if (!(std::fabs(c) > epsilon_of<double> * std::sqrt(a * b))) continue;
        turned = true;
        const double zeta = (b - a) / (2 * c);
        const double t = (zeta >= 0 ? 1 : -1) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
        const double cosine = 1 / std::sqrt(1 + t * t), sine = cosine * t;
        for (Index k = 0; k < n; ++k) {
          const double old = x[k];
          x[k] = cosine * old - sine * y[k];
          y[k] = sine * old + cosine * y[k];
        }
      }
    if (!turned) break;
  }
  for (Index i = 0; i < m; ++i) values[i] = std::sqrt(dot(n, A + i * n, A + i * n));
  std::sort(values, values + m, [](double x, double y) { return x > y; });
}

}  // namespace zwang::dense
