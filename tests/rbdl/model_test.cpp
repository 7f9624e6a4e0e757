// SPDX-License-Identifier: BSD-3-Clause
// Ids, names, the place of coordinates in q, bodies that join, and what is refused.
#include <rbdl/rbdl_utils.h>
#include <limits>

#include "support.hpp"

namespace rbdl_test {
namespace {

TEST(RbdlModel, EveryAxisOfAJointHasABodyAndTheLastOneIsTheUsers) {
  Draw draw(1);
  Model m;
  const auto axis = [](int k) { return SpatialVector(SpatialVector::Unit(k)); };
  const Joint six(axis(3), axis(4), axis(5), axis(2), axis(1), axis(0));
  const unsigned int pelvis = m.AddBody(0, draw.transform(), six, draw.body(), "pelvis");
  EXPECT_EQ(pelvis, 6U);
  const unsigned int leg = m.AppendBody(draw.transform(), Joint(axis(0), axis(1)), draw.body(), "leg");
  EXPECT_EQ(leg, 8U);
  const unsigned int foot = m.AppendBody(draw.transform(), Joint(JointTypeFixed), draw.body(), "foot");
  EXPECT_EQ(foot, m.fixed_body_discriminator);
  const unsigned int toe = m.AppendBody(draw.transform(), Joint(JointTypeSpherical), draw.body(), "toe");
  EXPECT_EQ(toe, 9U);
  const unsigned int ball = m.AddBody(pelvis, draw.transform(), Joint(JointTypeSpherical), draw.body(), "ball");
  EXPECT_EQ(m.dof_count, 14U);
  EXPECT_EQ(m.q_size, 16U);
  EXPECT_EQ(m.qdot_size, 14U);
  EXPECT_EQ(m.multdof3_w_index[toe], 14U);
  EXPECT_EQ(m.multdof3_w_index[ball], 15U);
  EXPECT_EQ(m.lambda[toe], leg);
  EXPECT_EQ(m.mJoints[toe].q_index, 8U);
  EXPECT_TRUE(m.mBodies[7].mIsVirtual);
  EXPECT_EQ(m.GetParentBodyId(leg), pelvis);
  EXPECT_EQ(m.GetParentBodyId(foot), leg);
  EXPECT_EQ(m.GetBodyId("foot"), foot);
  EXPECT_EQ(m.GetBodyName(foot), "foot");
  EXPECT_EQ(m.GetBodyId("hand"), std::numeric_limits<unsigned int>::max());
  EXPECT_TRUE(m.IsFixedBodyId(foot));
  EXPECT_FALSE(m.IsFixedBodyId(leg));
  EXPECT_TRUE(m.IsBodyId(foot));
  EXPECT_FALSE(m.IsBodyId(11));
  EXPECT_FALSE(m.IsBodyId(foot + 1));
  EXPECT_EQ(m.GetJointFrame(pelvis).r, m.X_T[1].r);
  EXPECT_EQ(Utils::GetBodyName(m, 3), "pelvis");
  EXPECT_NE(Utils::GetModelDOFOverview(m).find("7: leg_RY"), std::string::npos);
  EXPECT_NE(Utils::GetModelHierarchy(m).find("foot [fixed]"), std::string::npos);

  VectorNd q = VectorNd::Zero(m.q_size);
  const Quaternion turn = Quaternion::fromAxisAngle(draw.axis(), 1.1);
  m.SetQuaternion(ball, turn, q);
  EXPECT_EQ(Vector4d(m.GetQuaternion(ball, q)), Vector4d(turn));
  EXPECT_EQ(q[15], turn[3]);
  EXPECT_THROW(m.GetQuaternion(leg, q), Errors::RBDLDofMismatchError);
}

/// A body on a fixed joint weighs as much as the same mass added to its carrier, and so do the setters.
TEST(RbdlModel, FixedBodiesAndSettersChangeTheMassThatMoves) {
  Draw draw(5);
  Model m = draw.model(10, true);
  const unsigned int id = m.AddBody(3, draw.transform(), Joint(JointTypeFixed), draw.body(), "tool");
  const unsigned int carrier = m.GetParentBodyId(id);
  const VectorNd q = draw.q(m), v = draw.numbers(m.dof_count), a = draw.numbers(m.dof_count);
  VectorNd tau(m.dof_count);
  const auto check = [&](const char* what) {
    InverseDynamics(m, q, v, a, tau);
    EXPECT_LT(difference(tau, alembert(m, q, v, a)), 1e-6) << what;
  };
  check("as built");
  const double before = m.GetBodyMass(carrier), own = m.GetBodyMass(id);
  m.SetBodyMass(id, own + 2);
  EXPECT_NEAR(m.GetBodyMass(carrier), before + 2, 1e-13);
  check("mass of a fixed body");
  m.SetBodyInertialParameters(id, own, draw.body().mInertia, draw.vector());
  check("all of a fixed body");
  m.SetBodyCenterOfMass(carrier, draw.vector());
  check("centre");
  m.SetBodyInertia(carrier, draw.body().mInertia);
  check("inertia");
  m.SetJointFrame(5, draw.transform());
  check("a joint's frame");

  Body one = draw.body();
  const Body two = draw.body(), kept = one;
  const SpatialTransform X = draw.transform();
  one.Join(X, two);
  EXPECT_NEAR(one.mMass, kept.mMass + two.mMass, 1e-14);
  EXPECT_LT(
      difference(Vector3d(one.mMass * one.mCenterOfMass),
                 Vector3d(kept.mMass * kept.mCenterOfMass + two.mMass * (X.r + X.E.transpose() * two.mCenterOfMass))),
      1e-14);
  one.Separate(X, two);
  EXPECT_LT(difference(one.mInertia, kept.mInertia), 1e-13);
}

TEST(RbdlModel, ACopyHasAStateOfItsOwn) {
  Draw draw(6);
  Model m = draw.model(9);
  const VectorNd q = draw.q(m), other = draw.q(m);
  const Vector3d here = CalcBodyToBaseCoordinates(m, q, 4, Vector3d::Zero());
  Model copy = m;
  CalcBodyToBaseCoordinates(copy, other, 4, Vector3d::Zero());
  EXPECT_EQ(CalcBodyToBaseCoordinates(m, other, 4, Vector3d::Zero(), false), here);
  copy.AppendBody(draw.transform(), Joint(JointTypeRevoluteX), draw.body());
  EXPECT_EQ(copy.dof_count, m.dof_count + 1);
  EXPECT_EQ(CalcBodyToBaseCoordinates(m, q, 4, Vector3d::Zero()), here);
}

/// Zero where a quaternion is expected is what VectorNd::Zero gives, and means no turn.
TEST(RbdlModel, AQuaternionCountsByItsDirectionAndZeroIsNoTurn) {
  Draw draw(7);
  Model m;
  const unsigned int id = m.AddBody(0, draw.transform(), Joint(JointTypeSpherical), draw.body());
  const VectorNd zero = VectorNd::Zero(4), unit = VectorNd::Unit(4, 3), q = draw.q(m);
  const Vector3d point = draw.vector();
  EXPECT_EQ(CalcBodyToBaseCoordinates(m, zero, id, point), CalcBodyToBaseCoordinates(m, unit, id, point));
  EXPECT_LT(
      difference(CalcBodyToBaseCoordinates(m, VectorNd(3 * q), id, point), CalcBodyToBaseCoordinates(m, q, id, point)),
      1e-14);
}

TEST(RbdlModel, WhatHasNoMeaningIsRefused) {
  Draw draw(8);
  Model m = draw.model(6);
  const VectorNd q = draw.q(m), none = VectorNd::Zero(m.dof_count), shorter = VectorNd::Zero(m.dof_count - 1);
  const Body body = draw.body();
  VectorNd out(m.dof_count);
  MatrixNd G(3, m.dof_count), H(m.dof_count, m.dof_count - 1);
  std::vector<SpatialVector> few(2);
  const std::size_t bodies = m.mBodies.size();
  EXPECT_THROW(CalcBodyToBaseCoordinates(m, shorter, 1, Vector3d::Zero()), Errors::RBDLSizeMismatchError);
  EXPECT_THROW(CalcBodyToBaseCoordinates(m, q, 77, Vector3d::Zero()), Errors::RBDLInvalidParameterError);
  EXPECT_THROW(CalcPointJacobian6D(m, q, 1, Vector3d::Zero(), G), Errors::RBDLSizeMismatchError);
  EXPECT_THROW(CompositeRigidBodyAlgorithm(m, q, H), Errors::RBDLSizeMismatchError);
  EXPECT_THROW(InverseDynamics(m, q, none, shorter, out), Errors::RBDLSizeMismatchError);
  EXPECT_THROW(InverseDynamics(m, q, none, none, out, &few), Errors::RBDLSizeMismatchError);
  EXPECT_THROW(ForwardDynamics(m, VectorNd(q * std::nan("")), none, none, out), std::invalid_argument);
  EXPECT_THROW(m.AddBody(77, SpatialTransform(), Joint(JointTypeRevoluteX), body), Errors::RBDLInvalidParameterError);
  EXPECT_THROW(m.AddBody(0, SpatialTransform(), Joint(), body), Errors::RBDLInvalidParameterError);
  EXPECT_THROW(m.AddBody(0, SpatialTransform(), Joint(JointTypeFloatingBase), body, "body0"),
               Errors::RBDLInvalidParameterError);
  EXPECT_EQ(m.mBodies.size(), bodies);  // nothing was added
  EXPECT_THROW(Joint(JointTypeRevolute, Vector3d(0, 0, 2)), Errors::RBDLInvalidParameterError);
  EXPECT_THROW(Joint{JointTypeRevolute}, Errors::RBDLInvalidParameterError);
  EXPECT_THROW(Joint{JointTypeCustom}, Errors::RBDLInvalidParameterError);
  SpatialVector across;
  across << 0, 0, 1, 1, 0, 0;
  EXPECT_THROW(m.AddBody(0, SpatialTransform(), Joint(across), body), Errors::RBDLMissingImplementationError);
}

TEST(RbdlMath, TransformsAndQuaternionsFollowOneConvention) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Draw draw(seed);
    const SpatialTransform A = draw.transform(), B = draw.transform();
    const SpatialVector m = draw.spatial(), f = draw.spatial();
    EXPECT_LT(difference(A.apply(m), A.toMatrix() * m), 1e-14);
    EXPECT_LT(difference(A.applyAdjoint(f), A.toMatrixAdjoint() * f), 1e-14);
    EXPECT_LT(difference(A.applyTranspose(f), A.toMatrix().transpose() * f), 1e-14);
    EXPECT_LT(difference(SpatialTransform(A * B).toMatrix(), A.toMatrix() * B.toMatrix()), 1e-14);
    EXPECT_LT(difference(A.toMatrix() * A.inverse().toMatrix(), SpatialMatrixIdentity), 1e-14);
    EXPECT_NEAR(A.apply(m).dot(A.applyAdjoint(f)), m.dot(f), 1e-13);  // power
    const Body body = draw.body();
    const auto I = SpatialRigidBodyInertia::createFromMassComInertiaC(body.mMass, body.mCenterOfMass, body.mInertia);
    EXPECT_LT(difference(I * m, I.toMatrix() * m), 1e-14);
    EXPECT_LT(difference(A.apply(I).toMatrix(), A.toMatrixAdjoint() * I.toMatrix() * A.inverse().toMatrix()), 1e-13);
    EXPECT_LT(difference(A.applyTranspose(I).toMatrix(), A.toMatrixTranspose() * I.toMatrix() * A.toMatrix()), 1e-13);
    EXPECT_NEAR(crossm(m, m).norm(), 0, 1e-14);
    EXPECT_LT(difference(crossf(m, f), -crossm(m).transpose() * f), 1e-14);

