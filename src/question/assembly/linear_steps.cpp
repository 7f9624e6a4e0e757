// SPDX-License-Identifier: BSD-3-Clause
#include "question/assembly/linear_steps.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/core/strips.hpp"

namespace zwang {

void HeldCoordinates::clear() {
  count = 0;
  std::fill_n(is.data(), is.size(), static_cast<unsigned char>(0));
}
void HeldCoordinates::add(Index j, double step) {
  at[count] = j;
  by[count++] = step;
  is[j] = 1;
}

double ScaledRows::largest_row() const {
  double largest = 0;
  for (Index i = 0; i < m; ++i) largest = std::max(largest, dot(n, row(i), row(i)));
  return std::sqrt(largest);
}

LinearSteps::LinearSteps(const Metric& metric, Index rows, Index nv)
    : metric_(metric),
      n_(metric.size()),
      damped_(n_ + rows, n_ + rows),
      tangent_(n_, n_),
      ranked_(n_, n_ + rows),
      x_(n_ + rows),
      unit_(nv),
      Z_(n_ * n_),
      lambda_(rows),
      limit_(n_),
      bound_(n_ + rows),
      open_(n_ + rows),
      level_(n_ + rows),
      counted_row_(n_) {}

void LinearSteps::unit_column(Index j, double* out) {
  unit_[metric_.coordinate(j)] = 1;
  metric_.columns_of(unit_.data(), out);
  unit_[metric_.coordinate(j)] = 0;
}

void LinearSteps::damped_step(const ScaledRows& rows, const HeldCoordinates& held, double mu, double* x) {
  const Index total = n_ + rows.m;
  for (Index h = 0; h < held.count; ++h) {
    std::fill_n(damped_.column(h), total, 0.0);
    unit_column(held.at[h], damped_.column(h));
    x_[h] = held.by[h];
  }
  Index columns = held.count;
  for (Index i = 0; i < rows.m; ++i) {
    if (!rows.acts[i]) continue;
    double* const column = damped_.column(columns);
    std::copy_n(rows.row(i), n_, column);
    std::fill_n(column + n_, rows.m, 0.0);
    column[n_ + i] = mu;
    x_[columns++] = -rows.phi[i];
  }
  damped_.factor_in_order(total, columns);
  damped_.solve_lower(x_.data());
  std::fill(x_.data() + columns, x_.data() + total, 0.0);
  damped_.apply(x_.data());
  std::copy_n(x_.data(), n_, x);
}

void LinearSteps::find_tangents(const ScaledRows& rows, const HeldCoordinates& held, double open) {
  held_ = held.count;
  ranked_.begin(n_, 0, held_ + rows.m);
  for (Index k = 0; k < held_ + rows.m; ++k) {
    level_[k] = k < held_ ? 0 : 1;
    open_[k] = bound_[k] = 0;
    if (k < held_) {
      unit_column(held.at[k], ranked_.hard_row(k));
      continue;
    }
    if (!rows.acts[k - held_]) continue;  // a row of zeros does not count
    std::copy_n(rows.row(k - held_), n_, ranked_.hard_row(k));
    bound_[k] = rows.bound[k - held_];
    open_[k] = open * std::sqrt(bound_[k]);
  }
  ranked_.factor({bound_.data(), open_.data(), nullptr, level_.data(), 0});
  counted_ = 0;
  for (Index k = 0; k < held_ + rows.m && counted_ < n_; ++k) {
    if (!ranked_.counts(k)) continue;
    if (k < held_)
      unit_column(held.at[k], tangent_.column(counted_));
    else
      std::copy_n(rows.row(k - held_), n_, tangent_.column(counted_));
    counted_row_[counted_++] = k;
  }
  tangent_.factor_in_order(n_, counted_);
  for (Index k = 0; k < tangents(); ++k) {
    double* const z = &Z_[k * n_];
    std::fill_n(z, n_, 0.0);
    z[counted_ + k] = 1;
    tangent_.apply(z);
  }
}

void LinearSteps::split(const double* g, double* out) {
  std::copy_n(g, n_, x_.data());
  tangent_.apply_transposed(x_.data());
  std::copy_n(x_.data() + counted_, tangents(), out);
  tangent_.solve_upper(x_.data());
  std::fill_n(lambda_.data(), lambda_.size(), 0.0);
  std::fill_n(limit_.data(), n_, 0.0);
  for (Index c = 0; c < counted_; ++c) {
    const Index k = counted_row_[c];
    (k < held_ ? limit_[k] : lambda_[k - held_]) = -x_[c];
  }
}

void LinearSteps::rank(const ScaledRows& rows, double open) {
  ranked_.begin(n_, 0, rows.m);
  for (Index i = 0; i < rows.m; ++i) {
    level_[i] = static_cast<int>(i);
    open_[i] = bound_[i] = 0;
    if (!rows.acts[i]) continue;  // a row of zeros does not count
    std::copy_n(rows.row(i), n_, ranked_.hard_row(i));
    bound_[i] = rows.bound[i];
    open_[i] = open * std::sqrt(bound_[i]);
  }
  ranked_.factor({bound_.data(), open_.data(), nullptr, level_.data(), 0});
}

double LinearSteps::alignment(const ScaledRows& before, const ScaledRows& now) {
  if (before.m != now.m) return 0;
  counted_ = 0;
  for (Index i = 0; i < now.m; ++i)
    if (ranked_.counts(i)) counted_row_[counted_++] = i;
  const auto volume = [&](const ScaledRows& rows) {  // of the parallelepiped of the rows, each of length 1
    for (Index c = 0; c < counted_; ++c) std::copy_n(rows.row(counted_row_[c]), n_, tangent_.column(c));
    tangent_.factor_in_order(n_, counted_);
    double product = 1;
    for (Index c = 0; c < counted_; ++c) {
      const double* const row = rows.row(counted_row_[c]);
      product *= std::fabs(tangent_.diagonal(c)) / std::sqrt(dot(n_, row, row));
    }
    return product;
  };
  const double volumes = volume(before) * volume(now);
  for (Index a = 0; a < counted_; ++a) {
    const double* const x = now.row(counted_row_[a]);
    for (Index b = 0; b < counted_; ++b) {
      const double* const y = before.row(counted_row_[b]);
      tangent_.column(a)[b] = dot(n_, x, y) / std::sqrt(dot(n_, x, x) * dot(n_, y, y));
    }
  }
  tangent_.factor_in_order(counted_, counted_);
  double product = 1;
  for (Index c = 0; c < counted_; ++c) product *= tangent_.diagonal(c) * (tangent_.strength(c) > 0 ? -1 : 1);
  return volumes > 0 ? product / volumes : 0;
}

int LinearSteps::sign_of_determinant(const ScaledRows& rows) {
  if (ranked_.rank() != n_ || n_ == 0) return 0;
  Index c = 0;
  for (Index i = 0; i < rows.m; ++i)
    if (ranked_.counts(i)) std::copy_n(rows.row(i), n_, tangent_.column(c++));
  tangent_.factor_in_order(n_, n_);
  int sign = 1;
  for (Index k = 0; k < n_; ++k) {
    if (tangent_.strength(k) > 0) sign = -sign;
    if (tangent_.diagonal(k) < 0) sign = -sign;
  }
  return sign;
}

}  // namespace zwang
