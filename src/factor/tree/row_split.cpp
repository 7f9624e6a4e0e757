// SPDX-License-Identifier: BSD-3-Clause
#include "factor/tree/row_split.hpp"

#include <cmath>
#include <utility>

#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

constexpr double k_beyond_doubt = 1e4;  // times the tolerance: covers the effect of another metric on the same rows
constexpr double k_rounding = 64 * epsilon_of<double>;  // times the number of rows

}  // namespace

RowSplit::Rank RowSplit::factor(double tolerance, double noise, const Interruption* stop) {
  for (Index i = 0; i < m; ++i) row[i] = i;
  for (Index j = 0; j < n; ++j) column[j] = j;
  for (rank = 0; rank < m; ++rank) {
    if (is_asked(stop)) return Rank::in_doubt;
    const Index t = rank;
    Index p = t, q = t;
    double largest = 0;
    for (Index i = t; i < m; ++i)
      for (Index j = t; j < n; ++j)
        if (std::fabs(at(i)[j]) > largest) {
          largest = std::fabs(at(i)[j]);
          p = i;
          q = j;
        }
    if (largest <= k_rounding * m * noise) return Rank::short_of_rows;
    if (largest * largest <= tolerance * (k_beyond_doubt + 10 * noise * noise)) return Rank::in_doubt;
    if (p != t) {
      for (Index j = 0; j < n; ++j) std::swap(at(p)[j], at(t)[j]);
      std::swap(row[p], row[t]);
    }
    if (q != t) {
      for (Index i = 0; i < m; ++i) std::swap(at(i)[q], at(i)[t]);
      std::swap(column[q], column[t]);
      std::swap(C[q], C[t]);
    }
    const double inverse = 1 / at(t)[t];
    for (Index i = t + 1; i < m; ++i) {
      const double l = at(i)[t] *= inverse;
      if (l != 0) subtract_multiple(n - t - 1, l, at(t) + t + 1, at(i) + t + 1);
    }
  }
  return Rank::full;
}

void RowSplit::begin(const double* kappa) {
  for (Index t = 0; t < rank; ++t) start[t] = R[row[t]] * kappa[row[t]] - dot(t, at(t), start);
}

void RowSplit::determine(double* a) const {
  for (Index j = rank; j < n; ++j) a[j] /= C[j];
  for (Index t = rank; t-- > 0;) a[t] = (start[t] - dot(n - t - 1, at(t) + t + 1, a + t + 1)) / at(t)[t];
  for (Index j = 0; j < n; ++j) a[j] *= C[j];
}

void RowSplit::dependence(double* G) const {
  const Index r = n - rank;
  for (Index t = rank; t-- > 0;) {
    double* const g = G + t * r;
    for (Index j = 0; j < r; ++j) g[j] = -at(t)[rank + j];
    for (Index s = t + 1; s < rank; ++s)
      if (at(t)[s] != 0) subtract_multiple(r, at(t)[s], G + s * r, g);
    const double inverse = 1 / at(t)[t];
    for (Index j = 0; j < r; ++j) g[j] *= inverse;
  }
  for (Index t = 0; t < rank; ++t)
    for (Index j = 0; j < r; ++j) G[t * r + j] *= C[t] / C[rank + j];
}

void RowSplit::multipliers(double* t, double* lambda) const {
  for (Index i = 0; i < rank; ++i) t[i] *= C[i];
  for (Index i = 0; i < rank; ++i) {
    t[i] /= at(i)[i];
    subtract_multiple(rank - i - 1, t[i], at(i) + i + 1, t + i + 1);
  }
  for (Index i = rank; i-- > 0;) subtract_multiple(i, t[i], at(i), t);
  for (Index i = 0; i < m; ++i) lambda[row[i]] = i < rank ? t[i] * R[row[i]] : 0.0;
}

void RowSplit::relation(Index p, double* c) const {
  for (Index i = 0; i < m; ++i) c[i] = 0;
  c[row[p]] = 1;
  // L1^T x = -l_p, stored at the pivots' rows
  for (Index i = rank; i-- > 0;) {
    double x = -at(p)[i];
    for (Index s = i + 1; s < rank; ++s) x -= at(s)[i] * c[row[s]];
    c[row[i]] = x;
  }
}

}  // namespace zwang
