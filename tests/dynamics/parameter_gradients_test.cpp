// SPDX-License-Identifier: BSD-3-Clause
// The gradients that a solver without rows gives by parameters are the rows of the derivatives of forward dynamics by
// them: two algorithms, one by a sweep from the left, one by matrices. Mimic joints, shared or expanded. Tolerance:
// both apply M^-1, whose condition is below 1e5 here, to sums over 20 bodies: 1e-9 of the largest entry.
#include <gtest/gtest.h>

#include <cmath>

#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/passive.hpp"
#include "support/random.hpp"
#include "zwang/algorithm/parameter_derivatives.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

Model robot(std::uint64_t seed) {
  RandomRobot options;
  options.joints = 2 + static_cast<int>(seed % 7);
  options.mimic = 0.6;
  options.root = seed % 2 ? "floating" : "fixed";
  RobotDescription r = random_robot(seed, options);
  for (JointDescription& j : r.joints)  // parts of a composite joint may move alike: rotors keep M regular
    if (j.type == "composite") j.rotor_inertia = {0.05};
  if (seed % 2 == 1) add_passive_forces(r, seed);
  BuildOptions build_options;
  build_options.expand_mimic = seed % 3 == 0;
  return build(r, build_options);
}

/// Entries of joints that were merged are NaN on both sides.
void expect_near(const Vector& got, const Vector& want, const char* what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  double largest = 1;
  for (const double x : want)
    if (std::isfinite(x)) largest = std::fmax(largest, std::fabs(x));
  for (Eigen::Index k = 0; k < got.size(); ++k) {
    EXPECT_EQ(std::isnan(got(k)), std::isnan(want(k))) << what << ", " << k;
    if (std::isnan(want(k))) continue;
    EXPECT_LT(std::fabs(got(k) - want(k)), 1e-9 * largest) << what << ", " << k;
  }
}

TEST(GradientsByParameters, OfASolutionWithoutRowsAreThoseOfForwardDynamics) {
  int expanded = 0;
  for (int seed = 0; seed < effort(40, 24); ++seed) {
    SCOPED_TRACE(seed);
    const Model m = robot(static_cast<std::uint64_t>(seed));
    if (m.nv() == 0) continue;
    for (const Joint& j : m.joints()) expanded += m.options().expand_mimic && !j.description.mimic.leader.empty();
    const RandomState x = random_state(m, 3);
    Data data(m);
    const ConstraintSet none(m);
    Solver solver(m, none);
    ASSERT_EQ(solver.solve({.q = x.q, .v = x.v, .tau = x.tau}).report.status, Status::ok);
    const Vector w = x.a;
    const InputGradient& g = solver.vjp({.acceleration = w});
    ASSERT_EQ(g.status, Status::ok);
    const auto row = [&](Parameter p) {
      return Vector(forward_dynamics_parameter_derivatives(m, data, x.q, x.v, x.tau, p).transpose() * w);
    };
    expect_near(g.armature, row(Parameter::armature), "armature");
    expect_near(g.damping, row(Parameter::damping), "damping");
    expect_near(g.stiffness, row(Parameter::stiffness), "stiffness");
    expect_near(g.gravity, row(Parameter::gravity), "gravity");
    expect_near(g.inertial_parameters, row(Parameter::inertial_parameters), "inertial parameters");
    expect_near(Eigen::Map<const Vector>(g.placement.data(), g.placement.size()), row(Parameter::placement),
                "placement");
  }
  EXPECT_GT(expanded, 0);
}

}  // namespace
}  // namespace zwang::test
