// SPDX-License-Identifier: BSD-3-Clause
// Constrained inverse dynamics: the motion.
//
// With P the equations of motion that no motor reaches (Motors: P B = 0), P (M a + h) = P J^T lambda. A combination u
// of them with u^T P J^T = 0 is a condition on a alone:  u^T P M a = - u^T P h. Rows, these conditions, driver rows and
// demands are levels of one RowSpan; the demands, in the metric W = diag(sqrt w) M diag(sqrt w), are a Cholesky
// factorisation on the basis vectors that they bring. RBDL's relaxed form with penalty > 0
// (InverseDynamicsConstraintsRelaxed; Felis 2017; Koch 2015): the motion of tau = S h + p W (a* - a), S: the
// coordinates with motors, W = diag(sqrt w) S M S diag(sqrt w), on J a = gamma.
#include <algorithm>
#include <cmath>

#include "question/inverse/inverse_parts.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

constexpr double k_sum_rounding = 64 * epsilon_of<double>;
double tolerance_of(const InverseSettings& s) { return s.tolerance > 0 ? s.tolerance : 1e-11; }

}  // namespace

void InverseParts::span_forces() {
  const InverseProblem& p = problem;
  const Index n = rows.nv, m = p.physical_rows;
  force_span.begin(m);
  const double tolerance = tolerance_of(settings) + p.open;
  for (Index k = 0; k < n; ++k) {
    if (k == motors.alone) force_span.begin_level();
    double own = 0, size = 0;
    for (Index j = 0; j < m; ++j) {
      const Index i = p.physical[j];
      const double scale = p.inverse[i] * p.column[motors.coordinate[k]];
      double magnitude = 0;
      work[j] = 0;
      motors.each_term(k, [&](Index c, double x) {
        work[j] += x * rows.row(i)[c];
        magnitude += std::fabs(x) * rows.magnitudes(i)[c];
      });
      work[j] *= scale;
      magnitude *= scale;
      own += work[j] * work[j];
      size += magnitude * magnitude;
    }
    force_span.add(work.data(), tolerance * std::sqrt(own) + k_sum_rounding * std::sqrt(size));
  }
  for (Index j = 0; j < m; ++j) {
    motors.read(rows.row(p.physical[j]), more.data());
    for (Index k = 0; k < motors.reach; ++k) problem.pull[k * m + j] = more[k];
  }
}

/// The row of motion_span whose condition has been written.
void InverseParts::ask(const double* row, double noise, double inverse_scale) {
  const Index at = motion_span.rows(), n = rows.nv;
  std::copy_n(row, n, asked.row.data() + at * n);
  asked.noise[at] = noise;
  asked.left_out[at] = 0;
  motion_span.add(row, noise, inverse_scale);
}

void InverseParts::add_row(Index i) {
  const InverseProblem& p = problem;
  double own = 0;
  for (Index c = 0; c < rows.nv; ++c) {
    work[c] = rows.row(i)[c] * p.column[c] * p.inverse[i];
    own += work[c] * work[c];
  }
  const Index at = motion_span.rows();
  conditions.of[at] = {MotionTerm::Kind::row, i};
  conditions.scale[at] = p.inverse[i];
  conditions.target[at] = rows.gamma[i] * p.inverse[i];
  ask(work.data(),
      (tolerance_of(settings) + rows.openness(i)) * std::sqrt(own) + (p.length[i] > 0 ? k_sum_rounding : 0.0),
      p.inverse[i]);
}

