// SPDX-License-Identifier: BSD-3-Clause
#include "linear/contact_cholesky.hpp"

#include <cmath>

#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang::dense {
namespace {
// A step reduces an error in a direction of eigenvalue s to the fraction mu / (s + mu): at most one half, if mu is the
// tolerance of the rank.
constexpr int k_most_steps = 60;
}  // namespace

ContactCholeskyWorkspace::ContactCholeskyWorkspace(Index nv, Index m)
    : m_capacity_(m),
      equations_(nv, m),
      rows_(m),
      X_(nv * m),
      G_(m * m),
      C_(m * m),
      t_(nv),
      b_(m),
      r_(m),
      y_(m),
      size_(nv),
      touched_(nv * m),
      runs_(nv),
      run_(nv * m) {}

/// The rows that each coordinate meets: those on it or on a coordinate below it, as runs.
void ContactCholeskyWorkspace::find_support(const Index* parent) {
  const Equations& e = equations_;
  for (Index k = 0; k < e.n; ++k)
    for (Index r = 0; r < e.m; ++r) touched_[k * m_capacity_ + r] = (X_[k * m_capacity_ + r] = e.row(r)[k]) != 0;
  for (Index k = e.n - 1; k >= 0; --k) {
    const unsigned char* const own = touched_.data() + k * m_capacity_;
    for (Index r = 0; parent[k] >= 0 && r < e.m; ++r) touched_[parent[k] * m_capacity_ + r] |= own[r];
    Index count = 0;
    Range* const run = run_.data() + k * m_capacity_;
    for (Index r = 0; r < e.m; ++r) {
      if (!own[r]) continue;
      if (count > 0 && run[count - 1].end() == r)
        ++run[count - 1].size;
      else
        run[count++] = {r, 1};
    }
    runs_[k] = count;
  }
}

/// Column k of U for the coordinates above it and for the rows, and its update of the remaining matrix.
bool ContactCholeskyWorkspace::eliminate_joints(const Index* parent, const Interruption* stop) {
  Equations& e = equations_;
  const double rounding = 16 * epsilon_of<double> * e.n;
  for (Index k = 0; k < e.n; ++k) size_[k] = e.mass_row(k)[k];
  for (Index r = 0; r < e.m; ++r) {
    for (Index s = 0; s <= r; ++s) G_[r * m_capacity_ + s] = 0;
    G_[r * m_capacity_ + r] = e.R[r];
  }
  for (Index k = e.n - 1; k >= 0 && !is_asked(stop); --k) {
    double* const row = e.mass_row(k);
    double* const x = X_.data() + k * m_capacity_;
    if (!(row[k] > rounding * size_[k])) return false;
    const double inv = 1 / row[k];
    const Range *const begin = run_.data() + k * m_capacity_, *const end = begin + runs_[k];
    for (Index i = parent[k]; i >= 0; i = parent[i]) {
      const double u = row[i] * inv;
      for (Index j = i; j >= 0; j = parent[j]) e.mass_row(i)[j] -= u * row[j];
      for (const Range* s = begin; s != end; ++s)
        subtract_multiple(s->size, u, x + s->first, X_.data() + i * m_capacity_ + s->first);
      row[i] = u;
    }
    for (const Range* a = begin; a != end; ++a)
      for (Index r = a->first; r < a->end(); ++r) {
        const double u = x[r] * inv;
        double* const g = G_.data() + r * m_capacity_;
        for (const Range* s = begin; s != a; ++s) subtract_multiple(s->size, -u, x + s->first, g + s->first);
        subtract_multiple(r + 1 - a->first, -u, x + a->first, g + a->first);
      }
    for (const Range* s = begin; s != end; ++s)
      for (Index r = s->first; r < s->end(); ++r) x[r] *= inv;
  }
  return true;
}

/// C C^T = E + mu, where mu is the tolerance of the rank.
void ContactCholeskyWorkspace::factor_damped(const Interruption* stop) {
  const double mu = equations_.tolerance;
  for (Index i = 0; i < equations_.m && !is_asked(stop); ++i) {
    const double* const E = rows_.equilibrated(i);
    double* const c = C_.data() + i * m_capacity_;
    for (Index j = 0; j < i; ++j) c[j] = (E[j] - dot(j, c, C_.data() + j * m_capacity_)) / C_[j * m_capacity_ + j];
    c[i] = std::sqrt(std::fmax(E[i] + mu - dot(i, c, c), 0.25 * mu));
  }
}

