// SPDX-License-Identifier: BSD-3-Clause
// Geometry, numbers of joints, chains and trees as text: what is written is read again, what is broken is an error.
#include <gtest/gtest.h>

#include <kdl/utilities/error_stack.h>
#include <kdl/utilities/utility_io.h>
#include <kdl/frameacc_io.hpp>
#include <kdl/framevel_io.hpp>
#include <kdl/kinfam_io.hpp>
#include <limits>
#include <sstream>

#include "support.hpp"

namespace zwang::test {
namespace {

using namespace KDL;

template <class Type> std::string written(const Type& x, int precision = 6) {
  std::ostringstream out;
  out.precision(precision);
  out << x;
  return out.str();
}

template <class Type> Type read(const std::string& text, Type out = Type()) {
  std::istringstream in(text);
  in >> out;
  return out;
}

/// 17 digits say all of a number, six are what streams write. `eps` for what is not kept as it is written (an
/// angle in degrees), `size` of the numbers.
template <class Type>
void expect_kept(const Type& x, const Type& target = Type(), double eps = 1e-300, double size = 10) {
  EXPECT_TRUE(Equal(read(written(x, 17), target), x, eps)) << written(x, 17);
  EXPECT_TRUE(Equal(read(written(x), target), x, 1e-5 * size)) << written(x);
  std::istringstream two(written(x, 17) + "  // a remark\n /* and more */ " + written(x, 17));
  Type first(target), second(target);
  two >> first >> second;
  EXPECT_TRUE(Equal(first, x, eps) && Equal(second, x, eps)) << "one after the other";
}

TEST(KdlText, GeometryIsReadAsItWasWritten) {
  KdlDraw draw(1);
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  for (int trial = 0; trial < 20; ++trial) {
    expect_kept(draw.vector());
    expect_kept(1e9 * draw.vector(), Vector(), 1e-300, 1e9);
    expect_kept(draw.twist());
    expect_kept(draw.wrench());
    expect_kept(draw.rotation());
    expect_kept(draw.frame());
    expect_kept(Vector2(draw.number(), draw.number()));
    expect_kept(Rotation2(draw.number(-3, 3)), Rotation2(), rounding);
    expect_kept(Frame2(Rotation2(draw.number(-3, 3)), Vector2(draw.number(), draw.number())), Frame2(), rounding);
  }
}

TEST(KdlText, NumbersOfJointsAreReadAsTheyWereWritten) {
  KdlDraw draw(2);
  for (unsigned int size : {0u, 1u, 3u, 7u}) {
    const JntArray q = draw.joints(size, 1e3);
    expect_kept(q, JntArray(size), 1e-300, 1e3);
    Jacobian J(size);
    JntSpaceInertiaMatrix M(static_cast<int>(size));
    for (unsigned int j = 0; j < size; ++j) {
      for (unsigned int i = 0; i < 6; ++i) J(i, j) = draw.number();
      for (unsigned int i = 0; i < size; ++i) M(i, j) = 1e4 * draw.number();
    }
    expect_kept(J, Jacobian(size));
    expect_kept(M, JntSpaceInertiaMatrix(static_cast<int>(size)), 1e-300, 1e4);
  }
}

TEST(KdlText, LooksAsKdlWritesIt) {
  // KDL 1.5.1, Debian 12: these characters.
  EXPECT_EQ(written(Vector(1, -2.5, 1e-7)), "[           1,        -2.5,       1e-07]");
  EXPECT_EQ(written(Vector2(1, 2)), "[           1,           2]");
  EXPECT_EQ(written(Twist(Vector(1, 2, 3), Vector(4, 5, 6))),
            "[           1,           2,           3,           4,           5,           6]");
  EXPECT_EQ(written(Rotation::Identity()),
            "[           1,           0,           0;\n            0,           1,           0;\n "
            "           0,           0,           1]");
  JntArray q(2);
  q(0) = 1.5;
  EXPECT_EQ(written(q), "[         1.5           0]");
}

TEST(KdlText, WordsOfTheReaders) {
  const double a = 10 * deg2rad, b = 20 * deg2rad, c = 30 * deg2rad;
  EXPECT_EQ(read<Vector>("ZERO"), Vector::Zero());
  EXPECT_EQ(read<Vector>(" [1,2,3]"), Vector(1, 2, 3));
  EXPECT_EQ(read<Vector>("/* here */ [ 1 , // one\n 2 , 3 ]"), Vector(1, 2, 3));
  EXPECT_EQ(read<Rotation>("IDENTITY"), Rotation::Identity());
  EXPECT_EQ(read<Rotation>("RPY[10,20,30]"), Rotation::RPY(a, b, c));
  EXPECT_EQ(read<Rotation>("rpy[10, 20, 30]"), Rotation::RPY(a, b, c)) << "letters of either case";
  EXPECT_EQ(read<Rotation>("EULERZYX[10,20,30]"), Rotation::EulerZYX(a, b, c));
  EXPECT_EQ(read<Rotation>("EULERZYZ[10,20,30]"), Rotation::EulerZYZ(a, b, c));
  EXPECT_EQ(read<Rotation>("ROT[[0,0,2],30]"), Rotation::RotZ(c));
  EXPECT_EQ(read<Rotation>("ROT[[0,0,2] 30]"), Rotation::RotZ(c));
  EXPECT_EQ(read<Rotation>("[1,0,0;0,0,-1;0,1,0]"), Rotation::RotX(PI / 2));
  EXPECT_EQ(read<Frame>("IDENTITY"), Frame::Identity());
  EXPECT_EQ(read<Frame>("DH[10,20,30,40]"), Frame::DH(10, b, 30, 40 * deg2rad));
  EXPECT_EQ(read<Frame>("[RPY[10,20,30] [1,2,3]]"), Frame(Rotation::RPY(a, b, c), Vector(1, 2, 3)));
  EXPECT_EQ(read<Frame>("[RPY[10,20,30], ZERO]"), Frame(Rotation::RPY(a, b, c)));
  EXPECT_EQ(read<Rotation2>("[90]"), Rotation2(PI / 2));
  EXPECT_EQ(read<Frame2>("[90][1,2]"), Frame2(Rotation2(PI / 2), Vector2(1, 2)));
}

/// A text that says nothing of its type throws `Expected`, and the object stays as it was.
template <class Expected, class Type> void expect_broken(const std::string& text, const Type& before) {
  std::istringstream in(text);
  Type x(before);
  EXPECT_THROW(in >> x, Expected) << text;
  EXPECT_TRUE(Equal(x, before, 1e-300)) << text;
}

TEST(KdlText, WhatIsBrokenIsAnErrorAndChangesNothing) {
  const Vector v(1, 2, 3);
  for (const char* text : {"", "[", "[1", "[1,", "[1,2", "[1,2,3", "[1,2]", "[1 2 3]", "[1,2,3)", "[1,,3]", "(1,2,3)",
                           "[a,b,c]", "1,2,3", "/", "/* no end", "// no line", "[1,2,3,4]"}) {
    expect_broken<Error>(text, v);
    expect_broken<Error>(text, Twist(v, v));
    expect_broken<Error>(text, Wrench(v, v));
    expect_broken<Error>(text, Rotation::RotX(1));
    expect_broken<Error>(text, Frame(v));
    if (std::string(text) != "[1,2]") expect_broken<Error>(text, Vector2(1, 2));
    expect_broken<Error>(text, Frame2(Vector2(1, 2)));
    JntArray q(5);
    q(4) = 7;
    Jacobian J(2);
    J(5, 1) = 7;
    expect_broken<Error>(text, q);
    expect_broken<Error>(text, J);
  }
  expect_broken<Error_Frame_Vector_Unexpected_id>("ONE", v);
  expect_broken<Error_Frame_Rotation_Unexpected_id>("QUATERNION[0,0,0,1]", Rotation::RotX(1));
  expect_broken<Error_Frame_Frame_Unexpected_id>("POSE[1]", Frame(v));
  expect_broken<Error_BasicIO_ToBig>("AWORDWITHOUTANENDTHATNOREADERKNOWS", v);
  expect_broken<Error>("ROT[[0,0,1],]", Rotation::RotX(1));
  expect_broken<Error>("RPY[1,2]", Rotation::RotX(1));
  expect_broken<Error>("DH[1,2,3]", Frame(v));
  expect_broken<Error>("[1,2,3;4,5,6;7,8]", Rotation::RotX(1));
  expect_broken<Error>("[1,2,3,4,5,6,7,8,9]", Rotation::RotX(1));
  try {
    read<Vector>("NOTHING");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.GetType(), 101);
    EXPECT_STREQ(error.what(), error.Description());
  }
  std::ostringstream trace;
  IOTraceOutput(trace);
  EXPECT_NE(trace.str().find("Vector"), std::string::npos) << "what was read when the error came";
}

TEST(KdlText, StructuresAreWrittenAndHaveNoReader) {
  KdlDraw draw(3);
  const Chain chain = draw.chain(3);
  Tree tree("base");
  ASSERT_TRUE(tree.addSegment(draw.segment("a"), "base"));
  ASSERT_TRUE(tree.addSegment(draw.segment("b"), "a"));
  ASSERT_TRUE(tree.addSegment(draw.segment("c"), "base"));
  const std::string text = written(chain);
  for (const Segment& segment : chain.segments) {
    EXPECT_NE(text.find(segment.getName()), std::string::npos);
    EXPECT_NE(text.find(segment.getJoint().getTypeName()), std::string::npos);
  }
  EXPECT_EQ(tree2str(tree, "\n", "  "), "base(q_nr: 0)\n  a(q_nr: 0)\n    b(q_nr: 1)\n  c(q_nr: 2)\n");
  EXPECT_EQ(written(tree), tree2str(tree, "\n", "\t"));
  std::istringstream in("[]");
  Joint joint;
  Segment segment;
  Chain none;
  EXPECT_THROW(in >> joint, Error_Not_Implemented);
  EXPECT_THROW(in >> segment, Error_Not_Implemented);
  EXPECT_THROW(in >> none, Error_Not_Implemented);
  EXPECT_THROW(in >> tree, Error_Not_Implemented);
}

TEST(KdlText, RatesLookAsKdlWritesThem) {
  // KDL 1.5.1, Debian 12: these characters, line ends and all.
  const Vector x(1, 2, 3), y(4, 5, 6), z(7, 8, 9);
  const std::string one = written(x), four = written(y), seven = written(z), R = written(Rotation());
  EXPECT_EQ(written(VectorVel(x, y)), "{" + one + "," + four + "}\n");
  EXPECT_EQ(written(RotationVel(Rotation(), y)), "{\n" + R + ",\n" + four + "\n}\n");
  EXPECT_EQ(written(FrameVel(Frame(x), Twist(y, z))),
            "{\n{\n" + R + ",\n" + seven + "\n}\n,\n{" + one + "," + four + "}\n\n}\n");
  EXPECT_EQ(written(TwistVel(VectorVel(x, y), VectorVel(y, z))),
            "{\n{" + one + "," + four + "}\n,\n{" + four + "," + seven + "}\n\n}\n");
  EXPECT_EQ(written(VectorAcc(x, y, z)), "{" + one + "," + four + "," + seven + "}\n");
  EXPECT_EQ(written(RotationAcc(Rotation(), y, z)), "{\n" + R + ",\n" + four + ",\n" + seven + "\n}\n");
  EXPECT_EQ(written(FrameAcc(Frame(x), Twist(y, z), Twist(z, x))),
            "{\n{\n" + R + ",\n" + seven + ",\n" + one + "\n}\n,\n{" + one + "," + four + "," + seven + "}\n}\n");
  EXPECT_EQ(written(TwistAcc(VectorAcc(x, y, z), VectorAcc(y, z, x))),
            "{\n{" + one + "," + four + "," + seven + "}\n,\n{" + four + "," + seven + "," + one + "}\n\n}\n");
  EXPECT_EQ(written(doubleVel(1, 2)), "Rall1d<d, d, d>(1,2)");
  EXPECT_EQ(written(doubleAcc(1, 2, 3)), "Rall2d<d, d, d>(1,2,3)");
}

}  // namespace
}  // namespace zwang::test
