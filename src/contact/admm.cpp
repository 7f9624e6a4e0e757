// SPDX-License-Identifier: BSD-3-Clause
#include "contact/admm.hpp"

#include "linear/cholesky.hpp"

namespace zwang::contact {
namespace {

constexpr double k_eta = 1e-6;                                         // the least eigenvalue that counts
constexpr int k_power = 20;                                            // iterations for the extreme eigenvalues
constexpr double k_apart = 10;                                         // of the residuals, before rho follows
constexpr int k_adapt = 2, k_check = 5, k_force = 200, k_fixed = 100;  // every so many iterations
constexpr double k_first_polish = 3e-2, k_fall = 4;  // residual at which polish is tried, and then each fall by so much
constexpr double k_immobile = 1e-13;                 // motion of a direction that moves nothing
constexpr double k_ray = 1e-9;                       // of V: how far its offsets contradict

}  // namespace

void Admm::reserve(Index rows, Index all) {
  K_ = Buffer<double>(rows * rows);
  for (Buffer<double>* x : {&x_, &y_, &z_, &s_, &old_, &t_, &best_, &tried_, &ray_, &last_}) *x = Buffer<double>(rows);
  move_ = Buffer<double>(all);
}

bool Admm::factor(const ScaledProblem& p, double rho) {
  std::copy(p.G.begin(), p.G.begin() + p.m * p.m, K_.begin());
  for (Index i = 0; i < p.m; ++i) K_[i * p.m + i] += rho + k_eta;
  return dense::cholesky(p.m, p.m, 0, K_.data()) < 0;
}
void Admm::solve(Index m, double* x) const {
  dense::solve_lower(m, m, K_.data(), x);
  dense::solve_upper(m, m, K_.data(), x);
}

/// The largest eigenvalue of G by powers, the least by inverse powers; both roughly, from a fixed start.
void Admm::estimate_eigenvalues(const ScaledProblem& p) {
  const Index m = p.m;
  const auto normed = [&] {
    const double size = std::sqrt(dot(m, t_.data(), t_.data()));
    for (Index i = 0; i < m; ++i) t_[i] /= size > 0 ? size : 1;
    return size;
  };
  const auto begin = [&] {
    for (Index i = 0; i < m; ++i) t_[i] = 1 + 0.5 * std::sin(static_cast<double>(3 * i + 1));
    normed();
  };
  begin();
  most_ = 1e-300;
  for (int k = 0; k < k_power; ++k) {
    for (Index i = 0; i < m; ++i) s_[i] = dot(m, p.G.data() + i * m, t_.data());
    std::swap(s_, t_);
    most_ = std::max(normed(), 1e-300);
  }
  begin();
  double inverse = 1 / k_eta;
  if (factor(p, 0)) {
    for (int k = 0; k < k_power; ++k) {
      solve(m, t_.data());
      inverse = normed();
    }
  }
  least_ = std::max(1 / inverse - k_eta, k_eta);
}

/// Is ray_, of which only pushes of normals and of unilateral rows count, a proof that no motion keeps sigma_n >= 0 in
/// all rows? Farkas' lemma: delta >= 0, W delta = 0, b . delta < 0. Friction proves nothing: whatever a direction of K
/// with tangents says, Gamma adds to sigma_n where it slips.
bool Admm::proves(const ScaledProblem& p) {
  double square = 0;
  for (Index c = 0; c < p.count; ++c) {
    const Cone& cone = p.cone[c];
    const Index push = cone.first + cone.rows() - 1;
    for (Index k = cone.first; k < push; ++k) ray_[k] = 0;
    ray_[push] = cone.kind == ContactCone::Kind::friction ? 0 : std::max(ray_[push], 0.0);
    square += ray_[push] * ray_[push];
  }
  const double size = std::sqrt(square);
  if (!(size > 0) || !std::isfinite(size)) return false;
  std::fill(move_.begin(), move_.begin() + p.n, 0.0);
  double offset = 0;
  for (Index k = 0; k < p.m; ++k) {
    ray_[k] /= size;
    add(p.n, ray_[k], p.column(k), move_.data());
    offset += ray_[k] * p.b[k];
  }
  return std::sqrt(dot(p.n, move_.data(), move_.data())) <= k_immobile && offset < -k_ray * p.speed(p.y_0.data());
}

double Admm::run(const ScaledProblem& p, double* l, const AdmmSettings& settings, Polish& polish,
                 const Interruption& stop) {
  const Index m = p.m;
  infeasible = false;
  estimate_eigenvalues(p);
  double rho = settings.rho > 0 ? settings.rho : std::sqrt(most_ * least_) * std::pow(most_ / least_, 0.2);
  bool factored = factor(p, rho);
  std::fill(x_.begin(), x_.begin() + m, 0.0);
  std::fill(z_.begin(), z_.begin() + m, 0.0);
  if (settings.warm) {
    p.project(l, x_.data());
    for (Index i = 0; i < m; ++i) z_[i] = dot(m, p.G.data() + i * m, x_.data()) + p.g[i];
    p.shift(z_.data(), s_.data());
    add(m, 1, s_.data(), z_.data());
  }
  std::copy(x_.begin(), x_.begin() + m, y_.begin());
  std::copy(x_.begin(), x_.begin() + m, best_.begin());
  std::copy(y_.begin(), y_.begin() + m, last_.begin());
  double least = 1e300, trigger = k_first_polish;
  for (int k = 0; k < settings.iterations && factored && !stop.asked(); ++k) {
    ++iterations;
    std::copy(y_.begin(), y_.begin() + m, old_.begin());
    for (Index i = 0; i < m; ++i) t_[i] = x_[i] - z_[i] / rho;
    p.project(t_.data(), y_.data());
    p.shift(z_.data(), s_.data());
    double primal = 0, dual = 0;
    for (Index i = 0; i < m; ++i) t_[i] = rho * y_[i] + k_eta * x_[i] + z_[i] - p.g[i] - s_[i];
    solve(m, t_.data());
    for (Index i = 0; i < m; ++i) {
      z_[i] -= rho * (t_[i] - y_[i]);
      primal = std::max(primal, std::fabs(t_[i] - y_[i]));
      dual = std::max(dual, std::fabs(rho * (y_[i] - old_[i]) + k_eta * (t_[i] - x_[i])));
      x_[i] = t_[i];
    }
    if (k % k_check == k_check - 1) {
      const double e = p.residual(y_.data());
      if (e < least) least = e, std::copy(y_.begin(), y_.begin() + m, best_.begin());
      if (least <= settings.enough) break;
      const bool polishes = settings.rho > 0 ? k % k_fixed == k_fixed - 1 : e < trigger || k % k_force == k_force - 1;
      if (polishes) {
        trigger = std::min(trigger, e / k_fall);
        std::copy(y_.begin(), y_.begin() + m, tried_.begin());
        const double polished = polish.run(p, tried_.data(), 8, 1e-2 * settings.enough);
        if (polished < least) least = polished, std::copy(tried_.begin(), tried_.begin() + m, best_.begin());
        if (least <= settings.enough) break;
      }
      for (Index i = 0; i < m; ++i) ray_[i] = y_[i] - last_[i];
      std::copy(y_.begin(), y_.begin() + m, last_.begin());
      if (proves(p)) {
        infeasible = true;
        break;
      }
    }
    if (settings.rho > 0 || k == 0 || k % k_adapt != 0) continue;
    const double ratio = primal / std::max(dual, 1e-300);
    if (ratio <= k_apart && ratio >= 1 / k_apart) continue;
    rho = std::clamp(rho * std::clamp(std::sqrt(ratio), 0.1, 10.0), 1e-10, 1e10);
    factored = factor(p, rho);
  }
  std::copy(best_.begin(), best_.begin() + m, l);
  return least < 1e300 ? least : p.residual(l);
}

}  // namespace zwang::contact
