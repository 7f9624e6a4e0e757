// SPDX-License-Identifier: BSD-3-Clause
// The laws of the configuration space of whole robots: samples and random robots of every joint type, with mimic groups
// and user-defined joints.
#include "zwang/manifold/manifold.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "zwang/manifold/page/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"

namespace zwang {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A ball joint of a user, with a group of the library behind it.
struct UserBall {
  static constexpr const char* name = "user_ball";
  static constexpr int nq = 4, nv = 3;
  using group = Rotations;
  template <class S> static void transform(const S* q, const Uniform<S>*, Transform<S>& X) {
    X = {rotation(Quat<S>{q[0], q[1], q[2], q[3]}), Vec3<S>::zero()};
  }
  template <class S> static void columns(const S*, const Uniform<S>*, Motion<S>* s) {
    for (int k = 0; k < 3; ++k) {
      s[k] = Motion<S>::zero();
      s[k][3 + k] = S(1);
    }
  }
  template <class S> static void rates(const S*, const S*, const Uniform<S>*, Motion<S>* r) {
    for (int k = 0; k < nv; ++k) r[k] = Motion<S>::zero();
  }
};
/// Two slides of a user, additive.
struct UserTable {
  static constexpr const char* name = "user_table";
  static constexpr int nq = 2, nv = 2;
  template <class S> static void transform(const S* q, const Uniform<S>*, Transform<S>& X) {
    X = {Mat3<S>::identity(), {q[0], q[1], S(0)}};
  }
  template <class S> static void columns(const S*, const Uniform<S>*, Motion<S>* s) {
    for (int k = 0; k < 2; ++k) {
      s[k] = Motion<S>::zero();
      s[k][k] = S(1);
    }
  }
  template <class S> static void rates(const S*, const S*, const Uniform<S>*, Motion<S>* r) {
    for (int k = 0; k < nv; ++k) r[k] = Motion<S>::zero();
  }
};

std::vector<Model> robots() {
  std::vector<Model> models;
  BuildOptions floating;
  floating.root = "floating";
  models.push_back(build(sample_quadruped(), floating));
  models.push_back(build(sample_gripper()));
  models.push_back(build(sample_zoo()));
  RandomRobot options;
  options.joints = 20;
  options.user = {user_joint<UserBall>(), user_joint<UserTable>()};
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    options.root = seed % 3 == 0 ? "planar" : seed % 3 == 1 ? "floating" : "fixed";
    options.mimic = 0.4;
    models.push_back(build(random_robot(seed, options)));
  }
  return models;
}
class Manifold : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { models_ = new std::vector<Model>(robots()); }
  static void TearDownTestSuite() {
    delete models_;
    models_ = nullptr;
  }
  static const std::vector<Model>& models() { return *models_; }

 private:
  static std::vector<Model>* models_;
};
std::vector<Model>* Manifold::models_ = nullptr;

VectorXd increment(const Model& model, std::uint64_t seed, double size) {
  Random r(seed, 77);
  VectorXd d(model.nv());
  for (double& x : d) x = r.uniform(-size, size);
  return d;
}
double largest(const MatrixXd& m) { return m.size() == 0 ? 0 : m.cwiseAbs().maxCoeff(); }
/// A joint with its own coordinates: not one that shows its leader's.
bool leads(const Joint& joint) { return joint.mimic.leader.empty(); }
std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::invalid_argument& e) { return e.what(); }
  return "nothing was thrown";
}

// Increments are at most 1.5 per entry (an angle of 2.6) and values at most about 10: 1e-13 is 50 roundings.

TEST_F(Manifold, DifferenceUndoesIntegrateAndTheOtherWayRound) {
  for (const Model& model : models()) {
    const VectorXd q = random(model, 1), d = increment(model, 2, 1.5), q1 = random(model, 3);
    EXPECT_LE(largest(difference(model, q, integrate(model, q, d)) - d), 1e-13);
    const VectorXd there = integrate(model, q, difference(model, q, q1));
    EXPECT_LE(distance(model, there, q1), 1e-12)
        << model.name();  // a planar difference divides by sinc of half its angle
  }
}

