// SPDX-License-Identifier: BSD-3-Clause
// A joint along a spline of poses. Its pose against products of matrix exponentials in long double; S and dS/dt against
// the pose by dual numbers; robots with one against the screw that it is where its poses lie on one, in every algorithm
// that reads joints differently: sweeps, derivatives of both orders, lanes; documents; what is refused.
#include "zwang/model/spline_joint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "algorithm/held.hpp"
#include "support/robots.hpp"
#include "support/says.hpp"
#include "zwang/algorithm/derivatives.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/algorithm/second_derivatives.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/batch/batch.hpp"
#include "zwang/io/model.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/user_joint.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::test {
namespace {

using D = Dual<double>;
using Poses = std::vector<Transform<double>>;

Poses drawn(std::uint64_t seed, int n) {
  Random random(seed);
  Poses poses{Transform<double>{rotation(from_rotation_vector(Vec3<double>{0.1, 0.2, 0.3})), {1, 2, 3}}};
  for (int k = 1; k < n; ++k) {
    Motion<double> step;
    for (int i = 0; i < 6; ++i) step[i] = random.uniform(-0.7, 0.7);
    poses.push_back(poses.back() * exp_se3(step));
  }
  return poses;
}

using Real4 = Eigen::Matrix<long double, 4, 4>;
Real4 matrix(const Transform<double>& X) {
  Real4 m = Real4::Identity();
  for (int i = 0; i < 3; ++i) {
    m(i, 3) = X.p[i];
    for (int j = 0; j < 3; ++j) m(i, j) = X.R[i][j];
  }
  return m;
}
/// exp of a 4 x 4 matrix by its series, after halving: |A| / 256 < 0.02, its 12th power is below rounding.
Real4 exponential(Real4 A) {
  A /= 256;
  Real4 sum = Real4::Identity(), term = Real4::Identity();
  for (int k = 1; k < 13; ++k) term = (term * A / static_cast<long double>(k)).eval(), sum += term;
  for (int k = 0; k < 8; ++k) sum = (sum * sum).eval();
  return sum;
}
/// log of a rigid motion by inverse scaling: Newton's iteration on exp from the start that zwang gives would be no
/// second source, so square roots (Denman & Beavers 1976) until the series of log(1 + E) converges.
Real4 logarithm(Real4 X) {
  for (int k = 0; k < 6; ++k) {
    Real4 Y = X, Z = Real4::Identity();
    for (int i = 0; i < 12; ++i) {
      const Real4 next = (Y + Z.inverse()) / 2;
      Z = ((Z + Y.inverse()) / 2).eval();
      Y = next;
    }
    X = Y;
  }
  const Real4 E = X - Real4::Identity();
  Real4 sum = Real4::Zero(), power = E;
  for (int k = 1; k < 25; ++k) {
    sum += power * ((k % 2 ? 1.0L : -1.0L) / static_cast<long double>(k));
    power = (power * E).eval();
  }
  return sum * 64;
}

TEST(SplineJoint, IsTheProductOfExponentials) {
  const Poses poses = drawn(1, 8);
  const double step = 0.4;
  const std::vector<double> parameters = spline_parameters(poses, step);
  const UserJointFunctions* const f = spline_functions()->find(scalar_key<double>);
  for (double q = -0.3; q < 2.5; q += 0.0777) {
    Transform<double> X;
    f->transform(&q, parameters.data(), &X);
    const int k = std::clamp(static_cast<int>(std::floor(q / step)), 0, 4);
    const long double t = static_cast<long double>(q) / static_cast<long double>(step) - k;
    const long double b[3] = {(5 + 3 * t - 3 * t * t + t * t * t) / 6, (1 + 3 * t + 3 * t * t - 2 * t * t * t) / 6,
                              t * t * t / 6};
    Real4 expected = matrix(poses[static_cast<std::size_t>(k)]);
    for (int j = 0; j < 3; ++j) {
      const auto at = static_cast<std::size_t>(k + j);
      expected = (expected * exponential(logarithm(matrix(poses[at]).inverse() * matrix(poses[at + 1])) * b[j])).eval();
    }
    // The poses are rotations to some eps, which their logarithms divide by nothing small: a few dozen roundings.
    EXPECT_LT((matrix(X) - expected).cwiseAbs().maxCoeff(), 200 * k_eps) << q;
  }
}

TEST(SplineJoint, ColumnsAndRatesAreDerivativesOfThePose) {
  const std::vector<double> parameters = spline_parameters(drawn(2, 7), 0.5);
  const UserJointFunctions& f = *spline_functions()->find(scalar_key<double>);
  const UserJointFunctions& g = *spline_functions()->find(scalar_key<D>);
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    const double q = random.uniform(-0.5, 2.6), v = random.normal();
    const D moving(q, 1);
    Transform<double> X;
    Transform<D> moved;
    Motion<double> s, r;
    Motion<D> s_moved;
    f.transform(&q, parameters.data(), &X);
    f.columns(&q, parameters.data(), &s);
    f.rates(&q, &v, parameters.data(), &r);
    g.transform(&moving, parameters.data(), &moved);
    g.columns(&moving, parameters.data(), &s_moved);
    Mat3<double> R_dot = X.R;
    Vec3<double> p_dot;
    for (int i = 0; i < 3; ++i) {
      p_dot[i] = moved.p[i].d;
      for (int j = 0; j < 3; ++j) R_dot[i][j] = moved.R[i][j].d;
    }
    const Mat3<double> W = transpose(X.R) * R_dot;
    const Vec3<double> linear = transpose_times(X.R, p_dot), angular{W.r2.y, W.r0.z, W.r1.x};
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(s.v[i], linear[i], 100 * k_eps * (1 + norm(p_dot)));
      EXPECT_NEAR(s.w[i], angular[i], 100 * k_eps * (1 + norm(angular)));
    }
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(r[i], s_moved[i].d * v, 1000 * k_eps);
  }
}

