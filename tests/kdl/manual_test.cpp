// SPDX-License-Identifier: BSD-3-Clause
// The snippets of KDL's user manual, with the results that it states. Where the manual and the KDL that shipped
// disagree, what shipped is asserted; docs/migrate/kdl_contradictions.md lists these places.
#include <gtest/gtest.h>

#include <cmath>
#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/frames.hpp>
#include <kdl/tree.hpp>
#include <limits>

namespace {

using namespace KDL;

constexpr double k_rounding = 4 * std::numeric_limits<double>::epsilon();

TEST(KdlManual, Vectors) {
  const double x = 1, y = 2, z = 3;
  Vector v1, v2(x, y, z), v3(v2), v4 = Vector::Zero(), v5;
  EXPECT_EQ(v1, v4);
  EXPECT_EQ(v3(0), 1);
  EXPECT_EQ(v3[2], 3);
  v1(0) = v2(1);
  v2(1) = v3(2);
  v3.x(v4.y());
  EXPECT_EQ(v1(0), 2);
  EXPECT_EQ(v2(1), 3);
  EXPECT_EQ(v3.x(), 0);
  v2 = 2 * v1;
  v3 = v1 / 2;
  EXPECT_EQ(v2, Vector(4, 0, 0));
  EXPECT_EQ(v3, Vector(1, 0, 0));
  v2 += v1;
  v3 -= v1;
  v4 = v1 + v2;
  v5 = v2 - v3;
  EXPECT_EQ(v4, Vector(8, 0, 0));
  EXPECT_EQ(v5, Vector(7, 0, 0));
  v1 = Vector(1, 0, 0);
  v2 = Vector(0, 1, 0);
  v3 = v1 * v2;
  const double a = dot(v1, v2);
  EXPECT_EQ(v3, Vector(0, 0, 1));
  EXPECT_EQ(a, 0);
  SetToZero(v1);
  EXPECT_TRUE(v1 == Vector::Zero());
  EXPECT_TRUE(v2 != v3);
  EXPECT_TRUE(Equal(v3, v3 + Vector(1e-4, 0, 0), 1e-3));
  EXPECT_FALSE(Equal(v3, v3 + Vector(1e-4, 0, 0), 1e-5));
}

TEST(KdlManual, Rotations) {
  const double roll = 0.1, pitch = 0.2, yaw = 0.3, angle = 0.7;
  const Vector vector(1, 2, 2);
  Rotation r1, identity = Rotation::Identity();
  EXPECT_EQ(r1, identity);
  const Rotation r2 = Rotation::RPY(roll, pitch, yaw), r3 = Rotation::EulerZYZ(0.1, 0.2, 0.3),
                 r4 = Rotation::EulerZYX(0.3, 0.2, 0.1), r5 = Rotation::Rot(vector, angle);
  EXPECT_TRUE(Equal(r2, Rotation::RotZ(yaw) * Rotation::RotY(pitch) * Rotation::RotX(roll), k_rounding));
  EXPECT_TRUE(Equal(r3, Rotation::RotZ(0.1) * Rotation::RotY(0.2) * Rotation::RotZ(0.3), k_rounding));
  EXPECT_TRUE(Equal(r4, r2, k_rounding));
  for (const Rotation& r : {r2, r3, r4, r5})
    EXPECT_TRUE(Equal(r * r.Inverse(), identity, k_rounding)) << "normalised and orthogonal";
  // The manual's nine numbers (Xx, Yx, Zx, Xy, ...) are the rows: it calls them columns, what shipped takes rows.
  const Rotation r6(1, 2, 3, 4, 5, 6, 7, 8, 9), r7(Vector(1, 4, 7), Vector(2, 5, 8), Vector(3, 6, 9));
  EXPECT_EQ(r6, r7);
  EXPECT_EQ(r6(0, 2), 3);
  const double Zx = r2(0, 2);
  EXPECT_EQ(Zx, r2.UnitZ()(0));
  double alpha = 0, beta = 0, gamma = 0, r = 0, p = 0, w = 0;
  r3.GetEulerZYZ(alpha, beta, gamma);
  EXPECT_NEAR(alpha, 0.1, 10 * k_rounding);
  EXPECT_NEAR(beta, 0.2, 10 * k_rounding);
  EXPECT_NEAR(gamma, 0.3, 10 * k_rounding);
  r4.GetEulerZYX(alpha, beta, gamma);
  EXPECT_NEAR(alpha, 0.3, k_rounding);
  r2.GetRPY(r, p, w);
  EXPECT_NEAR(r, roll, k_rounding);
  EXPECT_NEAR(p, pitch, k_rounding);
  EXPECT_NEAR(w, yaw, k_rounding);
  // "gives only rotation axis": what shipped gives axis times angle.
  EXPECT_TRUE(Equal(r5.GetRot(), vector / 3 * angle, k_rounding));
  Vector axis;
  EXPECT_NEAR(r5.GetRotAngle(axis), angle, k_rounding);
  EXPECT_TRUE(Equal(axis, vector / 3, k_rounding));
  // r1.UnitX(vecX) sets the column: the manual lists it as another way to read it.
  const Vector vecX = r2.UnitX();
  r1.UnitX(vecX);
  r1.UnitY(r2.UnitY());
  r1.UnitZ(r2.UnitZ());
  EXPECT_EQ(r1, r2);
  r1.SetInverse();
  EXPECT_EQ(r1, r2.Inverse());
  const Vector v1(0.3, -0.2, 0.5);
  EXPECT_TRUE(Equal((r2 * r3) * v1, r2 * (r3 * v1), k_rounding));
  Rotation x = r2, y = r2, z = r2;
  x.DoRotX(angle);
  y.DoRotY(angle);
  z.DoRotZ(angle);
  EXPECT_TRUE(Equal(x, r2 * Rotation::RotX(angle), k_rounding));
  EXPECT_TRUE(Equal(y, r2 * Rotation::RotY(angle), k_rounding));
  EXPECT_TRUE(Equal(z, r2 * Rotation::RotZ(angle), k_rounding));
  EXPECT_TRUE(r2 == r2);
  EXPECT_TRUE(r2 != r3);
  EXPECT_TRUE(Equal(r2, r2 * Rotation::RotX(1e-4), 1e-3));
}

TEST(KdlManual, Frames) {
  const Rotation your_rotation = Rotation::RPY(0.1, 0.2, 0.3);
  const Vector your_vector(1, 2, 3);
  const Frame f1, identity = Frame::Identity(), f2(your_rotation), f3(your_vector), f4(your_rotation, your_vector),
                  f5(your_vector, your_rotation), f6(f4);
  EXPECT_EQ(f1, identity);
  EXPECT_EQ(f2.p, Vector::Zero());
  EXPECT_EQ(f3.M, Rotation::Identity());
  EXPECT_EQ(f4, f5) << "the manual's other order, which no KDL had";
  EXPECT_EQ(f4, f6);
  EXPECT_EQ(f4(0, 3), 1);
  EXPECT_EQ(f4(1, 1), your_rotation(1, 1));
  EXPECT_EQ(f4(3, 3), 1);
  const Frame F_A_B = f4, F_B_C(Rotation::RotX(0.4), Vector(0, 1, 0));
  const Frame F_A_C = F_A_B * F_B_C;
  EXPECT_TRUE(Equal(F_A_C.p, F_A_B * F_B_C.p, k_rounding));
  EXPECT_TRUE(Equal(F_A_C.M, F_A_B.M * F_B_C.M, k_rounding));
  EXPECT_TRUE(Equal(f4 * f4.Inverse(), identity, 4 * k_rounding));
  EXPECT_TRUE(f1 != f2);
  EXPECT_TRUE(Equal(f4, Frame(f4.M, f4.p + Vector(1e-4, 0, 0)), 1e-3));
}

template <class T> void linear_operators(const T& a, const T& b) {
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ((2 * a)(i), 2 * a(i));
    EXPECT_EQ((a * 2)(i), 2 * a(i));
    EXPECT_EQ((a / 2)[i], a[i] / 2);
    EXPECT_EQ((a + b)(i), a(i) + b(i));
    EXPECT_EQ((a - b)(i), a(i) - b(i));
    T sum = a;
    sum += b;
    sum -= b;
    EXPECT_NEAR(sum(i), a(i), 4 * k_rounding);
  }
  EXPECT_EQ(T(), T::Zero());
  EXPECT_TRUE(a == a);
  EXPECT_TRUE(a != b);
  EXPECT_TRUE(Equal(a, b, 100));
}

