// SPDX-License-Identifier: BSD-3-Clause
// Many right-hand sides on one factorisation: resolve() and solve_columns() against fresh solves, and the operators of
// that factorisation against what they are.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/mixed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// A problem whose numbers rounding does not spoil: none of its decisions in doubt.
bool calm(const Stated& s, reference::HybridMotion& oracle) {
  oracle = solve(s);
  return oracle.clear(1e-11L, 1e-3L) && oracle.amplification < 1e6;
}
constexpr double k_tolerance = 1e-9;  // amplification of at most 1e6 times some roundings of 2e-16

void expect_same(const Solution& got, const Solution& fresh) {
  const double a = 1e-3 + fresh.acceleration.cwiseAbs().maxCoeff(),
               f = 1e-3 + fresh.motor_torque.cwiseAbs().maxCoeff() + fresh.reaction.cwiseAbs().maxCoeff();
  EXPECT_TRUE(within(got.acceleration, Vector(fresh.acceleration), k_tolerance, a));
  EXPECT_TRUE(within(got.motor_torque, Vector(fresh.motor_torque), 1e-6, f));
  EXPECT_TRUE(within(got.reaction, Vector(fresh.reaction), 1e-6, f));
  if (std::string(got.report.method) == fresh.report.method) {  // it depends on where rows are eliminated
    EXPECT_TRUE(within(got.articulated_constraint_torque, Vector(fresh.articulated_constraint_torque), 1e-6,
                       f + fresh.articulated_constraint_torque.cwiseAbs().maxCoeff()));
  }
  if (fresh.multipliers.size() > 0) {
    EXPECT_TRUE(
        within(got.multipliers, Vector(fresh.multipliers), 1e-6, 1e-3 + fresh.multipliers.cwiseAbs().maxCoeff()));
    EXPECT_TRUE(within(got.residual, Vector(fresh.residual), 1e-8, 10 + fresh.residual.cwiseAbs().maxCoeff() + a));
  }
  EXPECT_NEAR(got.zwang, fresh.zwang, 1e-6 * (1e-3 + fresh.zwang));
  EXPECT_EQ(got.report.status, fresh.report.status) << got.report.explain() << " / " << fresh.report.explain();
  EXPECT_EQ(got.report.rank, fresh.report.rank);
  EXPECT_EQ(got.report.rows, fresh.report.rows);
  EXPECT_EQ(got.report.redundant, fresh.report.redundant);
  EXPECT_EQ(got.report.infeasible, fresh.report.infeasible);
  ASSERT_EQ(got.report.given_up.size(), fresh.report.given_up.size());
  for (std::size_t k = 0; k < fresh.report.given_up.size(); ++k) {
    EXPECT_EQ(got.report.given_up[k].row, fresh.report.given_up[k].row);
    EXPECT_EQ(got.report.given_up[k].reason, fresh.report.given_up[k].reason);
  }
}

/// What may differ between solves on one factorisation.
enum class Changed { forces, beta, prescribed, priority, compensate, weights, everything };
constexpr const char* k_changed[] = {"forces", "beta", "prescribed", "priority", "compensate", "weights", "everything"};

/// Of one constraint: in the problem and in its set.
template <class Type>
void change(Random& random, Changed what, Singularity singularity, bool soft, Type& c, Constraint& in_set) {
  const bool all = what == Changed::everything;
  const auto rows = static_cast<std::size_t>(in_set.size());
  if (all || what == Changed::beta) {
    c.beta.resize(rows);
    for (double& b : c.beta) b = random.uniform(-5, 5);
    in_set.beta = c.beta;
  }
  if (soft) return;
  if (all || what == Changed::priority) in_set.priority = c.priority = random.below(3);
  if (singularity == Singularity::damping) in_set.priority = c.priority = 0;
  if (all || what == Changed::weights) {
    c.weight.resize(rows);
    for (double& w : c.weight) w = random.uniform(0.2, 5);
    in_set.weight = c.weight;
  }
  if (all || what == Changed::compensate) {
    const int drivers = random.below(3) ? 0 : random.below(16);
    in_set.compensate = c.compensate = {!(drivers & 1), !(drivers & 2), !(drivers & 4), !(drivers & 8)};
  }
}

