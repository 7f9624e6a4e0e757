// SPDX-License-Identifier: BSD-3-Clause
#include "linear/cone_program.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang::dense {
namespace {

constexpr int k_most = 80;
constexpr double k_done = 1e-11;  ///< of residuals and s^T u, relative to the size of their terms

/// x_0^2 - |x_1|^2
double determinant(Index n, const double* x) { return x[0] * x[0] - dot(n - 1, x + 1, x + 1); }
/// Jordan product (x . y; x_0 y_1 + y_0 x_1)
void product(Index n, const double* x, const double* y, double* out) {
  const double first = dot(n, x, y);
  for (Index i = 1; i < n; ++i) out[i] = x[0] * y[i] + y[0] * x[i];
  out[0] = first;
}
/// The x with l o x = v.
void divide(Index n, const double* l, double* v) {
  const double first = (l[0] * v[0] - dot(n - 1, l + 1, v + 1)) / determinant(n, l);
  for (Index i = 1; i < n; ++i) v[i] = (v[i] - first * l[i]) / l[0];
  v[0] = first;
}
double largest(Index n, const double* x) {
  double most = 0;
  for (Index i = 0; i < n; ++i)
    if (!(std::fabs(x[i]) <= most)) most = std::fabs(x[i]);  // also where it is not a number
  return most;
}

}  // namespace

ConeProgram::ConeProgram(Index variables, Index rows)
    : P_(variables * variables),
      c_(variables),
      S_(rows * variables),
      s_0_(rows),
      K_(variables * variables),
      at_{Buffer<double>(variables), Buffer<double>(rows), Buffer<double>(rows)},
      way_(at_),
      r_d_(variables),
      right_(variables),
      best_(variables),
      r_p_(rows),
      w_(rows),
      eta_(rows),
      lambda_(rows),
      d_(rows),
      work_(rows),
      more_(rows),
      first_(rows + 1) {}

void ConeProgram::begin(Index variables) {
  n_ = variables;
  m_ = blocks_ = 0;
  first_[0] = 0;
}
void ConeProgram::add_block(Index size) {
  m_ += size;
  first_[++blocks_] = m_;
}

void ConeProgram::drop_block() { m_ = first_[--blocks_]; }

void ConeProgram::start() {
  std::fill_n(at_.z.data(), n_, 0.0);
  std::fill_n(at_.s.data(), m_, 0.0);
  std::fill_n(at_.u.data(), m_, 0.0);
  // Sizes of z, s and u in an equilibrium of P z with S^T u. Where a cone is far away s is, and u is little.
  double forces = 0;
  each_block([&](Index at, Index n, Index) {
    forces = std::max(forces, std::sqrt(dot(n - 1, &s_0_[at] + 1, &s_0_[at] + 1)) - s_0_[at]);
  });
  if (!(forces > 0)) forces = std::max(1e-300, largest(m_, s_0_.data()));
  const double entry = std::max(1e-300, largest(m_ * n_, S_.data())), steep = largest(n_ * n_, P_.data());
  const double slope = std::max({1e-300, largest(n_, c_.data()) / entry, steep * forces / (entry * entry)});
  each_block([&](Index at, Index, Index) {
    at_.s[at] = std::max(forces, s_0_[at]);
    at_.u[at] = slope * (forces / at_.s[at]);
  });
}

/// r_d = P z + c - S^T u, r_p = S z + s_0 - s, and their sizes relative to the terms.
double ConeProgram::residuals() {
  double terms_d = 1e-300, terms_p = 1e-300;
  for (Index i = 0; i < n_; ++i) {
    const double Pz = dot(n_, P_.data() + i * n_, at_.z.data());
    r_d_[i] = Pz + c_[i];
    terms_d = std::max({terms_d, std::fabs(Pz), std::fabs(c_[i])});
  }
  for (Index r = 0; r < m_; ++r) {
    subtract_multiple(n_, at_.u[r], S(r), r_d_.data());
    terms_d = std::max(terms_d, std::fabs(at_.u[r]) * largest(n_, S(r)));
    const double Sz = dot(n_, S(r), at_.z.data());
    r_p_[r] = Sz + s_0_[r] - at_.s[r];
    terms_p = std::max({terms_p, std::fabs(Sz), std::fabs(s_0_[r])});
  }
  quality_.gap = dot(m_, at_.s.data(), at_.u.data());
  quality_.dual = largest(n_, r_d_.data()) / terms_d;
  quality_.primal = largest(m_, r_p_.data()) / terms_p;
  double objective = 0;
  for (Index i = 0; i < n_; ++i)
    objective += std::fabs(c_[i] * at_.z[i]) + std::fabs(0.5 * at_.z[i] * dot(n_, P_.data() + i * n_, at_.z.data()));
  for (Index r = 0; r < m_; ++r) objective += std::fabs(s_0_[r] * at_.u[r]);
  const double relative = quality_.gap / std::max(1e-300, objective);
  return quality_.dual + quality_.primal + relative < 1e300 ? std::max({quality_.dual, quality_.primal, relative})
                                                            : 1e300;
}

