// SPDX-License-Identifier: BSD-3-Clause
// Which equations of a system hold, each measured by its own terms, and what that says of the whole.
#include <algorithm>
#include <cmath>

#include "factor/system_impl.hpp"

namespace zwang {
namespace {

constexpr int k_more_refinements = 6;  // where an equation does not hold

}  // namespace

/// Whether each of the rows `row` ... `end`, which are from `first` to `last` - 1, depends on all others; those outside
/// of this range are kept. By halves, each beside the other half: O(m^2 n log m) for all rows.
bool SystemImpl::depend(const Index* row, const Index* end, Index first, Index last) {
  if (row == end) return true;
  if (last - first == 1) return !keep(first, obeyed);
  const Index middle = first + (last - first) / 2, outside = kept;
  const Index* const split = std::lower_bound(row, end, middle);
  if (row != split)
    for (Index k = middle; k < last; ++k) keep(k, obeyed);
  if (!depend(row, split, first, middle)) return false;
  kept = outside;
  if (split != end)
    for (Index k = first; k < middle; ++k) keep(k, obeyed);
  if (!depend(split, end, middle, last)) return false;
  kept = outside;
  return true;
}

/// What is left of the rows (b) is orthogonal to all that x can do, but for rows whose angle is not obeyed; and a row
/// that depends on no others holds, however small it is beside those that contradict each other.
bool SystemImpl::is_least_squares(const SystemReport& facts) {
  const double angle = std::sqrt(64 * k_eps * std::max(m, 1)), rounding = 1e4 * k_eps * (n + m);
  for (Index j = 0; j < n; ++j) {
    Long sum = 0;
    double left = 0, sizes = 0;
    for (Index k = 0; k < m; ++k) {
      const double entry = std::fabs(J[k * n + j]);
      sum += static_cast<Long>(J[k * n + j]) * b[k];
      left += entry * std::fabs(b[k]);
      sizes += entry * row_terms[k];
    }
    if (std::fabs(static_cast<double>(sum)) > angle * left + rounding * sizes) return false;
  }
  kept = 0;
  return depend(facts.infeasible.data(), facts.infeasible.data() + facts.infeasible.size(), 0, m);
}

/// With |g|_M the largest force over the root of its mass, rounding of the forces leaves eps |g|_M / sqrt(M_jj) of an
/// x_j that is 0, and eps |g|_M / lever_k of a lambda_k, lever_k the largest |J_kj| / sqrt(M_jj). A coordinate without
/// mass follows those with mass in its rows.
void SystemImpl::measure_sizes() {
  double strength = 0;
  for (Index i = 0; i < n; ++i) {
    terms[i] = std::fabs(f[i]);
    for (Index k = 0; k < m; ++k) terms[i] += std::fabs(J[k * n + i] * lambda[k]);
    for (Index j = 0; j < n; ++j) terms[i] += std::fabs(M[i * n + j] * x[j]);
    if (M[i * n + i] > 0) strength = std::fmax(strength, terms[i] / std::sqrt(M[i * n + i]));
  }
  const double rounding = std::isfinite(strength) ? 64 * k_eps * (n + m) * strength : 0.0;
  for (Index j = 0; j < n; ++j) x_rounding[j] = M[j * n + j] > 0 ? rounding / std::sqrt(M[j * n + j]) : 0.0;
  for (Index k = 0; k < m; ++k) {
    row_terms[k] = std::fabs(R[k] * lambda[k]) + std::fabs(target[k]);
    double lever = 0, moved = 0;
    for (Index j = 0; j < n; ++j) {
      const double entry = std::fabs(J[k * n + j]);
      row_terms[k] += entry * std::fabs(x[j]);
      if (!(M[j * n + j] > 0)) continue;
      lever = std::fmax(lever, entry / std::sqrt(M[j * n + j]));
      moved = std::fmax(moved, entry * x_rounding[j]);
    }
    lambda_rounding[k] = lever > 0 ? rounding / lever : 0.0;
    for (Index j = 0; j < n; ++j)
      if (const double entry = std::fabs(J[k * n + j]); entry > 0 && M[j * n + j] == 0)
        x_rounding[j] = std::fmax(x_rounding[j], moved / entry);
  }
}

/// Of each equation, what is left (tau, b) over its own terms.
void SystemImpl::measure(SystemReport& facts) {
  residual();
  measure_sizes();
  facts.infeasible.clear();
  facts.residual = 0;
  for (Index i = 0; i < n; ++i)
    if (tau[i] != 0) facts.residual = std::fmax(facts.residual, std::fabs(tau[i]) / terms[i]);
  motion_residual = facts.residual;
  for (Index k = 0; k < m; ++k) {
    const double left = b[k] != 0 ? std::fabs(b[k]) / row_terms[k] : 0.0;
    if (left > facts.tolerance) facts.infeasible.push_back(k);
    facts.residual = std::fmax(facts.residual, left);
  }
}

/// Where an equation holds by zeros alone, as that of a row while nothing moves, its terms are rounding of the forces
/// of others, and so is what is left of it. Those of its x and lambda that may be rounding are set to 0.
void SystemImpl::settle_zeros(double tolerance) {
  const auto settle_x = [&](Index j) {
    if (std::fabs(x[j]) <= x_rounding[j]) x[j] = 0;
  };
  const auto settle_lambda = [&](Index k) {
    if (std::fabs(lambda[k]) <= lambda_rounding[k]) lambda[k] = 0;
  };
  for (Index i = 0; i < n; ++i) {
    if (!(std::fabs(tau[i]) > tolerance * terms[i])) continue;
    for (Index j = 0; j < n; ++j)
      if (M[i * n + j] != 0) settle_x(j);
    for (Index k = 0; k < m; ++k)
      if (J[k * n + i] != 0) settle_lambda(k);
  }
  for (Index k = 0; k < m; ++k) {
    if (!(std::fabs(b[k]) > tolerance * row_terms[k])) continue;
    for (Index j = 0; j < n; ++j)
      if (J[k * n + j] != 0) settle_x(j);
    if (R[k] > 0) settle_lambda(k);
  }
}

/// Where what fails holds by zeros alone, x and lambda become these.
bool SystemImpl::holds(SystemReport& facts) {
  measure(facts);
  if (facts.residual <= facts.tolerance) return true;
  std::copy_n(x.data(), n, x_before.data());
  std::copy_n(lambda.data(), m, lambda_before.data());
  settle_zeros(facts.tolerance);
  measure(facts);
  if (facts.residual <= facts.tolerance) return true;
  std::copy_n(x_before.data(), n, x.data());
  std::copy_n(lambda_before.data(), m, lambda.data());
  measure(facts);
  return false;
}

void SystemImpl::certify(SystemReport& facts) {
  facts.tolerance = 1e4 * k_eps * (n + m);
  facts.status = Status::not_converged;
  for (int step = 0; facts.status == Status::not_converged; ++step) {
    if (holds(facts))
      facts.status = Status::ok;
    else if (motion_residual <= facts.tolerance && !facts.redundant.empty() && is_least_squares(facts))
      facts.status = Status::infeasible;
    else if (step == k_more_refinements || !refine())
      break;
    else
      settle_empty_rows();
  }
  Long objective = 0;
  for (Index i = 0; i < n; ++i) {
    Long Mx = 0;
    for (Index j = 0; j < n; ++j) Mx += static_cast<Long>(M[i * n + j]) * x[j];
    objective += x[i] * (Mx / 2 - f[i]);
  }
  for (Index k = 0; k < m; ++k) objective += static_cast<Long>(R[k]) * lambda[k] * lambda[k] / 2;
  facts.objective = static_cast<double>(objective);
}

}  // namespace zwang
