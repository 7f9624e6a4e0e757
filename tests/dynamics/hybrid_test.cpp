// SPDX-License-Identifier: BSD-3-Clause
// Constrained dynamics on random and real robots against the dense reference: the equations themselves, and
// everything that a Solution publishes.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/mixed.hpp"
#include "dynamics/shared_robots.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

constexpr double k_eps = 2.3e-16;

Vec wide(const VectorView& v) { return v.cast<Real>(); }

/// M q'' + h = tau + J^T lambda and K a = beta, of every row its own residual, with the reference's M, h, J and dJ/dt.
void expect_equations(const Posed& p, const reference::Constrained& oracle, const Solution& s) {
  const Vec a = wide(s.acceleration), lambda = active_part(p, s.multipliers);
  // The issue asks 1e-10; a sweep over 60 bodies of any joint type rounds each term some hundred times.
  EXPECT_LE(kkt_residual(p, a, lambda), 1e-10);
  const Vec residual = p.A * a - p.b, got = active_part(p, s.residual);
  const Vec size = size_of_rows(p, a);
  for (Eigen::Index i = 0; i < residual.size(); ++i) {
    if (oracle.rank == residual.size()) { EXPECT_LE(std::fabs(residual(i)), 1e-10L * size(i)) << "row " << i; }
    EXPECT_LE(std::fabs(residual(i) - got(i)), 1e-11L * size(i)) << "row " << i << ": not the true residual";
  }
}

/// q'', lambda, Z and the rank of the oracle.
void expect_oracle(const Posed& p, const reference::Constrained& oracle, const Solution& s) {
  const double k = amplification(p, oracle);
  const Vec lambda = active_part(p, s.multipliers), difference = wide(s.acceleration) - oracle.acceleration;
  const Vec gap = oracle.acceleration - oracle.free;
  EXPECT_EQ(s.report.rank, oracle.rank);
  // Lambda holds the squares of the rows: its condition enters squared once more in lambda. Measured: 30 eps k.
  const double tolerance = std::min(2000 * k_eps * k, 1e-4);
  const Real scale = oracle.free.cwiseAbs().maxCoeff() + gap.cwiseAbs().maxCoeff();
  EXPECT_TRUE(within(difference, Vec(Vec::Zero(difference.size())), tolerance, static_cast<double>(scale)))
      << "k " << k;
  if (lambda.size() > 0) {
    EXPECT_TRUE(within(lambda, oracle.multipliers, std::min(tolerance * k, 1e-3),
                       1e-3 + static_cast<double>(oracle.multipliers.cwiseAbs().maxCoeff())));
  }
  EXPECT_TRUE(within(s.zwang, oracle.zwang, std::min(tolerance * k, 1e-3), 1e-3 + static_cast<double>(oracle.zwang)));
}

/// Motor torque, reaction and wrenches are J^T lambda of the reference's rows.
void expect_forces(const Robot& robot, const Imposed& x, const Solution& s) {
  const reference::State state = robot.reference.at(x.state.q, x.state.v);
  Vec motor = x.state.tau.cast<Real>(), reaction = Vec::Zero(motor.size()), size = motor.cwiseAbs();
  for (const AnyConstraint& c : x.constraints) {
    if (!is_active(c)) {
      EXPECT_EQ(s[name_of(c)].multipliers.norm(), 0);
      EXPECT_EQ(s[name_of(c)].wrench.norm(), 0);
      continue;
    }
    const Rows r = rows_of(robot, state, c);
    const Vec lambda = s[name_of(c)].multipliers.cast<Real>();
    (role_of(c) == Role::driver ? motor : reaction) += r.A.transpose() * lambda;
    size += r.A.transpose().cwiseAbs() * lambda.cwiseAbs();
    // The wrench in the axes of `in`, about the point: turned into the world it is K^T lambda.
    reference::Matrix3<Real> R = reference::Matrix3<Real>::Identity();
    if (const auto* f = std::get_if<FrameConstraint>(&c); f && f->in != "world" && f->in != "local_world_aligned")
      R = state.pose(f->in == "local" ? f->frame : f->in).R;
    Vec wrench(6);
    wrench << R * s[name_of(c)].wrench.head(3).cast<Real>(), R * s[name_of(c)].wrench.tail(3).cast<Real>();
    EXPECT_TRUE(within(wrench, Vec(r.K.transpose() * lambda), 1e-13,
                       1e-300 + static_cast<double>((r.K.transpose().cwiseAbs() * lambda.cwiseAbs()).maxCoeff())));
  }
  const double scale = static_cast<double>(size.maxCoeff());
  EXPECT_TRUE(within(wide(s.motor_torque), motor, 1e-12, scale));
  EXPECT_TRUE(within(wide(s.reaction), reaction, 1e-12, scale));
}

