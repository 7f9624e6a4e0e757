// SPDX-License-Identifier: BSD-3-Clause
#include "linear/row_relations.hpp"

#include <cmath>

#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang::dense {
namespace {
constexpr double k_rounding = 64 * epsilon_of<double>;  // times the number of rows: of sums of that many terms
}

RowRelations::RowRelations(Index capacity)
    : capacity_(capacity),
      N_(capacity * capacity),
      C_(capacity * capacity),
      own_(capacity),
      taken_(capacity) {}

void RowRelations::begin(Index m) {
  m_ = m;
  count_ = 0;
}
double* RowRelations::add() { return at(count_++); }

void RowRelations::finish(const double* inv_scale, const Interruption* stop) {
  if (count_ == 0) return;
  eliminate(inv_scale, stop);
  const auto normalise = [&](double* v) {
    const double inv = 1 / std::sqrt(dot(m_, v, v));
    for (Index i = 0; i < m_; ++i) v[i] *= inv;
  };
  for (Index k = 0; k < count_ && !is_asked(stop); ++k) {  // modified Gram-Schmidt, twice
    double* const v = at(k);
    for (Index i = 0; i < m_; ++i) C_[k * capacity_ + i] = v[i] *= inv_scale[i];
    for (int twice = 0; twice < 2; ++twice) {
      normalise(v);
      for (Index j = 0; j < k; ++j) subtract_multiple(m_, dot(m_, at(j), v), at(j), v);
    }
    normalise(v);
  }
}

/// Gauss-Jordan: each relation gets a row of its own. Pivots prefer rows of small scale: these are large in N, and a
/// remainder there that is not exactly zero would exceed the other entries.
void RowRelations::eliminate(const double* inv_scale, const Interruption* stop) {
  for (Index i = 0; i < m_; ++i) taken_[i] = 0;
  for (Index k = 0; k < count_; ++k) {
    if (is_asked(stop)) return;
    Index vector = k, row = -1;
    if (!choose(k, inv_scale, vector, row)) return;  // for entries that are not finite
    taken_[row] = 1;
    own_[k] = row;
    double* const v = at(k);
    double* const w = at(vector);
    for (Index i = 0; v != w && i < m_; ++i) {
      const double x = v[i];
      v[i] = w[i];
      w[i] = x;
    }
    const double inv = 1 / v[row];
    for (Index i = 0; i < m_; ++i) v[i] *= inv;
    v[row] = 1;
    for (Index c = 0; c < count_; ++c) {
      const double f = at(c)[row];
      if (c == k || f == 0) continue;
      subtract_multiple(m_, f, v, at(c));
      at(c)[row] = 0;
    }
  }
  for (Index k = 0; k < count_; ++k) {
    double largest = 0;
    for (Index i = 0; i < m_; ++i) largest = std::fmax(largest, std::fabs(at(k)[i]));
    for (Index i = 0; i < m_; ++i)
      if (std::fabs(at(k)[i]) <= k_rounding * m_ * largest) at(k)[i] = 0;
  }
}

/// Of the rows with at least a tenth of the largest entry, the one with the smallest scale.
bool RowRelations::choose(Index k, const double* inv_scale, Index& vector, Index& row) const {
  const auto largest_of = [&](Index i) {
    Index best = k;
    for (Index c = k + 1; c < count_; ++c)
      if (std::fabs(at(c)[i]) > std::fabs(at(best)[i])) best = c;
    return best;
  };
  double largest = 0;
  for (Index i = 0; i < m_; ++i)
    if (!taken_[i]) largest = std::fmax(largest, std::fabs(at(largest_of(i))[i]));
  for (Index i = 0; i < m_; ++i) {
    if (taken_[i] || (row >= 0 && inv_scale[i] <= inv_scale[row])) continue;
    const Index best = largest_of(i);
    if (!(std::fabs(at(best)[i]) >= 0.1 * largest) || largest == 0) continue;
    row = i;
    vector = best;
  }
  return row >= 0;
}

void RowRelations::project(double* x) const {
  for (Index k = 0; k < count_; ++k) subtract_multiple(m_, dot(m_, at(k), x), at(k), x);
}

void RowRelations::meet(double* b) const {
  bool contradicts = false;
  for (Index k = 0; k < count_; ++k) {
    double t = 0, size = 0;
    for (Index i = 0; i < m_; ++i) {
      t += at(k)[i] * b[i];
      size += std::fabs(at(k)[i] * b[i]);
    }
    contradicts = contradicts || std::fabs(t) > k_rounding * m_ * size;
  }
  if (!contradicts) return;
  project(b);
  for (Index k = 0; k < count_; ++k) {
    const double* const c = C_.data() + k * capacity_;
    const Index own = own_[k];
    b[own] -= dot(m_, c, b) / c[own];
  }
}

}  // namespace zwang::dense
