// SPDX-License-Identifier: BSD-3-Clause
// What programs for KDL rely on without a word: forward kinematics follows its chain or tree and serves several threads
// (judged by Segment::pose() alone), sizes are compared, angles near whole and half turns, hashes.
#include <gtest/gtest.h>

#include <atomic>
#include <kdl/chainfksolveracc_recursive.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/jntspaceinertiamatrix.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <limits>
#include <thread>

#include "support.hpp"

namespace zwang::test {
namespace {

using namespace KDL;

/// Some hundred roundings of numbers of size 10.
constexpr double k_rounding = 1000 * std::numeric_limits<double>::epsilon();

/// The product of the segments' poses.
Frame pose_of(const Chain& chain, const JntArray& q) {
  Frame out;
  unsigned int j = 0;
  for (const Segment& segment : chain.segments)
    out = out * segment.pose(segment.getJoint().getType() == Joint::Fixed ? 0 : q(j++));
  return out;
}

TEST(KdlFollowing, AnEmptyChainIsFilledAfterConstruction) {
  KdlDraw draw(1);
  Chain chain;
  ChainFkSolverPos_recursive positions(chain);
  ChainFkSolverVel_recursive velocities(chain);
  ChainFkSolverAcc_recursive accelerations(chain);
  for (int i = 0; i < 6; ++i) {
    chain.addSegment(draw.segment("segment " + std::to_string(i), false, true));
    const JntArray q = draw.joints(chain.getNrOfJoints());
    const Frame expected = pose_of(chain, q);
    Frame position;
    FrameVel velocity;
    FrameAcc acceleration;
    std::vector<Frame> all(static_cast<std::size_t>(i) + 1);
    ASSERT_EQ(positions.JntToCart(q, position), 0) << i;
    ASSERT_EQ(positions.JntToCart(q, all), 0);
    ASSERT_EQ(velocities.JntToCart(JntArrayVel(q, q), velocity), 0);
    ASSERT_EQ(accelerations.JntToCart(JntArrayAcc(q, q, q), acceleration), 0);
    EXPECT_TRUE(Equal(position, expected, k_rounding));
    EXPECT_TRUE(Equal(all.back(), expected, k_rounding));
    EXPECT_TRUE(Equal(velocity.GetFrame(), expected, k_rounding));
    EXPECT_TRUE(Equal(acceleration.GetFrame(), expected, k_rounding));
    EXPECT_EQ(positions.getError(), 0);
  }
  chain.segments.erase(chain.segments.begin());
  std::swap(chain.segments[0], chain.segments[3]);
  const JntArray q = draw.joints(chain.getNrOfJoints());
  Frame tip;
  ASSERT_EQ(positions.JntToCart(q, tip), 0);
  EXPECT_TRUE(Equal(tip, pose_of(chain, q), k_rounding));
  EXPECT_EQ(positions.JntToCart(JntArray(9), tip), int{SolverI::E_SIZE_MISMATCH});
}

TEST(KdlFollowing, ATreeThatGrowsOrIsReplaced) {
  KdlDraw draw(2);
  Tree tree("base");
  TreeFkSolverPos_recursive fk(tree);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(tree.addSegment(draw.segment("s" + std::to_string(i)), i == 0 ? "base" : "s" + std::to_string(i / 2)));
    const JntArray q = draw.joints(tree.getNrOfJoints());
    Chain chain;
    ASSERT_TRUE(tree.getChain("base", "s" + std::to_string(i), chain));
    Frame expected, tip;
    for (const Segment& segment : chain.segments)
      expected = expected * segment.pose(q(tree.getSegment(segment.getName())->second.q_nr));
    ASSERT_EQ(fk.JntToCart(q, tip, "s" + std::to_string(i)), 0);
    EXPECT_TRUE(Equal(tip, expected, k_rounding)) << i;
  }
  tree = Tree("base");
  Frame tip(Vector(1, 2, 3));
  ASSERT_EQ(fk.JntToCart(JntArray(0), tip, "base"), 0);
  EXPECT_EQ(tip, Frame::Identity());
  EXPECT_EQ(fk.JntToCart(JntArray(0), tip, "s0"), -2);
}

/// Four threads ask one solver for poses, velocities and accelerations that one thread found before.
template <class Solver, class Joints, class Result>
int wrong_answers(Solver& solver, const std::vector<Joints>& q, const std::vector<Result>& expected, int calls) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < calls; ++k) {
        const std::size_t i = (t + 3 * static_cast<std::size_t>(k)) % q.size();
        Result tip;
        std::vector<Result> tips(7);
        wrong += solver.JntToCart(q[i], tip) != 0 || !Equal(tip, expected[i], k_rounding);
        if (k % 10 == 0) wrong += solver.JntToCart(q[i], tips) != 0 || !Equal(tips[6], expected[i], k_rounding);
      }
    });
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

