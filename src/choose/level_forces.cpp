// SPDX-License-Identifier: BSD-3-Clause
#include "choose/level_forces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/vectors.hpp"

namespace zwang {
namespace {
constexpr double k_no_limit = std::numeric_limits<double>::infinity();
constexpr double k_rounding = 1024 * std::numeric_limits<double>::epsilon();
constexpr double k_attained = 1e-11;  ///< of the motion: a level that is missed by less is met

/// Lines inside that rounding has taken beyond a bound are at it: forces are within their bounds. False where none is.
bool join_beyond(Index unknowns, Index lines, LevelSquares& squares) {
  bool some = false;
  for (Index i = 0; i < lines; ++i) {
    if (squares.at[i] != ActiveSet::At::inside) continue;
    const double now = product(unknowns, squares.line(i), squares.x.data()), low = squares.low[i],
                 high = squares.high[i];
    const double below = low - now, above = now - high, ulps = 16 * epsilon_of<double>;
    if (!(below > ulps * std::fabs(low)) && !(above > ulps * std::fabs(high))) continue;
    squares.at[i] = below > 0 ? ActiveSet::At::lower : ActiveSet::At::upper;
    some = true;
  }
  return some;
}

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
      squares_(rows, rows + motors),
      line_of_(rows),
      A_(basis_.rows_ * basis_.rows_),
      R_(basis_.rows_ * basis_.rows_),
      x_(basis_.rows_),
      motor_at_(motors),
      motor_growth_(motors),
      place_(rows),
      at_(rows) {}

/// Row `k` beside the row of coordinate j: what it is by the rows that count, divided by their lengths, changes as in a
/// Gauss-Jordan step.
void LevelForces::express(Index k, Index j) {
  LevelBasis& u = basis_;
  const Index p = u.pivot[j];
  double* const c = &R_[k * u.rows_];
  const double* const of_pivot = &R_[p * u.rows_];
  const double g = u.row(k)[j] / u.length[k] * (u.length[p] / u.row(p)[j]);
  for (Index i = 0; i < j; ++i) c[i] -= g * of_pivot[i];
  c[j] = g;
}

/// Whether a row counts of which this length is beside the rows that count: the rule of linear/mass_weighted_rows.hpp.
bool LevelForces::counts(Index k, double rest, double tolerance, const Input& in) const {
  const LevelBasis& u = basis_;
  double allowance = in.rounding[k] / u.length[k], coefficients = 1;
  for (Index j = 0; j < u.rank; ++j) {
    const double c = std::fabs(R_[k * u.rows_ + j]);
    allowance += c * in.rounding[u.pivot[j]] / u.length[u.pivot[j]];
    coefficients += c;
  }
  const double share = rest / u.length[k];
  return share > allowance && share > tolerance * coefficients;
}

/// Q level by level, and T = W Q, by Gram and Schmidt: of the rows of a level that count, the one with the longest rest
/// beside its length comes next. Rests stand behind the vectors found. What rounding leaves of a row that depends on
/// levels above is nothing: in the least squares of its level it would count with the length of the row.
void LevelForces::find_basis(const ActiveSet& set, const Input& in) {
  LevelBasis& u = basis_;
  const Problem& whole = in.whole;
  const Index m = whole.rows.m, n = in.coordinates;
  const auto priority = [&](Index k) {
    return whole.rows.compliance[k] > 0 ? -1 : whole.constraint_of(k).priority.value();
  };
  const auto take_out = [&](Index j, Index k, double* rest) {
    const double c = product(n, u.vector(j), rest);
    u.row(k)[j] += c;
    subtract(n, c, u.vector(j), rest);
  };
  u.rank = u.levels = 0;
  u.first[0] = 0;
  std::fill_n(u.T_.data(), u.T_.size(), 0.0);
  std::fill_n(R_.data(), R_.size(), 0.0);
  constexpr int k_none = std::numeric_limits<int>::max();
  for (int done = -2, level = -2; level != k_none; done = level) {
    level = k_none;
    for (Index k = 0; k < m; ++k)
      if (priority(k) > done) level = std::min(level, priority(k));
    Index end = u.rank;
    for (Index k = 0; k < m; ++k) {
      if (priority(k) != level) continue;
      double* const rest = u.vector(end);
      std::fill_n(rest, u.stride_, 0.0);
      std::copy_n(set.row(k), n, rest);
      u.length[k] = norm(n, rest);
      u.level_of[k] = u.levels;
      if (!(u.length[k] > 0)) continue;
      for (int again = 0; again < 2; ++again)
        for (Index j = 0; j < u.rank; ++j) take_out(j, k, rest);
      for (Index j = 0; j < u.rank; ++j) express(k, j);
      if (u.rank > 0 && !counts(k, norm(n, rest), 0, in)) continue;
      u.pivot[end++] = k;
    }
    while (u.rank < end) {
      if (is_asked(in.stop)) return;
      Index best = -1;
      double longest = 0;
      for (Index i = u.rank; i < end; ++i) {
        const Index k = u.pivot[i];
        const double rest = norm(n, u.vector(i));
        if (!(rest > longest * u.length[k]) || !counts(k, rest, in.tolerance.angle, in)) continue;
        best = i;
        longest = rest / u.length[k];
      }
      if (best < 0) break;
      const Index r = u.rank, k = u.pivot[best];
      std::swap(u.pivot[r], u.pivot[best]);
      double* const q = u.vector(r);
      if (best != r) std::swap_ranges(q, q + u.stride_, u.vector(best));
      for (Index j = 0; j < r; ++j) take_out(j, k, q);
      const double left = u.row(k)[r] = norm(n, q);
      for (Index i = 0; i < n; ++i) q[i] /= left;
      for (Index i = r + 1; i < end; ++i) {
        take_out(r, u.pivot[i], u.vector(i));
        express(u.pivot[i], r);
      }
      ++u.rank;
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
    double terms = std::fabs(b_[k]);
    for (Index j = 0; j < u.first[level + 1]; ++j) terms += std::fabs(u.row(k)[j] * u.target[j]);
    if (std::fabs(off) > in.tolerance.feasible * terms) return false;
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
    const double size = R_[j * stride + j] = norm(m, column);
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

/// The magnitude of what the coordinates of row k are sums of, as the row sees them.
double LevelForces::terms(Index k) const {
  double sum = 0;
  for (Index j = 0; j < basis_.first[basis_.level_of[k] + 1]; ++j)
    sum += std::fabs(basis_.row(k)[j]) * squares_.terms(j);
  return sum;
}

/// Unknowns |W_k| lambda_k. Lines: bounds of rows, then of motors.
void LevelForces::write_squares(const Input& in) {
  const LevelBasis& u = basis_;
  const Index m = in.whole.rows.m, motors = in.clutch.count;
  const auto unit = [&](Index k) { return u.length[k] > 0 ? u.length[k] : 1.0; };
  lines_ = 0;
  for (Index k = 0; k < m; ++k) line_of_[k] = lower_[k] > -k_no_limit || upper_[k] < k_no_limit ? lines_++ : -1;
  squares_.begin(m, u.rank, lines_ + motors);
  for (Index j = 0; j < u.rank; ++j) {
    squares_.wanted[j] = u.target[j] - u.free[j];
    squares_.given[j] = std::fabs(u.target[j]) + std::fabs(u.free[j]);
    squares_.noise[j] = in.tolerance.angle * unit(u.pivot[j]) / u.row(u.pivot[j])[j];
    squares_.rounding[j] = std::min(in.rounding[u.pivot[j]] / u.row(u.pivot[j])[j], squares_.noise[j]);
    for (Index k = 0; k < m; ++k) squares_.coordinate(j)[k] = u.row(k)[j] / unit(k);
  }
  for (Index k = 0; k < m; ++k) {
    const Index i = line_of_[k];
    if (i < 0) continue;
    squares_.line(i)[k] = 1;
    squares_.low[i] = lower_[k] * unit(k);
    squares_.high[i] = upper_[k] * unit(k);
  }
  for (Index c = 0; c < motors; ++c) {
    const Index y = in.clutch.coordinate[c], nv = in.clutch.lower.size();
    double* const line = squares_.line(lines_ + c);
    for (Index k = 0; k < m; ++k)
      if (in.whole.rows.role[k] == Role::driver) line[k] = in.J[k * nv + y] / unit(k);
    const double size = norm(m, line);
    for (Index k = 0; k < m; ++k) line[k] /= size;
    squares_.low[lines_ + c] = in.clutch.lower[y] / size;
    squares_.high[lines_ + c] = in.clutch.upper[y] / size;
  }
}

/// Begins with the multipliers without limits, as far as limits allow. False where a motor is beyond its
/// limit without forces of rows.
bool LevelForces::start_within(const Input& in) {
  const Index m = in.whole.rows.m;
  std::fill_n(squares_.at.data(), lines_ + in.clutch.count, ActiveSet::At::inside);
  for (Index k = 0; k < m; ++k) {
    double& x = squares_.x[k];
    x = in.multipliers[in.whole.rows.row_of[k]] * basis_.length[k];
    if (const Index i = line_of_[k]; i >= 0) x = std::clamp(x, squares_.low[i], squares_.high[i]);
  }
  double share = 1;
  for (Index i = lines_; i < lines_ + in.clutch.count; ++i) {
    const double low = squares_.low[i], high = squares_.high[i];
    if (low > 0 || high < 0) return false;
    const double now = product(m, squares_.line(i), squares_.x.data());
    if (now > high || now < low) share = std::min(share, (now > 0 ? high : low) / now);
  }
  for (Index k = 0; k < m; ++k) squares_.x[k] *= share;
  for (Index i = 0; i < lines_; ++i)
    if (squares_.low[i] == squares_.high[i]) squares_.at[i] = ActiveSet::At::lower;
  return true;
}

/// Begins with what is the best for rows of one level.
bool LevelForces::start_by_set(ActiveSet& set, const Input& in) {
  const LevelBasis& u = basis_;
  const Index m = in.whole.rows.m, n = u.first[1], motors = in.clutch.count;
  set.begin(n + motors, m + motors);
  for (Index j = 0; j < n; ++j) set.start()[j] = u.free[j] - u.target[j];
  for (Index k = 0; k < m; ++k) {
    for (Index j = 0; j < n; ++j) set.row(k)[j] = u.row(k)[j];
    set.b[k] = 0;
    set.lower[k] = lower_[k];
    set.upper[k] = upper_[k];
  }
  in.clutch.write(in.whole, in.J, n, set);
  const ActiveSet::End end = set.find_stiff(in.tolerance, motors);
  for (Index c = 0; c < motors; ++c) motor_growth_[c] = -in.clutch.unit[c] * set.growth(n + c);
  if (end != ActiveSet::End::found) return false;
  for (Index k = 0; k < m; ++k) {
    squares_.x[k] = set.lambda(k) * basis_.length[k];
    const Index i = line_of_[k];
    if (i < 0) continue;
    squares_.at[i] = set.at(k);
    squares_.x[k] = std::clamp(squares_.x[k], squares_.low[i], squares_.high[i]);
  }
  for (Index c = 0; c < motors; ++c) squares_.at[lines_ + c] = set.at(m + c);
  return true;
}

/// Forces of rows are within their bounds exactly; those of motors are measured by the answer.
void LevelForces::take(const Input& in) {
  const Index m = in.whole.rows.m;
  for (Index k = 0; k < m; ++k) {
    const double unit = basis_.length[k] > 0 ? basis_.length[k] : 1.0;
    const Index i = line_of_[k];
    at_[k] = i < 0 ? ActiveSet::At::inside : squares_.at[i];
    lambda_[k] = at_[k] == ActiveSet::At::lower   ? lower_[k]
                 : at_[k] == ActiveSet::At::upper ? upper_[k]
                                                  : std::clamp(squares_.x[k] / unit, lower_[k], upper_[k]);
    squares_.x[k] = lambda_[k] * unit;
  }
  for (Index c = 0; c < in.clutch.count; ++c) motor_at_[c] = squares_.at[lines_ + c] != ActiveSet::At::inside;
}

void LevelForces::place_rows(const Input& in) {
  const LevelBasis& u = basis_;
  const Index m = in.whole.rows.m;
  for (Index k = 0; k < m; ++k) {
    const double scale = terms(k) + std::fabs(b_[k]);
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

double LevelForces::miss(const double* y) const {
  const double rounding = std::max(rounding_, k_rounding * norm(basis_.stride_, y));  // of y, whose parts cancel
  double largest = 0;
  for (Index level = 0; level < basis_.levels; ++level) {
    double off2 = 0, terms2 = 0;
    for (Index j = basis_.first[level]; j < basis_.first[level + 1]; ++j) {
      const double off = product(basis_.stride_, basis_.vector(j), y) - found_[j], terms = squares_.terms(j);
      off2 += off * off;
      terms2 += terms * terms;
    }
    if (const double off = std::sqrt(off2); off > rounding) largest = std::max(largest, off / std::sqrt(terms2));
  }
  return largest;
}

double LevelForces::reference_miss(const double* y, const Input& in) {
  const LevelBasis& u = basis_;
  const double size = norm(u.stride_, y);
  double* const known = A_.data();  // what rounding leaves of y* in each coordinate: more where rows nearly depend
  const auto rounding_of = [&](Index k) { return (k_rounding * u.length[k] + in.rounding[k]) * size; };
  for (Index j = 0; j < u.rank; ++j) {
    const Index k = u.pivot[j];
    known[j] = rounding_of(k) + 8 * epsilon_of<double> * std::fabs(b_[k]);
    for (Index i = 0; i < j; ++i) known[j] += std::fabs(u.row(k)[i]) * known[i];
    known[j] /= u.row(k)[j];
    x_[j] = product(u.stride_, u.vector(j), y) - u.target[j];
  }
  double largest = 0;
  for (Index k = 0; k < in.whole.rows.m; ++k) {
    double terms = std::fabs(b_[k]), allowed = rounding_of(k);
    for (Index j = 0; j < u.first[u.level_of[k] + 1]; ++j) {
      terms += std::fabs(u.row(k)[j]) * squares_.given[j];
      allowed += std::fabs(u.row(k)[j]) * known[j];
    }
    const double off = std::fabs(u.of(k, x_));
    if (off > allowed) largest = std::max(largest, off / terms);
  }
  return largest;
}

ActiveSet::End LevelForces::find(ActiveSet& set, const Input& in) {
  const Index m = in.whole.rows.m;
  for (Index k = 0; k < m; ++k) {
    b_[k] = set.b[k];
    lower_[k] = set.lower[k];
    upper_[k] = set.upper[k];
  }
  violation_ = 0;
  const double free = norm(in.coordinates, set.start());
  std::fill_n(motor_growth_.data(), motor_growth_.size(), 0.0);
  find_basis(set, in);
  if (is_asked(in.stop)) return ActiveSet::End::unsettled;
  find_target(in);
  write_squares(in);
  bool settled = start_within(in) || start_by_set(set, in);
  const auto some_level = [&](auto&& is_so) {
    bool some = false;
    for (Index level = 0; level < basis_.levels; ++level)
      some = some || is_so(basis_.first[level], basis_.first[level + 1]);
    return some;
  };
  for (int pass = 0; pass < 4 && settled; ++pass) {
    settled = !some_level([&](Index from, Index to) { return !squares_.minimise(from, to, in.stop); });
    const bool has_shrunk = some_level([&](Index from, Index to) { return squares_.has_shrunk(from, to); });
    if (!join_beyond(m, lines_ + in.clutch.count, squares_) && !has_shrunk) break;
  }
  take(in);
  for (Index level = 0; level < basis_.levels && settled; ++level)
    violation_ = std::max(violation_, squares_.violation(basis_.first[level], basis_.first[level + 1]));
  rounding_ = free;
  for (Index k = 0; k < m; ++k) rounding_ += std::fabs(squares_.x[k]);
  rounding_ *= 8 * epsilon_of<double> * static_cast<double>(in.coordinates + m);
  for (Index j = 0; j < basis_.rank; ++j) found_[j] = basis_.free[j] + squares_.value[j];
  place_rows(in);
  return settled ? ActiveSet::End::found : ActiveSet::End::unsettled;
}

}  // namespace zwang