/// q1 with every plane some turns further.
VectorXd turned_on(const Model& model, VectorXd q, double turns) {
  for_each_joint(model.tree<double>(), [&](const auto& joint) {
    if (joint.nq == 3 && !joint.additive()) q[joint.q + 2] += turns * 6.283185307179586;
  });
  return q;
}

TEST_F(Manifold, EveryJointMovesInItsOwnCoordinatesByItsOwnGroup) {
  for (const Model& model : models()) {
    const VectorXd q = random(model, 4), d = increment(model, 5, 1.5), out = integrate(model, q, d);
    VectorXd expected = VectorXd::Constant(model.nq(), std::numeric_limits<double>::quiet_NaN());
    for (const Joint& joint : model.joints()) {
      if (!leads(joint)) continue;
      const double *x = q.data() + joint.q.first, *step = d.data() + joint.v.first;
      double* y = expected.data() + joint.q.first;
      const bool ball = joint.type == "spherical" || (joint.type == "user" && joint.q.size == 4);
      if (joint.type == "composite")  // several groups: the laws above hold them
        for (Index i = 0; i < joint.q.size; ++i) y[i] = out[joint.q.first + i];
      else if (joint.type == "floating")
        RigidMotions::integrate(x, step, y);
      else if (ball)
        Rotations::integrate(x, step, y);
      else if (joint.type == "planar")
        PlanarMotions::integrate(x, step, y);
      else if (joint.type == "revolute_unbounded")
        UnitCircle::integrate(x, step, y);
      else
        for (Index i = 0; i < joint.q.size; ++i) y[i] = x[i] + step[i];
    }
    EXPECT_FALSE(expected.hasNaN()) << "coordinates that no joint owns";
    EXPECT_LE(largest(out - expected), 4e-15);
  }
}

TEST_F(Manifold, AMimickingJointOwnsNoCoordinateAndItsLeaderMovesOnce) {
  int groups = 0;
  for (const Model& model : models()) {
    const Tree<double>& tree = model.tree<double>();
    Index nq = 0, nv = 0;
    std::vector<int> moved(static_cast<std::size_t>(model.nv()), 0);
    for_each_joint(tree, [&](const auto& joint) {
      EXPECT_EQ(joint.q, nq);
      nq += joint.nq;
      nv += joint.nv;
      for (Index i = joint.v; i < joint.v + joint.nv; ++i) ++moved[static_cast<std::size_t>(i)];
    });
    EXPECT_EQ(nq, model.nq());
    EXPECT_EQ(nv, model.nv());
    for (const int times : moved) EXPECT_EQ(times, 1);
    groups += tree.mimic;
    VectorXd q = random(model, 6);
    const VectorXd d = increment(model, 7, 1.0), out = integrate(model, q, d);
    integrate(model, q, d, q);  // in place: a coordinate moved twice would show here
    EXPECT_EQ(largest(q - out), 0);
  }
  EXPECT_GE(groups, 5);
}

TEST_F(Manifold, NeutralIsNormalisedAndDoesNotTurn) {
  for (const Model& model : models()) {
    const VectorXd e = neutral(model);
    EXPECT_TRUE(is_normalized(model, e, 0.0));
    EXPECT_EQ(largest(integrate(model, e, zero(model)) - e), 0);
    EXPECT_EQ(largest(difference(model, e, e)), 0);
    EXPECT_EQ(zero(model).size(), model.nv());
  }
}

TEST_F(Manifold, RandomIsWithinLimitsNormalisedAndRepeatable) {
  for (const Model& model : models()) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const VectorXd q = random(model, seed);
      EXPECT_TRUE(is_normalized(model, q, 1e-14));
      EXPECT_EQ(largest(q - random(model, seed)), 0);
      EXPECT_GT(largest(q - random(model, seed + 1000)), 0);
      for (Index i = 0; i < model.nq(); ++i) {
        EXPECT_FALSE(q[i] < model.lower()[static_cast<std::size_t>(i)]);
        EXPECT_FALSE(q[i] > model.upper()[static_cast<std::size_t>(i)]);
      }
    }
  }
}

