// SPDX-License-Identifier: BSD-3-Clause
// Numbers that are none, limits without a place, profiles without a speed, texts without an end:
// a code or an error, and nothing else.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <kdl/chainexternalwrenchestimator.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <kdl/chainiksolvervel_pinv_givens.hpp>
#include <kdl/chainiksolvervel_pinv_nso.hpp>
#include <kdl/chainiksolvervel_wdls.hpp>
#include <kdl/motion.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeiksolverpos_nr_jl.hpp>
#include <kdl/treeiksolverpos_online.hpp>
#include <kdl/treeiksolvervel_wdls.hpp>
#include <limits>
#include <memory>
#include <sstream>

#include "support.hpp"

namespace {

using namespace KDL;
using zwang::test::KdlDraw;

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN(), k_infinity = std::numeric_limits<double>::infinity();

class KdlHostile : public testing::Test {
 protected:
  KdlDraw draw{1};
  Chain chain = draw.chain(7);
  JntArray q = draw.joints(7), out{7}, none{7};
  Twist twist = draw.twist();
  Frame goal, no_goal{Vector(0, k_nan, 0)};
  void SetUp() override {
    none(3) = k_nan;
    ChainFkSolverPos_recursive(chain).JntToCart(q, goal);
  }
};

TEST_F(KdlHostile, VelocitiesForNumbersThatAreNone) {
  ChainIkSolverVel_pinv pinv(chain);
  ChainIkSolverVel_pinv_givens givens(chain);
  ChainIkSolverVel_pinv_nso nso(chain, q, q);
  ChainIkSolverVel_wdls wdls(chain);
  for (ChainIkSolverVel* solver : std::initializer_list<ChainIkSolverVel*>{&pinv, &givens, &nso, &wdls}) {
    for (int row = 0; row < 6; ++row)
      for (const double number : {k_nan, k_infinity}) {
        Twist broken = twist;
        broken(row) = number;
        EXPECT_EQ(solver->CartToJnt(q, broken, out), int{SolverI::E_UNDEFINED});
      }
    EXPECT_EQ(solver->CartToJnt(none, twist, out), int{SolverI::E_UNDEFINED});
    EXPECT_EQ(out.data.norm(), 0) << "results are as they were";
  }
  EXPECT_EQ(nso.setOptPos(none), 0);
  EXPECT_EQ(nso.CartToJnt(q, twist, out), int{SolverI::E_UNDEFINED}) << "a posture";
  wdls.setLambda(k_nan);
  EXPECT_EQ(wdls.CartToJnt(q, twist, out), int{SolverI::E_UNDEFINED}) << "a damping";
  EXPECT_EQ(out.data.norm(), 0);
}

TEST_F(KdlHostile, ThresholdsBelowZeroStillSeeWhatIsLost) {
  Chain plane;  // three joints in a plane
  for (int i = 0; i < 3; ++i) plane.addSegment(Segment(Joint(Joint::RotZ), Frame(Vector(1, 0, 0))));
  JntArray stretched(3), result(3);
  ChainIkSolverVel_pinv pinv(plane, -1);
  EXPECT_EQ(pinv.CartToJnt(stretched, Twist(Vector(1, 0, 0), Vector::Zero()), result),
            int{ChainIkSolverVel_pinv::E_CONVERGE_PINV_SINGULAR});
  EXPECT_TRUE(result.data.allFinite());
  EXPECT_EQ(ChainIkSolverVel_pinv(plane, 1e-5, 0).CartToJnt(stretched, twist, result), int{SolverI::E_SVD_FAILED});
}

TEST_F(KdlHostile, PosesAndLimits) {
  ChainFkSolverPos_recursive fk(chain);
  ChainIkSolverVel_pinv velocity(chain);
  ChainIkSolverPos_NR nr(chain, fk, velocity);
  ChainIkSolverPos_NR_JL nr_jl(chain, fk, velocity);
  ChainIkSolverPos_LMA lma(chain);
  for (ChainIkSolverPos* solver : std::initializer_list<ChainIkSolverPos*>{&nr, &nr_jl, &lma}) {
    EXPECT_LT(solver->CartToJnt(q, no_goal, out), 0);
    EXPECT_TRUE(out.data.allFinite());
    EXPECT_LT(solver->CartToJnt(none, goal, out), 0);
  }
  JntArray low(7), high(7);
  low.data.setConstant(1);
  high.data.setConstant(-1);
  EXPECT_EQ(nr_jl.setJointLimits(low, high), int{SolverI::E_UNDEFINED});
  EXPECT_EQ(nr_jl.setJointLimits(none, low), int{SolverI::E_UNDEFINED});
  EXPECT_EQ(nr_jl.CartToJnt(q, goal, out), 0) << "the old limits stay: none";
  EXPECT_EQ(ChainIkSolverPos_NR_JL(chain, low, high, fk, velocity).CartToJnt(q, goal, out), int{SolverI::E_UNDEFINED});
  EXPECT_EQ(ChainIkSolverPos_NR(chain, fk, velocity, 0).CartToJnt(q, goal, out),
            int{SolverI::E_MAX_ITERATIONS_EXCEEDED});
  Eigen::VectorXd shorter = Eigen::VectorXd::Zero(2);
  lma.compute_fwdpos(shorter);
  EXPECT_EQ(lma.getError(), int{SolverI::E_SIZE_MISMATCH});
  lma.compute_jacobian(shorter);
  EXPECT_EQ(lma.getError(), int{SolverI::E_SIZE_MISMATCH});
  lma.compute_fwdpos(none.data);
  EXPECT_EQ(lma.getError(), int{SolverI::E_UNDEFINED});
}

TEST_F(KdlHostile, Trees) {
  Tree tree("root");
  ASSERT_TRUE(tree.addChain(chain, "root"));
  const std::string tip = "segment 6";
  TreeFkSolverPos_recursive fk(tree);
  TreeIkSolverVel_wdls velocity(tree, {tip, "nobody"});
  velocity.setLambda(0.01);
  EXPECT_EQ(velocity.CartToJnt(q, {{tip, Twist(Vector(k_nan, 0, 0), Vector::Zero())}}, out), -4);
  EXPECT_EQ(velocity.CartToJnt(q, {{"nobody", twist}}, out), -2) << "an endpoint that the tree does not have";
  EXPECT_EQ(velocity.CartToJnt(q, {{"segment 5", twist}}, out), -2);
  JntArray low(7), high(7);
  low.data.setConstant(-4);
  high.data.setConstant(4);
  TreeIkSolverPos_NR_JL position(tree, {tip}, low, high, fk, velocity), reversed(tree, {tip}, high, low, fk, velocity);
  EXPECT_LT(position.CartToJnt(q, {{tip, no_goal}}, out), 0);
  EXPECT_EQ(reversed.CartToJnt(q, {{tip, goal}}, out), -1);
  TreeIkSolverPos_Online online(-3, {tip}, low, high, high, 1, 1, fk, velocity);
  EXPECT_EQ(online.CartToJnt(q, {{tip, goal}}, out), -1) << "a number of joints below 0";
}

TEST_F(KdlHostile, TheEstimatorForgetsNothing) {
  const Vector gravity(0, 0, -9.81);
  Wrench wrench, again;
  for (const double frequency : {0., -1., k_nan}) {
    ChainExternalWrenchEstimator broken(chain, gravity, frequency, 10, 0.5);
    EXPECT_EQ(broken.JntToExtWrench(q, q, q, wrench), int{SolverI::E_UNDEFINED});
  }
  ChainExternalWrenchEstimator a(chain, gravity, 100, 10, 0.5), b(chain, gravity, 100, 10, 0.5);
  EXPECT_EQ(a.setInitialMomentum(q, none), int{SolverI::E_UNDEFINED});
  a.setInitialMomentum(q, q);
  b.setInitialMomentum(q, q);
  EXPECT_EQ(a.JntToExtWrench(q, q, none, wrench), int{SolverI::E_UNDEFINED});
  EXPECT_GE(a.JntToExtWrench(q, q, q, wrench), 0);
  EXPECT_GE(b.JntToExtWrench(q, q, q, again), 0);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(wrench(i), again(i)) << "the refused call left nothing behind";
}

int type_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) { return error.GetType(); }
  return 0;
}