// Continuous to the second derivative of the pose, also where the range ends.
TEST(SplineJoint, IsSmoothAtItsKnots) {
  const std::vector<double> parameters = spline_parameters(drawn(4, 7), 0.5);
  const UserJointFunctions& f = *spline_functions()->find(scalar_key<double>);
  const double v = 1, h = 1e-12;
  for (const double knot : {0.0, 0.5, 1.0, 1.5, 2.0}) {
    const double before = knot - h, after = knot + h;
    Motion<double> s[2], r[2];
    f.columns(&before, parameters.data(), &s[0]);
    f.columns(&after, parameters.data(), &s[1]);
    f.rates(&before, &v, parameters.data(), &r[0]);
    f.rates(&after, &v, parameters.data(), &r[1]);
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(s[0][i], s[1][i], 1e-10);
      EXPECT_NEAR(r[0][i], r[1][i], 1e-9);
    }
  }
}

/// A random robot whose helical joints are, in the second description, along splines on their screws.
std::pair<RobotDescription, RobotDescription> twins(std::uint64_t seed, int& splines) {
  RandomRobot options;
  options.joints = 9;
  options.mimic = 0;
  RobotDescription screws = random_robot(seed, options);
  for (JointDescription& j : screws.joints) {
    if (j.type != "revolute" && j.type != "prismatic" && j.type != "helical") continue;
    j = JointDescription{.name = j.name, .type = "helical", .parent = j.parent, .child = j.child, .origin = j.origin};
    j.parameters = {0.2};
  }
  RobotDescription along = screws;
  for (JointDescription& j : along.joints) {
    if (j.type != "helical") continue;
    Poses poses;
    for (int k = -1; k < 7; ++k) poses.push_back(exp_se3(Motion<double>{{0, 0, 0.2 * 0.3 * k}, {0, 0, 0.3 * k}}));
    j = spline_joint(std::move(j), poses, 0.3);
    EXPECT_EQ(j.lower, std::vector<double>{0.0});
    EXPECT_NEAR(j.upper[0], 1.5, 1e-15);
    ++splines;
  }
  return {screws, along};
}