TEST(KdlManual, TwistsAndWrenches) {
  const Vector vel(1, 2, 3), rot(4, 5, 6);
  Twist t1(vel, rot);
  Wrench w1(vel, rot);
  linear_operators(t1, Twist(rot, vel));
  linear_operators(w1, Wrench(rot, vel));
  EXPECT_EQ(t1(0), 1);
  EXPECT_EQ(t1(4), 5) << "omega_y; the manual lost its index";
  EXPECT_EQ(t1.vel.x(), t1.vel(0));
  EXPECT_EQ(t1.rot.y(), t1.rot(1));
  t1.vel.y(7);
  t1(5) = 8;
  EXPECT_EQ(t1, Twist(Vector(1, 7, 3), Vector(4, 5, 8)));
  w1.force.y(7);
  w1(5) = 8;
  EXPECT_EQ(w1, Wrench(Vector(1, 7, 3), Vector(4, 5, 8)));

  const Vector v_old_new(0.3, -0.4, 0.5);
  const Twist t2 = t1.RefPoint(v_old_new);
  const Wrench w2 = w1.RefPoint(v_old_new);
  EXPECT_TRUE(Equal(t2, Twist(t1.vel + t1.rot * v_old_new, t1.rot), k_rounding));
  EXPECT_TRUE(Equal(w2, Wrench(w1.force, w1.torque + w1.force * v_old_new), k_rounding));
  EXPECT_NEAR(dot(t2, w2), dot(t1, w1), 100 * k_rounding) << "power does not depend on the point";
  const Rotation R_AB = Rotation::RPY(0.1, 0.2, 0.3);
  EXPECT_EQ(R_AB * t1, Twist(R_AB * t1.vel, R_AB * t1.rot));
  EXPECT_EQ(R_AB * w1, Wrench(R_AB * w1.force, R_AB * w1.torque));
  const Frame F_AB(R_AB, Vector(1, -1, 2));
  EXPECT_TRUE(Equal(F_AB * t1, (R_AB * t1).RefPoint(-F_AB.p), 10 * k_rounding));
  EXPECT_TRUE(Equal(F_AB * w1, (R_AB * w1).RefPoint(-F_AB.p), 10 * k_rounding));
}