TEST_F(Manifold, InterpolationGoesTheStraightWay) {
  for (const Model& model : models()) {
    const VectorXd q0 = random(model, 8), q1 = integrate(model, q0, increment(model, 9, 1.5));
    const double whole = distance(model, q0, q1);
    EXPECT_LE(distance(model, interpolate(model, q0, q1, 0), q0), 1e-13);
    EXPECT_LE(distance(model, interpolate(model, q0, q1, 1), q1), 1e-12);
    for (const double t : {0.25, 0.6}) {
      const VectorXd q = interpolate(model, q0, q1, t);
      EXPECT_NEAR(distance(model, q0, q), t * whole, 1e-13 * whole * 10);
      EXPECT_NEAR(distance(model, q, q1), (1 - t) * whole, 1e-13 * whole * 10);
    }
    VectorXd a = q0, b = q1;
    interpolate(model, a, q1, 0.3, a);  // the output may be an input
    interpolate(model, q0, b, 0.3, b);
    EXPECT_EQ(largest(a - b), 0);
  }
}

TEST_F(Manifold, DistancesOfTheJointsAddUp) {
  for (const Model& model : models()) {
    const VectorXd q0 = random(model, 10), q1 = random(model, 11), d = difference(model, q0, q1);
    const VectorXd parts = squared_distances(model, q0, q1);
    EXPECT_NEAR(std::sqrt(parts.sum()), distance(model, q0, q1), 1e-13 * d.norm());
    EXPECT_NEAR(d.norm(), distance(model, q0, q1), 1e-13 * d.norm());
    for (std::size_t j = 0; j < model.joints().size(); ++j) {
      const Joint& joint = model.joints()[j];
      const double own = leads(joint) ? d.segment(joint.v.first, joint.v.size).squaredNorm() : 0;
      EXPECT_NEAR(parts[static_cast<Eigen::Index>(j)], own, 1e-13 * (1 + own)) << joint.name;
    }
  }
}

TEST_F(Manifold, JacobiansAreDerivatives) {
  const double h = 1e-6;  // central differences: h^2 times third derivatives, and roundings 1e-15 / h
  for (const Model& model : models()) {
    const VectorXd q = random(model, 12), d = increment(model, 13, 0.9), q1 = integrate(model, q, d);
    const auto [by_q, by_d] = integrate_jacobians(model, q, d);
    const auto [by_q0, by_q1] = difference_jacobians(model, q, q1);
    for (Index c = 0; c < model.nv(); ++c) {
      VectorXd e = VectorXd::Zero(model.nv());
      e[c] = h;
      const auto moved = [&](const VectorXd& x, double sign) { return integrate(model, x, VectorXd(sign * e)); };
      const auto slope = [&](const VectorXd& up, const VectorXd& down) {
        return VectorXd((difference(model, q1, up) - difference(model, q1, down)) / (2 * h));
      };
      EXPECT_LE(largest(by_q.col(c) - slope(integrate(model, moved(q, 1), d), integrate(model, moved(q, -1), d))),
                1e-8);
      EXPECT_LE(largest(by_d.col(c) - slope(integrate(model, q, d + e), integrate(model, q, d - e))), 1e-8);
      const VectorXd at0 = (difference(model, moved(q, 1), q1) - difference(model, moved(q, -1), q1)) / (2 * h);
      const VectorXd at1 = (difference(model, q, moved(q1, 1)) - difference(model, q, moved(q1, -1))) / (2 * h);
      EXPECT_LE(largest(by_q0.col(c) - at0), 1e-8);
      EXPECT_LE(largest(by_q1.col(c) - at1), 1e-8);
    }
    // q1 = q (+) d:  d = q1 (-) q  =>  J1 Jd = 1 and J0 + J1 Jq = 0
    EXPECT_LE(largest(by_q1 * by_d - MatrixXd::Identity(model.nv(), model.nv())), 1e-13);
    EXPECT_LE(largest(by_q0 + by_q1 * by_q), 1e-13);
  }
}