TEST_F(KdlHostile, ProfilesWithoutASpeed) {
  for (const auto& [maxvel, maxacc] :
       {std::pair(0., 1.), std::pair(1., 0.), std::pair(-1., 1.), std::pair(1., k_nan)}) {
    VelocityProfile_Trap trap(maxvel, maxacc);
    VelocityProfile_TrapHalf half(maxvel, maxacc);
    EXPECT_EQ(type_of([&] { trap.SetProfile(0, 1); }), 3100);
    EXPECT_EQ(type_of([&] { half.SetProfileDuration(0, 1, 9); }), 3100);
    EXPECT_EQ(type_of([&] { trap.SetProfile(1, 1); }), 0) << "no way needs no speed";
    EXPECT_EQ(trap.Duration(), 0);
  }
  VelocityProfile_Trap trap(1, 1);
  VelocityProfile_Rectangular constant(1);
  for (const double end : {k_nan, k_infinity}) {
    EXPECT_EQ(type_of([&] { trap.SetProfile(0, end); }), 3100);
    EXPECT_EQ(type_of([&] { constant.SetProfile(0, end); }), 3003);
  }
}

TEST_F(KdlHostile, PathsOfNumbersThatAreNone) {
  RotationalInterpolation_SingleAxis orient;
  EXPECT_EQ(type_of([&] { Path_Line(goal, no_goal, &orient, 1, false); }), 3100);
  EXPECT_EQ(type_of([&] { Path_Line(goal, Frame::Identity(), &orient, k_nan, false); }), 3100);
  EXPECT_EQ(type_of([&] { Path_Circle(goal, no_goal.p, Vector(1, 1, 0), Rotation(), 1, &orient, 1, false); }), 3001);
  EXPECT_EQ(type_of([&] { Path_Circle(goal, Vector(9, 0, 0), no_goal.p, Rotation(), 1, &orient, 1, false); }), 3002);
  EXPECT_EQ(
      type_of([&] { Path_Circle(goal, Vector(9, 0, 0), Vector(9, 5, 0), Rotation(), k_infinity, &orient, 1, false); }),
      3100);
}

TEST_F(KdlHostile, TextsThatNestForEver) {
  std::string path, trajectory;
  for (int i = 0; i < 200000; ++i) {
    path += i % 2 == 0 ? "COMPOSITE[ 1 " : "CYCLIC_CLOSED[ ";
    trajectory += "COMPOSITE[ 1 ";
  }
  std::istringstream paths(path), trajectories(trajectory);
  EXPECT_EQ(type_of([&] { Path::Read(paths); }), 2002);
  EXPECT_EQ(type_of([&] { Trajectory::Read(trajectories); }), 2002);
}

}  // namespace
