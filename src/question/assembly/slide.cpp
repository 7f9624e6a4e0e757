// SPDX-License-Identifier: BSD-3-Clause
// ClosestPoint: along the rows to the point nearest to q0.
#include <algorithm>
#include <cmath>

#include "manifold/instances.hpp"
#include "question/assembly/closest_point.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

constexpr double k_curvature_step = 1e-6;  // length of the steps that curvatures are taken from [rad, or of the robot]
constexpr double k_longest_slide = 0.7;    // of a coordinate in one step [rad]
constexpr double k_near = 1e-3;            // of a row: it is closed on the way [length in W]

}  // namespace

/// f, and its gradient along increments at q, D^T W (q (-) q0), D = d(q (-) q0)/dq.
double ClosestPoint::distance_gradient(const double* q, double* g) {
  page::difference(model_.tree<double>(), q0_, q, difference_.data());
  page::difference_jacobians<double>(model_.tree<double>(), q0_, q, nullptr, {nv_, 1}, by_q_.data(), {nv_, 1});
  metric_.weigh(difference_.data(), weighed_.data());
  std::fill_n(g, nv_, 0.0);
  for (Index i = 0; i < nv_; ++i)
    if (weighed_[i] != 0) subtract_multiple(nv_, -weighed_[i], &by_q_[i * nv_], g);
  return 0.5 * dot(nv_, difference_.data(), weighed_.data());
}

/// The gradient of f + lambda^T phi with the multipliers of the tangents, at q.
void ClosestPoint::lagrangian_gradient(const double* q, double* g) {
  distance_gradient(q, g);
  ++done_.evaluations;
  rows_.evaluate(q);
  for (Index i = 0; i < m_; ++i)
    if (const double lambda = steps_.multiplier(i); lambda != 0)
      subtract_multiple(nv_, -lambda / scale_[i], rows_.jacobian(list_[i]), g);
}

/// z = -B^-1 Z^T g, B the Hessian of the Lagrangian on the tangents: 1 to first order in the distance,
/// or by differences.
void ClosestPoint::solve_reduced(const double* reduced, bool curved, double* z) {
  const Index k = steps_.tangents();
  for (Index a = 0; a < k; ++a) z[a] = -reduced[a];
  if (!curved) return;
  lagrangian_gradient(at_.q.data(), base_.data());
  for (Index a = 0; a < k; ++a) {
    metric_.step_of(steps_.tangent(a), d_.data());
    double largest = 0;
    for (Index j = 0; j < n_; ++j)
      largest = std::max(largest, std::fabs(d_[on_.free[j]]) * (turn_[j] > 0 ? turn_[j] : 1 / reach_));
    const double h = k_curvature_step / std::max(largest, 1e-150);
    for (Index i = 0; i < nv_; ++i) d_[i] *= h;
    page::integrate(model_.tree<double>(), at_.q.data(), d_.data(), other_.q.data());
    lagrangian_gradient(other_.q.data(), g_.data());
    for (Index i = 0; i < nv_; ++i) g_[i] = (g_[i] - base_[i]) / h;
    metric_.columns_of(g_.data(), probe_.data());
    for (Index b = 0; b < k; ++b) H_[b * k + a] = dot(n_, steps_.tangent(b), probe_.data());
  }
  for (Index a = 0; a < k; ++a)
    for (Index b = 0; b < a; ++b) H_[a * k + b] = H_[b * k + a] = 0.5 * (H_[a * k + b] + H_[b * k + a]);
  newton(k, reduced, z, 0);
}

/// z = -(H + shift)^-1 g with the first of the shifts 1e-9, 1e-5, 1e-4, ... of H's size for which H is
/// positive. False if that is more than the differences H is made of are worth. `least`: what H is at
/// least measured by, where it may be flat.
bool ClosestPoint::newton(Index n, const double* g, double* z, double least) {
  double size = least;
  for (Index a = 0; a < n; ++a) size = std::max(size, std::fabs(H_[a * n + a]));
  if (!(size > 0)) size = 1;
  bool whole = true;
  for (double shift = 1e-9 * size;; shift = std::max(10 * shift, 1e-5 * size)) {
    bool positive = true;
    for (Index i = 0; i < n && positive; ++i)
      for (Index j = 0; j <= i; ++j) {
        const double rest = H_[i * n + j] + (i == j ? shift : 0.0) - dot(j, &C_[i * n], &C_[j * n]);
        if (i != j) {
          C_[i * n + j] = rest / C_[j * n + j];
          continue;
        }
        positive = rest > 1e-10 * size;
        if (!positive) break;
        C_[i * n + i] = std::sqrt(rest);
      }
    if (positive) break;
    if (shift > 5e-6 * size) whole = false;
    if (!(shift < 1e6 * size)) {
      for (Index a = 0; a < n; ++a) z[a] = -g[a] / size;
      return false;
    }
  }
  for (Index i = 0; i < n; ++i) z[i] = (-g[i] - dot(i, &C_[i * n], z)) / C_[i * n + i];
  for (Index i = n; i-- > 0;) {
    z[i] /= C_[i * n + i];
    subtract_multiple(i, z[i], &C_[i * n], z);
  }
  return whole;
}

