// SPDX-License-Identifier: BSD-3-Clause
// Certificates: a minimal set of dependent rows for each redundant one, the fundamental circuits of the relations
// between the rows.
#include <algorithm>
#include <cmath>

#include "linear/rank_revealing.hpp"

namespace zwang {

Index RankRevealing::circuits(const Index* order) {
  const Index m = m_, count = m - rank_;
  damped_ = 0;  // C is reused here
  for (Index i = 0; i < m; ++i)
    for (Index k = 0; k < count; ++k) at(C_, i, k) = at(R_, i, k);
  const auto largest = [&](Index k) {
    double x = 0;
    for (Index i = 0; i < m; ++i) x = std::max(x, std::fabs(at(C_, i, k)));
    return x;
  };
  constexpr double k_unknown = -1;
  double* const size = largest_.data();
  for (Index k = 0; k < count; ++k) size[k] = k_unknown;
  Index done = 0;
  for (Index r = m - 1; r >= 0 && done < count; --r) {  // eliminates the last row of each column from the other columns
    if (is_stopped()) return 0;
    const Index i = order[r];
    Index best = -1;
    double share = least_share_;
    for (Index k = done; k < count; ++k) {
      const double c = std::fabs(at(C_, i, k));
      if (c == 0) continue;
      if (size[k] == k_unknown) size[k] = largest(k);
      if (!(c / size[k] > share)) continue;
      share = c / size[k];
      best = k;
    }
    if (best < 0) continue;
    const double inv = 1 / at(C_, i, best);
    for (Index a = 0; a < m; ++a) {
      std::swap(at(C_, a, best), at(C_, a, done));
      at(C_, a, done) *= inv;
    }
    size[best] = size[done];
    at(C_, i, done) = 1;
    double* const f = &at(C_, i, 0);
    for (Index a = 0; a < m; ++a) {
      const double c = at(C_, a, done);
      if (a == i || c == 0) continue;
      double* const row = &at(C_, a, 0);
      for (Index k = 0; k < done; ++k) row[k] -= f[k] * c;
      for (Index k = done + 1; k < count; ++k) row[k] -= f[k] * c;
    }
    for (Index k = 0; k < count; ++k) {
      if (f[k] != 0) size[k] = k_unknown;
      f[k] = k == done ? 1 : 0;
    }
    circuit_row_[done++] = i;
  }
  for (Index k = 0; k < done; ++k) {
    if (is_stopped()) return 0;
    const Index last = circuit_row_[k];
    const double least = least_share_ * largest(k);
    for (Index i = 0; i < m; ++i) {
      double& c = at(C_, i, k);
      c = std::fabs(c) <= least ? 0.0 : c * (scale_[last] / scale_[i]);
    }
  }
  return done;
}

}  // namespace zwang
