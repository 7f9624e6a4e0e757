// SPDX-License-Identifier: BSD-3-Clause
// Inertias against bodies of mass points: what a set of points weighs, seen from anywhere.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <kdl/articulatedbodyinertia.hpp>
#include <kdl/rigidbodyinertia.hpp>
#include <limits>

#include "support.hpp"

namespace zwang::test {
namespace {

using namespace KDL;

constexpr double k_eps = std::numeric_limits<double>::epsilon();
// Sums of up to a hundred products of numbers up to 10.
constexpr double k_rounding = 2000 * k_eps;

struct Points {
  explicit Points(KdlDraw& draw, int count = 5) {
    for (int i = 0; i < count; ++i) {
      mass.push_back(draw.number(0.1, 2));
      at.push_back(draw.vector());
    }
  }
  RigidBodyInertia inertia() const {
    RigidBodyInertia out;
    for (std::size_t i = 0; i < mass.size(); ++i) out = out + RigidBodyInertia(mass[i], at[i]);
    return out;
  }
  double total() const {
    double out = 0;
    for (const double m : mass) out += m;
    return out;
  }
  Vector centre() const {
    Vector out;
    for (std::size_t i = 0; i < mass.size(); ++i) out += mass[i] * at[i];
    return out / total();
  }
  /// Momentum of the points at `t`, about the origin.
  Wrench momentum(const Twist& t) const {
    Wrench out;
    for (std::size_t i = 0; i < mass.size(); ++i) {
      const Vector p = mass[i] * (t.vel + t.rot * at[i]);
      out += Wrench(p, at[i] * p);
    }
    return out;
  }
  Points seen_from(const Frame& F) const {
    Points out(*this);
    for (Vector& point : out.at) point = F * point;
    return out;
  }
  std::vector<double> mass;
  std::vector<Vector> at;
};

void expect_equal(const RigidBodyInertia& a, const RigidBodyInertia& b) {
  EXPECT_NEAR(a.getMass(), b.getMass(), k_rounding);
  EXPECT_TRUE(Equal(a.getCOG(), b.getCOG(), k_rounding));
  for (int i = 0; i < 9; ++i)
    EXPECT_NEAR(a.getRotationalInertia().data[i], b.getRotationalInertia().data[i], k_rounding);
}

TEST(KdlInertia, ArgumentsAreMomentsThenProducts) {
  const RotationalInertia I(1, 2, 3, 4, 5, 6);  // Ixx, Iyy, Izz, Ixy, Ixz, Iyz
  const double rows[] = {1, 4, 5, 4, 2, 6, 5, 6, 3};
  for (int i = 0; i < 9; ++i) EXPECT_EQ(I.data[i], rows[i]);
  EXPECT_EQ(I * Vector(1, 10, 100), Vector(541, 624, 365));
  EXPECT_EQ((2.0 * I).data[5], 12);
  EXPECT_EQ((I + I).data[1], 8);
  EXPECT_EQ((I - 3.0 * I).data[8], -6);
  for (const double number : RotationalInertia::Zero().data) EXPECT_EQ(number, 0);
  // "Ic about the centre of mass": the constructor moves it to the reference point.
  const RigidBodyInertia body(2, Vector(0, 0, 0.5), RotationalInertia(0.1, 0.2, 0.3));
  EXPECT_NEAR(body.getRotationalInertia().data[0], 0.1 + 2 * 0.25, k_eps);
  EXPECT_NEAR(body.getRotationalInertia().data[8], 0.3, k_eps);
  EXPECT_EQ(body.getCOG(), Vector(0, 0, 0.5));
}

TEST(KdlInertia, OfMassPointsIsTheirMomentum) {
  KdlDraw draw(1);
  for (int trial = 0; trial < 20; ++trial) {
    const Points points(draw);
    const RigidBodyInertia I = points.inertia();
    const Twist t = draw.twist();
    EXPECT_NEAR(I.getMass(), points.total(), k_rounding);
    EXPECT_TRUE(Equal(I.getCOG(), points.centre(), k_rounding));
    EXPECT_TRUE(Equal(I * t, points.momentum(t), k_rounding));
    EXPECT_TRUE(Equal((2.5 * I) * t, 2.5 * points.momentum(t), k_rounding));
    const Points more(draw);
    EXPECT_TRUE(Equal((I + more.inertia()) * t, points.momentum(t) + more.momentum(t), k_rounding));
    EXPECT_TRUE(Equal((I - more.inertia()) * t, points.momentum(t) - more.momentum(t), k_rounding));
  }
}

TEST(KdlInertia, SeenFromElsewhereIsThatOfThePointsThere) {
  KdlDraw draw(2);
  for (int trial = 0; trial < 20; ++trial) {
    const Points points(draw);
    const RigidBodyInertia I = points.inertia();
    const Frame F = draw.frame();
    expect_equal(F * I, points.seen_from(F).inertia());
    expect_equal(F.M * I, points.seen_from(Frame(F.M)).inertia());
    expect_equal(I.RefPoint(F.p), points.seen_from(Frame(-F.p)).inertia());
    expect_equal(F.Inverse() * (F * I), I);
    // Momentum and twist change their point and axes together, and the energy is the same.
    const Twist t = draw.twist();
    EXPECT_TRUE(Equal((F * I) * (F * t), F * (I * t), k_rounding));
    EXPECT_NEAR(dot(F * t, (F * I) * (F * t)), dot(t, I * t), k_rounding);
  }
}

Eigen::Matrix<double, 6, 6> matrix(const ArticulatedBodyInertia& I) {
  Eigen::Matrix<double, 6, 6> out;
  out << I.M, I.H.transpose(), I.H, I.I;
  return out;
}

TEST(KdlInertia, OfArticulatedBodiesIsALinearMapOfTwists) {
  KdlDraw draw(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Points points(draw);
    const RigidBodyInertia rigid = points.inertia();
    const ArticulatedBodyInertia I(rigid);
    const Twist t = draw.twist();
    const Frame F = draw.frame();
    EXPECT_TRUE(Equal(I * t, rigid * t, k_rounding)) << "[M H^T; H I]";
    EXPECT_LE((matrix(F * I) - matrix(ArticulatedBodyInertia(F * rigid))).norm(), k_rounding);
    EXPECT_LE((matrix(F.M * I) - matrix(ArticulatedBodyInertia(F.M * rigid))).norm(), k_rounding);
    EXPECT_LE((matrix(I.RefPoint(F.p)) - matrix(ArticulatedBodyInertia(rigid.RefPoint(F.p)))).norm(), k_rounding);
    // A joint behind which a body hangs: no rigid body has such an inertia any more.
    Eigen::Matrix<double, 6, 1> S;
    for (int i = 0; i < 6; ++i) S[i] = draw.number();
    const Eigen::Matrix<double, 6, 1> U = matrix(I) * S;
    const Eigen::Matrix<double, 6, 6> less = U * U.transpose() / S.dot(U);
    const ArticulatedBodyInertia joint(less.topLeftCorner<3, 3>(), less.bottomLeftCorner<3, 3>(),
                                       less.bottomRightCorner<3, 3>());
    const ArticulatedBodyInertia hanging = I - joint;
    EXPECT_LE((matrix(hanging) * S).norm(), k_rounding) << "nothing resists the joint";
    EXPECT_TRUE(Equal((F * hanging) * (F * t), F * (hanging * t), k_rounding));
    EXPECT_TRUE(Equal(hanging.RefPoint(F.p) * t.RefPoint(F.p), (hanging * t).RefPoint(F.p), k_rounding));
    EXPECT_LE((matrix(2.0 * hanging + joint) - 2 * matrix(I) + less).norm(), k_rounding);
    EXPECT_LE((matrix(rigid + hanging) - matrix(I) - matrix(hanging)).norm(), k_rounding);
    EXPECT_LE((matrix(rigid - hanging) - less).norm(), k_rounding);
  }
  EXPECT_EQ(matrix(ArticulatedBodyInertia::Zero()).norm(), 0);
  EXPECT_LE((matrix(ArticulatedBodyInertia(2, Vector(1, 2, 3), RotationalInertia(1, 1, 1))) -
             matrix(ArticulatedBodyInertia(RigidBodyInertia(2, Vector(1, 2, 3), RotationalInertia(1, 1, 1)))))
                .norm(),
            0);
}

TEST(KdlInertia, OfADifferenceWithoutMassKeepsItsMoment) {
  // A dipole: two equal masses, one of them taken away. Its mass is 0, its first moment is not.
  const Vector a(1, 0, 0), b(0, 2, 0);
  const RigidBodyInertia dipole = RigidBodyInertia(3, a) - RigidBodyInertia(3, b);
  const Twist t(Vector(0.1, 0.2, 0.3), Vector(0.4, 0.5, 0.6));
  EXPECT_EQ(dipole.getMass(), 0);
  EXPECT_EQ(dipole.getCOG(), Vector::Zero()) << "there is none";
  EXPECT_TRUE(Equal(dipole * t, RigidBodyInertia(3, a) * t - RigidBodyInertia(3, b) * t, k_rounding));
  EXPECT_TRUE(Equal(ArticulatedBodyInertia(dipole) * t, dipole * t, k_rounding));
  const Frame F(Rotation::RPY(0.1, 0.2, 0.3), Vector(1, 2, 3));
  EXPECT_TRUE(Equal((F * dipole) * (F * t), F * (dipole * t), k_rounding));
}

}  // namespace
}  // namespace zwang::test
