// SPDX-License-Identifier: BSD-3-Clause
// Limits of motors: closed forms; and random robots against every choice of rows and motors inside, at their lower and
// at their upper bound, solved one after the other in long double.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <limits>

#include "dynamics/limited.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/says.hpp"
#include "zwang/batch/batch_solver.hpp"
#include "zwang/question/derivatives.hpp"
#include "zwang/question/impulse.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
constexpr double k_g = 9.81, k_none = std::numeric_limits<double>::infinity();

TEST(MotorLimits, OfOneMotorAreALimitOfItsRow) {
  const Model model = carriages(10);
  ConstraintSet set(model);
  set.add(CouplingConstraint{.name = "a", .coordinates = {"a_rail"}, .ratio = {1}, .beta = {8}, .role = Role::driver});
  Solver solver(model, set, {.motor_limits = motor_limits(model)});
  const Vector q = Vector::Zero(2), tau = (Vector(2) << 3, 0).finished();
  const Solution& got = solver.solve({.q = q, .tau = tau});
  ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();  // 2 x 8 = 16 N are too much
  EXPECT_NEAR(got.acceleration(0), 5, 1e-14);
  EXPECT_NEAR(got.motor_torque(0), 10, 1e-13);
  EXPECT_NEAR(got.multipliers(0), 7, 1e-13);
  EXPECT_NEAR(got.residual(0), -3, 1e-13);
  EXPECT_NEAR(got.zwang, 0.5 * 49 / 2, 1e-12);
  EXPECT_EQ(got.report.motors_at_limit, std::vector<std::string_view>{"a_rail"});
  ASSERT_EQ(got.report.given_up.size(), 1u);
  EXPECT_EQ(got.report.given_up[0].reason, GivenUp::Reason::limit);
  EXPECT_NEAR(got.report.given_up[0].amount, -3, 1e-13);
  EXPECT_LE(got.report.complementarity, 1e-12);  // the root of 1e6 is lost
  EXPECT_NE(got.report.explain().find("Motors at their limit: a_rail"), std::string::npos) << got.report.explain();
  EXPECT_EQ(solver.derivatives().status, Status::not_differentiable);
  set["a"].beta[0] = 4;
  EXPECT_NEAR(solver.solve({.q = q, .tau = tau}).acceleration(0), 4, 1e-14);
  EXPECT_TRUE(solver.solution().report.motors_at_limit.empty());
  EXPECT_EQ(solver.derivatives().status, Status::ok);
  set["a"].beta[0] = -8;
  EXPECT_NEAR(solver.solve({.q = q, .tau = tau}).motor_torque(0), -10, 1e-13);
}

/// Two rows on two motors: the motor at its limit slips, and the rows follow.
TEST(MotorLimits, OfSeveralRowsAreThoseOfTheirSum) {
  const Model model = carriages(10);
  ConstraintSet set(model);
  set.add(coupling("sum", {1, 1}, 10));         // x_a + x_b
  set.add(coupling("difference", {1, -1}, 4));  // x_a = 7, x_b = 3: 14 N and 9 N
  Solver solver(model, set, {.motor_limits = motor_limits(model)});
  const Vector q = Vector::Zero(2);
  const Solution& got = solver.solve({.q = q});
  ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
  EXPECT_NEAR(got.motor_torque(0), 10, 1e-13);
  EXPECT_NEAR(got.motor_torque(1), 9, 1e-13);
  EXPECT_NEAR(got.acceleration(0), 5, 1e-13);
  EXPECT_NEAR(got.acceleration(1), 3, 1e-13);  // the other motor does what it is asked
  EXPECT_EQ(got.report.given_up.size(), 2u);
  EXPECT_NEAR(got.residual(0), -2, 1e-13);
  EXPECT_NEAR(got.residual(1), -2, 1e-13);
  // A row that leaves the weak motor alone is held.
  set.add(CouplingConstraint{.name = "b", .coordinates = {"b_rail"}, .ratio = {1}, .beta = {3}, .role = Role::driver});
  set["difference"].active = false;
  Solver other(model, set, {.motor_limits = motor_limits(model)});
  const Solution& two = other.solve({.q = q});
  EXPECT_NEAR(two.acceleration(0), 5, 1e-13) << two.report.explain();
  EXPECT_NEAR(two.residual(2), 0, 1e-14);
}

