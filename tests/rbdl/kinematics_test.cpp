// SPDX-License-Identifier: BSD-3-Clause
// Kinematics against differences of poses that the test forms itself. Tolerances: support.hpp, Rates.
#include "support.hpp"

namespace rbdl_test {
namespace {

std::vector<unsigned int> all_ids(const Model& m) {
  std::vector<unsigned int> out;
  for (unsigned int i = 0; i < m.mBodies.size(); ++i) out.push_back(i);
  for (unsigned int k = 0; k < m.mFixedBodies.size(); ++k) out.push_back(m.fixed_body_discriminator + k);
  return out;
}

TEST(RbdlKinematics, PointsOfEveryBodyAreWhereTheJointsLeadThem) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Draw draw(seed);
    Model m = draw.model(15, seed % 2 == 0);
    const VectorNd q = draw.q(m), v = draw.numbers(m.dof_count), a = draw.numbers(m.dof_count);
    for (unsigned int id : all_ids(m)) {
      const Rates r = rates(m, id, q, v, a);
      const Vector3d point = draw.vector(), base = r.p(point);
      EXPECT_LT(difference(CalcBodyToBaseCoordinates(m, q, id, point), base), 1e-13) << seed << ' ' << id;
      EXPECT_LT(difference(CalcBaseToBodyCoordinates(m, q, id, base), point), 1e-13) << seed << ' ' << id;
      EXPECT_LT(difference(CalcBodyWorldOrientation(m, q, id), r.R().transpose()), 1e-13) << seed << ' ' << id;
      const SpatialVector V = CalcPointVelocity6D(m, q, v, id, point),
                          A = CalcPointAcceleration6D(m, q, v, a, id, point);
      EXPECT_LT(difference(V.head<3>(), r.omega()), 1e-9) << seed << ' ' << id;
      EXPECT_LT(difference(V.tail<3>(), r.velocity(point)), 1e-9) << seed << ' ' << id;
      EXPECT_LT(difference(A.head<3>(), r.alpha()), 1e-6) << seed << ' ' << id;
      EXPECT_LT(difference(A.tail<3>(), r.acceleration(point)), 1e-6) << seed << ' ' << id;
      EXPECT_EQ(CalcPointVelocity(m, q, v, id, point), Vector3d(V.tail<3>()));
      EXPECT_EQ(CalcPointAcceleration(m, q, v, a, id, point), Vector3d(A.tail<3>()));
    }
  }
}

TEST(RbdlKinematics, JacobiansAreInTheOrderInWhichJointsWereAdded) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Draw draw(seed);
    Model m = draw.model(14, seed % 2 == 0);
    const VectorNd q = draw.q(m);
    for (unsigned int id : all_ids(m)) {
      const Vector3d point = draw.vector();
      const MatrixNd expected = jacobian(m, id, point, q);
      MatrixNd G = MatrixNd::Constant(3, m.dof_count, 7), G6 = MatrixNd::Constant(6, m.dof_count, 7), body = G6;
      CalcPointJacobian(m, q, id, point, G);
      CalcPointJacobian6D(m, q, id, point, G6);
      CalcBodySpatialJacobian(m, q, id, body);
      EXPECT_LT(difference(G, expected.bottomRows<3>()), 1e-9) << seed << ' ' << id;
      EXPECT_LT(difference(G6, expected), 1e-9) << seed << ' ' << id;
      // The body's own frame sees the Jacobian of its origin in its axes.
      MatrixNd seen = jacobian(m, id, Vector3d::Zero(), q);
      const Matrix3d E = body_pose(m, id, q).topLeftCorner<3, 3>().transpose();
      seen.topRows<3>() = E * seen.topRows<3>();
      seen.bottomRows<3>() = E * seen.bottomRows<3>();
      EXPECT_LT(difference(body, seen), 1e-9) << seed << ' ' << id;
    }
  }
}

