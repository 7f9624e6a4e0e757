// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/dynamics/dense/kkt_lu.hpp"

#include <cmath>

#include "zwang/core/strips.hpp"

namespace zwang::dense {
namespace {
constexpr double k_doubt = 1e3;  // times the tolerance of the rank: an estimate may be wrong by tens
}

KktLuWorkspace::KktLuWorkspace(Index nv, Index m)
    : capacity_(nv + m),
      system_(nv, m),
      decomposition_(nv + m),
      F_(capacity_ * capacity_),
      x_(capacity_),
      y_(capacity_),
      exchange_(capacity_) {}

/// P K = L U, whole rows being exchanged. False where a pivot is zero.
bool KktLuWorkspace::factor() {
  const Index n = system_.size();
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) row(i)[j] = system_.row(i)[j];
  for (Index k = 0; k < n; ++k) {
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

/// An estimate of |K^-1|_1, K being symmetric: walk to the unit vector that K^-1 makes longest.
double KktLuWorkspace::inverse_norm() {
  const Index n = system_.size();
  const auto sum_of = [&](const double* x) {
    double s = 0;
    for (Index i = 0; i < n; ++i) s += std::fabs(x[i]);
    return s;
  };
  for (Index i = 0; i < n; ++i) x_[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1 + double(i) / n) / n;  // along no symmetry
  double norm = 0;
  Index last = -1;
  for (int step = 0; step < 4; ++step) {
    apply(x_.data());
    norm = std::fmax(norm, sum_of(x_.data()));
    for (Index i = 0; i < n; ++i) y_[i] = x_[i] < 0 ? -1.0 : 1.0;
    apply(y_.data());
    Index best = 0;
    for (Index i = 1; i < n; ++i)
      if (std::fabs(y_[i]) > std::fabs(y_[best])) best = i;
    if (best == last) break;
    last = best;
    for (Index i = 0; i < n; ++i) x_[i] = i == best ? 1.0 : 0.0;
  }
  return norm;
}

void KktLuWorkspace::solve(const KktProblem& p, KktAnswer& answer) {
  if (!system_.take(p, answer)) return;
  if (factor() && inverse_norm() * (k_doubt * system_.tolerance()) < 1) {
    system_.solve([&](double* x) { apply(x); });
    return system_.publish(p, answer);
  }
  decomposition_.factor(system_);
  solve_decomposed(p, system_, decomposition_, answer);
  if (answer.outcome == KktOutcome::ok && system_.relations() > 0) answer.outcome = KktOutcome::singular_rows;
}

}  // namespace zwang::dense
