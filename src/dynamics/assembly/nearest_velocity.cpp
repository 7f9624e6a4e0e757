// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/assembly/nearest_velocity.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/core/strips.hpp"

namespace zwang {

NearestVelocity::NearestVelocity(const Model& model, RowsAt& rows, const Metric& metric,
                                 const AssemblySettings& settings)
    : rows_(rows),
      metric_(metric),
      settings_(settings),
      n_(metric.size()),
      nv_(model.nv()),
      ranked_(n_, rows.problem.layout.capacity),
      v_(nv_),
      d_(nv_),
      x_(n_),
      right_(rows.problem.layout.capacity),
      bound_(rows.problem.layout.capacity),
      open_(rows.problem.layout.capacity),
      residual_(rows.problem.layout.capacity),
      level_(rows.problem.layout.capacity) {}

/// What is left of each row, and the largest of these over the magnitudes of the row's terms.
double NearestVelocity::measure(const double* v0) {
  double worst = 0;
  for (Index i = 0; i < rows_.rows(); ++i) {
    const double *const J = rows_.jacobian(i), *const terms = rows_.terms(i), target = rows_.target_velocity(i);
    double sum = target, size = std::fabs(target);
    for (Index k = 0; k < nv_; ++k) {
      sum -= J[k] * v_[k];
      size += terms[k] * std::max(std::fabs(v_[k]), std::fabs(v0[k]));
    }
    right_[i] = sum;
    residual_[i] = size > 0 ? std::fabs(sum) / size : 0.0;
    worst = std::max(worst, residual_[i]);
  }
  return worst;
}

void NearestVelocity::find(const double* v0, double open, AssemblyReport& report) {
  const Index m = rows_.rows();
  std::copy_n(v0, nv_, v_.data());
  report.velocity_rows = m;
  report.velocity_residual = measure(v0);
  ranked_.begin(n_, 0, m);
  for (Index i = 0; i < m; ++i) {
    double* const row = ranked_.hard_row(i);
    metric_.columns_of(rows_.jacobian(i), row);
    double own = 0, terms = 0;
    for (Index j = 0; j < n_; ++j) {
      const Index k = metric_.coordinate(j);
      own += rows_.jacobian(i)[k] * rows_.jacobian(i)[k];
      terms += rows_.terms(i)[k] * rows_.terms(i)[k];
    }
    bound_[i] = dot(n_, row, row) * (own > 0 ? terms / own : 1);
    open_[i] = std::min(100 * open, 1e-3) * std::sqrt(bound_[i]);
    level_[i] = static_cast<int>(i);
  }
  const MassWeightedRows::Terms terms{bound_.data(), open_.data(), nullptr, nullptr, 0};
  ranked_.factor(terms);
  report.velocity_rank = ranked_.rank();
  for (int pass = 0; pass < 2 && report.velocity_residual > 0; ++pass) {
    ranked_.solve(nullptr, right_.data());
    metric_.step_of(ranked_.motion(), d_.data());
    for (Index k = 0; k < nv_; ++k) v_[k] += d_[k];
    report.velocity_residual = measure(v0);
  }
  if (report.velocity_residual <= settings_.tolerance) return;
  // J^T r = 0: no other velocity of the free joints is nearer to what the rows ask for.
  double g = 0, size = 0, rest = 0;
  std::fill_n(d_.data(), nv_, 0.0);
  for (Index i = 0; i < m; ++i) {
    subtract_multiple(nv_, -right_[i], rows_.jacobian(i), d_.data());
    metric_.columns_of(rows_.jacobian(i), x_.data());
    size += dot(n_, x_.data(), x_.data());
    rest += right_[i] * right_[i];
  }
  metric_.columns_of(d_.data(), x_.data());
  g = std::sqrt(dot(n_, x_.data(), x_.data()));
  report.gradient = size > 0 && rest > 0 ? g / std::sqrt(size * rest) : 0.0;
  report.status = report.gradient <= 1e-6 ? Status::infeasible : Status::not_converged;
}

}  // namespace zwang
