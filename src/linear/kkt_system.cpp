// SPDX-License-Identifier: BSD-3-Clause
#include "linear/kkt_system.hpp"

#include <cmath>

#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang::dense {

KktSystem::KktSystem(Index nv, Index m)
    : equations_(nv, m),
      capacity_(nv + m),
      K_(capacity_ * capacity_),
      scale_(capacity_),
      right_(capacity_),
      x_(capacity_),
      r_(capacity_),
      null_(capacity_ * capacity_),
      relations_(m) {}

bool KktSystem::take(const KktProblem& p, KktAnswer& answer) {
  if (!equations_.take(p, answer)) return false;
  const Equations& e = equations_;
  const Index n = e.n, m = e.m;
  size_ = n + m;
  stop_ = p.stop;
  tolerance_ = std::fmax(e.tolerance, 16 * epsilon_of<double> * size_);
  relations_.begin(m);
  double* const s = scale_.data();
  e.scales(s, s + n);
  const auto at = [&](Index i, Index j) -> double& { return K_[i * capacity_ + j]; };
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j < n; ++j) at(k, j) = e.mass_row(k)[j] * s[k] * s[j];
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) at(n + i, j) = at(j, n + i) = e.row(i)[j] * s[n + i] * s[j];
    for (Index j = 0; j < m; ++j) at(n + i, n + j) = i == j ? -e.R[i] * s[n + i] * s[n + i] : 0.0;
  }
  return true;
}

bool KktSystem::split_null(Index count) {
  const Index n = equations_.n, m = equations_.m;
  double motions = 0;  // trace of the projector on the null space, its motion part: the number of such motions
  for (Index k = 0; k < count && !is_stopped(); ++k) {
    double* const v = null(k);
    for (int twice = 0; twice < 2; ++twice) {
      for (Index j = 0; j < k; ++j) subtract_multiple(size_, dot(size_, null(j), v), null(j), v);
      const double inv = 1 / std::sqrt(dot(size_, v, v));
      for (Index i = 0; i < size_; ++i) v[i] *= inv;
    }
    motions += dot(n, v, v);
  }
  if (!(motions < 0.5) || count > m) return false;
  for (Index k = 0; k < count; ++k) {
    double* const c = relations_.add();
    for (Index i = 0; i < m; ++i) c[i] = null(k)[n + i];
  }
  relations_.finish(scale_.data() + n, stop_);
  return true;
}

void KktSystem::right_hand_side() {
  Equations& e = equations_;
  relations_.meet(e.b.data());
  for (Index k = 0; k < e.n; ++k) right_[k] = e.tau[k] * scale_[k];
  for (Index i = 0; i < e.m; ++i) right_[e.n + i] = e.b[i] * scale_[e.n + i];
  for (Index i = 0; i < size_; ++i) x_[i] = right_[i];
}

void KktSystem::residual() {
  for (Index i = 0; i < size_; ++i) r_[i] = right_[i] - dot(size_, row(i), x_.data());
}

/// Hager's iteration for the symmetric K: searches the unit vector that K^-1 makes longest,
/// from a start without symmetry.
void KktSystem::start_walk() {
  unit_ = -1;
  steps_ = 0;
  for (Index i = 0; i < size_; ++i) x_[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1 + double(i) / size_) / size_;
}

double KktSystem::norm_of_step(double before) {
  double norm = 0;
  for (Index i = 0; i < size_; ++i) {
    norm += std::fabs(x_[i]);
    r_[i] = x_[i] < 0 ? -1.0 : 1.0;
  }
  return norm > before || norm != norm ? norm : before;
}

bool KktSystem::walk_on() {
  constexpr int k_most_walks = 3;
  Index best = 0;
  for (Index i = 1; i < size_; ++i)
    if (std::fabs(r_[i]) > std::fabs(r_[best])) best = i;
  if (best == unit_ || ++steps_ == k_most_walks) return false;
  unit_ = best;
  for (Index i = 0; i < size_; ++i) x_[i] = i == best ? 1.0 : 0.0;
  return true;
}

void KktSystem::publish(const KktProblem& p, KktAnswer& answer) {
  const Index n = equations_.n, m = equations_.m;
  for (Index k = 0; k < n; ++k) answer.acceleration[k] = x_[k] * scale_[k];
  for (Index i = 0; i < m; ++i) answer.lambda[i] = -x_[n + i] * scale_[n + i];
  relations_.project(answer.lambda);
  answer.rank = m - relations_.count();
  Equations::finish(p, answer);
}

}  // namespace zwang::dense
