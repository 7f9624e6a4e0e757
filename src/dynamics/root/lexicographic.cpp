// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/root/lexicographic.hpp"

#include <climits>
#include <cmath>

namespace zwang {
namespace {

// A relation is new to a basis if its part outside of the basis exceeds this fraction of the largest row's relations.
constexpr double k_new_direction = 1e-9;

double dot(Index n, const double* a, const double* b) {
  double s = 0;
  for (Index i = 0; i < n; ++i) s += a[i] * b[i];
  return s;
}
void subtract(Index n, double f, const double* a, double* x) {
  for (Index i = 0; i < n; ++i) x[i] -= f * a[i];
}

}  // namespace

Lexicographic::Lexicographic(Index n) : capacity_(n), basis_(n * n), rest_(n * n), G_(n * n), T_(n * n), g_(n), t_(n) {}

/// Adds the relations of rows of level p (or of all levels after p) to the basis, the largest first. Returns the new
/// size.
Index Lexicographic::extend_basis(int p, bool after, Index size) {
  const auto taken = [&](Index i) { return after ? level_[i] > p : level_[i] == p; };
  double scale = 0;
  for (Index i = 0; i < m_; ++i) {
    const double* const relation = R_ + i * capacity_;
    scale = std::fmax(scale, std::sqrt(dot(k_, relation, relation)));
    if (!taken(i)) continue;
    double* const r = row(rest_, i);
    for (Index c = 0; c < k_; ++c) r[c] = relation[c];
    for (int twice = 0; twice < 2; ++twice)
      for (Index j = 0; j < size; ++j) subtract(k_, dot(k_, row(basis_, j), r), row(basis_, j), r);
  }
  while (size < k_) {
    Index best = -1;
    double largest = k_new_direction * scale;
    for (Index i = 0; i < m_; ++i) {
      const double n = taken(i) ? std::sqrt(dot(k_, row(rest_, i), row(rest_, i))) : 0;
      if (!(n > largest)) continue;
      largest = n;
      best = i;
    }
    if (best < 0) break;
    double* const e = row(basis_, size);
    for (Index c = 0; c < k_; ++c) e[c] = row(rest_, best)[c] / largest;
    for (Index j = 0; j < size; ++j) subtract(k_, dot(k_, row(basis_, j), e), row(basis_, j), e);
    const double n = std::sqrt(dot(k_, e, e));
    for (Index c = 0; c < k_; ++c) e[c] /= n;
    ++size;
    for (Index i = 0; i < m_; ++i)
      if (taken(i)) subtract(k_, dot(k_, e, row(rest_, i)), e, row(rest_, i));
  }
  return size;
}

void Lexicographic::one_level(int p) {
  const Index before = extend_basis(p, true, 0), all = extend_basis(p, false, before), q = all - before;
  if (q == 0) return;
  // G^T d = -t with G_ij = Q_j . c_i; columns of G made orthonormal by Gram-Schmidt: G = Z T, d = -Z T^-T t.
  for (Index j = 0; j < q; ++j) {
    const double* const Q = row(basis_, before + j);
    t_[j] = dot(k_, Q, g_.data());
    double* const z = row(G_, j);
    for (Index i = 0; i < m_; ++i) z[i] = level_[i] == p ? dot(k_, Q, R_ + i * capacity_) * inv_s_[i] : 0.0;
    for (Index c = 0; c <= j; ++c) row(T_, j)[c] = 0;
    for (int twice = 0; twice < 2; ++twice)
      for (Index c = 0; c < j; ++c) {
        const double f = dot(m_, row(G_, c), z);
        row(T_, j)[c] += f;
        subtract(m_, f, row(G_, c), z);
      }
    const double n = std::sqrt(dot(m_, z, z));
    row(T_, j)[j] = n;
    for (Index i = 0; i < m_; ++i) z[i] /= n;
    double x = t_[j];
    for (Index c = 0; c < j; ++c) x -= row(T_, j)[c] * t_[c];
    t_[j] = x / n;
  }
  for (Index i = 0; i < m_; ++i) {
    if (level_[i] != p) continue;
    double d = 0;
    for (Index j = 0; j < q; ++j) d -= row(G_, j)[i] * t_[j];
    b_[i] += d;
    for (Index c = 0; c < k_; ++c) g_[c] += d * inv_s_[i] * R_[i * capacity_ + c];
  }
}

void Lexicographic::project(Index m, Index k, const double* R, const double* inv_s, const int* level, double* b) {
  m_ = m;
  k_ = k;
  R_ = R;
  inv_s_ = inv_s;
  level_ = level;
  b_ = b;
  for (Index c = 0; c < k; ++c) {
    g_[c] = 0;
    for (Index i = 0; i < m; ++i) g_[c] += R[i * capacity_ + c] * inv_s[i] * b[i];
  }
  for (int p = INT_MIN;;) {  // the levels in use, in order of priority
    int next = INT_MAX;
    bool found = false;
    for (Index i = 0; i < m; ++i)
      if ((p == INT_MIN || level[i] > p) && level[i] <= next) {
        next = level[i];
        found = true;
      }
    if (!found) return;
    one_level(next);
    p = next;
  }
}

}  // namespace zwang
