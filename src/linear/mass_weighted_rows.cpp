// SPDX-License-Identifier: BSD-3-Clause
#include "linear/mass_weighted_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

constexpr double k_eps = epsilon_of<double>;
constexpr double k_bears = 1e-8;        // largest rest of a row that bears force without counting
constexpr double k_zero = 256 * k_eps;  // |W_i| of a row that is zero, relative to the terms that it is a sum of

}  // namespace

MassWeightedNumbers::MassWeightedNumbers(Index rows)
    : e_(rows),
      tau_(rows),
      rest_(rows),
      root_weight_(rows),
      root_bound_(rows),
      right_(rows),
      unmet_(rows),
      lambda_(rows),
      place_(rows),
      taken_(rows),
      member_(rows),
      zero_(rows) {}

MassWeightedRows::MassWeightedRows(Index coordinates, Index rows)
    : MassWeightedNumbers(rows),
      stride_(coordinates + rows),
      capacity_(rows),
      given_(rows * stride_),
      w_(rows * stride_),
      reflection_(rows * stride_),
      strength_(rows),
      c_(rows * rows),
      y_(stride_),
      step_(stride_),
      z_(stride_),
      level_(static_cast<std::size_t>(rows)),
      level_system_(rows, rows),
      least_norm_(rows, rows) {}

void MassWeightedRows::begin(Index coordinates, Index soft, Index hard) {
  n_ = coordinates + soft;
  soft_ = soft;
  hard_ = hard;
  for (Index i = 0; i < total(); ++i) std::fill_n(row(i), n_, 0.0);
}

void MassWeightedRows::set_compliance(Index i, double R) { row(i)[n_ - soft_ + i] = std::sqrt(R); }

/// Divides each row by its size, and finds the rows that are zero.
void MassWeightedRows::find_sizes(const Terms& terms) {
  const double common = 4 * k_eps * std::sqrt(static_cast<double>(n_ + total()));
  for (Index i = 0; i < total(); ++i) {
    double* const w = row(i);
    const bool hard = i >= soft_;
    const double size2 = dot(n_, w, w), bound = hard ? std::max(terms.bound[i - soft_], size2) : size2;
    const double open = hard && terms.open != nullptr ? terms.open[i - soft_] : 0.0;
    root_weight_[i] = hard && terms.weight != nullptr ? std::sqrt(terms.weight[i - soft_]) : 1.0;
    place_[i] = -1;
    zero_[i] = hard && !(size2 > k_zero * k_zero * bound);
    e_[i] = zero_[i] ? 1.0 : std::sqrt(size2);
    root_bound_[i] = std::sqrt(bound);
    tau_[i] = common + (8 * k_eps * root_bound_[i] + open) / e_[i];
    const double inverse = 1 / e_[i];
    for (Index k = 0; k < n_; ++k) w[k] = zero_[i] ? 0.0 : w[k] * inverse;
    std::copy_n(w, n_, &given_[i * stride_]);
    rest_[i] = zero_[i] ? 0.0 : 1.0;
  }
}

/// Sorts some of the rows by insertion: stable, and sets are nearly in order.
template <class Before> void MassWeightedRows::sort(Index begin, Index end, Before before) {
  for (Index k = begin + 1; k < end; ++k)
    for (Index j = k; j > begin && before(member_[j], member_[j - 1]); --j) std::swap(member_[j], member_[j - 1]);
}

/// The hard rows by level, in the order of priority.
void MassWeightedRows::list_levels(const int* level) {
  std::iota(member_.data(), member_.data() + hard_, soft_);
  levels_ = hard_ > 0 ? 1 : 0;
  if (hard_ > 0) level_[0] = {0, hard_, 0, 0};
  if (level == nullptr) return;
  const auto level_of = [&](Index i) { return level[i - soft_]; };
  sort(0, hard_, [&](Index a, Index b) { return level_of(a) < level_of(b); });
  levels_ = 0;
  for (Index k = 0; k < hard_; ++k) {
    if (k == 0 || level_of(member_[k]) != level_of(member_[k - 1]))
      level_[static_cast<std::size_t>(levels_++)] = {k, k, 0, 0};
    level_[static_cast<std::size_t>(levels_ - 1)].end = k + 1;
  }
}

/// The rank rule: rest_i / (1 + sum |c_ij|) if row i counts beside the rows taken so far, else 0.
double MassWeightedRows::share_of(Index i, double tolerance) const {
  const double* const c = &c_[i * capacity_];
  double allowance = tau_[i], coefficients = 1;
  for (Index j = 0; j < found(); ++j) {
    const double x = std::fabs(c[j]);
    allowance += x * tau_[taken_[j]];
    coefficients += x;
  }
  const double share = rest_[i] / coefficients;
  return rest_[i] > allowance && share > tolerance ? share : 0.0;
}