/// W with W u = W^-1 s = lambda: eta (2 w w^T - J) as a square root.
void ConeProgram::scale() {
  each_block([&](Index at, Index n, Index k) {
    const double *const s = at_.s.data() + at, *const u = at_.u.data() + at;
    const auto length = [&](const double* x) {  // at the border rounding may leave less than nothing of it
      return std::sqrt(std::max(determinant(n, x), epsilon_of<double> * epsilon_of<double> * x[0] * x[0]));
    };
    const double length_s = length(s), length_u = length(u);
    const double cosine = dot(n, s, u) / (length_s * length_u), gamma = std::sqrt((1 + cosine) / 2);
    double* const w = w_.data() + at;
    w[0] = (s[0] / length_s + u[0] / length_u) / (2 * gamma);
    for (Index i = 1; i < n; ++i) w[i] = (s[i] / length_s - u[i] / length_u) / (2 * gamma);
    eta_[k] = std::sqrt(length_s / length_u);
  });
  times_W(1, at_.u.data(), lambda_.data());
}

void ConeProgram::times_W(double sign, const double* x, double* out) const {
  each_block([&](Index at, Index n, Index k) {
    const double* const w = w_.data() + at;
    const double factor = sign > 0 ? eta_[k] : 1 / eta_[k], along = dot(n - 1, w + 1, x + at + 1), first = x[at];
    for (Index i = 1; i < n; ++i) out[at + i] = factor * (x[at + i] + w[i] * (along / (1 + w[0]) + sign * first));
    out[at] = factor * (w[0] * first + sign * along);
  });
}

bool ConeProgram::factor() {
  std::copy_n(P_.data(), n_ * n_, K_.data());
  for (Index i = 0; i < n_; ++i) {  // columns of W^-2 S, one after the other
    for (Index r = 0; r < m_; ++r) work_[r] = S(r)[i];
    times_W(-1, work_.data(), more_.data());
    times_W(-1, more_.data(), work_.data());
    for (Index r = 0; r < m_; ++r) subtract_multiple(n_, -work_[r], S(r), K_.data() + i * n_);
  }
  for (Index i = 0; i < n_; ++i) {
    double* const row = K_.data() + i * n_;
    for (Index j = 0; j <= i; ++j) {
      const double left = row[j] - dot(j, row, K_.data() + j * n_);
      if (j < i) {
        row[j] = left / K_[j * n_ + j];
      } else {
        const double least = epsilon_of<double> * row[i];  // a direction that rounding has made flat
        if (!(row[i] > 0)) return false;
        row[i] = std::sqrt(left > least ? left : least);
      }
    }
  }
  return true;
}

void ConeProgram::back_substitute(double* x) const {
  for (Index i = 0; i < n_; ++i) x[i] = (x[i] - dot(i, K_.data() + i * n_, x)) / K_[i * n_ + i];
  for (Index i = n_ - 1; i >= 0; --i) {
    x[i] /= K_[i * n_ + i];
    for (Index j = 0; j < i; ++j) x[j] -= K_[i * n_ + j] * x[i];
  }
}

/// dz, ds, du for W du + W^-1 ds = d and the residuals.
void ConeProgram::solve_for(double* d) {
  times_W(-1, d, work_.data());  // W^-1 d - W^-2 r_p
  times_W(-1, r_p_.data(), more_.data());
  times_W(-1, more_.data(), way_.s.data());
  for (Index r = 0; r < m_; ++r) way_.u[r] = work_[r] - way_.s[r];
  for (Index i = 0; i < n_; ++i) right_[i] = -r_d_[i], way_.z[i] = 0;
  for (Index r = 0; r < m_; ++r) subtract_multiple(n_, -way_.u[r], S(r), right_.data());
  for (int refinement = 0; refinement < 3; ++refinement) {
    back_substitute(right_.data());
    for (Index i = 0; i < n_; ++i) way_.z[i] += right_[i];
    for (Index i = 0; i < n_; ++i) right_[i] = -r_d_[i] - dot(n_, P_.data() + i * n_, way_.z.data());
    for (Index r = 0; r < m_; ++r) way_.s[r] = dot(n_, S(r), way_.z.data());
    times_W(-1, way_.s.data(), work_.data());
    times_W(-1, work_.data(), more_.data());
    for (Index r = 0; r < m_; ++r) subtract_multiple(n_, more_[r] - way_.u[r], S(r), right_.data());
  }
  for (Index r = 0; r < m_; ++r) way_.s[r] = dot(n_, S(r), way_.z.data()) + r_p_[r];
  times_W(-1, way_.s.data(), more_.data());
  for (Index r = 0; r < m_; ++r) work_[r] = d[r] - more_[r];
  times_W(-1, work_.data(), way_.u.data());
}

