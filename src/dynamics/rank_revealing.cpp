// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/rank_revealing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace zwang {
namespace {
constexpr double k_well_conditioned = 1e-4;  // smallest pivot of equilibrated rows above which refinement gains nothing
}

RankRevealing::RankRevealing(Index n)
    : capacity_(n),
      A_(n * n),
      scale_(n),
      inv_scale_(n),
      root_weight_(n),
      s_(n),
      inv_s_(n),
      E_(n * n),
      F_(n * n),
      V_(n * n),
      R_(n * n),
      N_(n * n),
      C_(n * n),
      contradiction_(n),
      b_(n),
      d_(n),
      x_(n),
      y_(n),
      pivot_(n),
      circuit_row_(n),
      conflicting_(n),
      levels_(n) {}

void RankRevealing::factor(Index m, const double* bound, const double* weight, double tolerance) {
  m_ = m;
  damped_ = 0;
  for (Index i = 0; i < m; ++i) {
    scale_[i] = bound[i] > 0 ? std::sqrt(bound[i]) : 1.0;
    root_weight_[i] = weight != nullptr ? std::sqrt(weight[i]) : 1.0;
    s_[i] = scale_[i] * root_weight_[i];
    inv_scale_[i] = 1 / scale_[i];
    inv_s_[i] = inv_scale_[i] / root_weight_[i];
    for (Index j = 0; j <= i; ++j) at(E_, i, j) = at(E_, j, i) = at(A_, i, j) * inv_scale_[i] * inv_scale_[j];
  }
  pivoted_ = pivot(tolerance);
  if (pivoted_) return;
  decompose(tolerance);
  if (rank_ == m) return;
  relations();
  null_space();
}

bool RankRevealing::consistent(const double* b, const Measure& measure) const {
  bool good = true;
  for (Index k = 0; k < m_ - rank_; ++k) {
    double t = 0, scale = 0;
    for (Index i = 0; i < m_; ++i) {
      const double c = at(R_, i, k) * inv_scale_[i];
      t += c * b[i];
      scale += std::fabs(c) * (measure.size[i] + measure.strength * scale_[i]);
    }
    good = good && std::fabs(t) <= measure.feasibility * scale;
  }
  return good;
}

void RankRevealing::solve(const double* b, const Measure& measure, const int* level, double* lambda) {
  const Index m = m_;
  Buffer<double>& y = y_;
  for (Index i = 0; i < m; ++i) y[i] = b[i] * root_weight_[i];
  if (rank_ < m && !consistent(b, measure)) {
    if (level != nullptr)
      levels_.project(m, m - rank_, R_.data(), inv_s_.data(), level, y.data());
    else
      project(y.data());
  }
  for (Index i = 0; i < m; ++i) y[i] *= inv_s_[i];
  apply_scaled(y.data(), lambda);
  if (!pivoted_ || last_pivot_ < k_well_conditioned) refine(y.data(), lambda);
  for (Index i = 0; i < m; ++i) lambda[i] *= inv_s_[i];
  if (rank_ < m) project(lambda);
  for (Index i = 0; i < m; ++i) lambda[i] *= root_weight_[i];
}

/// Exchanges rows and columns k < i of the lower triangle.
void RankRevealing::exchange(Index k, Index i) {
  std::swap(pivot_[k], pivot_[i]);
  for (Index j = 0; j < k; ++j) std::swap(at(F_, k, j), at(F_, i, j));
  std::swap(at(F_, k, k), at(F_, i, i));
  for (Index j = k + 1; j < i; ++j) std::swap(at(F_, j, k), at(F_, i, j));
  for (Index j = i + 1; j < m_; ++j) std::swap(at(F_, j, k), at(F_, j, i));
}

/// One step of iterative refinement on the equilibrated rows.
void RankRevealing::refine(double* b, double* x) {
  for (Index i = 0; i < m_; ++i) {
    double r = b[i];
    for (Index j = 0; j < m_; ++j) r -= at(E_, i, j) * x[j];
    d_[i] = r;
  }
  apply_scaled(d_.data(), b);
  for (Index i = 0; i < m_; ++i) x[i] += b[i];
}