TEST(MotorLimits, OfZeroAndBesideTau) {
  const Model model = carriages();
  ConstraintSet set(model);
  set.add(coupling("sum", {1, 1}, 10));
  SolverSettings settings;
  limit_motor(model, settings.motor_limits, "a_rail", 0, 0);  // it is there, and cannot do anything
  Solver solver(model, set, settings);
  const Vector q = Vector::Zero(2);
  const Solution& got = solver.solve({.q = q});
  ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
  EXPECT_NEAR(got.acceleration.norm(), 0, 1e-13);  // the row works through both motors or through none
  EXPECT_NEAR(got.multipliers(0), 0, 1e-13);
  EXPECT_NEAR(got.residual(0), -10, 1e-12);
  limit_motor(model, solver.settings().motor_limits, "a_rail", 4, 4);
  EXPECT_NEAR(solver.solve({.q = q}).acceleration(1), 4.0 / 3, 1e-13);
  // tau beyond the limit: the row pulls it back; without a row it is said.
  const Vector tau = (Vector(2) << 9, 0).finished();
  EXPECT_NEAR(solver.solve({.q = q, .tau = tau}).motor_torque(0), 4, 1e-12);
  EXPECT_NEAR(solver.solution().motor_torque(1), -5, 1e-12);
  EXPECT_EQ(solver.solution().report.status, Status::ok);
  set.add(CouplingConstraint{.name = "b", .coordinates = {"b_rail"}, .ratio = {1}, .beta = {0}, .role = Role::driver});
  set["sum"].active = false;
  Solver beyond(model, set, solver.settings());
  const Solution& far = beyond.solve({.q = q, .tau = tau});
  EXPECT_EQ(far.report.status, Status::infeasible);
  ASSERT_EQ(far.report.warnings.size(), 1u);
  EXPECT_EQ(far.report.warnings[0].kind, SolveWarning::Kind::motor_beyond_limit);
  EXPECT_NEAR(far.report.warnings[0].value, 5, 1e-13);
  EXPECT_EQ(far.report.warnings[0].coordinate, "a_rail");
  // A prescribed coordinate moves, whatever it takes.
  const Prescribed given{{0, 100.0}};
  const Solution& forced = beyond.solve({.q = q, .prescribed = &given});
  EXPECT_EQ(forced.report.status, Status::ok) << forced.report.explain();
  EXPECT_NEAR(forced.motor_torque(0), 200, 1e-12);
}

/// A physical row that takes what the driver cannot: the multipliers of least norm share,
/// and the limit does not let them.
TEST(MotorLimits, OfADriverBesideAPhysicalRowOfTheSameMotion) {
  const Model model = carriages();
  ConstraintSet set(model);
  set.add(coupling("weld", {1, 0}, 6, Role::physical));
  set.add(coupling("driver", {1, 0}, 6));
  SolverSettings settings;
  limit_motor(model, settings.motor_limits, "a_rail", -2, 2);
  Solver solver(model, set, settings);
  const Vector q = Vector::Zero(2);
  const Solution& got = solver.solve({.q = q});
  ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
  EXPECT_NEAR(got.acceleration(0), 6, 1e-13);
  EXPECT_LE(std::fabs(got.motor_torque(0)), 2 + 1e-12);
  EXPECT_NEAR(got.motor_torque(0) + got.reaction(0), 12, 1e-12);
}

