// SPDX-License-Identifier: BSD-3-Clause
#include "linear/kkt_qr.hpp"

#include <cmath>

namespace zwang::dense {

KktQrWorkspace::KktQrWorkspace(Index nv, Index m) : system_(nv, m), qr_(nv + m, nv + m), decomposition_(nv + m) {}

/// False where a pivot is zero, and where it is stopped.
bool KktQrWorkspace::factor() {
  const Index n = system_.size();
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i) qr_.column(k)[i] = system_.row(k)[i];
  qr_.factor_in_order(n, n, system_.stop());
  if (system_.is_stopped()) return false;
  for (Index k = 0; k < n; ++k)
    if (!(std::fabs(qr_.diagonal(k)) > 0)) return false;
  return true;
}

void KktQrWorkspace::apply(double* x) {
  qr_.apply_transposed(x);
  qr_.solve_upper(x);
}

void KktQrWorkspace::solve(const KktProblem& p, KktAnswer& answer) {
  if (!system_.take(p, answer)) return;
  regular_ = factor() && system_.is_regular([&](double* x) { apply(x); });
  if (!regular_) return decomposition_.solve_instead(p, system_, answer);
  system_.solve([&](double* x) { apply(x); });
  system_.publish(p, answer);
}

void KktQrWorkspace::solve_again(const KktProblem& p, KktAnswer& answer) {
  if (!system_.take_right(p, answer)) return;
  if (!regular_) return decomposition_.solve_again(p, system_, answer);
  system_.solve([&](double* x) { apply(x); });
  system_.publish(p, answer);
}

}  // namespace zwang::dense