TEST(KdlManual, DifferentiationAndIntegration) {
  const Frame F_w_A(Rotation::RPY(0.1, 0.2, 0.3), Vector(1, 2, 3)),
      F_w_B(Rotation::RPY(-0.3, 0.1, 0.6), Vector(1.2, 1.8, 3.3));
  const double timestep = 0.1;
  const Twist t = diff(F_w_A, F_w_B, timestep);
  EXPECT_TRUE(Equal(F_w_A.addDelta(t, timestep), F_w_B, 10 * k_rounding)) << "a member in the manual alone";
  EXPECT_TRUE(Equal(addDelta(F_w_A, t, timestep), F_w_B, 10 * k_rounding)) << "the function that shipped";
  EXPECT_TRUE(Equal(t.vel, (F_w_B.p - F_w_A.p) / timestep, 10 * k_rounding));
}

TEST(KdlManual, JointsAndSegments) {
  EXPECT_EQ(Joint(Joint::RotX).getTypeName(), "RotX");
  EXPECT_EQ(Joint(Joint::TransZ).getTypeName(), "TransZ");
  const Joint fixed = Joint(Joint::None);
  EXPECT_EQ(fixed.getType(), Joint::Fixed);
  const Joint rx = Joint(Joint::RotX);
  double q = M_PI / 4, qdot = 0.1;
  EXPECT_TRUE(Equal(rx.pose(q), Frame(Rotation::RotX(q)), k_rounding));
  EXPECT_EQ(rx.twist(qdot), Twist(Vector::Zero(), Vector(0.1, 0, 0)));
  for (const auto& [type, axis] : {std::pair(Joint::RotX, Vector(1, 0, 0)), std::pair(Joint::RotY, Vector(0, 1, 0)),
                                   std::pair(Joint::RotZ, Vector(0, 0, 1))})
    EXPECT_TRUE(Equal(Joint(type).pose(q), Frame(Rotation::Rot(axis, q)), k_rounding));
  for (const auto& [type, axis] : {std::pair(Joint::TransX, Vector(1, 0, 0)), std::pair(Joint::TransY, Vector(0, 1, 0)),
                                   std::pair(Joint::TransZ, Vector(0, 0, 1))})
    EXPECT_TRUE(Equal(Joint(type).pose(q), Frame(q * axis), k_rounding));

  const Segment s = Segment(Joint(Joint::RotX), Frame(Rotation::RPY(0.0, M_PI / 4, 0.0), Vector(0.1, 0.2, 0.3)));
  q = M_PI / 2;
  const Frame f = s.pose(q);
  EXPECT_TRUE(Equal(f.p, Vector(0.1, -0.3, 0.2), k_rounding));
  EXPECT_TRUE(Equal(f.M, Rotation::RotX(q) * Rotation::RotY(M_PI / 4), k_rounding));
  const Twist t = s.twist(q, qdot), moved = diff(s.pose(q - 1e-6), s.pose(q + 1e-6), 2e-6) * qdot;
  EXPECT_TRUE(Equal(t, moved, 1e-9)) << "of the tip, in the root's axes";
}

