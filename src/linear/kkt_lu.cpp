// SPDX-License-Identifier: BSD-3-Clause
#include "linear/kkt_lu.hpp"

#include <cmath>

#include "zwang/core/strips.hpp"

namespace zwang::dense {
KktLuWorkspace::KktLuWorkspace(Index nv, Index m)
    : capacity_(nv + m),
      system_(nv, m),
      decomposition_(nv + m),
      F_(capacity_ * capacity_),
      exchange_(capacity_) {}

/// P K = L U with exchange of whole rows. False if a pivot is zero, and where it is stopped.
bool KktLuWorkspace::factor() {
  const Index n = system_.size();
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) row(i)[j] = system_.row(i)[j];
  for (Index k = 0; k < n; ++k) {
    if (system_.is_stopped()) return false;
    Index best = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::fabs(row(i)[k]) > std::fabs(row(best)[k])) best = i;
    exchange_[k] = best;
    for (Index j = 0; best != k && j < n; ++j) {
      const double x = row(k)[j];
      row(k)[j] = row(best)[j];
      row(best)[j] = x;
    }
    if (!(std::fabs(row(k)[k]) > 0)) return false;
    const double inv = 1 / row(k)[k];
    for (Index i = k + 1; i < n; ++i) {
      const double f = row(i)[k] *= inv;
      if (f != 0) subtract_multiple(n - k - 1, f, row(k) + k + 1, row(i) + k + 1);
    }
  }
  return true;
}

void KktLuWorkspace::apply(double* x) const {
  const Index n = system_.size();
  for (Index k = 0; k < n; ++k) {
    const double t = x[exchange_[k]];
    x[exchange_[k]] = x[k];
    x[k] = t;
  }
  for (Index k = 0; k < n; ++k) x[k] -= dot(k, row(k), x);
  for (Index k = n - 1; k >= 0; --k) x[k] = (x[k] - dot(n - k - 1, row(k) + k + 1, x + k + 1)) / row(k)[k];
}

void KktLuWorkspace::solve(const KktProblem& p, KktAnswer& answer) {
  if (!system_.take(p, answer)) return;
  regular_ = factor() && system_.is_regular([&](double* x) { apply(x); });
  if (!regular_) return decomposition_.solve_instead(p, system_, answer);
  system_.solve([&](double* x) { apply(x); });
  system_.publish(p, answer);
}

void KktLuWorkspace::solve_again(const KktProblem& p, KktAnswer& answer) {
  if (!system_.take_right(p, answer)) return;
  if (!regular_) return decomposition_.solve_again(p, system_, answer);
  system_.solve([&](double* x) { apply(x); });
  system_.publish(p, answer);
}

}  // namespace zwang::dense