TEST_F(Manifold, JacobiansCanBeWrittenIntoABlockOfAMatrix) {
  const Model& model = models()[0];
  const Index n = model.nv();
  const VectorXd q = random(model, 14), d = increment(model, 15, 0.9);
  const auto [by_q, by_d] = integrate_jacobians(model, q, d);
  MatrixXd wide = MatrixXd::Constant(n + 3, 2 * n + 1, 9);
  integrate_jacobians(model, q, d, wide.block(2, 1, n, n), wide.block(2, n + 1, n, n));
  EXPECT_EQ(largest(wide.block(2, 1, n, n) - by_q), 0);
  EXPECT_EQ(largest(wide.block(2, n + 1, n, n) - by_d), 0);
  EXPECT_TRUE((wide.topRows(2).array() == 9).all() && (wide.bottomRows(1).array() == 9).all() &&
              (wide.col(0).array() == 9).all());
}

TEST_F(Manifold, TransportIsTheProductWithTheJacobian) {
  for (const Model& model : models()) {
    const VectorXd q = random(model, 16), d = increment(model, 17, 1.5), u = increment(model, 18, 2.0);
    const MatrixXd by_q = integrate_jacobians(model, q, d).first;
    EXPECT_LE(largest(transport(model, q, d, u) - by_q * u), 1e-13);
    MatrixXd U(model.nv(), 5);
    for (int c = 0; c < 5; ++c) U.col(c) = increment(model, 19 + static_cast<std::uint64_t>(c), 2.0);
    const MatrixXd before = U;
    transport_columns(model, q, d, U);
    EXPECT_LE(largest(U - by_q * before), 1e-13);
    VectorXd in_place = u;
    transport(model, q, d, in_place, in_place);
    EXPECT_EQ(largest(in_place - transport(model, q, d, u)), 0);
    EXPECT_LE(largest(transport(model, integrate(model, q, d), -d, in_place) - u), 1e-13);  // and back
  }
}

TEST_F(Manifold, NormalizeBringsEveryQuaternionToUnitLength) {
  for (const Model& model : models()) {
    const VectorXd q = random(model, 20);
    VectorXd scaled = q;
    for_each_joint(model.tree<double>(), [&](const auto& joint) {
      if (joint.additive() || joint.nq == joint.nv) return;
      const Index first = joint.nq == 7 ? 3 : 0;
      for (Index i = first; i < joint.nq; ++i) scaled[joint.q + i] *= 0.01 * (3 + joint.body);
    });
    normalize(model, scaled);
    EXPECT_LE(largest(scaled - q), 4e-16);
  }
}

/// q with every quaternion and every point of a circle `length` times as long.
VectorXd with_length(const Model& model, VectorXd q, double length) {
  for_each_joint(model.tree<double>(), [&](const auto& joint) {
    if (joint.additive() || joint.nq == joint.nv) return;
    for (Index i = joint.nq == 7 ? 3 : 0; i < joint.nq; ++i) q[joint.q + i] *= length;
  });
  return q;
}

TEST_F(Manifold, ReadsAQuaternionAsItsDirection) {
  for (const Model& model : models()) {
    const VectorXd q0 = random(model, 27), d = increment(model, 28, 1.5), q1 = integrate(model, q0, d);
    const VectorXd u = increment(model, 29, 1.5);
    for (const double length : {1 + 9e-7, 1 - 9e-7}) {
      const VectorXd p0 = with_length(model, q0, length), p1 = with_length(model, q1, length);
      EXPECT_LE(largest(integrate(model, p0, d) - q1), 1e-14);
      EXPECT_TRUE(is_normalized(model, integrate(model, p0, d), 2e-15));
      EXPECT_LE(largest(difference(model, p0, p1) - difference(model, q0, q1)), 1e-13);
      EXPECT_LE(largest(interpolate(model, p0, p1, 0.3) - interpolate(model, q0, q1, 0.3)), 1e-13);
      EXPECT_NEAR(distance(model, p0, p1), distance(model, q0, q1), 1e-13 * (1 + d.norm()));
      EXPECT_LE(largest(transport(model, p0, d, u) - transport(model, q0, d, u)), 1e-13);
      EXPECT_LE(largest(difference_jacobians(model, p0, p1).first - difference_jacobians(model, q0, q1).first), 1e-12);
      EXPECT_LE(largest(difference_jacobians(model, p0, p1).second - difference_jacobians(model, q0, q1).second),
                1e-12);
    }
  }
}

