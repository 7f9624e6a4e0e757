// SPDX-License-Identifier: BSD-3-Clause
// Paths of configurations and poses: derivatives against differences of the path itself, splines against the flat one,
// joints along paths of poses against forward kinematics.
#include <gtest/gtest.h>
#include <Eigen/LU>

#include <cmath>
#include <functional>

#include "support/effort.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/core/random.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/data.hpp"
#include "zwang/model/for_each_joint.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/path.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::test {
namespace {

/// A random walk on the configuration space.
Eigen::MatrixXd walk(const Model& m, Eigen::Index points, double step, std::uint64_t seed) {
  Random g(seed);
  Eigen::MatrixXd Q(m.nq(), points);
  Q.col(0) = random(m, seed);
  for (Eigen::Index k = 1; k < points; ++k) {
    Eigen::VectorXd d(m.nv());
    for (Index i = 0; i < m.nv(); ++i) d[i] = g.uniform(-step, step);
    Q.col(k) = integrate(m, Q.col(k - 1), d);
  }
  return Q;
}

/// First and second derivatives at s against differences of fourth order of q and of q'.
void expect_derivatives(const ConfigurationPath& path, double s, double h) {
  const Model& m = path.model();
  const PathPoint<> x = path.at(s);
  const auto q = [&](double d) -> Eigen::VectorXd { return difference(m, x.q, path.at(s + d).q); };
  const Eigen::VectorXd by_difference = (8 * (q(h) - q(-h)) - (q(2 * h) - q(-2 * h))) / (12 * h);
  const auto v = [&](double d) { return path.at(s + d).first; };
  const Eigen::VectorXd second = (8 * (v(h) - v(-h)) - (v(2 * h) - v(-2 * h))) / (12 * h);
  const double size = 1 + x.first.norm() + x.second.norm();
  EXPECT_LT((x.first - by_difference).norm(), 1e-7 * size * size);
  EXPECT_LT((x.second - second).norm(), 1e-7 * size * size);
}

std::vector<Model> robots() {
  std::vector<Model> out;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) out.push_back(build(random_robot(seed, {.joints = 9})));
  return out;
}

TEST(ConfigurationPath, SplinesMeetTheirColumnsOnEveryJointType) {
  int attitudes = 0;
  for (const Model& m : robots()) {
    const Eigen::MatrixXd Q = walk(m, 7, 0.4, 3);
    const ConfigurationPath path = ConfigurationPath::through(m, Q);
    attitudes += m.nq() > m.nv() ? 1 : 0;
    for (Eigen::Index k = 0; k < 7; ++k) {
      const Eigen::VectorXd q = path.at(path.knots()[k]).q;
      EXPECT_LT(difference(m, q, Q.col(k)).norm(), 1e-12 * (1 + Q.col(k).norm())) << k;
      EXPECT_TRUE(is_normalized(m, q, 1e-14));
    }
    EXPECT_LT(path.at(path.begin()).second.norm(), 1e-9 * path.at(path.begin()).first.norm());
    EXPECT_LT(path.at(path.end()).second.norm(), 1e-9 * path.at(path.end()).first.norm());
  }
  EXPECT_GT(attitudes, 3);
}

TEST(ConfigurationPath, DerivativesAreThoseOfThePath) {
  for (const Model& m : robots()) {
    const Eigen::MatrixXd Q = walk(m, 5, 0.4, 4);
    const ConfigurationPath path = ConfigurationPath::through(m, Q);
    for (Eigen::Index k = 0; k + 1 < 5; ++k) {
      const double a = path.knots()[k], b = path.knots()[k + 1];
      expect_derivatives(path, a + 0.37 * (b - a), 2e-3 * (b - a));
    }
    const ConfigurationPath line = ConfigurationPath::line(m, Q.col(0), Q.col(1));
    expect_derivatives(line, 0.4, 1e-3);
    EXPECT_EQ(line.at(0.).q, Q.col(0));
    EXPECT_EQ(line.at(1).q, Q.col(1));
  }
}

TEST(ConfigurationPath, SecondDerivativesAreContinuous) {
  for (const Model& m : robots()) {
    const ConfigurationPath path = ConfigurationPath::through(m, walk(m, 6, 0.4, 5));
    for (Eigen::Index k = 1; k + 1 < 6; ++k) {
      const double u = path.knots()[k], e = 1e-9;
      const PathPoint<> a = path.at(u - e), b = path.at(u + e);
      const double size = 1 + a.first.norm() + a.second.norm();
      EXPECT_LT((a.second - b.second).norm(), 1e-6 * size * size) << k;
      EXPECT_LT((a.first - b.first).norm(), 1e-6 * size * size) << k;
    }
  }
}

