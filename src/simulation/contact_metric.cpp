// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/contact_metric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zwang {
namespace {

Eigen::Map<Eigen::VectorXd> as_vector(double* x, Index n) { return {x, n}; }

}  // namespace

ContactMetric::ContactMetric(const Model& model, Index hard_rows)
    : nv_(model.nv()),
      factor_(model),
      span_(hard_rows + model.nv(), model.nv()),
      root_(model.nv()),
      y_(model.nv()),
      of_basis_(model.nv()),
      work_(model.nv() + 8) {
  W_.reserve(static_cast<std::size_t>(nv_) * 256);
}

bool ContactMetric::factor(Data& data, VectorIn q, const JointEffects& effects) {
  try {
    factor_.compute(data, q, effects);
  } catch (const SingularMassError& error) {
    singular_ = error.what();
    return false;
  }
  for (Index k = 0; k < nv_; ++k) root_[k] = std::sqrt(factor_.diagonal(k));
  begin_hard_rows();
  return true;
}

void ContactMetric::to_metric(double* row) const {
  factor_.solve_transposed(as_vector(row, nv_));
  for (Index k = 0; k < nv_; ++k) row[k] /= root_[k];
}

void ContactMetric::begin_hard_rows() { span_.begin(nv_); }
void ContactMetric::add_hard() {
  to_metric(work_.data());
  double square = 0;
  for (Index k = 0; k < nv_; ++k) square += work_[k] * work_[k];
  // Each number of the row is a sum of up to nv products of the factor.
  span_.add(work_.data(), 8 * std::numeric_limits<double>::epsilon() * nv_ * std::sqrt(square));
}
void ContactMetric::add_hard_row(const double* row) {
  std::copy_n(row, nv_, work_.data());
  add_hard();
}
void ContactMetric::add_hard_coordinate(Index v) {
  std::fill_n(work_.data(), nv_, 0.0);
  work_[v] = 1;
  add_hard();
}

void ContactMetric::form(const double* v, const ContactRows& rows, double* offset) {
  std::copy_n(v, nv_, y_.data());
  factor_.multiply_lower(as_vector(y_.data(), nv_));
  for (Index k = 0; k < nv_; ++k) y_[k] *= root_[k];
  rows_ = rows.rows();
  const auto n = static_cast<std::size_t>(nv_);
  W_.resize(n * static_cast<std::size_t>(rows_));
  const auto product = [&](const double* a, const double* b) {
    double sum = 0;
    for (Index k = 0; k < nv_; ++k) sum += a[k] * b[k];
    return sum;
  };
  for (Index b = 0; b < span_.rank(); ++b) of_basis_[b] = product(span_.basis(b), y_.data());
  for (Index r = 0; r < rows_; ++r) {
    double* const w = W_.data() + n * static_cast<std::size_t>(r);
    std::copy_n(rows.row(r), nv_, w);
    to_metric(w);
    for (int again = 0; again < (span_.rank() > 0 ? 2 : 0); ++again)  // what one pass leaves is rounding of its size
      for (Index b = 0; b < span_.rank(); ++b) {
        const double* const u = span_.basis(b);
        const double along = product(u, w);
        offset[r] += along * of_basis_[b];
        for (Index k = 0; k < nv_; ++k) w[k] -= along * u[k];
      }
  }
}

void ContactMetric::add_impulses(const double* lambda, double* v) const {
  std::fill_n(work_.data(), nv_, 0.0);
  const auto n = static_cast<std::size_t>(nv_);
  for (Index r = 0; r < rows_; ++r) {
    if (lambda[r] == 0) continue;
    const double* const w = W_.data() + n * static_cast<std::size_t>(r);
    for (Index k = 0; k < nv_; ++k) work_[k] += w[k] * lambda[r];
  }
  for (Index k = 0; k < nv_; ++k) work_[k] /= root_[k];
  factor_.solve_lower(as_vector(work_.data(), nv_));
  for (Index k = 0; k < nv_; ++k) v[k] += work_[k];
}

}  // namespace zwang
