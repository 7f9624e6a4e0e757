// SPDX-License-Identifier: BSD-3-Clause
// ConeIteration: the interior point method of a ConeProgram in numbers Real, double or Twofold.
//
//   minimise 1/2 x^T P x + c^T x   subject to   s = S x + s_0 in the cones,   multipliers u in the cones
// Every block of s is in its own unit: numbers of size 1 are ordinary.
#pragma once
#include <algorithm>
#include <cmath>

#include "linear/twofold.hpp"
#include "zwang/core/buffer.hpp"
#include "zwang/core/strips.hpp"

namespace zwang::dense {

/// Blocks of rows: block k has the rows first[k] ... first[k + 1] - 1.
struct ConeBlocks {
  explicit ConeBlocks(Index rows) : first(rows + 1) {}
  template <class F> void each(F&& f) const {
    for (Index k = 0; k < count; ++k) f(first[k], first[k + 1] - first[k], k);
  }
  Buffer<Index> first;
  Index count = 0;
};

template <class Real> class ConeIteration {
 public:
  struct Point {
    Buffer<Real> x, s, u;
  };
  ConeIteration(Index variables, Index rows);  ///< room

  /// The problem, and a point inside the cones. S [rows x variables]
  void start(const ConeBlocks& blocks, Index variables, const double* P, const double* c, const double* S,
             const double* s_0);
  /// Sets the residuals. The largest of: r_p in its unit; what s^T u and r_d leave to gain, over the objective.
  double residual();
  /// Newton's step with Mehrotra's corrector. False where there is none.
  bool advance();
  void read(double* x, double* u) const;  ///< of the point; a nullptr is not written

 private:
  using B = Buffer<Real>;
  const Real* S(Index row) const { return S_.data() + row * n_; }
  void scale();
  void times_W(int sign, const Real* x, Real* out) const;  ///< W x or, for sign -1, W^-1 x
  bool factor();
  void back_substitute(Real* x) const;
  void solve_for(const Real* d);
  Real step(const Real* x, const Real* dx) const;

  const ConeBlocks* blocks_ = nullptr;
  Index n_ = 0, m_ = 0;
  B P_, c_, S_, s_0_, K_;  ///< K: P + S^T W^-2 S and its factor
  Point at_, way_;         ///< and its change
  B r_d_, right_, r_p_, w_, eta_, lambda_, d_, work_, more_;
  Real gap_ = 0;
};

namespace cone {

/// Larger changes of forces, in units of theirs, are no answer: where cones almost touch they would be rounding alone.
constexpr double k_far = 1e6;

/// x_0^2 - |x_1|^2
template <class Real> Real determinant(Index n, const Real* x) { return x[0] * x[0] - dot(n - 1, x + 1, x + 1); }
/// Jordan product (x . y; x_0 y_1 + y_0 x_1)
template <class Real> void product(Index n, const Real* x, const Real* y, Real* out) {
  const Real first = dot(n, x, y);
  for (Index i = 1; i < n; ++i) out[i] = x[0] * y[i] + y[0] * x[i];
  out[0] = first;
}
/// The x with l o x = v.
template <class Real> void divide(Index n, const Real* l, Real* v) {
  const Real first = (l[0] * v[0] - dot(n - 1, l + 1, v + 1)) / determinant(n, l);
  for (Index i = 1; i < n; ++i) v[i] = (v[i] - first * l[i]) / l[0];
  v[0] = first;
}

}  // namespace cone

template <class Real> ConeIteration<Real>::ConeIteration(Index variables, Index rows)
    : P_(variables * variables),
      c_(variables),
      S_(rows * variables),
      s_0_(rows),
      K_(variables * variables),
      at_{B(variables), B(rows), B(rows)},
      way_(at_),
      r_d_(variables),
      right_(variables),
      r_p_(rows),
      w_(rows),
      eta_(rows),
      lambda_(rows),
      d_(rows),
      work_(rows),
      more_(rows) {}

template <class Real> void ConeIteration<Real>::start(const ConeBlocks& blocks, Index variables, const double* P,
                                                      const double* c, const double* S, const double* s_0) {
  blocks_ = &blocks;
  n_ = variables;
  m_ = blocks.first[blocks.count];
  double slope = 1e-300;
  for (Index i = 0; i < n_; ++i) slope = std::max(slope, std::fabs(c[i]));
  for (Index i = 0; i < n_ * n_; ++i) slope = std::max(slope, std::fabs(P[i]));
  std::copy_n(P, n_ * n_, P_.data());
  std::copy_n(c, n_, c_.data());
  std::copy_n(S, m_ * n_, S_.data());
  std::copy_n(s_0, m_, s_0_.data());
  std::fill_n(at_.x.data(), n_, Real(0));
  std::fill_n(at_.s.data(), m_, Real(0));
  std::fill_n(at_.u.data(), m_, Real(0));
  blocks_->each([&](Index at, Index, Index) {
    at_.s[at] = std::max(1.0, s_0[at]);
    at_.u[at] = slope / at_.s[at];
  });
}

template <class Real> void ConeIteration<Real>::read(double* x, double* u) const {
  for (Index i = 0; x != nullptr && i < n_; ++i) x[i] = static_cast<double>(at_.x[i]);
  for (Index r = 0; u != nullptr && r < m_; ++r) u[r] = static_cast<double>(at_.u[r]);
}

template <class Real> double ConeIteration<Real>::residual() {
  using std::fabs;
  double worst = 0;
  const auto count = [&](const Real& left, const Real& terms) {
    const auto x = static_cast<double>(fabs(left)), size = static_cast<double>(terms);
    if (!(x <= worst * size)) worst = x < 1e300 ? std::min(x / std::max(size, 1e-300), 1e200) : 1e300;
  };
  Real objective = 0;
  for (Index i = 0; i < n_; ++i) {
    const Real Px = dot(n_, P_.data() + i * n_, at_.x.data());
    r_d_[i] = Px + c_[i];
    objective += fabs(c_[i] * at_.x[i]) + fabs(at_.x[i] * Px) * 0.5;
  }
  for (Index r = 0; r < m_; ++r) {
    const Real Sx = dot(n_, S(r), at_.x.data());
    subtract_multiple(n_, at_.u[r], S(r), r_d_.data());
    r_p_[r] = Sx + s_0_[r] - at_.s[r];
    count(r_p_[r], 1);
  }
  blocks_->each([&](Index at, Index, Index) {
    if (!(fabs(r_p_[at] + at_.s[at] - s_0_[at]) <= cone::k_far)) count(1, 1);
  });
  gap_ = dot(m_, at_.s.data(), at_.u.data());
  Real gain = gap_;
  for (Index i = 0; i < n_; ++i) gain += fabs(r_d_[i]) * (fabs(at_.x[i]) + 1);
  count(gain, objective);
  return worst;
}

/// W with W u = W^-1 s = lambda: eta (2 w w^T - J) as a square root.
template <class Real> void ConeIteration<Real>::scale() {
  using std::sqrt;
  blocks_->each([&](Index at, Index n, Index k) {
    const Real *const s = at_.s.data() + at, *const u = at_.u.data() + at;
    const auto length = [&](const Real* x) {  // at the border rounding may leave less than nothing of it
      const Real least = x[0] * x[0] * (rounding_of<Real> * rounding_of<Real>), found = cone::determinant(n, x);
      return sqrt(found > least ? found : least);
    };
    const Real length_s = length(s), length_u = length(u);
    const Real cosine = dot(n, s, u) / (length_s * length_u), gamma = sqrt((cosine + 1) * 0.5);
    Real* const w = w_.data() + at;
    w[0] = (s[0] / length_s + u[0] / length_u) / (gamma * 2);
    for (Index i = 1; i < n; ++i) w[i] = (s[i] / length_s - u[i] / length_u) / (gamma * 2);
    eta_[k] = sqrt(length_s / length_u);
  });
  times_W(1, at_.u.data(), lambda_.data());
}

template <class Real> void ConeIteration<Real>::times_W(int sign, const Real* x, Real* out) const {
  blocks_->each([&](Index at, Index n, Index k) {
    const Real* const w = w_.data() + at;
    const Real first = x[at], factor = sign > 0 ? eta_[k] : Real(1) / eta_[k];
    if (n == 1) {
      out[at] = factor * first;
      return;
    }
    const Real along = dot(n - 1, w + 1, x + at + 1), mix = along / (w[0] + 1) + (sign > 0 ? first : -first);
    for (Index i = 1; i < n; ++i) out[at + i] = factor * (x[at + i] + w[i] * mix);
    out[at] = factor * (w[0] * first + (sign > 0 ? along : -along));
  });
}

template <class Real> bool ConeIteration<Real>::factor() {
  using std::sqrt;
  std::copy_n(P_.data(), n_ * n_, K_.data());
  for (Index i = 0; i < n_; ++i) {  // columns of W^-2 S, one after the other
    for (Index r = 0; r < m_; ++r) work_[r] = S(r)[i];
    times_W(-1, work_.data(), more_.data());
    times_W(-1, more_.data(), work_.data());
    for (Index r = 0; r < m_; ++r) subtract_multiple(n_, -work_[r], S(r), K_.data() + i * n_);
  }
  for (Index i = 0; i < n_; ++i) {
    Real* const row = K_.data() + i * n_;
    for (Index j = 0; j <= i; ++j) {
      const Real left = row[j] - dot(j, row, K_.data() + j * n_);
      if (j < i) {
        row[j] = left / K_[j * n_ + j];
      } else {
        const Real least = row[i] * rounding_of<Real>;  // a direction that rounding has made flat
        if (!(row[i] > 0)) return false;
        row[i] = sqrt(left > least ? left : least);
      }
    }
  }
  return true;
}

template <class Real> void ConeIteration<Real>::back_substitute(Real* x) const {
  for (Index i = 0; i < n_; ++i) x[i] = (x[i] - dot(i, K_.data() + i * n_, x)) / K_[i * n_ + i];
  for (Index i = n_ - 1; i >= 0; --i) {
    x[i] /= K_[i * n_ + i];
    for (Index j = 0; j < i; ++j) x[j] -= K_[i * n_ + j] * x[i];
  }
}

/// dx, ds, du for W du + W^-1 ds = d and the residuals.
template <class Real> void ConeIteration<Real>::solve_for(const Real* d) {
  times_W(-1, d, work_.data());  // W^-1 d - W^-2 r_p
  times_W(-1, r_p_.data(), more_.data());
  times_W(-1, more_.data(), way_.s.data());
  for (Index r = 0; r < m_; ++r) way_.u[r] = work_[r] - way_.s[r];
  for (Index i = 0; i < n_; ++i) right_[i] = -r_d_[i], way_.x[i] = 0;
  for (Index r = 0; r < m_; ++r) subtract_multiple(n_, -way_.u[r], S(r), right_.data());
  for (int refinement = 0; refinement < 3; ++refinement) {
    back_substitute(right_.data());
    for (Index i = 0; i < n_; ++i) way_.x[i] += right_[i];
    for (Index i = 0; i < n_; ++i) right_[i] = -r_d_[i] - dot(n_, P_.data() + i * n_, way_.x.data());
    for (Index r = 0; r < m_; ++r) way_.s[r] = dot(n_, S(r), way_.x.data());
    times_W(-1, way_.s.data(), work_.data());
    times_W(-1, work_.data(), more_.data());
    for (Index r = 0; r < m_; ++r) subtract_multiple(n_, more_[r] - way_.u[r], S(r), right_.data());
  }
  for (Index r = 0; r < m_; ++r) way_.s[r] = dot(n_, S(r), way_.x.data()) + r_p_[r];
  times_W(-1, way_.s.data(), more_.data());
  for (Index r = 0; r < m_; ++r) work_[r] = d[r] - more_[r];
  times_W(-1, work_.data(), way_.u.data());
}

/// The longest step within the cones, at most 1e9.
template <class Real> Real ConeIteration<Real>::step(const Real* x, const Real* dx) const {
  using std::sqrt;
  Real most = 1e9;
  blocks_->each([&](Index at, Index n, Index) {
    if (const Real to = -x[at] / dx[at]; dx[at] < 0 && to < most) most = to;
    if (n == 1) return;
    const Real a = cone::determinant(n, dx + at), c = cone::determinant(n, x + at);
    const Real b = x[at] * dx[at] - dot(n - 1, x + at + 1, dx + at + 1), root = b * b - a * c;
    if (root < 0) return;  // a line that stays within
    const Real q = b > 0 ? -b - sqrt(root) : sqrt(root) - b;
    if (const Real to = q / a; to > 0 && to < most) most = to;
    if (const Real to = c / q; to > 0 && to < most) most = to;
  });
  return most;
}

template <class Real> bool ConeIteration<Real>::advance() {
  const auto longest = [&] {
    const Real s = step(at_.s.data(), way_.s.data()), u = step(at_.u.data(), way_.u.data());
    return s < u ? s : u;
  };
  scale();
  if (!factor()) return false;
  for (Index r = 0; r < m_; ++r) d_[r] = -lambda_[r];  // affine: lambda o d = - lambda o lambda
  solve_for(d_.data());
  const double affine = std::min(1.0, static_cast<double>(longest()));
  const Real centre = gap_ * (std::pow(1 - affine, 3) / static_cast<double>(blocks_->count));
  times_W(-1, way_.s.data(), work_.data());
  times_W(1, way_.u.data(), more_.data());
  blocks_->each([&](Index at, Index n, Index) {
    Real* const d = d_.data() + at;
    cone::product(n, work_.data() + at, more_.data() + at, d);
    cone::product(n, lambda_.data() + at, lambda_.data() + at, work_.data() + at);
    for (Index i = 0; i < n; ++i) d[i] = -d[i] - work_[at + i];
    d[0] += centre;
    cone::divide(n, lambda_.data() + at, d);
  });
  solve_for(d_.data());
  const double length = std::min(1.0, 0.99 * static_cast<double>(longest()));
  if (!(length > 1e-12)) return false;
  const auto go = [&](Index n, const B& way, B& at) { subtract_multiple(n, Real(-length), way.data(), at.data()); };
  go(n_, way_.x, at_.x);
  go(m_, way_.s, at_.s);
  go(m_, way_.u, at_.u);
  return true;
}

}  // namespace zwang::dense
