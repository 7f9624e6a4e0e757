// SPDX-License-Identifier: BSD-3-Clause
// Paths and profiles as numbers, and made of them again: the same to the last bit. Numbers that are none are refused.
#include <gtest/gtest.h>

#include <limits>

#include "support/effort.hpp"
#include "zwang/core/random.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/path.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::test {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

Eigen::VectorXd vector_of(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

Eigen::MatrixXd steps(const Model& m, Eigen::Index points, std::uint64_t seed) {
  Random g(seed);
  Eigen::MatrixXd Q(m.nq(), points);
  Q.col(0) = random(m, seed);
  for (Eigen::Index k = 1; k < points; ++k) {
    Eigen::VectorXd d(m.nv());
    for (Index i = 0; i < m.nv(); ++i) d[i] = g.uniform(-0.3, 0.3);
    Q.col(k) = integrate(m, Q.col(k - 1), d);
  }
  return Q;
}

TEST(StoredPath, OfConfigurationsIsTheSameToTheLastBitOnEveryJointType) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(effort(12)); ++seed) {
    const Model m = build(random_robot(seed, {.joints = 9}));
    const Eigen::MatrixXd Q = steps(m, 6, seed);
    for (const ConfigurationPath& path :
         {ConfigurationPath::through(m, Q), ConfigurationPath::line(m, Q.col(0), Q.col(3)),
          ConfigurationPath::through(m, Q.leftCols(2)),
          ConfigurationPath::through(m, Q.leftCols(3), Eigen::Vector3d(-1, 0.5, 4))}) {
      const ConfigurationPath again = ConfigurationPath::from_numbers(m, vector_of(path.numbers()));
      EXPECT_EQ(again.knots(), path.knots());
      EXPECT_EQ(again.numbers(), path.numbers());
      for (int k = 0; k <= 20; ++k) {
        const double s = path.begin() + (path.end() - path.begin()) * k / 20;
        const PathPoint<> x = path.at(s), y = again.at(s);
        EXPECT_EQ(x.q, y.q) << s;
        EXPECT_EQ(x.first, y.first) << s;
        EXPECT_EQ(x.second, y.second) << s;
      }
    }
  }
}

Transform<double> pose_of(Random& g) {
  const auto v = [&] { return Vec3<double>{g.uniform(-1, 1), g.uniform(-1, 1), g.uniform(-1, 1)}; };
  return {exp_so3(v()), v()};
}

TEST(StoredPath, OfPosesIsTheSameToTheLastBit) {
  Random g(5);
  for (int trial = 0; trial < 20; ++trial) {
    const Transform<double> a = pose_of(g), b = pose_of(g);
    const Transform<double> near{a.R * exp_so3(b.p * 0.2), b.p}, further{near.R * exp_so3(a.p * 0.2), a.p + b.p};
    for (const PosePath& path : {PosePath::line(a, b), PosePath::arc(a, b.p, a.p, g.uniform(-9, 9), trial % 2 == 0),
                                 PosePath::through({a, near, further})}) {
      const PosePath again = PosePath::from_numbers(vector_of(path.numbers()));
      EXPECT_EQ(again.knots(), path.knots());
      for (int k = 0; k <= 20; ++k) {
        const double s = path.begin() + (path.end() - path.begin()) * k / 20;
        const Transform<double> x = path.at(s), y = again.at(s);
        for (int i = 0; i < 3; ++i) {
          EXPECT_EQ(x.p[i], y.p[i]);
          for (int j = 0; j < 3; ++j) EXPECT_EQ(x.R(i, j), y.R(i, j));
        }
      }
    }
  }
}