/// What rounding has left of rows that depend on higher levels is nothing: in the least-squares problem of the level it
/// would count with the size of the row.
void MassWeightedRows::clear_rests(const Level& level) {
  for (Index k = level.begin; k < level.end; ++k) {
    const Index i = member_[k];
    if (zero_[i] || share_of(i, 0) > 0) continue;
    std::fill_n(row(i) + found(), n_ - found(), 0.0);
    rest_[i] = 0;
  }
}

/// The row of a level with the longest rest among those that count; -1: none does.
Index MassWeightedRows::choose(const Level& level, double tolerance) {
  if (found() >= n_) return -1;
  Index best = -1;
  double shortest = 0;
  for (Index k = level.begin; k < level.end; ++k) {
    const Index i = member_[k];
    if (place_[i] >= 0 || zero_[i] || (best >= 0 && !(rest_[i] > rest_[best]))) continue;
    const double share = share_of(i, tolerance);
    if (!(share > 0)) continue;
    best = i;
    shortest = share;
  }
  if (best >= 0) smallest_counted_ = std::min(smallest_counted_, shortest);
  return best;
}

/// Row i becomes the next coordinate: the rest of every other row is reflected,
/// and its coefficients change as in a Gauss-Jordan step.
void MassWeightedRows::take(Index i) {
  const Index r = i < soft_ ? i : found(), tail = n_ - r;
  double *const x = row(i) + r, *const v = &reflection_[r * stride_];
  const double* const c = &c_[i * capacity_];
  std::copy_n(x, tail, v);
  const double rest2 = dot(tail - 1, x + 1, x + 1), norm = std::sqrt(x[0] * x[0] + rest2);
  double d = x[0];
  strength_[r] = 0;
  if (rest2 > 0) {
    d = x[0] > 0 ? -norm : norm;
    v[0] = x[0] - d;
    strength_[r] = 2 / (v[0] * v[0] + rest2);
  }
  x[0] = d;
  std::fill_n(x + 1, tail - 1, 0.0);
  place_[i] = r;
  taken_[r] = i;
  for (Index j = i < soft_ ? i + 1 : soft_; j < total(); ++j) {
    if (place_[j] >= 0) continue;
    double *const y = row(j) + r, *const a = &c_[j * capacity_];
    if (zero_[j]) {
      a[r] = 0;
      continue;
    }
    subtract_multiple(tail, strength_[r] * dot(tail, v, y), v, y);
    rest_[j] = std::sqrt(dot(tail - 1, y + 1, y + 1));
    const double g = y[0] / d;
    subtract_multiple(r, g, c, a);
    a[r] = g;
  }
}

void MassWeightedRows::factor(const Terms& terms) {
  rank_ = 0;
  factored_level_ = -1;
  smallest_counted_ = 1;
  stop_ = terms.stop;
  find_sizes(terms);
  list_levels(terms.level);
  for (Index i = 0; i < soft_; ++i) {
    if (is_asked(stop_)) return;
    take(i);
  }
  for (Index p = 0; p < levels_; ++p) {
    Level& level = level_[static_cast<std::size_t>(p)];
    level.first = found();
    if (p > 0) clear_rests(level);
    for (Index i = choose(level, terms.tolerance); i >= 0; i = choose(level, terms.tolerance)) {
      if (is_asked(stop_)) return;
      take(i);
      ++rank_;
    }
    level.last = found();
    if (level.last - level.first < level.end - level.begin)
      sort(level.begin, level.end, [&](Index a, Index b) { return unit(a) > unit(b); });
  }
  if (rank_ < hard_) factor_least_norm();
}

/// G of a level: its rows in the user's units, on the coordinates found for them. Rows sorted by size make the
/// factorisation stable by rows (Cox & Higham 1998).
void MassWeightedRows::factor_level(const Level& level) {
  const Index columns = level.last - level.first;
  for (Index k = 0; k < columns; ++k)
    for (Index j = level.begin; j < level.end; ++j)
      level_system_.column(k)[j - level.begin] = row(member_[j])[level.first + k] * unit(member_[j]);
  level_system_.factor(level.end - level.begin, columns, 0, stop_);
}

void MassWeightedRows::solve_level(const Level& level, const double* right, double* y) {
  const Index number = level.end - level.begin, columns = level.last - level.first;
  if (columns == 0) return;
  if (columns == number) {  // triangular in the order in which they were taken
    for (Index r = level.first; r < level.last; ++r) {
      const Index i = taken_[r];
      y[r] = (right[i - soft_] / e_[i] - dot(r, row(i), y)) / row(i)[r];
    }
    return;
  }
  const Index p = static_cast<Index>(&level - level_.data());
  if (factored_level_ != p) factor_level(level);
  factored_level_ = p;
  double* const b = right_.data();
  for (Index j = 0; j < number; ++j) {
    const Index i = member_[level.begin + j];
    b[j] = root_weight_[i] * (right[i - soft_] - e_[i] * dot(level.first, row(i), y));
  }
  level_system_.apply_transposed(b);
  level_system_.solve_upper(b);
  for (Index k = 0; k < columns; ++k) y[level.first + level_system_.pivot(k)] = b[k];
}