/// What is left of an equation of motion without motor if rows carry what they can.
void InverseParts::add_condition(Index row) {
  const InverseProblem& p = problem;
  const Index n = rows.nv, count = force_span.dependency(row, 0, more.data());
  double own = 0, size = 0, right_side = 0;
  for (Index d = 0; d < n; ++d) work[d] = 0;
  std::fill_n(right.data(), n, 0.0);  // magnitudes
  const auto add = [&](Index k, double factor) {
    const double scale = factor * p.column[motors.coordinate[k]];
    motors.each_term(k, [&](Index c, double entry) {
      right_side -= scale * entry * p.hsoft[c];
      for (Index d = 0; d < n; ++d) {
        const double x = scale * entry * p.Msoft[c * n + d] * p.column[d];
        work[d] += x;
        right[d] += std::fabs(x);
      }
    });
  };
  add(row, 1);
  for (Index k = 0; k < count; ++k) add(force_span.row_of(k), -more[k]);
  for (Index d = 0; d < n; ++d) size += right[d] * right[d];
  const double scale = size > 0 ? 1 / std::sqrt(size) : 1;
  for (Index d = 0; d < n; ++d) {
    work[d] *= scale;
    own += work[d] * work[d];
  }
  const Index at = motion_span.rows();
  conditions.of[at] = {MotionTerm::Kind::motion, row};
  conditions.scale[at] = scale * p.column[motors.coordinate[row]];
  conditions.target[at] = right_side * scale;
  ask(work.data(), tolerance_of(settings) * std::sqrt(own) + (size > 0 ? k_sum_rounding : 0.0), 1);
}

void InverseParts::span_motion() {
  const InverseProblem& p = problem;
  const auto by_levels = [&](const Buffer<Index>& list, Index count) {
    for (Index k = 0; k < count; ++k) {
      if (k == 0 || rows.constraint_of(list[k]).priority != rows.constraint_of(list[k - 1]).priority)
        motion_span.begin_level();
      add_row(list[k]);
    }
  };
  motion_span.begin(rows.nv);
  by_levels(p.physical, p.physical_rows);
  solution.report.rank = motion_span.rank();
  motion_span.begin_level();
  for (Index k = 0; k < motors.alone; ++k) {
    if (force_span.counts(k)) continue;
    ++solution.report.conditions;
    if (settings.penalty == 0) add_condition(k);  // a penalty obeys these equations with the motion itself
  }
  by_levels(p.driver, p.driver_rows);
}

bool InverseParts::solve_normal_equations(Index n) {
  double* const K = matrix.data();
  double* const y = right.data();
  for (Index i = 0; i < n; ++i) {
    double* const row = K + i * n;
    for (Index j = 0; j <= i; ++j) {
      const double left = row[j] - dot(j, row, K + j * n);
      if (j < i) {
        row[j] = left / K[j * n + j];
      } else {
        if (!(left > k_sum_rounding * n * row[i])) return false;
        row[i] = std::sqrt(left);
      }
    }
    y[i] = (y[i] - dot(i, row, y)) / row[i];
  }
  for (Index i = n - 1; i >= 0; --i) {
    y[i] /= K[i * n + i];
    for (Index j = 0; j < i; ++j) y[j] -= K[i * n + j] * y[i];
  }
  return true;
}

/// Adds to a what brings it nearest to a* along basis vectors `first` to `end`, in the metric of diag(w) M diag(w), or
/// of M. Where M is singular in these directions, in the metric of its diagonal.
void InverseParts::nearest(Index first, Index end, bool demanded) {
  const InverseProblem& p = problem;
  const Index n = rows.nv, count = end - first;
  if (count == 0) return;
  const auto weight = [&](Index c) { return demanded ? p.weight[c] : 1.0; };
  for (const bool whole : {true, false}) {
    const auto times_metric = [&](const double* x, double* out) {
      for (Index c = 0; c < n; ++c) out[c] = whole ? dot(n, p.M.data() + c * n, x) : x[c] / (p.column[c] * p.column[c]);
    };
    const auto direction = [&](Index k, double* out) {
      for (Index c = 0; c < n; ++c) out[c] = weight(c) * p.column[c] * motion_span.basis(first + k)[c];
    };
    for (Index c = 0; c < n; ++c) work[c] = weight(c) * (p.wish[c] - a[c]);
    times_metric(work.data(), forces.data());
    for (Index k = 0; k < count; ++k) {
      direction(k, work.data());
      right[k] = dot(n, work.data(), forces.data());
      times_metric(work.data(), more.data());
      for (Index j = 0; j <= k; ++j) {
        direction(j, work.data());
        matrix[k * count + j] = dot(n, work.data(), more.data());
      }
    }
    if (!solve_normal_equations(count)) {
      problem.in_mass = false;
      continue;
    }
    for (Index k = 0; k < count; ++k)
      for (Index c = 0; c < n; ++c) a[c] += p.column[c] * motion_span.basis(first + k)[c] * right[k];
    return;
  }
}