TEST(MotorLimits, AreReadFromTheModelAndRefusedWhereTheyAreWrong) {
  const Model model = carriages(12);
  const MotorLimits limits = motor_limits(model);
  EXPECT_EQ(limits.lower, (std::vector<double>{-12, -12}));
  EXPECT_EQ(limits.upper, (std::vector<double>{12, 12}));
  EXPECT_SAYS("effort", motor_limits(carriages(std::nan(""))));
  MotorLimits some;
  EXPECT_SAYS("did you mean 'a_rail'", limit_motor(model, some, "a_rial", -1, 1));
  EXPECT_SAYS("lower <= upper", limit_motor(model, some, "a_rail", 1, -1));
  EXPECT_SAYS("lower <= upper", limit_motor(model, some, "a_rail", std::nan(""), 1));
  EXPECT_TRUE(some.empty());
  ConstraintSet set(model);
  set.add(coupling("sum", {1, 1}, 1));
  EXPECT_SAYS("motor_limits has 1 lower and 0 upper entries", Solver(model, set, {.motor_limits = {{-1}, {}}}));
  EXPECT_SAYS("motor_limits of 'b_rail'", Solver(model, set, {.motor_limits = {{-1, 2}, {1, 1}}}));
  Solver solver(model, set, {.motor_limits = limits});
  const Vector q = Vector::Zero(2);
  const auto solve = [&] { solver.solve({.q = q}); };
  EXPECT_SAYS("motor_limits", solver.impulse({.q = q}));
  solver.settings().singularity = Singularity::damping;
  EXPECT_SAYS("motor_limits", solve());
  solver.settings().singularity = Singularity::truncation;
  set["sum"].compensate.tau = false;
  EXPECT_SAYS("uncompensated", solve());
  set["sum"].compensate = {};
  solver.settings().motor_limits.upper[0] = std::nan("");
  EXPECT_SAYS("motor_limits of 'a_rail'", solve());
  solver.settings().motor_limits = {};
  solve();
  EXPECT_EQ(solver.solution().report.status, Status::ok);
}

TEST(MotorLimits, ABatchLeavesThemToSolversOfOneState) {
  const Model model = carriages(10);
  ConstraintSet set(model);
  set.add(coupling("sum", {1, 1}, 10));
  const int n = 5;
  Eigen::MatrixXd q = Eigen::MatrixXd::Zero(n, 2), tau(n, 2), acceleration(n, 2);
  for (int s = 0; s < n; ++s) tau.row(s) << 3.0 * s, -s;
  BatchSolver batch(model, set, {.motor_limits = motor_limits(model)}, {.threads = 2});
  batch.solve({.q = q, .tau = tau}, {.acceleration = acceleration});
  EXPECT_EQ(batch.solved_alone(), n);
  Solver solver(model, set, {.motor_limits = motor_limits(model)});
  for (int s = 0; s < n; ++s)
    EXPECT_CLOSE(
        Vector(acceleration.row(s).transpose()),
        Vector(solver.solve({.q = Vector(Vector::Zero(2)), .tau = Vector(tau.row(s).transpose())}).acceleration),
        1e-14);
}

// ------------------------------------------------------------------------------------------------------- random robots
/// How far q'', lambda and slips nu are from the conditions, relative to the terms that cancel in each.
Real violation(const Limited& b, const Vec& a, const Vec& lambda, const Vec& nu) {
  const Posed& p = b.s.posed;
  const Vec R = b.compliance(), give = b.A * nu, u = b.A.transpose() * lambda;
  const std::vector<bool> held = held_coordinates(b.robot.model, b.x.prescribed);
  const Vec sides =
      p.M.cwiseAbs() * a.cwiseAbs() + (p.h - p.tau).cwiseAbs() + p.A.transpose().cwiseAbs() * lambda.cwiseAbs();
  const Vec motion = p.M * a + p.h - p.tau - p.A.transpose() * lambda;
  const Real force = sides.maxCoeff();
  Real worst = 0;
  for (Eigen::Index y = 0; y < a.size(); ++y)
    if (!held[static_cast<std::size_t>(y)]) worst = std::max(worst, std::fabs(motion(y)) / force);
  for (Eigen::Index k = 0; k < lambda.size(); ++k) {
    const Real terms = p.size(k) + p.reach.row(k).dot(a.cwiseAbs()) + std::fabs(R(k) * lambda(k)) +
                       b.A.row(k).cwiseAbs().dot(nu.cwiseAbs()),
               largest = p.A.row(k).cwiseAbs().maxCoeff(), unit = largest > 0 ? largest / force : Real(1),
               w = (p.A.row(k).dot(a) + R(k) * lambda(k) - p.b(k) + give(k)) / terms;
    const Real low = (lambda(k) - b.lower(k)) * unit, high = (b.upper(k) - lambda(k)) * unit;
    worst = std::max({worst, -low, -high, std::min(w, low), std::min(-w, high)});
  }
  const Real fastest = std::max(a.cwiseAbs().maxCoeff(), nu.cwiseAbs().maxCoeff());
  for (const Eigen::Index y : b.motors) {
    const Real low = (u(y) - b.motor_lower(y)) / force, high = (b.motor_upper(y) - u(y)) / force,
               slip = fastest > 0 ? nu(y) / fastest : Real(0);
    worst = std::max({worst, -low, -high, std::min(-slip, low), std::min(slip, high)});
  }
  return worst;
}