/// x = Q [y; 0]
void MassWeightedRows::turn_back(const double* y, double* x) const {
  std::copy_n(y, found(), x);
  std::fill_n(x + found(), n_ - found(), 0.0);
  for (Index r = found(); r-- > 0;) {
    const double* const v = &reflection_[r * stride_];
    subtract_multiple(n_ - r, strength_[r] * dot(n_ - r, v, x + r), v, x + r);
  }
}

/// y for a right-hand side of all rows, soft and hard.
void MassWeightedRows::solve_rows(const double* right, double* y) {
  for (Index i = 0; i < soft_; ++i) y[i] = (right[i] / e_[i] - dot(i, row(i), y)) / row(i)[i];
  for (Index p = 0; p < levels_; ++p) solve_level(level_[static_cast<std::size_t>(p)], right + soft_, y);
}

/// What z leaves of the right-hand side.
void MassWeightedRows::find_unmet(const double* soft_right, const double* right) {
  for (Index i = 0; i < total(); ++i)
    unmet_[i] = (i < soft_ ? soft_right[i] : right[i - soft_]) - e_[i] * dot(n_, &given_[i * stride_], z_.data());
}

void MassWeightedRows::solve(const double* soft_right, const double* right) {
  double *const y = y_.data(), *const z = z_.data(), *const step = step_.data();
  std::fill_n(z, n_, 0.0);
  std::fill_n(y, found(), 0.0);
  for (int refined = 0; refined < 2; ++refined) {  // one step of iterative refinement, with the rows as given
    find_unmet(soft_right, right);
    solve_rows(unmet_.data(), step);
    for (Index k = 0; k < found(); ++k) y[k] += step[k];
    turn_back(y, z);
  }
  find_unmet(soft_right, right);
  energy_ = 0.5 * dot(rank_, y + soft_, y + soft_);
  find_multipliers();
}

double MassWeightedRows::optimality(double gross_ratio, double free_motion, const double* size) {
  const double motion = std::sqrt(dot(n_, z_.data(), z_.data())) + free_motion, c = 8 * k_eps;
  double worst = 0;
  for (Index p = 0; p < levels_; ++p) {
    const Level& level = level_[static_cast<std::size_t>(p)];
    const Index number = level.end - level.begin, columns = level.last - level.first;
    double terms2 = 0, rest2 = 0;
    for (Index j = 0; j < number; ++j) {
      const Index i = member_[level.begin + j];
      const double x = root_weight_[i] * (std::sqrt(gross_ratio) * root_bound_[i] * motion + size[i - soft_]);
      terms2 += x * x;
      right_[j] = root_weight_[i] * unmet_[i];
    }
    if (columns == number) {
      rest2 = dot(number, right_.data(), right_.data());
    } else if (columns > 0) {  // Y^T of what is unmet, Y an orthonormal basis of what the level can reach
      if (factored_level_ != p) factor_level(level);
      factored_level_ = p;
      level_system_.apply_transposed(right_.data());
      rest2 = dot(columns, right_.data(), right_.data());
    }
    if (rest2 > 0) worst = std::max(worst, std::sqrt(rest2 / terms2) / (c * static_cast<double>(n_ + number)));
  }
  return worst;
}

/// T_1^T = Y R of the dependent hard rows in the user's units. Rows that were left out although a
/// part of them is beyond the others, since a relation has drifted or the tolerance is large,
/// bear no force: W lambda = z would not hold.
void MassWeightedRows::factor_least_norm() {
  for (Index i = soft_; i < total(); ++i) {
    const bool bears = place_[i] >= 0 || rest_[i] <= k_bears;
    for (Index k = 0; k < rank_; ++k) least_norm_.column(k)[i - soft_] = bears ? row(i)[soft_ + k] * unit(i) : 0.0;
  }
  least_norm_.factor(hard_, rank_, 0, stop_);
}

void MassWeightedRows::find_multipliers() {
  const double* const y = y_.data();
  double* const x = lambda_.data();
  Index r = found();
  if (rank_ < hard_) {
    double* const t = right_.data();
    std::fill_n(t, hard_, 0.0);
    for (Index k = 0; k < least_norm_.rank(); ++k) t[k] = y[soft_ + least_norm_.pivot(k)];
    least_norm_.solve_lower(t);
    least_norm_.apply(t);
    for (Index i = 0; i < hard_; ++i) x[soft_ + i] = t[i] * root_weight_[soft_ + i];
    r = soft_;
  }
  while (r-- > 0) {
    double rest = y[r];
    for (Index j = 0; j < total(); ++j)  // rows taken later, and all hard rows where they depend
      if (place_[j] > r || (place_[j] < 0 && !zero_[j])) rest -= row(j)[r] * e_[j] * x[j];
    const Index i = taken_[r];
    x[i] = rest / (row(i)[r] * e_[i]);
  }
}

}  // namespace zwang
