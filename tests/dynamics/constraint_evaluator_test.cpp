// SPDX-License-Identifier: BSD-3-Clause
// The rows of a set without a solve are those of the reference, those that a solve sees, and do not need a mass matrix.
//
// Tolerance: a row is a sum over a path of up to 20 bodies, some 40 operations each, so 2000 eps of its terms.
#include "zwang/question/constraint_evaluator.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/mixed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
constexpr double k_row = 2000 * 2.2e-16;

TEST(ConstraintEvaluator, GivesTheRowsOfTheReferenceAndOfASolve) {
  int rows_seen = 0, with_position = 0;
  for (int seed = 1; seed <= effort(150); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 52000, 3 + seed % 12);
    MixedOptions o;
    o.drivers_left_out = o.other_singularities = o.prescribed = false;
    const Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 52000, o);
    ConstraintSet set = x.set(robot.model);
    const Posed posed = pose(robot, x);
    ConstraintEvaluator evaluator(robot.model, set);
    evaluator.evaluate(x.state.q, x.state.v);
    ASSERT_EQ(evaluator.rows(), posed.A.rows());
    Matrix J(evaluator.rows(), robot.model.nv());
    evaluator.jacobian(J);
    for (Index i = 0; i < evaluator.rows(); ++i) {
      const double scale = static_cast<double>(posed.A.row(i).cwiseAbs().maxCoeff()) + 10;
      EXPECT_TRUE(within(Vector(J.row(i)), Vector(posed.A.row(i).cast<double>()), k_row, scale)) << i;
      EXPECT_NEAR(evaluator.gamma()(i), static_cast<double>(posed.b(i)),
                  k_row * (static_cast<double>(posed.size(i)) + 100));
    }
    Solver solver(robot.model, set, x.settings);
    const Solution& s = solver.solve(x.input());
    Index i = 0, r = 0;
    for (const Constraint& c : set.constraints())
      for (Index k = 0; k < c.size(); ++k, ++r) {
        if (!c.active) continue;
        EXPECT_EQ(evaluator.constraint_name(i), c.name.value());
        EXPECT_EQ(evaluator.row_name(i), c.row_names[static_cast<std::size_t>(k)]);
        const double at = evaluator.position_error()(i), there = s.position_error(r);
        if (std::isfinite(there)) {
          ++with_position;
          EXPECT_NEAR(at, there, k_row * (std::fabs(there) + 100));
        } else {
          EXPECT_TRUE(std::isnan(at));
        }
        EXPECT_NEAR(evaluator.velocity_error()(i), s.velocity_error(r),
                    k_row * (J.row(i).cwiseAbs().dot(x.state.v.cwiseAbs()) + 100));
        ++i;
      }
    rows_seen += static_cast<int>(i);
    if (HasFailure()) return;
  }
  EXPECT_GT(rows_seen, effort(150));
  EXPECT_GT(with_position, 0);
}

TEST(FreeAcceleration, IsFromWhereGaussMeasures) {
  int compared = 0, moved = 0;
  for (int seed = 1; seed <= effort(100); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 61000, 3 + seed % 10);
    MixedOptions o;
    o.other_singularities = o.soft = false;
    Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 61000, o);
    ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set, x.settings);
    const Solution& s = solver.solve(x.input());
    Vector free(robot.model.nv());
    solver.free_acceleration(free);
    // Without rows, the same by a solver of its own, with wrenches, prescribed coordinates and joint effects.
    ConstraintSet none(robot.model);
    Solver alone(robot.model, none, x.settings);
    const Vector expected = alone.solve(x.input()).acceleration;
    const double size = 1 + expected.cwiseAbs().maxCoeff();
    // The two sweeps may be of different instruction sets: their roundings times the condition of M, here below 1e5.
    EXPECT_TRUE(within(free, expected, 1e-10, size));
    Data data(robot.model);
    Matrix M(robot.model.nv(), robot.model.nv());
    mass_matrix(robot.model, data, x.state.q, M, x.settings.joint_effects);
    const Vector d = s.acceleration - free;
    const double Z = 0.5 * d.dot(M * d);
    EXPECT_NEAR(s.zwang, Z, 1e-8 * (Z + 1e-3 * size * size));
    const Vector again = s.acceleration;
    EXPECT_EQ(again, Vector(solver.solution().acceleration)) << "the solution stays";
    Vector once_more(robot.model.nv());
    solver.free_acceleration(once_more);
    EXPECT_EQ(once_more, free);
    ++compared;
    moved += d.norm() > 1e-6;
    if (HasFailure()) return;
  }
  EXPECT_GT(moved, compared / 2);
}

TEST(ConstraintEvaluator, NeedsNoMass) {
  RobotDescription robot = sample("arm7");
  for (LinkDescription& link : robot.links) link.mass = 0, link.inertia = Sym3<double>::zero();
  const Model light = build(robot), heavy = build(sample("arm7"));
  const Vector q = Vector::Constant(light.nq(), 0.3), v = Vector::Constant(light.nv(), -0.7);
  const auto rows = [&](const Model& m) {
    ConstraintSet set(m);
    set.add(FrameConstraint{.name = "tool", .frame = m.links().back().name, .rows = zwang::rows("linear angular.z")});
    ConstraintEvaluator evaluator(m, set);
    evaluator.evaluate(q, v);
    Matrix all(evaluator.rows(), m.nv() + 1);
    evaluator.jacobian(all.leftCols(m.nv()));
    all.rightCols(1) = evaluator.gamma();
    return all;
  };
  EXPECT_EQ(rows(light), rows(heavy));
}

TEST(ConstraintEvaluator, FollowsTheSetAndRefusesWhatIsWrong) {
  const Model arm = build(sample("arm7"));
  const Vector q = Vector::Constant(arm.nq(), 0.3), v = Vector::Zero(arm.nv());
  ConstraintSet set(arm);
  const std::string tip = arm.links().back().name;
  set.add(FrameConstraint{.name = "a", .frame = tip, .rows = zwang::rows("linear")});
  set.add(FrameConstraint{.name = "b", .frame = tip, .rows = zwang::rows("angular")});
  ConstraintEvaluator evaluator(arm, set);
  EXPECT_THROW(evaluator.rows(), std::logic_error);
  evaluator.evaluate(q, v);
  EXPECT_EQ(evaluator.rows(), 6);
  const double before = evaluator.gamma()(4);
  set["a"].active = false;
  set["b"].beta = std::vector<double>{1, 2, 3};
  evaluator.evaluate(q, v);
  EXPECT_EQ(evaluator.rows(), 3);
  EXPECT_EQ(evaluator.gamma()(1), before + 2);
  EXPECT_EQ(evaluator.constraint_name(0), "b");
  EXPECT_THROW(evaluator.row_name(3), std::invalid_argument);
  EXPECT_THROW(evaluator.evaluate(q.head(2), v), std::invalid_argument);
  EXPECT_THROW(evaluator.rows(), std::logic_error) << "after a throw there are no values";
  Vector bad = v;
  bad(1) = std::nan("");
  EXPECT_THROW(evaluator.evaluate(q, bad), std::invalid_argument);
  evaluator.evaluate(q, v);
  Matrix small(2, 2);
  EXPECT_THROW(evaluator.jacobian(small), std::invalid_argument);
  ConstraintEvaluator moved = std::move(evaluator);
  EXPECT_EQ(moved.rows(), 3);
  EXPECT_THROW(evaluator.evaluate(q, v), std::logic_error);
  const Model other = build(sample("quadruped"));
  EXPECT_THROW(ConstraintEvaluator(other, set), WorkspaceMismatch);
}

}  // namespace
}  // namespace zwang::test
