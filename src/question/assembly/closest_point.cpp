// SPDX-License-Identifier: BSD-3-Clause
// ClosestPoint: measuring configurations, and the way to the rows.
#include "question/assembly/closest_point.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "manifold/instances.hpp"
#include "zwang/core/random.hpp"
#include "zwang/core/strips.hpp"
#include "zwang/model/check_configuration.hpp"

namespace zwang {
namespace {

constexpr double k_least_damping = 1e-12;  // relative to the longest row
constexpr double k_longest_turn = 1.2;     // of a coordinate in one step [rad]
constexpr int k_most_weighed = 20;         // steps in the metric of W before ones are tried
constexpr int k_most_ahead = 3;            // steps on which psi may be larger than before

}  // namespace

AssemblyNumbers::AssemblyNumbers(Index n, Index nv, Index nq)
    : turn_(n),
      x_(n),
      z_(n),
      reduced_(n),
      probe_(n),
      d_(nv),
      g_(nv),
      base_(nv),
      weighed_(nv),
      difference_(nv),
      by_q_(nv * nv),
      H_(n * n),
      C_(n * n),
      start_(nq) {}

ClosestPoint::ClosestPoint(const Model& model, RowsAt& rows, Metric& metric, const AssemblyCoordinates& coordinates,
                           const AssemblySettings& settings)
    : AssemblyNumbers(coordinates.count, model.nv(), model.nq()),
      model_(model),
      rows_(rows),
      metric_(metric),
      on_(coordinates),
      settings_(settings),
      steps_(metric, rows.problem.layout.capacity, model.nv()),
      n_(coordinates.count),
      nv_(model.nv()),
      list_(rows.problem.layout.capacity),
      scale_(rows.problem.layout.capacity),
      sides_(rows.problem.layout.capacity),
      at_(rows.problem.layout.capacity, n_, model.nq()),
      trial_(at_),
      best_(at_),
      other_(at_),
      safe_(at_),
      held_(n_),
      leaving_(n_) {}

void AssemblyPoint::copy(const AssemblyPoint& from, AssemblyPoint& to) {
  const auto all = [](const Buffer<double>& a, Buffer<double>& b) { std::copy_n(a.data(), a.size(), b.data()); };
  to.m = from.m;
  to.n = from.n;
  std::copy_n(from.A.data(), from.m * from.n, to.A.data());
  all(from.phi, to.phi);
  all(from.bound, to.bound);
  std::copy_n(from.side.data(), from.m, to.side.data());
  std::copy_n(from.acts.data(), from.m, to.acts.data());
  all(from.q, to.q);
  all(from.size, to.size);
  all(from.rounding, to.rounding);
  to.psi = from.psi;
  to.finite = from.finite;
}

void ClosestPoint::make_room_for_sides() {
  if (sides_.chosen == nullptr)
    sides_.chosen = std::make_unique<SidedRows>(metric_, rows_.problem.layout.capacity, nv_);
}

/// Which rows have a position: where they begin.
void ClosestPoint::list_rows() {
  m_ = 0;
  sides_.any = false;
  for (Index i = 0; i < rows_.rows(); ++i)
    if (rows_.has_position(i)) list_[m_++] = i;
  for (Index i = 0; i < m_; ++i) {
    const double size = std::max(rows_.size(list_[i]) * rows_.growth(list_[i]), 1e-3 * std::fabs(rows_.phi(list_[i])));
    scale_[i] = size > 0 ? size : 1;
    sides_.side[i] = static_cast<signed char>(rows_.side(list_[i]));
    sides_.any = sides_.any || sides_.side[i] != 0;
  }
  if (sides_.any) make_room_for_sides();
  reach_ = rows_.length();
  const Tree<double>& tree = model_.tree<double>();
  for (Index j = 0; j < n_; ++j) turn_[j] = 0;
  for (Index c = 0; c < tree.spanning_nv; ++c)
    for (Index j = 0; j < n_; ++j)
      if (on_.free[j] == tree.column[c].v) {
        const Motion<double> s = rows_.problem.state.data.articulated.column[c].s;
        turn_[j] = std::max(turn_[j], norm(s.w) * std::fabs(tree.column[c].multiplier));
      }
}

/// The rows at p.q.
bool ClosestPoint::measure(Point& p) {
  ++done_.evaluations;
  p.m = m_;
  p.n = n_;
  p.finite = rows_.evaluate(p.q.data());
  p.psi = 0;
  for (Index i = 0; i < m_; ++i) {
    const Index k = list_[i];
    const double inverse = 1 / scale_[i];
    double* const row = &p.A[i * n_];
    metric_.columns_of(rows_.jacobian(k), row);
    double own = 0, terms = 0;
    for (Index j = 0; j < n_; ++j) {
      row[j] *= inverse;
      const Index v = on_.free[j];
      own += rows_.jacobian(k)[v] * rows_.jacobian(k)[v];
      terms += rows_.terms(k)[v] * rows_.terms(k)[v];
    }
    p.bound[i] = dot(n_, row, row) * (own > 0 ? terms / own : 1);
    p.phi[i] = rows_.phi(k) * inverse;
    p.size[i] = rows_.size(k);
    p.rounding[i] = rows_.rounding(k);
    p.side[i] = sides_.kept[i] ? static_cast<signed char>(0) : sides_.side[i];
    p.acts[i] = p.side[i] == 0 || p.rest(i) != 0;
    p.psi += 0.5 * p.rest(i) * p.rest(i);
  }
  p.finite = p.finite && std::isfinite(p.psi);
  return p.finite;
}

/// phi over the row's size, but for rounding; infinite where a row without size does not hold.
double ClosestPoint::residual_of(const Point& p, Index i) const {
  const double rest = std::fabs(p.rest(i)) * scale_[i] - p.rounding[i];
  return rest > 0 ? rest / p.size[i] : 0.0;
}
double ClosestPoint::residual(const Point& p) const {
  double worst = 0;
  for (Index i = 0; i < m_; ++i) worst = std::max(worst, residual_of(p, i));
  return worst;
}

/// -1, 1: at the lower or upper limit; 2: between two equal ones; 0: at none.
int ClosestPoint::limit_side(const Point& p, Index j) const {
  if (on_.q_of[j] < 0) return 0;
  const double q = p.q[on_.q_of[j]];
  const bool low = q <= on_.lower[j], high = q >= on_.upper[j];
  return low && high ? 2 : low ? -1 : high ? 1 : 0;
}

void ClosestPoint::clamp(double* q) const {
  for (Index j = 0; j < n_; ++j)
    if (const Index k = on_.q_of[j]; k >= 0) q[k] = std::min(std::max(q[k], on_.lower[j]), on_.upper[j]);
}

/// out = q (+) d with fixed joints as they were, and held coordinates at their limits to the bit.
void ClosestPoint::move(const double* q, const double* d, const HeldCoordinates& held, double* out) {
  page::integrate(model_.tree<double>(), q, d, out);
  for (Index k = 0; k < on_.kept; ++k) out[on_.kept_q[k]] = q0_[on_.kept_q[k]];
  for (Index h = 0; h < held.count; ++h) {
    const Index j = held.at[h], k = on_.q_of[j];
    if (k < 0) continue;
    out[k] = held.by[h] == 0 ? q[k] : held.by[h] < 0 ? on_.lower[j] : on_.upper[j];
  }
  clamp(out);
}

/// Adds the coordinates that a step would take beyond their limits. False if there are none.
bool ClosestPoint::hold_leaving(const Point& p, const double* d, HeldCoordinates& held) {
  bool some = false;
  for (Index j = 0; j < n_; ++j) {
    const Index k = on_.q_of[j];
    if (k < 0 || held.is[j]) continue;
    const double q = p.q[k], to = q + d[on_.free[j]];
    if (to >= on_.lower[j] && to <= on_.upper[j]) continue;
    held.add(j, (to < on_.lower[j] ? on_.lower[j] : on_.upper[j]) - q);
    some = true;
  }
  return some;
}

/// The part of a step after which no coordinate has turned by more than `most`.
double ClosestPoint::shorten(const double* d, double most) const {
  double turned = 0;
  for (Index j = 0; j < n_; ++j) turned = std::max(turned, std::fabs(d[on_.free[j]]) * turn_[j]);
  return turned > most ? most / turned : 1.0;
}

/// From p to where the rows hold; `also_held` stay where they are. False where it stalls.
///
/// A step that makes psi larger is followed for a few more: where rows are nearly parallel, the first step solves them
/// and disturbs the others by its square, which the next ones put right. If psi does not fall so either, the step is
/// taken again with more damping.
bool ClosestPoint::approach(Point& p, const HeldCoordinates* also_held, int steps, int* count) {
  double beta = 0.1, mark = p.psi;
  int slow = 0, refused = 0, ahead = 0;
  const auto end_search = [&] {
    if (ahead > 0) Point::copy(safe_, p);
    return false;
  };
  for (int step = 0; !holds(p); ++step) {
    if (step >= steps || slow > 6 || refused > 10) return end_search();
    ++*count;
    damped_step(p, also_held, beta);
    const bool finite = measure(trial_);
    if (finite && trial_.psi < (ahead > 0 ? safe_.psi : p.psi)) {
      beta = trial_.psi < 0.1 * p.psi ? std::max(beta / 4, 1e-3) : trial_.psi > 0.6 * p.psi ? beta * 2 : beta;
      Point::copy(trial_, p);
      refused = ahead = 0;
      slow = p.psi < 0.6 * mark ? 0 : slow + 1;
      if (slow == 0) mark = p.psi;
    } else if (finite && ahead < k_most_ahead && beta < 1 && trial_.psi < 1e4 * (ahead > 0 ? safe_.psi : p.psi)) {
      if (ahead++ == 0) Point::copy(p, safe_);
      Point::copy(trial_, p);
    } else {
      if (ahead > 0) Point::copy(safe_, p);
      ahead = 0;
      beta *= 6;
      ++refused;
    }
  }
  if (residual(p) > 0.01 * tolerance_) {  // once more: convergence is fast by now
    damped_step(p, also_held, 1e-3);
    if (measure(trial_) && trial_.psi < p.psi && holds(trial_)) Point::copy(trial_, p);
  }
  return true;
}

/// trial_.q: a step from p that goes no further than limits.
void ClosestPoint::damped_step(Point& p, const HeldCoordinates* also_held, double beta) {
  leaving_.clear();
  for (Index h = 0; also_held != nullptr && h < also_held->count; ++h) leaving_.add(also_held->at[h], 0.0);
  const double damping = std::max(beta * std::sqrt(2 * p.psi), k_least_damping);
  const double mu = damping * std::max(p.largest_row(), 1e-150);
  do {
    if (sides_.any) sides_.chosen->choose_damped(p, leaving_, mu);
    steps_.damped_step(p, leaving_, mu, x_.data());
    metric_.step_of(x_.data(), d_.data());
    const double part = shorten(d_.data(), k_longest_turn);
    for (Index k = 0; k < nv_; ++k) d_[k] *= part;
  } while (hold_leaving(p, d_.data(), leaving_));
  move(p.q.data(), d_.data(), leaving_, trial_.q.data());
}

/// A random step from the start, the longer the later the attempt.
bool ClosestPoint::start_again(const double* start, int attempt) {
  Random numbers(0x5eed, static_cast<std::uint64_t>(attempt));
  const double length = std::min(std::numbers::pi, 0.2 * std::pow(1.6, attempt));
  std::fill_n(d_.data(), nv_, 0.0);
  for (Index j = 0; j < n_; ++j)
    d_[on_.free[j]] = numbers.uniform(-length, length) * (turn_[j] > 0 ? 1 / turn_[j] : reach_ / std::numbers::pi);
  leaving_.clear();
  move(start, d_.data(), leaving_, at_.q.data());
  return measure(at_);
}

void ClosestPoint::find(const double* q0, AssemblyReport& report) {
  q0_ = q0;
  tolerance_ = settings_.tolerance;
  done_.iterations = done_.evaluations = 0;
  m_ = 0;
  std::fill_n(sides_.kept.data(), sides_.kept.size(), static_cast<unsigned char>(0));
  std::copy_n(q0, model_.nq(), start_.data());
  if (!detail::normalized_within(model_.tree<double>(), q0, 4 * epsilon_of<double>))
    page::normalize(model_.tree<double>(), start_.data());
  for (Index k = 0; k < on_.kept; ++k) start_[on_.kept_q[k]] = q0[on_.kept_q[k]];
  clamp(start_.data());
  std::copy_n(start_.data(), model_.nq(), at_.q.data());
  if (!rows_.evaluate(at_.q.data())) {
    report.status = Status::overflow;
    return;
  }
  list_rows();
  if (!measure(at_)) {
    report.status = Status::overflow;
    return;
  }
  // Steps that are short in W lead to the nearest point; where they are cheap for some coordinates only,
  // they may lead nowhere.
  const int most = settings_.max_iterations;
  bool met = approach(at_, nullptr, metric_.is_plain() ? most : std::min(most, k_most_weighed), &done_.iterations);
  if (!met && !metric_.is_plain()) {
    metric_.use_ones(true);
    std::copy_n(start_.data(), model_.nq(), at_.q.data());
    met = measure(at_) && approach(at_, nullptr, most - done_.iterations, &done_.iterations);
  }
  for (int attempt = 1; !met && attempt <= settings_.attempts && done_.iterations < most; ++attempt) {
    if (attempt == 1 || at_.psi < best_.psi) Point::copy(at_, best_);
    if (!start_again(start_.data(), attempt)) continue;
    met = approach(at_, nullptr, most - done_.iterations, &done_.iterations);
    report.attempt = met ? attempt : 0;
    if (!met && at_.psi > best_.psi) Point::copy(best_, at_);
  }
  metric_.use_ones(false);
  if (!metric_.is_plain()) measure(at_);
  if (met)
    slide(report);
  else
    settle(report);
  publish(report);
}

/// What the report says of the point that was reached.
void ClosestPoint::publish(AssemblyReport& report) {
  keep_none();
  report.rows = m_;
  report.residual = residual(at_);
  page::difference(model_.tree<double>(), q0_, at_.q.data(), difference_.data());
  metric_.lengths_of(difference_.data(), x_.data());
  report.distance = std::sqrt(dot(n_, x_.data(), x_.data()));
  report.iterations = done_.iterations;
  report.evaluations = done_.evaluations;
  const double open = std::min(100 * report.residual, 1e-3);
  for (Index i = 0; i < m_; ++i) at_.acts[i] = !has_side(i) || is_closed(i);
  steps_.rank(at_, open);
  report.rank = steps_.ranked().rank();
  report.conditioning = report.rank > 0 ? steps_.ranked().smallest_counted() : 1;
  report.branch = steps_.sign_of_determinant(at_);
  bool within = true;
  for (Index k = 0; k < on_.loose; ++k) {
    const auto q = static_cast<std::size_t>(on_.loose_q[k]);
    within = within && !(at_.q[on_.loose_q[k]] < model_.lower()[q]) && !(at_.q[on_.loose_q[k]] > model_.upper()[q]);
  }
  if (report.status == Status::ok && !within) report.status = Status::not_converged;
}

}  // namespace zwang