/// The longest step within the cones, at most 1e9.
double ConeProgram::step(const double* x, const double* dx) const {
  double most = 1e9;
  each_block([&](Index at, Index n, Index) {
    const double a = determinant(n, dx + at), c = determinant(n, x + at);
    const double b = x[at] * dx[at] - dot(n - 1, x + at + 1, dx + at + 1), root = b * b - a * c;
    if (dx[at] < 0) most = std::min(most, -x[at] / dx[at]);
    if (n == 1 || root < 0) return;  // a line that stays within
    const double q = -(b + (b > 0 ? std::sqrt(root) : -std::sqrt(root)));
    for (const double t : {a != 0 ? q / a : -1.0, q != 0 ? c / q : -1.0})
      if (t > 0) most = std::min(most, t);
  });
  return most;
}

bool ConeProgram::proves_infeasible() const {
  double below = 0, size = 0;
  for (Index r = 0; r < m_; ++r) below += s_0_[r] * at_.u[r], size += std::fabs(s_0_[r] * at_.u[r]);
  if (!(below < -1e-6 * size)) return false;
  for (Index i = 0; i < n_; ++i) {
    double sum = 0, terms = 0;
    for (Index r = 0; r < m_; ++r) {
      sum += S_[r * n_ + i] * at_.u[r];
      terms += std::fabs(S_[r * n_ + i] * at_.u[r]);
    }
    if (!(std::fabs(sum) <= 1e-9 * terms)) return false;
  }
  return true;
}

/// Newton's step with Mehrotra's corrector. False where there is none.
bool ConeProgram::advance() {
  scale();
  if (!factor()) return false;
  for (Index r = 0; r < m_; ++r) d_[r] = -lambda_[r];  // affine: lambda o d = - lambda o lambda
  solve_for(d_.data());
  const double affine = std::min({1.0, step(at_.s.data(), way_.s.data()), step(at_.u.data(), way_.u.data())});
  const double centre = std::pow(1 - affine, 3), mean = quality_.gap / static_cast<double>(blocks_);
  times_W(-1, way_.s.data(), work_.data());
  times_W(1, way_.u.data(), more_.data());
  each_block([&](Index at, Index n, Index) {
    double* const d = d_.data() + at;
    product(n, work_.data() + at, more_.data() + at, d);
    product(n, lambda_.data() + at, lambda_.data() + at, work_.data() + at);
    for (Index i = 0; i < n; ++i) d[i] = -d[i] - work_[at + i];
    d[0] += centre * mean;
    divide(n, lambda_.data() + at, d);
  });
  solve_for(d_.data());
  const double length =
      std::min(1.0, 0.99 * std::min(step(at_.s.data(), way_.s.data()), step(at_.u.data(), way_.u.data())));
  if (!(length > 1e-12)) return false;
  subtract_multiple(n_, -length, way_.z.data(), at_.z.data());
  subtract_multiple(m_, -length, way_.s.data(), at_.s.data());
  subtract_multiple(m_, -length, way_.u.data(), at_.u.data());
  return true;
}

/// The best iterate is kept: at the end rounding may make them worse again.
ConeOutcome ConeProgram::solve() {
  start();
  quality_.worst = 1e300;
  for (iterations_ = 0; iterations_ < k_most; ++iterations_) {
    const double now = residuals();
    if (!(now < 1e300)) break;
    if (now < quality_.worst) {
      quality_.worst = now;
      std::copy_n(at_.z.data(), n_, best_.data());
    }
    if (quality_.worst <= k_done || (quality_.worst < 1e-9 && now > 10 * quality_.worst)) break;
    if (proves_infeasible()) return ConeOutcome::infeasible;
    if (!advance()) break;
  }
  return quality_.worst <= 1e-9 ? ConeOutcome::optimal : ConeOutcome::not_converged;
}

}  // namespace zwang::dense