TEST(ConfigurationPath, IsTheFlatNaturalSplineWhereCoordinatesAdd) {
  const Model m = build(sample_arm7());
  // y'' at the knots by the tridiagonal system of natural cubic splines (de Boor 1978, ch. 4), dense here
  const Eigen::Index n = 6;
  Eigen::VectorXd u(n);
  u << 0, 0.3, 1, 1.2, 2.5, 3;
  const Eigen::MatrixXd Q = walk(m, n, 0.5, 6);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n), B = Eigen::MatrixXd::Zero(n, m.nq());
  A(0, 0) = A(n - 1, n - 1) = 1;
  for (Eigen::Index k = 1; k + 1 < n; ++k) {
    const double left = u[k] - u[k - 1], right = u[k + 1] - u[k];
    A(k, k - 1) = left / 6;
    A(k, k) = (left + right) / 3;
    A(k, k + 1) = right / 6;
    B.row(k) = ((Q.col(k + 1) - Q.col(k)) / right - (Q.col(k) - Q.col(k - 1)) / left).transpose();
  }
  const Eigen::MatrixXd second = A.partialPivLu().solve(B);
  const ConfigurationPath path = ConfigurationPath::through(m, Q, u);
  for (Eigen::Index k = 0; k + 1 < n; ++k) {
    const double h = u[k + 1] - u[k], t = 0.3;
    const PathPoint<> x = path.at(u[k] + t * h);
    const Eigen::VectorXd M0 = second.row(k), M1 = second.row(k + 1);
    const Eigen::VectorXd q = (1 - t) * Q.col(k) + t * Q.col(k + 1) +
                              h * h / 6 * ((std::pow(1 - t, 3) - (1 - t)) * M0 + (std::pow(t, 3) - t) * M1);
    EXPECT_LT((x.q - q).norm(), 1e-12);
    EXPECT_LT((x.second - ((1 - t) * M0 + t * M1)).norm(), 1e-10);
  }
}

