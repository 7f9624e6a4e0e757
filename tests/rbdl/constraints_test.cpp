// SPDX-License-Identifier: BSD-3-Clause
// Constrained dynamics, impulses and assembly against the equations that define them, with H, C and rows that come
// from differences of poses.
#include "support.hpp"

namespace rbdl_test {
namespace {

/// A tree with contacts at two bodies and a loop between two others; every row is independent.
struct Problem {
  Draw draw;
  Model m;
  ConstraintSet contacts, all;
  unsigned int foot, hand, other;
  Vector3d point, second;
  SpatialTransform X, Y;
  VectorNd q, v, tau;

  explicit Problem(unsigned seed) : draw(seed) {
    m = draw.model(16, true);
    const unsigned int n = static_cast<unsigned int>(m.mBodies.size());
    foot = n - 1;
    hand = m.mFixedBodies.empty() ? n - 2 : m.fixed_body_discriminator;
    other = n - 4;
    point = draw.vector();
    second = draw.vector();
    const SpatialTransform A = draw.transform(), B = draw.transform();
    X = {Matrix3d(A.E.transpose()), A.r};  // a loop's frames: E has axes as columns
    Y = {Matrix3d(B.E.transpose()), B.r};
    for (ConstraintSet* set : {&contacts, &all}) {
      for (int k = 0; k < 3; ++k) set->AddContactConstraint(foot, point, Vector3d::Unit(k), "foot");
      set->AddContactConstraint(hand, second, Vector3d(0.6, 0, 0.8), "hand", 7);
    }
    all.AddLoopConstraint(3, other, X, Y, SpatialVector::Unit(3), false, 0.1, "loop", 9);
    all.AddLoopConstraint(3, other, X, Y, SpatialVector::Unit(4), false, 0.1, "loop", 9);
    contacts.Bind(m);
    all.Bind(m);
    q = draw.q(m);
    v = draw.numbers(m.dof_count);
    tau = draw.numbers(m.dof_count);
  }
  /// The contact rows, by differences.
  MatrixNd contact_rows() const {
    MatrixNd G(4, m.dof_count);
    G.topRows<3>() = jacobian(m, foot, point, q).bottomRows<3>();
    G.row(3) = Vector3d(0.6, 0, 0.8).transpose() * jacobian(m, hand, second, q).bottomRows<3>();
    return G;
  }
  /// What the loop's rows measure: where the second frame is, in the axes of the first.
  Eigen::Vector2d gap(const VectorNd& at) const {
    const Pose A = body_pose(m, 3, at) * pose(X.E, X.r), B = body_pose(m, other, at) * pose(Y.E, Y.r);
    return Pose(A.inverse() * B).topRightCorner<2, 1>();
  }
};

TEST(RbdlConstraints, RowsAreThoseOfPointsAndFrames) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Problem p(seed);
    const VectorNd none = VectorNd::Zero(p.m.dof_count);
    MatrixNd G(6, p.m.dof_count), expected(6, p.m.dof_count);
    VectorNd err, errd;
    CalcConstraintsJacobian(p.m, p.q, p.all, G);
    expected.topRows<4>() = p.contact_rows();
    const double h = 1e-3;
    for (unsigned int k = 0; k < p.m.dof_count; ++k) {
      const auto at = [&](double t) { return p.gap(moved(p.m, p.q, VectorNd::Unit(p.m.dof_count, k), none, t)); };
      expected.block<2, 1>(4, k) = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    }
    EXPECT_LT(difference(G, expected), 1e-8) << seed;
    CalcConstraintsPositionError(p.m, p.q, p.all, err);
    EXPECT_EQ(err.head<4>(), VectorNd::Zero(4));
    EXPECT_LT(difference(err.tail<2>(), p.gap(p.q)), 1e-12) << seed;
    CalcConstraintsVelocityError(p.m, p.q, p.v, p.all, errd);
    EXPECT_LT(difference(errd, VectorNd(G * p.v)), 1e-12) << seed;
  }
}