    const Quaternion p = Quaternion::fromAxisAngle(draw.axis(), 3 * draw.number()), r = Quaternion::fromMatrix(A.E);
    EXPECT_LT(difference(r.toMatrix(), A.E), 1e-14);
    EXPECT_LT(difference((p * r).toMatrix(), p.toMatrix() * r.toMatrix()), 1e-14);
    EXPECT_LT(difference(p.conjugate().toMatrix(), p.toMatrix().transpose()), 1e-14);
    const Vector3d u = draw.axis(), w = draw.vector();
    EXPECT_LT(difference(Quaternion::fromAxisAngle(u, 0.7).toMatrix(), Xrot(0.7, u).E), 1e-14);
    EXPECT_LT(difference(Quaternion::fromAxisAngle(u, 0.7).rotate(w), Vector3d(Eigen::AngleAxisd(0.7, u) * w)), 1e-14);
    const double h = 1e-4;
    const Vector4d rate = (Vector4d(p.timeStep(w, h)) - Vector4d(p.timeStep(w, -h))) / (2 * h);
    EXPECT_LT(difference(p.omegaToQDot(w), rate), 1e-8);
    EXPECT_LT(difference(p.slerp(1, r).toMatrix(), r.toMatrix()), 1e-13);
    EXPECT_LT(difference(p.slerp(0.5, r).slerp(1, p).toMatrix(), p.toMatrix()), 1e-13);
    const Eigen::AngleAxisd x(0.3, Vector3d::UnitX()), y(-1.1, Vector3d::UnitY()), z(0.8, Vector3d::UnitZ());
    EXPECT_LT(
        difference(Quaternion::fromZYXAngles({0.8, -1.1, 0.3}).toMatrix(), (z * y * x).toRotationMatrix().transpose()),
        1e-14);
    EXPECT_LT(
        difference(Quaternion::fromXYZAngles({0.3, -1.1, 0.8}).toMatrix(), (x * y * z).toRotationMatrix().transpose()),
        1e-14);
    EXPECT_LT(
        difference(Quaternion::fromYXZAngles({-1.1, 0.3, 0.8}).toMatrix(), (y * x * z).toRotationMatrix().transpose()),
        1e-14);
  }
  EXPECT_EQ(rotx(0.4), Xrotx(0.4).E);
  EXPECT_LT(difference(roty(0.4), rotation_about(0.4, Vector3d::UnitY())), 1e-15);
  EXPECT_LT(difference(rotz(0.4), rotation_about(0.4, Vector3d::UnitZ())), 1e-15);
}

}  // namespace
}  // namespace rbdl_test
