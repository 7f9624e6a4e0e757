// SPDX-License-Identifier: BSD-3-Clause
// Responses of a solved problem to other right-hand sides, refined where its rows are soft or in doubt.
//
//   r_tau - (M x - J^T lambda),   r_b - (J x + R lambda)   what an answer leaves of its equations, solved once more
// A factor that eliminates a soft row has 1/R in it and loses eps K M^-1 K^T / R of its answers; rows in doubt lose by
// their dependency. The equations themselves have neither. Higham 2002, "Accuracy and Stability of Numerical
// Algorithms", 12.2: one step suffices as long as a factor has any digit.
#include <algorithm>
#include <cmath>

#include "question/derivatives/linearised.hpp"

namespace zwang {
namespace {

constexpr double k_lost = 1e-12;      ///< of the largest multiplier of a soft row: as the certificate of a solve has it
constexpr int k_most_steps = 3;       ///< of refinement
constexpr double k_no_digits = 1e-7;  ///< of a known answer: with more off, half of the digits of any other are noise

}  // namespace

/// Whether a factor may have lost more than rounding: not where all rows are hard and independent beyond doubt, as
/// those that end on their own paths are.
bool Linearised::is_in_doubt() const {
  if (parts_.factor == &parts_.factors.paths) return false;
  const HardRows& hard = parts_.answer.hard;
  return problem_.rows.traits.soft || !hard.beyond_doubt() || parts_.answer.stiffened;
}

const char* Linearised::respond() {
  constexpr const char* unsettled = "the method has not settled on the derivative";
  if (parts_.factor == &parts_.factors.paths && parts_.factors.paths.respond(problem_, sides_)) return nullptr;
  const RowPolicy policy(parts_.settings);
  const bool refines = policy.singularity != Singularity::damping && is_in_doubt();
  if (refines) keep_sides();
  if (!parts_.factor->apply(problem_, policy, parts_.answer, sides_)) return unsettled;
  auto& accelerations = problem_.state.data.acceleration.joint;
  for (int step = 0; refines && step < k_most_steps; ++step) {
    std::copy_n(accelerations.data(), kept_.size(), kept_.data());
    const bool lost = find_rest();
    std::copy_n(kept_.data(), kept_.size(), accelerations.data());
    if (!lost) break;
    if (!parts_.factor->apply(problem_, policy, parts_.answer, rest_)) return unsettled;
    add_rest();
  }
  return nullptr;
}

/// Null, or why numbers that depend on multipliers are not reliable. The forces of known multipliers at rest,
///   r_tau = -J^T mu,  r_b = R mu   have the answer   x = 0,  lambda = mu,
/// mu without what dependent rows do to each other. Rows that nearly depend, or that an iteration does not reach, lose
/// mu, which shows without an estimate of their condition. Each mu_k makes its row as large as the others.
const char* Linearised::check_response() {
  Problem& p = problem_;
  HardRows& hard = parts_.answer.hard;
  const Index m = p.rows.m;
  if (!is_in_doubt() || hard.beyond_doubt() || !hard.is_named() || parts_.answer.compressed != nullptr) return nullptr;
  Random random(2);
  double* const mu = scratch_.known.data();
  for (Index k = 0; k < m; ++k) {
    const Index i = hard.of_row[k];
    const double size = i >= 0 ? hard.system.row_scale(i) : 0.0;
    mu[k] = i < 0 || size > 0 ? random.uniform(-1, 1) / (i < 0 ? 1.0 : size) : 0.0;
  }
  for (Index i = 0; i < hard.count; ++i) hard.lambda[i] = mu[hard.row[i]];
  hard.system.least_norm(hard.lambda.data());
  for (Index i = 0; i < hard.count; ++i) mu[hard.row[i]] = hard.lambda[i];
  ask_nothing(1);
  std::fill_n(scratch_.x.data(), p.state.data.tree().nv, 0.0);
  p.add_joint_forces(true, true, mu, scratch_.x.data());
  for (Index y = 0; y < p.state.data.tree().nv; ++y)
    sides_.tau[y] = Columns(p.state.prescribed.is[y] ? 0.0 : -scratch_.x[y]);
  for (Index k = 0; k < m; ++k) sides_.b[k] = Columns(p.rows.compliance[k] * mu[k]);
  if (const char* why = respond()) return why;
  double largest = 0, off = 0;
  for (Index i = 0; i < hard.count; ++i) {
    const Index k = hard.row[i];
    const double size = hard.system.row_scale(i);
    largest = std::max(largest, size * std::fabs(mu[k]));
    off = std::max(off, size * std::fabs(sides_.lambda[k][0] - mu[k]));
  }
  return off <= k_no_digits * largest ? nullptr : "rows nearly depend: rounding is as large as their multipliers";
}

/// A factor may write over those that it is asked for.
void Linearised::keep_sides() {
  rest_.clear();
  rest_.count = sides_.count;
  std::copy_n(sides_.tau.data(), problem_.state.data.tree().nv, asked_.tau.data());
  std::copy_n(sides_.b.data(), problem_.rows.m, asked_.b.data());
}

/// The right-hand sides of rest_; prescribed coordinates have their accelerations exactly. True if digits are
/// lost, of a soft row's lambda = (r_b - J x) / R or of a torque.
bool Linearised::find_rest() {
  Problem& p = problem_;
  const Index nv = p.state.data.tree().nv;
  double *const x = scratch_.answer.data(), *const lambda = scratch_.lambda.data(),
                *const torque = scratch_.rest.data();
  bool lost = false;
  for (Index c = 0; c < sides_.count; ++c) {
    double largest = 0;
    for (Index y = 0; y < nv; ++y) x[y] = sides_.acceleration[y][c];
    for (Index k = 0; k < p.rows.m; ++k) {
      lambda[k] = sides_.lambda[k][c];
      if (p.rows.compliance[k] > 0) largest = std::max(largest, std::fabs(lambda[k]));
    }
    p.state.accelerate(x);
    p.torques_of_motion(x, lambda, torque);
    double terms = 0;
    for (Index y = 0; y < nv; ++y) terms = std::max({terms, std::fabs(asked_.tau[y][c]), std::fabs(torque[y])});
    for (Index y = 0; y < nv; ++y) {
      if (p.state.prescribed.is[y]) continue;
      const double value = asked_.tau[y][c] - torque[y];
      rest_.tau[y].set(c, value);
      lost = lost || std::fabs(value) > k_lost * terms;
    }
    for (Index k = 0; k < p.rows.m; ++k) {
      double value = asked_.b[k][c] - p.rows.compliance[k] * lambda[k], size = std::fabs(asked_.b[k][c]);
      page::for_each_part(p.rows, k, [&](Index body, const Force<double>& K) {
        const Motion<double> a = p.state.data.acceleration.joint[body];
        for (Index i = 0; i < 6; ++i) {
          value -= K[i] * a[i];
          size += std::fabs(K[i] * a[i]);
        }
      });
      rest_.b[k].set(c, value);
      lost = lost || std::fabs(value) > k_lost * (p.rows.compliance[k] > 0 ? p.rows.compliance[k] * largest : size);
    }
  }
  return lost;
}

void Linearised::add_rest() {
  for (Index y = 0; y < problem_.state.data.tree().nv; ++y) {
    sides_.acceleration[y] += rest_.acceleration[y];
    sides_.given_torque[y] += rest_.given_torque[y];
  }
  for (Index k = 0; k < problem_.rows.m; ++k) sides_.lambda[k] += rest_.lambda[k];
}

}  // namespace zwang