/// Newton's equation and the rows' accelerations, which are differences along the motion that comes out.
TEST(RbdlConstraints, ForwardDynamicsHoldsTheRowsWithTheirForces) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Problem p(seed);
    const long n = p.m.dof_count;
    std::vector<SpatialVector> f_ext;
    for (std::size_t i = 0; i < p.m.mBodies.size(); ++i) f_ext.push_back(5 * p.draw.spatial());
    VectorNd a(n), again(n);
    MatrixNd G(6, n);
    ForwardDynamicsConstraintsDirect(p.m, p.q, p.v, p.tau, p.all, a, true, &f_ext);
    CalcConstraintsJacobian(p.m, p.q, p.all, G);
    const double size = 1 + a.cwiseAbs().maxCoeff() + p.all.force.cwiseAbs().maxCoeff();
    const VectorNd needed = alembert(p.m, p.q, p.v, a, &f_ext);
    EXPECT_LT((needed - p.tau - G.transpose() * p.all.force).cwiseAbs().maxCoeff(), 1e-5 * size) << seed;
    EXPECT_LT(rates(p.m, p.foot, p.q, p.v, a).acceleration(p.point).norm(), 1e-5 * size) << seed;
    EXPECT_LT(std::fabs(rates(p.m, p.hand, p.q, p.v, a).acceleration(p.second).dot(Vector3d(0.6, 0, 0.8))),
              1e-5 * size);
    const double h = 1e-3;
    const auto at = [&](double t) { return p.gap(moved(p.m, p.q, p.v, a, t)); };
    EXPECT_LT(((16 * (at(h) + at(-h)) - (at(2 * h) + at(-2 * h)) - 30 * at(0)) / (12 * h * h)).norm(), 1e-4 * size)
        << seed;

    const VectorNd force = p.all.force;
    ForwardDynamicsConstraintsNullSpace(p.m, p.q, p.v, p.tau, p.all, again, true, &f_ext);
    EXPECT_LT(difference(again, a), 1e-11);
    EXPECT_LT(difference(p.all.force, force), 1e-11);
    ForwardDynamicsConstraintsRangeSpaceSparse(p.m, p.q, p.v, p.tau, p.all, again, true, &f_ext);
    EXPECT_LT(difference(again, a), 1e-11);
    ForwardDynamicsConstraintsDirect(p.m, p.q, p.v, p.tau, p.contacts, a);
    ForwardDynamicsContactsKokkevis(p.m, p.q, p.v, p.tau, p.contacts, again);
    EXPECT_LT(difference(again, a), 1e-11);
    EXPECT_THROW(ForwardDynamicsContactsKokkevis(p.m, p.q, p.v, p.tau, p.all, again), Errors::RBDLError);

    CalcConstrainedSystemVariables(p.m, p.q, p.v, p.tau, p.all, true, &f_ext);
    ForwardDynamicsConstraintsDirect(p.m, p.q, p.v, p.tau, p.all, a, true, &f_ext);
    EXPECT_LT(difference(VectorNd(p.all.H * a + p.all.C), VectorNd(p.tau + p.all.G.transpose() * p.all.force)), 1e-10);
    EXPECT_LT(difference(VectorNd(p.all.G * a), p.all.gamma), 1e-9) << seed;
  }
}

TEST(RbdlConstraints, GravityAndFeedbackAreThoseOfNow) {
  Problem p(3);
  VectorNd a(p.m.dof_count), held(p.m.dof_count);
  const unsigned int loop = p.all.getGroupIndexByName("loop");
  ForwardDynamicsConstraintsDirect(p.m, p.q, p.v, p.tau, p.all, a);
  p.m.gravity = Vector3d(1, 2, 3);
  p.all.enableBaumgarteStabilization(loop);
  EXPECT_TRUE(p.all.isBaumgarteStabilizationEnabled(loop));
  ForwardDynamicsConstraintsDirect(p.m, p.q, p.v, p.tau, p.all, held);
  CalcConstrainedSystemVariables(p.m, p.q, p.v, p.tau, p.all);
  const VectorNd feedback = p.all.gamma;
  p.all.disableBaumgarteStabilization(loop);
  CalcConstrainedSystemVariables(p.m, p.q, p.v, p.tau, p.all);
  const double T = 0.1;
  for (long k = 0; k < 6; ++k) {
    const double expected = k < 4 ? 0 : -2 / T * p.all.errd[k] - p.all.err[k] / (T * T);
    EXPECT_NEAR(feedback[k] - p.all.gamma[k], expected, 1e-10 * (1 + std::fabs(expected))) << k;
  }
  EXPECT_LT(difference(VectorNd(p.all.H * held + p.all.C), VectorNd(p.tau + p.all.G.transpose() * p.all.force)), 1e-10);
  EXPECT_THROW(p.all.enableBaumgarteStabilization(0), Errors::RBDLMissingImplementationError);
}

