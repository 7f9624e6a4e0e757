// SPDX-License-Identifier: BSD-3-Clause
// Vectors, matrices, poses, motions and forces convert to and from Eigen, to the last bit. What Eigen cannot check
// while it compiles - sizes, and whether a matrix is a rotation - is refused.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <limits>
#include <type_traits>

#include "support/random.hpp"
#include "zwang/core/eigen_types.hpp"
#include "zwang/spatial/inertia.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::test {
namespace {

Eigen::Quaterniond some_quaternion(Random& random) {
  Eigen::Quaterniond e{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), 1 + random.uniform(0, 1)};
  return e.normalized();
}
template <class M> M some(Random& random, M m) {
  for (Eigen::Index k = 0; k < m.size(); ++k) m(k) = random.uniform(-2, 2);
  return m;
}

TEST(Eigen, VectorsMotionsAndForcesComeAndGo) {
  Random random(1);
  for (int k = 0; k < 100; ++k) {
    const Eigen::Vector3d e = some(random, Eigen::Vector3d());
    const Vec3<double> v = e;
    EXPECT_EQ(v.eigen(), e);
    EXPECT_EQ(Vec3<double>(2 * e).eigen(), 2 * e);
    EXPECT_EQ(Vec3<double>(e.transpose()).eigen(), e);
    EXPECT_EQ(Vec3<double>(Eigen::VectorXd(e)).eigen(), e);
    EXPECT_EQ(Vec3<double>(e.cast<float>()).eigen(), e.cast<float>().cast<double>());
    const Eigen::Matrix<double, 6, 1> six = some(random, Eigen::Matrix<double, 6, 1>());
    const Motion<double> m = six;
    const Force<double> f = six;
    EXPECT_EQ(m.eigen(), six);
    EXPECT_EQ(f.eigen(), six);
    EXPECT_EQ(m.v.eigen(), six.head(3));
    EXPECT_EQ(f.n.eigen(), six.tail(3));
    EXPECT_EQ(Motion<double>(six.segment(0, 6)).eigen(), six);
  }
}

TEST(Eigen, RotationsAndPosesComeAndGo) {
  Random random(2);
  for (int k = 0; k < 100; ++k) {
    const Eigen::Quaterniond e = some_quaternion(random);
    const Quat<double> quat = e;
    EXPECT_EQ(quat.eigen().coeffs(), e.coeffs());
    const Eigen::Matrix3d R = e.toRotationMatrix();
    const Mat3<double> own = R;
    EXPECT_EQ(own.eigen(), R);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) EXPECT_EQ(own(i, j), R(i, j));
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.linear() = R;
    pose.translation() = some(random, Eigen::Vector3d());
    const Transform<double> X = pose;
    EXPECT_EQ(X.eigen().matrix(), pose.matrix());
    EXPECT_EQ(X.matrix(), pose.matrix());
    EXPECT_EQ(Transform<double>(pose.matrix()).matrix(), pose.matrix());
    const Eigen::Vector3d r = some(random, Eigen::Vector3d());
    EXPECT_LE(((X * Vec3<double>(r)).eigen() - pose * r).norm(), 1e-15 * 16);
  }
}

TEST(Eigen, InertiasAreTheMatrixThatMapsMotionsToMomenta) {
  Random random(3);
  const Eigen::Matrix<double, 6, 1> six = some(random, Eigen::Matrix<double, 6, 1>());
  const Inertia<double> I =
      from_centre(2.0, Vec3<double>{0.1, -0.2, 0.3}, Sym3<double>{0.3, 0.01, 0.02, 0.4, 0.03, 0.5});
  const Eigen::Matrix<double, 6, 6> M = I.eigen();
  EXPECT_EQ(M, M.transpose());
  EXPECT_LE((M * six - (I * Motion<double>(six)).eigen()).norm(), 1e-14);
}

TEST(Eigen, WrongSizesAndMatricesThatAreNoRotationAreRefused) {
  const Eigen::VectorXd two = Eigen::VectorXd::Ones(2), seven = Eigen::VectorXd::Ones(7);
  EXPECT_THROW(Vec3<double>{two}, std::invalid_argument);
  EXPECT_THROW(Motion<double>{seven}, std::invalid_argument);
  EXPECT_THROW(Force<double>{two}, std::invalid_argument);
  EXPECT_THROW(Mat3<double>{Eigen::MatrixXd::Identity(3, 4)}, std::invalid_argument);
  EXPECT_THROW(Transform<double>{Eigen::MatrixXd::Identity(3, 4)}, std::invalid_argument);
  static_assert(!std::is_constructible_v<Vec3<double>, Eigen::Vector4d>, "sizes known to the compiler do not compile");
  static_assert(!std::is_constructible_v<Motion<double>, Eigen::Vector3d>);
  static_assert(!std::is_constructible_v<Transform<double>, Eigen::Matrix3d>);
  const Eigen::Matrix4d identity = Eigen::Matrix4d::Identity();
  const auto with = [&](int i, int j, double x) {
    Eigen::Matrix4d m = identity;
    m(i, j) = x;
    return m;
  };
  EXPECT_THROW(Transform<double>{with(0, 0, 1.001)}, std::invalid_argument) << "scaled";
  EXPECT_THROW(Transform<double>{with(0, 0, -1)}, std::invalid_argument) << "a reflection";
  EXPECT_THROW(Transform<double>{with(3, 3, 2)}, std::invalid_argument) << "no homogeneous 1";
  EXPECT_THROW(Transform<double>{with(3, 0, 0.5)}, std::invalid_argument) << "a projection";
  for (int k = 0; k < 16; ++k)
    for (const double x : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
      EXPECT_THROW(Transform<double>{with(k / 4, k % 4, x)}, std::invalid_argument) << k;
  EXPECT_NO_THROW(Transform<double>{with(0, 3, 1e300)});
}

}  // namespace
}  // namespace zwang::test
