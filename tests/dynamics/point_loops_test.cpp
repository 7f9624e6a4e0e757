// SPDX-License-Identifier: BSD-3-Clause
// Loops between points along axes of the world, far from closing: every method, lanes and first derivatives. Against
// the accelerations of the points, plain forward dynamics with the forces applied by hand, differences of solutions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "support/random.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/batch/batch_solver.hpp"
#include "zwang/factor/methods.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/derivatives.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// A robot of every joint type, with two frames on links that other joints carry, and rows between them.
struct Held {
  explicit Held(std::uint64_t seed)
      : random(seed + 3),
        model(robot(seed, random)),
        set(model),
        state(random_state(model, seed)) {
    LoopConstraint loop{.name = "points", .frame = "one", .other = "two"};
    std::vector<double> matrix;
    for (std::uint64_t r = 0; r <= seed % 3; ++r) {
      const Vec3<double> d = random.direction() * random.uniform(0.5, 2);
      matrix.insert(matrix.end(), {d.x, d.y, d.z, 0, 0, 0});
      D.conservativeResize(D.rows() + 1, 3);
      D.row(D.rows() - 1) << d.x, d.y, d.z;
      loop.beta.push_back(random.uniform(-1, 1));
    }
    loop.rows = rows(matrix);
    loop.in = "local_world_aligned";
    if (seed % 2 == 0) loop.stabilisation = {0.4, 0.8};
    set.add(loop);
  }
  static Model robot(std::uint64_t seed, Random& random) {
    const char* roots[] = {"fixed", "floating", "planar", "spherical"};
    RobotDescription d = random_robot(seed, {.joints = 9, .root = roots[seed % 4], .mimic = 0.2});
    d.frames.push_back({"one", d.links[d.links.size() / 2].name, random.pose(0.4)});
    d.frames.push_back({"two", d.links.back().name, random.pose(0.4)});
    for (JointDescription& j : d.joints)
      if (j.type == "composite") j.rotor_inertia = {0.05};
    return build(d);
  }
  SolveInput input() const { return {.q = state.q, .v = state.v, .tau = state.tau}; }

  Random random;
  Model model;
  ConstraintSet set;
  RandomState state;
  Matrix D = Matrix(0, 3);
};

bool has_mimics(const Model& m) {
  return std::any_of(m.joints().begin(), m.joints().end(), [](const Joint& j) { return !j.mimic.leader.empty(); });
}
Eigen::Vector3d linear(const Motion<double>& m) { return {m.v.x, m.v.y, m.v.z}; }

TEST(PointLoops, HoldTheAccelerationsOfTheirPointsByEveryMethod) {
  int open = 0;
  const int tried = effort(40, 8);
  for (int seed = 0; seed < tried; ++seed) {
    const Held x(static_cast<std::uint64_t>(seed));
    const Model& m = x.model;
    SCOPED_TRACE(seed);
    Data data(m);
    const auto& [q, v, unused, tau] = x.state;
    const auto p = [&](const char* frame) {
      const Transform<double> X = frame_pose(m, data, q, frame);
      return Eigen::Vector3d(X.p.x, X.p.y, X.p.z);
    };
    const Eigen::Vector3d apart = p("two") - p("one");
    const Constraint& c = x.set.constraints()[0];
    const double T = c.stabilisation.time_constant, zeta = c.stabilisation.damping_ratio;
    const Vector slip = x.D * (linear(frame_velocity(m, data, q, v, "two", Reference::local_world_aligned)) -
                               linear(frame_velocity(m, data, q, v, "one", Reference::local_world_aligned)));
    Vector wanted = Eigen::Map<const Vector>(c.beta.data(), static_cast<Eigen::Index>(c.beta.size()));
    if (T > 0) wanted -= 2 * zeta / T * slip + x.D * apart / (T * T);
    open += apart.norm() > 0.1;
    for (const std::string& name : methods()) {
      if (name == "pv_soft" || name == "constrained_aba") continue;  // for other rows
      if (name == "loop_aba" && has_mimics(m)) continue;
      SCOPED_TRACE(name);
      SolverSettings settings;
      settings.method = name;
      Solver solver(m, x.set, settings);
      const Solution& s = solver.solve(x.input());
      if (s.report.rank < s.report.rows) continue;  // both points on bodies that cannot move against each other
      ASSERT_EQ(s.report.status, Status::ok) << s.report.explain();
      const Vector a = s.acceleration;
      const auto acceleration = [&](const char* frame) {
        return linear(
            frame_acceleration(m, data, q, v, a, frame, AccelerationKind::classical, Reference::local_world_aligned));
      };
      const double size = 10 * (1 + a.cwiseAbs().maxCoeff() + v.squaredNorm() + wanted.cwiseAbs().maxCoeff());
      EXPECT_LE((x.D * (acceleration("two") - acceleration("one")) - wanted).cwiseAbs().maxCoeff(), 1e-10 * size);
      const Eigen::Vector3d f = x.D.transpose() * Vector(s.multipliers);
      const Externals by_hand = {external_wrench(m, "two", {f.x(), f.y(), f.z(), 0, 0, 0}),
                                 external_wrench(m, "one", {-f.x(), -f.y(), -f.z(), 0, 0, 0})};
      const Vector free = forward_dynamics(m, data, q, v, tau, by_hand);
      EXPECT_LE((free - a).cwiseAbs().maxCoeff(), 1e-8 * (1 + a.cwiseAbs().maxCoeff()));
      const Vector wrench = s["points"].wrench;
      EXPECT_LE((wrench.head(3) - f).norm() + wrench.tail(3).norm(), 1e-12 * (1 + f.norm()));
    }
  }
  EXPECT_GT(open, tried / 2);
}

