// SPDX-License-Identifier: BSD-3-Clause
#include "question/observer/least_multipliers.hpp"

#include <algorithm>
#include <cmath>

namespace zwang {
namespace {

double along(Index n, const double* x, const double* y) {
  double sum = 0;
  for (Index i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
void take_away(Index n, const double* direction, double* x) {
  const double part = along(n, direction, x);
  for (Index i = 0; i < n; ++i) x[i] -= part * direction[i];
}

}  // namespace

LeastMultipliers::LeastMultipliers(const Model& model, const ConstraintSet& set)
    : set_(set),
      evaluator_(model, set),
      rows_(set.rows()),
      nv_(model.nv()),
      directions_(rows_ * rows_),
      given_(rows_),
      J_(rows_ * model.nv()),
      still_(model.nv()) {
  for (const Constraint& x : set.constraints())
    for (const std::string& name : x.row_names) names_.push_back(name);
}

/// The dependencies, one after the other, made orthonormal by Gram and Schmidt, twice.
void LeastMultipliers::collect(const SolveReport& report) {
  count_ = 0;
  for (const Dependency& d : report.dependencies) {
    double* const n = direction(count_);
    std::fill_n(n, rows_, 0.0);
    for (const DependencyTerm& term : report.terms_of(d)) {
      const auto at = std::find(names_.begin(), names_.end(), term.row);
      if (at != names_.end()) n[at - names_.begin()] = term.coefficient;
    }
    const double size = std::sqrt(along(rows_, n, n));
    for (int twice = 0; twice < 2; ++twice)
      for (Index k = 0; k < count_; ++k) take_away(rows_, direction(k), n);
    const double rest = std::sqrt(along(rows_, n, n));
    if (!(rest > 1e-8 * size)) continue;  // each has a row of its own: only rounding leads here
    for (Index i = 0; i < rows_; ++i) n[i] /= rest;
    if (++count_ == rows_) return;
  }
}

void LeastMultipliers::apply(const SolveReport& report, const Eigen::Map<const Eigen::VectorXd>& q, double* lambda,
                             double* rest) {
  collect(report);
  if (count_ == 0) return;
  std::copy_n(lambda, rows_, given_.data());
  for (Index k = 0; k < count_; ++k) take_away(rows_, direction(k), lambda);
  evaluator_.evaluate(q, Eigen::Map<const Eigen::VectorXd>(still_.data(), nv_));
  const Index active = evaluator_.rows();
  Eigen::Map<Eigen::MatrixXd> J(J_.data(), active, nv_);
  evaluator_.jacobian(J);
  Index row = 0, of_all = 0;
  for (const Constraint& x : set_.constraints())
    for (Index i = 0; i < x.size(); ++i, ++of_all) {
      if (!x.active) continue;
      const double change = given_[of_all] - lambda[of_all];
      for (Index k = 0; k < nv_; ++k) rest[k] += change * J_[row + k * active];
      ++row;
    }
}

}  // namespace zwang