TEST(KdlFollowing, OneSolverServesSeveralThreads) {
  KdlDraw draw(3);
  const Chain chain = draw.chain(7, false, true);
  const unsigned int n = chain.getNrOfJoints();
  ChainFkSolverPos_recursive positions(chain);
  ChainFkSolverVel_recursive velocities(chain);
  ChainFkSolverAcc_recursive accelerations(chain);
  std::vector<JntArray> q;
  std::vector<JntArrayVel> v;
  std::vector<JntArrayAcc> a;
  std::vector<Frame> poses(16);
  std::vector<FrameVel> moving(16);
  std::vector<FrameAcc> accelerated(16);
  for (std::size_t i = 0; i < 16; ++i) {
    q.push_back(draw.joints(n));
    v.emplace_back(q[i], draw.joints(n));
    a.emplace_back(q[i], v[i].qdot, draw.joints(n));
    ASSERT_EQ(positions.JntToCart(q[i], poses[i]), 0);
    ASSERT_EQ(velocities.JntToCart(v[i], moving[i]), 0);
    ASSERT_EQ(accelerations.JntToCart(a[i], accelerated[i]), 0);
    EXPECT_TRUE(Equal(poses[i], pose_of(chain, q[i]), k_rounding));
  }
  EXPECT_EQ(wrong_answers(positions, q, poses, 50000), 0);
  EXPECT_EQ(wrong_answers(velocities, v, moving, 20000), 0);
  EXPECT_EQ(wrong_answers(accelerations, a, accelerated, 20000), 0);
}

TEST(KdlFollowing, SegmentsBeyondTheEndAreRefusedWithWords) {
  Chain chain = KdlDraw(5).chain(2);
  const Chain& same = chain;
  EXPECT_THROW(same.getSegment(2), std::out_of_range);
  try {
    chain.getSegment(7);
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_NE(std::string(error.what()).find("no segment 7, the chain has 2"), std::string::npos) << error.what();
  }
}

TEST(KdlFollowing, ArraysOfUnequalSizesAreRefused) {
  JntArray three(3), five(5), out(3);
  EXPECT_THROW(Add(three, five, out), std::invalid_argument);
  EXPECT_THROW(Subtract(five, three, out), std::invalid_argument);
  Twist twist;
  EXPECT_THROW(MultiplyJacobian(Jacobian(3), five, twist), std::invalid_argument);
  EXPECT_THROW(Multiply(JntSpaceInertiaMatrix(3), five, out), std::invalid_argument);
  JntSpaceInertiaMatrix sum(3);
  EXPECT_THROW(Add(JntSpaceInertiaMatrix(3), JntSpaceInertiaMatrix(5), sum), std::invalid_argument);
  EXPECT_THROW(Subtract(JntSpaceInertiaMatrix(3), JntSpaceInertiaMatrix(5), sum), std::invalid_argument);
  JntArrayAcc uneven(3), result(3);
  uneven.qdotdot.resize(5);
  EXPECT_THROW(Multiply(uneven, doubleAcc(1, 2, 3), result), std::invalid_argument);
  JntArrayVel rates(3);
  EXPECT_THROW(Add(JntArrayVel(3), JntArrayVel(5), rates), std::invalid_argument);
  try {
    Add(three, five, out);
    FAIL();
  } catch (const std::invalid_argument& error) { EXPECT_STREQ(error.what(), "KDL::Add: arrays of 3 and 5 rows"); }
  EXPECT_EQ(out, JntArray(3));
  Add(five, five, out);  // the result takes the size of the arguments
  EXPECT_EQ(out.rows(), 5u);
}

