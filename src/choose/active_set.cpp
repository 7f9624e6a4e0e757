// SPDX-License-Identifier: BSD-3-Clause
#include "choose/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/vectors.hpp"
#include "zwang/core/scalar.hpp"

namespace zwang {
namespace {
constexpr double k_infinite = std::numeric_limits<double>::infinity();
constexpr double k_idle = 1e-12;
Index in_registers(Index n) { return (n + 7) / 8 * 8; }
}  // namespace

ActiveSet::ActiveSet(Index coordinates, Index rows, const Interruption* stop)
    : b(rows),
      lower(rows),
      upper(rows),
      room_(std::min(coordinates + rows, rows)),
      W_(rows * in_registers(coordinates + rows)),
      start_(in_registers(coordinates + rows)),
      y_(in_registers(coordinates + rows)),
      size_(rows),
      multiplier_(rows),
      at_(rows),
      idle_(rows),
      passed_(rows),
      held_{Buffer<double>(room_ * in_registers(coordinates + rows)), Buffer<double>(room_ * room_),
            Buffer<Index>(room_)},
      split_{Buffer<double>(in_registers(coordinates + rows)), Buffer<double>(room_), Buffer<double>(room_)},
      stiff_{Buffer<double>(rows), Buffer<double>(in_registers(coordinates + rows)),
             Buffer<double>(in_registers(coordinates + rows)), Buffer<At>(rows)},
      stop_(stop) {}

void ActiveSet::begin(Index coordinates, Index rows) {
  stiff_.coordinates = coordinates;
  n_ = in_registers(coordinates);
  m_ = rows;
  stride_ = n_;
  std::fill_n(W_.data(), m_ * stride_, 0.0);
  for (Buffer<double>* x : {&start_, &stiff_.shift, &stiff_.growth}) std::fill_n(x->data(), n_, 0.0);
  std::fill_n(stiff_.lambda.data(), m_, 0.0);  // what another problem has left is no answer to this one
  std::fill_n(idle_.data(), m_, static_cast<unsigned char>(0));
}

bool ActiveSet::has_bound(Index k) const { return lower[k] > -k_infinite || upper[k] < k_infinite; }
double ActiveSet::sign(Index k) const { return lower[k] > -k_infinite || !has_bound(k) ? 1.0 : -1.0; }
double ActiveSet::range(Index k) const { return upper[k] - lower[k]; }
double ActiveSet::excess(Index k) const { return sign(k) * (product(n_, row(k), y_.data()) - b[k]); }
double ActiveSet::scale(Index k) const {
  return size_[k] * (strength_ + std::sqrt(product(n_, y_.data(), y_.data()))) + std::fabs(b[k]);
}
void ActiveSet::move(const double* direction, double by) { subtract(n_, -by, direction, y_.data()); }

double ActiveSet::split(Index k) {
  std::copy_n(row(k), n_, split_.normal.data());
  std::fill_n(split_.along.data(), held_.count, 0.0);
  for (int again = 0; again < 2; ++again)  // after one pass rounding of the size of the row remains
    for (Index i = 0; i < held_.count; ++i) {
      const double* const q = held_.vectors.data() + i * stride_;
      const double c = product(n_, q, split_.normal.data());
      split_.along[i] += c;
      subtract(n_, c, q, split_.normal.data());
    }
  const double left = product(n_, split_.normal.data(), split_.normal.data()), least = tolerance_.angle * size_[k];
  return left > least * least ? left : 0.0;
}

/// Row k, which has been split and is independent, joins the basis.
void ActiveSet::push(Index k) {
  const double length = std::sqrt(product(n_, split_.normal.data(), split_.normal.data()));
  double* const q = held_.vectors.data() + held_.count * stride_;
  for (Index i = 0; i < n_; ++i) q[i] = split_.normal[i] / length;
  for (Index i = 0; i < held_.count; ++i) held_.triangle[i * room_ + held_.count] = split_.along[i];
  held_.triangle[held_.count * room_ + held_.count] = length;
  held_.row[held_.count++] = k;
}

/// The row at this place leaves; those after it are orthogonalised again.
void ActiveSet::leave(Index place) {
  const Index count = held_.count;
  held_.count = place;
  for (Index i = place + 1; i < count; ++i) {
    if (is_asked(stop_)) return;
    const Index k = held_.row[i];
    split(k);
    push(k);
  }
}

void ActiveSet::start_at_bounds() {
  for (Index k = 0; k < m_; ++k) {
    size_[k] = std::sqrt(product(n_, row(k), row(k)));
    multiplier_[k] = 0;
    idle_[k] = passed_[k] = 0;
    at_[k] = !has_bound(k) ? At::inside : sign(k) > 0 ? At::lower : At::upper;
    const double bound = sign(k) > 0 ? lower[k] : upper[k];
    if (has_bound(k) && bound != 0) move(row(k), bound);
  }
}

/// Rows without bounds, one after the other. Those that depend on others before them are left to the certificate.
void ActiveSet::hold_equalities() {
  for (Index k = 0; k < m_; ++k) {
    if (has_bound(k)) continue;
    if (is_asked(stop_)) return;
    const double left = split(k);
    if (left == 0 || held_.count == room_) continue;
    move(split_.normal.data(), -excess(k) / left);
    push(k);
  }
  held_.equalities = held_.count;
}

bool ActiveSet::is_violated(Index k) const {
  if (!has_bound(k) || at_[k] == At::inside || passed_[k] || range(k) == 0) return false;
  const double w = multiplier_[k] == 0 ? -excess(k) : excess(k);  // at the other bound the signs are turned
  return w > 64 * epsilon_of<double> * (n_ + m_) * scale(k);
}

/// The row whose violation is the largest per unit of its motion; -1: there is none.
Index ActiveSet::most_violated() {
  Index worst = -1;
  double largest = 0;
  for (Index k = 0; k < m_; ++k) {
    if (!is_violated(k)) continue;
    const double violation = size_[k] > 0 ? std::fabs(excess(k)) / size_[k] : k_infinite;
    if (worst >= 0 && violation <= largest) continue;
    worst = k;
    largest = violation;
  }
  return worst;
}

ActiveSet::Step ActiveSet::take(Index p) {
  const double up = multiplier_[p] == 0 ? 1.0 : -1.0;  // the direction of the multiplier, from its bound
  const At before = at_[p];
  const auto other = [](double s, bool far) { return (s > 0) == far ? At::upper : At::lower; };
  for (const int last = steps_ + 2 * m_ + 2; steps_ < last && !is_asked(stop_); ++steps_) {
    const double left = split(p), w = excess(p);
    if (left == 0 && std::fabs(w) <= tolerance_.feasible * scale(p)) {
      passed_[p] = 1;
      if (multiplier_[p] > 0 && multiplier_[p] < range(p)) at_[p] = At::inside;
      return Step::stopped;
    }
    for (Index i = held_.count; i-- > 0;) {  // triangle change = -along
      double sum = -split_.along[i];
      for (Index j = i + 1; j < held_.count; ++j) sum -= held_.triangle[i * room_ + j] * split_.change[j];
      split_.change[i] = sum / held_.triangle[i * room_ + i];
    }
    double t = left > 0 ? std::max(-up * w / left, 0.0) : k_infinite;
    Index blocked = -1;
    if (const double own = up > 0 ? range(p) - multiplier_[p] : multiplier_[p]; own <= t) {
      t = own;
      blocked = -2;
    }
    for (Index i = held_.equalities; i < held_.count; ++i) {
      const Index k = held_.row[i];
      const double rate = up * sign(p) * sign(k) * split_.change[i];
      const double small = 4 * epsilon_of<double> * (size_[k] > 0 ? size_[p] / size_[k] : 0.0);
      if (std::fabs(rate) <= small) continue;
      const double until = rate < 0 ? -multiplier_[k] / rate : (range(k) - multiplier_[k]) / rate;
      if (!(std::max(until, 0.0) < t)) continue;
      t = std::max(until, 0.0);
      blocked = i;
    }
    if (!(t < k_infinite)) return Step::infeasible;
    if (left > 0) move(split_.normal.data(), up * sign(p) * t);
    for (Index i = held_.equalities; i < held_.count; ++i)
      multiplier_[held_.row[i]] += up * sign(p) * sign(held_.row[i]) * split_.change[i] * t;
    multiplier_[p] += up * t;
    if (t > 0) std::fill_n(passed_.data(), m_, static_cast<unsigned char>(0));
    if (blocked == -2) {
      at_[p] = other(sign(p), up > 0);
      multiplier_[p] = up > 0 ? range(p) : 0.0;
      return Step::stopped;
    }
    if (blocked == -1) {
      if (held_.count == room_) return Step::unsettled;
      at_[p] = At::inside;
      push(p);
      return Step::joined;
    }
    const Index k = held_.row[blocked];
    const bool far = up * sign(p) * sign(k) * split_.change[blocked] > 0;
    multiplier_[k] = far ? range(k) : 0.0;
    at_[k] = other(sign(k), far);
    leave(blocked);
  }
  at_[p] = before;
  return Step::unsettled;
}

void ActiveSet::find_idle() {
  for (Index k = 0; k < m_; ++k) {
    const double bound = at_[k] == At::lower ? lower[k] : upper[k];
    if (!has_bound(k) || at_[k] == At::inside || bound != 0 || range(k) == 0) continue;
    idle_[k] = size_[k] > 0 && std::fabs(excess(k)) <= k_idle * scale(k);
  }
}

Index ActiveSet::rank_of(const unsigned char* rows) {
  held_.count = held_.equalities = 0;
  for (Index k = 0; k < m_ && held_.count < room_; ++k)
    if (rows[k] != 0 && split(k) > 0) push(k);
  return held_.count;
}

ActiveSet::End ActiveSet::find(const Tolerances& tolerances) {
  tolerance_ = tolerances;
  held_.count = held_.equalities = steps_ = 0;
  contradicted_ = -1;
  for (Index i = 0; i < n_; ++i) y_[i] = start_[i] + stiff_.shift[i];
  strength_ = std::sqrt(product(n_, y_.data(), y_.data()));
  start_at_bounds();
  hold_equalities();
  const int most = 100 + 20 * static_cast<int>(m_);
  for (Index p = most_violated(); p >= 0; p = most_violated()) {
    if (is_asked(stop_)) return End::unsettled;
    const Step step = take(p);
    if (step == Step::infeasible) {
      contradicted_ = p;
      return End::infeasible;
    }
    if (step == Step::unsettled || ++steps_ > most) return End::unsettled;
  }
  find_idle();
  return End::found;
}

double ActiveSet::violation(Index k) const { return product(n_, row(k), y_.data()) - b[k]; }

/// Multipliers of the rows in the basis such that they hold: W_i . (sum over j of change_j W_j) = b_i - W_i . y.
void ActiveSet::correct() {
  const auto triangle = [&](Index i, Index j) { return held_.triangle[i * room_ + j]; };
  Buffer<double>&c = split_.along, &change = split_.change;
  for (Index i = 0; i < held_.count; ++i) {
    double sum = -violation(held_.row[i]);
    for (Index j = 0; j < i; ++j) sum -= triangle(j, i) * c[j];
    c[i] = sum / triangle(i, i);
  }
  for (Index i = held_.count; i-- > 0;) {
    double sum = c[i];
    for (Index j = i + 1; j < held_.count; ++j) sum -= triangle(i, j) * change[j];
    change[i] = sum / triangle(i, i);
    stiff_.lambda[held_.row[i]] += change[i];
  }
}

/// y of the multipliers.
void ActiveSet::find_motion() {
  for (Index i = 0; i < n_; ++i) y_[i] = start_[i] + stiff_.shift[i];
  for (Index k = 0; k < m_; ++k)
    if (stiff_.lambda[k] != 0) move(row(k), stiff_.lambda[k]);
}

/// One step of the method of multipliers.
bool ActiveSet::step(Index stiff) {
  bool moved = false;
  for (Index i = stiff_.coordinates - stiff; i < stiff_.coordinates; ++i) {
    stiff_.growth[i] = y_[i] - stiff_.shift[i];
    stiff_.shift[i] = y_[i];
    moved = moved || std::fabs(stiff_.growth[i]) > 4 * epsilon_of<double> * std::fabs(y_[i]);
  }
  return moved;
}

void ActiveSet::settle(Index stiff) {
  for (Index k = 0; k < m_; ++k)
    stiff_.lambda[k] = has_bound(k) ? (sign(k) > 0 ? lower[k] : upper[k]) + sign(k) * multiplier_[k] : 0.0;
  constexpr int k_times =
      30;  // an error shrinks to 1e-4 of it each time, or less where rows nearly depend on each other
  for (int time = 0; time < k_times && !is_asked(stop_); ++time) {
    find_motion();
    correct();
    find_motion();
    if (!step(stiff)) break;
  }
}

/// Of W_k y, where y is what is left of start and of what multipliers do.
double ActiveSet::rounding(Index k) const {
  double terms = std::fabs(b[k]);
  for (Index i = 0; i < n_; ++i) {
    double moved = std::fabs(start_[i]) + std::fabs(stiff_.shift[i]);
    for (Index j = 0; j < m_; ++j) moved += std::fabs(row(j)[i] * stiff_.lambda[j]);
    terms += std::fabs(row(k)[i]) * moved;
  }
  return 16 * epsilon_of<double> * (n_ + m_) * terms;
}

/// A row without bounds that depends on others and does not hold with them; -1: there is none.
Index ActiveSet::find_contradicted() const {
  for (Index k = 0; k < m_ && !is_asked(stop_); ++k) {
    const Index* const held = held_.row.data();
    if (has_bound(k) || std::find(held, held + held_.count, k) != held + held_.count) continue;
    double terms = std::fabs(b[k]);
    for (Index i = 0; i < n_; ++i) terms += std::fabs(row(k)[i] * y_[i]);
    const double off = std::fabs(violation(k));
    if (off > tolerance_.feasible * terms && off > rounding(k)) return k;
  }
  return -1;
}

ActiveSet::End ActiveSet::find_stiff(const Tolerances& tolerances, Index stiff) {
  constexpr int k_most = 100, k_bold = 10;
  End end = End::unsettled;
  int same = 0, patience = 1;  // rounds that have found the same rows; those after which they are settled again
  for (int round = 0; round < k_most; ++round) {
    std::copy_n(at_.data(), m_, stiff_.before.data());
    end = find(tolerances);
    if (end != End::found || stiff == 0) break;
    same = round > 0 && std::equal(at_.data(), at_.data() + m_, stiff_.before.data()) ? same + 1 : 0;
    const bool was_settled = round <= k_bold || patience < 0;
    patience = std::abs(patience);
    if (round >= k_bold && same < patience && !was_settled) {
      step(stiff);
      continue;
    }
    settle(stiff);
    bool shifted = false;
    for (Index i = stiff_.coordinates - stiff; i < stiff_.coordinates; ++i) shifted = shifted || stiff_.shift[i] != 0;
    if (!shifted || (same > 0 && was_settled)) break;
    if (round >= k_bold) patience = -2 * patience;
  }
  if (end != End::found || stiff == 0) return end;
  contradicted_ = find_contradicted();
  return contradicted_ < 0 ? End::found : End::infeasible;
}

}  // namespace zwang
