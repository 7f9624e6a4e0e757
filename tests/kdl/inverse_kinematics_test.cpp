// SPDX-License-Identifier: BSD-3-Clause
// Velocities and positions for twists and poses of the tip: against a decomposition of Eigen,
// and by forward kinematics.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <kdl/chainiksolvervel_pinv_givens.hpp>
#include <kdl/chainiksolvervel_pinv_nso.hpp>
#include <kdl/chainiksolvervel_wdls.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <limits>

#include "support.hpp"

namespace {

using namespace KDL;
using zwang::test::KdlDraw;

constexpr double k_eps = std::numeric_limits<double>::epsilon();
typedef Eigen::Matrix<double, 6, 1> Vector6;

Vector6 vector_of(const Twist& t) { return (Vector6() << t(0), t(1), t(2), t(3), t(4), t(5)).finished(); }

Eigen::MatrixXd jacobian(const Chain& chain, const JntArray& q) {
  Jacobian J(chain.getNrOfJoints());
  EXPECT_EQ(ChainJntToJacSolver(chain).JntToJac(q, J), 0);
  return J.data;
}

/// Three joints about parallel axes and three about the tip's point: singular where the arm is stretched, q(1) = 0.
Chain arm() {
  Chain chain;
  chain.addSegment(Segment(Joint(Joint::RotZ), Frame(Vector(0, 0, 0.3))));
  chain.addSegment(Segment(Joint(Joint::RotY), Frame(Vector(0, 0, 0.5))));
  chain.addSegment(Segment(Joint(Joint::RotY), Frame(Vector(0, 0, 0.4))));
  chain.addSegment(Segment(Joint(Joint::RotZ), Frame::Identity()));
  chain.addSegment(Segment(Joint(Joint::RotY), Frame::Identity()));
  chain.addSegment(Segment(Joint(Joint::RotZ), Frame(Vector(0, 0, 0.1))));
  return chain;
}

JntArray away_from_singular() {
  JntArray q(6);
  const double values[] = {0.3, 0.4, 0.9, 0.2, -0.8, 0.5};
  for (unsigned int i = 0; i < 6; ++i) q(i) = values[i];
  return q;
}

TEST(KdlVelocity, PseudoInverseIsThatOfADecompositionOfEigen) {
  KdlDraw draw(1);
  for (int trial = 0; trial < 60; ++trial) {
    const Chain chain = draw.chain(2 + trial % 9, false, trial % 2 == 1);
    const unsigned int n = chain.getNrOfJoints();
    const JntArray q = draw.joints(n);
    const Twist v = draw.twist();
    Eigen::JacobiSVD<Eigen::MatrixXd> reference(jacobian(chain, q), Eigen::ComputeThinU | Eigen::ComputeThinV);
    if (n == 0 || reference.singularValues().tail<1>()[0] < 1e-3) continue;
    reference.setThreshold(1e-9);
    const Eigen::VectorXd expected = reference.solve(vector_of(v));
    // The pseudo-inverse has the relative error of its condition squared where v is not in the range of J.
    const double condition = reference.singularValues()[0] / reference.singularValues().tail<1>()[0];
    const double tolerance = 100 * k_eps * condition * condition * (1 + expected.norm());
    JntArray out(n);
    ChainIkSolverVel_pinv pinv(chain);
    ASSERT_EQ(pinv.CartToJnt(q, v, out), 0);
    EXPECT_LE((out.data - expected).norm(), tolerance);
    EXPECT_EQ(pinv.getNrZeroSigmas(), n > 6 ? n - 6 : 0u);
    ChainIkSolverVel_pinv_givens givens(chain);
    ASSERT_EQ(givens.CartToJnt(q, v, out), 0);
    EXPECT_LE((out.data - expected).norm(), tolerance);
    ChainIkSolverVel_wdls wdls(chain);
    ASSERT_EQ(wdls.CartToJnt(q, v, out), 0);
    EXPECT_LE((out.data - expected).norm(), tolerance);
    Eigen::VectorXd sigma(n);
    ASSERT_EQ(wdls.getSigma(sigma), 0);
    for (unsigned int i = 0; i < std::min(n, 6u); ++i)
      EXPECT_NEAR(sigma[i], reference.singularValues()[i], 20 * k_eps * reference.singularValues()[0]);
  }
}

TEST(KdlVelocity, LostDirectionsAreCounted) {
  const Chain chain = arm();
  JntArray q(6), out(6);  // stretched and with two axes on one line
  const Twist v(Vector(0.1, 0.2, -0.3), Vector(0.3, 0.1, 0.2));
  Eigen::JacobiSVD<Eigen::MatrixXd> reference(jacobian(chain, q), Eigen::ComputeThinU | Eigen::ComputeThinV);
  reference.setThreshold(1e-9);
  const unsigned int rank = static_cast<unsigned int>(reference.rank());
  ASSERT_LT(rank, 6u);
  const Eigen::VectorXd expected = reference.solve(vector_of(v));
  ChainIkSolverVel_pinv pinv(chain);
  EXPECT_EQ(pinv.CartToJnt(q, v, out), int{ChainIkSolverVel_pinv::E_CONVERGE_PINV_SINGULAR});
  EXPECT_EQ(pinv.getNrZeroSigmas(), 6 - rank);
  EXPECT_LE((out.data - expected).norm(), 1000 * k_eps);
  ChainIkSolverVel_pinv_givens givens(chain);
  EXPECT_EQ(givens.CartToJnt(q, v, out), int{SolverI::E_DEGRADED});
  EXPECT_LE((out.data - expected).norm(), 1000 * k_eps);
  ChainIkSolverVel_wdls wdls(chain);
  EXPECT_EQ(wdls.CartToJnt(q, v, out), int{ChainIkSolverVel_wdls::E_CONVERGE_PINV_SINGULAR});
  EXPECT_LE((out.data - expected).norm(), 1000 * k_eps) << "lambda = 0: what is zero is dropped";
  wdls.setLambda(0.1);
  EXPECT_EQ(wdls.CartToJnt(q, v, out), int{ChainIkSolverVel_wdls::E_CONVERGE_PINV_SINGULAR});
  EXPECT_DOUBLE_EQ(wdls.getLambdaScaled(), 0.1);
  ChainIkSolverVel_pinv_nso nso(chain, q, q);
  EXPECT_EQ(nso.CartToJnt(q, v, out), int{SolverI::E_DEGRADED});
  EXPECT_LE((out.data - expected).norm(), 1000 * k_eps) << "at the posture nothing is added";
}

TEST(KdlVelocity, DampedLeastSquaresMinimiseTheirSum) {
  // With eps above all singular values, x = Mq y where y minimises |Mx (J Mq y - v)|^2 + l^2 |y|^2.
  KdlDraw draw(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Chain chain = draw.chain(4 + trial % 5, true);
    const unsigned int n = chain.getNrOfJoints();
    const JntArray q = draw.joints(n);
    const Twist v = draw.twist();
    ChainIkSolverVel_wdls wdls(chain);
    Eigen::MatrixXd Mq = 2 * Eigen::MatrixXd::Identity(n, n), Mx = Eigen::MatrixXd::Identity(6, 6);
    Mq(0, 1) = Mq(1, 0) = 0.3;
    Mx(2, 4) = Mx(4, 2) = 0.4;
    ASSERT_EQ(wdls.setWeightJS(Mq), 0);
    ASSERT_EQ(wdls.setWeightTS(Mx), 0);
    wdls.setEps(1000);
    wdls.setLambda(0.3);
    JntArray out(n);
    ASSERT_EQ(wdls.CartToJnt(q, v, out), int{ChainIkSolverVel_wdls::E_CONVERGE_PINV_SINGULAR});
    const Eigen::MatrixXd A = Mx * jacobian(chain, q) * Mq;
    const double l = wdls.getLambdaScaled();
    const Eigen::VectorXd y = Mq.inverse() * out.data;
    const Eigen::VectorXd gradient = A.transpose() * (A * y - Mx * vector_of(v)) + l * l * y;
    EXPECT_LE(gradient.norm(), 1000 * k_eps * A.squaredNorm() * (1 + y.norm()));
  }
}

TEST(KdlVelocity, TheNullSpaceMovesTowardsThePosture) {
  KdlDraw draw(4);
  const Chain chain = draw.chain(9, true);
  const JntArray q = draw.joints(9), posture = draw.joints(9);
  JntArray weights(9), plain(9), out(9);
  for (unsigned int i = 0; i < 9; ++i) weights(i) = 1 + 0.2 * i;
  const Twist v = draw.twist();
  ChainIkSolverVel_pinv pinv(chain);
  ASSERT_EQ(pinv.CartToJnt(q, v, plain), 0);
  ChainIkSolverVel_pinv_nso nso(chain, posture, weights);
  ASSERT_EQ(nso.CartToJnt(q, v, out), 0);
  const Eigen::VectorXd added = out.data - plain.data;
  EXPECT_LE((jacobian(chain, q) * added).norm(), 1e4 * k_eps) << "the tip does not feel it";
  const Eigen::VectorXd gradient = weights.data.array() * (q.data - posture.data).array();
  EXPECT_LT(added.dot(gradient), 0) << "the distance to the posture shrinks";
  ChainIkSolverVel_pinv_nso without(chain);
  EXPECT_EQ(without.CartToJnt(q, v, out), int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(without.setOptPos(posture), 0);
  EXPECT_EQ(without.setWeights(JntArray(3)), int{SolverI::E_SIZE_MISMATCH});
}

TEST(KdlVelocity, SizesAndChangedChains) {
  Chain chain = arm();
  ChainIkSolverVel_pinv pinv(chain);
  JntArray q = away_from_singular(), out(6), shorter(5);
  const Twist v(Vector(0.1, 0, 0), Vector::Zero());
  EXPECT_EQ(pinv.CartToJnt(shorter, v, out), int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(pinv.CartToJnt(q, v, shorter), int{SolverI::E_SIZE_MISMATCH});
  FrameVel motion;
  JntArrayVel motions(6);
  EXPECT_EQ(pinv.CartToJnt(q, motion, motions), int{SolverI::E_NOT_IMPLEMENTED});
  q(2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(pinv.CartToJnt(q, v, out), int{SolverI::E_UNDEFINED});
  chain.addSegment(Segment(Joint(Joint::RotX), Frame(Vector(0.1, 0, 0))));
  EXPECT_EQ(pinv.CartToJnt(away_from_singular(), v, out), int{SolverI::E_NOT_UP_TO_DATE});
  pinv.updateInternalDataStructures();
  q = away_from_singular();
  q.resize(7);
  out.resize(7);
  EXPECT_EQ(pinv.CartToJnt(q, v, out), 0);
}

TEST(KdlPosition, AllThreeFindPosesNearTheStart) {
  KdlDraw draw(5);
  for (int trial = 0; trial < 100; ++trial) {
    const Chain chain = draw.chain(6 + trial % 3, false, trial % 2 == 1);
    const unsigned int n = chain.getNrOfJoints();
    if (n < 6) continue;
    const JntArray q = draw.joints(n), step = draw.joints(n, 0.05);
    JntArray start(n), out(n), low(n), high(n);
    Add(q, step, start);
    for (unsigned int i = 0; i < n; ++i) {
      low(i) = q(i) - 0.3;
      high(i) = q(i) + 0.3;
    }
    ChainFkSolverPos_recursive fk(chain);
    Frame goal, tip;
    ASSERT_EQ(fk.JntToCart(q, goal), 0);
    ChainIkSolverVel_pinv velocity(chain);
    ChainIkSolverPos_NR nr(chain, fk, velocity);
    if (nr.CartToJnt(start, goal, out) >= 0) {
      fk.JntToCart(out, tip);
      EXPECT_TRUE(Equal(diff(tip, goal), Twist::Zero(), 1e-6));
    }
    ChainIkSolverPos_NR_JL nr_jl(chain, low, high, fk, velocity);
    if (nr_jl.CartToJnt(start, goal, out) >= 0) {
      fk.JntToCart(out, tip);
      EXPECT_TRUE(Equal(diff(tip, goal), Twist::Zero(), 1e-6));
      for (unsigned int i = 0; i < n; ++i) EXPECT_TRUE(low(i) <= out(i) && out(i) <= high(i));
    } else {
      ADD_FAILURE() << "trial " << trial << ": " << nr_jl.strError(nr_jl.getError());
    }
    ChainIkSolverPos_LMA lma(chain);
    ASSERT_EQ(lma.CartToJnt(start, goal, out), 0) << "trial " << trial;
    fk.JntToCart(out, tip);
    const Twist e = diff(tip, goal);
    EXPECT_LT(std::sqrt(dot(e.vel, e.vel) + 1e-4 * dot(e.rot, e.rot)), 1.0000001e-5);
    EXPECT_NEAR(lma.lastTransDiff, e.vel.Norm(0), 1e-12);
    EXPECT_NEAR(lma.lastRotDiff, e.rot.Norm(0), 1e-12);
    EXPECT_TRUE(Equal(lma.T_base_head, tip, 1e-12));
  }
}

TEST(KdlPosition, FarStartsAreSearchedForBetweenLimits) {
  const Chain chain = arm();
  ChainFkSolverPos_recursive fk(chain);
  ChainIkSolverVel_pinv velocity(chain);
  JntArray low(6), high(6), start(6), out(6);
  for (unsigned int i = 0; i < 6; ++i) {
    low(i) = -2.5;
    high(i) = 2.5;
  }
  ChainIkSolverPos_NR_JL solver(chain, low, high, fk, velocity);
  KdlDraw draw(6);
  int found = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Frame goal, tip;
    fk.JntToCart(draw.joints(6, 2.5), goal);
    if (solver.CartToJnt(start, goal, out) != 0) continue;
    ++found;
    fk.JntToCart(out, tip);
    EXPECT_TRUE(Equal(diff(tip, goal), Twist::Zero(), 1e-6));
    for (unsigned int i = 0; i < 6; ++i) EXPECT_TRUE(-2.5 <= out(i) && out(i) <= 2.5);
  }
  EXPECT_GE(found, 198);
}

TEST(KdlPosition, WithoutLimitsNothingIsHeld) {
  const Chain chain = arm();
  ChainFkSolverPos_recursive fk(chain);
  ChainIkSolverVel_pinv velocity(chain);
  ChainIkSolverPos_NR_JL solver(chain, fk, velocity);
  JntArray q = away_from_singular(), out(6), start(6);
  for (unsigned int i = 0; i < 6; ++i) q(i) = -std::abs(q(i));
  for (unsigned int i = 0; i < 6; ++i) start(i) = q(i) + 0.02;
  Frame goal;
  fk.JntToCart(q, goal);
  ASSERT_EQ(solver.CartToJnt(start, goal, out), 0);
  EXPECT_LE((out.data - q.data).norm(), 1e-4);
}

TEST(KdlPosition, PosesOutOfReachAreRefused) {
  const Chain chain = arm();
  ChainFkSolverPos_recursive fk(chain);
  ChainIkSolverVel_pinv velocity(chain);
  const Frame goal(Vector(3, 0, 0));
  JntArray out(6), low(6), high(6);
  for (unsigned int i = 0; i < 6; ++i) high(i) = 1;
  EXPECT_EQ(ChainIkSolverPos_NR(chain, fk, velocity).CartToJnt(away_from_singular(), goal, out),
            int{SolverI::E_MAX_ITERATIONS_EXCEEDED});
  EXPECT_EQ(ChainIkSolverPos_NR_JL(chain, low, high, fk, velocity).CartToJnt(away_from_singular(), goal, out),
            int{SolverI::E_MAX_ITERATIONS_EXCEEDED});
  for (unsigned int i = 0; i < 6; ++i) EXPECT_TRUE(0 <= out(i) && out(i) <= 1);
  ChainIkSolverPos_LMA lma(chain);
  EXPECT_LT(lma.CartToJnt(away_from_singular(), goal, out), 0);
  EXPECT_GT(lma.lastTransDiff, 1.6);
  EXPECT_TRUE(out.data.allFinite());
}

TEST(KdlPosition, WeightsOfZeroLeaveAnglesFree) {
  Chain chain;  // three joints reach points, not attitudes
  for (int i = 0; i < 3; ++i)
    chain.addSegment(Segment(Joint(i == 0 ? Joint::RotZ : Joint::RotY), Frame(Vector(0.1, 0, 0.4))));
  Eigen::Matrix<double, 6, 1> weights;
  weights << 1, 1, 1, 0, 0, 0;
  ChainIkSolverPos_LMA lma(chain, weights);
  JntArray out(3), start(3);
  for (unsigned int i = 0; i < 3; ++i) start(i) = 0.3;
  const Vector point(0.3, 0.2, 0.6);
  ASSERT_EQ(lma.CartToJnt(start, Frame(point), out), 0);
  Frame tip;
  ChainFkSolverPos_recursive(chain).JntToCart(out, tip);
  EXPECT_LE((tip.p - point).Norm(), 1e-5);
}

TEST(KdlPosition, FailuresOfTheSolversBelowAreNamed) {
  Chain chain = arm();
  ChainFkSolverPos_recursive fk(chain);
  ChainIkSolverVel_pinv velocity(chain);
  ChainIkSolverPos_NR nr(chain, fk, velocity);
  ChainIkSolverPos_NR_JL nr_jl(chain, fk, velocity);
  JntArray q(6), out(6);
  q(0) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(nr.CartToJnt(q, Frame::Identity(), out), int{ChainIkSolverPos_NR::E_FKSOLVERPOS_FAILED});
  chain.addSegment(Segment(Joint(Joint::RotX)));
  EXPECT_EQ(nr.CartToJnt(JntArray(7), Frame::Identity(), out), int{SolverI::E_NOT_UP_TO_DATE});
  EXPECT_EQ(nr_jl.CartToJnt(JntArray(7), Frame::Identity(), out), int{SolverI::E_NOT_UP_TO_DATE});
  nr_jl.updateInternalDataStructures();
  out.resize(7);
  EXPECT_EQ(nr_jl.CartToJnt(JntArray(6), Frame::Identity(), out), int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(nr_jl.setJointLimits(JntArray(6), JntArray(7)), int{SolverI::E_SIZE_MISMATCH});
}

}  // namespace