/// Every choice of rows and motors inside, at their lower and at their upper bound. False if none fits.
bool by_trial(const Limited& b, Vec& motion) {
  const Posed& p = b.s.posed;
  const Eigen::Index n = p.M.rows(), m = p.A.rows();
  const std::vector<bool> given = held_coordinates(b.robot.model, b.x.prescribed);
  std::vector<int> at(b.bounded.size() + b.motors.size(), 0);  // 0 inside, 1 lower, 2 upper
  for (bool more = true; more;) {
    // M a - A^T lambda = tau - h;  A a + R lambda + D nu = b, or lambda = bound;  D^T lambda = bound, or nu = 0
    Mat K = Mat::Zero(n + m + n, n + m + n);
    Vec right = Vec::Zero(n + m + n);
    K.topLeftCorner(n, n) = p.M;
    K.block(0, n, n, m) = -p.A.transpose();
    right.head(n) = p.tau - p.h;
    for (const PrescribedCoordinate& c : b.x.prescribed) {
      K.row(c.v).setZero();
      K(c.v, c.v) = 1;
      right(c.v) = c.acceleration;
    }
    K.block(n, 0, m, n) = p.A;
    K.block(n, n, m, m).diagonal() = b.compliance();
    K.block(n, n + m, m, n) = b.A;
    right.segment(n, m) = p.b;
    K.bottomRightCorner(n, n).setIdentity();
    bool possible = true;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (at[i] == 0) continue;
      const bool is_row = i < b.bounded.size();
      const Eigen::Index k = is_row ? b.bounded[i] : b.motors[i - b.bounded.size()];
      const Vec &low = is_row ? b.lower : b.motor_lower, &high = is_row ? b.upper : b.motor_upper;
      const Real bound = at[i] == 1 ? low(k) : high(k);
      possible = possible && std::fabs(bound) < k_infinite;
      const Eigen::Index line = is_row ? n + k : n + m + k;
      K.row(line).setZero();
      if (is_row)
        K(line, n + k) = 1;
      else
        K.row(line).segment(n, m) = b.A.col(k).transpose();
      right(line) = bound;
    }
    if (possible) {
      Eigen::CompleteOrthogonalDecomposition<Mat> solver;
      solver.setThreshold(1e-13L);
      const Vec found = solver.compute(K).solve(right);
      if (violation(b, found.head(n), found.segment(n, m), found.tail(n)) < 1e-9L) {
        motion = found.head(n);
        return true;
      }
    }
    more = false;
    for (std::size_t i = 0; i < at.size() && !more; ++i) {
      at[i] = (at[i] + 1) % 3;
      more = at[i] != 0;
    }
  }
  return false;
}

