// SPDX-License-Identifier: BSD-3-Clause
#include "linear/kkt_pivoted_qr.hpp"

namespace zwang::dense {

KktPivotedQrWorkspace::KktPivotedQrWorkspace(Index nv, Index m) : system_(nv, m), qr_(nv + m, nv + m), y_(nv + m) {}

void KktPivotedQrWorkspace::null_vector(Index k, double* v) {
  const Index rank = qr_.rank();
  for (Index i = 0; i < system_.size(); ++i) v[i] = 0;
  for (Index i = 0; i < rank; ++i) y_[i] = -qr_.column(rank + k)[i];
  qr_.solve_upper(y_.data());
  for (Index i = 0; i < rank; ++i) v[qr_.pivot(i)] = y_[i];
  v[qr_.pivot(rank + k)] = 1;
}

void KktPivotedQrWorkspace::apply(double* x) {
  const Index n = system_.size(), rank = qr_.rank();
  for (Index i = 0; i < n; ++i) y_[i] = x[i];
  qr_.apply_transposed(y_.data());
  qr_.solve_upper(y_.data());
  for (Index i = 0; i < n; ++i) x[qr_.pivot(i)] = i < rank ? y_[i] : 0.0;
}

void KktPivotedQrWorkspace::solve(const KktProblem& p, KktAnswer& answer) {
  if (!system_.take(p, answer)) return;
  const Index n = system_.size();
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i) qr_.column(k)[i] = system_.row(k)[i];
  qr_.factor(n, n, system_.tolerance(), system_.stop());
  const Index lost = n - qr_.rank();
  for (Index k = 0; k < lost && !system_.is_stopped(); ++k) null_vector(k, system_.null(k));
  const bool known = lost == 0 || (!system_.is_stopped() && system_.split_null(lost));
  if (system_.is_stopped()) return Equations::fail(p, answer, KktOutcome::not_converged);
  if (!known) return Equations::fail(p, answer, KktOutcome::singular_mass);
  system_.solve([&](double* x) { apply(x); });
  system_.publish(p, answer);
}

void KktPivotedQrWorkspace::solve_again(const KktProblem& p, KktAnswer& answer) {
  if (!system_.take_right(p, answer)) return;
  system_.solve([&](double* x) { apply(x); });
  system_.publish(p, answer);
}

}  // namespace zwang::dense
