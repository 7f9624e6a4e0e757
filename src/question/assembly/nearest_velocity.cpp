// SPDX-License-Identifier: BSD-3-Clause
#include "question/assembly/nearest_velocity.hpp"

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
      side_(rows.problem.layout.capacity),
      acts_(rows.problem.layout.capacity) {}

void NearestVelocity::make_room_for_sides() {
  if (sides_ == nullptr) sides_ = std::make_unique<SidedRows>(metric_, rows_.problem.layout.capacity, nv_);
}

/// Its position is on its side: the row has room to move.
bool NearestVelocity::is_open(Index i) const {
  if (!rows_.has_position(i)) return false;
  return rows_.side(i) * rows_.phi(i) > settings_.tolerance * rows_.size(i) + rows_.rounding(i);
}

/// What is left of row i: where it has a side, the violation.
double NearestVelocity::rest(Index i) const {
  const double left = right_[i];  // target - J v
  return side_[i] == 0 || (side_[i] == 1 && left > 0) || (side_[i] == -1 && left < 0) ? left : 0.0;
}

/// right_: target - J v of each row. Returns the largest rest over the magnitudes of the row's terms.
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
    residual_[i] = size > 0 ? std::fabs(rest(i)) / size : 0.0;
    worst = std::max(worst, residual_[i]);
  }
  return worst;
}

/// The rows that hold as equalities at the nearest velocity.
void NearestVelocity::choose() {
  bool some = false;
  for (Index i = 0; i < rows_.rows(); ++i) {
    const int side = rows_.side(i);
    side_[i] = static_cast<signed char>(side == 0 ? 0 : is_open(i) ? 2 : side);
    acts_[i] = side == 0;
    some = some || side_[i] == 1 || side_[i] == -1;
  }
  if (!some) return;
  sides_->begin(rows_.rows());
  for (Index i = 0; i < rows_.rows(); ++i) {
    if (side_[i] == 2) {
      sides_->leave_out(i);
      continue;
    }
    double right = rows_.target_velocity(i);
    for (Index k = 0; k < nv_; ++k) right -= rows_.jacobian(i)[k] * v_[k];
    metric_.columns_of(rows_.jacobian(i), sides_->row(i));
    sides_->set(i, side_[i], right);
  }
  sides_->choose();
  for (Index i = 0; i < rows_.rows(); ++i) acts_[i] = side_[i] != 2 && sides_->acts(i);
}

/// Where rows contradict each other, those that are violated by the velocity at hand. False if they are the same.
bool NearestVelocity::choose_violated() {
  bool other = false;
  for (Index i = 0; i < rows_.rows(); ++i) {
    const bool now = side_[i] == 0 || rest(i) != 0;
    other = other || now != (acts_[i] != 0);
    acts_[i] = now;
  }
  return other;
}

void NearestVelocity::factor(double open) {
  const Index m = rows_.rows();
  ranked_.begin(n_, 0, m);
  for (Index i = 0; i < m; ++i) {
    bound_[i] = open_[i] = 0;
    if (!acts_[i]) continue;  // a row of zeros does not count
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
  }
  ranked_.factor({bound_.data(), open_.data(), nullptr, nullptr, 0});
}

/// From v to where the rows that act hold.
void NearestVelocity::approach(const double* v0) {
  for (int pass = 0; pass < 2; ++pass) {
    for (Index i = 0; i < rows_.rows(); ++i) right_[i] = acts_[i] ? right_[i] : 0.0;
    ranked_.solve(nullptr, right_.data());
    metric_.step_of(ranked_.motion(), d_.data());
    for (Index k = 0; k < nv_; ++k) v_[k] += d_[k];
    measure(v0);
  }
}

void NearestVelocity::find(const double* v0, double open, AssemblyReport& report) {
  const Index m = rows_.rows();
  const auto largest = [&] { return m > 0 ? *std::max_element(residual_.data(), residual_.data() + m) : 0.0; };
  std::copy_n(v0, nv_, v_.data());
  choose();
  report.velocity_rows = m;
  const bool satisfied = measure(v0) == 0;
  factor(open);
  if (!satisfied) approach(v0);
  for (Index again = 0; again < m + 4 && largest() > settings_.tolerance && choose_violated(); ++again) {
    std::copy_n(v0, nv_, v_.data());
    measure(v0);
    factor(open);
    approach(v0);
  }
  report.velocity_rank = ranked_.rank();
  report.velocity_residual = largest();
  if (report.velocity_residual <= settings_.tolerance) return;
  // J^T r = 0: no other velocity of the free joints is nearer to the targets of the rows.
  double g = 0, size = 0, left = 0;
  std::fill_n(d_.data(), nv_, 0.0);
  for (Index i = 0; i < m; ++i) {
    const double r = rest(i);
    if (side_[i] != 0 && r == 0) continue;
    subtract_multiple(nv_, -r, rows_.jacobian(i), d_.data());
    metric_.columns_of(rows_.jacobian(i), x_.data());
    size += dot(n_, x_.data(), x_.data());
    left += r * r;
  }
  metric_.columns_of(d_.data(), x_.data());
  g = std::sqrt(dot(n_, x_.data(), x_.data()));
  report.gradient = size > 0 && left > 0 ? g / std::sqrt(size * left) : 0.0;
  report.status = report.gradient <= 1e-6 ? Status::infeasible : Status::not_converged;
}

}  // namespace zwang