/// Slips that explain what the driver rows do: least squares over the motors that the solution has at their limit.
Vec slips(const Limited& b, const Vec& a, const Vec& lambda, const Solution& got, bool* unique = nullptr) {
  const Posed& p = b.s.posed;
  const auto names = b.robot.model.coordinate_names();
  std::vector<Eigen::Index> at;
  for (const Eigen::Index y : b.motors)
    for (const std::string_view name : got.report.motors_at_limit)
      if (names[static_cast<std::size_t>(y)] == name) at.push_back(y);
  Vec nu = Vec::Zero(a.size());
  std::vector<Eigen::Index> rows;
  for (Eigen::Index k = 0; k < lambda.size(); ++k) {
    const bool at_bound =
        std::min(lambda(k) - b.lower(k), b.upper(k) - lambda(k)) < 1e-12L * (1 + std::fabs(lambda(k)));
    if (b.A.row(k).cwiseAbs().maxCoeff() > 0 && !at_bound) rows.push_back(k);
  }
  if (at.empty() || rows.empty()) return nu;
  const Vec w = p.A * a + b.compliance().cwiseProduct(lambda) - p.b;
  const auto factor = Mat(b.A(rows, at)).completeOrthogonalDecomposition();
  if (unique != nullptr) *unique = factor.rank() == static_cast<Eigen::Index>(at.size());
  const Vec some = factor.solve(Vec(-w(rows)));
  for (std::size_t i = 0; i < at.size(); ++i) nu(at[i]) = some(static_cast<Eigen::Index>(i));
  return nu;
}

TEST(MotorLimits, AreThoseOfAllTrials) {
  int ok = 0, infeasible = 0, unsettled = 0, at_limit = 0, gave_way = 0, deficient = 0;
  Real worst = 0, conditions = 0;
  for (int seed = 0; seed < effort(500, 25); ++seed) {
    const Limited b(static_cast<std::uint64_t>(seed) + 900, seed % 3 == 0);
    if (b.bounded.size() + b.motors.size() > 5) continue;
    Solver solver(b.robot.model, b.set, b.x.settings);
    const Solution& got = solver.solve(b.x.input());
    Vec motion;
    bool possible = by_trial(b, motion);
    if (!possible &&
        got.report.status == Status::ok) {  // dependent rows: none of the trials need have the right multipliers
      const Vec a = got.acceleration.cast<Real>(), lambda = active_part(b.s.posed, got.multipliers);
      possible = violation(b, a, lambda, slips(b, a, lambda, got)) < 1e-9L;
      motion = a;
    }
    if (possible && got.report.status == Status::not_converged) {  // stiff coordinates cost digits
      ++unsettled;
      continue;
    }
    EXPECT_EQ(got.report.status, possible ? Status::ok : Status::infeasible) << seed << got.report.explain();
    ++(possible ? ok : infeasible);
    if (!possible || got.report.status != Status::ok) continue;
    const Vec a = got.acceleration.cast<Real>(), lambda = active_part(b.s.posed, got.multipliers);
    const Real off = (a - motion).cwiseAbs().maxCoeff() / (1 + motion.cwiseAbs().maxCoeff());
    EXPECT_LE(got.report.complementarity, 1e-9);
    for (const Eigen::Index y : b.motors) {
      const Real u = got.motor_torque(y) - b.s.posed.tau(y), scale = 1 + got.motor_torque.cwiseAbs().maxCoeff();
      EXPECT_GE(u, b.motor_lower(y) - 1e-9L * scale) << seed;
      EXPECT_LE(u, b.motor_upper(y) + 1e-9L * scale) << seed;
    }
    bool unique = got.report.rank == got.report.rows;  // else slips are not
    const Real here = violation(b, a, lambda, slips(b, a, lambda, got, unique ? &unique : nullptr));
    // A trial is right to 1e-9 of the largest force: limits that are smaller leave its motion open.
    // Then the conditions decide.
    if (!(unique && here < 1e-12L)) {
      EXPECT_LT(off, 1e-8L) << seed << got.report.explain();
      worst = std::max(worst, off);
    }
    if (unique) {
      conditions = std::max(conditions, here);
      EXPECT_LT(here, 1e-9L) << seed << got.report.explain();
    } else {
      ++deficient;
    }
    at_limit += !got.report.motors_at_limit.empty();
    gave_way += !got.report.given_up.empty();
  }
  printf(
      "ok %d, infeasible %d, not settled %d, motors at their limit in %d, rows that give way in %d, dependent rows in "
      "%d; "
      "worst motion %.1e, conditions %.1e\n",
      ok, infeasible, unsettled, at_limit, gave_way, deficient, static_cast<double>(worst),
      static_cast<double>(conditions));
  EXPECT_GT(at_limit, ok / 4);
  EXPECT_LE(unsettled, 1 + ok / 100);
}