TEST(SplineJoint, OfPosesOnAScrewIsTheScrewInEveryAlgorithm) {
  int splines = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto [screws, along] = twins(seed, splines);
    const Model a = build(screws), b = build(along);
    ASSERT_EQ(a.nq(), b.nq());
    Data of_a(a), of_b(b);
    const RandomState x = random_state(a, seed);
    const Index n = a.nv();
    // Powers of q up to 3 in steps of 0.3, and 10 bodies: 1e5 roundings of the largest number.
    const auto same = [&](const Eigen::MatrixXd& p, const Eigen::MatrixXd& q) {
      const double scale = 1 + p.cwiseAbs().maxCoeff();
      EXPECT_LT((p - q).cwiseAbs().maxCoeff(), 1e5 * k_eps * scale) << "seed " << seed;
    };
    same(inverse_dynamics(a, of_a, x.q, x.v, x.a), inverse_dynamics(b, of_b, x.q, x.v, x.a));
    Eigen::MatrixXd p(n, n), q(n, n);
    mass_matrix(a, of_a, x.q, p), mass_matrix(b, of_b, x.q, q);
    same(p, q);
    coriolis_matrix(a, of_a, x.q, x.v, p), coriolis_matrix(b, of_b, x.q, x.v, q);
    same(p, q);
    const auto da = inverse_dynamics_derivatives(a, of_a, x.q, x.v, x.a);
    const auto db = inverse_dynamics_derivatives(b, of_b, x.q, x.v, x.a);
    same(da.q, db.q), same(da.v, db.v);
    const SecondDerivatives ha = inverse_dynamics_second_derivatives(a, of_a, x.q, x.v, x.a);
    const SecondDerivatives hb = inverse_dynamics_second_derivatives(b, of_b, x.q, x.v, x.a);
    for (const char* name : {"qq", "qv", "vv", "qa"})
      same(Eigen::Map<const Eigen::MatrixXd>(ha.dense(name).data, n * n, n),
           Eigen::Map<const Eigen::MatrixXd>(hb.dense(name).data, n * n, n));
    // In lanes, each with a state, and a segment, of its own.
    const Index count = 19;
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Rows qs(count, a.nq()), vs(count, n), as(count, n), tau(count, n);
    Eigen::MatrixXd each(count, n);
    for (Index k = 0; k < count; ++k) {
      const RandomState y = random_state(a, seed * 100 + static_cast<std::uint64_t>(k));
      qs.row(k) = y.q, vs.row(k) = y.v, as.row(k) = y.a;
      each.row(k) = inverse_dynamics(a, of_a, y.q, y.v, y.a);
    }
    Batch batch(b);
    EXPECT_TRUE(batch.inverse_dynamics(qs, vs, as, tau).good());
    same(each, tau);
  }
  EXPECT_GT(splines, 20);
}

// Where poses lie on no screw: derivatives of both orders by differences within a segment.
TEST(SplineJoint, HasDerivativesOfBothOrders) {
  RobotDescription robot = random_robot(5, {.joints = 4, .types = {"revolute"}, .mimic = 0});
  for (JointDescription& j : robot.joints)
    if (j.type == "revolute")
      j = spline_joint(JointDescription{.name = j.name, .parent = j.parent, .child = j.child, .origin = j.origin},
                       drawn(6, 7));
  const Model m = build(robot);
  Data data(m);
  const Index n = m.nv();
  ASSERT_EQ(n, 4);
  const double h = 1e-5;  // h^2 of third derivatives and eps / h: 1e-8 of the torque's size
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(n, 0.3, 2.7), v = Eigen::VectorXd::LinSpaced(n, -1, 1),
                        a = Eigen::VectorXd::LinSpaced(n, 2, -1);
  const auto d = inverse_dynamics_derivatives(m, data, q, v, a);
  const SecondDerivatives second = inverse_dynamics_second_derivatives(m, data, q, v, a);
  const double size = 1 + d.q.cwiseAbs().maxCoeff();
  for (Index k = 0; k < n; ++k) {
    Eigen::VectorXd there = q, back = q;
    there(k) += h, back(k) -= h;
    const Eigen::VectorXd up = inverse_dynamics(m, data, there, v, a), down = inverse_dynamics(m, data, back, v, a);
    EXPECT_LT(((up - down) / (2 * h) - d.q.col(k)).cwiseAbs().maxCoeff(), 1e-7 * size);
    const auto after = inverse_dynamics_derivatives(m, data, there, v, a);
    const auto before = inverse_dynamics_derivatives(m, data, back, v, a);
    for (Index t = 0; t < n; ++t)
      for (Index x = 0; x < n; ++x) {
        EXPECT_NEAR(second.qq()(t, x, k), (after.q(t, x) - before.q(t, x)) / (2 * h), 1e-6 * size);
        EXPECT_NEAR(second.qv()(t, k, x), (after.v(t, x) - before.v(t, x)) / (2 * h), 1e-6 * size);
      }
  }
}

