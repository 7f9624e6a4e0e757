// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/root/rank_revealing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dynamics/vectors.hpp"
#include "zwang/dynamics/page/root_rows.hpp"

namespace zwang {
namespace {
constexpr double k_beyond_doubt = 1e8;  // trace of E^-1 up to which one refinement step removes all of its rounding
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
      root_weight_(n),
      s_(n),
      inv_s_(n) {}

CircuitNumbers::CircuitNumbers(Index n) : C_(n * n), contradiction_(n), circuit_row_(n), conflicting_(n) {}

RankRevealing::RankRevealing(Index n)
    : EquilibratedRows(padded(n) + k_padding),
      CircuitNumbers(padded(n) + k_padding),
      capacity_(padded(n) + k_padding),
      E_(capacity_ * capacity_),
      F_(capacity_ * capacity_),
      V_(capacity_ * capacity_),
      R_(capacity_ * capacity_),
      N_(capacity_ * capacity_),
      b_(capacity_),
      d_(capacity_),
      x_(capacity_),
      y_(capacity_),
      one_(2 * capacity_ + 1),
      pivot_(capacity_),
      levels_(capacity_) {
  one_[capacity_] = 1;
}

RootRows RankRevealing::plain() {
  return {m_,        capacity_, A_.data(), X_.data(),       bound_.data(), scale_.data(), inv_scale_.data(),
          b_.data(), x_.data(), y_.data(), &one_[capacity_]};
}

void RankRevealing::gather(Index m, const double* Lambda, const double* bound) {
  m_ = m;
  for (Index i = 0; i < m_; ++i) {
    bound_[i] = bound[i];
    for (Index j = 0; j < padded(m_); ++j) at(A_, i, j) = j < m_ ? Lambda[i * m_ + j] : 0.0;
  }
}
void RankRevealing::gather(const page::RowStage<double>& rows) {
  m_ = rows.root_rows;
  if (!rows.early && rows.root_soft == 0) return kernels().hybrid->gather(&rows, plain());
  page::gather_rows(rows, A_.data(), capacity_);
  for (Index i = 0; i < m_; ++i) {
    bound_[i] = page::lane<double>(rows.bound.data(), rows.root_slot[i]);
    for (Index j = 0; j < i; ++j) at(A_, j, i) = at(A_, i, j);
    for (Index j = m_; j < padded(m_); ++j) at(A_, i, j) = 0;
  }
}

void RankRevealing::factor(const double* weight, double tolerance) {
  damped_ = 0;
  weighted_ = weight != nullptr;
  // 1 / trace is at most the smallest eigenvalue.
  const double trace = kernels().hybrid->invert(plain(), tolerance);
  regular_ = trace < k_beyond_doubt && trace * (4 * tolerance) < 1;
  rank_ = m_;
  if (regular_) return;
  equilibrate(weight);
  decompose(tolerance);
  if (rank_ == m_) return;
  relations();
  null_space();
}

/// E = S^-1 A S^-1, and the scale of weighted rows.
void RankRevealing::equilibrate(const double* weight) {
  for (Index i = 0; i < m_; ++i) {
    root_weight_[i] = weighted_ ? std::sqrt(weight[i]) : 1.0;
    s_[i] = scale_[i] * root_weight_[i];
    inv_s_[i] = inv_scale_[i] / root_weight_[i];
    for (Index j = 0; j < padded(m_); ++j) at(E_, i, j) = at(A_, i, j) * inv_scale_[i] * inv_scale_[j];
  }
}

bool RankRevealing::consistent(const double* b, const Measure& measure) const {
  bool good = true;
  for (Index k = 0; k < m_ - rank_; ++k) {
    double t = 0, scale = 0;
    for (Index i = 0; i < m_; ++i) {
      const double c = at(R_, i, k) * inv_scale_[i];
      t += c * b[i];
      scale += std::fabs(c) * (measure.size[i] + measure.strength * scale_[i]);
    }
    good = good && std::fabs(t) <= measure.feasibility * scale;
  }
  return good;
}

void RankRevealing::solve(const double* b, const Measure& measure, const int* level, double* lambda) {
  const Index m = m_;
  if (regular_) {
    std::copy_n(b, m, b_.data());
    kernels().hybrid->solve(plain());
    std::copy_n(x_.data(), m, lambda);
    return;
  }
  Buffer<double>& y = y_;
  for (Index i = 0; i < m; ++i) y[i] = weighted_ ? b[i] * root_weight_[i] : b[i];
  if (rank_ < m && !consistent(b, measure)) {
    if (level != nullptr)
      levels_.project(m, m - rank_, R_.data(), inv_s_.data(), level, y.data());
    else
      project(y.data());
  }
  for (Index i = 0; i < m; ++i) y[i] *= inv_s_[i];
  apply_scaled(y.data(), lambda);
  refine(y.data(), lambda);
  for (Index i = 0; i < m; ++i) lambda[i] *= inv_s_[i];
  if (rank_ < m) project(lambda);
  if (weighted_)
    for (Index i = 0; i < m; ++i) lambda[i] *= root_weight_[i];
}

/// One step of iterative refinement on the equilibrated rows.
void RankRevealing::refine(double* b, double* x) {
  for (Index i = 0; i < m_; ++i) {
    double r = b[i];
    for (Index j = 0; j < m_; ++j) r -= at(E_, i, j) * x[j];
    d_[i] = r;
  }
  apply_scaled(d_.data(), b);
  for (Index i = 0; i < m_; ++i) x[i] += b[i];
}

/// R: the relations of dependent rows, sum_i R_ik (J a)_i / s_i = 0 for every a. It is V_0 after Gauss-Jordan
/// elimination: each column has 1 in a row of its own and 0 in the rows of the others. Pivots prefer rows of small s:
/// these are large in the rows' own units, and columns that differ there still differ after division by s.
void RankRevealing::relations() {
  const Index m = m_, relations = m - rank_;
  Buffer<Index>& taken = pivot_;  // not in use where eigenvectors are
  for (Index i = 0; i < m; ++i) taken[i] = 0;
  for (Index k = 0; k < relations; ++k)
    for (Index i = 0; i < m; ++i) at(R_, i, k) = at(V_, i, rank_ + k);
  for (Index k = 0; k < relations; ++k) {
    Index row = -1, column = k;
    choose_relation(k, row, column);
    if (row < 0) return;  // entries that are not finite
    taken[row] = 1;
    const double inv = 1 / at(R_, row, column);
    for (Index i = 0; i < m; ++i) {
      std::swap(at(R_, i, k), at(R_, i, column));
      at(R_, i, k) *= inv;
    }
    for (Index c = 0; c < relations; ++c) {
      const double f = c == k ? 0 : at(R_, row, c);
      if (f == 0) continue;
      for (Index i = 0; i < m; ++i) at(R_, i, c) -= f * at(R_, i, k);
      at(R_, row, c) = 0;
    }
  }
}

/// The next pivot among columns k and later: of the rows with at least a tenth of the largest entry, the one with the
/// smallest s.
void RankRevealing::choose_relation(Index k, Index& row, Index& column) const {
  const auto largest_of = [&](Index i) {
    Index best = k;
    for (Index c = k + 1; c < m_ - rank_; ++c)
      if (std::fabs(at(R_, i, c)) > std::fabs(at(R_, i, best))) best = c;
    return best;
  };
  double largest = 0;
  for (Index i = 0; i < m_; ++i)
    if (!pivot_[i]) largest = std::max(largest, std::fabs(at(R_, i, largest_of(i))));
  for (Index i = 0; i < m_; ++i) {
    if (pivot_[i] || (row >= 0 && s_[i] >= s_[row])) continue;
    const Index best = largest_of(i);
    if (!(std::fabs(at(R_, i, best)) >= 0.1 * largest)) continue;
    row = i;
    column = best;
  }
}

/// N: orthonormal columns that span S^-1 V_0, the null space of Lambda in the rows' own units (modified Gram-Schmidt,
/// twice).
void RankRevealing::null_space() {
  const Index m = m_;
  const auto normalise = [&](Index k) {
    double n = 0;
    for (Index i = 0; i < m; ++i) n += at(N_, i, k) * at(N_, i, k);
    n = 1 / std::sqrt(n);
    for (Index i = 0; i < m; ++i) at(N_, i, k) *= n;
  };
  for (Index k = 0; k < m - rank_; ++k) {
    for (Index i = 0; i < m; ++i) at(N_, i, k) = at(R_, i, k) * inv_s_[i];
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

/// x = E^+ b
void RankRevealing::apply_scaled(const double* b, double* x) {
  const Index m = m_;
  for (Index i = 0; i < m; ++i) x[i] = 0;
  for (Index k = 0; k < rank_; ++k) {
    double p = 0;
    for (Index i = 0; i < m; ++i) p += at(V_, i, k) * b[i];
    p /= at(F_, k, k);
    for (Index i = 0; i < m; ++i) x[i] += p * at(V_, i, k);
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

void RankRevealing::least_norm(double* lambda) const {
  if (rank_ == m_) return;
  for (Index i = 0; i < m_; ++i) lambda[i] /= root_weight_[i];
  project(lambda);
  for (Index i = 0; i < m_; ++i) lambda[i] *= root_weight_[i];
}

}  // namespace zwang
