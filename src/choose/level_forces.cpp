// SPDX-License-Identifier: BSD-3-Clause
#include "choose/level_forces.hpp"

#include <cmath>
#include <limits>

#include "linear/vectors.hpp"

namespace zwang {
namespace {
constexpr double k_no_limit = std::numeric_limits<double>::infinity();
constexpr double k_attained = 1e-11;  ///< of the motion: a level that is missed by less is met
constexpr double k_needed = 1e-10;    ///< a multiplier of a bound that is larger, relative to its terms, keeps it there

double length_of(Index n, const double* x) { return std::sqrt(product(n, x, x)); }
}  // namespace

LevelBasis::LevelBasis(Index coordinates, Index rows)
    : stride_((coordinates + rows + 7) / 8 * 8),
      rows_((rows + 7) / 8 * 8),
      Q_((rows + 1) * stride_),
      T_(rows * rows_),
      free(rows_),
      target(rows_),
      length(rows),
      first(rows + 2),
      pivot(rows),
      level_of(rows) {}

double LevelBasis::of(Index k, const Buffer<double>& x) const {
  const Index until = first[level_of[k] + 1];
  double sum = 0;
  for (Index j = 0; j < until; ++j) sum += row(k)[j] * x[j];
  return sum;
}

LevelForces::LevelForces(Index coordinates, Index rows, Index motors)
    : basis_(coordinates, rows),
      b_(rows),
      lower_(rows),
      upper_(rows),
      found_(basis_.rows_),
      lambda_(rows),
      A_(basis_.rows_ * basis_.rows_),
      R_(basis_.rows_ * basis_.rows_),
      x_(basis_.rows_),
      frozen_(rows),
      motor_frozen_(motors),
      motor_at_(motors),
      motor_bound_(motors),
      motor_growth_(motors),
      place_(rows),
      at_(rows) {}

/// Q level by level, and T = W Q.
void LevelForces::find_basis(const ActiveSet& set, const Input& in) {
  LevelBasis& u = basis_;
  const Problem& whole = in.whole;
  const Index m = whole.rows.m, n = in.coordinates;
  const auto priority = [&](Index k) {
    return whole.rows.compliance[k] > 0 ? -1 : whole.constraint_of(k).priority.value();
  };
  u.rank = u.levels = 0;
  u.first[0] = 0;
  std::fill_n(u.T_.data(), u.T_.size(), 0.0);
  constexpr int k_none = std::numeric_limits<int>::max();
  for (int done = -2, level = -2; level != k_none; done = level) {
    level = k_none;
    for (Index k = 0; k < m; ++k)
      if (priority(k) > done) level = std::min(level, priority(k));
    for (Index k = 0; k < m; ++k) {
      if (priority(k) != level) continue;
      if (is_asked(in.stop)) return;
      double* const rest = u.vector(u.rank);  // there is one more than rows
      std::copy_n(set.row(k), n, rest);
      u.length[k] = length_of(n, rest);
      u.level_of[k] = u.levels;
      for (int again = 0; again < 2; ++again)
        for (Index j = 0; j < u.rank; ++j) {
          const double c = product(n, u.vector(j), rest);
          u.row(k)[j] += c;
          subtract(n, c, u.vector(j), rest);
        }
      const double left = length_of(n, rest);
      if (!(left > std::max(in.tolerance.angle * u.length[k], in.rounding[k])) || u.rank == m) continue;
      for (Index i = 0; i < n; ++i) rest[i] /= left;
      u.row(k)[u.rank] = left;
      u.pivot[u.rank++] = k;
    }
    if (level != k_none) u.first[++u.levels] = u.rank;
  }
  for (Index j = 0; j < u.rank; ++j) u.free[j] = product(n, u.vector(j), set.start());
}

/// The right-hand side of row k in the coordinates of its level.
double LevelForces::right(Index k, Index level) const {
  double sum = b_[k];
  for (Index j = 0; j < basis_.first[level]; ++j) sum -= basis_.row(k)[j] * basis_.target[j];
  return sum;
}

/// y* of the level from its independent rows. False where another row contradicts them.
bool LevelForces::solve_pivots(Index level, const Input& in) {
  LevelBasis& u = basis_;
  for (Index j = u.first[level]; j < u.first[level + 1]; ++j) {
    const Index k = u.pivot[j];
    double sum = right(k, level);
    for (Index i = u.first[level]; i < j; ++i) sum -= u.row(k)[i] * u.target[i];
    u.target[j] = sum / u.row(k)[j];
  }
  for (Index k = 0; k < in.whole.rows.m; ++k) {
    if (u.level_of[k] != level) continue;
    const double off = u.of(k, u.target) - b_[k];
    if (std::fabs(off) > in.tolerance.feasible * (u.length[k] * strength() + std::fabs(b_[k]))) return false;
  }
  return true;
}

/// y* = argmin sum of weight_k (T_k y - right_k)^2 over the rows of the level, by Gram and Schmidt.
void LevelForces::solve_squares(Index level, const Input& in) {
  LevelBasis& u = basis_;
  const Index m = in.whole.rows.m, first = u.first[level], n = u.first[level + 1] - first, stride = u.rows_;
  std::fill_n(A_.data(), A_.size(), 0.0);
  std::fill_n(x_.data(), stride, 0.0);
  for (Index k = 0; k < m; ++k) {
    if (u.level_of[k] != level) continue;
    const auto& weights = in.whole.constraint_of(k).weight;
    const double root = in.weighted && !weights.empty() ? std::sqrt(weights[in.whole.row_in_constraint(k)]) : 1.0;
    for (Index j = 0; j < n; ++j) A_[j * stride + k] = root * u.row(k)[first + j];
    x_[k] = root * right(k, level);
  }
  for (Index j = 0; j < n && !is_asked(in.stop); ++j) {
    double* const column = &A_[j * stride];
    for (Index i = 0; i < j; ++i) R_[i * stride + j] = 0;
    for (int again = 0; again < 2; ++again)
      for (Index i = 0; i < j; ++i) {
        const double c = product(m, &A_[i * stride], column);
        R_[i * stride + j] += c;
        subtract(m, c, &A_[i * stride], column);
      }
    const double size = R_[j * stride + j] = length_of(m, column);
    for (Index k = 0; k < m; ++k) column[k] /= size;
  }
  for (Index j = n; j-- > 0;) {
    double sum = product(m, &A_[j * stride], x_.data());
    for (Index i = j + 1; i < n; ++i) sum -= R_[j * stride + i] * u.target[first + i];
    u.target[first + j] = sum / R_[j * stride + j];
  }
}

void LevelForces::find_target(const Input& in) {
  std::fill_n(basis_.target.data(), basis_.target.size(), 0.0);
  for (Index level = 0; level < basis_.levels; ++level)
    if (!solve_pivots(level, in)) solve_squares(level, in);
}

double LevelForces::strength() const {
  return length_of(basis_.rank, basis_.free.data()) + length_of(basis_.rank, basis_.target.data());
}

/// Coordinates: those of the level, less y*; stiff ones of the levels above, less what has been found; clutches.
void LevelForces::write_stage(ActiveSet& set, const Input& in, Index level) {
  const LevelBasis& u = basis_;
  const Index m = in.whole.rows.m, above = u.first[level], n = u.first[level + 1] - above;
  constexpr double stiff = Clutch::k_stiffness;
  set.begin(n + above + in.clutch.count, m + in.clutch.count);
  double* const start = set.start();
  for (Index j = 0; j < n; ++j) start[j] = u.free[above + j] - u.target[above + j];
  for (Index j = 0; j < above; ++j) start[n + j] = stiff * (u.free[j] - found_[j]);
  for (Index k = 0; k < m; ++k) {
    for (Index j = 0; j < n; ++j) set.row(k)[j] = u.row(k)[above + j];
    for (Index j = 0; j < above; ++j) set.row(k)[n + j] = stiff * u.row(k)[j];
    set.b[k] = 0;
    set.lower[k] = frozen_[k] ? -k_no_limit : lower_[k];
    set.upper[k] = frozen_[k] ? k_no_limit : upper_[k];
  }
  in.clutch.write(in.whole, in.J, n + above, set);
  const Index all = n + above + in.clutch.count;
  for (Index k = 0; k < m + in.clutch.count; ++k) {
    const bool is_motor = k >= m;
    if (!(is_motor ? motor_frozen_[k - m] : frozen_[k])) continue;
    subtract(all, is_motor ? -motor_bound_[k - m] : -lambda_[k], set.row(k), start);
    std::fill_n(set.row(k), all, 0.0);
    set.lower[k] = -k_no_limit;
    set.upper[k] = k_no_limit;
  }
}

void LevelForces::take_stage(const ActiveSet& set, const Input& in, Index level) {
  const LevelBasis& u = basis_;
  const Index m = in.whole.rows.m, above = u.first[level], n = u.first[level + 1] - above;
  double off = 0;
  for (Index j = 0; j < n; ++j) off = std::max(off, std::fabs(set.motion(j)));
  const bool attained = off <= k_attained * strength();
  for (Index j = 0; j < n; ++j) found_[above + j] = u.target[above + j] + (attained ? 0.0 : set.motion(j));
  for (Index k = 0; k < m + in.clutch.count; ++k) {
    const bool is_motor = k >= m;
    const Index i = k - m;
    const ActiveSet::At at = set.at(k);
    if (is_motor ? motor_frozen_[i] : frozen_[k]) continue;
    if (is_motor)
      motor_at_[i] = at != ActiveSet::At::inside;
    else
      at_[k] = at, lambda_[k] = set.lambda(k);
    const double scale = (is_motor ? in.clutch.unit[i] / Clutch::k_stiffness : u.length[k]) * strength();
    const double w = scale > 0 ? set.violation(k) / scale : 0.0;
    if (at == ActiveSet::At::inside)
      violation_ = std::max(violation_, std::fabs(w));
    else if (set.lower[k] < set.upper[k])  // else both bounds hold it
      violation_ = std::max(violation_, at == ActiveSet::At::lower ? -w : w);
    if (attained || at == ActiveSet::At::inside || !(std::fabs(w) > k_needed)) continue;
    if (!is_motor) {
      frozen_[k] = 1;
      continue;
    }
    motor_frozen_[i] = 1;
    motor_bound_[i] = at == ActiveSet::At::lower ? set.lower[k] : set.upper[k];
  }
}

void LevelForces::place_rows(const Input& in) {
  const LevelBasis& u = basis_;
  const Index m = in.whole.rows.m;
  for (Index k = 0; k < m; ++k) {
    const double scale = u.length[k] * strength() + std::fabs(b_[k]);
    const double unmet = u.of(k, u.target) - b_[k], moved = u.of(k, found_) - u.of(k, u.target);
    bool own = false;  // a part in coordinates of its level
    for (Index j = u.first[u.level_of[k]]; j < u.first[u.level_of[k] + 1]; ++j)
      own = own || std::fabs(u.row(k)[j]) > in.tolerance.angle * u.length[k];
    place_[k] = at_[k] != ActiveSet::At::inside                     ? Place::at_limit
                : std::fabs(moved) > k_attained * scale             ? Place::gives_way
                : std::fabs(unmet) <= in.tolerance.feasible * scale ? Place::held
                : own                                               ? Place::conflict
                                                                    : Place::priority;
  }
}

Index LevelForces::rank_held() const {
  Index rank = 0;
  for (Index j = 0; j < basis_.rank; ++j) {
    const Place place = place_[basis_.pivot[j]];
    rank += place != Place::at_limit && place != Place::gives_way;
  }
  return rank;
}

double LevelForces::miss(const double* y, bool without_limits) const {
  double largest = 0;
  for (Index j = 0; j < basis_.rank; ++j) {
    const double found = without_limits ? basis_.target[j] : found_[j];
    largest = std::max(largest, std::fabs(product(basis_.stride_, basis_.vector(j), y) - found));
  }
  return strength() > 0 ? largest / strength() : largest;
}

ActiveSet::End LevelForces::find(ActiveSet& set, const Input& in) {
  const Index m = in.whole.rows.m;
  for (Index k = 0; k < m; ++k) {
    b_[k] = set.b[k];
    lower_[k] = set.lower[k];
    upper_[k] = set.upper[k];
  }
  for (Buffer<unsigned char>* x : {&frozen_, &motor_frozen_, &motor_at_})
    std::fill_n(x->data(), x->size(), static_cast<unsigned char>(0));
  violation_ = 0;
  find_basis(set, in);
  if (is_asked(in.stop)) return ActiveSet::End::unsettled;
  find_target(in);
  ActiveSet::End end = ActiveSet::End::found;
  for (Index level = 0; level < basis_.levels && end != ActiveSet::End::unsettled;
       ++level) {  // y = 0 meets all rows of a level
    write_stage(set, in, level);
    const Index stiff = basis_.first[level] + in.clutch.count;
    end = set.find_stiff(in.tolerance, stiff);
    if (stiff == 0) set.settle(0);
    for (Index i = 0; level == 0 && i < in.clutch.count; ++i)
      motor_growth_[i] = -in.clutch.unit[i] * set.growth(basis_.first[1] + i);
    take_stage(set, in, level);
  }
  place_rows(in);
  return end;
}

}  // namespace zwang