/// Accelerations of frames that the solver's Data offers are those of the reference at q''.
void expect_link_accelerations(const Robot& robot, const Imposed& x, Solver& solver, Random& random) {
  const reference::State state = robot.reference.at(x.state.q, x.state.v);
  const Vec a = wide(solver.solution().acceleration);
  const Frame& f =
      robot.model.frames()[static_cast<std::size_t>(random.below(static_cast<int>(robot.model.frames().size())))];
  const FrameId id = robot.model.find_frame(f.name);
  const bool local = random.below(2) == 1;
  const Reference in = local ? Reference::local : Reference::local_world_aligned;
  const reference::Axes axes = local ? reference::Axes::local : reference::Axes::local_world_aligned;
  for (const AccelerationKind kind : {AccelerationKind::classical, AccelerationKind::spatial}) {
    Vec expected = state.acceleration(
        f.name, a, axes, kind == AccelerationKind::classical ? reference::Kind::classical : reference::Kind::spatial);
    const double scale = 1 + static_cast<double>(expected.cwiseAbs().maxCoeff() + a.cwiseAbs().maxCoeff());
    EXPECT_TRUE(within(eigen(frame_acceleration(robot.model, solver.data(), id, kind, in)), expected, 1e-11, scale));
    reference::Vector3<Real> g = robot.reference.gravity();
    if (local) g = (state.pose(f.name).R.transpose() * g).eval();
    expected.head(3) -= g;
    EXPECT_TRUE(
        within(eigen(frame_acceleration(robot.model, solver.data(), id, kind, in, true)), expected, 1e-11, scale));
  }
}

/// Forward dynamics under the motor torque, with the reactions applied as external wrenches, is the same motion.
void expect_proof(const Robot& robot, const Imposed& x, const Posed& p, const Solution& s, double tolerance) {
  const reference::State state = robot.reference.at(x.state.q, x.state.v);
  Data data(robot.model);
  const Eigen::VectorXd motor = s.motor_torque;
  const Vec a =
      wide(forward_dynamics(robot.model, data, x.state.q, x.state.v, motor, with_reactions(robot, x, state, s)));
  const Vec away = p.M * (a - wide(s.acceleration));  // as forces: free of the condition of M
  const Vec size = p.M.cwiseAbs() * (a.cwiseAbs() + wide(s.acceleration).cwiseAbs()) + p.h.cwiseAbs() +
                   motor.cwiseAbs().cast<Real>() +
                   p.A.transpose().cwiseAbs() * active_part(p, s.multipliers).cwiseAbs();
  EXPECT_TRUE(within(away, Vec(Vec::Zero(away.size())), tolerance, static_cast<double>(size.maxCoeff())));
}

void expect_operational_inertia(const Posed& p, const reference::Constrained& oracle, Solver& solver, double k) {
  const int m = static_cast<int>(p.A.rows());
  Eigen::MatrixXd got(m, m);
  solver.operational_inertia(got);
  const Mat G = oracle.delassus, L = got.cast<Real>();
  // Moore and Penrose: L G L = L, G L G = G, both products symmetric.
  const auto scale = [](const Mat& a, const Mat& b) {
    return static_cast<double>(a.cwiseAbs().maxCoeff() * b.cwiseAbs().maxCoeff() * a.rows());
  };
  const double tolerance = std::min(1e4 * k_eps * k * k, 1e-3);
  EXPECT_TRUE(within(Mat(G * L * G), G, tolerance, static_cast<double>(G.cwiseAbs().maxCoeff())));
  EXPECT_TRUE(within(Mat(L * G * L), L, tolerance, static_cast<double>(L.cwiseAbs().maxCoeff())));
  EXPECT_TRUE(within(Mat(G * L), Mat((G * L).transpose()), 1e-10, scale(G, L)));
  EXPECT_TRUE(within(L, Mat(L.transpose()), tolerance, static_cast<double>(L.cwiseAbs().maxCoeff())));
}

struct Count {
  int all = 0, unclear = 0, deficient = 0, infeasible = 0;
};

void check(const Robot& robot, std::uint64_t seed, Count& count) {
  const Imposed x = random_imposed(robot, seed);
  const Posed p = pose(robot, x);
  const reference::Constrained oracle = solve(p);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  const Solution& s = solver.solve(x.input());
  ASSERT_EQ(s.report.rows, p.A.rows());
  ASSERT_EQ(s.multipliers.size(), set.rows());
  expect_equations(p, oracle, s);
  expect_forces(robot, x, s);
  Random random(seed + 5);
  expect_link_accelerations(robot, x, solver, random);
  expect_proof(robot, x, p, s, 1e-12);
  ++count.all;
  if (!clear_rank(oracle)) {
    ++count.unclear;
    return;
  }
  expect_oracle(p, oracle, s);
  count.deficient += oracle.rank < p.A.rows();
  const Vec size = size_of_rows(p, oracle.acceleration);
  bool consistent = true;
  for (Eigen::Index i = 0; i < size.size(); ++i)
    consistent = consistent && std::fabs(oracle.residual(i)) <= 1e-8L * size(i);
  EXPECT_EQ(s.report.status, consistent ? Status::ok : Status::infeasible);
  count.infeasible += !consistent;
  if (seed % 4 == 0) expect_operational_inertia(p, oracle, solver, amplification(p, oracle));
}

TEST(Hybrid, SolvesTheKktEquationsOnAThousandRandomTreesOfEveryJointType) {
  Count count;
  for (int seed = 1; seed <= effort(1000); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed), 6 + seed % 15);
    check(robot, static_cast<std::uint64_t>(seed), count);
    if (HasFailure()) break;
  }
  EXPECT_LE(count.unclear, count.all / 10);
  if (count.all >= 100) {
    EXPECT_GE(count.deficient, count.all / 50) << "too few sets of dependent rows";
    EXPECT_GE(count.infeasible, count.all / 50) << "too few contradictions";
  }
}

TEST(Hybrid, SolvesTheKktEquationsOnEverySharedRobot) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  Count count;
  on_every_shared_robot([&](const Robot& robot, const std::string&) {
    for (int seed = 1; seed <= effort(12); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      check(robot, static_cast<std::uint64_t>(seed), count);
    }
  });
  EXPECT_LE(count.unclear, count.all / 3);
}

}  // namespace
}  // namespace zwang::test
