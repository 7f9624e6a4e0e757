// SPDX-License-Identifier: BSD-3-Clause
// Programs include the solver alone and use what its header brought in KDL, too. Only these three headers stand here.
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <kdl/trajectory_composite.hpp>
//
#include <gtest/gtest.h>

#include <sstream>

namespace zwang::test {
namespace {

TEST(KdlIncludes, BringWhatKdlsHeadersBring) {
  KDL::Chain chain;
  chain.addSegment(
      KDL::Segment(KDL::Joint(KDL::Joint::RotZ), KDL::Frame(KDL::Vector(1, 0, 0)), KDL::RigidBodyInertia(1)));
  KDL::JntArray q(1);
  // Of chainiksolvervel_pinv.hpp: Jacobians and singular values.
  KDL::Jacobian J(1);
  ASSERT_EQ(KDL::ChainJntToJacSolver(chain).JntToJac(q, J), 0);
  EXPECT_EQ(J.getColumn(0), KDL::Twist(KDL::Vector(0, 1, 0), KDL::Vector(0, 0, 1)));
  std::vector<KDL::JntArray> u(6, KDL::JntArray(1)), v(1, KDL::JntArray(1));
  KDL::JntArray w(1);
  ASSERT_EQ(KDL::SVD_HH(J).calculate(J, u, w, v, 100), 0);
  EXPECT_NEAR(w(0) * w(0), 2, 1e-14);
  // Of chainfdsolver_recursive_newton_euler.hpp: the terms of dynamics, and inertias of articulated bodies.
  KDL::JntSpaceInertiaMatrix M(1);
  ASSERT_EQ(KDL::ChainDynParam(chain, KDL::Vector(0, 0, -9.81)).JntToMass(q, M), 0);
  EXPECT_NEAR(M(0, 0), 1, 1e-15) << "the mass is at the tip";
  EXPECT_EQ(KDL::ArticulatedBodyInertia(2).M(0, 0), 2);
  ASSERT_EQ(KDL::ChainIdSolver_RNE(chain, KDL::Vector::Zero()).CartToJnt(q, q, q, KDL::Wrenches(1), w), 0);
  // Of trajectory_composite.hpp: text, and paths of parts.
  std::ostringstream text;
  text << KDL::Vector(1, 2, 3);
  EXPECT_NE(text.str().find('2'), std::string::npos);
  EXPECT_EQ(KDL::Path_Composite().PathLength(), 0);
}

}  // namespace
}  // namespace zwang::test
