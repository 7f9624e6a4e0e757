// SPDX-License-Identifier: BSD-3-Clause
#include "linear/kkt_cod.hpp"

namespace zwang::dense {

OrthogonalDecomposition::OrthogonalDecomposition(Index size) : qr_(size, size), z_(size, size), y_(size) {}

void OrthogonalDecomposition::factor(const KktSystem& system) {
  const Index n = size_ = system.size();
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i) qr_.column(k)[i] = system.row(k)[i];
  qr_.factor(n, n, system.tolerance(), system.stop());
  const Index rank = qr_.rank();
  if (rank == n) return;
  for (Index i = 0; i < rank; ++i) {  // [R_11 R_12]^T = Z [S; 0]
    double* const c = z_.column(i);
    for (Index j = 0; j < n; ++j) c[j] = j < i ? 0.0 : j == i ? qr_.diagonal(i) : qr_.column(j)[i];
  }
  z_.factor_in_order(n, rank, system.stop());
}

void OrthogonalDecomposition::permute(double* x) {
  for (Index i = 0; i < size_; ++i) x[qr_.pivot(i)] = y_[i];
}

void OrthogonalDecomposition::null_vector(Index k, double* v) {
  for (Index i = 0; i < size_; ++i) y_[i] = i == rank() + k ? 1.0 : 0.0;
  z_.apply(y_.data());
  permute(v);
}

void OrthogonalDecomposition::apply(double* x) {
  for (Index i = 0; i < size_; ++i) y_[i] = x[i];
  qr_.apply_transposed(y_.data());
  if (rank() == size_) {
    qr_.solve_upper(y_.data());
  } else {
    for (Index i = rank(); i < size_; ++i) y_[i] = 0;
    z_.solve_lower(y_.data());
    z_.apply(y_.data());
  }
  permute(x);
}

void OrthogonalDecomposition::solve(const KktProblem& p, KktSystem& system, KktAnswer& answer) {
  const Index lost = system.size() - rank();
  for (Index k = 0; k < lost && !system.is_stopped(); ++k) null_vector(k, system.null(k));
  const bool known = lost == 0 || (!system.is_stopped() && system.split_null(lost));
  if (system.is_stopped()) return Equations::fail(p, answer, KktOutcome::not_converged);
  if (!known) return Equations::fail(p, answer, KktOutcome::singular_mass);
  solve_again(p, system, answer);
}

void OrthogonalDecomposition::solve_instead(const KktProblem& p, KktSystem& system, KktAnswer& answer) {
  factor(system);
  solve(p, system, answer);
  if (answer.outcome == KktOutcome::ok && system.relations() > 0) answer.outcome = KktOutcome::singular_rows;
}

KktCodWorkspace::KktCodWorkspace(Index nv, Index m) : system_(nv, m), decomposition_(nv + m) {}

void KktCodWorkspace::solve(const KktProblem& p, KktAnswer& answer) {
  if (!system_.take(p, answer)) return;
  decomposition_.factor(system_);
  decomposition_.solve(p, system_, answer);
}

void KktCodWorkspace::solve_again(const KktProblem& p, KktAnswer& answer) {
  if (system_.take_right(p, answer)) decomposition_.solve_again(p, system_, answer);
}

}  // namespace zwang::dense
