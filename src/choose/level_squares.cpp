// SPDX-License-Identifier: BSD-3-Clause
#include "choose/level_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/vectors.hpp"
#include "zwang/core/scalar.hpp"

namespace zwang {
namespace {
constexpr double k_none = std::numeric_limits<double>::infinity();
constexpr double k_gain = 1e-13;     ///< of the terms of a level: less is not worth a release
constexpr double k_depends = 1e-13;  ///< of what a line has beside those held, of its size: less depends on them
constexpr double k_stands = 1e-13;   ///< of a step along a line, of the step's size: less does not come to its bound
constexpr double k_shrunk = 100;     ///< terms that were larger by more have left their rounding
Index whole_registers(Index n) { return (n + 7) / 8 * 8; }
}  // namespace

LevelSquares::LevelSquares(Index unknowns, Index lines)
    : x(whole_registers(unknowns)),
      wanted(whole_registers(unknowns)),
      value(whole_registers(unknowns)),
      given(whole_registers(unknowns)),
      noise(whole_registers(unknowns)),
      rounding(whole_registers(unknowns)),
      low(lines),
      high(lines),
      at(lines),
      stride_(whole_registers(unknowns)),
      A_(unknowns * stride_),
      G_(lines * stride_),
      beside_(lines * stride_),
      joins_(lines),
      span_{Buffer<double>((unknowns + 1) * stride_), Buffer<double>(stride_ * stride_), Buffer<Index>(unknowns + 1)},
      C_(stride_ * stride_),
      R_(stride_ * stride_),
      rest_(stride_),
      step_(stride_),
      part_(stride_),
      open_(stride_ + 1),
      size_(stride_ + 1) {}

void LevelSquares::begin(Index unknowns, Index coordinates, Index lines) {
  n_ = unknowns;
  lines_ = lines;
  std::fill_n(A_.data(), coordinates * stride_, 0.0);
  std::fill_n(G_.data(), lines * stride_, 0.0);
  for (Buffer<double>* b : {&x, &wanted, &value, &given}) std::fill_n(b->data(), stride_, 0.0);
}

double LevelSquares::terms(Index j) const {
  double sum = given[j];
  for (Index k = 0; k < n_; ++k) sum += std::fabs(coordinate(j)[k] * x[k]);
  return sum;
}

double LevelSquares::rest_of(Index j) const { return product(n_, coordinate(j), x.data()) - wanted[j]; }

/// A row joins V, or Q, if more than `least` of it is beside these.
void LevelSquares::join(const double* row, Index name, double least) {
  if (span_.count == n_) return;
  double* const rest = span_.vectors.data() + span_.count * stride_;
  double* const column = span_.triangle.data() + span_.count * stride_;
  std::copy_n(row, stride_, rest);
  std::fill_n(column, stride_, 0.0);
  for (int again = 0; again < 2; ++again)
    for (Index i = 0; i < span_.count; ++i) {
      const double* const q = span_.vectors.data() + i * stride_;
      const double c = product(n_, q, rest);
      column[i] += c;
      subtract(n_, c, q, rest);
    }
  const double left = norm(n_, rest);
  if (!(left > least)) return;
  for (Index k = 0; k < n_; ++k) rest[k] /= left;
  column[span_.count] = left;
  span_.name[span_.count++] = name;
}

/// V: the lines at a bound and the coordinates above, in this order or the other one. What depends on those before it
/// is left out; behind the coordinates, of lines that nearly depend on each other those with the least beside the rest.
void LevelSquares::hold(Index from, Order order) {
  span_.count = 0;
  if (order == Order::lines_first)
    for (Index i = 0; i < lines_; ++i)
      if (at[i] != ActiveSet::At::inside) join(line(i), ~i, k_depends);
  for (Index j = 0; j < from; ++j) join(coordinate(j), j, rounding[j]);
  if (order == Order::coordinates_first) join_lines();
  span_.held = span_.count;
}

/// Lines at a bound, the one with the longest rest first.
void LevelSquares::join_lines() {
  const auto rest = [&](Index i) { return beside_.data() + i * stride_; };
  const auto take_out = [&](Index l, Index i) {
    const double* const q = span_.vectors.data() + l * stride_;
    subtract(n_, product(n_, q, rest(i)), q, rest(i));
  };
  for (Index i = 0; i < lines_; ++i) {
    joins_[i] = at[i] != ActiveSet::At::inside;
    if (!joins_[i]) continue;
    std::copy_n(line(i), stride_, rest(i));
    for (Index l = 0; l < span_.count; ++l) take_out(l, i);
  }
  while (span_.count < n_) {
    Index best = -1;
    double longest = k_depends;
    for (Index i = 0; i < lines_; ++i) {
      if (!joins_[i]) continue;
      const double left = norm(n_, rest(i));
      if (!(left > longest)) continue;
      longest = left;
      best = i;
    }
    if (best < 0) return;
    joins_[best] = 0;
    const Index before = span_.count;
    join(line(best), ~best, k_depends);
    for (Index i = 0; i < lines_ && span_.count > before; ++i)
      if (joins_[i]) take_out(before, i);
  }
}

/// x such that what V holds has its value.
void LevelSquares::correct() {
  for (Index l = 0; l < span_.held; ++l) {
    const Index j = span_.name[l], i = ~j;
    const double to = j >= 0 ? value[j] : at[i] == ActiveSet::At::lower ? low[i] : high[i];
    part_[l] = to - product(n_, j >= 0 ? coordinate(j) : line(i), x.data());
  }
  for (Index l = 0; l < span_.held; ++l) {
    const double* const column = span_.triangle.data() + l * stride_;
    double sum = part_[l];
    for (Index i = 0; i < l; ++i) sum -= column[i] * part_[i];
    part_[l] = sum / column[l];
  }
  for (Index l = 0; l < span_.held; ++l) subtract(n_, -part_[l], span_.vectors.data() + l * stride_, x.data());
}

/// Q: what A_p moves beside V, the largest part first.
void LevelSquares::reach(Index from, Index to) {
  std::fill_n(rest_.data(), stride_, 1.0);  // of the coordinates: 0 once they have joined
  while (span_.count < n_) {
    Index best = -1;
    double largest = 0;
    for (Index j = from; j < to; ++j) {
      if (rest_[j - from] == 0) continue;
      std::copy_n(coordinate(j), stride_, part_.data());
      for (int again = 0; again < 2; ++again)
        for (Index i = 0; i < span_.count; ++i) {
          const double* const q = span_.vectors.data() + i * stride_;
          subtract(n_, product(n_, q, part_.data()), q, part_.data());
        }
      const double left = norm(n_, part_.data());
      if (!(left > noise[j])) rest_[j - from] = 0;
      if (!(left > noise[j]) || left <= largest) continue;
      largest = left;
      best = j;
    }
    if (best < 0) return;
    rest_[best - from] = 0;
    join(coordinate(best), best, 0);
  }
}

/// d of the least squares, and A_p Q = C R.
void LevelSquares::find_step(Index from, Index to) {
  const Index r = to - from, columns = span_.count - span_.held;
  for (Index j = 0; j < stride_; ++j) rest_[j] = j < r ? rest_of(from + j) : 0.0;
  for (Index c = 0; c < columns; ++c) {
    double* const column = C_.data() + c * stride_;
    for (Index j = 0; j < stride_; ++j)
      column[j] = j < r ? product(n_, coordinate(from + j), span_.vectors.data() + (span_.held + c) * stride_) : 0.0;
    std::fill_n(R_.data() + c * stride_, stride_, 0.0);
    for (int again = 0; again < 2; ++again)
      for (Index i = 0; i < c; ++i) {
        const double p = product(r, C_.data() + i * stride_, column);
        R_[c * stride_ + i] += p;
        subtract(r, p, C_.data() + i * stride_, column);
      }
    const double size = R_[c * stride_ + c] = norm(r, column);
    for (Index j = 0; j < r && size > 0; ++j) column[j] /= size;
  }
  std::fill_n(step_.data(), stride_, 0.0);
  for (Index c = columns; c-- > 0;) {
    double sum = -product(r, C_.data() + c * stride_, rest_.data());
    for (Index i = c + 1; i < columns; ++i) sum -= R_[i * stride_ + c] * part_[i];
    part_[c] = R_[c * stride_ + c] > 0 ? sum / R_[c * stride_ + c] : 0.0;
    subtract(n_, -part_[c], span_.vectors.data() + (span_.held + c) * stride_, step_.data());
  }
}

/// Of the step, at most 1, and the line that blocks a larger one; ~line at its upper bound, lines_: none.
double LevelSquares::largest_step(Index& blocked) const {
  double t = 1;
  blocked = lines_;
  const double small = k_stands * norm(n_, step_.data());
  for (Index i = 0; i < lines_; ++i) {
    if (at[i] != ActiveSet::At::inside) continue;
    const double rate = product(n_, line(i), step_.data()), now = product(n_, line(i), x.data());
    if (!(std::fabs(rate) > small)) continue;
    const double until = std::max((rate > 0 ? high[i] - now : low[i] - now) / rate, 0.0);
    if (!(until < t)) continue;
    t = until;
    blocked = rate > 0 ? ~i : i;
  }
  return t;
}

/// What the release of the line at this place of V gains.
double LevelSquares::gain(Index place, Index from, Index to, Index columns) {
  const Index i = ~span_.name[place], r = to - from;
  if (low[i] == high[i]) return 0;
  double* const z = step_.data();  // u = V z
  std::fill_n(z, stride_, 0.0);
  for (Index l = place; l < span_.held; ++l) {
    const double* const column = span_.triangle.data() + l * stride_;
    double sum = l == place ? 1.0 : 0.0;
    for (Index h = place; h < l; ++h) sum -= column[h] * z[h];
    z[l] = sum / column[l];
  }
  const double size = norm(span_.held, z), side = at[i] == ActiveSet::At::lower ? 1 : -1;
  std::fill_n(part_.data(), stride_, 0.0);
  for (Index l = place; l < span_.held; ++l)
    subtract(n_, -side * z[l] / size, span_.vectors.data() + l * stride_, part_.data());
  double least = 0;
  for (Index j = 0; j < stride_; ++j) {
    z[j] = j < r ? product(n_, coordinate(from + j), part_.data()) : 0.0;
    if (j < r) least = std::max(least, noise[from + j]);
  }
  for (int again = 0; again < 2; ++again)
    for (Index c = 0; c < columns; ++c) subtract(r, product(r, C_.data() + c * stride_, z), C_.data() + c * stride_, z);
  const double moved = norm(r, z);
  if (!(moved > least)) return 0;
  return -product(r, z, rest_.data()) / moved;
}

double LevelSquares::size_of(Index from, Index to) const {
  double sum = 0;
  for (Index j = from; j < to; ++j) sum += terms(j) * terms(j);
  return std::sqrt(sum);
}

double LevelSquares::violation(Index from, Index to) const {
  double moved = 0;
  for (Index j = from; j < to; ++j) {
    const double off = product(n_, coordinate(j), x.data()) - value[j];
    moved += off * off;
  }
  const double open = from < to ? std::max(open_[from], std::sqrt(moved)) : 0.0, size = size_of(from, to);
  return size > 0 ? open / size : 0.0;
}

bool LevelSquares::has_shrunk(Index from, Index to) const {
  return from < to && size_[from] > k_shrunk * size_of(from, to);
}

/// Releases lines at a bound that have not joined what is held, because they depend on it to rounding: held before the
/// levels above, such a line keeps a direction from this level that moves none of the lines. False where there are
/// none.
bool LevelSquares::release_dependent() {
  bool some = false;
  for (Index i = 0; i < lines_; ++i) {
    if (at[i] == ActiveSet::At::inside || low[i] == high[i]) continue;
    bool is_held = false;
    for (Index l = 0; l < span_.held; ++l) is_held = is_held || span_.name[l] == ~i;
    if (is_held) continue;
    at[i] = ActiveSet::At::inside;
    some = true;
  }
  return some;
}

bool LevelSquares::minimise(Index from, Index to, const Interruption* stop) {
  const Index r = to - from;
  const int most = 50 + 10 * static_cast<int>(n_ + lines_);
  double left = k_none;
  for (int steps = 0; steps < most && !is_asked(stop); ++steps) {
    hold(from, Order::lines_first);
    correct();
    reach(from, to);
    find_step(from, to);
    Index blocked;
    const double t = largest_step(blocked);
    subtract(n_, -t, step_.data(), x.data());
    if (blocked != lines_) {
      const Index i = blocked < 0 ? ~blocked : blocked;
      at[i] = blocked < 0 ? ActiveSet::At::upper : ActiveSet::At::lower;
      left = k_none;
      continue;
    }
    double left2 = 0;
    for (Index j = 0; j < stride_; ++j) rest_[j] = j < r ? rest_of(from + j) : 0.0;
    const Index columns = span_.count - span_.held;
    for (Index c = 0; c < columns; ++c) {
      const double p = product(r, C_.data() + c * stride_, rest_.data());
      left2 += p * p;
    }
    const double size = size_of(from, to), left_before = left, small = k_gain * static_cast<double>(n_) * size;
    left = std::sqrt(left2);
    if (left > small && left < 0.5 * left_before) continue;  // x has come from far away, and has its rounding
    const Index held = span_.held;
    hold(from, Order::coordinates_first);  // so that a line that the levels above need is not released
    Index best = -1;
    double most_gained = 0;
    for (Index place = 0; place < span_.held; ++place) {
      if (span_.name[place] >= 0) continue;
      const double g = gain(place, from, to, columns);
      if (!(g > most_gained)) continue;
      most_gained = g;
      best = ~span_.name[place];
    }
    open_[from] = std::max(left, most_gained);
    size_[from] = size;
    if (best < 0 || !(most_gained > small)) {
      if (span_.held < held && release_dependent()) {
        left = k_none;
        continue;
      }
      for (Index j = from; j < to; ++j) value[j] = product(n_, coordinate(j), x.data());
      return true;
    }
    at[best] = ActiveSet::At::inside;
    left = k_none;
  }
  return false;
}

}  // namespace zwang