TEST(MotorLimits, AreTheSameByEveryMethodAndFromAnyStart) {
  int compared = 0;
  const int seeds = effort(200, 20);
  for (int seed = 0; seed < seeds; ++seed) {
    const Limited b(static_cast<std::uint64_t>(seed) + 30000, seed % 3 == 0);
    Solver solver(b.robot.model, b.set, b.x.settings);
    SolveInput input = b.x.input();
    Random random(static_cast<std::uint64_t>(seed));
    for (int k = 0; k < 6; ++k) {
      const Eigen::VectorXd tau = b.x.state.tau + (k % 3) * random.vector(static_cast<int>(b.x.state.tau.size()));
      input.tau = tau;
      Solver cold(b.robot.model, b.set, b.x.settings);
      const Solution& fresh = cold.solve(input);
      const Solution& got = solver.solve(input);
      ASSERT_EQ(got.report.status, fresh.report.status) << seed;
      if (fresh.report.status != Status::ok) continue;
      EXPECT_EQ(got.report.motors_at_limit, fresh.report.motors_at_limit);
      EXPECT_CLOSE(got.acceleration, fresh.acceleration, 1e-9);
      EXPECT_CLOSE(got.motor_torque, fresh.motor_torque, 1e-9);
    }
    const Solution first(solver.solve(b.x.input()));
    bool soft = false;
    for (const AnyConstraint& c : b.x.constraints) soft = soft || policy_of(c) == Policy::soft;
    if (first.report.status != Status::ok || soft || b.x.settings.method == "pv_soft") continue;
    for (const std::string& method : methods()) {
      if (method == "pv_soft") continue;
      SolverSettings settings = b.x.settings;
      settings.method = method;
      try {
        Solver other(b.robot.model, b.set, settings);
        const Solution& got = other.solve(b.x.input());
        ASSERT_EQ(got.report.status, Status::ok) << seed << method << got.report.explain();
        EXPECT_CLOSE(got.acceleration, first.acceleration, 1e-7);
        EXPECT_EQ(got.report.motors_at_limit, first.report.motors_at_limit);
        ++compared;
      } catch (const UnsupportedError&) {  // mimic joints, for two of them
      }
    }
  }
  EXPECT_GT(compared, seeds / 2);
}

TEST(MotorLimits, AllocateNothing) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  for (int seed = 0; seed < effort(30, 4); ++seed) {
    const Limited b(static_cast<std::uint64_t>(seed) + 40000, seed % 2 == 1);
    expect_no_allocation(b.robot.model, b.set, b.x, seed);
  }
}

/// The warning of a motor beyond the effort limit of its model, or nullptr.
const SolveWarning* effort_warning(const SolveReport& report) {
  for (const SolveWarning& w : report.warnings)
    if (w.kind == SolveWarning::Kind::beyond_effort) return &w;
  return nullptr;
}

