// SPDX-License-Identifier: BSD-3-Clause
// is_fully_actuated against the rank of [B J^T] by singular values of the rows that an evaluator gives.
#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "dynamics/imposed.hpp"
#include "support/effort.hpp"
#include "support/robots.hpp"
#include "support/says.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/constrained_inverse_dynamics.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang::test {
namespace {

/// The rank of the columns, and whether a singular value leaves it open.
struct Rank {
  explicit Rank(Eigen::MatrixXd A) {
    for (Eigen::Index c = 0; c < A.cols(); ++c)
      if (A.col(c).norm() > 0) A.col(c).normalize();
    const Eigen::VectorXd s = Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues();
    for (const double x : s) rank += x > 1e-9, doubtful = doubtful || (x > 1e-13 && x < 1e-5);
  }
  Eigen::Index rank = 0;
  bool doubtful = false;
};

TEST(IsFullyActuated, SaysWhetherMotorsAndRowsSpanTheEquationsOfMotion) {
  int yes = 0, no = 0;
  const int tried = effort(300, 30);
  for (int seed = 0; seed < tried; ++seed) {
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed), 1 + seed % 6);
    const Model& m = robot.model;
    const Imposed x = random_imposed_with_loops(robot, static_cast<std::uint64_t>(seed));
    ConstraintSet set = x.set(m);
    if (m.nv() == 0) continue;
    Random random(static_cast<std::uint64_t>(seed) + 5);
    std::vector<std::string> motors;
    const int few = random.below(3);
    for (const Joint& j : m.joints())
      if (j.mimic.leader.empty() && j.v.size > 0 && random.below(3) > few) motors.push_back(j.name);
    if (motors.empty()) motors.push_back(m.coordinate_names()[0]);
    for (const Constraint& c : set.constraints())
      if (random.below(3) == 0) set[c.name].role = Role::driver;
    ConstraintEvaluator evaluator(m, set);
    evaluator.evaluate(x.state.q, x.state.v);
    Eigen::MatrixXd J(evaluator.rows(), m.nv());
    evaluator.jacobian(J);
    // What a row's sense, limit or cause left out says is of no account.
    for (const Constraint& c : set.constraints()) {
      Constraint& held = set[c.name];
      if (random.below(3) == 0) held.sense = std::vector<Sense>(held.row_names.size(), Sense::at_least);
      if (random.below(3) == 0) held.compensate.tau = false;
    }
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(m.nv(), m.nv() + set.rows());
    const std::vector<bool> driven = actuated_coordinates(m, motors);
    for (Index k = 0; k < m.nv(); ++k) A(k, k) = driven[static_cast<std::size_t>(k)] ? 1 : 0;
    Index row = 0;
    for (const Constraint& c : set.constraints())
      for (Index i = 0; i < c.size() && c.active; ++i, ++row)
        if (c.role == Role::physical) A.col(m.nv() + row) = J.row(row).transpose();
    const Rank expected(A);
    if (expected.doubtful) continue;
    const bool all = expected.rank == m.nv();
    EXPECT_EQ(is_fully_actuated(m, set, x.state.q, motors), all) << "seed " << seed;
    Eigen::MatrixXd columns(m.nv(), static_cast<Eigen::Index>(std::count(driven.begin(), driven.end(), true)));
    for (Index k = 0, c = 0; k < m.nv(); ++k)
      if (driven[static_cast<std::size_t>(k)]) columns.col(c++) = A.col(k);
    EXPECT_EQ(is_fully_actuated(m, set, x.state.q, ActuationMap(columns)), all) << "seed " << seed;
    (all ? yes : no) += 1;
  }
  EXPECT_GT(yes, tried / 15);
  EXPECT_GT(no, tried / 15);
}

TEST(IsFullyActuated, AQuadrupedIsOnThreeFeetAndNotInTheAir) {
  LoadOptions options;
  options.root = "floating";
  const Model dog = load(models_folder() + "/quadruped.urdf", options);
  const Eigen::VectorXd q = neutral(dog);
  ConstraintSet set(dog);
  EXPECT_FALSE(is_fully_actuated(dog, set, q));
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot"})
    set.add(ContactConstraint{.name = foot, .frame = foot, .sense = {Sense::at_least}});
  EXPECT_TRUE(is_fully_actuated(dog, set, q));
  set["LH_foot"].active = false;
  EXPECT_FALSE(is_fully_actuated(dog, set, q)) << "it tilts about the line between two feet";
  EXPECT_SAYS("argument 'q'", is_fully_actuated(dog, set, q.head(3)));
  EXPECT_SAYS("did you mean", is_fully_actuated(dog, set, q, {"LF_kne"}));
}

}  // namespace
}  // namespace zwang::test