Segment named(const std::string& name, Joint::JointType type = Joint::RotX) {
  return Segment(name, Joint("joint of " + name, type), Frame(Vector(0, 0, 1)));
}

TEST(KdlManual, ChainsAsTheyShipped) {
  Chain chain1, chain3;
  chain3.addSegment(named("a"));
  Chain chain2(chain3);
  Chain chain4 = chain2;
  chain1.addSegment(named("b"));
  chain1.addSegment(named("fixed", Joint::None));
  chain1.addChain(chain2);
  chain1.addChain(chain4);
  const unsigned int nj = chain1.getNrOfJoints(), js = chain1.getNrOfSegments();
  EXPECT_EQ(nj, 3u);
  EXPECT_EQ(js, 4u);
  Segment& segment3 = chain1.getSegment(3);
  EXPECT_EQ(segment3.getName(), "a") << "a name that is there already is accepted, as it shipped";
  segment3 = named("c");
  EXPECT_EQ(chain4.getSegment(0).getName(), "a") << "copies are copies";
}

Chain three() {
  Chain chain(true);
  for (const char* name : {"Segment 0", "Segment 1", "Segment 2", "Segment 3", "Segment 4"})
    EXPECT_TRUE(chain.addSegment(named(name)));
  return chain;
}

TEST(KdlManual, ChainsOf11) {
  Chain chain1 = three(), chain2;
  bool exit_value = chain1.addSegment(named("Segment 1"));
  EXPECT_FALSE(exit_value) << "all segments must have different names";
  EXPECT_TRUE(chain1.addSegment(Segment("NoName")));
  EXPECT_TRUE(chain1.addSegment(Segment("NoName")));
  EXPECT_TRUE(chain1.addChain(chain2));
  Segment segment3, by_name, root_segment, leaf_segment;
  EXPECT_TRUE(chain1.getSegment(3, segment3));
  EXPECT_FALSE(chain1.getSegment(30, segment3)) << "false if the index is out of bounds";
  EXPECT_TRUE(chain1.getSegment("Segment 3", by_name));
  EXPECT_EQ(segment3.getName(), by_name.getName());
  EXPECT_TRUE(chain1.getRootSegment(root_segment));
  EXPECT_EQ(root_segment.getName(), "Segment 0");
  EXPECT_TRUE(chain1.getLeafSegment(leaf_segment));
  EXPECT_EQ(leaf_segment.getName(), "NoName");
  std::vector<Segment> segments;
  EXPECT_TRUE(chain1.getSegments(segments));
  EXPECT_EQ(segments.size(), 7u);
  Chain part_chain;
  const auto names = [](const Chain& chain) {
    std::string out;
    for (const Segment& segment : chain.segments) out += segment.getName().back();
    return out;
  };
  EXPECT_TRUE(chain1.getChain_Including(1, 3, part_chain));
  EXPECT_EQ(names(part_chain), "123");
  EXPECT_TRUE(chain1.getChain_Including("Segment 1", "Segment 3", part_chain));
  EXPECT_EQ(names(part_chain), "123");
  EXPECT_TRUE(chain1.getChain_Excluding(1, 3, part_chain));
  EXPECT_EQ(names(part_chain), "23");
  EXPECT_TRUE(chain1.getChain_Excluding("Segment 1", "Segment 3", part_chain));
  EXPECT_EQ(names(part_chain), "23");
  Chain chain_copy;
  EXPECT_TRUE(chain1.copy(3, chain_copy));
  EXPECT_EQ(names(chain_copy), "012");
  EXPECT_TRUE(chain1.copy("Segment 3", chain_copy));
  EXPECT_EQ(names(chain_copy), "012") << "Segment 3 is not included";
  EXPECT_FALSE(chain1.copy("nobody", chain_copy));
}