TEST(RbdlConstraints, ImpulsesOfAllMethodsActAlongTheRows) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Problem p(seed);
    const long n = p.m.dof_count;
    MatrixNd G(6, n), H(n, n);
    CalcConstraintsJacobian(p.m, p.q, p.all, G);
    CompositeRigidBodyAlgorithm(p.m, p.q, H);
    p.all.v_plus = p.draw.numbers(6);
    for (auto* compute : {&ComputeConstraintImpulsesDirect, &ComputeConstraintImpulsesRangeSpaceSparse,
                          &ComputeConstraintImpulsesNullSpace}) {
      VectorNd after(n);
      compute(p.m, p.q, p.v, p.all, after);
      EXPECT_LT(difference(VectorNd(G * after), p.all.v_plus), 1e-9) << seed;
      EXPECT_LT(difference(VectorNd(H * (after - p.v)), VectorNd(G.transpose() * p.all.impulse)), 1e-9) << seed;
    }
  }
}

/// The same contact twice: the motion stays, each half carries half of the force.
TEST(RbdlConstraints, RowsMayDependOnEachOther) {
  Problem p(2);
  VectorNd a(p.m.dof_count), again(p.m.dof_count);
  ForwardDynamicsConstraintsDirect(p.m, p.q, p.v, p.tau, p.contacts, a);
  ConstraintSet twice = p.contacts.Copy();
  for (int k = 0; k < 3; ++k) twice.AddContactConstraint(p.foot, p.point, Vector3d::Unit(k), "again", 3);
  EXPECT_THROW(ForwardDynamicsConstraintsDirect(p.m, p.q, p.v, p.tau, twice, again), Errors::RBDLError);  // not bound
  EXPECT_TRUE(twice.Bind(p.m));
  ForwardDynamicsConstraintsDirect(p.m, p.q, p.v, p.tau, twice, again);
  EXPECT_LT(difference(again, a), 1e-9);
  EXPECT_LT(difference(VectorNd(2 * twice.force.tail<3>()), VectorNd(p.contacts.force.head<3>())), 1e-9);
}

TEST(RbdlConstraints, GroupsHaveNamesIdsAndRows) {
  Problem p(1);
  const ConstraintSet& s = p.all;
  EXPECT_EQ(s.size(), 6U);
  EXPECT_EQ(s.getGroupIndexMax(), 2U);
  EXPECT_EQ(s.getGroupIndexByName("hand"), 1U);
  EXPECT_EQ(s.getGroupIndexById(9), 2U);
  EXPECT_EQ(s.getGroupIndexByAssignedId(4), 2U);
  EXPECT_EQ(s.getGroupAssignedId(2), 5U);
  EXPECT_EQ(s.getGroupSize(0), 3U);
  EXPECT_EQ(s.getGroupType(2), static_cast<unsigned int>(ConstraintTypeLoop));
  EXPECT_EQ(s.getGroupId(1), 7U);
  EXPECT_STREQ(s.getGroupName(0), "foot");
  EXPECT_THROW(s.getGroupIndexByName("head"), Errors::RBDLInvalidParameterError);
  EXPECT_THROW(s.getGroupSize(3), Errors::RBDLInvalidParameterError);
  ConstraintSet bad;
  EXPECT_THROW(bad.AddContactConstraint(1, Vector3d::Zero(), Vector3d(0, 0, 2)), Errors::RBDLInvalidParameterError);
  bad.AddContactConstraint(99, Vector3d::Zero(), Vector3d(0, 0, 1));
  EXPECT_THROW(bad.Bind(p.m), Errors::RBDLInvalidParameterError);
}

TEST(RbdlConstraints, ErrorsOfAGroupAreThoseOfItsRows) {
  Problem p(4);
  const unsigned int loop = p.all.getGroupIndexByName("loop");
  VectorNd all(6), of_group;
  CalcConstraintsPositionError(p.m, p.q, p.all, all);
  p.all.calcPositionError(loop, p.m, p.q, of_group, true);
  EXPECT_EQ(of_group, VectorNd(all.tail<2>()));
  EXPECT_GT(of_group.norm(), 0.1);
  CalcConstraintsVelocityError(p.m, p.q, p.v, p.all, all);
  p.all.calcVelocityError(loop, p.m, p.q, p.v, of_group, true);
  EXPECT_EQ(of_group, VectorNd(all.tail<2>()));
  Vector2d rates;
  p.all.getBaumgarteStabilizationCoefficients(loop, rates);
  EXPECT_EQ(rates, Vector2d(10, 10));
  EXPECT_THROW(p.all.calcPositionError(9, p.m, p.q, of_group), Errors::RBDLInvalidParameterError);
}