TEST(EffortWarning, SaysHowManyTimesItsEffortAMotorWouldHaveToGive) {
  const Model model = carriages(10);  // 2 kg each, 10 N each
  ConstraintSet set(model);
  set.add(CouplingConstraint{.name = "a", .coordinates = {"a_rail"}, .ratio = {1}, .beta = {8}, .role = Role::driver});
  const Vector q = Vector::Zero(2), tau = (Vector(2) << 3, 0).finished(), large = (Vector(2) << 0, 90).finished();
  Solver solver(model, set);
  const SolveWarning* w = effort_warning(solver.solve({.q = q, .tau = tau}).report);
  ASSERT_NE(w, nullptr);
  EXPECT_NEAR(w->value, 1.6, 1e-13);  // 16 N
  EXPECT_EQ(w->coordinate, "a_rail");
  EXPECT_TRUE(w->row.empty());
  EXPECT_NE(solver.solution().report.explain().find("'a_rail' would have to give 1.6 times its effort limit"),
            std::string::npos)
      << solver.solution().report.explain();
  set["a"].beta[0] = 5;
  EXPECT_EQ(effort_warning(solver.solve({.q = q, .tau = tau}).report), nullptr) << "exactly its limit";
  EXPECT_EQ(effort_warning(solver.solve({.q = q, .tau = large}).report), nullptr) << "tau is the caller's own";
  const Prescribed given{{1, -30.0}};
  w = effort_warning(solver.solve({.q = q, .prescribed = &given}).report);
  ASSERT_NE(w, nullptr);
  EXPECT_NEAR(w->value, 9, 1e-13);  // 3 kg
  EXPECT_EQ(w->coordinate, "b_rail") << "the largest of both";
  set["a"].beta[0] = 8;
  Solver limited(model, set, {.motor_limits = motor_limits(model)});
  EXPECT_EQ(effort_warning(limited.solve({.q = q, .tau = tau}).report), nullptr) << "the row gives way";
  set["a"].role = Role::physical;
  EXPECT_EQ(effort_warning(solver.solve({.q = q, .tau = tau}).report), nullptr) << "no motor does it";
  const Model unknown = carriages(std::nan(""));
  ConstraintSet same(unknown);
  same.add(CouplingConstraint{.name = "a", .coordinates = {"a_rail"}, .ratio = {1}, .beta = {8}, .role = Role::driver});
  EXPECT_EQ(effort_warning(Solver(unknown, same).solve({.q = q}).report), nullptr) << "the model knows no limit";
}

/// Towards the stretched position of an arm of two links the torques of a fixed
/// motion of its tip grow like 1 over the angle.
TEST(EffortWarning, TellsOfASingularPositionThatComesNearer) {
  RobotDescription d{.name = "arm"};
  d.links = {{.name = "base"},
             {.name = "upper", .mass = 2, .centre = {0.5, 0, 0}, .inertia = Sym3<double>::diagonal(0.1, 0.2, 0.2)},
             {.name = "lower", .mass = 1, .centre = {0.5, 0, 0}, .inertia = Sym3<double>::diagonal(0.1, 0.2, 0.2)}};
  for (int k = 0; k < 2; ++k) {
    JointDescription j{.name = k == 0 ? "shoulder" : "elbow", .type = "revolute"};
    j.parent = d.links[static_cast<std::size_t>(k)].name, j.child = d.links[static_cast<std::size_t>(k) + 1].name;
    j.origin.p = {static_cast<double>(k), 0, 0};
    j.axis = {0, 1, 0};
    j.effort = {0.5};
    d.joints.push_back(j);
  }
  d.frames.push_back({"tip", "lower", {Mat3<double>::identity(), {1, 0, 0}}});
  const Model model = build(d);
  ConstraintSet set(model);
  set.add(FrameConstraint{
      .name = "tip", .frame = "tip", .rows = rows("linear.x linear.z"), .beta = {1, 0}, .role = Role::driver});
  Solver solver(model, set);
  Data data(model);
  for (const double angle : {1e-1, 1e-3, 1e-5, 1e-7}) {
    const Vector q = (Vector(2) << 0.4, angle).finished();
    const Solution& s = solver.solve({.q = q});
    ASSERT_EQ(s.report.status, Status::ok);
    const Vector needed = inverse_dynamics(model, data, q, Vector::Zero(2), s.acceleration);
    const SolveWarning* const w = effort_warning(s.report);
    ASSERT_NE(w, nullptr) << angle;
    const double ratio = needed.cwiseAbs().maxCoeff() / 0.5;
    EXPECT_NEAR(w->value, ratio, 1e-6 * ratio);  // the rows' rounding over the angle
    EXPECT_GT(w->value, 0.1 / angle);
    EXPECT_EQ(w->coordinate, std::abs(needed(0)) > std::abs(needed(1)) ? "shoulder" : "elbow");
  }
}

}  // namespace
}  // namespace zwang::test