/// A path does not depend on how many turns a plane's angle is given with, nor on the sign of a quaternion,
/// and its numbers do not jump.
TEST(ConfigurationPath, NumbersOfAttitudesCountOnFromPointToPoint) {
  for (const char* root : {"planar", "floating", "spherical"}) {
    const Model m = build(random_robot(5, {.joints = 3, .types = {"revolute", "planar", "spherical"}, .root = root}));
    const Eigen::MatrixXd Q = walk(m, 9, 0.5, 4);
    Eigen::MatrixXd given = Q;
    int changed = 0;
    for_each_joint(m.tree<double>(), [&](const auto& joint) {
      if (joint.additive()) return;
      for (Eigen::Index k = 1; k < 9; ++k) {
        if (joint.nq == 3)
          given(joint.q + 2, k) =
              std::remainder(given(joint.q + 2, k), 6.283185307179586) + (k == 5 ? 6.283185307179586 : 0);
        for (Index i = joint.nq == 7 ? 3 : 0; joint.nq >= 4 && i < joint.nq; ++i)
          given(joint.q + i, k) *= k % 2 == 0 ? 1 : -1;
        ++changed;
      }
    });
    ASSERT_GT(changed, 0);
    ASSERT_GT((given - Q).cwiseAbs().maxCoeff(), 0.5);
    const ConfigurationPath path = ConfigurationPath::through(m, given), same = ConfigurationPath::through(m, Q);
    const ConfigurationPath line = ConfigurationPath::line(m, Q.col(0), given.col(1)),
                            same_line = ConfigurationPath::line(m, Q.col(0), Q.col(1));
    for (int k = 0; k <= 200; ++k) {
      // Angles within rounding of ten, through a spline of nine points.
      EXPECT_LT((path.at(k / 200.0).q - same.at(k / 200.0).q).cwiseAbs().maxCoeff(), 1e-12) << root << ' ' << k;
      EXPECT_LT((path.at(k / 200.0).first - same.at(k / 200.0).first).cwiseAbs().maxCoeff(), 1e-10);
      EXPECT_LT((line.at(k / 200.0).q - same_line.at(k / 200.0).q).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

TEST(ConfigurationPath, RefusesWhatItCannotMeet) {
  const Model m = build(random_robot(3, {.joints = 4}));
  const Eigen::MatrixXd Q = walk(m, 4, 0.4, 7);
  EXPECT_THROW(ConfigurationPath::through(m, Q.leftCols(1)), std::invalid_argument);
  EXPECT_THROW(ConfigurationPath::through(m, Q.topRows(2)), std::invalid_argument);
  EXPECT_THROW(ConfigurationPath::through(m, Q, Eigen::Vector4d(0, 1, 1, 2)), std::invalid_argument);
  EXPECT_THROW(ConfigurationPath::through(m, Q, Eigen::Vector2d(0, 1)), std::invalid_argument);
  const ConfigurationPath path = ConfigurationPath::through(m, Q);
  EXPECT_THROW(path.at(-0.1), std::invalid_argument);
  EXPECT_THROW(path.at(std::nan("")), std::invalid_argument);
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) { return error.what(); }
  return "";
}

TEST(ConfigurationPath, PassesOverWaypointsThatRepeat) {
  for (const Model& m : robots()) {
    const Eigen::MatrixXd Q = walk(m, 4, 0.4, 8);
    const ConfigurationPath plain = ConfigurationPath::through(m, Q);
    for (const double apart : {0., 1e-14}) {
      Eigen::MatrixXd twice(m.nq(), 8);  // 0 0 0 1 2 2 3 3
      const int from[] = {0, 0, 0, 1, 2, 2, 3, 3};
      for (Eigen::Index k = 0; k < 8; ++k)
        twice.col(k) = integrate(m, Q.col(from[k]), Eigen::VectorXd::Constant(m.nv(), k % 2 == 0 ? 0 : apart));
      const ConfigurationPath path = ConfigurationPath::through(m, twice);
      ASSERT_EQ(path.knots().size(), 4);
      for (int k = 0; k <= 20; ++k) {
        const PathPoint<> a = plain.at(k / 20.), b = path.at(k / 20.);
        EXPECT_LT(difference(m, a.q, b.q).norm(), 1e-10 * (1 + a.q.norm()));
        EXPECT_LT((a.first - b.first).norm(), 1e-9 * (1 + a.first.norm() + a.second.norm()));
      }
    }
    // There and back again is no repetition; with knots a path may stay where it is.
    Eigen::MatrixXd back(m.nq(), 3);
    back << Q.col(0), Q.col(1), Q.col(0);
    EXPECT_EQ(ConfigurationPath::through(m, back).knots().size(), 3);
    back << Q.col(0), Q.col(0), Q.col(1);
    EXPECT_EQ(ConfigurationPath::through(m, back, Eigen::Vector3d(0, 1, 2)).knots().size(), 3);
    Eigen::MatrixXd same(m.nq(), 3);
    same << Q.col(0), Q.col(0), Q.col(0);
    EXPECT_EQ(refusal([&] { ConfigurationPath::through(m, same); }),
              "ConfigurationPath::through: all 3 waypoints are the same, expected at least 2 that differ");
    EXPECT_EQ(refusal([&] { ConfigurationPath::through(m, same.leftCols(1)); }),
              "ConfigurationPath::through: got 1 waypoint, expected at least 2 that differ");
  }
}

Transform<double> pose(double x, double y, double z, const Vec3<double>& turn) { return {exp_so3(turn), {x, y, z}}; }
double apart(const Transform<double>& a, const Transform<double>& b) {
  const Vec3<double> d = a.p - b.p, w = log_so3(transpose(a.R) * b.R);
  return std::sqrt(dot(d, d) + dot(w, w));
}

TEST(PosePath, LinesArcsAndSplines) {
  const Transform<double> a = pose(0.3, 0.1, 0.5, {0.1, 0.2, 0.3}), b = pose(0.5, -0.1, 0.4, {0.1, -0.2, 0.6});
  const PosePath line = PosePath::line(a, b);
  EXPECT_LT(apart(line.at(0), a), 1e-15);
  EXPECT_LT(apart(line.at(1), b), 1e-15);
  const Transform<double> m = line.at(0.25);
  EXPECT_NEAR(m.p[0], 0.35, 1e-15);
  const Vec3<double> whole = log_so3(transpose(a.R) * b.R), part = log_so3(transpose(a.R) * m.R);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(part[i], whole[i] / 4, 1e-15);

  const PosePath arc = PosePath::arc(a, {0.3, 0.0, 0.5}, {0, 0, 2}, 2 * 3.14159265358979323846, true);
  EXPECT_LT(apart(arc.at(1), a), 1e-14);
  EXPECT_NEAR(arc.at(0.25).p[0], 0.2, 1e-15);
  EXPECT_LT(
      apart(arc.at(0.25), pose(0.2, 0.0, 0.5, {0, 0, 0})) -
          apart(pose(0, 0, 0, {0, 0, 0}), {exp_so3(Vec3<double>{0, 0, 3.14159265358979323846 / 2}) * a.R, {0, 0, 0}}),
      1e-14);
  EXPECT_LT(apart(PosePath::arc(a, {0, 0, 0}, {1, 0, 0}, 1).at(0.7),
                  {a.R, PosePath::arc(a, {0, 0, 0}, {1, 0, 0}, 1).at(0.7).p}),
            1e-15);

  const PosePath through = PosePath::through({a, b, pose(0.4, 0.2, 0.6, {0, 0, 0})});
  EXPECT_LT(apart(through.at(through.knots()[1]), b), 1e-13);
  const PosePath repeated = PosePath::through({a, a, b, b, pose(0.4, 0.2, 0.6, {0, 0, 0})});
  for (int k = 0; k <= 10; ++k) EXPECT_LT(apart(repeated.at(k / 10.), through.at(k / 10.)), 1e-13);
  EXPECT_EQ(refusal([&] {
              PosePath::through({a, a});
            }),
            "PosePath::through: all 2 waypoints are the same, expected at least 2 that differ");
  EXPECT_EQ(refusal([&] { PosePath::through({a}); }),
            "PosePath::through: got 1 waypoint, expected at least 2 that differ");
  EXPECT_THROW(PosePath::line({Mat3<double>::zero(), {0, 0, 0}}, b), std::invalid_argument);
  EXPECT_THROW(PosePath::arc(a, {0, 0, 0}, {0, 0, 0}, 1), std::invalid_argument);
  Mat3<double> mirror = Mat3<double>::identity();
  mirror[2] = {0, 0, -1};
  EXPECT_THROW(PosePath::line({mirror, {0, 0, 0}}, b), std::invalid_argument);
  EXPECT_THROW(line.at(1.5), std::invalid_argument);
}

TEST(Follow, TheFrameStaysOnThePath) {
  const Model m = build(sample_arm7());
  Data data(m);
  Eigen::VectorXd q0(7);
  q0 << 0.2, 0.5, 0, -1.4, 0.1, 0.9, 0;
  const Transform<double> start = frame_pose(m, data, q0, "tool0");
  for (int kind = 0; kind < 3; ++kind) {
    const Transform<double> end{start.R * exp_so3(Vec3<double>{0.2, 0, 0.3}), start.p + Vec3<double>{-0.1, 0.15, 0.05}};
    const PosePath path = kind == 0   ? PosePath::line(start, end)
                          : kind == 1 ? PosePath::arc(start, start.p + Vec3<double>{-0.05, 0, 0}, {0, 0, 1}, 6)
                                      : PosePath::through({start, end, {start.R, start.p + Vec3<double>{0, 0.1, 0.1}}});
    const FollowReport r = follow(m, {.frame = "tool0"}, path, q0, nullptr, {.tolerance = 1e-6});
    ASSERT_EQ(r.status, Status::ok) << r.reason;
    double worst = 0;
    for (int k = 0; k <= 1000; ++k) {
      const double s = path.begin() + (path.end() - path.begin()) * k / 1000;
      worst = std::max(worst, apart(frame_pose(m, data, r.path->at(s).q, "tool0"), path.at(s)));
    }
    std::printf("path %d: %d samples, error %.1e in the middle, %.1e anywhere\n", kind, r.samples, r.error, worst);
    EXPECT_LE(r.error, 1e-6);
    EXPECT_LT(worst, 5e-6);  // the middle of an interval has most of the error of a cubic, up to the ends' condition
    EXPECT_LT(difference(m, q0, r.path->at(path.begin()).q).norm(), 1e-6);
  }
}

TEST(Follow, SaysWhereAPathCannotBeFollowed) {
  const Model m = build(sample_arm7());
  Data data(m);
  Eigen::VectorXd q0(7);
  q0 << 0.2, 0.5, 0, -1.4, 0.1, 0.9, 0;
  const Transform<double> start = frame_pose(m, data, q0, "tool0");
  const PosePath path = PosePath::line(start, {start.R, start.p + Vec3<double>{3, 0, 0}});
  const FollowReport r = follow(m, {.frame = "tool0"}, path, q0);
  EXPECT_NE(r.status, Status::ok);
  EXPECT_FALSE(r.path.has_value());
  EXPECT_GT(r.failed_at, 0);
  EXPECT_LT(r.failed_at, 1);
  EXPECT_FALSE(r.reason.empty());
  EXPECT_THROW(follow(m, {.frame = "tool0"}, path, q0, nullptr, {.tolerance = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
