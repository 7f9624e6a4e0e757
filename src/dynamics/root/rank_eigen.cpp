// SPDX-License-Identifier: BSD-3-Clause
// Eigenvectors of the equilibrated rows: Householder tridiagonalisation and implicit QL steps (Golub & Van Loan 2013,
// sec. 8.3). Eigenvalues are accurate to a few eps of the largest, which is sufficient for the rank decision.
#include <algorithm>
#include <cmath>

#include "dynamics/root/rank_revealing.hpp"
#include "dynamics/vectors.hpp"

namespace zwang {

/// E = V diag(d) V^T; eigenvalues above the tolerance come first.
void RankRevealing::decompose(double tolerance) {
  const Index m = m_;
  tridiagonalise();
  find_eigenvalues();
  rank_ = 0;
  Buffer<Index>& column = pivot_;
  for (Index k = 0; k < m; ++k)
    if (d_[k] > tolerance) column[rank_++] = k;
  Index n = rank_;
  for (Index k = 0; k < m; ++k)
    if (!(d_[k] > tolerance)) column[n++] = k;
  for (Index k = 0; k < m; ++k)
    for (Index i = 0; i < m; ++i) at(V_, i, k) = at(N_, column[k], i);
  for (Index k = 0; k < m; ++k) at(F_, k, k) = d_[column[k]];
}

/// F = Q T Q^T: the diagonal of T to d, its off-diagonal entries to y; Q^T to N.
void RankRevealing::tridiagonalise() {
  const Index m = m_, padding = (m + k_padding - 1) / k_padding * k_padding;
  Buffer<double>&beta = contradiction_, &p = x_, &q = b_;
  for (Index i = 0; i < m; ++i) std::copy_n(&at(E_, i, 0), padding, &at(F_, i, 0));
  for (Index k = 0; k + 2 < m; ++k) {  // v stays in row k of V, zero up to k
    double* const v = &at(V_, k, 0);
    double sigma = 0;
    for (Index i = 0; i < padding; ++i) v[i] = i > k && i < m ? at(F_, k, i) : 0.0;
    for (Index i = k + 2; i < m; ++i) sigma += v[i] * v[i];
    const double x = v[k + 1], norm = std::sqrt(x * x + sigma);
    beta[k] = 0;
    y_[k] = x;
    if (!(sigma > 0)) continue;
    y_[k] = x > 0 ? -norm : norm;
    v[k + 1] = x - y_[k];
    beta[k] = 2 / (v[k + 1] * v[k + 1] + sigma);
    for (Index i = 0; i < padding; ++i) p[i] = 0;
    for (Index i = k + 1; i < m; ++i) subtract(m, -beta[k] * v[i], &at(F_, i, 0), p.data());
    const double half = 0.5 * beta[k] * product(m, p.data(), v);
    for (Index i = 0; i < padding; ++i) q[i] = p[i] - half * v[i];
    for (Index i = k + 1; i < m; ++i) {
      subtract(m, v[i], q.data(), &at(F_, i, 0));
      subtract(m, q[i], v, &at(F_, i, 0));
    }
  }
  for (Index k = 0; k < m; ++k) d_[k] = at(F_, k, k);
  if (m > 1) y_[m - 2] = at(F_, m - 1, m - 2);
  if (m > 0) y_[m - 1] = 0;
  // Q^T = ... H_1 H_0, from the last reflection on: reflections are applied to the rows of Q^T from the right.
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < padding; ++j) at(N_, i, j) = i == j ? 1.0 : 0.0;
  for (Index k = m - 3; k >= 0; --k) {
    const double* const v = &at(V_, k, 0);
    for (Index i = k + 1; beta[k] > 0 && i < m; ++i) {
      double* const row = &at(N_, i, 0);
      subtract(m, beta[k] * product(m, row, v), v, row);
    }
  }
}

/// Rotates the eigenvectors i and i + 1.
ZWANG_INLINE void RankRevealing::rotate(Index i, double c, double s) {
  double* const a = &at(N_, i, 0);
  double* const b = a + capacity_;
  each_pack(m_, [&](Index j) ZWANG_LAMBDA {
    const Numbers x = Numbers::load(a + j), y = Numbers::load(b + j);
    (x * s + y * c).store(b + j);
    (x * c - y * s).store(a + j);
  });
}

/// Implicit QL steps with Wilkinson's shift on d and y; the rows of N are rotated with them.
void RankRevealing::find_eigenvalues() {
  const Index m = m_;
  Buffer<double>& e = y_;
  double size = 0;
  for (Index i = 0; i < m; ++i) size = std::max(size, std::fabs(d_[i]) + std::fabs(e[i]));
  const double small = 0.5 * epsilon_of<double> * size;
  for (Index l = 0; l < m; ++l)
    for (int step = 0; step < 60; ++step) {
      Index end = l;
      while (end + 1 < m && std::fabs(e[end]) > small) ++end;
      if (end == l) break;
      const double t = (d_[l + 1] - d_[l]) / (2 * e[l]), r0 = std::sqrt(t * t + 1);
      double g = d_[end] - d_[l] + e[l] / (t + std::copysign(r0, t));
      double c = 1, s = 1, shift = 0;
      bool split = false;
      for (Index i = end; i-- > l;) {
        const double f = s * e[i], b = c * e[i], r = std::sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) {
          d_[i + 1] -= shift;
          e[end] = 0;
          split = true;
          break;
        }
        s = f / r;
        c = g / r;
        g = d_[i + 1] - shift;
        const double x = (d_[i] - g) * s + 2 * c * b;
        shift = s * x;
        d_[i + 1] = g + shift;
        g = c * x - b;
        rotate(i, c, s);
      }
      if (split) continue;
      d_[l] -= shift;
      e[l] = g;
      e[end] = 0;
    }
}

}  // namespace zwang