TEST(SplineJoint, IsKeptInDocuments) {
  RobotDescription robot;
  robot.links = {{.name = "base"}, {.name = "bead", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}}};
  robot.joints = {spline_joint({.name = "along", .parent = "base", .child = "bead"}, drawn(7, 5), 0.25)};
  const Model m = build(robot);
  const Model again = model_from_json(to_json(m));
  EXPECT_TRUE(again == m);
  EXPECT_EQ(again.joints().back().description.user, spline_functions());
  EXPECT_EQ(again.joints().back().description.upper, std::vector<double>{0.5});
}

TEST(SplineJoint, RefusesWhatIsNoCurve) {
  const Poses good = drawn(8, 6);
  EXPECT_THROW(spline_parameters(Poses(good.begin(), good.begin() + 3)), std::invalid_argument);
  for (const double step : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(spline_parameters(good, step), std::invalid_argument);
  Poses bad = good;
  bad[2].R.r0 = bad[2].R.r0 * 1.1;
  EXPECT_THROW(spline_parameters(bad), std::invalid_argument);
  bad = good;
  bad[3].p.y = std::nan("");
  EXPECT_THROW(spline_parameters(bad), std::invalid_argument);
  bad = good;
  bad[1] = bad[0] * Transform<double>{{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}, {0, 0, 0}};
  EXPECT_THROW(spline_parameters(bad), std::invalid_argument);
  const std::vector<double> x = spline_parameters(good);
  EXPECT_EQ(spline_fault(x), "");
  for (std::size_t k = 0; k < x.size(); ++k) {  // one of the numbers is another one
    std::vector<double> y = x;
    y[k] = k == 0 ? -1 : y[k] + 0.5;
    EXPECT_NE(spline_fault(y), "") << k;
    y[k] = std::nan("");
    EXPECT_NE(spline_fault(y), "") << k;
  }
  for (std::size_t size = 0; size < x.size(); ++size) EXPECT_NE(spline_fault({x.data(), size}), "") << size;
  RobotDescription robot;
  robot.links = {{.name = "base"}, {.name = "bead", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}}};
  robot.joints = {spline_joint({.name = "along", .parent = "base", .child = "bead"}, good)};
  robot.joints[0].parameters[1] = 1000;
  EXPECT_THROW(build(robot), ModelError);
  for (const char* other : {"floating", "revolute", "fixed", "user", ""}) {  // its functions belong to its type
    robot.joints = {spline_joint({.name = "along", .parent = "base", .child = "bead"}, good)};
    EXPECT_NO_THROW(build(robot));
    robot.joints[0].type = other;
    EXPECT_SAYS("expected type 'spline'", build(robot));
  }
  EXPECT_SAYS("E_JOINT_TYPE", model_from_json(R"({"format": "zwang.model", "version": 1, "links": [{"name": "base"},
      {"name": "bead"}], "joints": [{"name": "along", "type": "floating", "parent": "base", "child": "bead",
      "user": "spline"}]})"));
}

}  // namespace
}  // namespace zwang::test
