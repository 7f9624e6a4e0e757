// SPDX-License-Identifier: BSD-3-Clause
#include "linear/null_space.hpp"

#include <cmath>

#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang::dense {

NullSpaceWorkspace::NullSpaceWorkspace(Index nv, Index m)
    : equations_(nv, m),
      stride_(nv + m),
      qr_(nv + m, m),
      relations_(m),
      M_(stride_ * stride_),
      column_(stride_),
      row_(m),
      x_(stride_),
      t_(stride_),
      p_(stride_),
      lambda_(m) {}

/// M := C M C; columns of qr := rows of S J C, of length one.
void NullSpaceWorkspace::balance() {
  Equations& e = equations_;
  e.scales(column_.data(), row_.data());
  n_ = e.n;
  m_ = e.m;
  for (Index i = 0; i < m_; ++i)
    if (e.R[i] > 0) column_[n_++] = 1;
  for (Index k = 0; k < n_; ++k)
    for (Index j = 0; j < n_; ++j)
      row(k)[j] = k < e.n && j < e.n ? e.mass_row(k)[j] * column_[k] * column_[j] : k == j ? 1.0 : 0.0;
  Index soft = e.n;
  for (Index i = 0; i < m_; ++i) {
    double* const c = qr_.column(i);
    for (Index k = 0; k < n_; ++k) c[k] = k < e.n ? e.row(i)[k] * column_[k] : 0.0;
    if (e.R[i] > 0) c[soft++] = std::sqrt(e.R[i]);
    const double length = std::sqrt(dot(n_, c, c));
    row_[i] = length > 0 ? 1 / length : 1.0;
    for (Index k = 0; k < n_; ++k) c[k] *= row_[i];
  }
}

/// The remaining rows are combinations R_11^-1 R_12 of the pivots' rows.
void NullSpaceWorkspace::relate(const Interruption* stop) {
  const Index rank = qr_.rank();
  relations_.begin(m_);
  for (Index q = rank; q < m_ && !is_asked(stop); ++q) {
    double* const c = relations_.add();
    for (Index i = 0; i < m_; ++i) c[i] = 0;
    for (Index i = 0; i < rank; ++i) x_[i] = -qr_.column(q)[i];
    qr_.solve_upper(x_.data());
    for (Index i = 0; i < rank; ++i) c[qr_.pivot(i)] = x_[i];
    c[qr_.pivot(q)] = 1;
  }
  relations_.finish(row_.data(), stop);
}

/// M := Q^T M Q, one reflection at a time from both sides: H M H = M - v w^T - w v^T.
void NullSpaceWorkspace::turn(const Interruption* stop) {
  for (Index k = 0; k < qr_.rank() && !is_asked(stop); ++k) {
    const double beta = qr_.strength(k);
    if (beta == 0) continue;
    const double* const v = qr_.direction(k);
    const Index count = n_ - k;
    for (Index i = 0; i < n_; ++i) p_[i] = beta * dot(count, row(i) + k, v);
    const double half = 0.5 * beta * dot(count, p_.data() + k, v);
    for (Index i = k; i < n_; ++i) p_[i] -= half * v[i - k];
    for (Index i = 0; i < n_; ++i) {
      subtract_multiple(count, p_[i], v, row(i) + k);
      if (i >= k) subtract_multiple(n_, v[i - k], p_.data(), row(i));
    }
  }
}

/// Cholesky factor of the last n - r rows and columns of M, in place, lower triangle. False if a pivot is rounding of
/// M, whose diagonal is about 1, and where it is stopped.
bool NullSpaceWorkspace::factor_free(const Interruption* stop) {
  const Index r = qr_.rank();
  const double rounding = 16 * epsilon_of<double> * n_;
  for (Index i = r; i < n_; ++i) {
    if (is_asked(stop)) return false;
    double* const l = row(i) + r;
    for (Index j = r; j < i; ++j) l[j - r] = (l[j - r] - dot(j - r, l, row(j) + r)) / row(j)[j];
    const double d = l[i - r] - dot(i - r, l, l);
    if (!(d > rounding)) return false;
    l[i - r] = std::sqrt(d);
  }
  return true;
}

/// M_zz^-1 x, for x beyond the first r numbers
void NullSpaceWorkspace::solve_free() {
  const Index r = qr_.rank();
  double* const x = x_.data() + r;
  for (Index i = r; i < n_; ++i) x[i - r] = (x[i - r] - dot(i - r, row(i) + r, x)) / row(i)[i];
  for (Index i = n_ - 1; i >= r; --i) {
    x[i - r] /= row(i)[i];
    subtract_multiple(i - r, x[i - r], row(i) + r, x);
  }
}

void NullSpaceWorkspace::solve(const KktProblem& p, KktAnswer& answer) {
  if (!equations_.take(p, answer)) return;
  balance();
  qr_.factor(n_, m_, std::sqrt(equations_.tolerance), p.stop);  // for rows, not their squares
  relate(p.stop);
  turn(p.stop);
  regular_ = factor_free(p.stop);
  if (is_asked(p.stop)) return Equations::fail(p, answer, KktOutcome::not_converged);
  answer_right(p, answer);
}

void NullSpaceWorkspace::solve_again(const KktProblem& p, KktAnswer& answer) {
  if (equations_.take_right(p, answer)) answer_right(p, answer);
}

void NullSpaceWorkspace::answer_right(const KktProblem& p, KktAnswer& answer) {
  Equations& e = equations_;
  if (!regular_) return Equations::fail(p, answer, KktOutcome::singular_mass);
  for (Index k = 0; k < n_; ++k) t_[k] = k < e.n ? e.tau[k] * column_[k] : 0.0;
  qr_.apply_transposed(t_.data());
  relations_.meet(e.b.data());
  const Index r = qr_.rank();
  for (Index k = 0; k < r; ++k) x_[k] = e.b[qr_.pivot(k)] * row_[qr_.pivot(k)];
  qr_.solve_lower(x_.data());
  for (Index i = r; i < n_; ++i) x_[i] = t_[i] - dot(r, row(i), x_.data());
  solve_free();
  for (Index i = 0; i < r; ++i) lambda_[i] = dot(n_, row(i), x_.data()) - t_[i];
  qr_.solve_upper(lambda_.data());
  for (Index i = 0; i < m_; ++i) answer.lambda[i] = 0;
  for (Index k = 0; k < r; ++k) answer.lambda[qr_.pivot(k)] = lambda_[k] * row_[qr_.pivot(k)];
  relations_.project(answer.lambda);
  qr_.apply(x_.data());
  for (Index k = 0; k < e.n; ++k) answer.acceleration[k] = x_[k] * column_[k];
  answer.rank = r;
  Equations::finish(p, answer);
}

}  // namespace zwang::dense