/// A step x along the tangents, then back to the rows; shorter until f falls. False if it does not.
bool ClosestPoint::slide_by(const double* x, double slope) {
  metric_.step_of(x, base_.data());
  double part = room_along(x, shorten(base_.data(), k_longest_slide));
  for (Index j = 0; j < n_; ++j) {  // up to the first limit
    const Index k = on_.q_of[j];
    const double d = base_[on_.free[j]];
    if (k < 0 || held_.is[j] || d == 0) continue;
    const double room = (d < 0 ? on_.lower[j] : on_.upper[j]) - at_.q[k];
    if (part * std::fabs(d) > std::fabs(room)) part = std::fabs(room / d);
  }
  for (int halved = 0; halved < 14; ++halved, part *= 0.4) {
    for (Index i = 0; i < nv_; ++i) d_[i] = part * base_[i];
    move(at_.q.data(), d_.data(), held_, other_.q.data());
    int restored = 0;
    if (!measure(other_) || !approach(other_, &held_, 12, &restored)) continue;
    const double f = distance_gradient(other_.q.data(), g_.data());
    const double enough = f_ + 1e-4 * part * slope;
    if (!(f <= enough) && !(f <= f_ * (1 + 1e-14) && std::fabs(part * slope) <= 1e-12 * f_)) continue;
    Point::copy(other_, at_);
    return true;
  }
  return false;
}

/// Chooses the rows with a sense that f pulls against: those near are kept closed on the way. Returns how far the
/// farthest of these is from being closed, as a length.
double ClosestPoint::choose_along(const double* g) {
  keep_none();
  sides_.chosen->choose_along(at_, held_, g);
  double open = 0;
  for (Index i = 0; i < m_; ++i) {
    if (!at_.acts[i] || sides_.side[i] == 0 || is_closed(i)) continue;
    const double gap = std::fabs(at_.phi[i]) / std::sqrt(dot(n_, at_.row(i), at_.row(i)));
    at_.acts[i] = gap <= k_near;
    if (at_.acts[i]) open = std::max(open, gap);
  }
  for (Index i = 0; i < m_; ++i) sides_.kept[i] = sides_.side[i] != 0 && at_.acts[i];
  return open;
}

void ClosestPoint::keep_none() {
  std::fill_n(sides_.kept.data(), m_, static_cast<unsigned char>(0));
  std::copy_n(sides_.side.data(), m_, at_.side.data());
}

/// The part of a step x at which the first row reaches its side, of those that are open by more than a little.
double ClosestPoint::room_along(const double* x, double part) const {
  for (Index i = 0; sides_.any && i < m_; ++i) {
    const double gap = sides_.side[i] * at_.phi[i], rate = sides_.side[i] * dot(n_, at_.row(i), x);
    const double length = std::sqrt(dot(n_, at_.row(i), at_.row(i)));
    if (sides_.side[i] == 0 || sides_.kept[i] || rate >= 0 || gap <= k_near * length) continue;
    part = std::min(part, gap / -rate);
  }
  return part;
}

void ClosestPoint::slide(AssemblyReport& report) {
  bool curved = false, closed = false;
  double before = 0;
  Index released = -1;
  for (;;) {
    f_ = distance_gradient(at_.q.data(), g_.data());
    metric_.columns_of(g_.data(), x_.data());
    const double distance = std::sqrt(2 * f_), enough = std::max(1e-8 * distance, 1e3 * tolerance_);
    held_.clear();
    for (Index j = 0; j < n_; ++j)
      if (limit_side(at_, j) != 0 && j != released) held_.add(j, 0.0);
    const double open = sides_.any ? choose_along(x_.data()) : 0.0;
    steps_.find_tangents(at_, held_, std::min(100 * residual(at_), 1e-3));
    steps_.split(x_.data(), reduced_.data());
    const Index k = steps_.tangents();
    double rest = std::max(std::sqrt(dot(k, reduced_.data(), reduced_.data())), open), pulled = 0;
    Index wrong = -1;
    for (Index h = 0; h < held_.count; ++h) {  // a limit that pulls
      const int side = limit_side(at_, held_.at[h]);
      const double pull = side == 2 ? 0.0 : side * -steps_.limit_multiplier(h);
      if (!(pull > pulled)) continue;
      pulled = pull;
      wrong = held_.at[h];
    }
    if (wrong >= 0) {  // as a length
      std::fill_n(base_.data(), nv_, 0.0);
      base_[on_.free[wrong]] = pulled;
      metric_.columns_of(base_.data(), probe_.data());
      pulled = std::sqrt(dot(n_, probe_.data(), probe_.data()));
    }
    report.stationarity = std::max(rest, pulled);
    report.nearest = report.stationarity <= enough;
    if (done_.iterations >= settings_.max_iterations || (report.nearest && (open == 0 || closed))) return;
    if (report.nearest) {  // rows that f pulls against, and that are nearly closed: exactly
      closed = true;
      ++done_.iterations;
      std::fill_n(probe_.data(), n_, 0.0);
      slide_by(probe_.data(), 0);
      continue;
    }
    if (pulled > std::max(rest, enough) && released != wrong) {
      released = wrong;
      curved = false;
      before = 0;
      ++done_.iterations;
      continue;
    }
    ++done_.iterations;
    curved = curved || (before > 0 && rest > 0.2 * before);
    before = rest;
    solve_reduced(reduced_.data(), curved, z_.data());
    const double slope = dot(k, z_.data(), reduced_.data());
    std::fill_n(probe_.data(), n_, 0.0);
    for (Index a = 0; a < k; ++a) subtract_multiple(n_, -z_[a], steps_.tangent(a), probe_.data());
    const bool moved = slide_by(probe_.data(), slope);
    if (moved) {
      released = -1;
      continue;
    }
    if (released >= 0) {  // the released coordinate does not leave its limit
      released = -1;
      return;
    }
    if (curved) return;
    curved = true;
    before = 0;
  }
}

}  // namespace zwang
