// SPDX-License-Identifier: BSD-3-Clause
#include "question/assembly/metric.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {

Metric::Metric(Index nv, const Buffer<Index>& free, Index count)
    : nv_(nv),
      n_(count),
      free_(free),
      root_(count),
      L_(count * count),
      y_(count) {}

void Metric::set_weights(const double* weights) {
  dense_ = false;
  plain_ = true;
  for (Index j = 0; j < n_; ++j) {
    root_[j] = std::sqrt(weights[free_[j]]);
    plain_ = plain_ && root_[j] == root_[0];
  }
}

bool Metric::set_matrix(const double* M, Index stride) {
  dense_ = true;
  plain_ = false;
  for (Index i = 0; i < n_; ++i)
    for (Index j = 0; j <= i; ++j) {
      const double m = M[free_[i] * stride + free_[j]], rest = m - dot(j, &L_[i * n_], &L_[j * n_]);
      if (i != j) {
        L(i, j) = rest / L(j, j);
        continue;
      }
      if (!(rest > 16 * epsilon_of<double> * static_cast<double>(n_) * m)) return false;
      L(i, i) = std::sqrt(rest);
    }
  return true;
}

void Metric::columns_of(const double* row, double* out) const {
  if (ones_) {
    for (Index j = 0; j < n_; ++j) out[j] = row[free_[j]];
    return;
  }
  for (Index j = 0; j < n_; ++j)
    out[j] = dense_ ? (row[free_[j]] - dot(j, &L_[j * n_], out)) / L(j, j) : row[free_[j]] / root_[j];
}

void Metric::step_of(const double* x, double* d) const {
  std::fill_n(d, nv_, 0.0);
  if (ones_ || !dense_) {
    for (Index j = 0; j < n_; ++j) d[free_[j]] = ones_ ? x[j] : x[j] / root_[j];
    return;
  }
  std::copy_n(x, n_, y_.data());
  for (Index j = n_ - 1; j >= 0; --j) {  // L^T d = x
    y_[j] /= L(j, j);
    subtract_multiple(j, y_[j], &L_[j * n_], y_.data());
    d[free_[j]] = y_[j];
  }
}

void Metric::lengths_of(const double* d, double* x) const {
  for (Index i = 0; i < n_; ++i) {
    if (ones_ || !dense_) {
      x[i] = ones_ ? d[free_[i]] : root_[i] * d[free_[i]];
      continue;
    }
    x[i] = 0;
    for (Index k = i; k < n_; ++k) x[i] += L(k, i) * d[free_[k]];
  }
}

void Metric::weigh(const double* d, double* out) const {
  lengths_of(d, y_.data());
  std::fill_n(out, nv_, 0.0);
  for (Index i = 0; i < n_; ++i)
    out[free_[i]] = ones_ ? y_[i] : dense_ ? dot(i + 1, &L_[i * n_], y_.data()) : root_[i] * y_[i];
}

}  // namespace zwang