void ContactCholeskyWorkspace::apply_damped(double* x) const {
  const Index m = equations_.m;
  const auto row = [&](Index i) { return C_.data() + i * m_capacity_; };
  for (Index i = 0; i < m; ++i) x[i] = (x[i] - dot(i, row(i), x)) / row(i)[i];
  for (Index i = m - 1; i >= 0; --i) {
    x[i] /= row(i)[i];
    subtract_multiple(i, x[i], row(i), x);
  }
}

/// lambda += (E + mu)^-1 (b - E lambda) until convergence, on equilibrated rows. Returns the number of steps, or 0.
int ContactCholeskyWorkspace::refine(const double* b, double* lambda) {
  const Index m = equations_.m;
  double before = INFINITY;
  for (Index i = 0; i < m; ++i) lambda[i] = 0;
  for (int step = 1; step <= k_most_steps; ++step) {
    for (Index i = 0; i < m; ++i) r_[i] = b[i];
    for (Index i = 0; i < m; ++i) {
      r_[i] -= dot(i + 1, rows_.equilibrated(i), lambda);
      subtract_multiple(i, lambda[i], rows_.equilibrated(i), r_.data());
    }
    apply_damped(r_.data());
    double change = 0, size = 0;
    for (Index i = 0; i < m; ++i) {
      lambda[i] += r_[i];
      change = std::fmax(change, std::fabs(r_[i]));
      size = std::fmax(size, std::fabs(lambda[i]));
    }
    // The remaining error is about the rate of convergence times this step. Rounding in directions that no motion
    // reaches does not decay: there the steps stay constant.
    const double part = change / before;
    if (change == 0 || (step > 1 && change * part <= epsilon_of<double> * size)) return step;
    if (step > 2 && part > 0.75) return step;
    before = change;
  }
  return 0;
}

void ContactCholeskyWorkspace::solve(const KktProblem& p, KktAnswer& answer) {
  Equations& e = equations_;
  if (!e.take(p, answer)) return;
  find_support(p.row_parent);
  if (!eliminate_joints(p.row_parent, p.stop)) return Equations::fail(p, answer, KktOutcome::singular_mass);
  for (Index i = 0; i < e.m; ++i)
    for (Index j = 0; j <= i; ++j) rows_.row(i)[j] = G_[i * m_capacity_ + j];
  rows_.factor(e.m, e.tolerance, p.stop);
  factor_damped(p.stop);
  if (is_asked(p.stop)) return Equations::fail(p, answer, KktOutcome::not_converged);
  answer_right(p, answer);
}

void ContactCholeskyWorkspace::solve_again(const KktProblem& p, KktAnswer& answer) {
  if (equations_.take_right(p, answer)) answer_right(p, answer);
}

void ContactCholeskyWorkspace::answer_right(const KktProblem& p, KktAnswer& answer) {
  Equations& e = equations_;
  const auto for_each_run = [&](Index k, auto&& f) {
    for (Index i = 0; i < runs_[k]; ++i) f(run_[k * m_capacity_ + i].first, run_[k * m_capacity_ + i].size);
  };
  // U^-1 of [b; tau]: from the last joint on, each passes its part to the coordinates above it and to the rows.
  double *const b = b_.data(), *const t = t_.data();
  for (Index i = 0; i < e.m; ++i) b[i] = e.b[i];
  for (Index k = 0; k < e.n; ++k) t[k] = e.tau[k];
  for (Index k = e.n - 1; k >= 0; --k) {
    const double* const x = X_.data() + k * m_capacity_;
    for (Index i = p.row_parent[k]; i >= 0; i = p.row_parent[i]) t[i] -= e.mass_row(k)[i] * t[k];
    for_each_run(k, [&](Index r, Index count) { subtract_multiple(count, t[k], x + r, b + r); });
  }
  rows_.relations().meet(b);
  for (Index i = 0; i < e.m; ++i) y_[i] = b[i] * rows_.inv_scale(i);
  answer.iterations = e.m > 0 ? refine(y_.data(), answer.lambda) : 1;
  if (answer.iterations == 0) return Equations::fail(p, answer, KktOutcome::not_converged);
  for (Index i = 0; i < e.m; ++i) answer.lambda[i] *= rows_.inv_scale(i);
  rows_.relations().project(answer.lambda);
  for (Index k = 0; k < e.n; ++k) {  // U^-T: from the rows and the root outward
    const double* const x = X_.data() + k * m_capacity_;
    double a = t[k] / e.mass_row(k)[k];
    for_each_run(k, [&](Index r, Index count) { a += dot(count, x + r, answer.lambda + r); });
    for (Index i = p.row_parent[k]; i >= 0; i = p.row_parent[i]) a -= e.mass_row(k)[i] * t[i];
    answer.acceleration[k] = t[k] = a;
  }
  answer.rank = rows_.rank();
  Equations::finish(p, answer);
}

}  // namespace zwang::dense
