// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/contact_response.hpp"

#include <algorithm>
#include <cmath>

#include "linear/lu.hpp"

namespace zwang {
namespace {

constexpr double k_border = 1e-10;      // of the speeds: an impulse or a velocity that is none
constexpr double k_proximal = 1e-9;     // on the diagonal, taken out by repetition
constexpr int k_most_repetitions = 60;  // each takes the part (1e-9 / smallest eigenvalue) of what is left
constexpr int k_few = 4;                // a step's polish repeats three times
constexpr double k_depends = 1e-6;      // of a column of D: what the further repetitions change
constexpr double k_careful = 1e-3;      // of k_proximal, where rows nearly depend on each other
// What may be left of a right-hand side, beside it and beside the largest of all columns. Points that are known by
// differences contradict each other by 1e-9 / h where they are more than needed.
constexpr double k_exact = 1e-14, k_good = 1e-9, k_contradicts = 1e-6, k_rounding = 1e-8;

using Border = ContactBorder::What;

}  // namespace

bool ProximalSystem::factor(Index n, const std::vector<double>& A, double size) {
  const auto q = static_cast<std::size_t>(n);
  n_ = n;
  A_ = LU_ = A;
  d_.assign(q, 0.0), rest_.assign(q, 0.0), order_.assign(q, 0);
  for (std::size_t i = 0; i < q; ++i) LU_[i * q + i] += k_proximal * size;
  return dense::lu(n, LU_.data(), order_.data());
}

double ProximalSystem::solve(const double* r, double* x) {
  std::fill_n(x, n_, 0.0);
  coarse_.assign(x, x + n_);
  double left = 0, before = HUGE_VAL, largest = 0;
  for (Index i = 0; i < n_; ++i) largest = std::fmax(largest, std::fabs(r[i]));
  for (int pass = 0; pass < k_most_repetitions; ++pass) {
    left = 0;
    for (Index i = 0; i < n_; ++i) {
      const double* const row = A_.data() + static_cast<std::size_t>(i * n_);
      double& rest = rest_[static_cast<std::size_t>(i)];
      rest = r[i];
      for (Index j = 0; j < n_; ++j) rest -= row[j] * x[j];
      left = std::fmax(left, std::fabs(rest));
    }
    if (left <= k_exact * largest || !(left < 0.9 * before)) break;
    before = left;
    dense::solve_lu(n_, LU_.data(), order_.data(), rest_.data(), d_.data());
    for (Index i = 0; i < n_; ++i) x[i] += d_[static_cast<std::size_t>(i)];
    if (pass < k_few) coarse_.assign(x, x + n_);
  }
  return left;
}

void ContactResponse::classify(const Answer& a, const ContactRows& names, std::vector<ContactBorder>& borders) {
  const auto nv = static_cast<std::size_t>(nv_);
  std::size_t m = 0;
  for (const ContactRow& x : a.rows) m += static_cast<std::size_t>(x.size());
  BJ_.assign(m * nv, 0.0), G_.assign(m * m, 0.0), scale_.assign(m, 1.0), soft_.assign(m, 0.0);
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t i = 0; i < nv; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < nv; ++k) sum += a.B[i * nv + k] * a.J[r * nv + k];
      BJ_[r * nv + i] = sum;
    }
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t s = 0; s < m; ++s)
      for (std::size_t k = 0; k < nv; ++k) G_[r * m + s] += a.J[r * nv + k] * BJ_[s * nv + k];
  for (const ContactRow& x : a.rows) {
    const auto first = static_cast<std::size_t>(x.first), size = static_cast<std::size_t>(x.size());
    double trace = 0;
    for (std::size_t r = first; r < first + size; ++r) trace += G_[r * m + r];
    const double scale = trace > 0 ? 1 / std::sqrt(trace / static_cast<double>(size)) : 1;
    std::fill_n(scale_.begin() + x.first, size, scale);
    if (x.gives_way() && !a.frictionless)
      soft_[first + 2] = scale * scale / (a.h * (a.h * x.law.stiffness + x.law.damping));
  }
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t s = 0; s < m; ++s) G_[r * m + s] *= scale_[r] * scale_[s];
  double moved = 0;  // |W lambda|^2
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t s = 0; s < m; ++s) moved += a.impulses[r] / scale_[r] * G_[r * m + s] * a.impulses[s] / scale_[s];
  double speed = a.speed + std::sqrt(std::fmax(moved, 0));
  for (const ContactRow& x : a.rows)
    if (x.kind != ContactRow::Kind::friction)
      speed = std::fmax(speed, scale_[static_cast<std::size_t>(x.first)] * std::fabs(x.gap) / a.h);
  unknown_.clear();
  for (const ContactRow& x : a.rows) {
    const Index r = x.first;
    const double scale = scale_[static_cast<std::size_t>(r)], none = k_border * speed;
    const double l = a.impulses[r] / scale, s = a.sigma[r] * scale;
    if (x.is_point()) {
      add_contact(a, x, speed, names, borders);
    } else if (x.kind == ContactRow::Kind::friction) {
      const double bound = a.h * x.law.friction / scale;
      const bool holds = std::fabs(s) <= none, at_bound = std::fabs(l) >= bound * (1 - k_border);
      if (holds && at_bound) borders.push_back({Border::yields, names.name(x)});
      if (holds && !(at_bound && bound == 0)) unknown_.push_back({{r}, {r}, {1}, {1}, 1, 1, 0});
    } else {
      const bool closed = l > none;
      if (!closed && s <= none) borders.push_back({Border::grazes, names.name(x)});
      if (closed) unknown_.push_back({{r}, {r}, {1}, {1}, 1, 1, 0});
    }
  }
}

