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
      root_R_(rows),
      spring_(rows),
      soft_bound_(rows),
      soft_x_(2 * rows),
      soft_place_(2 * rows),
      place_(rows),
      taken_(rows),
      member_(rows),
      zero_(rows) {}

MassWeightedRows::MassWeightedRows(Index coordinates, Index rows)
    : MassWeightedNumbers(rows),
      stride_(coordinates),
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
      least_norm_(rows, rows),
      soft_system_(2 * rows, rows) {}

void MassWeightedRows::begin(Index coordinates, Index soft, Index hard) {
  n_ = coordinates;
  soft_ = soft;
  hard_ = hard;
  for (Index i = 0; i < total(); ++i) std::fill_n(row(i), n_, 0.0);
}

void MassWeightedRows::set_compliance(Index i, double R, double bound) {
  root_R_[i] = std::sqrt(R);
  soft_bound_[i] = bound;
}

/// Divides each row by its size, and finds the rows that are zero.
void MassWeightedRows::find_sizes(const Terms& terms) {
  const double common = 4 * k_eps * std::sqrt(static_cast<double>(n_ + total()));
  for (Index i = 0; i < total(); ++i) {
    double* const w = row(i);
    const bool hard = i < hard_;
    const double size2 = dot(n_, w, w), bound = std::max(hard ? terms.bound[i] : soft_bound_[i - hard_], size2);
    const double open = hard && terms.open != nullptr ? terms.open[i] : 0.0;
    root_weight_[i] = hard && terms.weight != nullptr ? std::sqrt(terms.weight[i]) : 1.0;
    place_[i] = -1;
    zero_[i] = !(size2 > k_zero * k_zero * bound);
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
  std::iota(member_.data(), member_.data() + total(), 0);
  levels_ = hard_ > 0 ? 1 : 0;
  if (hard_ > 0) level_[0] = {0, hard_, 0, 0};
  if (level == nullptr) return;
  const auto level_of = [&](Index i) { return level[i]; };
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
  if (best >= 0 && best < hard_) smallest_counted_ = std::min(smallest_counted_, shortest);
  return best;
}

/// Row i becomes the next coordinate: the rest of every other row is reflected,
/// and its coefficients change as in a Gauss-Jordan step.
void MassWeightedRows::take(Index i) {
  const Index r = found(), tail = n_ - r;
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
  for (Index j = 0; j < total(); ++j) {
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
  rank_ = soft_rank_ = 0;
  factored_level_ = -1;
  smallest_counted_ = 1;
  stop_ = terms.stop;
  find_sizes(terms);
  list_levels(terms.level);
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
  if (soft_ > 0) factor_soft();
  if (rank_ < hard_) factor_least_norm();
}

/// Rank of the soft rows, the stiffest first, and [T_ss; sqrt(R)] with a column for each, divided by |W_i|. What a row
/// has beyond those that count is cleared exactly: forces of stiff rows that cancel then leave alone what they do not
/// move.
void MassWeightedRows::factor_soft() {
  const auto softness = [&](Index i) { return root_R_[i - hard_] / e_[i]; };
  sort(hard_, total(), [&](Index a, Index b) { return softness(a) < softness(b); });
  const Index* const order = &member_[hard_];
  for (Index k = 0; k < soft_; ++k) {
    if (is_asked(stop_)) return;
    const Index i = order[k];
    if (found() < n_ && !zero_[i] && share_of(i, 0) > 0) {
      take(i);
      ++soft_rank_;
    } else {
      std::fill_n(row(i) + found(), n_ - found(), 0.0);
    }
  }
  for (Index k = 0; k < soft_; ++k) {
    double* const x = soft_system_.column(k);
    std::copy_n(row(order[k]) + rank_, soft_rank_, x);
    std::fill_n(x + soft_rank_, soft_, 0.0);
    x[soft_rank_ + k] = softness(order[k]);
  }
  std::iota(soft_place_.data(), soft_place_.data() + soft_rank_ + soft_, 0);
  soft_system_.factor_by_rows(soft_rank_ + soft_, soft_, soft_place_.data(), stop_);
}

/// y_s, and what `right` lacks of springs and multipliers.
void MassWeightedRows::solve_soft(const double* right, double* y) {
  double *const x = soft_x_.data(), *const t = right_.data();
  const Index* const order = &member_[hard_];
  for (Index k = 0; k < soft_; ++k) x[k] = right[order[k]] / e_[order[k]] - dot(rank_, row(order[k]), y);
  soft_system_.solve_lower(x);
  std::copy_n(x, soft_, t);
  soft_system_.solve_upper(t);
  for (Index k = 0; k < soft_; ++k) lambda_[order[k]] += t[k] / e_[order[k]];
  std::fill_n(x + soft_, soft_rank_, 0.0);
  soft_system_.apply(x);
  for (Index k = 0; k < soft_rank_ + soft_; ++k) {
    const Index at = soft_place_[k];
    if (at < soft_rank_)
      y[rank_ + at] = x[k];
    else
      spring_[order[at - soft_rank_] - hard_] += x[k];
  }
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
      y[r] = (right[i] / e_[i] - dot(r, row(i), y)) / row(i)[r];
    }
    return;
  }
  const Index p = static_cast<Index>(&level - level_.data());
  if (factored_level_ != p) factor_level(level);
  factored_level_ = p;
  double* const b = right_.data();
  for (Index j = 0; j < number; ++j) {
    const Index i = member_[level.begin + j];
    b[j] = root_weight_[i] * (right[i] - e_[i] * dot(level.first, row(i), y));
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

/// y for a right-hand side of all rows, hard and soft.
void MassWeightedRows::solve_rows(const double* right, double* y) {
  for (Index p = 0; p < levels_; ++p) solve_level(level_[static_cast<std::size_t>(p)], right, y);
  if (soft_ > 0) solve_soft(right, y);
}

/// What z, and the springs of soft rows, leave of the right-hand side.
void MassWeightedRows::find_unmet(const double* soft_right, const double* right) {
  for (Index i = 0; i < total(); ++i) {
    unmet_[i] = (i < hard_ ? right[i] : soft_right[i - hard_]) - e_[i] * dot(n_, &given_[i * stride_], z_.data());
    if (i >= hard_) unmet_[i] -= root_R_[i - hard_] * spring_[i - hard_];
  }
}

void MassWeightedRows::solve(const double* soft_right, const double* right) {
  double *const y = y_.data(), *const z = z_.data(), *const step = step_.data();
  std::fill_n(z, n_, 0.0);
  std::fill_n(y, found(), 0.0);
  std::fill_n(spring_.data(), soft_, 0.0);
  std::fill_n(&lambda_[hard_], soft_, 0.0);
  for (int refined = 0; refined < 2; ++refined) {  // one step of iterative refinement, with the rows as given
    find_unmet(soft_right, right);
    solve_rows(unmet_.data(), step);
    for (Index k = 0; k < found(); ++k) y[k] += step[k];
    turn_back(y, z);
  }
  find_unmet(soft_right, right);
  energy_ = 0.5 * dot(found(), y, y);
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
      const double x = root_weight_[i] * (std::sqrt(gross_ratio) * root_bound_[i] * motion + size[i]);
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
  for (Index i = 0; i < hard_; ++i) {
    const bool bears = place_[i] >= 0 || rest_[i] <= k_bears;
    for (Index k = 0; k < rank_; ++k) least_norm_.column(k)[i] = bears ? row(i)[k] * unit(i) : 0.0;
  }
  least_norm_.factor(hard_, rank_, 0, stop_);
}

/// Of the hard rows: T_hh lambda_h = y_h - T_sh lambda_s, back from the row taken last, or of least norm.
void MassWeightedRows::find_multipliers() {
  double *const x = lambda_.data(), *const t = right_.data();
  for (Index r = 0; r < rank_; ++r) {
    t[r] = y_[r];
    for (Index j = hard_; j < total(); ++j) t[r] -= row(j)[r] * e_[j] * x[j];
  }
  if (rank_ == hard_) {
    for (Index r = rank_; r-- > 0;) {
      const Index i = taken_[r];
      x[i] = t[r] / (row(i)[r] * e_[i]);
      subtract_multiple(r, e_[i] * x[i], row(i), t);
    }
    return;
  }
  std::copy_n(t, rank_, step_.data());
  std::fill_n(t, hard_, 0.0);
  for (Index k = 0; k < least_norm_.rank(); ++k) t[k] = step_[least_norm_.pivot(k)];
  least_norm_.solve_lower(t);
  least_norm_.apply(t);
  for (Index i = 0; i < hard_; ++i) x[i] = t[i] * root_weight_[i];
}

}  // namespace zwang