/// root - 1 - 2 - 3, and 4 to 7 in branches of 1 and 2.
Tree eight() {
  Tree tree;
  EXPECT_TRUE(tree.addSegment(named("Segment 1"), "root"));
  EXPECT_TRUE(tree.addSegment(named("Segment 2", Joint::RotY), "Segment 1"));
  EXPECT_TRUE(tree.addSegment(named("Segment 3", Joint::TransZ), "Segment 2"));
  EXPECT_TRUE(tree.addSegment(named("Segment 4", Joint::None), "Segment 1"));
  EXPECT_TRUE(tree.addSegment(named("Segment 5"), "Segment 2"));
  EXPECT_TRUE(tree.addSegment(named("Segment 6"), "Segment 3"));
  EXPECT_TRUE(tree.addSegment(named("Segment 7"), "Segment 5"));
  return tree;
}

TEST(KdlManual, TreesAsTheyShipped) {
  const Tree tree1 = eight();
  Tree tree2("RootName"), copy(tree1);
  EXPECT_EQ(Tree().getRootSegment()->first, "root");
  EXPECT_EQ(tree2.getRootSegment()->first, "RootName");
  EXPECT_FALSE(tree2.addTree(tree1, "root")) << "false if the hook name is not in the tree";
  EXPECT_TRUE(tree2.addTree(tree1, "RootName"));
  EXPECT_EQ(tree2.getNrOfJoints(), 6u);
  EXPECT_EQ(tree2.getNrOfSegments(), 7u);
  const std::map<std::string, TreeElement>::const_iterator root = tree1.getRootSegment(),
                                                           segment3 = tree1.getSegment("Segment 3");
  EXPECT_EQ(root->second.children.size(), 1u);
  EXPECT_EQ(segment3->second.segment.getName(), "Segment 3");
  const std::map<std::string, TreeElement>& segments = tree1.getSegments();
  EXPECT_EQ(segments.size(), 8u) << "the root is one of them";
}