void ContactResponse::add_contact(const Answer& a, const ContactRow& x, double speed, const ContactRows& names,
                                  std::vector<ContactBorder>& borders) {
  const Index t1 = x.first, t2 = t1 + 1, n = t1 + 2;
  const double scale = scale_[static_cast<std::size_t>(t1)], none = k_border * speed;
  const double l[3] = {a.impulses[t1] / scale, a.impulses[t2] / scale, a.impulses[n] / scale};
  const double s[3] = {a.sigma[t1] * scale, a.sigma[t2] * scale, a.sigma[n] * scale};
  if (!(l[2] > none)) {
    if (s[2] <= none) borders.push_back({Border::grazes, names.name(x)});
    return;
  }
  const double mu = a.frictionless ? 0 : x.law.friction, slip = std::hypot(s[0], s[1]), pull = std::hypot(l[0], l[1]);
  const double soft = soft_[static_cast<std::size_t>(n)];
  if (mu > 0 && slip <= none) {
    if (pull >= mu * l[2] * (1 - k_border)) borders.push_back({Border::slides, names.name(x)});
    for (const Index r : {t1, t2, n}) unknown_.push_back({{r}, {r}, {1}, {1}, 1, 1, r == n ? soft : 0});
    return;
  }
  if (mu == 0) {
    unknown_.push_back({{n}, {n}, {1}, {1}, 1, 1, soft});
    return;
  }
  const double d[2] = {-s[0] / slip, -s[1] / slip};
  unknown_.push_back({{n, t1, t2}, {n}, {1, mu * d[0], mu * d[1]}, {1}, 3, 1, soft});
  unknown_.push_back({{t1, t2}, {t1, t2}, {-d[1], d[0]}, {-d[1], d[0]}, 2, 2, slip / (mu * l[2])});
}

bool ContactResponse::respond(const Answer& a, const std::vector<double>& S, Index columns, std::vector<double>& D) {
  const auto nv = static_cast<std::size_t>(nv_), q = unknown_.size(), m = scale_.size(),
             count = static_cast<std::size_t>(columns);
  depends_ = -1;
  if (q == 0) return true;
  A_.assign(q * q, 0.0), x_.assign(q, 0.0), other_.assign(q, 0.0), r_.assign(q, 0.0);
  for (std::size_t i = 0; i < q; ++i)
    for (std::size_t j = 0; j < q; ++j) {
      const Unknown &e = unknown_[i], &u = unknown_[j];
      double sum = i == j ? e.soft : 0;
      for (int k = 0; k < e.equations; ++k)
        for (int l = 0; l < u.rows; ++l)
          sum +=
              e.of[k] * u.by[l] * G_[static_cast<std::size_t>(e.equation[k]) * m + static_cast<std::size_t>(u.row[l])];
      A_[i * q + j] = sum;
    }
  const auto size = static_cast<Index>(q);
  if (!system_.factor(size, A_, 1)) return false;
  bool is_careful = false;
  double whole = 0;  // of all columns: what is rounding beside it is none
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t row = 0; row < m; ++row) whole = std::fmax(whole, std::fabs(scale_[row] * S[row * count + c]));
  for (std::size_t c = 0; c < count; ++c) {
    double largest = 0;
    for (std::size_t i = 0; i < q; ++i) {
      const Unknown& e = unknown_[i];
      r_[i] = 0;
      for (int k = 0; k < e.equations; ++k) {
        const auto row = static_cast<std::size_t>(e.equation[k]);
        double sum = S[row * count + c], terms = std::fabs(sum);
        for (std::size_t y = 0; y < nv; ++y) {
          const double term = a.J[row * nv + y] * D[y * count + c];
          sum += term, terms += std::fabs(term);
        }
        r_[i] -= e.of[k] * scale_[row] * sum;
        largest = std::fmax(largest, scale_[row] * terms);
      }
    }
    double left = system_.solve(r_.data(), x_.data());
    if (left > k_good * std::fmax(largest, whole)) {
      if (!is_careful && !careful_.factor(size, A_, k_careful)) return false;
      is_careful = true;
      const double least = careful_.solve(r_.data(), other_.data());
      if (least < 0.1 * left) {
        left = least;
        x_.swap(other_);
      }
    }
    if (!(left <= std::fmax(k_contradicts * largest, k_rounding * whole))) return false;
    fine_.assign(nv, 0.0), change_.assign(nv, 0.0);
    std::size_t most = 0;  // the unknown that changes most
    for (std::size_t j = 0; j < q; ++j) {
      const double more = x_[j] - system_.coarse()[j];
      if (std::fabs(more) > std::fabs(x_[most] - system_.coarse()[most])) most = j;
      for (int l = 0; l < unknown_[j].rows; ++l) {
        const auto row = static_cast<std::size_t>(unknown_[j].row[l]);
        const double impulse = scale_[row] * unknown_[j].by[l];
        for (std::size_t y = 0; y < nv; ++y) {
          fine_[y] += BJ_[row * nv + y] * impulse * x_[j];
          change_[y] += BJ_[row * nv + y] * impulse * more;
        }
      }
    }
    double size_of = 0, changed = 0;
    for (std::size_t y = 0; y < nv; ++y) {
      D[y * count + c] += fine_[y];
      size_of = std::fmax(size_of, std::fmax(std::fabs(fine_[y]), std::fabs(D[y * count + c])));
      changed = std::fmax(changed, std::fabs(change_[y]));
    }
    if (changed > k_depends * size_of) depends_ = unknown_[most].row[0];
  }
  return true;
}

}  // namespace zwang
