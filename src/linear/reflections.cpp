// SPDX-License-Identifier: BSD-3-Clause
#include "linear/reflections.hpp"

#include <cmath>
#include <utility>

#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang::dense {

Reflections::Reflections(Index rows, Index columns)
    : stride_(rows),
      a_(rows * columns),
      d_(columns),
      beta_(columns),
      norm2_(columns),
      found2_(columns),
      pivot_(columns) {}

void Reflections::swap_columns(Index i, Index j) {
  if (i == j) return;
  for (Index r = 0; r < rows_; ++r) std::swap(column(i)[r], column(j)[r]);
  std::swap(norm2_[i], norm2_[j]);
  std::swap(found2_[i], found2_[j]);
  std::swap(pivot_[i], pivot_[j]);
}

/// H_k transforms column k to d_k e_k; v is stored in its place.
void Reflections::eliminate(Index k) {
  double* const v = column(k) + k;
  const double x = v[0], rest2 = dot(rows_ - k - 1, v + 1, v + 1), norm = std::sqrt(x * x + rest2);
  d_[k] = x;
  beta_[k] = 0;
  if (!(rest2 > 0)) return;
  d_[k] = x > 0 ? -norm : norm;
  v[0] = x - d_[k];
  beta_[k] = 2 / (v[0] * v[0] + rest2);
}

void Reflections::reflect(Index k, double* x) const {
  const double* const v = direction(k);
  subtract_multiple(rows_ - k, beta_[k] * dot(rows_ - k, v, x + k), v, x + k);
}

void Reflections::factor_in_order(Index rows, Index columns, const Interruption* stop) {
  factor_by_rows(rows, columns, nullptr, stop);
}

void Reflections::factor_by_rows(Index rows, Index columns, Index* place, const Interruption* stop) {
  rows_ = rows;
  columns_ = columns;
  for (Index k = 0; k < columns; ++k) pivot_[k] = k;
  for (rank_ = 0; rank_ < columns && !is_asked(stop); ++rank_) {
    const Index k = rank_;
    if (place != nullptr) raise_largest(k, place);
    eliminate(k);
    for (Index j = k + 1; j < columns; ++j) reflect(k, column(j));
  }
}

/// Row k becomes that of the largest entry of column k.
void Reflections::raise_largest(Index k, Index* place) {
  Index largest = k;
  for (Index r = k + 1; r < rows_; ++r)
    if (std::fabs(column(k)[r]) > std::fabs(column(k)[largest])) largest = r;
  if (largest == k) return;
  for (Index j = 0; j < columns_; ++j) std::swap(column(j)[k], column(j)[largest]);
  std::swap(place[k], place[largest]);
}

void Reflections::factor(Index rows, Index columns, double tolerance, const Interruption* stop) {
  constexpr double k_little = 1e-8;  // of a squared length: below, downdating has lost half of its digits
  rows_ = rows;
  columns_ = columns;
  double longest = 0;
  for (Index j = 0; j < columns; ++j) {
    pivot_[j] = j;
    norm2_[j] = found2_[j] = dot(rows, column(j), column(j));
    longest = std::fmax(longest, norm2_[j]);
  }
  const Index most = rows < columns ? rows : columns;
  for (rank_ = 0; rank_ < most && !is_asked(stop); ++rank_) {
    const Index k = rank_;
    Index best = k;
    for (Index j = k + 1; j < columns; ++j)
      if (norm2_[j] > norm2_[best]) best = j;
    if (!(norm2_[best] > tolerance * tolerance * longest)) return;
    swap_columns(k, best);
    eliminate(k);
    for (Index j = k + 1; j < columns; ++j) {
      double* const c = column(j);
      reflect(k, c);
      norm2_[j] -= c[k] * c[k];
      if (!(norm2_[j] > k_little * found2_[j])) norm2_[j] = found2_[j] = dot(rows - k - 1, c + k + 1, c + k + 1);
    }
  }
}

void Reflections::apply_transposed(double* x) const {
  for (Index k = 0; k < rank_; ++k) reflect(k, x);
}
void Reflections::apply(double* x) const {
  for (Index k = rank_ - 1; k >= 0; --k) reflect(k, x);
}
void Reflections::solve_upper(double* x) const {
  for (Index k = rank_ - 1; k >= 0; --k) {
    x[k] /= d_[k];
    subtract_multiple(k, x[k], column(k), x);
  }
}
void Reflections::solve_lower(double* x) const {
  for (Index k = 0; k < rank_; ++k) x[k] = (x[k] - dot(k, column(k), x)) / d_[k];
}

}  // namespace zwang::dense
