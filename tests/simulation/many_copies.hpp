// SPDX-License-Identifier: BSD-3-Clause
// Quadrupeds over the ground, for batches of scenes.
#pragma once
#include "simulation/scenery.hpp"
#include "zwang/io/load.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {

/// Dropped from different heights, tilted and moving; the controller of a copy holds its legs.
struct Quadrupeds {
  explicit Quadrupeds(Eigen::Index n)
      : model(loaded()),
        scene(on_ground(model, 0.6)),
        set(model),
        q(n, model.nq()),
        v(StateRows<double>::Zero(n, model.nv())) {
    for (Eigen::Index k = 0; k < n; ++k) {
      const double turn = 0.1 + 0.02 * static_cast<double>(k % 7);
      q.row(k) = neutral(model).transpose();
      q(k, 2) = 0.65 + 0.01 * static_cast<double>(k % 11);
      q(k, 3) = std::sin(turn);
      q(k, 6) = std::cos(turn);
      for (Eigen::Index leg = 0; leg < 4; ++leg) {
        q(k, 8 + 3 * leg) = 0.2;
        q(k, 9 + 3 * leg) = -0.3;
      }
      v(k, 0) = 0.2 * static_cast<double>(k % 5);
    }
  }
  static Model loaded() {
    LoadOptions options;
    options.root = "floating";
    return load(ZWANG_MODELS "/quadruped.urdf", options);
  }
  StateRows<double> holding(const BatchSimulator& batch) const {
    const Eigen::Index n = batch.copies(), legs = model.nv() - 6;
    StateRows<double> tau = StateRows<double>::Zero(n, model.nv());
    tau.rightCols(legs) =
        300 * (q.row(0).tail(legs).replicate(n, 1) - batch.q().rightCols(legs)) - 8 * batch.v().rightCols(legs);
    return tau;
  }
  Model model;
  Scene scene;
  ConstraintSet set;
  StateRows<double> q, v;
};

}  // namespace zwang::test