TEST(KdlFollowing, AnglesWithinEpsOfNothingAndOfHalfATurn) {
  Vector axis;
  // Whole turns have no axis but rounding's: z.
  for (const double turns : {1., 2., -1., 3.})
    for (const Vector& about : {Vector(1, 0, 0), Vector(-1, -1, -1), Vector(0.3, -0.2, 0.1)}) {
      EXPECT_EQ(Rotation::Rot(about, 2 * PI * turns).GetRotAngle(axis), 0);
      EXPECT_EQ(axis, Vector(0, 0, 1));
    }
  // About a coordinate axis, eps counts twice the angle.
  for (const double eps : {1e-6, 1e-3}) {
    EXPECT_EQ(Rotation::RotX(0.49 * eps).GetRotAngle(axis, eps), 0);
    EXPECT_EQ(axis, Vector(0, 0, 1));
    EXPECT_NEAR(Rotation::RotX(0.51 * eps).GetRotAngle(axis, eps), 0.51 * eps, 1e-15);
    EXPECT_EQ(axis, Vector(1, 0, 0));
    EXPECT_EQ(Rotation::RotX(-PI + 0.49 * eps).GetRotAngle(axis, eps), PI);
    EXPECT_TRUE(Equal(axis, Vector(1, 0, 0), 1e-15));
    EXPECT_NEAR(Rotation::RotX(-PI + 0.51 * eps).GetRotAngle(axis, eps), PI - 0.51 * eps, 1e-15);
    EXPECT_TRUE(Equal(axis, Vector(-1, 0, 0), 1e-15));
  }
  // Half turns: the last number of the axis that is not 0 is positive.
  for (const Vector& about : {Vector(1, 0, 0), Vector(1, 1, 0), Vector(-1, 1, 0), Vector(0, -1, 1), Vector(-1, 0, 1),
                              Vector(1, -1, 1), Vector(-1, -1, 1)})
    for (const double sign : {1., -1.}) {
      EXPECT_EQ(Rotation::Rot(sign * about, PI).GetRotAngle(axis), PI);
      EXPECT_TRUE(Equal(axis, about / about.Norm(), 1e-14));
    }
  // With eps = 0, and in GetRot(), nothing is lost.
  EXPECT_NEAR(Rotation::RotY(1e-9).GetRotAngle(axis, 0), 1e-9, 1e-24);
  EXPECT_NEAR(Rotation::RotY(1e-9).GetRot()(1), 1e-9, 1e-24);
  EXPECT_NEAR(diff(Frame(Rotation::RotY(0.3)), Frame(Rotation::RotY(0.3 + 1e-9))).rot(1), 1e-9, 1e-16);
}

TEST(KdlFollowing, HashesOfRotationsAreThoseOfTheirQuaternions) {
  const Rotation R = Rotation::RPY(0.1, 0.2, 0.3);
  double x = 0, y = 0, z = 0, w = 0;
  R.GetQuaternion(x, y, z, w);
  std::size_t expected = 0;
  for (const double number : {x, y, z, w}) hash_combine(expected, number);
  EXPECT_EQ(std::hash<Rotation>()(R), expected);
}

}  // namespace
}  // namespace zwang::test