TEST(KdlManual, ChainsOfTrees) {
  const Tree tree1 = eight();
  Chain chain, chain2;
  // The manual: "Segment 1 and segment 3 are included". What shipped: the first one's tip is the base.
  bool exit_value = tree1.getChain("Segment 1", "Segment 3", chain);
  ASSERT_TRUE(exit_value);
  ASSERT_EQ(chain.getNrOfSegments(), 2u);
  EXPECT_EQ(chain.getSegment(0).getName(), "Segment 2");
  EXPECT_EQ(chain.getSegment(1).getName(), "Segment 3");
  exit_value = tree1.getChain("Segment 3", "Segment 1", chain2);
  ASSERT_TRUE(exit_value);
  ASSERT_EQ(chain2.getNrOfSegments(), 2u);
  EXPECT_EQ(chain2.getSegment(1).getName(), "Segment 1");
  EXPECT_FALSE(tree1.getChain("Segment 1", "nobody", chain));
  // There and back is where it began.
  JntArray q(2), back(2);
  q(0) = back(1) = 0.3;
  q(1) = back(0) = -0.4;
  Frame there, home;
  ASSERT_EQ(ChainFkSolverPos_recursive(chain).JntToCart(q, there), 0);
  ASSERT_EQ(ChainFkSolverPos_recursive(chain2).JntToCart(back, home), 0);
  EXPECT_TRUE(Equal(there * home, Frame::Identity(), 10 * k_rounding));
}

TEST(KdlManual, TreesOf11) {
  const Tree tree1 = eight();
  std::map<std::string, TreeElement>::const_iterator root, segment3;
  std::map<std::string, TreeElement> leafs, segments;
  EXPECT_TRUE(tree1.getRootSegment(root));
  EXPECT_EQ(root->first, "root");
  EXPECT_TRUE(tree1.getLeafSegments(leafs));
  EXPECT_EQ(leafs.size(), 3u);
  EXPECT_EQ(leafs.count("Segment 4") + leafs.count("Segment 6") + leafs.count("Segment 7"), 3u);
  EXPECT_TRUE(tree1.getSegment("Segment 3", segment3));
  EXPECT_FALSE(tree1.getSegment("nobody", segment3));
  EXPECT_TRUE(tree1.getSegments(segments));
  EXPECT_EQ(segments.size(), 8u);
  Tree tree, tree2;
  EXPECT_TRUE(tree1.getChain("Segment 1", "Segment 3", tree, "RootName"));
  EXPECT_EQ(tree.getRootSegment()->first, "RootName");
  EXPECT_EQ(tree.getNrOfSegments(), 2u);
  EXPECT_TRUE(tree1.getChain("Segment 3", "Segment 1", tree2, "RootName"));
  Tree tree_copy;
  EXPECT_TRUE(tree1.copy("Segment 3", tree_copy));
  EXPECT_EQ(tree_copy.getNrOfSegments(), 5u) << "without 3 and 6";
  EXPECT_EQ(tree_copy.getSegment("Segment 6"), tree_copy.getSegments().end());
  std::vector<std::string> vect;
  vect.push_back("Segment 2");
  vect.push_back("Segment 7");
  EXPECT_TRUE(tree1.copy(vect, tree_copy));
  EXPECT_EQ(tree_copy.getNrOfSegments(), 2u);
}

TEST(KdlManual, ForwardKinematics) {
  const Chain chain1 = three();
  ChainFkSolverPos_recursive fksolver(chain1);
  JntArray q(chain1.getNrOfJoints());
  for (unsigned int i = 0; i < q.rows(); ++i) q(i) = 0.1 * (i + 1);
  Frame F_result, expected;
  for (int segment_nr = 0; segment_nr <= 5; ++segment_nr) {
    ASSERT_EQ(fksolver.JntToCart(q, F_result, segment_nr), 0);
    EXPECT_TRUE(Equal(F_result, expected, 10 * k_rounding)) << "after that many segments";
    if (segment_nr < 5) expected = expected * chain1.getSegment(segment_nr).pose(q(segment_nr));
  }
}

}  // namespace
