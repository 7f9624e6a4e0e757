// SPDX-License-Identifier: BSD-3-Clause
#include "contact/even_loads.hpp"

#include "linear/cholesky.hpp"

namespace zwang::contact {
namespace {

constexpr double k_shift = 1e-9;  // eps, of the mean diagonal of G
constexpr int k_repeats = 3;      // eps (G + eps)^-1: what has the eigenvalue g is left by (eps / g)^3
constexpr double k_none = 1e-9;   // of the loads: they are even
constexpr int k_rounds = 8, k_halves = 40;

}  // namespace

void EvenLoads::reserve(Index rows, Index all) {
  state_ = Buffer<State>(rows);
  unknown_ = Buffer<Unknown>(rows);
  G_ = Buffer<double>(rows * rows);
  for (Buffer<double>* x : {&x_, &move_, &best_, &s_}) *x = Buffer<double>(rows);
  y_ = Buffer<double>(all);
}

/// What is closed, with the motion of l in y_, s_.
void EvenLoads::classify(const ScaledProblem& p, double enough, const double* l) {
  p.motion(l, y_.data(), s_.data());
  const double still = enough * p.speed(y_.data());
  for (Index c = 0; c < p.count; ++c) {
    const Cone& cone = p.cone[c];
    const Index a = cone.first;
    state_[c] = State::out;
    if (!cone.is_contact()) {
      if (std::fabs(s_[a]) <= still) state_[c] = State::held;
    } else if (std::fabs(s_[a + 2]) <= still) {
      state_[c] = cone.mu == 0 || length(s_[a], s_[a + 1]) > still ? State::slips : State::held;
    }
  }
}

void EvenLoads::run(const ScaledProblem& p, double enough, double* l) {
  classify(p, enough, l);
  std::copy(l, l + p.m, best_.begin());
  for (int round = 0; round < k_rounds && move(p, best_.data()); ++round) {}
  if (p.residual(best_.data()) <= enough) std::copy(best_.begin(), best_.begin() + p.m, l);
}

bool EvenLoads::could_stick(const ScaledProblem& p, double enough, double* l) {
  classify(p, enough, l);
  bool sticks = false, slides = false;
  for (Index c = 0; c < p.count; ++c) {
    const Cone& cone = p.cone[c];
    if (!cone.is_contact() || state_[c] == State::out) continue;
    const double load = l[cone.first + 2];
    sticks = sticks || (state_[c] == State::held && load > 0);
    slides = slides || (state_[c] == State::slips && cone.mu > 0 && load <= k_none * largest(p.m, l));
  }
  if (!sticks || !slides) return false;
  for (Index c = 0; c < p.count; ++c)
    if (state_[c] == State::slips) state_[c] = State::held;
  for (int round = 0; round < k_rounds && move(p, l); ++round) {}
  return true;
}

/// The largest part of move_ from l, in [0, 1], that stays in the cone.
double EvenLoads::part_in_cone(const Cone& c, State state, const double* l) const {
  const double* const d = move_.data();
  const Index i = c.first;
  if (c.kind == ContactCone::Kind::friction) {
    const double room = d[i] < 0 ? l[i] + c.bound : c.bound - l[i];
    return d[i] != 0 ? std::clamp(room / std::fabs(d[i]), 0.0, 1.0) : 1;
  }
  const Index n = i + c.rows() - 1;
  const double positive = d[n] < 0 ? std::clamp(l[n] / -d[n], 0.0, 1.0) : 1;
  if (!c.is_contact() || state == State::slips) return positive;
  const auto is_inside = [&](double part) {
    return length(l[i] + part * d[i], l[i + 1] + part * d[i + 1]) <= c.mu * (l[n] + part * d[n]);
  };
  if (is_inside(positive)) return positive;
  double low = 0, high = positive;  // such parts are an interval
  for (int k = 0; k < k_halves; ++k) (is_inside((low + high) / 2) ? low : high) = (low + high) / 2;
  return low;
}

/// Towards the least norm until a cone is left. False where nothing is left to do.
bool EvenLoads::move(const ScaledProblem& p, double* l) {
  Index q = 0;
  for (Index c = 0; c < p.count; ++c) {
    const Cone& cone = p.cone[c];
    const Index a = cone.first;
    if (state_[c] == State::held) {
      for (Index k = a; k < a + cone.rows(); ++k) unknown_[q++] = {.cone = c, .row = {k}};
    } else if (state_[c] == State::slips) {
      const double slip = length(s_[a], s_[a + 1]), by = slip > 0 ? -cone.mu / slip : 0;
      unknown_[q++] = {.cone = c, .row = {a + 2, a, a + 1}, .by = {1, by * s_[a], by * s_[a + 1]}, .rows = 3};
    }
  }
  double trace = 0, size = 0, rest = 0;
  for (Index i = 0; i < q; ++i) {
    const Unknown& u = unknown_[i];
    for (Index j = 0; j <= i; ++j) {
      const Unknown& w = unknown_[j];
      double sum = 0;
      for (int g = 0; g < u.rows; ++g)
        for (int h = 0; h < w.rows; ++h) sum += u.by[g] * w.by[h] * p.G[u.row[g] * p.m + w.row[h]];
      G_[i * q + j] = sum / (p.cone[u.cone].weight * p.cone[w.cone].weight);
    }
    trace += G_[i * q + i];
    x_[i] = p.cone[u.cone].weight * l[u.row[0]];
    size += x_[i] * x_[i];
  }
  if (!(size > 0)) return false;
  const double shift = k_shift * trace / static_cast<double>(q);
  for (Index i = 0; i < q; ++i) G_[i * q + i] += shift;
  if (dense::cholesky(q, q, 0, G_.data()) >= 0) return false;
  for (int k = 0; k < k_repeats; ++k) {
    dense::solve_lower(q, q, G_.data(), x_.data());
    dense::solve_upper(q, q, G_.data(), x_.data());
    for (Index i = 0; i < q; ++i) x_[i] *= shift;
  }
  std::fill(move_.begin(), move_.begin() + p.m, 0.0);
  for (Index i = 0; i < q; ++i) {
    const Unknown& u = unknown_[i];
    rest += x_[i] * x_[i];
    for (int k = 0; k < u.rows; ++k) move_[u.row[k]] = -u.by[k] * x_[i] / p.cone[u.cone].weight;
  }
  if (!(rest > k_none * k_none * size)) return false;
  double part = 1;
  for (Index i = 0; i < q; ++i) {
    const Index c = unknown_[i].cone;
    if (i == 0 || c != unknown_[i - 1].cone) part = std::min(part, part_in_cone(p.cone[c], state_[c], l));
  }
  for (Index c = 0; part < 1 && c < p.count; ++c)
    if (state_[c] != State::out && part_in_cone(p.cone[c], state_[c], l) <= part) state_[c] = State::out;
  add(p.m, part, move_.data(), l);
  return part < 1;
}

}  // namespace zwang::contact
