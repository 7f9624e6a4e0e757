// SPDX-License-Identifier: BSD-3-Clause
#include "linear/cone_program.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang::dense {
namespace {

constexpr int k_most = 80;
constexpr double k_nothing = 1e-14;                ///< of slopes: rounding
constexpr double k_done = 1e-10, k_enough = 1e-9;  ///< residuals: wished for, and sufficient
constexpr double k_of_terms = 64 * epsilon_of<double>;

}  // namespace

ConeProgram::ConeProgram(Index variables, Index rows)
    : blocks_(rows),
      P_(variables * variables),
      c_(variables),
      S_(rows * variables),
      s_0_(rows),
      z_(variables),
      T_(variables * variables),
      x_(variables),
      u_(rows),
      work_(variables),
      matrix_(variables * variables),
      fast_(variables, rows),
      exact_(variables, rows) {}

void ConeProgram::begin(Index variables) {
  n_ = variables;
  blocks_.count = 0;
  blocks_.first[0] = 0;
}
void ConeProgram::add_block(Index size) {
  const Index end = rows() + size;
  blocks_.first[++blocks_.count] = end;
}
void ConeProgram::drop_block() { --blocks_.count; }

/// z = T x with x that are rows of S z, the row with the largest slope first. These are rows of flat cones, whose
/// numbers are small: they are single variables then, and not differences of the large numbers of steep cones. Gauss
/// and Jordan with complete pivoting, of the first `count` variables; the others stay.
void ConeProgram::choose_variables(Index count) {
  const Index m = rows();
  std::fill_n(T_.data(), n_ * n_, 0.0);
  for (Index i = 0; i < n_; ++i) T_[i * n_ + i] = 1;
  const auto each_row = [&](auto&& f) {
    for (Index r = 0; r < m; ++r) f(S(r));
    for (Index i = 0; i < n_; ++i) f(T_.data() + i * n_);
  };
  for (Index k = 0; k < count; ++k) {
    double most = 0;
    for (Index r = 0; r < m; ++r) most = std::max(most, std::fabs(S(r)[k]));
    if (most > 0) each_row([&](double* row) { row[k] /= most; });
  }
  for (Index j = 0; j < count; ++j) {
    Index row = 0, column = j;
    double most = 0;
    for (Index r = 0; r < m; ++r)
      for (Index k = j; k < count; ++k)
        if (std::fabs(S(r)[k]) > most) most = std::fabs(S(r)[k]), row = r, column = k;
    if (!(most > k_nothing)) break;  // the others move no row
    each_row([&](double* x) { std::swap(x[j], x[column]); });
    std::copy_n(S(row), n_, work_.data());
    each_row([&](double* x) {
      x[j] /= work_[j];
      for (Index k = 0; k < count; ++k)
        if (k != j) x[k] -= work_[k] * x[j];
    });
    std::fill_n(S(row), count, 0.0);
    S(row)[j] = 1;
  }
  std::fill_n(matrix_.data(), n_ * n_, 0.0);  // P T, then T^T P T and T^T c
  for (Index i = 0; i < n_; ++i)
    for (Index l = 0; l < n_; ++l) subtract_multiple(n_, -P(i, l), T_.data() + l * n_, matrix_.data() + i * n_);
  std::fill_n(P_.data(), n_ * n_, 0.0);
  std::fill_n(work_.data(), n_, 0.0);
  for (Index l = 0; l < n_; ++l) {
    const double* const t = T_.data() + l * n_;
    for (Index i = 0; i < n_; ++i) subtract_multiple(n_, -t[i], matrix_.data() + l * n_, P_.data() + i * n_);
    subtract_multiple(n_, -c_[l], t, work_.data());
  }
  std::copy_n(work_.data(), n_, c_.data());
}

/// That no x of the first `count` variables alone has the first `blocks` of s in their cones, by u, moved into the
/// cones where rounding has left it outside.
bool ConeProgram::proves_infeasible(Index count, Index blocks) {
  double below = 0, allowed = 0;
  const Index m = blocks_.first[blocks];
  blocks_.each([&](Index at, Index n, Index k) {
    if (k >= blocks) return;
    const double across = std::sqrt(dot(n - 1, &u_[at] + 1, &u_[at] + 1));
    u_[at] = std::max(u_[at], across * (1 + 4 * epsilon_of<double>));
    for (Index r = at; r < at + n; ++r) {
      const double x = s_0_[r] * u_[r];
      below -= x;
      allowed += k_enough * std::fabs(x) + k_of_terms * (1 + std::fabs(s_0_[r])) * std::fabs(u_[r]);
    }
  });
  if (!(below > allowed)) return false;
  for (Index i = 0; i < count; ++i) {
    double sum = 0, terms = 0;
    for (Index r = 0; r < m; ++r) {
      const double x = S(r)[i] * u_[r];
      sum += x;
      terms += std::fabs(x);
    }
    allowed += cone::k_far * (std::fabs(sum) + k_of_terms * terms);
  }
  return below > allowed;
}

/// The best x is kept: at the end rounding may make them worse again. u is the last.
template <class Real> ConeOutcome ConeProgram::iterate(ConeIteration<Real>& by) {
  by.start(blocks_, n_, P_.data(), c_.data(), S_.data(), s_0_.data());
  residual_ = 1e300;
  for (int k = 0; k < k_most; ++k, ++iterations_) {
    const double now = by.residual();
    if (!(now < 1e300)) break;
    if (now < residual_) {
      residual_ = now;
      by.read(x_.data(), nullptr);
    }
    if (residual_ <= k_done || (residual_ < k_enough && now > 10 * residual_)) break;
    by.read(nullptr, u_.data());
    if (proves_infeasible(n_, blocks_.count)) return ConeOutcome::infeasible;
    if (!by.advance()) break;
  }
  return residual_ <= k_enough ? ConeOutcome::optimal : ConeOutcome::not_converged;
}

/// Goes on until u is a proof, or t <= 0 is found.
template <class Real> bool ConeProgram::iterate_margin(ConeIteration<Real>& by) {
  by.start(blocks_, n_, P_.data(), c_.data(), S_.data(), s_0_.data());
  for (int k = 0; k < k_most; ++k, ++iterations_) {
    residual_ = by.residual();
    if (!(residual_ < 1e300)) break;
    by.read(x_.data(), u_.data());
    const bool proved = proves_infeasible(n_ - 1, blocks_.count - 1);
    if (residual_ <= k_done && (proved || !(x_[n_ - 1] > 0))) return proved;
    if (!by.advance()) break;
  }
  return proves_infeasible(n_ - 1, blocks_.count - 1);
}

void ConeProgram::find_z() {
  for (Index i = 0; i < n_; ++i) z_[i] = dot(n_, T_.data() + i * n_, x_.data());
}

ConeOutcome ConeProgram::solve() {
  choose_variables(n_);
  iterations_ = 0;
  ConeOutcome outcome = iterate(fast_);
  if (outcome == ConeOutcome::not_converged) outcome = iterate(exact_);
  find_z();
  return outcome;
}

double ConeProgram::margin() {
  choose_variables(n_ - 1);
  iterations_ = 0;
  bool proved = iterate_margin(fast_);
  if (!proved && !(residual_ <= k_done && x_[n_ - 1] <= 0)) proved = iterate_margin(exact_);
  find_z();
  return proved ? std::max(0.0, x_[n_ - 1]) : 0.0;
}

}  // namespace zwang::dense
