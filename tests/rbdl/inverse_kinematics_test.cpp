// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics of sets of targets against poses that the test forms itself.
#include "support.hpp"

namespace rbdl_test {
namespace {

/// A tree at Q, and the Q from which a search begins.
struct Search {
  explicit Search(unsigned seed) : draw(seed), model(draw.model(16, true)), q(draw.q(model)), found(model.q_size) {
    const VectorNd step = 0.2 * draw.numbers(model.dof_count);
    start = moved(model, q, step, 0 * step, 1);
    last = static_cast<unsigned int>(model.mBodies.size()) - 1;
  }
  Vector3d at(unsigned int id, const Vector3d& point, const VectorNd& Q) const {
    return (body_pose(model, id, Q) * point.homogeneous()).head<3>();
  }
  Matrix3d E(unsigned int id, const VectorNd& Q) const {
    return body_pose(model, id, Q).topLeftCorner<3, 3>().transpose();
  }
  Vector3d centre(const VectorNd& Q) const {
    Vector3d sum = Vector3d::Zero();
    double mass = 0;
    for (unsigned int i = 1; i < model.mBodies.size(); ++i) {
      sum += model.mBodies[i].mMass * at(i, model.mBodies[i].mCenterOfMass, Q);
      mass += model.mBodies[i].mMass;
    }
    return sum / mass;
  }
  Draw draw;
  Model model;
  VectorNd q, start, found;
  unsigned int last;
};

TEST(RbdlInverseKinematics, EveryKindOfTargetIsReached) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Search s(seed);
    const Vector3d p = s.draw.vector(), r = s.draw.vector(), z = s.draw.vector();
    const Vector3d centre = s.centre(s.q);
    InverseKinematicsConstraintSet set;
    EXPECT_EQ(set.AddFullConstraint(s.last, p, s.at(s.last, p, s.q), s.E(s.last, s.q)), 0u);
    EXPECT_EQ(set.AddPointConstraint(5, r, s.at(5, r, s.q), 0.5f), 1u);
    EXPECT_EQ(set.AddOrientationConstraint(8, s.E(8, s.q)), 2u);
    EXPECT_EQ(set.AddPointConstraintZ(9, z, s.at(9, z, s.q)), 3u);
    EXPECT_EQ(set.AddPointConstraintCoMXY(0, centre), 4u);
    EXPECT_EQ(set.AddPointConstraintXY(4, z, s.at(4, z, s.q)), 5u);
    EXPECT_EQ(set.num_constraints, 6u + 3 + 3 + 1 + 2 + 2);
    // Where rows nearly depend the error falls slower than quadratically.
    set.max_steps = 2000;
    EXPECT_TRUE(InverseKinematics(s.model, s.start, set, s.found)) << seed;
    EXPECT_LT(set.error_norm, 1e-9) << seed;
    EXPECT_GT(set.num_steps, 0u);
    const auto seen = [&](unsigned int id, const Vector3d& x) { return s.at(id, x, s.found); };
    EXPECT_LT(difference(seen(s.last, p), s.at(s.last, p, s.q)), 1e-8) << seed;
    EXPECT_LT(difference(s.E(s.last, s.found), s.E(s.last, s.q)), 1e-8) << seed;
    EXPECT_LT(difference(seen(5, r), s.at(5, r, s.q)), 1e-8) << seed;
    EXPECT_LT(difference(s.E(8, s.found), s.E(8, s.q)), 1e-8) << seed;
    EXPECT_LT(std::fabs(seen(9, z)[2] - s.at(9, z, s.q)[2]), 1e-8) << seed;
    EXPECT_LT((s.centre(s.found) - centre).head<2>().norm(), 1e-8) << seed;
    EXPECT_LT((seen(4, z) - s.at(4, z, s.q)).head<2>().norm(), 1e-8) << seed;
  }
}

// A cart that is drawn to two places: the sum of (w (target - x))^2 is least at their mean by w^2.
TEST(RbdlInverseKinematics, WeightsDecideBetweenTargetsThatExcludeEachOther) {
  Model model;
  const unsigned int cart = model.AddBody(0, SpatialTransform(), Joint(JointTypePrismatic, Vector3d(1, 0, 0)),
                                          Body(1., Vector3d::Zero(), Vector3d(1., 1., 1.)));
  InverseKinematicsConstraintSet set;
  set.AddPointConstraint(cart, Vector3d::Zero(), Vector3d(1, 0, 0), 1.f);
  set.AddPointConstraint(cart, Vector3d::Zero(), Vector3d(3, 0, 0), 2.f);
  VectorNd x(1);
  EXPECT_TRUE(InverseKinematics(model, VectorNd::Zero(1), set, x));  // by the length of the step
  // The damping, half the squared error that is left, lets the last steps fall by a third each.
  EXPECT_NEAR(x[0], (1. * 1 + 4. * 3) / 5, 1e-11);
  EXPECT_NEAR(set.error_norm, std::sqrt(1.6 * 1.6 + 0.8 * 0.8), 1e-9);
  set.max_steps = 1;
  EXPECT_FALSE(InverseKinematics(model, VectorNd::Zero(1), set, x));
  EXPECT_EQ(set.num_steps, 1u);
  EXPECT_EQ(set.ClearConstraints(), 0u);
  EXPECT_TRUE(InverseKinematics(model, VectorNd::Constant(1, 4), set, x));
  EXPECT_EQ(x[0], 4);
  VectorNd wrong(2);
  EXPECT_THROW(InverseKinematics(model, x, set, wrong), Errors::RBDLSizeMismatchError);
}

TEST(RbdlInverseKinematics, TheVectorOfARotationIsAxisTimesAngle) {
  Draw draw(3);
  for (double angle : {0., 1e-9, 0.3, 2., 3.1}) {
    const Vector3d axis = draw.axis();
    const Matrix3d R(Eigen::AngleAxisd(angle, axis).toRotationMatrix());
    EXPECT_LT((CalcAngularVelocityfromMatrix(R) - angle * axis).norm(), 1e-13) << angle;
  }
}

}  // namespace
}  // namespace rbdl_test
