// SPDX-License-Identifier: BSD-3-Clause
#include "question/impulse/restitution_velocities.hpp"

#include <algorithm>
#include <cmath>

#include "linear/cholesky.hpp"

namespace zwang {
namespace {

constexpr double k_locked = 1e-7;  // of a unit velocity: what rows that hold leave of one that they do not allow
constexpr int k_most_steps = 200;

double scalar_product(Index n, const double* x, const double* y) {
  double sum = 0;
  for (Index i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
/// x -= (unit . x) unit
void remove(Index n, const double* unit, double* x) {
  const double along = scalar_product(n, unit, x);
  for (Index i = 0; i < n; ++i) x[i] -= along * unit[i];
}
}  // namespace

RestitutionVelocities::RestitutionVelocities(const Problem& problem) {
  const Index m = problem.layout.capacity, c = problem.layout.constraint_capacity;
  for (Buffer<double>* x : {&u_, &impulse_, &f_, &x_, &y_}) *x = Buffer<double>(m);
  for (Buffer<double>* x : {&K_, &missed_, &basis_, &H_}) *x = Buffer<double>(m * m);
  for (Buffer<double>* x : {&dissipated_, &s_, &scaled_}) *x = Buffer<double>(c);
  g_ = Buffer<double>(2 * c * c);
  response_ = Buffer<double>(m * c);
  held_ = Buffer<unsigned char>(c);
  row_ = Buffer<Index>(m);
  constraint_ = Buffer<Index>(c);
}

/// The rows of A.
void RestitutionVelocities::choose(const SolverParts& parts, const Contact& contact, bool energetic) {
  const Problem& p = parts.problem;
  std::fill_n(u_.data(), u_.size(), 0.0);
  std::fill_n(dissipated_.data(), dissipated_.size(), 0.0);
  std::fill_n(held_.data(), held_.size(), static_cast<unsigned char>(0));
  for (Index k = 0; k < p.rows.m; ++k) {
    const Index r = p.rows.row_of[k];
    impulse_[k] = parts.answer.lambda[k];
    if (contact.restitution[r] > 0)
      dissipated_[p.rows.constraint_of[k]] -= impulse_[k] * (contact.velocity[r] - contact.target[r]);
  }
  count_ = 0;
  for (Index k = 0; k < p.rows.m; ++k) {
    const Index c = p.rows.constraint_of[k];
    if (!(contact.restitution[p.rows.row_of[k]] > 0)) continue;
    held_[c] = energetic && !(dissipated_[c] > 0);
    if (!held_[c]) row_[count_++] = k;
  }
}

/// lambda_A of a unit velocity of each row of A, and what the hard rows miss of it that do not give way to this row.
bool RestitutionVelocities::ask_columns(SolverParts& parts) {
  Problem& p = parts.problem;
  RightHandSides& sides = parts.right_hand_sides();
  const Index m = p.rows.m;
  const Tree<double>& tree = p.state.data.tree();
  const bool dependent = parts.solution.report.rank < parts.solution.report.rows;
  for (Index first = 0; first < count_; first += RightHandSides::most) {
    const Index here = std::min<Index>(RightHandSides::most, count_ - first);
    sides.clear();
    sides.count = here;
    for (Index c = 0; c < here; ++c) sides.b[row_[first + c]].set(c, 1);
    if (!parts.factor->apply(p, RowPolicy(parts.settings), parts.answer, sides)) return false;
    for (Index i = 0; i < count_; ++i)
      for (Index c = 0; c < here; ++c) K_[(first + c) * count_ + i] = sides.lambda[row_[i]][c];
    for (Index k = 0; dependent && k < m; ++k) {
      Columns left(0.0);
      for (Index j = 0; p.is_hard(k) && j < tree.spanning_nv; ++j)
        left -= sides.acceleration[tree.column[j].v] * p.jacobian(k, j);
      for (Index c = 0; c < here; ++c) {
        const Index asks = row_[first + c];
        const bool counts = p.is_hard(k) && p.constraint_of(k).priority <= p.constraint_of(asks).priority;
        missed_[(first + c) * m + k] = counts ? left[c] + (asks == k ? 1.0 : 0.0) : 0.0;
      }
    }
  }
  return true;
}

/// N: what is orthogonal to the rows of `missed`, by Gram and Schmidt, the longest vector first.
void RestitutionVelocities::find_basis(const SolverParts& parts) {
  const Index n = count_, m = parts.problem.rows.m;
  const bool dependent = parts.solution.report.rank < parts.solution.report.rows;
  Index locked = 0;
  const auto vector = [&](Index i) { return basis_.data() + i * n; };
  const auto longest = [&](Index candidates, auto&& entry) {
    Index best = -1;
    double most = k_locked;
    for (Index k = 0; k < candidates; ++k) {
      double size = 0;
      for (Index i = 0; i < n; ++i) size += entry(k, i) * entry(k, i);
      if (std::sqrt(size) > most) most = std::sqrt(size), best = k;
    }
    return best;
  };
  const auto append = [&](Index at) {
    for (const bool again : {false, true}) {
      if (again)
        for (Index j = 0; j < at; ++j) remove(n, vector(j), vector(at));
      const double size = std::sqrt(scalar_product(n, vector(at), vector(at)));
      for (Index i = 0; i < n; ++i) vector(at)[i] /= size;
    }
  };
  const auto row = [&](Index k, Index i) -> double& { return missed_[i * m + k]; };
  while (dependent && locked < n) {
    const Index k = longest(m, row);
    if (k < 0) break;
    for (Index i = 0; i < n; ++i) vector(locked)[i] = row(k, i);
    append(locked);
    for (Index j = 0; j < m; ++j) {
      double along = 0;
      for (Index i = 0; i < n; ++i) along += row(j, i) * vector(locked)[i];
      for (Index i = 0; i < n; ++i) row(j, i) -= along * vector(locked)[i];
    }
    ++locked;
  }
  rank_ = n - locked;
  if (locked == 0) {
    for (Index i = 0; i < n * n; ++i) basis_[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    return;
  }
  const auto rest = [&](Index k, Index i) -> double& { return H_[k * n + i]; };
  for (Index i = 0; i < n * n; ++i) H_[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
  for (Index k = 0; k < n; ++k)
    for (const int pass : {0, 1})
      for (Index j = 0; pass < 2 && j < locked; ++j) remove(n, vector(j), H_.data() + k * n);
  for (Index at = locked; at < n; ++at) {
    const Index k = longest(n, rest);
    std::copy_n(H_.data() + k * n, n, vector(at));
    append(at);
    for (Index j = 0; j < n; ++j) remove(n, vector(at), H_.data() + j * n);
  }
  std::rotate(vector(0), vector(locked), vector(n));  // N first
}

/// H = N^T K N and its Cholesky factor. False where some velocity of N takes no impulse.
bool RestitutionVelocities::factor() {
  const Index n = count_;
  for (Index i = 0; i < rank_; ++i) {
    const double* const a = basis_.data() + i * n;
    for (Index k = 0; k < n; ++k) x_[k] = 0.5 * (scalar_product(n, K_.data() + k * n, a));
    for (Index k = 0; k < n; ++k)
      for (Index j = 0; j < n; ++j) x_[j] += 0.5 * K_[k * n + j] * a[k];
    for (Index j = 0; j <= i; ++j) H_[i * n + j] = scalar_product(n, basis_.data() + j * n, x_.data());
  }
  return dense::cholesky(rank_, n, 64 * epsilon_of<double> * static_cast<double>(rank_), H_.data()) < 0;
}

/// u = N H^-1 N^T f
void RestitutionVelocities::respond(const double* f, double* u) {
  const Index n = count_;
  for (Index i = 0; i < rank_; ++i) y_[i] = scalar_product(n, basis_.data() + i * n, f);
  dense::solve_lower(rank_, n, H_.data(), y_.data());
  dense::solve_upper(rank_, n, H_.data(), y_.data());
  std::fill_n(u, n, 0.0);
  for (Index i = 0; i < rank_; ++i)
    for (Index k = 0; k < n; ++k) u[k] += y_[i] * basis_[i * n + k];
}

/// f = s c of each constraint.
bool RestitutionVelocities::scale_by_energy(const Problem& p, const Contact& contact) {
  const Index n = count_;
  Index count = 0;
  const auto of = [&](Index i) { return p.rows.constraint_of[row_[i]]; };
  for (Index c = 0; c < p.layout.count; ++c) {
    if (!(dissipated_[c] > 0)) continue;
    double E = 0;
    for (Index i = 0; i < n; ++i) {
      f_[i] = of(i) == c ? impulse_[row_[i]] : 0.0;
      if (of(i) == c) E = contact.restitution[p.rows.row_of[row_[i]]];
    }
    double* const response = response_.data() + count * n;
    respond(f_.data(), response);
    // Rows that hold leave this constraint no velocity: it cannot give anything back.
    if (!(scalar_product(n, f_.data(), response) > 1e-12 * dissipated_[c])) continue;
    constraint_[count] = c;
    s_[count] = E;
    scaled_[count++] = E * E * dissipated_[c];
  }
  for (Index a = 0; a < count; ++a)
    for (Index b = 0; b < count; ++b) {
      double& g = g_[a * count + b] = 0;
      for (Index i = 0; i < n; ++i)
        if (of(i) == constraint_[a]) g += impulse_[row_[i]] * response_[b * n + i];
    }
  if (!balance(count)) return false;
  std::fill_n(f_.data(), n, 0.0);
  for (Index a = 0; a < count; ++a)
    for (Index i = 0; i < n; ++i)
      if (of(i) == constraint_[a]) f_[i] = s_[a] * impulse_[row_[i]];
  return true;
}

/// s_a sum_b g_ab s_b = b_a by Newton's method on 1/2 s.g s - sum b log s, from s on.
bool RestitutionVelocities::balance(Index n) {
  double* const hessian = g_.data() + n * n;
  const auto value = [&](const double* s) {
    double sum = 0;
    for (Index a = 0; a < n; ++a) sum += 0.5 * s[a] * scalar_product(n, &g_[a * n], s) - scaled_[a] * std::log(s[a]);
    return sum;
  };
  for (int step = 0; step < k_most_steps; ++step) {
    double worst = 0;
    for (Index a = 0; a < n; ++a) {
      double gs = 0, terms = 0;
      for (Index b = 0; b < n; ++b) {
        gs += g_[a * n + b] * s_[b];
        terms += std::fabs(g_[a * n + b] * s_[b]);
        hessian[a * n + b] = 0.5 * (g_[a * n + b] + g_[b * n + a]) + (a == b ? scaled_[a] / (s_[a] * s_[a]) : 0.0);
      }
      x_[a] = scaled_[a] / s_[a] - gs;
      worst = std::max(worst, std::fabs(x_[a]) / (scaled_[a] / s_[a] + terms));
    }
    if (worst <= 16 * epsilon_of<double> * static_cast<double>(n + 1)) return true;
    if (dense::cholesky(n, n, 64 * epsilon_of<double> * static_cast<double>(n), hessian) >= 0) return false;
    double slope = 0;
    std::copy_n(x_.data(), n, y_.data());
    dense::solve_lower(n, n, hessian, y_.data());
    dense::solve_upper(n, n, hessian, y_.data());
    slope = scalar_product(n, x_.data(), y_.data());
    const double before = value(s_.data());
    double length = 1;
    for (int tries = 0; tries < 60; ++tries, length *= 0.5) {
      bool positive = true;
      for (Index a = 0; a < n; ++a) positive = positive && (x_[a] = s_[a] + length * y_[a]) > 0.05 * s_[a];
      if (positive && (worst < 1e-6 || value(x_.data()) <= before - 0.25 * length * slope)) break;
    }
    std::copy_n(x_.data(), n, s_.data());
  }
  return false;
}

Status RestitutionVelocities::find(SolverParts& parts, const Contact& contact, bool energetic) {
  choose(parts, contact, energetic);
  if (count_ == 0) return Status::ok;
  if (!ask_columns(parts)) return Status::not_converged;
  find_basis(parts);
  if (!factor()) return Status::singular_mass;
  if (energetic && !scale_by_energy(parts.problem, contact)) return Status::not_converged;
  for (Index i = 0; !energetic && i < count_; ++i)
    f_[i] = contact.restitution[parts.problem.rows.row_of[row_[i]]] * impulse_[row_[i]];
  respond(f_.data(), x_.data());
  for (Index i = 0; i < count_; ++i) u_[parts.problem.rows.row_of[row_[i]]] = x_[i];
  return Status::ok;
}

void RestitutionVelocities::warn(const Problem& problem, const double* restitution, SolveReport& report) const {
  for (Index c = 0; c < problem.layout.count; ++c) {
    if (!held_[c]) continue;
    const Constraint& x = problem.layout.constraint(c);
    const double* const E = restitution + problem.layout.first_row_of(c);
    const auto first = static_cast<std::size_t>(std::find_if(E, E + x.size() - 1, [](double e) { return e > 0; }) - E);
    report.warnings.push_back({SolveWarning::Kind::no_compression, x.row_names[first], -0.5 * dissipated_[c]});
  }
}

}  // namespace zwang