TEST(StoredPath, OfAProfileIsTheSameToTheLastBit) {
  Random g(7);
  for (int trial = 0; trial < 100; ++trial) {
    const ProfileLimits limits{
        .velocity = 2, .acceleration = 3, .jerk = trial % 2 == 0 ? 20.0 : std::numeric_limits<double>::infinity()};
    const double start = trial % 5 == 1 ? 2 + 2e-6 : g.uniform(-1, 1);  // a little beyond the limit: more pieces
    const MotionProfile profile = trial == 0 ? MotionProfile()
                                             : MotionProfile::fastest({.position = g.uniform(-1, 1), .velocity = start},
                                                                      g.uniform(-3, 3), 0, limits);
    EXPECT_EQ(profile.beyond().velocity > 0, trial % 5 == 1);
    const MotionProfile again = MotionProfile::from_numbers(profile.numbers());
    EXPECT_EQ(again.duration(), profile.duration());
    EXPECT_EQ(again.pieces(), profile.pieces());
    EXPECT_EQ(again.beyond().velocity, profile.beyond().velocity);
    EXPECT_EQ(again.beyond().acceleration, profile.beyond().acceleration);
    for (int k = -1; k <= 21; ++k) {
      const double t = profile.duration() * k / 20;
      const ProfilePoint x = profile.at(t), y = again.at(t);
      EXPECT_EQ(x.position, y.position);
      EXPECT_EQ(x.velocity, y.velocity);
      EXPECT_EQ(x.acceleration, y.acceleration);
      EXPECT_EQ(x.jerk, y.jerk);
    }
  }
}

TEST(StoredPath, RefusesNumbersThatAreNone) {
  const Model m = build(sample("arm7")), other = build(random_robot(3, {.joints = 5}));
  const std::vector<double> line =
      ConfigurationPath::line(m, Eigen::VectorXd::Zero(7), Eigen::VectorXd::Ones(7)).numbers();
  const std::vector<double> spline = ConfigurationPath::through(m, steps(m, 4, 1)).numbers();
  for (const std::vector<double>& good : {line, spline}) {
    EXPECT_THROW(ConfigurationPath::from_numbers(other, vector_of(good)), std::invalid_argument);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{2}, good.size() - 1})
      EXPECT_THROW(ConfigurationPath::from_numbers(
                       m, vector_of(std::vector<double>(good.begin(), good.begin() + static_cast<long>(size)))),
                   std::invalid_argument);
    for (std::size_t k = 0; k < good.size(); ++k) {
      std::vector<double> bad = good;
      bad[k] = k_nan;
      EXPECT_THROW(ConfigurationPath::from_numbers(m, vector_of(bad)), std::invalid_argument) << k;
      if (k >= 2) continue;  // the kind and the number of knots
      for (const double wrong : {-1.0, 0.5, 1e300}) {
        bad[k] = wrong;
        EXPECT_THROW(ConfigurationPath::from_numbers(m, vector_of(bad)), std::invalid_argument) << k;
      }
    }
    std::vector<double> stays = good;
    stays[3] = stays[2];  // knots that do not increase
    EXPECT_THROW(ConfigurationPath::from_numbers(m, vector_of(stays)), std::invalid_argument);
  }
  Random g(3);
  const std::vector<double> arc = PosePath::arc(pose_of(g), {0, 0, 1}, {0, 1, 0}, 1).numbers();
  for (std::size_t k = 0; k < arc.size() - 1; ++k) {
    std::vector<double> bad = arc;
    bad[k] = k_nan;
    EXPECT_THROW(PosePath::from_numbers(vector_of(bad)), std::invalid_argument) << k;
  }
  for (const std::vector<double>& bad : {std::vector<double>{}, {0}, {1, 2}, {2}, std::vector<double>(21, 1.0)})
    EXPECT_THROW(PosePath::from_numbers(vector_of(bad)), std::invalid_argument);
  for (const std::vector<double>& bad : {std::vector<double>{},
                                         {1, 2, 3, 4},
                                         {1, 2, 3, 4, 5, 6},
                                         {-1, 0, 0, 0, 0},
                                         {k_nan, 0, 0, 0, 0},
                                         std::vector<double>(45, 1.0),
                                         {1, 0, 0, 0, 0, -1, 0, 0, 0, 0}})
    EXPECT_THROW(MotionProfile::from_numbers(bad), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
