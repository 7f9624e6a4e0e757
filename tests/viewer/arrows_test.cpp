// SPDX-License-Identifier: BSD-3-Clause
// Arrows: the wrench at its point does to the coordinates what J^T lambda does.
#include "viewer/arrows.hpp"

#include <gtest/gtest.h>

#include "support/robots.hpp"
#include "zwang/core/random.hpp"
#include "zwang/mechanisms.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

/// J^T of a force and a moment at a point of the body that a frame is fixed to.
Eigen::VectorXd generalised(const Model& m, const Eigen::VectorXd& q, const std::string& frame,
                            const viewer::Arrow& a) {
  Data data(m);
  const Transform<double> X = frame_pose(m, data, q, frame);
  Eigen::MatrixXd J(6, m.nv());
  jacobian(m, data, q, frame, Reference::local_world_aligned, J);
  const Vec3<double> moment = a.moment + cross(a.point - X.p, a.force);
  Eigen::VectorXd w(6);
  w << a.force[0], a.force[1], a.force[2], moment[0], moment[1], moment[2];
  return J.transpose() * w;
}
Eigen::VectorXd of_rows(const Model& m, const ConstraintSet& set, const Eigen::VectorXd& q,
                        const Eigen::VectorXd& lambda) {
  ConstraintEvaluator rows(m, set);
  rows.evaluate(q, Eigen::VectorXd::Zero(m.nv()));
  Eigen::MatrixXd J(rows.rows(), m.nv());
  rows.jacobian(J);
  return J.transpose() * lambda;
}
std::vector<viewer::Arrow> arrows_at(const Model& m, const ConstraintSet& set, const Eigen::VectorXd& q,
                                     const Eigen::VectorXd& lambda) {
  Data data(m);
  forward_kinematics(m, data, q, Eigen::VectorXd::Zero(m.nv()));
  return viewer::Arrows(m, set).at(data, q.data(), lambda.data());
}

TEST(Arrows, AreTheForcesOfRowsOnABody) {
  const Model m = load(model_file("quadruped.urdf"), LoadOptions{{.root = "floating"}});
  const Eigen::VectorXd q = random(m, 3);
  Random g(1);
  for (const char* in : {"world", "local", "local_world_aligned", "LF_foot"}) {
    ConstraintSet set(m);
    set.add(FrameConstraint{.name = "held", .frame = "RH_foot", .rows = rows("all"), .in = in});
    set.add(ContactConstraint{.name = "foot", .frame = "LH_foot", .normal = {0.1, 0.2, 1}});
    Eigen::VectorXd lambda(set.rows());
    for (double& x : lambda) x = g.uniform(-1, 1);
    const std::vector<viewer::Arrow> arrows = arrows_at(m, set, q, lambda);
    ASSERT_EQ(arrows.size(), 2u);
    const Eigen::VectorXd sum = generalised(m, q, "RH_foot", arrows[0]) + generalised(m, q, "LH_foot", arrows[1]);
    EXPECT_LT((sum - of_rows(m, set, q, lambda)).norm(), 1e-13) << in;
  }
}

TEST(Arrows, AreTheForcesBetweenBodies) {
  const Model m = load(model_file("four_bar.urdf"));
  ConstraintSet set(m);
  set.add(
      LoopConstraint{.name = "pin", .frame = "rod_end", .other = "crank_pin", .rows = joint_rows("hinge", {0, 0, 1})});
  Eigen::VectorXd q = neutral(m);
  Assembler assembler(m, set);
  q = assembler.assemble(q).q;  // both frames are in one place
  Random g(2);
  Eigen::VectorXd lambda(set.rows());
  for (double& x : lambda) x = g.uniform(-1, 1);
  const viewer::Arrow a = arrows_at(m, set, q, lambda).at(0);
  const Eigen::VectorXd sum = generalised(m, q, "rod_end", a) - generalised(m, q, "crank_pin", a);
  EXPECT_LT((sum - of_rows(m, set, q, lambda)).norm(), 1e-12);
}

TEST(Arrows, RowsOnCoordinatesHaveNoPlace) {
  const Model m = load(model_file("arm7.urdf"));
  ConstraintSet set(m);
  set.add(JointConstraint{.name = "posture", .coordinates = {"joint1"}});
  set.add(FrameConstraint{.name = "held", .frame = "tool0", .rows = rows("linear")});
  const viewer::Arrows arrows(m, set);
  EXPECT_EQ(arrows.names(), std::vector<std::string>{"held"});
  // The multipliers of the second constraint begin after those of the first.
  const Eigen::Vector4d lambda(7, 1, 2, 3);
  const viewer::Arrow a = arrows_at(m, set, neutral(m), lambda).at(0);
  EXPECT_NEAR(std::sqrt(dot(a.force, a.force)), std::sqrt(14.0), 1e-13);
}

}  // namespace
}  // namespace zwang::test