TEST(PointLoops, AreTheSameInLanes) {
  for (int seed = 0; seed < effort(12); ++seed) {
    const Held x(static_cast<std::uint64_t>(seed) + 100);
    constexpr Index n = 7;
    Matrix q(n, x.model.nq()), v(n, x.model.nv()), tau(n, x.model.nv());
    for (Index k = 0; k < n; ++k) {
      const RandomState s = random_state(x.model, static_cast<std::uint64_t>(100 * seed + k));
      q.row(k) = s.q.transpose(), v.row(k) = s.v.transpose(), tau.row(k) = s.tau.transpose();
    }
    const ConstraintSet again = constraints_from_json(x.model, to_json(x.set));
    Solver solver(x.model, again);
    BatchSolver lanes(x.model, x.set);
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Rows Q = q, V = v, Tau = tau;
    Rows a(n, x.model.nv());
    lanes.solve({.q = Q, .v = V, .tau = Tau}, {.acceleration = a});
    for (Index k = 0; k < n; ++k) {
      const Vector qk = q.row(k).transpose(), vk = v.row(k).transpose(), tk = tau.row(k).transpose();
      const Vector one = solver.solve({.q = qk, .v = vk, .tau = tk}).acceleration;
      EXPECT_LE((a.row(k).transpose() - one).cwiseAbs().maxCoeff(), 1e-8 * (1 + one.cwiseAbs().maxCoeff()));
    }
  }
}

/// Central differences of solutions: rounding over h, and h^2 times third derivatives, which are up to 1e6 times the
/// first where the points hardly move against each other.
TEST(PointLoops, FirstDerivativesAreThoseOfTheSolutions) {
  constexpr double h = 1e-6;
  int seen = 0;
  const int tried = effort(24, 8);
  for (int seed = 0; seed < tried; ++seed) {
    const Held x(static_cast<std::uint64_t>(seed) + 200);
    const Model& m = x.model;
    SCOPED_TRACE(seed);
    Solver solver(m, x.set), other(m, x.set);
    const Solution& s = solver.solve(x.input());
    if (s.report.rank < s.report.rows) continue;
    ++seen;
    const SolutionDerivatives& d = solver.derivatives();
    ASSERT_EQ(d.status, Status::ok);
    const Matrix by_q = d.acceleration.q, by_v = d.acceleration.v, lambda_q = d.multipliers.q,
                 rate_q = d.velocity_error.q;
    const auto solved = [&](const Vector& q, const Vector& v) {
      const Solution& one = other.solve({.q = q, .v = v, .tau = x.state.tau});
      Vector all(m.nv() + 2 * x.set.rows());
      all << Vector(one.acceleration), Vector(one.multipliers), Vector(one.velocity_error);
      return all;
    };
    const double size = 1 + by_q.cwiseAbs().maxCoeff() + by_v.cwiseAbs().maxCoeff();
    for (Index k = 0; k < m.nv(); ++k) {
      const Vector dq = Vector::Unit(m.nv(), k) * h;
      const Vector by =
          (solved(integrate(m, x.state.q, dq), x.state.v) - solved(integrate(m, x.state.q, Vector(-dq)), x.state.v)) /
          (2 * h);
      const Vector of_v = (solved(x.state.q, x.state.v + dq) - solved(x.state.q, x.state.v - dq)) / (2 * h);
      EXPECT_LE((by.head(m.nv()) - by_q.col(k)).cwiseAbs().maxCoeff(), 2e-5 * size);
      EXPECT_LE((of_v.head(m.nv()) - by_v.col(k)).cwiseAbs().maxCoeff(), 2e-5 * size);
      EXPECT_LE((by.segment(m.nv(), x.set.rows()) - lambda_q.col(k)).cwiseAbs().maxCoeff(),
                2e-5 * (1 + lambda_q.cwiseAbs().maxCoeff()));
      EXPECT_LE((by.tail(x.set.rows()) - rate_q.col(k)).cwiseAbs().maxCoeff(),
                2e-5 * (1 + rate_q.cwiseAbs().maxCoeff()));
    }
  }
  EXPECT_GT(seen, tried / 2);
}

}  // namespace
}  // namespace zwang::test