/// E = P^T L D L^T P with the largest remaining pivot first. False where the last pivots leave the rank in doubt.
bool RankRevealing::pivot(double tolerance) {
  const Index m = m_;
  for (Index i = 0; i < m; ++i) {
    pivot_[i] = i;
    for (Index j = 0; j <= i; ++j) at(F_, i, j) = at(E_, i, j);
  }
  // The smallest eigenvalue is at least the last pivot over |L^-1|^2, which pivoting keeps near m^2: above this the
  // rank is full.
  const double safe = 4 * tolerance * m * m;
  double* const column = x_.data();
  for (Index k = 0; k < m; ++k) {
    Index best = k;
    for (Index i = k + 1; i < m; ++i)
      if (at(F_, i, i) > at(F_, best, best)) best = i;
    if (!(at(F_, best, best) > safe)) return false;
    if (at(F_, best, best) > 4 * at(F_, k, k))
      exchange(k, best);  // a pivot within a factor of the largest serves as well
    last_pivot_ = at(F_, k, k);
    const double inv = 1 / last_pivot_;
    for (Index i = k + 1; i < m; ++i) {
      double* const row = &at(F_, i, 0);
      column[i] = row[k];
      const double g = row[k] * inv;
      for (Index j = k + 1; j <= i; ++j) row[j] -= g * column[j];
      row[k] = g;
    }
    at(F_, k, k) = inv;
  }
  rank_ = m;
  return true;
}

/// E = V diag(d) V^T by cyclic Jacobi rotations (Golub & Van Loan 2013, sec. 8.5); eigenvalues above the tolerance come
/// first.
void RankRevealing::decompose(double tolerance) {
  const Index m = m_;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j) {
      at(F_, i, j) = at(E_, i, j);
      at(V_, i, j) = i == j ? 1.0 : 0.0;
    }
  double before = INFINITY;
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0, total = 0;
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < m; ++j) {
        const double e = at(F_, i, j) * at(F_, i, j);
        total += e;
        if (i != j) off += e;
      }
    if (off <= 1e-40 * total || (off <= 1e-28 * total && off > 0.25 * before)) break;  // rounding is reached
    before = off;
    for (Index p = 0; p < m; ++p)
      for (Index q = p + 1; q < m; ++q) {
        const double f = at(F_, p, q);
        if (f == 0) continue;
        const double theta = (at(F_, q, q) - at(F_, p, p)) / (2 * f);
        const double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(1 + theta * theta));
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        for (Index k = 0; k < m; ++k) {
          const double a = at(F_, k, p), b = at(F_, k, q);
          at(F_, k, p) = c * a - s * b;
          at(F_, k, q) = s * a + c * b;
        }
        for (Index k = 0; k < m; ++k) {
          const double a = at(F_, p, k), b = at(F_, q, k), x = at(V_, k, p), y = at(V_, k, q);
          at(F_, p, k) = c * a - s * b;
          at(F_, q, k) = s * a + c * b;
          at(V_, k, p) = c * x - s * y;
          at(V_, k, q) = s * x + c * y;
        }
      }
  }
  rank_ = 0;
  for (Index k = 0; k < m; ++k) {
    if (!(at(F_, k, k) > tolerance)) continue;
    for (Index i = 0; i < m; ++i) std::swap(at(V_, i, k), at(V_, i, rank_));
    std::swap(at(F_, k, k), at(F_, rank_, rank_));
    ++rank_;
  }
}

/// R: what binds dependent rows, sum_i R_ik (J a)_i / s_i = 0 for every a: V_0 after Gauss-Jordan elimination, each
/// column 1 in a row of its own and 0 in the others'. Pivots prefer rows of small s: they are large in the rows' own
/// units, and columns that
/// differ there stay apart when divided by s.
void RankRevealing::relations() {
  const Index m = m_, relations = m - rank_;
  Buffer<Index>& taken = pivot_;  // free where eigenvectors are used
  for (Index i = 0; i < m; ++i) taken[i] = 0;
  for (Index k = 0; k < relations; ++k)
    for (Index i = 0; i < m; ++i) at(R_, i, k) = at(V_, i, rank_ + k);
  for (Index k = 0; k < relations; ++k) {
    Index row = -1, column = k;
    choose_relation(k, row, column);
    if (row < 0) return;  // entries that are not finite
    taken[row] = 1;
    const double inv = 1 / at(R_, row, column);
    for (Index i = 0; i < m; ++i) {
      std::swap(at(R_, i, k), at(R_, i, column));
      at(R_, i, k) *= inv;
    }
    for (Index c = 0; c < relations; ++c) {
      const double f = c == k ? 0 : at(R_, row, c);
      if (f == 0) continue;
      for (Index i = 0; i < m; ++i) at(R_, i, c) -= f * at(R_, i, k);
      at(R_, row, c) = 0;
    }
  }
}

