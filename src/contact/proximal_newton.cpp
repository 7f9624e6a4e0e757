// SPDX-License-Identifier: BSD-3-Clause
#include "contact/proximal_newton.hpp"

#include "core/all_finite.hpp"
#include "linear/lu.hpp"

namespace zwang::contact {
namespace {

constexpr int k_inner = 40;
constexpr double k_armijo = 1e-4, k_shortest = 1e-6;
constexpr double k_rounding = 1e-15, k_stalled = 1e-12;  // of |y| + |y_0|
constexpr double k_largest_rho = 1e8;

}  // namespace

void ProximalNewton::reserve(Index rows, Index all) {
  for (Point* at : {&here_, &there_}) {
    at->y = Buffer<double>(all), at->F = Buffer<double>(all);
    at->s = Buffer<double>(rows), at->z = Buffer<double>(rows), at->projected = Buffer<double>(rows);
  }
  H_ = Buffer<double>(all * all);
  direction_ = Buffer<double>(all), rest_ = Buffer<double>(all);
  l_ = Buffer<double>(rows), best_ = Buffer<double>(rows), gamma_ = Buffer<double>(rows);
  order_ = Buffer<Index>(all);
}

void ProximalNewton::evaluate(const ScaledProblem& p, const double* l, double rho, Point& at) const {
  for (Index k = 0; k < p.m; ++k) at.s[k] = dot(p.n, p.column(k), at.y.data()) + p.b[k];
  p.shift(at.s.data(), gamma_.data());
  for (Index k = 0; k < p.m; ++k) at.z[k] = l[k] - rho * (at.s[k] + gamma_[k]);
  p.project(at.z.data(), at.projected.data());
  for (Index i = 0; i < p.n; ++i) at.F[i] = at.y[i] - p.y_0[i];
  for (Index k = 0; k < p.m; ++k) add(p.n, -at.projected[k], p.column(k), at.F.data());
  at.size = std::sqrt(dot(p.n, at.F.data(), at.F.data()));
}

/// One Newton step with Armijo's rule; false where it makes nothing smaller, or F is rounding.
bool ProximalNewton::step(const ScaledProblem& p, const double* l, double rho) {
  const Index n = p.n;
  const double scale =
      std::sqrt(dot(n, here_.y.data(), here_.y.data())) + std::sqrt(dot(n, p.y_0.data(), p.y_0.data()));
  if (here_.size <= k_rounding * scale) return false;
  std::fill(H_.begin(), H_.begin() + n * n, 0.0);
  for (Index i = 0; i < n; ++i) H_[i * n + i] = 1;
  for (Index c = 0; c < p.count; ++c) {
    const Cone& cone = p.cone[c];
    const Index rows = cone.rows(), first = cone.first;
    double B[3][3];
    project_derivative(cone, here_.z.data(), B);
    if (cone.is_contact()) {  // B (1 + Gamma')
      const double slip = length(here_.s[first], here_.s[first + 1]);
      for (auto& row : B)
        for (int t = 0; t < 2 && slip > 0; ++t) row[t] += row[2] * cone.mu * here_.s[first + t] / slip;
    }
    for (Index r = 0; r < rows; ++r)
      for (Index s = 0; s < rows; ++s) {
        if (B[r][s] == 0) continue;
        const double *const left = p.column(first + r), *const right = p.column(first + s);
        for (Index i = 0; i < n; ++i)
          if (left[i] != 0) add(n, rho * B[r][s] * left[i], right, H_.data() + i * n);
      }
  }
  if (!dense::lu(n, H_.data(), order_.data())) return false;
  dense::solve_lu(n, H_.data(), order_.data(), here_.F.data(), direction_.data());
  if (!all_finite(direction_.data(), static_cast<long>(n))) return false;
  ++iterations;
  for (double length = 1;; length /= 2) {
    for (Index i = 0; i < n; ++i) there_.y[i] = here_.y[i] - length * direction_[i];
    evaluate(p, l, rho, there_);
    if (there_.size < (1 - k_armijo * length) * here_.size || length < k_shortest) break;
  }
  if (!(there_.size < here_.size)) return false;
  const bool stalled = there_.size > 0.5 * here_.size && there_.size < k_stalled * scale;
  std::swap(here_, there_);
  return !stalled;
}

double ProximalNewton::run(const ScaledProblem& p, double* l, double rho, int outer, double goal,
                           const Interruption& stop) {
  p.motion(l, here_.y.data(), here_.s.data());
  double least = p.residual(l), last = 1e300;
  std::copy(l, l + p.m, best_.begin());
  std::copy(l, l + p.m, l_.begin());
  for (int k = 0; k < outer && !stop.asked(); ++k) {
    evaluate(p, l_.data(), rho, here_);
    for (int j = 0; j < k_inner && step(p, l_.data(), rho);) ++j;
    if (!all_finite(here_.projected.data(), static_cast<long>(p.m))) break;
    std::copy(here_.projected.begin(), here_.projected.begin() + p.m, l_.begin());
    const double e = p.residual(l_.data());
    if (e < least) least = e, std::copy(l_.begin(), l_.begin() + p.m, best_.begin());
    if (least <= goal) break;
    if (e > 0.1 * last && rho < k_largest_rho) rho *= 10;
    last = e;
  }
  std::copy(best_.begin(), best_.begin() + p.m, l);
  return least;
}

}  // namespace zwang::contact
