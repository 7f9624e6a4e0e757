// SPDX-License-Identifier: BSD-3-Clause
#include "linear/rank_revealing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linear/vectors.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {
constexpr double k_most_drift = 1e-3;  // of the coefficients of a relation between rows that have drifted
constexpr double k_doubt = 1e-6;       // theta up to which the cheap test passes
constexpr Index padded(Index n) {
  return (n + RankRevealing::k_padding - 1) / RankRevealing::k_padding * RankRevealing::k_padding;
}
}  // namespace

EquilibratedRows::EquilibratedRows(Index n)
    : A_(n * n),
      X_(n * n),
      bound_(n),
      scale_(n),
      inv_scale_(n),
      root_weight_(n) {}

CircuitNumbers::CircuitNumbers(Index n) : C_(n * n), largest_(n), circuit_row_(n) {}

RankRevealing::RankRevealing(Index coordinates, Index n, const Interruption* stop)
    : EquilibratedRows(padded(n) + k_padding),
      CircuitNumbers(padded(n) + k_padding),
      ranked(coordinates, n),
      capacity_(padded(n) + k_padding),
      stop_(stop),
      R_(capacity_ * capacity_),
      N_(capacity_ * capacity_),
      b_(capacity_),
      d_(capacity_),
      x_(capacity_),
      y_(capacity_),
      one_(2 * capacity_ + 1) {
  one_[capacity_] = 1;
}

RootRows RankRevealing::plain() {
  return {m_,
          capacity_,
          A_.data(),
          X_.data(),
          bound_.data(),
          scale_.data(),
          inv_scale_.data(),
          b_.data(),
          x_.data(),
          y_.data(),
          &one_[capacity_],
          stop_ != nullptr ? stop_->for_kernels() : Stop{}};
}

void RankRevealing::gather(Index m, Index coordinates, const double* W, const double* bound) {
  m_ = m;
  for (Index i = 0; i < m && !is_stopped(); ++i) {
    for (Index j = 0; j <= i; ++j)
      at(A_, i, j) = at(A_, j, i) = dot(coordinates, W + i * coordinates, W + j * coordinates);
    for (Index j = m; j < padded(m); ++j) at(A_, i, j) = 0;
    bound_[i] = std::max(at(A_, i, i), bound[i]);
  }
}
RootRows RankRevealing::begin(Index m) {
  m_ = m;
  return plain();
}

bool RankRevealing::factor_regular(double gross_ratio, double tolerance) {
  damped_ = 0;
  rank_ = m_;
  const RootDoubt x = kernels().hybrid->invert(plain());
  regular_ = is_beyond_doubt(x.trace * std::sqrt(x.spread), x.trace * static_cast<double>(m_), gross_ratio, tolerance);
  return regular_;
}

bool RankRevealing::is_beyond_doubt(double bounds, double rows, double gross_ratio, double tolerance) {
  constexpr double c = 8, eps = epsilon_of<double>;
  const double theta = c * eps * (2 * std::sqrt(gross_ratio) * bounds + rows + gross_ratio);
  // rest_i / (1 + sum |c|) is at least 1 / sqrt(m t).
  return theta < k_doubt && rows * (4 * tolerance * tolerance) < 1;
}

void RankRevealing::factor_ranked(const double* open, const double* weight, const int* level, double tolerance) {
  ranked.factor({bound_.data(), open, weight, level, tolerance, stop_});
  if (is_stopped()) return;
  rank_ = ranked.rank();
  least_share_ = 1e-7;
  for (Index i = 0; i < m_; ++i) {
    if (open != nullptr && !ranked.is_zero(i))
      least_share_ = std::max(least_share_, std::min(k_most_drift, open[i] / ranked.size(i)));
    root_weight_[i] = weight != nullptr ? std::sqrt(weight[i]) : 1.0;
    if (ranked.is_zero(i)) continue;  // its scale remains the root of the bound
    scale_[i] = ranked.size(i);
    inv_scale_[i] = 1 / scale_[i];
  }
  spans_null_space_ = false;
  if (rank_ < m_) relations();
}

void RankRevealing::solve(const double* soft_right, const double* b, double* lambda) {
  if (regular_) {
    std::copy_n(b, m_, b_.data());
    kernels().hybrid->solve(plain());
    std::copy_n(x_.data(), m_, lambda);
    return;
  }
  ranked.solve(soft_right, b);
  for (Index i = 0; i < m_; ++i) lambda[i] = ranked.multiplier(i);
}

/// R: the relations of dependent rows, sum_i R_ik (J a)_i / s_i = 0 for every a. Each column has 1 in a row that does
/// not count, and the coefficients of that row on the rows that do.
void RankRevealing::relations() {
  Index k = 0;
  for (Index i = 0; i < m_; ++i) {
    if (ranked.counts(i)) continue;
    for (Index j = 0; j < m_; ++j)
      at(R_, j, k) = j == i ? 1.0 : ranked.counts(j) && !ranked.is_zero(i) ? -ranked.coefficient(i, j) : 0.0;
    ++k;
  }
}

/// N: orthonormal columns that span S^-1 V_0, the null space of Lambda in the rows'
/// own units (modified Gram-Schmidt, twice).
void RankRevealing::null_space() {
  const Index m = m_;
  spans_null_space_ = true;
  const auto normalise = [&](Index k) {
    double n = 0;
    for (Index i = 0; i < m; ++i) n += at(N_, i, k) * at(N_, i, k);
    n = 1 / std::sqrt(n);
    for (Index i = 0; i < m; ++i) at(N_, i, k) *= n;
  };
  for (Index k = 0; k < m - rank_ && !is_stopped(); ++k) {
    for (Index i = 0; i < m; ++i) at(N_, i, k) = relation(i, k) / root_weight_[i];
    for (int twice = 0; twice < 2; ++twice) {
      normalise(k);
      for (Index j = 0; j < k; ++j) {
        double p = 0;
        for (Index i = 0; i < m; ++i) p += at(N_, i, j) * at(N_, i, k);
        for (Index i = 0; i < m; ++i) at(N_, i, k) -= p * at(N_, i, j);
      }
    }
    normalise(k);
  }
}

/// x -= N N^T x
void RankRevealing::project(double* x) const {
  for (Index k = 0; k < m_ - rank_; ++k) {
    double p = 0;
    for (Index i = 0; i < m_; ++i) p += at(N_, i, k) * x[i];
    for (Index i = 0; i < m_; ++i) x[i] -= p * at(N_, i, k);
  }
}

double RankRevealing::energy(const double* lambda) {
  double* const y = b_.data();
  for (Index i = 0; i < padded(m_); ++i) y[i] = i < m_ ? lambda[i] : 0.0;
  Numbers z(0.0);
  each_pack(m_, [&](Index j) ZWANG_LAMBDA {
    Numbers sum(0.0);
    for (Index i = 0; i < m_; ++i) sum += Numbers::load(&at(A_, i, j)) * y[i];
    z += sum * Numbers::load(y + j);
  });
  return 0.5 * sum(z);
}

void RankRevealing::least_norm(double* lambda) {
  if (rank_ == m_) return;
  if (!spans_null_space_) null_space();
  for (Index i = 0; i < m_; ++i) lambda[i] /= root_weight_[i];
  project(lambda);
  for (Index i = 0; i < m_; ++i) lambda[i] *= root_weight_[i];
}

}  // namespace zwang