void change(const Robot& robot, Random& random, Changed what, Mixed& x, ConstraintSet& set) {
  const bool all = what == Changed::everything;
  if (all || what == Changed::forces) {
    x.state.tau = random.vector(robot.model.nv(), 10);
    for (std::size_t k = 0; k < x.external.size(); ++k)
      for (int i = 0; i < 6; ++i) x.reference_external[k].wrench(i) = x.external[k].wrench[i] = random.uniform(-8, 8);
  }
  if (all || what == Changed::prescribed)
    for (PrescribedCoordinate& p : x.prescribed) p.acceleration = random.uniform(-5, 5);
  if (what == Changed::priority) x.settings.singularity = Singularity::truncation;
  if (what == Changed::weights) x.settings.singularity = Singularity::weighted;
  if (all) x.settings.singularity = random.below(2) ? Singularity::damping : Singularity::truncation;
  for (AnyConstraint& any : x.constraints)
    std::visit(
        [&](auto& c) {
          const bool soft = c.policy == Policy::soft || x.settings.method == "pv_soft";
          change(random, what, x.settings.singularity, soft, c, set[c.name]);
        },
        any);
}

TEST(Resolve, IsAFreshSolveForEverythingThatMayChange) {
  int compared = 0, given_up = 0;
  for (int seed = 1; seed <= effort(200); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 6000, 5 + seed % 12);
    Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 6000);
    if (x.settings.singularity == Singularity::proximal) x.settings.singularity = Singularity::truncation;
    x.settings.regularisation = 1e-3;
    Stated s = stated(robot, x);
    ConstraintSet set = x.set(robot.model);
    Solver kept(robot.model, set, x.settings);
    ASSERT_NE(kept.solve(x.input()).report.status, Status::singular_mass) << kept.solution().report.explain();
    Random random(static_cast<std::uint64_t>(seed));
    for (int k = 0; k < 7; ++k) {
      SCOPED_TRACE(std::string("after a change of ") + k_changed[k] + ", method " + x.settings.method);
      change(robot, random, static_cast<Changed>(k), x, set);
      kept.settings() = x.settings;
      const Solution& got = kept.resolve({.tau = x.state.tau, .external = &x.external, .prescribed = &x.prescribed});
      s.posed.h = s.state->bias(x.reference_external);
      s.problem.external = s.state->generalised_force(x.reference_external);
      restate(robot, x, s);
      reference::HybridMotion oracle;
      if (!calm(s, oracle)) continue;
      Solver fresh(robot.model, set, x.settings);
      expect_same(got, fresh.solve(x.input()));
      Tally tally;  // both might err alike
      expect_oracle(x, s, set, oracle, got, tally);
      expect_laws(robot, x, s, set, oracle, got);
      ++compared;
      given_up += !got.report.given_up.empty();
      if (HasFailure()) return;
    }
  }
  EXPECT_GE(compared, effort(200) * 3);
  EXPECT_GE(given_up, effort(200) / 5);
}

TEST(Resolve, WithoutArgumentsHasNoTorquesAndNoWrenches) {
  const Robot robot = sample_robot("quadruped", "floating");
  Mixed x = random_mixed(robot, 4, {.prescribed = false, .other_singularities = false});
  const ConstraintSet set = x.set(robot.model);
  Solver kept(robot.model, set, x.settings), fresh(robot.model, set, x.settings);
  kept.solve(x.input());
  const SolveInput plain{.q = x.state.q, .v = x.state.v};
  expect_same(kept.resolve(), fresh.solve(plain));
}

TEST(Resolve, RefusesWhatItsFactorisationDoesNotHold) {
  const Robot robot = sample_robot("arm7");
  Mixed x;
  x.state = random_state(robot.reference, 2);
  FrameConstraint c;
  c.name = "tool";
  c.frame = "tool0";
  x.constraints.push_back(c);
  c.name = "elbow";
  c.frame = robot.description.links[4].name;
  c.rows = rows("linear.z");
  c.active = false;
  x.constraints.push_back(c);
  ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  EXPECT_THROW(solver.resolve(), std::logic_error);
  solver.solve(x.input());
  EXPECT_NO_THROW(solver.resolve({.tau = x.state.tau}));
  set["elbow"].active = true;
  EXPECT_THROW(solver.resolve(), WorkspaceMismatch);
  set["elbow"].active = false;
  solver.solve(x.input());
  const Vector wrong = Vector::Zero(6);
  EXPECT_THROW(solver.resolve({.tau = wrong}), std::invalid_argument);
  Vector nan = Vector::Zero(7);
  nan(3) = std::nan("");
  EXPECT_THROW(solver.resolve({.tau = nan}), std::invalid_argument);
  solver.solve(x.input());
  const Prescribed other{{2, 1.0}};  // not prescribed in the solve
  EXPECT_THROW(solver.resolve({.prescribed = &other}), std::invalid_argument);
  SolveInput bad = x.input();
  bad.q = wrong;
  EXPECT_NE(solver.try_solve(bad).report.status, Status::ok);
  EXPECT_THROW(solver.resolve(), std::logic_error) << "a refused solve leaves no factorisation";
}

