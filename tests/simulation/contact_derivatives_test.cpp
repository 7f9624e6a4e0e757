// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of steps with contact: beside differences of the whole step, closed forms, and what they refuse.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "simulation/cases.hpp"
#include "simulation/step_differences.hpp"
#include "zwang/io/load.hpp"
#include "zwang/spatial/exp_log.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

StepCase loose(const LooseBodies& of, const Scene& scene, double dt = 1e-3) {
  const Index n = of.model.nv();
  Vector tau(n);
  for (Index k = 0; k < n; ++k) tau(k) = 0.1 * std::sin(1.0 + k);
  return {of.model, ConstraintSet(of.model), touching(1, dt), scene, of.q, of.v, tau};
}

TEST(ContactDerivatives, FreeFlight) {
  Loose b = box("a", 2, {0.3, 0.2, 0.4}, {0, 0, 3});
  b.turned.R = exp_so3(Vec3<double>{0.4, 0.2, -0.3});
  b.turning = {2, -1, 3};
  b.velocity = {1, 2, 0.5};
  const LooseBodies of({b});
  EXPECT_LE(disagreement(loose(of, on_ground(of.model, 0.5), 2e-2), 1e-3), 1e-9);
}

/// A corner, an ellipse, a rim of a tilted body meet the ground and slide.
TEST(ContactDerivatives, OnePointSlides) {
  Loose b = box("a", 2, {0.3, 0.2, 0.4}, {0, 0, 0});
  b.turned.R = exp_so3(Vec3<double>{0.4, 0.2, -0.3});
  b.turning = {2, -1, 3};
  b.velocity = {1, 2, -1};
  double low = 0;
  for (int k = 0; k < 8; ++k)
    low = std::min(low, (b.turned.R * Vec3<double>{k & 1 ? 0.15 : -0.15, k & 2 ? 0.1 : -0.1, k & 4 ? 0.2 : -0.2}).z);
  b.at.z = -low + 4e-4;
  const LooseBodies of({b});
  EXPECT_LE(disagreement(loose(of, on_ground(of.model, 0.5)), 1e-5), 1e-7);
}

TEST(ContactDerivatives, ABallSticks) {
  Loose b = ball("a", 2, 0.1, {0, 0, 0.1 + 2e-4});
  b.velocity = {0.1, 0.02, -1};
  b.turning = {0.1, 1, 3};
  const LooseBodies of({b});
  EXPECT_LE(disagreement(loose(of, on_ground(of.model, 0.9)), 1e-5), 1e-7);
}

}  // namespace
}  // namespace zwang::test
