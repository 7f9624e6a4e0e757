// SPDX-License-Identifier: BSD-3-Clause
// ClosestPoint: where rows do not meet, the nearest least-squares point, and its certificate.
#include <algorithm>
#include <cmath>

#include "manifold/instances.hpp"
#include "question/assembly/closest_point.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

constexpr double k_difference = 1e-6;  // [rad, or of the robot]
constexpr double k_settled = 1e-9;     // |J^T phi| / (|J| |phi|) where the search ends
constexpr double k_certified = 1e-6;   // where the point is called the nearest one
constexpr int k_most_steps = 60;

}  // namespace

/// g [nv] = J^T phi of the rows last evaluated, without what limits take; held: the coordinates that they hold. Returns
/// |g|_W^-1 / (|A| |phi|).
double ClosestPoint::project_gradient(const Point& p, double* g, HeldCoordinates& held) {
  std::fill_n(g, nv_, 0.0);
  double rows = 0;
  for (Index i = 0; i < m_; ++i) {
    subtract_multiple(nv_, -p.rest(i) / scale_[i], rows_.jacobian(list_[i]), g);
    if (p.side[i] == 0 || p.rest(i) != 0) rows += dot(n_, p.row(i), p.row(i));
  }
  held.clear();
  for (Index j = 0; j < n_; ++j) {
    const int side = limit_side(p, j);
    double& own = g[on_.free[j]];
    if (side == 0 || (side != 2 && side * own > 0)) continue;  // psi falls away from the limit
    held.add(j, 0.0);
    own = 0;
  }
  metric_.columns_of(g, probe_.data());
  const double size = std::sqrt(rows * 2 * p.psi);
  return size > 0 ? std::sqrt(dot(n_, probe_.data(), probe_.data())) / size : 0.0;
}

/// H of psi on the coordinates that are not held, by differences of its gradient. Of rows with a sense it
/// counts those that are violated: what the others add is not negative, so that a positive H also proves a
/// minimum where some of them are just closed.
void ClosestPoint::curvature_of_psi(const Point& p, const double* g) {
  const Index k = n_ - held_.count;
  Index a = 0;
  for (Index j = 0; j < n_; ++j) {
    if (held_.is[j]) continue;
    std::fill_n(d_.data(), nv_, 0.0);
    const double h = k_difference * (turn_[j] > 0 ? 1 / turn_[j] : reach_);
    d_[on_.free[j]] = h;
    page::integrate(model_.tree<double>(), p.q.data(), d_.data(), trial_.q.data());
    measure(trial_);
    std::fill_n(base_.data(), nv_, 0.0);
    for (Index i = 0; i < m_; ++i)
      if (p.side[i] == 0 || residual_of(p, i) > tolerance_)
        subtract_multiple(nv_, -trial_.phi[i] / scale_[i], rows_.jacobian(list_[i]), base_.data());
    Index b = 0;
    for (Index l = 0; l < n_; ++l)
      if (!held_.is[l]) H_[b++ * k + a] = (base_[on_.free[l]] - g[on_.free[l]]) / h;
    ++a;
  }
  for (Index r = 0; r < k; ++r)
    for (Index c = 0; c < r; ++c) H_[r * k + c] = H_[c * k + r] = 0.5 * (H_[r * k + c] + H_[c * k + r]);
}

void ClosestPoint::settle(AssemblyReport& report) {
  report.nearest = false;
  bool minimum = false;
  for (int step = 0; step <= k_most_steps; ++step) {
    measure(at_);
    report.gradient = project_gradient(at_, g_.data(), held_);
    const Index k = n_ - held_.count;
    curvature_of_psi(at_, g_.data());
    Index a = 0;
    for (Index j = 0; j < n_; ++j)
      if (!held_.is[j]) reduced_[a++] = g_[on_.free[j]];
    double rows = 0;  // where psi is flat H is rounding over k_difference, relative to these
    for (Index i = 0; i < m_; ++i) rows += dot(n_, at_.row(i), at_.row(i));
    minimum = newton(k, reduced_.data(), z_.data(), std::max(rows, std::sqrt(rows * 2 * at_.psi)));
    if (step == k_most_steps || (report.gradient <= k_settled && minimum)) break;
    std::fill_n(base_.data(), nv_, 0.0);
    a = 0;
    for (Index j = 0; j < n_; ++j)
      if (!held_.is[j]) base_[on_.free[j]] = z_[a++];
    const double slope = dot(nv_, base_.data(), g_.data());
    double part = shorten(base_.data(), 0.5);
    bool moved = false;
    for (int halved = 0; halved < 20 && !moved && slope < 0; ++halved, part *= 0.4) {
      for (Index i = 0; i < nv_; ++i) d_[i] = part * base_[i];
      leaving_.clear();
      move(at_.q.data(), d_.data(), leaving_, trial_.q.data());
      moved = measure(trial_) && trial_.psi < at_.psi + 1e-4 * part * slope;
    }
    if (!moved) break;
    Point::copy(trial_, at_);
    if (holds(at_)) {  // the rows meet after all
      report.gradient = 0;
      report.nearest = true;
      return slide(report);
    }
  }
  measure(at_);
  report.status = report.gradient <= k_certified && minimum ? Status::infeasible : Status::not_converged;
}

}  // namespace zwang
