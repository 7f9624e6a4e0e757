// SPDX-License-Identifier: BSD-3-Clause
// Rows that no motion affects, because the joints of their bodies already hold what they ask:
// their numbers are rounding.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "zwang/zwang.hpp"

namespace zwang {
namespace {

const std::string k_box =
    "<inertial><origin xyz='0.01 0.05 0.2'/><mass value='0.7'/><inertia ixx='0.02' iyy='0.02' izz='0.02' ixy='0' "
    "ixz='0' "
    "iyz='0'/></inertial></link>";

/// Two links: the second turns about `second` at `origin` of the first.
Model two_links(const std::string& first, const std::string& origin, const std::string& second) {
  return loads("<robot name='r'><link name='base'/><link name='A'>" + k_box + "<link name='B'>" + k_box +
               "<joint name='i' type='continuous'><origin xyz='0.1934 0.0465 0.1273'/><parent link='base'/><child "
               "link='A'/><axis xyz='" +
               first + "'/></joint><joint name='j' type='continuous'><origin " + origin +
               "/><parent link='A'/><child link='B'/><axis xyz='" + second + "'/></joint></robot>");
}

/// What every method says of a set at 100 states: the status and rank 0, and no force.
void expect_immovable(const Model& model, const ConstraintSet& set, Status status) {
  Data data(model);
  for (const std::string& method : methods()) {
    if (method == "pv_soft") continue;
    std::optional<Solver> solver;
    try {
      solver.emplace(model, set, SolverSettings{.method = method});
      for (unsigned seed = 0; seed < 100; ++seed) {
        const Eigen::VectorXd q = random(model, seed), v = Eigen::VectorXd::Ones(model.nv()), tau = 2 * v;
        const Solution& s = solver->solve({.q = q, .v = v, .tau = tau});
        ASSERT_EQ(s.report.status, status) << method << ", seed " << seed << ": " << s.report.explain();
        ASSERT_EQ(s.report.rank, 0) << method << ", seed " << seed;
        ASSERT_EQ(s.multipliers.cwiseAbs().maxCoeff(), 0) << method << ", seed " << seed;
        const Eigen::VectorXd free = forward_dynamics(model, data, q, v, tau);
        ASSERT_LE((s.acceleration - free).norm(), 1e-9 * free.norm()) << method << ", seed " << seed;
      }
    } catch (const UnsupportedError&) {}
  }
}

TEST(ImmovableRows, OfABallWhereAJointIs) {
  const Model model = two_links("0 0 1", "xyz='0 0.220941 0' rpy='0 1.57079632679 0'", "0 1 0");
  for (const bool swapped : {false, true}) {
    ConstraintSet set(model);
    set.add(LoopConstraint{
        .name = "ball", .frame = swapped ? "A" : "B", .other = swapped ? "B" : "A", .rows = rows("linear")});
    expect_immovable(model, set, Status::ok);
  }
}

TEST(ImmovableRows, AlongARadiusAskForWhatCannotBe) {
  const Model model = two_links("1 0 0", "xyz='0 0.0955 0'", "0 1 0");
  ConstraintSet set(model);
  set.add(FrameConstraint{.name = "radial", .frame = "B", .rows = rows("linear.y"), .in = "local", .beta = {0.01}});
  Data data(model);
  for (const std::string& method : methods()) {
    if (method == "pv_soft") continue;
    Solver solver(model, set, {.method = method});
    for (unsigned seed = 0; seed < 100; ++seed) {
      const Eigen::VectorXd q = random(model, seed), tau = Eigen::VectorXd::Ones(2);
      const Solution& s = solver.solve({.q = q, .tau = tau});
      ASSERT_EQ(s.report.status, Status::infeasible) << method << ", seed " << seed;
      ASSERT_EQ(s.report.rank, 0) << method << ", seed " << seed;
      ASSERT_EQ(s.multipliers[0], 0) << method << ", seed " << seed;
    }
  }
}

/// Springs at the joint of a link without inertia: what they add to its inertia is the square of a rounding.
TEST(ImmovableRows, GiveNoInertiaByTheirSprings) {
  for (int k = 0; k < 20; ++k) {
    const std::string axis = std::to_string(0.3 + 0.1 * k) + " " + std::to_string(-0.7 + 0.07 * k) + " 0.4";
    const Model model = loads(
        "<robot name='r'><link name='base'/><link name='A'>" + k_box + "<link name='B'/>" +
        "<joint name='i' type='continuous'><origin xyz='0.1934 0.0465 0.1273'/><parent link='base'/><child "
        "link='A'/><axis xyz='0.2 -0.5 1'/></joint><joint name='j' type='continuous'><origin xyz='0.31 0.22 0.17'/>"
        "<parent link='A'/><child link='B'/><axis xyz='" +
        axis + "'/></joint></robot>");
    ConstraintSet set(model);
    set.add(FrameConstraint{
        .name = "spring", .frame = "B", .rows = rows("linear"), .policy = Policy::soft, .compliance = {1e-2}});
    for (const std::string& method : methods()) {
      std::optional<Solver> solver;
      try {
        solver.emplace(model, set, SolverSettings{.method = method});
        const Eigen::VectorXd q = random(model, static_cast<unsigned>(k)), tau = Eigen::VectorXd::Ones(2);
        EXPECT_EQ(solver->solve({.q = q, .tau = tau}).report.status, Status::singular_mass) << method << ", " << k;
      } catch (const UnsupportedError&) {}
    }
  }
}

}  // namespace
}  // namespace zwang