// --- refusals ----------------------------------------------------------------------------------------------

TEST_F(Manifold, ARefusalNamesTheFunctionTheArgumentAndTheJoint) {
  const Model& model = models()[0];
  const VectorXd q = random(model, 21), d = increment(model, 22, 1.0);
  const auto contains = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string size = message_of([&] { integrate(model, q.head(model.nq() - 1), d); });
  EXPECT_TRUE(contains(size, "integrate") && contains(size, "q") && contains(size, std::to_string(model.nq()))) << size;
  VectorXd bad = d;
  bad[3] = std::numeric_limits<double>::quiet_NaN();
  const std::string nan = message_of([&] { integrate(model, q, bad); });
  EXPECT_TRUE(contains(nan, "dq") && contains(nan, "3")) << nan;
  VectorXd longer = q;
  longer.segment(3, 4) *= 1 + 3e-6;
  const std::string unit = message_of([&] { difference(model, q, longer); });
  EXPECT_TRUE(contains(unit, "q1") && contains(unit, "root_joint") && contains(unit, "1e-06")) << unit;
  EXPECT_THROW(check_configuration(model, longer), std::invalid_argument);
  EXPECT_FALSE(is_normalized(model, longer));
  EXPECT_TRUE(is_normalized(model, longer, 1e-5));
  normalize(model, longer);
  EXPECT_NO_THROW(check_configuration(model, longer));
  EXPECT_THROW(interpolate(model, q, q, std::numeric_limits<double>::infinity()), std::invalid_argument);
  VectorXd out(model.nq() + 1);
  EXPECT_THROW(integrate(model, q, d, out), std::invalid_argument);
  EXPECT_THROW(neutral(model, out), std::invalid_argument);
  EXPECT_THROW(random(model, 1, out), std::invalid_argument);
  MatrixXd narrow(model.nv(), model.nv() - 1), square(model.nv(), model.nv());
  EXPECT_THROW(integrate_jacobians(model, q, d, narrow, square), std::invalid_argument);
  EXPECT_THROW(difference_jacobians(model, q, q, square, narrow), std::invalid_argument);
}

TEST_F(Manifold, ASmallErrorOfTheLengthIsTolerated) {
  const Model& model = models()[0];
  VectorXd q = random(model, 23);
  q.segment(3, 4) *= 1 + 9e-7;
  const VectorXd d = increment(model, 24, 1.0);
  EXPECT_NEAR(integrate(model, q, d).segment(3, 4).norm(), 1, 2e-12);  // one Newton step: 1.5 (9e-7)^2
}

TEST_F(Manifold, AQuaternionWithoutADirectionIsRefusedAndLeftAlone) {
  const Model& model = models()[0];
  for (const double length : {0.0, 1e-200, 1e200}) {
    VectorXd q = random(model, 25);
    q.segment(3, 4) *= length;
    const VectorXd before = q;
    const std::string text = message_of([&] { normalize(model, q); });
    EXPECT_NE(text.find("root_joint"), std::string::npos) << text;
    EXPECT_EQ(largest(q - before), 0);
    EXPECT_THROW(integrate(model, q, increment(model, 26, 1.0)), std::invalid_argument);
  }
}

// --- the same pages on other scalars -----------------------------------------------------------------------