TEST(RbdlConstraints, ASetFollowsItsModel) {
  Problem p(4);
  VectorNd a(p.m.dof_count), heavier(p.m.dof_count);
  ForwardDynamicsConstraintsDirect(p.m, p.q, p.v, p.tau, p.contacts, a);
  p.m.SetBodyMass(2, p.m.GetBodyMass(2) + 3);
  ForwardDynamicsConstraintsDirect(p.m, p.q, p.v, p.tau, p.contacts, heavier);
  EXPECT_GT(difference(heavier, a), 1e-6);
  MatrixNd G = p.contact_rows();
  EXPECT_LT(difference(VectorNd(alembert(p.m, p.q, p.v, heavier)), VectorNd(p.tau + G.transpose() * p.contacts.force)),
            1e-5);
}

/// A planar four-bar linkage of unit square at rest.
struct FourBar {
  Model m;
  ConstraintSet loop;
  FourBar() {
    m.gravity = Vector3d(0, -9.81, 0);
    const Body rod(1, Vector3d(0.5, 0, 0), Vector3d(0.1, 0.1, 0.1));
    const Joint z(JointTypeRevoluteZ);
    const unsigned int crank = m.AddBody(0, SpatialTransform(), z, rod, "crank");
    const unsigned int coupler = m.AddBody(crank, Xtrans(Vector3d(1, 0, 0)), z, rod, "coupler");
    const unsigned int rocker = m.AddBody(0, Xtrans(Vector3d(1, 0, 0)), z, rod, "rocker");
    for (int k = 3; k < 5; ++k)
      loop.AddLoopConstraint(coupler, rocker, Xtrans(Vector3d(1, 0, 0)), Xtrans(Vector3d(1, 0, 0)),
                             SpatialVector::Unit(k));
    loop.Bind(m);
  }
};

TEST(RbdlConstraints, AssemblyClosesALoopWithTheLeastMotion) {
  FourBar f;
  VectorNd guess(3), q(3), v(3);
  guess << 1.4, -1.7, 1.5;
  const VectorNd ones = VectorNd::Ones(3);
  EXPECT_TRUE(CalcAssemblyQ(f.m, guess, f.loop, q, ones));
  const Pose coupler = body_pose(f.m, 2, q), rocker = body_pose(f.m, 3, q);
  const Vector3d gap = (coupler * Eigen::Vector4d(1, 0, 0, 1) - rocker * Eigen::Vector4d(1, 0, 0, 1)).head<3>();
  EXPECT_LT(gap.norm(), 1e-11);
  MatrixNd G(2, 3);
  CalcConstraintsJacobian(f.m, q, f.loop, G);
  // Nearest: what is missing to the guess lies in the span of the rows.
  const VectorNd step = guess - q, in_rows = G.transpose() * (G * G.transpose()).ldlt().solve(G * step);
  EXPECT_LT((step - in_rows).norm(), 1e-9);
  CalcAssemblyQDot(f.m, q, VectorNd(VectorNd::Unit(3, 0)), f.loop, v, ones);
  EXPECT_LT((G * v).norm(), 1e-12);
  EXPECT_GT(v.norm(), 0.1);
  guess << 10, 3, 0.2;
  FourBar far;
  far.m.SetJointFrame(3, Xtrans(Vector3d(9, 0, 0)));  // out of reach
  EXPECT_FALSE(CalcAssemblyQ(far.m, guess, far.loop, q, ones));
}

