// SPDX-License-Identifier: BSD-3-Clause
#include "linear/row_system.hpp"

#include <cmath>

#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang::dense {
namespace {
constexpr double k_beyond_doubt = 1e-4;  // a pivot of rows whose diagonal is 1
}

RowSystem::RowSystem(Index capacity)
    : capacity_(capacity),
      G_(capacity * capacity),
      E_(capacity * capacity),
      L_(capacity * capacity),
      inv_scale_(capacity),
      d_(capacity),
      y_(capacity),
      x_(capacity),
      r_(capacity),
      pivot_(capacity),
      relations_(capacity) {}

void RowSystem::factor(Index m, double tolerance, const Interruption* stop) {
  m_ = m;
  relations_.begin(m);
  for (Index i = 0; i < m; ++i) inv_scale_[i] = row(i)[i] > 0 ? 1 / std::sqrt(row(i)[i]) : 1.0;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j <= i; ++j) E_[i * capacity_ + j] = row(i)[j] * inv_scale_[i] * inv_scale_[j];
  rank_ = m;
  if (factor_in_order(stop)) return;
  factor_by_pivots(tolerance, stop);
  relate(stop);
}

bool RowSystem::factor_in_order(const Interruption* stop) {
  for (Index i = 0; i < m_; ++i) {
    if (is_asked(stop)) return false;
    double* const r = factor_row(i);
    for (Index j = 0; j < i; ++j) r[j] = (equilibrated(i)[j] - dot(j, r, factor_row(j))) / factor_row(j)[j];
    const double d = equilibrated(i)[i] - dot(i, r, r);
    if (!(d > k_beyond_doubt)) return false;
    r[i] = std::sqrt(d);
    pivot_[i] = i;
  }
  return true;
}

/// The largest remaining diagonal is the next pivot; below the tolerance, the remaining rows depend on the rows before.
void RowSystem::factor_by_pivots(double tolerance, const Interruption* stop) {
  for (Index i = 0; i < m_; ++i) {
    d_[i] = equilibrated(i)[i];
    pivot_[i] = i;
  }
  for (rank_ = 0; rank_ < m_ && !is_asked(stop); ++rank_) {
    const Index k = rank_;
    Index best = k;
    for (Index i = k + 1; i < m_; ++i)
      if (d_[pivot_[i]] > d_[pivot_[best]]) best = i;
    const Index p = pivot_[best];
    if (!(d_[p] > tolerance)) break;
    pivot_[best] = pivot_[k];
    pivot_[k] = p;
    const double root = std::sqrt(d_[p]);
    factor_row(p)[k] = root;
    for (Index c = k + 1; c < m_; ++c) {
      const Index i = pivot_[c];
      const double e = i > p ? equilibrated(i)[p] : equilibrated(p)[i];
      const double x = (e - dot(k, factor_row(i), factor_row(p))) / root;
      factor_row(i)[k] = x;
      d_[i] -= x * x;
    }
  }
}

/// Each remaining row q is a combination z of the pivots' rows: L_11^T z = (row q of L).
void RowSystem::relate(const Interruption* stop) {
  for (Index q = rank_; q < m_ && !is_asked(stop); ++q) {
    double* const c = relations_.add();
    for (Index i = 0; i < m_; ++i) c[i] = 0;
    c[pivot_[q]] = 1;
    for (Index k = rank_ - 1; k >= 0; --k) {
      double z = factor_row(pivot_[q])[k];
      for (Index l = k + 1; l < rank_; ++l) z += factor_row(pivot_[l])[k] * c[pivot_[l]];
      c[pivot_[k]] = -z / factor_row(pivot_[k])[k];
    }
  }
  relations_.finish(inv_scale_.data(), stop);
}

/// E x = y, by the pivots' rows only.
void RowSystem::apply(const double* y, double* x) {
  for (Index k = 0; k < rank_; ++k) {
    const double* const l = factor_row(pivot_[k]);
    d_[k] = (y[pivot_[k]] - dot(k, l, d_.data())) / l[k];
  }
  for (Index i = 0; i < m_; ++i) x[i] = 0;
  for (Index k = rank_ - 1; k >= 0; --k) {
    const double* const l = factor_row(pivot_[k]);
    const double z = x[pivot_[k]] = d_[k] / l[k];
    subtract_multiple(k, z, l, d_.data());
  }
}

void RowSystem::solve(const double* b, double* lambda) {
  for (Index i = 0; i < m_; ++i) y_[i] = b[i];
  relations_.meet(y_.data());
  for (Index i = 0; i < m_; ++i) r_[i] = y_[i] *= inv_scale_[i];
  apply(y_.data(), x_.data());
  for (Index i = 0; i < m_; ++i) {  // one refinement
    r_[i] -= dot(i + 1, equilibrated(i), x_.data());
    subtract_multiple(i, x_[i], equilibrated(i), r_.data());
  }
  apply(r_.data(), lambda);
  for (Index i = 0; i < m_; ++i) lambda[i] = (lambda[i] + x_[i]) * inv_scale_[i];
  relations_.project(lambda);
}

}  // namespace zwang::dense
