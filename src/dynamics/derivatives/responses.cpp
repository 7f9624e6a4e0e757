// SPDX-License-Identifier: BSD-3-Clause
// Responses of a solved problem to other right-hand sides, refined where its rows are soft or in doubt.
//
//   r_tau - (M x - J^T lambda),   r_b - (J x + R lambda)        what an answer leaves of its equations, solved once more
// A factor that eliminates a soft row has 1/R in it and loses eps K M^-1 K^T / R of its answers; rows in doubt lose by
// their dependency. The equations themselves have neither. Higham 2002, "Accuracy and Stability of Numerical
// Algorithms", 12.2: one step suffices as long as a factor has any digit.
#include <algorithm>

#include "dynamics/derivatives/linearised.hpp"

namespace zwang {

/// Whether a factor may have lost more than rounding: not where all rows are hard and independent beyond doubt.
bool Linearised::is_in_doubt() const {
  const HardRows& hard = parts_.answer.hard;
  return problem_.reader.traits.soft || !hard.beyond_doubt() || parts_.answer.stiffened;
}

const char* Linearised::respond() {
  constexpr const char* unsettled = "the method has not settled on the derivative";
  const RowPolicy policy(parts_.settings);
  const bool refines = policy.singularity != Singularity::damping && is_in_doubt();
  if (refines) keep_sides();
  if (!parts_.factor->apply(problem_, policy, parts_.answer, sides_)) return unsettled;
  if (!refines) return nullptr;
  auto& accelerations = problem_.data.acceleration.joint;
  std::copy_n(accelerations.data(), kept_.size(), kept_.data());
  find_rest();
  std::copy_n(kept_.data(), kept_.size(), accelerations.data());
  if (!parts_.factor->apply(problem_, policy, parts_.answer, rest_)) return unsettled;
  add_rest();
  return nullptr;
}

/// A factor may write over those that it is asked for.
void Linearised::keep_sides() {
  rest_.clear();
  rest_.count = sides_.count;
  for (Index y = 0; y < problem_.data.tree().nv; ++y)
    if (!problem_.prescribed.is[y]) rest_.tau[y] = sides_.tau[y];
  for (Index k = 0; k < problem_.rows.m; ++k) rest_.b[k] = sides_.b[k];
}

/// The right-hand sides of rest_. Prescribed coordinates have their accelerations exactly.
void Linearised::find_rest() {
  Problem& p = problem_;
  const Index nv = p.data.tree().nv;
  double *const x = scratch_.answer.data(), *const lambda = scratch_.lambda.data(),
                *const torque = scratch_.rest.data();
  for (Index c = 0; c < sides_.count; ++c) {
    for (Index y = 0; y < nv; ++y) x[y] = sides_.acceleration[y][c];
    for (Index k = 0; k < p.rows.m; ++k) lambda[k] = sides_.lambda[k][c];
    p.accelerate(x);
    p.torques_of_motion(x, lambda, torque);
    for (Index y = 0; y < nv; ++y)
      if (!p.prescribed.is[y]) rest_.tau[y].set(c, rest_.tau[y][c] - torque[y]);
    for (Index k = 0; k < p.rows.m; ++k) {
      double value = rest_.b[k][c] - p.rows.compliance[k] * lambda[k];
      page::for_each_part(p.rows, k, [&](Index body, const Force<double>& K) {
        value -= dot(Motion<double>(p.data.acceleration.joint[body]), K);
      });
      rest_.b[k].set(c, value);
    }
  }
}

void Linearised::add_rest() {
  for (Index y = 0; y < problem_.data.tree().nv; ++y) {
    sides_.acceleration[y] += rest_.acceleration[y];
    sides_.given_torque[y] += rest_.given_torque[y];
  }
  for (Index k = 0; k < problem_.rows.m; ++k) sides_.lambda[k] += rest_.lambda[k];
}

}  // namespace zwang