void InverseParts::move() {
  const InverseProblem& p = problem;
  const Index n = rows.nv, levels = motion_span.levels(), decided = motion_span.rank();
  std::copy_n(conditions.target.data(), motion_span.rows(), conditions.met.data());
  motion_span.solve(levels, conditions.met.data(), a.data());
  for (Index c = 0; c < n; ++c) a[c] *= p.column[c];
  motion_span.begin_level();
  if (settings.penalty > 0) {
    motion_span.complete();
    return move_by_penalty();
  }
  for (Index c = 0; c < n; ++c) {
    if (p.weight[c] == 0) continue;
    const Index at = motion_span.rows();
    std::fill_n(work.data(), n, 0.0);
    work[c] = 1;
    conditions.of[at] = {MotionTerm::Kind::demand, c};
    conditions.scale[at] = 1 / p.column[c];
    conditions.target[at] = p.wish[c] / p.column[c];
    ask(work.data(), tolerance_of(settings), 1);
  }
  const Index demanded = motion_span.rank();
  asked.decided = decided;
  asked.demanded = demanded;
  motion_span.complete();
  nearest(decided, demanded, true);
  nearest(demanded, n, false);
}

/// tau = h + p W (a* - a) at motors:  M a + h - tau = J^T lambda, so Z^T ((M + p W) a + h - S h - p W a*) = 0 for the
/// directions Z that the rows leave. Soft rows act beside the motors: they are in Msoft and hsoft, not in S h.
void InverseParts::move_by_penalty() {
  const InverseProblem& p = problem;
  const Index n = rows.nv, first = motion_span.rank(), count = n - first;
  const auto driven = [&](Index c) { return bool{motors.actuated[static_cast<std::size_t>(c)]}; };
  const auto motor = [&](Index c) { return driven(c) ? p.weight[c] : 0.0; };
  const auto spring = [&](const double* x, double* out) {  // out += p W x
    for (Index c = 0; c < n; ++c) {
      if (motor(c) == 0) continue;
      double sum = 0;
      for (Index d = 0; d < n; ++d) sum += p.M[c * n + d] * motor(d) * x[d];
      out[c] += settings.penalty * motor(c) * sum;
    }
  };
  const auto times = [&](const double* x, double* out) {
    for (Index c = 0; c < n; ++c) out[c] = dot(n, p.Msoft.data() + c * n, x);
    spring(x, out);
  };
  times(a.data(), forces.data());
  for (Index c = 0; c < n; ++c) forces[c] = (driven(c) ? p.h[c] : 0.0) - forces[c] - p.hsoft[c];
  spring(p.wish.data(), forces.data());
  for (Index k = 0; k < count; ++k) {
    for (Index c = 0; c < n; ++c) work[c] = p.column[c] * motion_span.basis(first + k)[c];
    right[k] = dot(n, work.data(), forces.data());
    times(work.data(), more.data());
    for (Index j = 0; j <= k; ++j) {
      double sum = 0;
      for (Index c = 0; c < n; ++c) sum += p.column[c] * motion_span.basis(first + j)[c] * more[c];
      matrix[k * count + j] = sum;
    }
  }
  if (solve_normal_equations(count))
    for (Index k = 0; k < count; ++k)
      for (Index c = 0; c < n; ++c) a[c] += p.column[c] * motion_span.basis(first + k)[c] * right[k];
  for (Index c = 0; c < n; ++c) work[c] = p.wish[c] - a[c];
  for (Index c = 0; c < n; ++c) tau[c] = driven(c) ? p.h[c] : 0.0;
  spring(work.data(), tau.data());
}

}  // namespace zwang
