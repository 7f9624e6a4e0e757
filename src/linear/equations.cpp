// SPDX-License-Identifier: BSD-3-Clause
#include "linear/equations.hpp"

#include <cmath>

#include "linear/vectors.hpp"
#include "zwang/core/scalar.hpp"

namespace zwang::dense {
namespace {
/// The power of two next to 1 / x.
double inverse_power(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, -exponent);
}
constexpr double k_no_inertia = 1e-14;  // relative to the largest inertia of the model: no scale of its own below
}  // namespace

Equations::Equations(Index nv, Index rows)
    : capacity_m(rows),
      stride(nv),
      M(nv * nv),
      J(rows * nv),
      tau(nv),
      b(rows),
      R(rows),
      nothing_(rows) {}

void Equations::fail(const KktProblem& p, KktAnswer& answer, KktOutcome outcome) {
  for (Index k = 0; k < p.nv; ++k) answer.acceleration[k] = 0;
  for (Index i = 0; i < p.m; ++i) answer.lambda[i] = 0;
  answer.rank = 0;
  answer.outcome = outcome;
}

void Equations::finish(const KktProblem& p, KktAnswer& answer) {
  for (Index k = 0; p.held && k < p.nv; ++k)
    if (p.held[k]) answer.acceleration[k] = p.held_value[k];
  if (!all_finite(p.nv, answer.acceleration) || !all_finite(p.m, answer.lambda))
    fail(p, answer, KktOutcome::not_finite);
}

bool Equations::take(const KktProblem& p, KktAnswer& answer) {
  answer.iterations = 1;
  answer.rank = 0;
  answer.outcome = KktOutcome::ok;
  if (p.nv > stride || p.m > capacity_m) {
    fail(p, answer, KktOutcome::unsupported);
    return false;
  }
  n = p.nv;
  m = p.m;
  tolerance = p.tolerance > 0 ? p.tolerance : 64 * epsilon_of<double> * (m > 0 ? m : 1);
  if (take_matrices(p)) return take_right(p, answer);
  fail(p, answer, KktOutcome::not_finite);
  return false;
}

/// False if a number is not finite.
bool Equations::take_matrices(const KktProblem& p) {
  bool finite = true;
  for (Index k = 0; k < n; ++k) {
    for (Index j = 0; j < n; ++j) mass_row(k)[j] = p.M[k * p.M_stride + j];
    finite = finite && all_finite(n, mass_row(k));
  }
  for (Index i = 0; i < m; ++i) {
    double size = 0;
    for (Index j = 0; j < n; ++j) {
      const double x = row(i)[j] = p.J[i * p.J_stride + j], inertia = mass_row(j)[j];
      if (x != 0) size += inertia > 0 ? x * x / inertia : INFINITY;
    }
    finite = finite && all_finite(n, row(i));
    R[i] = p.R ? p.R[i] : 0.0;
    nothing_[i] = R[i] == 0 && p.row_bound && !(size > tolerance * p.row_bound[i]);
    for (Index j = 0; nothing_[i] && j < n; ++j) row(i)[j] = 0;
  }
  for (Index k = 0; p.held && k < n; ++k) {
    if (!p.held[k]) continue;
    for (Index j = 0; j < n; ++j) mass_row(j)[k] = mass_row(k)[j] = 0;
    for (Index i = 0; i < m; ++i) row(i)[k] = 0;
    mass_row(k)[k] = 1;
  }
  return finite && all_finite(m, R.data());
}

bool Equations::take_right(const KktProblem& p, KktAnswer& answer) {
  answer.iterations = 1;
  answer.outcome = KktOutcome::ok;
  const auto held = [&](Index k) { return p.held && p.held[k]; };
  for (Index k = 0; k < n; ++k) tau[k] = held(k) ? 0.0 : p.tau[k];
  for (Index i = 0; i < m; ++i) b[i] = p.b[i];
  const bool finite = all_finite(n, tau.data()) && all_finite(m, b.data());
  for (Index k = 0; p.held && k < n; ++k) {
    if (!held(k)) continue;
    const double a = p.held_value[k];
    for (Index j = 0; j < n; ++j) tau[j] -= p.M[j * p.M_stride + k] * a;
    for (Index i = 0; i < m; ++i)
      if (!nothing_[i]) b[i] -= p.J[i * p.J_stride + k] * a;
  }
  for (Index k = 0; p.held && k < n; ++k)
    if (held(k)) tau[k] = p.held_value[k];
  if (!finite) fail(p, answer, KktOutcome::not_finite);
  return finite;
}

void Equations::scales(double* column, double* row_scale) const {
  double largest = 0;
  for (Index k = 0; k < n; ++k) largest = std::fmax(largest, mass_row(k)[k]);
  for (Index k = 0; k < n; ++k) {
    const double inertia = mass_row(k)[k];
    column[k] = inertia > k_no_inertia * largest ? inverse_power(std::sqrt(inertia)) : 0.0;  // 0: by the rows
  }
  for (Index i = 0; i < m; ++i) {
    double x = std::sqrt(R[i]), raw = 0;
    for (Index k = 0; k < n; ++k) {
      x = std::fmax(x, std::fabs(row(i)[k]) * column[k]);
      raw = std::fmax(raw, std::fabs(row(i)[k]));
    }
    if (!(x > 0)) x = raw;
    row_scale[i] = x > 0 ? inverse_power(x) : 1.0;
  }
  for (Index k = 0; k < n; ++k) {
    if (column[k] > 0) continue;
    double x = 0;
    for (Index i = 0; i < m; ++i) x = std::fmax(x, std::fabs(row(i)[k]) * row_scale[i]);
    if (!(x > 0)) x = std::sqrt(mass_row(k)[k]);
    column[k] = x > 0 ? inverse_power(x) : 1.0;
  }
}

}  // namespace zwang::dense