TEST(SolveColumns, AreWhatResolveGivesForEachColumn) {
  int compared = 0;
  for (int seed = 1; seed <= effort(120); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 7100, 5 + seed % 12);
    Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 7100);
    if (x.settings.singularity == Singularity::proximal) x.settings.singularity = Singularity::truncation;
    const Stated s = stated(robot, x);
    reference::HybridMotion oracle;
    if (!calm(s, oracle)) continue;
    ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set, x.settings);
    solver.solve(x.input());
    const int columns = 1 + seed % 5, nv = robot.model.nv();
    Random random(static_cast<std::uint64_t>(seed));
    Matrix tau(nv, columns), beta(set.rows(), columns), a(nv, columns), lambda(set.rows(), columns);
    for (int k = 0; k < columns; ++k) {
      tau.col(k) = random.vector(nv, 10);
      if (set.rows() > 0) beta.col(k) = random.vector(set.rows(), 5);
    }
    solver.solve_columns(tau, beta, a, lambda);
    for (int k = 0; k < columns; ++k) {
      Eigen::Index row = 0;
      for (std::size_t c = 0; c < x.constraints.size(); ++c)
        set[name_of(x.constraints[c])].beta.change([&](std::vector<double>& all) {
          for (double& b : all) b = beta(row++, k);
        });
      const Vector column = tau.col(k);
      const Solution& one = solver.resolve({.tau = column, .external = &x.external, .prescribed = &x.prescribed});
      EXPECT_TRUE(
          within(Vector(a.col(k)), Vector(one.acceleration), 1e-11, 1e-3 + one.acceleration.cwiseAbs().maxCoeff()));
      if (set.rows() > 0) {
        EXPECT_TRUE(
            within(Vector(lambda.col(k)), Vector(one.multipliers), 1e-8, 1e-3 + one.multipliers.cwiseAbs().maxCoeff()));
      }
    }
    ++compared;
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, effort(120) / 3);
}

TEST(SolveColumns, RefuseWrongSizes) {
  const Robot robot = sample_robot("arm7");
  Mixed x;
  x.state = random_state(robot.reference, 2);
  FrameConstraint c;
  c.name = "tool";
  c.frame = "tool0";
  x.constraints.push_back(c);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  Matrix tau(7, 2), beta(6, 2), a(7, 2), lambda(6, 2);
  tau.setOnes();
  beta.setOnes();
  EXPECT_THROW(solver.solve_columns(tau, beta, a, lambda), std::logic_error);
  solver.solve(x.input());
  EXPECT_NO_THROW(solver.solve_columns(tau, beta, a, lambda));
  Matrix short_tau(6, 2), one(6, 1);
  short_tau.setOnes();
  one.setOnes();
  EXPECT_THROW(solver.solve_columns(short_tau, beta, a, lambda), std::invalid_argument);
  EXPECT_THROW(solver.solve_columns(tau, one, a, lambda), std::invalid_argument);
  EXPECT_THROW(solver.solve_columns(tau, beta, lambda, a), std::invalid_argument);
  tau(3, 1) = std::nan("");
  EXPECT_THROW(solver.solve_columns(tau, beta, a, lambda), std::invalid_argument);
}

