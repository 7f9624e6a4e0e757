// SPDX-License-Identifier: BSD-3-Clause
// Forward dynamics whose status is ok leaves of the equations of motion no more than rounding of their terms
// (motion_terms.hpp), however badly bodies determine the motion: of one state, in lanes, in double and float.
#include "algorithm/motion_terms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "algorithm/hostile_bodies.hpp"
#include "batch/arrays.hpp"
#include "zwang/algorithm/real_time.hpp"
#include "zwang/batch/batch.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Real = reference::Real;
constexpr double k_promised = 64;  // the library measures its own sums against 32
const JointEffects k_inertial{.armature = true, .damping = false, .springs = false, .friction = false};

/// Status and loss of an answer to one state; `state`: tau included.
struct Judged {
  Status status = Status::ok;
  double lost = 0;
};
Judged judge_one(const Case& c, const RandomState& x) {
  Data data(c.model);
  Vector a(c.model.nv());
  Judged judged{try_forward_dynamics(c.model, data, x.q, x.v, x.tau, a, {}, k_inertial), 0};
  if (judged.status == Status::ok)
    judged.lost = static_cast<double>(MotionTerms(c, x.q, x.v).lost(x.tau.cast<Real>(), a.cast<Real>()));
  return judged;
}
/// The same beside a state that differs, in whole lanes.
template <class T> Judged judge_lanes(const Case& c, const RandomState& x, const RandomState& other) {
  const long n = 2 * BasicBatch<T>(c.model, {.threads = 1}).lanes();
  StateRows<T> q(n, c.model.nq()), v(n, c.model.nv()), tau(n, c.model.nv()), a(n, c.model.nv());
  for (long s = 0; s < n; ++s) {
    const RandomState& from = s % 3 == 0 ? x : other;
    q.row(s) = from.q.template cast<T>();
    v.row(s) = from.v.template cast<T>();
    tau.row(s) = from.tau.template cast<T>();
  }
  BasicBatch<T> batch(c.model, {.threads = 1});
  batch.forward_dynamics(q, v, tau, a, k_inertial);
  Judged judged{batch.report().status(3), 0};
  if (judged.status != Status::ok) return judged;
  const MotionTerms terms(c, q.row(3).template cast<double>().transpose(),
                          v.row(3).template cast<double>().transpose());
  judged.lost =
      static_cast<double>(terms.lost(tau.row(3).template cast<Real>().transpose(),
                                     a.row(3).template cast<Real>().transpose(), std::numeric_limits<T>::epsilon()));
  return judged;
}

TEST(ForwardDynamicsPromise, HoldsForTreesOfBodiesThatAreNearlyPoints) {
  int ok = 0, all = 0;
  for (int seed = 1; seed <= effort(1500); ++seed) {
    BuildOptions options;
    const Case c(hostile_bodies(static_cast<std::uint64_t>(seed), options), options, "seed " + std::to_string(seed));
    if (c.model.nv() == 0) continue;
    RandomState x = random_state(c.reference, static_cast<std::uint64_t>(seed)),
                other = random_state(c.reference, static_cast<std::uint64_t>(seed) + 100000);
    double mass = 0;
    for (const Link& link : c.model.links()) mass = std::max(mass, link.mass);
    x.tau *= mass;
    const Judged one = judge_one(c, x), lanes = judge_lanes<double>(c, x, other),
                 single = judge_lanes<float>(c, x, other);
    EXPECT_LE(one.lost, k_promised) << c.name;
    EXPECT_LE(lanes.lost, k_promised) << c.name << ", lanes";
    EXPECT_LE(single.lost, k_promised) << c.name << ", float";
    ++all;
    ok += one.status == Status::ok;
  }
  EXPECT_GT(ok, 0.85 * all);  // the others are singular as far as double can tell
}

/// A floating body of 1 kg with its centre 1 m from its origin, and a chain of two such bodies.
RobotDescription far_body(double e, const std::string& second) {
  const Sym3<double> I = Sym3<double>::diagonal(0.7 * e, e, 1.2 * e);
  RobotDescription r;
  r.links = {make_link("a", 1, {0.002, 0.001, 1}, I)};
  if (second.empty()) return r;
  r.links.push_back(make_link("b", 1, {-0.48, 0.6, 0.64}, I));
  r.joints = {make_joint("j", second, "a", "b", {0, 0, 1}, {0.1, 0.2, 0.3})};
  return r;
}

TEST(ForwardDynamicsPromise, HoldsForFloatingBodiesFarFromTheirOrigin) {
  for (const char* second : {"", "spherical", "revolute", "planar"})
    for (int digits = 0; digits <= 16; ++digits)
      for (int seed = 1; seed <= 10; ++seed) {
        const BuildOptions options{.root = "floating"};
        const Case c(far_body(std::pow(10.0, -digits), second), options,
                     std::string("1e-") + std::to_string(digits) + " " + second);
        const RandomState x = random_state(c.reference, static_cast<std::uint64_t>(seed));
        const Judged one = judge_one(c, x), lanes = judge_lanes<double>(c, x, x);
        EXPECT_LE(one.lost, k_promised) << c.name;
        EXPECT_LE(lanes.lost, k_promised) << c.name << ", lanes";
        if (digits <= 11) {
          EXPECT_EQ(one.status, Status::ok) << c.name;
          EXPECT_EQ(lanes.status, Status::ok) << c.name;
        }
        if (digits >= 15) { EXPECT_EQ(one.status, Status::singular_mass) << c.name; }
      }
}

TEST(ForwardDynamicsPromise, ASecondSweepReadsWhatTheFirstHasRead) {
  const Case c(far_body(1e-10, "spherical"), {.root = "floating"}, "far");
  const RandomState x = random_state(c.reference, 3);
  Data data(c.model), fresh(c.model);
  const Vector expected = forward_dynamics(c.model, fresh, x.q, x.v, x.v);
  ASSERT_GT(fresh.articulated.gross_ratio, 1e8);
  Vector out = x.v;
  ASSERT_EQ(try_forward_dynamics(c.model, data, x.q, out, out, out), Status::ok);
  EXPECT_EQ(out, expected);
}

TEST(ForwardDynamicsPromise, HoldsForRobots) {
  for (const RobotFile& file : robot_files()) {
    const Case c = load_case(file);
    if (c.model.nv() == 0) continue;
    const RandomState x = random_state(c.reference, 5);
    const Judged one = judge_one(c, x), lanes = judge_lanes<double>(c, x, x);
    EXPECT_EQ(one.status, Status::ok) << c.name;
    EXPECT_EQ(lanes.status, Status::ok) << c.name;
    const Diagnostics& found = c.model.diagnostics();
    const bool snapped =  // the model then differs from its file by up to 1e-12
        std::any_of(found.begin(), found.end(), [](const Diagnostic& d) { return d.code == "N_SNAPPED"; });
    EXPECT_LE(one.lost, snapped ? 1e-12 / k_eps : 8) << c.name;
    EXPECT_LE(lanes.lost, snapped ? 1e-12 / k_eps : 8) << c.name;
  }
}

}  // namespace
}  // namespace zwang::test
