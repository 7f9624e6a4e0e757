// SPDX-License-Identifier: BSD-3-Clause
// Programs include the solver alone and use what its header brought in KDL, too. Only these three headers stand here.
#include <kdl/utilities/hash_combine.h>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <kdl/trajectory_composite.hpp>

// What programs use of the standard library after KDL's headers alone.
namespace {

bool reads_and_writes(std::ostream& out) {
  assert(strlen("KDL") == 3);
  std::stringstream text;
  text << std::setw(4) << KDL::Vector(1, 2, 3);
  std::ifstream file("a file that is not there");
  KDL::Vector again;
  text >> again;
  out << std::setprecision(3) << again << std::endl;
  return !isnan(again.Norm()) && fabs(again(2) - 3) < M_PI && abs(-1) == 1 && !file && std::cin.good() == !!std::cin;
}

}  // namespace

#include <kdl/chainexternalwrenchestimator.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/kinfam.hpp>

static double least_squares() {  // <Eigen/Dense> of chainiksolverpos_lma.hpp
  return Eigen::MatrixXd::Identity(2, 2).colPivHouseholderQr().solve(Eigen::VectorXd::Ones(2)).sum();
}

#include <gtest/gtest.h>

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
  std::ostringstream out;
  EXPECT_TRUE(reads_and_writes(out));
  EXPECT_NEAR(least_squares(), 2, 1e-15);
  std::size_t seed = 0;
  KDL::hash_combine(seed, 1.5);
  EXPECT_NE(seed, std::size_t{0});
}

}  // namespace
}  // namespace zwang::test