/// The operators of the factorisation: J with prescribed coordinates held and soft rows part of M.
TEST(Operators, AreThePseudoInverseOfLeastConstraintAndItsProjector) {
  int compared = 0, deficient = 0, with_soft = 0, with_held = 0;
  MixedOptions options;
  options.other_singularities = options.priorities = options.drivers_left_out = false;
  for (int seed = 1; seed <= effort(200); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 8200, 5 + seed % 10);
    const Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 8200, options);
    const Stated s = stated(robot, x);
    reference::HybridMotion oracle;
    if (!calm(s, oracle) || oracle.amplification > 1e5) continue;
    ++compared;
    const ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set, x.settings);
    solver.solve(x.input());
    const Eigen::Index n = robot.model.nv(), m = s.posed.A.rows();
    ASSERT_EQ(solver.active_rows(), m);
    Matrix Jbar(n, m), N(n, n), L(m, m);
    solver.dynamic_pseudo_inverse(Jbar);
    solver.nullspace_projector(N);
    solver.operational_inertia(L);
    // M with soft rows, J of hard rows, both on the free coordinates.
    Mat M = s.posed.M, J = s.posed.A;
    std::vector<bool> soft(static_cast<std::size_t>(m));
    for (Eigen::Index i = 0; i < m; ++i) {
      soft[static_cast<std::size_t>(i)] = s.problem.R(i) > 0;
      if (s.problem.R(i) > 0) {
        M += J.row(i).transpose() * J.row(i) / s.problem.R(i);
        J.row(i).setZero();
        ++with_soft;
      }
    }
    const std::vector<bool> held = held_coordinates(robot.model, x.prescribed);
    std::vector<int> free;
    for (int k = 0; k < n; ++k)
      if (!held[static_cast<std::size_t>(k)]) free.push_back(k);
    with_held += !x.prescribed.empty();
    for (int k = 0; k < n; ++k)
      if (held[static_cast<std::size_t>(k)]) J.col(k).setZero();
    Mat W = Mat::Zero(n, n);
    if (!free.empty()) {
      const Mat Mff = M(free, free);
      W(free, free) = Mat(Mff.inverse());
    }
    const Mat G = J * W * J.transpose();
    deficient += oracle.rank < m;
    const Mat expected_L = [&] {  // Moore and Penrose, the rank that of the oracle
      Mat out = Mat::Zero(m, m);
      int hard = oracle.rank;
      for (const bool is_soft : soft) hard -= is_soft;
      if (hard == 0) return out;
      const Eigen::JacobiSVD<Mat> svd(G, Eigen::ComputeThinU | Eigen::ComputeThinV);
      for (int k = 0; k < hard; ++k)
        out += svd.matrixV().col(k) * svd.matrixU().col(k).transpose() / svd.singularValues()(k);
      return out;
    }();
    const auto size = [](const Mat& X) {
      return 1e-300 + (X.size() ? static_cast<double>(X.cwiseAbs().maxCoeff()) : 0);
    };
    const Mat got_L = L.cast<Real>(), got_J = Jbar.cast<Real>(), got_N = N.cast<Real>();
    const Mat expected_J = W * J.transpose() * expected_L;
    const Mat expected_N = Mat::Identity(n, n) - expected_J * J;
    // Conditions of at most 1e5, squared in Lambda: against the sizes of the factors.
    EXPECT_TRUE(within(got_L, expected_L, 1e-6, size(expected_L)));
    EXPECT_TRUE(within(got_J, expected_J, 1e-6, size(expected_J)));
    for (int k = 0; k < n; ++k)
      if (held[static_cast<std::size_t>(k)]) { EXPECT_EQ(got_J.row(k).norm(), 0); }
    const double around = size(W) * size(J) * size(J) * size(expected_L);
    const double slack = std::min(1e-12 * around, 1e-6);
    EXPECT_LE(size(Mat(J * got_J * J - J)), 1e-290 + 1e-6 * size(J)) << "J Jbar is no projector on the range";
    EXPECT_LE(size(Mat(got_N * got_J)), 1e-290 + 1e-6 * size(got_J)) << "N Jbar is not zero";
    EXPECT_LE(size(Mat(got_N * got_N - got_N)), std::max(1e-8, slack)) << "N is no projector";
    const Mat skew = M * got_N;
    if (x.prescribed.empty()) {
      EXPECT_LE(size(Mat(skew - skew.transpose())), 1e-7 * size(M)) << "N is not M-orthogonal";
    }
    for (const int i : free)
      for (const int k : free)
        EXPECT_LE(std::fabs(got_N(i, k) - expected_N(i, k)), 1e-7L * (1 + size(expected_N))) << i << ", " << k;
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, effort(200) / 3);
  EXPECT_GE(deficient, compared / 20);
  EXPECT_GE(with_soft, compared / 10);
  EXPECT_GE(with_held, compared / 4);
}

TEST(Operators, AskForASolveAndForTheRightSizes) {
  const Robot robot = sample_robot("arm7");
  Mixed x;
  x.state = random_state(robot.reference, 2);
  FrameConstraint c;
  c.name = "tool";
  c.frame = "tool0";
  c.rows = rows("linear");
  x.constraints.push_back(c);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  Matrix J(7, 3), N(7, 7), wrong(6, 6);
  EXPECT_THROW(solver.dynamic_pseudo_inverse(J), std::logic_error);
  solver.solve(x.input());
  EXPECT_NO_THROW(solver.dynamic_pseudo_inverse(J));
  EXPECT_NO_THROW(solver.nullspace_projector(N));
  EXPECT_THROW(solver.dynamic_pseudo_inverse(wrong), std::invalid_argument);
  EXPECT_THROW(solver.nullspace_projector(wrong), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
