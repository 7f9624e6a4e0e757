// SPDX-License-Identifier: BSD-3-Clause
// One const Model under eight threads, each with a Data and a Solver of its own: the results are the serial ones,
// bit by bit. ThreadSanitizer runs this program too.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "support/effort.hpp"
#include "support/random.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
constexpr int k_threads = 8;

/// Everything that a thread computes from one state, in one vector.
Vector work(const Model& m, Data& d, TreeCholesky& f, Solver& solver, ConstraintSet& set, std::uint64_t seed) {
  const RandomState x = random_state(m, seed);
  const Index nv = m.nv();
  Vector out(8 * nv + nv * nv + 12 + solver.solution().multipliers.size());
  Eigen::Index at = 0;
  const auto put = [&](const auto& y) {
    out.segment(at, y.size()) = Eigen::Map<const Vector>(y.data(), y.size());
    at += y.size();
  };
  put(Vector(inverse_dynamics(m, d, x.q, x.v, x.a)));
  put(Vector(forward_dynamics(m, d, x.q, x.v, x.tau)));
  put(Vector(bias_forces(m, d, x.q, x.v)));
  put(mass_matrix(m, d, x.q));
  f.compute(d, x.q);
  Vector y = x.a;
  f.solve(y);
  put(y);
  Eigen::MatrixXd J(6, nv);
  const std::string tip = m.links().back().name;
  jacobian_dot(m, d, x.q, x.v, m.find_frame(tip), Reference::local, J);
  put(Vector(J * x.v));
  put(Vector(difference(m, x.q, integrate(m, x.q, x.a))));
  const Externals push{external_wrench(m, tip, {1, 2, 3, 4, 5, 6})};
  put(Vector(inverse_dynamics(m, d, x.q, x.v, x.a, push)));
  set["tool"].beta[0] = static_cast<double>(seed % 7);
  const Solution& s = solver.solve({.q = x.q, .v = x.v, .tau = x.tau, .external = &push});
  put(s.acceleration);
  put(s.multipliers);
  put(s.motor_torque);
  out.segment(at, 6) << s.zwang, kinetic_energy(m, d, x.q, x.v), s.report.rank, s.report.residual,
      m.joint(m.joint_names().back()).axis.x, static_cast<double>(m.id());
  return out;
}

std::vector<Vector> run(const Model& m, int thread, int states) {
  Data d(m);
  TreeCholesky f(m);
  ConstraintSet set(m);
  set.add(FrameConstraint{
      .name = "tool", .frame = m.links().back().name, .rows = rows("linear"), .in = "local", .role = Role::driver});
  Solver solver(m, set);
  std::vector<Vector> results;
  for (int k = 0; k < states; ++k)
    results.push_back(work(m, d, f, solver, set, static_cast<std::uint64_t>(100 * thread + k)));
  return results;
}

TEST(SharedModel, GivesEightThreadsTheSerialResultsBitByBit) {
  RandomRobot options;
  options.joints = 24;
  options.root = "floating";
  RobotDescription random = random_robot(11, options);
  for (JointDescription& j : random.joints)  // parts of a composite joint may move alike: rotors keep M regular
    if (j.type == "composite") j.rotor_inertia = {0.05};
  const std::vector<Model> models{build(sample("arm7")), build(sample("quadruped"), {.root = "floating"}),
                                  build(random)};
  const int states = k_sanitized ? 10 : 50;
  for (const Model& m : models) {
    SCOPED_TRACE(m.name());
    std::vector<std::vector<Vector>> parallel(k_threads);
    std::vector<std::thread> threads;
    for (int t = 0; t < k_threads; ++t)
      threads.emplace_back([&, t] { parallel[static_cast<std::size_t>(t)] = run(m, t, states); });
    for (std::thread& t : threads) t.join();
    for (int t = 0; t < k_threads; ++t) {
      const std::vector<Vector> serial = run(m, t, states);
      ASSERT_TRUE(serial[0].allFinite());
      for (int k = 0; k < states; ++k)
        EXPECT_EQ(parallel[static_cast<std::size_t>(t)][static_cast<std::size_t>(k)],
                  serial[static_cast<std::size_t>(k)]);
    }
  }
}

TEST(SharedModel, IsBuiltCopiedAndDestroyedByManyThreadsAtOnce) {
  const Model shared = build(sample("zoo"));
  std::vector<std::thread> threads;
  std::vector<std::uint64_t> ids(k_threads * 4);
  for (int t = 0; t < k_threads; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 4; ++k) {
        const Model own = build(sample("arm7")), copy = shared;
        const Model more = copy.with_frame("mine", copy.links().back().name, Transform<double>::identity());
        Data d(more);
        const RandomState x = random_state(more, static_cast<std::uint64_t>(t));
        forward_kinematics(more, d, x.q, x.v);
        ids[static_cast<std::size_t>(4 * t + k)] = own.id();
      }
    });
  for (std::thread& t : threads) t.join();
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end()) << "two models have one id";
}

}  // namespace
}  // namespace zwang::test
