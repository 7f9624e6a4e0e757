// SPDX-License-Identifier: BSD-3-Clause
// The root's rows with regularisation instead of a rank decision: one damped solve,
// or iterated to convergence (proximal).
#include <cmath>

#include "linear/rank_revealing.hpp"

namespace zwang {

/// C := L of A + mu = L L^T; circuits() overwrites C.
void RankRevealing::factor_damped(double mu) {
  if (mu == damped_) return;
  damped_ = mu;
  for (Index j = 0; j < m_ && !is_stopped(); ++j)
    for (Index i = j; i < m_; ++i) {
      double x = at(A_, i, j) + (i == j ? mu : 0.0);
      for (Index k = 0; k < j; ++k) x -= at(C_, i, k) * at(C_, j, k);
      at(C_, i, j) = i == j ? std::sqrt(x) : x / at(C_, j, j);
    }
}

void RankRevealing::apply_damped(double* x) const {
  for (Index i = 0; i < m_; ++i) {
    for (Index k = 0; k < i; ++k) x[i] -= at(C_, i, k) * x[k];
    x[i] /= at(C_, i, i);
  }
  for (Index i = m_ - 1; i >= 0; --i) {
    for (Index k = i + 1; k < m_; ++k) x[i] -= at(C_, k, i) * x[k];
    x[i] /= at(C_, i, i);
  }
}

namespace {
double mean_diagonal(const double* A, Index m, Index stride) {
  double sum = 0;
  for (Index i = 0; i < m; ++i) sum += A[i * stride + i];
  return m > 0 ? sum / m : 0.0;
}
}  // namespace

void RankRevealing::solve_damped(const double* b, double relative, double* lambda) {
  const double mu = rank_ > 0 ? relative * mean_diagonal(A_.data(), m_, capacity_) : 0.0;
  for (Index i = 0; i < m_; ++i) lambda[i] = mu > 0 ? b[i] : 0.0;
  if (!(mu > 0)) return;  // no motion affects the rows
  factor_damped(mu);
  apply_damped(lambda);
}

bool RankRevealing::solve_proximal(const double* b, double relative, int limit, double* lambda, int& count) {
  constexpr double k_settled = 1e-14;
  const double mu = rank_ > 0 ? relative * mean_diagonal(A_.data(), m_, capacity_) : 0.0;
  for (Index i = 0; i < m_; ++i) lambda[i] = 0;
  count = mu > 0 ? 0 : 1;
  if (!(mu > 0)) return true;  // no motion affects the rows
  factor_damped(mu);
  const auto product = [&](const double* x, const double* y) {
    double sum = 0;
    for (Index i = 0; i < m_; ++i) sum += x[i] * y[i];
    return sum;
  };
  double* const r = y_.data();
  double* const step = d_.data();
  double* const unreached = largest_.data();
  const double size = std::sqrt(product(b, b));
  // Rounding of Lambda makes the unreachable part decay by eps / relative per step: a change this small does not count.
  const double floor = std::fmax(k_settled, 16 * 2.2e-16 * m_ / relative);
  const auto settled = [&](double now, double scale, double& before) {
    const bool yes = now <= k_settled * scale || (now > 0.9 * before && now <= floor * scale);
    before = now;
    return yes;
  };
  // x := mu (Lambda + mu)^-1 x until only the part outside of the range of Lambda is left.
  // False if it does not converge.
  const auto leave_unreached = [&](double* x, double scale) {
    double before = INFINITY;
    for (bool done = false; !done; ++count) {
      if (count == limit || is_stopped()) return false;
      for (Index i = 0; i < m_; ++i) step[i] = r[i] = x[i];
      apply_damped(r);
      for (Index i = 0; i < m_; ++i) {
        x[i] = r[i] * mu;
        step[i] -= x[i];
      }
      done = settled(std::sqrt(product(step, step)), scale, before);
    }
    return true;
  };
  for (Index i = 0; i < m_; ++i) unreached[i] = b[i];
  if (!leave_unreached(unreached, size)) return false;
  // The rest is reachable: lambda += (Lambda + mu)^-1 (b - unreachable part - Lambda lambda).
  double before = INFINITY;
  for (bool done = false; !done; ++count) {
    if (count == limit || is_stopped()) return false;
    for (Index i = 0; i < m_; ++i) {
      r[i] = b[i] - unreached[i];
      for (Index j = 0; j < m_; ++j) r[i] -= (j <= i ? at(A_, i, j) : at(A_, j, i)) * lambda[j];
    }
    done = settled(std::sqrt(product(r, r)), size, before);
    apply_damped(r);
    for (Index i = 0; i < m_; ++i) lambda[i] += r[i];
  }
  // The decayed share of the unreachable part has entered lambda, divided by mu: remove it. Twice, because the removed
  // part decays too.
  for (int twice = 0; twice < 2 && product(unreached, unreached) > 1e-24 * size * size; ++twice) {
    for (Index i = 0; i < m_; ++i) unreached[i] = lambda[i];
    if (!leave_unreached(unreached, std::sqrt(product(lambda, lambda)))) return false;
    for (Index i = 0; i < m_; ++i) lambda[i] -= unreached[i];
  }
  return true;
}

}  // namespace zwang