TEST(RbdlKinematics, WithoutAnUpdateTheLastStateCounts) {
  Draw draw(3);
  Model m = draw.model(14, true), fresh = m;
  const VectorNd q = draw.q(m), v = draw.numbers(m.dof_count), a = draw.numbers(m.dof_count), other = draw.q(m);
  const unsigned int id = static_cast<unsigned int>(m.mBodies.size()) - 1;
  const Vector3d point = draw.vector();
  UpdateKinematics(m, q, v, a);
  EXPECT_EQ(CalcBodyToBaseCoordinates(m, other, id, point, false), CalcBodyToBaseCoordinates(fresh, q, id, point));
  EXPECT_EQ(CalcPointAcceleration6D(m, other, a, v, id, point, false),
            CalcPointAcceleration6D(fresh, q, v, a, id, point));
  // Dynamics leaves its state behind, and no other.
  VectorNd tau(m.dof_count);
  InverseDynamics(m, other, v, a, tau);
  EXPECT_EQ(CalcBodyToBaseCoordinates(m, q, id, point, false), CalcBodyToBaseCoordinates(fresh, other, id, point));
  UpdateKinematicsCustom(m, &q, nullptr, nullptr);
  EXPECT_EQ(CalcPointVelocity(m, other, a, id, point, false), CalcPointVelocity(fresh, q, v, id, point));
}

TEST(RbdlKinematics, MembersOfTheModelAreThoseOfTheState) {
  Draw draw(4);
  Model m = draw.model(15, true);
  const VectorNd q = draw.q(m), v = draw.numbers(m.dof_count), a = draw.numbers(m.dof_count);
  UpdateKinematics(m, q, v, a);
  for (unsigned int i = 1; i < m.mBodies.size(); ++i) {
    const Pose X = body_pose(m, i, q), in_parent = body_pose(m, m.lambda[i], q).inverse() * X;
    EXPECT_LT(difference(m.X_base[i].E.transpose(), X.topLeftCorner<3, 3>()), 1e-13);
    EXPECT_LT(difference(m.X_base[i].r, X.topRightCorner<3, 1>()), 1e-13);
    EXPECT_LT(difference(m.X_lambda[i].E.transpose(), in_parent.topLeftCorner<3, 3>()), 1e-13);
    EXPECT_LT(difference(m.X_lambda[i].r, in_parent.topRightCorner<3, 1>()), 1e-13);
    const SpatialVector V = CalcPointVelocity6D(m, q, v, i, Vector3d::Zero(), false);
    const SpatialVector A = CalcPointAcceleration6D(m, q, v, a, i, Vector3d::Zero(), false);
    SpatialVector seen, rate;
    seen << m.X_base[i].E * V.head<3>(), m.X_base[i].E * V.tail<3>();
    rate << m.X_base[i].E * A.head<3>(), m.X_base[i].E * (A.tail<3>() - V.head<3>().cross(V.tail<3>()));
    EXPECT_LT(difference(m.v[i], seen), 1e-13);
    EXPECT_LT(difference(m.a[i], rate), 1e-12);
  }
  for (unsigned int k = 0; k < m.mFixedBodies.size(); ++k) {
    const Pose X = body_pose(m, m.fixed_body_discriminator + k, q);
    EXPECT_LT(difference(m.mFixedBodies[k].mBaseTransform.E.transpose(), X.topLeftCorner<3, 3>()), 1e-13);
    EXPECT_LT(difference(m.mFixedBodies[k].mBaseTransform.r, X.topRightCorner<3, 1>()), 1e-13);
  }
}

TEST(RbdlKinematics, InverseKinematicsReachesWhatCanBeReached) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Draw draw(seed);
    Model m;
    for (int k = 0; k < 7; ++k)
      m.AppendBody(draw.transform(), k == 3 ? Joint(JointTypeSpherical) : Joint(JointTypeRevolute, draw.axis()),
                   draw.body());
    VectorNd q = draw.q(m), found(m.q_size);
    const VectorNd start = moved(m, q, VectorNd(0.1 * draw.numbers(m.dof_count)), VectorNd::Zero(m.dof_count), 1);
    const std::vector<unsigned int> ids = {m.previously_added_body_id, m.previously_added_body_id, 3};
    const std::vector<Vector3d> points = {draw.vector(), draw.vector(), draw.vector()};
    std::vector<Vector3d> targets;
    for (std::size_t k = 0; k < 3; ++k) targets.push_back(CalcBodyToBaseCoordinates(m, q, ids[k], points[k]));
    EXPECT_TRUE(InverseKinematics(m, start, ids, points, targets, found, 1e-12, 0.01, 200)) << seed;
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_LT(difference(CalcBodyToBaseCoordinates(m, found, ids[k], points[k]), targets[k]), 1e-9) << seed;
    targets[0] += Vector3d(100, 0, 0);
    EXPECT_FALSE(InverseKinematics(m, start, ids, points, targets, found, 1e-12, 0.01, 5));
  }
}

}  // namespace
}  // namespace rbdl_test
