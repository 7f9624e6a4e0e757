// SPDX-License-Identifier: BSD-3-Clause
// One state of double works on bodies in lanes; long double goes through the readable steps. Both must give the same
// poses, velocities and accelerations, on every joint and with wrenches from outside.
#include <gtest/gtest.h>

#include "algorithm/cases.hpp"
#include "zwang/generic.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {
namespace {

std::vector<long double> wide(const Eigen::VectorXd& x) { return {x.data(), x.data() + x.size()}; }

constexpr JointEffects k_rotors{.armature = true, .damping = false, .springs = false, .friction = false};

/// Rounding of sums over at most a hundred bodies: 1e-11 of the largest entry leaves room for the conditioning of M.
template <class A, class B> void expect_close(const A& a, const B& b, double scale, const std::string& what) {
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(a[k], static_cast<double>(b[k]), 1e-11 * (1 + scale)) << what << " " << k;
}

TEST(BodiesInLanes, MoveAsInTheReadableSteps) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(effort(40)); ++seed) {
    const Case c = random_case(seed);
    if (c.model.nv() == 0) continue;
    zwang::Random random(seed, 9);
    const auto vector = [&] {
      Eigen::VectorXd x(c.model.nv());
      for (double& e : x) e = random.uniform(-1, 1);
      return x;
    };
    const Eigen::VectorXd q = zwang::random(c.model, seed), v = vector(), a = vector();
    Data data(c.model);
    BasicData<long double> exact(c.model);
    page::kinematics(data, q.data(), v.data(), a.data());
    page::kinematics(exact, wide(q).data(), wide(v).data(), wide(a).data());
    for (Index i = 1; i <= data.tree().n; ++i) {
      const std::string what = c.name + " body " + std::to_string(i);
      const auto& X = data.position.placement[i];
      const auto& Y = exact.position.placement[i];
      for (int r = 0; r < 3; ++r) {
        EXPECT_NEAR(X.p[r], static_cast<double>(Y.p[r]), 1e-12 * (1 + std::fabs(X.p[r]))) << what;
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(X.R(r, k), static_cast<double>(Y.R(r, k)), 1e-13) << what;
      }
      const auto size = [](const Motion<double>& m) { return norm(m.v) + norm(m.w); };
      expect_close(data.velocity.twist[i], exact.velocity.twist[i], size(data.velocity.twist[i]), what + " twist");
      expect_close(data.velocity.bias[i], exact.velocity.bias[i], size(data.velocity.bias[i]), what + " bias");
      expect_close(data.acceleration.joint[i], exact.acceleration.joint[i], size(data.acceleration.joint[i]), what);
    }
  }
}

TEST(BodiesInLanes, NeedTheForcesOfTheReadableSteps) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(effort(40)); ++seed) {
    const Case c = random_case(seed);
    if (c.model.nv() == 0) continue;
    zwang::Random random(seed, 11);
    const auto vector = [&](double size) {
      Eigen::VectorXd x(c.model.nv());
      for (double& e : x) e = random.uniform(-size, size);
      return x;
    };
    const Eigen::VectorXd q = zwang::random(c.model, seed), v = vector(2), a = vector(5);
    Data data(c.model);
    BasicData<long double> exact(c.model);
    Externals wrenches;
    for (const bool pushed : {false, true}) {
      if (pushed)
        for (const Link& link : c.model.links())
          wrenches.push_back(external_wrench(c.model, link.name, {1, -2, 3, 0.5, random.uniform(-1, 1), -1}));
      const Eigen::VectorXd tau = inverse_dynamics(c.model, data, q, v, a, wrenches, k_rotors);
      exact.force.has_external = pushed;
      for (Index i = 1; i <= data.tree().n; ++i)
        for (Index k = 0; k < 6; ++k) exact.force.external[i][k] = data.force.external[i][k];
      std::vector<long double> want(static_cast<std::size_t>(c.model.nv()));
      page::inverse_dynamics(exact, wide(q).data(), wide(v).data(), wide(a).data(), want.data());
      double scale = 0;
      for (Index i = 1; i <= data.tree().n; ++i) {
        const Force<double> f = page::joint_force(data, i);
        scale = std::max(scale, norm(f.f) + norm(f.n));
        expect_close(f, page::joint_force(exact, i), scale, c.name + " body " + std::to_string(i));
      }
      for (Index k = 0; k < c.model.nv(); ++k)
        EXPECT_NEAR(tau(k), static_cast<double>(want[static_cast<std::size_t>(k)]), 1e-12 * (1 + scale)) << c.name;
    }
  }
}

/// A free root is solved at once; where eliminated columns are wanted it is taken column by column.
TEST(BodiesInLanes, SolveAFreeRootAtOnce) {
  int free_roots = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(effort(40)); ++seed) {
    const Case c = random_case(seed);
    if (c.model.nv() == 0) continue;
    zwang::Random random(seed, 12);
    Eigen::VectorXd v(c.model.nv()), tau(c.model.nv()), by_columns(c.model.nv()), a;
    for (double& e : v) e = random.uniform(-1, 1);
    for (double& e : tau) e = random.uniform(-3, 3);
    const Eigen::VectorXd q = zwang::random(c.model, seed);
    Data one(c.model), other(c.model);
    const bool regular = page::forward_dynamics(other, q.data(), v.data(), tau.data(), by_columns.data());
    if (!regular) {
      EXPECT_THROW(forward_dynamics(c.model, one, q, v, tau, {}, k_rotors), SingularMassError) << c.name;
      continue;
    }
    a = forward_dynamics(c.model, one, q, v, tau, {}, k_rotors);
    free_roots += one.tree().body[1].kind == kind_of<Free>;
    // Both go through the same M: they differ by its conditioning.
    EXPECT_LE((a - by_columns).norm(), 1e-10 * (1 + a.norm())) << c.name;
    for (Index i = 1; i <= one.tree().n; ++i)
      expect_close(one.acceleration.joint[i], other.acceleration.joint[i], 10 * a.norm(), c.name);
  }
  EXPECT_GT(free_roots, 0);
}

TEST(BodiesInLanes, TakeWrenchesFromOutside) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(effort(40)); ++seed) {
    const Case c = random_case(seed);
    if (c.model.nv() == 0) continue;
    zwang::Random random(seed, 10);
    Eigen::VectorXd v(c.model.nv()), tau(c.model.nv());
    for (double& e : v) e = random.uniform(-1, 1);
    for (double& e : tau) e = random.uniform(-3, 3);
    const Eigen::VectorXd q = zwang::random(c.model, seed);
    Externals wrenches;
    for (const Link& link : c.model.links())
      wrenches.push_back(external_wrench(c.model, link.name, {1, -2, 3, 0.5, random.uniform(-1, 1), -1}));
    Data data(c.model);
    Eigen::VectorXd a;
    try {
      a = forward_dynamics(c.model, data, q, v, tau, wrenches);
    } catch (const SingularMassError&) { continue; }
    const Eigen::VectorXd back = inverse_dynamics(c.model, data, q, v, a, wrenches);
    // The round trip loses what M amplifies: a is as large as that.
    EXPECT_LE((back - tau).norm(), 1e-10 * (1 + tau.norm() + a.norm())) << c.name;
  }
}

}  // namespace
}  // namespace zwang::test