template <class S> void put(S& x, int, double value) { x = S(static_cast<Uniform<S>>(value)); }
template <class T, int N> void put(Pack<T, N>& x, int lane, double value) { x.set(lane, static_cast<T>(value)); }
template <class S> double take(const S& x, int) { return value_of(x); }
template <class T, int N> double take(const Pack<T, N>& x, int lane) { return static_cast<double>(x[lane]); }

/// Every page on S, with another state in every lane, against double.
template <class S> void expect_like_double(const Model& model, double tolerance) {
  const Tree<Uniform<S>>& tree = model.tree<Uniform<S>>();
  const auto nq = static_cast<std::size_t>(model.nq()), nv = static_cast<std::size_t>(model.nv());
  std::vector<S> q(nq), q1(nq), moved(nq), between(nq), d(nv), back(nv), u(nv), Jq(nv * nv), Jd(nv * nv);
  std::vector<VectorXd> qs, q1s, ds, us;
  for (int l = 0; l < lanes_of<S>; ++l) {
    const auto seed = static_cast<std::uint64_t>(100 + l);
    qs.push_back(random(model, seed));
    ds.push_back(increment(model, seed, 1.2));
    us.push_back(increment(model, seed + 50, 1.2));
    q1s.push_back(turned_on(model, integrate(model, qs.back(), us.back()), l % 3 - 1));
    for (std::size_t i = 0; i < nq; ++i) {
      put(q[i], l, qs.back()[static_cast<Eigen::Index>(i)]);
      put(q1[i], l, q1s.back()[static_cast<Eigen::Index>(i)]);
    }
    for (std::size_t i = 0; i < nv; ++i) {
      put(d[i], l, ds.back()[static_cast<Eigen::Index>(i)]);
      put(u[i], l, us.back()[static_cast<Eigen::Index>(i)]);
    }
  }
  const page::MatrixSteps rows{model.nv(), 1}, column{1, 0};
  page::integrate(tree, q.data(), d.data(), moved.data());
  page::difference(tree, q.data(), q1.data(), back.data());
  page::interpolate(tree, q.data(), q1.data(), S(Uniform<S>(0.3)), between.data());
  page::integrate_jacobians(tree, q.data(), d.data(), Jq.data(), rows, Jd.data(), rows);
  page::transport(tree, q.data(), d.data(), u.data(), column, 1, u.data(), column);
  const S squared = page::squared_distance(tree, q.data(), q1.data());
  for (int l = 0; l < lanes_of<S>; ++l) {
    const auto at = static_cast<std::size_t>(l);
    const auto expect = [&](const std::vector<S>& got, const VectorXd& want, const char* what) {
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(take(got[i], l), want[static_cast<Eigen::Index>(i)], tolerance)
            << what << ' ' << i << ", lane " << l;
    };
    expect(moved, integrate(model, qs[at], ds[at]), "integrate");
    expect(back, difference(model, qs[at], q1s[at]), "difference");
    expect(between, interpolate(model, qs[at], q1s[at], static_cast<double>(Uniform<S>(0.3))), "interpolate");
    expect(u, transport(model, qs[at], ds[at], us[at]), "transport");
    EXPECT_NEAR(take(squared, l), std::pow(distance(model, qs[at], q1s[at]), 2), 40 * tolerance);
    const MatrixXd row_major = integrate_jacobians(model, qs[at], ds[at]).first.transpose();
    expect(Jq, Eigen::Map<const VectorXd>(row_major.data(), row_major.size()), "Jacobian");
  }
}
TEST_F(Manifold, ThePagesRunOnEveryScalar) {
  for (const Model& model : models()) {
    expect_like_double<float>(model, 2e-5);  // values to 10, 16 roundings of 1.2e-7
    expect_like_double<long double>(model, 4e-14);
    expect_like_double<std::complex<double>>(model, 4e-14);
    expect_like_double<Dual<double>>(model, 4e-14);
    expect_like_double<NativePack<double>>(model, 4e-14);
    expect_like_double<NativePack<float>>(model, 2e-5);
  }
}

}  // namespace
}  // namespace zwang
