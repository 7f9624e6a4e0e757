// SPDX-License-Identifier: BSD-3-Clause
// The sentences between the snippets of KDL's user manual, on joints, segments, chains, trees and solvers; and, where
// manual and shipped KDL disagree, the column "here" of docs/migrate/kdl_contradictions.md.
#include <gtest/gtest.h>

#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainiksolver.hpp>
#include <kdl/tree.hpp>
#include <limits>
#include <type_traits>

#include "support.hpp"

namespace zwang::test {
namespace {

using namespace KDL;

constexpr double k_rounding = 8 * std::numeric_limits<double>::epsilon();

Segment link(const std::string& name, Joint::JointType type = Joint::RotX) {
  return Segment(name, Joint("joint of " + name, type), Frame(Vector(0, 0, 1)), RigidBodyInertia(1));
}

Chain links(const std::string& names, bool unique = false) {
  Chain out(unique);
  for (const char name : names) out.addSegment(link(std::string(1, name)));
  return out;
}

std::string names(const Chain& chain) {
  std::string out;
  for (const Segment& segment : chain.segments) out += segment.getName();
  return out;
}

TEST(KdlManualStructures, TheOrderOfRotationsIsImportant) {
  const Rotation r1 = Rotation::RotX(0.5), r2 = Rotation::RotZ(0.4);
  EXPECT_NE(r1 * r2, r2 * r1);
  EXPECT_TRUE(Equal((r1 * r2).Inverse(), r2.Inverse() * r1.Inverse(), k_rounding));
  Frame F(r1, Vector(1, 2, 3));
  const Frame before = F;
  F.SetInverse();  // the manual: not yet implemented
  EXPECT_TRUE(Equal(F * before, Frame::Identity(), k_rounding));
}

TEST(KdlManualStructures, AJointMovesByItsScaleAndOffsetAboutItsOrigin) {
  const Joint joint("j", Vector(1, 0, 0), Vector(0, 0, 3), Joint::RotAxis, 2, 0.5, 0.1, 0.2, 0.3);
  EXPECT_EQ(joint.getName(), "j");
  EXPECT_TRUE(Equal(joint.JointAxis(), Vector(0, 0, 1), k_rounding));
  EXPECT_TRUE(Equal(joint.pose(0.4), Frame(Rotation::RotZ(2 * 0.4 + 0.5), Vector(1, 0, 0)), k_rounding));
  EXPECT_TRUE(Equal(joint.twist(0.4), Twist(Vector::Zero(), Vector(0, 0, 0.8)), k_rounding))
      << "at the joint's origin, in the axes of its place at rest";
  EXPECT_EQ(joint.getInertia(), 0.1);
  EXPECT_EQ(joint.getDamping(), 0.2);
  EXPECT_EQ(joint.getStiffness(), 0.3);
  const Joint slide(Vector(1, 0, 0), Vector(0, 2, 0), Joint::TransAxis, -1);
  EXPECT_TRUE(Equal(slide.pose(0.4), Frame(Vector(1, -0.4, 0)), k_rounding));
  EXPECT_TRUE(Equal(slide.twist(0.4), Twist(Vector(0, -0.4, 0), Vector::Zero()), k_rounding));
  EXPECT_EQ(Joint(Joint::None).pose(0.4), Frame::Identity());
  EXPECT_EQ(Joint(Joint::None).twist(0.4), Twist::Zero());
  EXPECT_EQ(Joint(Joint::None).getTypeName(), "Fixed");
  EXPECT_ANY_THROW(Joint("j", Joint::RotAxis)) << "no axis";
  EXPECT_ANY_THROW(Joint(Vector::Zero(), Vector::Zero(), Joint::RotAxis)) << "an axis without length";
  EXPECT_ANY_THROW(Joint(Vector::Zero(), Vector(1, 0, 0), Joint::RotX)) << "has its own axis";
}

TEST(KdlManualStructures, TheTipFrameIsInTheReferenceFrameAtZero) {
  // The manual: "from the end of the joint to the tip". Shipped: at q = 0, with the offset, in the reference frame.
  Segment segment(Joint("j", Vector(1, 0, 0), Vector(0, 0, 1), Joint::RotAxis, 1, 0.5), Frame(Vector(0, 0, 1)));
  EXPECT_TRUE(Equal(segment.pose(0), Frame(Vector(0, 0, 1)), k_rounding));
  EXPECT_TRUE(Equal(segment.getFrameToTip(), Frame(Vector(0, 0, 1)), k_rounding));
  EXPECT_TRUE(Equal(segment.pose(M_PI).p, Vector(2, 0, 1), k_rounding)) << "it turns about its origin";
  // "You cannot change the frame afterwards": one can.
  const Segment before = segment;
  segment.setFrameToTip(Frame(Vector(4, 5, 6)));
  EXPECT_TRUE(Equal(segment.pose(0), Frame(Vector(4, 5, 6)), k_rounding));
  EXPECT_TRUE(Equal(before.pose(0), Frame(Vector(0, 0, 1)), k_rounding)) << "a copy is a copy";
}

TEST(KdlManualStructures, TheTwistOfASegmentIsThatOfItsTip) {
  // "The twist of the tip frame expressed in the root frame": by differences of the pose, of any joint.
  KdlDraw draw(1);
  constexpr double h = 1e-5;
  for (int trial = 0; trial < 50; ++trial) {
    const Segment segment = draw.segment("s");
    const double q = draw.number(), qdot = draw.number();
    const Twist moved = diff(segment.pose(q - h * qdot), segment.pose(q + h * qdot), 2 * h);
    EXPECT_TRUE(Equal(segment.twist(q, qdot), moved, 1e-8)) << segment.getJoint().getTypeName();
  }
}

TEST(KdlManualStructures, AnInertiaIsAboutTheTip) {
  // 2 kg half a metre beyond the tip of a link of one metre, gravity of 10 m/s^2: 1.5 m * 20 N. KDL 1.5.1 says 30, too.
  Chain chain;
  chain.addSegment(Segment(Joint(Joint::RotY), Frame(Vector(1, 0, 0)), RigidBodyInertia(2, Vector(0.5, 0, 0))));
  JntArray q(1), tau(1);
  ASSERT_EQ(ChainIdSolver_RNE(chain, Vector(0, 0, -10)).CartToJnt(q, q, q, Wrenches(1), tau), 0);
  EXPECT_NEAR(tau(0), -30, 30 * k_rounding);
}

TEST(KdlManualStructures, ChainsCopyWhatTheyGet) {
  Segment segment = link("a");
  Chain chain1 = links("xy"), chain2;
  chain2.addSegment(segment);
  segment.setFrameToTip(Frame(Vector(9, 9, 9)));
  EXPECT_EQ(chain2.getSegment(0).getFrameToTip().p.z(), 1);
  chain1.addChain(chain2);
  chain2.getSegment(0) = link("b");
  EXPECT_EQ(names(chain1), "xya");
  EXPECT_TRUE(chain1.addChain(chain1)) << "its own copy, too";
  EXPECT_EQ(names(chain1), "xyaxya");
  EXPECT_TRUE(chain1.addSegment(chain1.getSegment(1)));
  EXPECT_EQ(names(chain1), "xyaxyay");
  EXPECT_EQ(Chain().getNrOfSegments(), 0u) << "empty without any segments";
}

TEST(KdlManualStructures, NamesThatAreThereAlreadyAreRefusedWhereTheyMustDiffer) {
  Chain chain1 = links("abc", true);
  EXPECT_FALSE(chain1.addChain(links("db"))) << "and the segments will not be added";
  EXPECT_EQ(names(chain1), "abc");
  EXPECT_FALSE(chain1.addChain(links("dd"))) << "twice in what is added";
  EXPECT_EQ(names(chain1), "abc");
  EXPECT_TRUE(chain1.addChain(links("de")));
  EXPECT_EQ(names(chain1), "abcde");
  EXPECT_TRUE(links("abc").addChain(links("abc"))) << "as it shipped: names may repeat";
  Chain copied = chain1;
  EXPECT_FALSE(copied.addSegment(link("a"))) << "copies go on to refuse them";
}

TEST(KdlManualStructures, WhatIsNotThereIsFalseAndChangesNothing) {
  const Chain chain1 = links("abcde"), empty;
  Segment segment("kept");
  Chain part = links("kept");
  EXPECT_FALSE(chain1.getSegment(5, segment));
  EXPECT_FALSE(chain1.getSegment("nobody", segment));
  EXPECT_FALSE(empty.getRootSegment(segment));
  EXPECT_FALSE(empty.getLeafSegment(segment));
  EXPECT_FALSE(chain1.getChain_Including(1, 5, part));
  EXPECT_FALSE(chain1.getChain_Including(3, 1, part)) << "in the other direction";
  EXPECT_FALSE(chain1.getChain_Including("a", "nobody", part));
  EXPECT_FALSE(chain1.getChain_Including(0xffffffffu, 0xffffffffu, part));
  EXPECT_FALSE(chain1.getChain_Excluding(0, 5, part));
  EXPECT_FALSE(chain1.getChain_Excluding("nobody", "a", part));
  EXPECT_FALSE(chain1.copy(5, part));
  EXPECT_FALSE(chain1.copy("nobody", part));
  EXPECT_EQ(segment.getName(), "kept");
  EXPECT_EQ(names(part), "kept");
  EXPECT_TRUE(chain1.getChain_Including(2, 2, part));
  EXPECT_EQ(names(part), "c");
  EXPECT_TRUE(chain1.getChain_Excluding(2, 2, part));
  EXPECT_EQ(names(part), "");
  EXPECT_TRUE(chain1.copy(0, part));
  EXPECT_EQ(names(part), "");
  EXPECT_TRUE(chain1.copy("e", part));
  EXPECT_EQ(names(part), "abcd");
  std::vector<Segment> segments(9);
  EXPECT_TRUE(empty.getSegments(segments));
  EXPECT_TRUE(segments.empty());
  Chain self = chain1;
  EXPECT_TRUE(self.copy(3, self)) << "the result may be the chain itself";
  EXPECT_EQ(names(self), "abc");
}

TEST(KdlManualStructures, TreesCopyWhatTheyGetAndRefuseHooksThatAreNotThere) {
  Tree tree1, tree2("RootName");
  EXPECT_FALSE(tree1.addSegment(link("a"), "nobody"));
  EXPECT_FALSE(tree1.addChain(links("ab"), "nobody"));
  EXPECT_FALSE(tree1.addTree(tree2, "nobody"));
  EXPECT_EQ(tree1.getNrOfSegments(), 0u);
  EXPECT_TRUE(tree1.addChain(links("ab"), "root"));
  EXPECT_TRUE(tree2.addSegment(link("c"), "RootName"));
  const bool exit_value = tree1.addTree(tree2, "root");
  EXPECT_TRUE(exit_value);
  EXPECT_EQ(tree1.getSegments().count("RootName"), 0u) << "the root of what is added is not";
  EXPECT_EQ(tree1.getSegment("c")->second.parent->first, "root");
  Tree tree3(tree1), tree5 = tree1;
  EXPECT_TRUE(tree3.addSegment(link("d", Joint::None), "c"));
  EXPECT_EQ(tree3.getNrOfSegments(), 4u);
  EXPECT_EQ(tree3.getNrOfJoints(), 3u) << "a fixed joint is not counted";
  EXPECT_EQ(tree1.getNrOfSegments(), 3u);
  EXPECT_EQ(tree5.getNrOfSegments(), 3u);
}

/// What a user writes against the abstract classes: a solver of each kind.
class Here : public ChainFkSolverPos {
 public:
  int JntToCart(const JntArray& q_in, Frame& p_out, int /*segmentNr*/ = -1) override {
    p_out = Frame(Vector(q_in(0), 0, 0));
    return error = E_NOERROR;
  }
  int JntToCart(const JntArray&, std::vector<Frame>&, int = -1) override { return error = E_NOT_IMPLEMENTED; }
  void updateInternalDataStructures() override {}
};
class HereMoving : public ChainFkSolverVel {
 public:
  int JntToCart(const JntArrayVel& q_in, FrameVel& out, int = -1) override {
    out = FrameVel(Frame(Vector(q_in.q(0), 0, 0)), Twist(Vector(q_in.qdot(0), 0, 0), Vector::Zero()));
    return error = E_NOERROR;
  }
  int JntToCart(const JntArrayVel&, std::vector<FrameVel>&, int = -1) override { return error = E_NOT_IMPLEMENTED; }
  void updateInternalDataStructures() override {}
};
class ThereMoving : public ChainIkSolverVel {
 public:
  int CartToJnt(const JntArray&, const Twist& v_in, JntArray& qdot_out) override {
    qdot_out(0) = v_in.vel.x();
    return error = E_NOERROR;
  }
  int CartToJnt(const JntArray&, const FrameVel&, JntArrayVel&) override { return error = E_NOT_IMPLEMENTED; }
  void updateInternalDataStructures() override {}
};
class There : public ChainIkSolverPos {
 public:
  int CartToJnt(const JntArray&, const Frame& p_in, JntArray& q_out) override {
    q_out(0) = p_in.p.x();
    return error = E_NOERROR;
  }
  void updateInternalDataStructures() override {}
};

TEST(KdlManualStructures, SolversHaveAUniformInterface) {
  EXPECT_TRUE(std::is_abstract_v<ChainFkSolverPos> && std::is_abstract_v<ChainFkSolverVel> &&
              std::is_abstract_v<ChainIkSolverVel> && std::is_abstract_v<ChainIkSolverPos>);
  JntArray q(1), out(1);
  q(0) = 0.7;
  Here here;
  There there;
  HereMoving here_moving;
  ThereMoving there_moving;
  ChainFkSolverPos& forward = here;
  ChainIkSolverPos& inverse = there;
  ChainFkSolverVel& forward_velocity = here_moving;
  ChainIkSolverVel& inverse_velocity = there_moving;
  Frame pose;
  FrameVel moving;
  EXPECT_EQ(forward.JntToCart(q, pose), 0);
  EXPECT_EQ(inverse.CartToJnt(q, pose, out), 0);
  EXPECT_EQ(out, q);
  EXPECT_EQ(forward_velocity.JntToCart(JntArrayVel(q, q), moving), 0);
  EXPECT_EQ(inverse_velocity.CartToJnt(q, moving.GetTwist(), out), 0);
  EXPECT_EQ(out, q);
  std::vector<Frame> all;
  EXPECT_EQ(forward.JntToCart(q, all), int{SolverI::E_NOT_IMPLEMENTED});
  EXPECT_EQ(forward.getError(), int{SolverI::E_NOT_IMPLEMENTED});
  EXPECT_STREQ(forward.strError(forward.getError()), inverse.strError(SolverI::E_NOT_IMPLEMENTED));
}

TEST(KdlManualStructures, SegmentNumbersCountSegments) {
  const Chain chain1 = links("abc");
  JntArray q(chain1.getNrOfJoints());
  q(0) = 0.3;
  q(1) = -0.2;
  q(2) = 0.5;
  ChainFkSolverPos_recursive fksolver(chain1);
  ChainFkSolverVel_recursive velocity(chain1);
  Frame F_result, expected;
  FrameVel moving;
  for (int k = 0; k <= 3; ++k) {
    ASSERT_EQ(fksolver.JntToCart(q, F_result, k), 0);
    EXPECT_TRUE(Equal(F_result, expected, 4 * k_rounding)) << k;
    ASSERT_EQ(velocity.JntToCart(JntArrayVel(q, q), moving, k), 0);
    EXPECT_TRUE(Equal(moving.GetFrame(), expected, 4 * k_rounding)) << k;
    if (k < 3) expected = expected * chain1.getSegment(k).pose(q(k));
  }
  EXPECT_EQ(fksolver.JntToCart(q, F_result, -1), 0);
  EXPECT_TRUE(Equal(F_result, expected, 4 * k_rounding)) << "below 0: all";
  EXPECT_EQ(fksolver.JntToCart(q, F_result, 4), int{SolverI::E_OUT_OF_RANGE});
}

}  // namespace
}  // namespace zwang::test