// A weight of 0 lets a coordinate move as the loop requires: the others keep their numbers.
TEST(RbdlConstraints, CoordinatesWithoutAWeightFollowTheOthers) {
  Model m;
  const Body rod(1., Vector3d(0.5, 0., 0.), Vector3d(0.1, 0.1, 0.1));
  const SpatialTransform end = Xtrans(Vector3d(1., 0., 0.));
  const unsigned int crank = m.AddBody(0, SpatialTransform(), Joint(JointTypeRevoluteZ), rod);
  const unsigned int coupler = m.AddBody(crank, end, Joint(JointTypeRevoluteZ), rod);
  const unsigned int rocker = m.AddBody(0, Xtrans(Vector3d(1.3, 0., 0.)), Joint(JointTypeRevoluteZ), rod);
  ConstraintSet loop;
  for (int k = 3; k < 5; ++k) loop.AddLoopConstraint(coupler, rocker, end, end, SpatialVector::Unit(k));
  loop.Bind(m);
  VectorNd q(3), v(3);
  const Vector3d guess(1.4, -1.3, 1.2), weights(2., 0., 0.);
  ASSERT_TRUE(CalcAssemblyQ(m, guess, loop, q, weights));
  EXPECT_NEAR(q[0], 1.4, 1e-13);
  EXPECT_LT(difference(CalcBodyToBaseCoordinates(m, q, coupler, end.r), CalcBodyToBaseCoordinates(m, q, rocker, end.r)),
            1e-12);
  CalcAssemblyQDot(m, q, Vector3d(0.7, 5, -5), loop, v, weights);
  EXPECT_NEAR(v[0], 0.7, 1e-13);
  EXPECT_LT(difference(CalcPointVelocity(m, q, v, coupler, end.r), CalcPointVelocity(m, q, v, rocker, end.r)), 1e-13);
}

// The last steps end at roundings of q, which grow with q.
TEST(RbdlConstraints, CoordinatesOfManyTurnsFollowTheOthers) {
  FourBar f;
  f.m.SetJointFrame(3, Xtrans(Vector3d(1.3, 0, 0)));
  for (int k = 1; k <= 40; ++k) {
    const double turns = 10 * k * 2 * M_PI;
    VectorNd q(3);
    const Vector3d guess(turns + 1.4 + 0.003 * k, -turns - 1.3, turns + 1.2), weights(2., 0., 0.);
    ASSERT_TRUE(CalcAssemblyQ(f.m, guess, f.loop, q, weights, 1e-11)) << k;  // a rounding of q moves the ends by 1e-13
    // Without the last steps the weights of 0 count as 2e-6, and leave some 1e-6.
    EXPECT_NEAR(q[0], guess[0], 8 * 2.3e-16 * (1 + guess.norm())) << k;
    EXPECT_GT(std::fabs(q[1] - guess[1]), 0.01) << k;
  }
}

TEST(RbdlConstraints, InverseDynamicsOfALoopMovesTheCrankAsDesired) {
  FourBar f;
  VectorNd q(3), v = VectorNd::Zero(3), desired = VectorNd::Zero(3), a(3), tau(3), again(3);
  q << 1.2, -1.2, 1.2;
  desired[0] = 2;
  f.loop.SetActuationMap(f.m, {true, false, false});
  EXPECT_TRUE(isConstrainedSystemFullyActuated(f.m, q, v, f.loop));
  InverseDynamicsConstraints(f.m, q, v, desired, f.loop, a, tau);
  EXPECT_NEAR(a[0], 2, 1e-11);
  EXPECT_EQ(tau[1], 0);
  EXPECT_EQ(tau[2], 0);
  ForwardDynamicsConstraintsDirect(f.m, q, v, tau, f.loop, again);
  EXPECT_LT(difference(again, a), 1e-11);
  // tau = S (C + 100 H (desired - a)), and the motion that follows from it.
  InverseDynamicsConstraintsRelaxed(f.m, q, v, desired, f.loop, a, tau);
  CalcConstrainedSystemVariables(f.m, q, v, tau, f.loop);
  EXPECT_NEAR(tau[0], f.loop.C[0] + 100 * f.loop.H(0, 0) * (2 - a[0]), 1e-9);
  ForwardDynamicsConstraintsDirect(f.m, q, v, tau, f.loop, again);
  EXPECT_LT(difference(again, a), 1e-10);
  // A free body with one motor at nothing that counts.
  Problem p(1);
  VectorNd out(p.m.dof_count), torque(p.m.dof_count);
  std::vector<bool> few(p.m.dof_count, false);
  EXPECT_THROW(InverseDynamicsConstraints(p.m, p.q, p.v, p.tau, p.contacts, out, torque), Errors::RBDLError);
  few.back() = true;
  p.contacts.SetActuationMap(p.m, few);
  EXPECT_FALSE(isConstrainedSystemFullyActuated(p.m, p.q, p.v, p.contacts));
  EXPECT_THROW(InverseDynamicsConstraints(p.m, p.q, p.v, p.tau, p.contacts, out, torque), Errors::RBDLError);
}

}  // namespace
}  // namespace rbdl_test