/// The next pivot among columns k and later: of the rows that hold a tenth of the largest entry the one of the smallest
/// s.
void RankRevealing::choose_relation(Index k, Index& row, Index& column) const {
  const auto largest_of = [&](Index i) {
    Index best = k;
    for (Index c = k + 1; c < m_ - rank_; ++c)
      if (std::fabs(at(R_, i, c)) > std::fabs(at(R_, i, best))) best = c;
    return best;
  };
  double largest = 0;
  for (Index i = 0; i < m_; ++i)
    if (!pivot_[i]) largest = std::max(largest, std::fabs(at(R_, i, largest_of(i))));
  for (Index i = 0; i < m_; ++i) {
    if (pivot_[i] || (row >= 0 && s_[i] >= s_[row])) continue;
    const Index best = largest_of(i);
    if (!(std::fabs(at(R_, i, best)) >= 0.1 * largest)) continue;
    row = i;
    column = best;
  }
}

/// N: orthonormal columns that span S^-1 V_0, the null space of Lambda in the rows' own units (modified Gram-Schmidt,
/// twice).
void RankRevealing::null_space() {
  const Index m = m_;
  const auto normalise = [&](Index k) {
    double n = 0;
    for (Index i = 0; i < m; ++i) n += at(N_, i, k) * at(N_, i, k);
    n = 1 / std::sqrt(n);
    for (Index i = 0; i < m; ++i) at(N_, i, k) *= n;
  };
  for (Index k = 0; k < m - rank_; ++k) {
    for (Index i = 0; i < m; ++i) at(N_, i, k) = at(R_, i, k) * inv_s_[i];
    for (int twice = 0; twice < 2; ++twice) {
      normalise(k);
      for (Index j = 0; j < k; ++j) {
        double p = 0;
        for (Index i = 0; i < m; ++i) p += at(N_, i, j) * at(N_, i, k);
        for (Index i = 0; i < m; ++i) at(N_, i, k) -= p * at(N_, i, j);
      }
    }
    normalise(k);
  }
}

/// x -= N N^T x
void RankRevealing::project(double* x) const {
  for (Index k = 0; k < m_ - rank_; ++k) {
    double p = 0;
    for (Index i = 0; i < m_; ++i) p += at(N_, i, k) * x[i];
    for (Index i = 0; i < m_; ++i) x[i] -= p * at(N_, i, k);
  }
}

/// x = E^+ b
void RankRevealing::apply_scaled(const double* b, double* x) {
  const Index m = m_;
  if (!pivoted_) {
    for (Index i = 0; i < m; ++i) x[i] = 0;
    for (Index k = 0; k < rank_; ++k) {
      double p = 0;
      for (Index i = 0; i < m; ++i) p += at(V_, i, k) * b[i];
      p /= at(F_, k, k);
      for (Index i = 0; i < m; ++i) x[i] += p * at(V_, i, k);
    }
    return;
  }
  for (Index i = 0; i < m; ++i) x_[i] = b[pivot_[i]];
  for (Index j = 0; j < m; ++j)
    for (Index i = j + 1; i < m; ++i) x_[i] -= at(F_, i, j) * x_[j];
  for (Index j = 0; j < m; ++j) x_[j] *= at(F_, j, j);
  for (Index j = m - 1; j > 0; --j)
    for (Index i = 0; i < j; ++i) x_[i] -= at(F_, j, i) * x_[j];
  for (Index i = 0; i < m; ++i) x[pivot_[i]] = x_[i];
}

double RankRevealing::energy(const double* lambda) const {
  double z = 0;
  for (Index i = 0; i < m_; ++i) {
    double r = 0.5 * at(A_, i, i) * lambda[i];
    for (Index j = 0; j < i; ++j) r += at(A_, i, j) * lambda[j];
    z += r * lambda[i];
  }
  return z;
}

void RankRevealing::least_norm(double* lambda) const {
  if (rank_ == m_) return;
  for (Index i = 0; i < m_; ++i) lambda[i] /= root_weight_[i];
  project(lambda);
  for (Index i = 0; i < m_; ++i) lambda[i] *= root_weight_[i];
}

}  // namespace zwang
