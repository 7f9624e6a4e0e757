// SPDX-License-Identifier: BSD-3-Clause
// Rows with senses and limits on random robots, by every method: the conditions of the optimum in long double, which no
// other motion satisfies; and against all sets of rows that might hold, one after the other.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "dynamics/limited.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/constraint_evaluator.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::test {
namespace {

constexpr double k_none = std::numeric_limits<double>::infinity();

/// A random problem whose rows have random senses and limits.
struct Bounded {
  Robot robot;
  Mixed x;
  ConstraintSet set;
  Stated s;
  Vec lower, upper;  ///< of the active rows
  int bounded = 0;

  static Mixed with_bounds(const Robot& robot, std::uint64_t seed, bool limits, bool soft) {
    MixedOptions options = one_level();
    options.soft = soft;
    Mixed x = random_mixed(robot, seed, options);
    Random random(seed * 77 + 3);
    for (AnyConstraint& any : x.constraints) {
      std::visit(
          [&](auto& c) {
            const auto rows = static_cast<std::size_t>(bind(robot.model, c).size());
            if (random.below(4) == 0) return;
            c.sense.resize(rows);
            for (Sense& word : c.sense) word = static_cast<Sense>(random.below(3));
            if (!limits || random.below(2)) return;
            for (std::size_t i = 0; i < rows; ++i) c.limit.push_back(std::pow(10.0, random.uniform(-1, 2)));
          },
          any);
    }
    return x;
  }
  Bounded(std::uint64_t seed, bool limits, bool soft = true)
      : robot(random_robot_of_all_joints(seed, 3 + static_cast<int>(seed) % 9)),
        x(with_bounds(robot, seed, limits, soft)),
        set(x.set(robot.model)),
        s(stated(robot, x)) {
    lower = Vec::Constant(s.posed.A.rows(), -k_none);
    upper = -lower;
    for (Eigen::Index k = 0; k < lower.size(); ++k) {
      const Constraint& c = constraint_of(set, s.posed, k);
      const std::string& of = c.name;
      Eigen::Index first = k;
      while (first > 0 && constraint_of(set, s.posed, first - 1).name == of) --first;
      const auto i = static_cast<std::size_t>(k - first);
      const Sense sense = c.sense.empty() ? Sense::equal : c.sense[i];
      const double limit = c.limit.empty() ? k_none : c.limit[i];
      lower(k) = sense == Sense::at_least ? 0 : -limit;
      upper(k) = sense == Sense::at_most ? 0 : limit;
      bounded += lower(k) > -k_none || upper(k) < k_none;
    }
  }
  bool is_bounded(Eigen::Index k) const { return lower(k) > -k_none || upper(k) < k_none; }
  Vec compliance() const { return s.problem.R.size() > 0 ? s.problem.R : Vec::Zero(s.posed.A.rows()); }
};

/// How far q'' and the multipliers are from the conditions, relative to the terms that cancel in each.
Real violation(const Bounded& b, const Vec& a, const Vec& lambda) {
  const Posed& p = b.s.posed;
  const Vec R = b.compliance();
  const std::vector<bool> held = held_coordinates(b.robot.model, b.x.prescribed);
  const Vec sides =
      p.M.cwiseAbs() * a.cwiseAbs() + (p.h - p.tau).cwiseAbs() + p.A.transpose().cwiseAbs() * lambda.cwiseAbs();
  const Vec motion = p.M * a + p.h - p.tau - p.A.transpose() * lambda;
  Real worst = 0, force = sides.maxCoeff();
  for (Eigen::Index y = 0; y < a.size(); ++y)
    if (!held[static_cast<std::size_t>(y)]) worst = std::max(worst, std::fabs(motion(y)) / force);
  for (Eigen::Index k = 0; k < lambda.size(); ++k) {
    const Real terms = p.size(k) + p.reach.row(k).dot(a.cwiseAbs()) + std::fabs(R(k) * lambda(k)),
               largest = p.A.row(k).cwiseAbs().maxCoeff(), unit = largest > 0 ? largest / force : Real(1),
               w = (p.A.row(k).dot(a) + R(k) * lambda(k) - p.b(k)) / terms;
    if (!b.is_bounded(k)) {
      worst = std::max(worst, std::fabs(w));
      continue;
    }
    worst = std::max({worst, (b.lower(k) - lambda(k)) * unit, (lambda(k) - b.upper(k)) * unit});
    worst =
        std::max({worst, std::min(w, (lambda(k) - b.lower(k)) * unit), std::min(-w, (b.upper(k) - lambda(k)) * unit)});
  }
  return worst;
}

/// The motion by trial of every choice of rows inside, at their lower and at their upper bound. False if none fits.
bool by_trial(const Bounded& b, Vec& motion) {
  const Posed& p = b.s.posed;
  const Eigen::Index m = p.A.rows();
  std::vector<int> at(static_cast<std::size_t>(m), 0);  // 0 inside, 1 lower, 2 upper
  for (bool more = true; more;) {
    reference::HybridProblem q = b.s.problem;
    std::vector<Eigen::Index> rows;
    Vec lambda = Vec::Zero(m);
    bool possible = true;
    for (Eigen::Index k = 0; k < m; ++k) {
      const int where = at[static_cast<std::size_t>(k)];
      if (where == 0) rows.push_back(k);
      if (where == 1) lambda(k) = b.lower(k);
      if (where == 2) lambda(k) = b.upper(k);
      possible = possible && std::fabs(lambda(k)) < k_none;
    }
    if (possible) {
      const auto n = static_cast<Eigen::Index>(rows.size());
      q.tau += p.A.transpose() * lambda;
      q.A.resize(n, p.A.cols());
      q.b.resize(n);
      q.R.resize(n);
      q.weight.resize(0);
      q.level.assign(rows.size(), 0);
      q.left_out.clear();
      for (Eigen::Index i = 0; i < n; ++i) {
        const Eigen::Index k = rows[static_cast<std::size_t>(i)];
        q.A.row(i) = p.A.row(k);
        q.b(i) = p.b(k);
        q.R(i) = b.compliance()(k);
      }
      const reference::HybridMotion found = reference::hybrid_motion(q);
      for (Eigen::Index i = 0; i < n; ++i) lambda(rows[static_cast<std::size_t>(i)]) = found.multipliers(i);
      if (violation(b, found.acceleration, lambda) < 1e-9L) {
        motion = found.acceleration;
        return true;
      }
    }
    more = false;
    for (Eigen::Index k = 0; k < m && !more; ++k) {
      if (!b.is_bounded(k)) continue;
      int& where = at[static_cast<std::size_t>(k)];
      where = (where + 1) % 3;
      more = where != 0;
    }
  }
  return false;
}

/// Whether the library and the reference see the same rows; not where a loop is open by half a turn.
bool sees_the_same(const Bounded& b) {
  ConstraintEvaluator rows(b.robot.model, b.set);
  rows.evaluate(b.x.state.q, b.x.state.v);
  const Eigen::MatrixXd J = [&] {
    Eigen::MatrixXd out(rows.rows(), b.robot.model.nv());
    rows.jacobian(out);
    return out;
  }();
  return (J.cast<Real>() - b.s.posed.A).cwiseAbs().maxCoeff() < 1e-9L * (1 + b.s.posed.reach.maxCoeff());
}

int full(int usual) { return std::getenv("ZWANG_WHOLE_TABLE") != nullptr ? 100000 : effort(usual, 40); }

TEST(Inequalities, HoldOnRandomRobots) {
  int count[3] = {0, 0, 0}, unlike = 0, released = 0, held = 0, at_limit = 0;
  Real worst = 0;
  for (int seed = 0; seed < full(1500); ++seed) {
    const Bounded b(static_cast<std::uint64_t>(seed), seed % 2 == 1);
    if (!sees_the_same(b)) {
      ++unlike;
      continue;
    }
    Solver solver(b.robot.model, b.set, b.x.settings);
    const Solution& got = solver.solve(b.x.input());
    const Status status = got.report.status;
    ++count[status == Status::ok ? 0 : status == Status::infeasible ? 1 : 2];
    EXPECT_TRUE(has_result(status)) << seed << got.report.explain();
    if (status != Status::ok) continue;
    const Vec a = got.acceleration.cast<Real>(), lambda = active_part(b.s.posed, got.multipliers);
    const Real here = violation(b, a, lambda);
    worst = std::max(worst, here);
    EXPECT_LT(here, 1e-9L) << seed << " " << b.x.settings.method << "\n" << got.report.explain();
    EXPECT_LE(got.report.complementarity, 1e-9);
    released += static_cast<int>(got.report.released.size());
    held += static_cast<int>(got.report.held.size());
    at_limit += static_cast<int>(got.report.at_limit.size());
    // Z, and the sum of forces: motor torques and reactions
    const Vec sum = got.motor_torque.cast<Real>() + got.reaction.cast<Real>() - b.s.posed.M * a - b.s.posed.h;
    const Real force = (b.s.posed.M.cwiseAbs() * a.cwiseAbs() + b.s.posed.h.cwiseAbs()).maxCoeff() +
                       got.reaction.cwiseAbs().maxCoeff() + got.motor_torque.cwiseAbs().maxCoeff();
    EXPECT_LT(sum.cwiseAbs().maxCoeff(), 1e-10L * force) << seed;
    EXPECT_GE(got.zwang, 0);
  }
  printf("ok %d, infeasible %d, other %d; rows held %d, released %d, at limit %d; worst %.1e\n", count[0], count[1],
         count[2], held, released, at_limit, static_cast<double>(worst));
  EXPECT_LE(count[2], (count[0] + count[1]) / 500);
  EXPECT_LE(unlike, 1 + (count[0] + count[1]) / 1000);
}

TEST(Inequalities, AreThoseOfAllTrials) {
  int ok = 0, infeasible = 0;
  for (int seed = 0; seed < effort(400, 20); ++seed) {
    const Bounded b(static_cast<std::uint64_t>(seed) + 7000, seed % 2 == 1);
    if (b.bounded > (seed % 2 == 1 ? 4 : 6) || b.bounded == 0) continue;
    Solver solver(b.robot.model, b.set, b.x.settings);
    const Solution& got = solver.solve(b.x.input());
    Vec motion;
    const bool possible = by_trial(b, motion);
    EXPECT_EQ(got.report.status, possible ? Status::ok : Status::infeasible) << seed << got.report.explain();
    ++(possible ? ok : infeasible);
    if (!possible || got.report.status != Status::ok) continue;
    const Vec a = got.acceleration.cast<Real>();
    EXPECT_LT((a - motion).cwiseAbs().maxCoeff(), 1e-8L * (1 + motion.cwiseAbs().maxCoeff())) << seed;
  }
  printf("ok %d, infeasible %d\n", ok, infeasible);
  EXPECT_GT(ok, infeasible);
}

TEST(Inequalities, AreTheSameByEveryMethod) {
  int compared = 0;
  for (int seed = 0; seed < effort(120, 10); ++seed) {
    const Bounded b(static_cast<std::uint64_t>(seed) + 20000, seed % 2 == 1, false);
    Solver solver(b.robot.model, b.set);
    const Solution first(solver.solve(b.x.input()));
    if (first.report.status != Status::ok) continue;
    for (const std::string& method : methods()) {
      if (method == "pv_soft") continue;
      SolverSettings settings;
      settings.method = method;
      try {
        Solver other(b.robot.model, b.set, settings);
        const Solution& got = other.solve(b.x.input());
        ASSERT_EQ(got.report.status, Status::ok) << seed << method << got.report.explain();
        const Vec a = got.acceleration.cast<Real>(), lambda = active_part(b.s.posed, got.multipliers);
        EXPECT_LT(violation(b, a, lambda), 1e-9L) << seed << method;
        EXPECT_CLOSE(got.acceleration, first.acceleration, 1e-7);
        ++compared;
      } catch (const UnsupportedError&) {  // mimic joints, for two of them
      }
    }
  }
  EXPECT_GT(compared, effort(120, 10) * 3);
}

TEST(Inequalities, DoNotDependOnTheSolveBefore) {
  for (int seed = 0; seed < effort(60, 5); ++seed) {
    const Bounded b(static_cast<std::uint64_t>(seed) + 30000, seed % 2 == 1);
    Solver warm(b.robot.model, b.set, b.x.settings);
    Random random(static_cast<std::uint64_t>(seed));
    SolveInput input = b.x.input();
    for (int k = 0; k < 12; ++k) {
      const Eigen::VectorXd tau = b.x.state.tau + (k % 3) * random.vector(static_cast<int>(b.x.state.tau.size()));
      input.tau = tau;
      Solver cold(b.robot.model, b.set, b.x.settings);
      const Solution& fresh = cold.solve(input);
      const Solution& got = warm.solve(input);
      ASSERT_EQ(got.report.status, fresh.report.status) << seed;
      EXPECT_EQ(got.report.held, fresh.report.held);
      EXPECT_EQ(got.report.released, fresh.report.released);
      EXPECT_EQ(got.report.at_limit, fresh.report.at_limit);
      if (fresh.report.status != Status::ok) continue;
      EXPECT_CLOSE(got.acceleration, fresh.acceleration, 1e-9);
      EXPECT_CLOSE(got.multipliers, fresh.multipliers, 1e-9);
      const Solution& again = warm.resolve({.tau = tau, .external = input.external, .prescribed = input.prescribed});
      EXPECT_CLOSE(again.acceleration, fresh.acceleration, 1e-9);
    }
  }
}

TEST(Inequalities, HaveTheDerivativesOfTheRowsHeld) {
  int compared = 0, released = 0, refused = 0, at_border = 0;
  for (int seed = 0; seed < effort(300, 30); ++seed) {
    const Bounded b(static_cast<std::uint64_t>(seed) + 50000, seed % 4 == 1);
    if (b.x.prescribed.size() > 0) continue;
    Solver solver(b.robot.model, b.set, b.x.settings);
    Random random(static_cast<std::uint64_t>(seed));
    const int nv = b.robot.model.nv();
    const Eigen::VectorXd dq = random.vector(nv), dv = random.vector(nv), dtau = random.vector(nv);
    SolveInput input = b.x.input();
    const Solution first(solver.solve(input));
    if (first.report.status != Status::ok || first.report.rank < first.report.rows) continue;
    const SolutionDerivatives& d = solver.derivatives();
    if (d.status != Status::ok) {
      EXPECT_FALSE(d.reason.empty());
      at_border += first.report.at_limit.empty();
      ++refused;
      continue;
    }
    const Eigen::VectorXd by_q = d.acceleration.q * dq, by_v = d.acceleration.v * dv,
                          by_tau = d.acceleration.tau * dtau, force_by_q = d.multipliers.q * dq;
    const double step = 1e-6;
    const auto at = [&](double h) {
      Eigen::VectorXd q(b.robot.model.nq());
      integrate(b.robot.model, b.x.state.q, Eigen::VectorXd(h * dq), q);
      SolveInput moved = input;
      moved.q = q;
      return Solution(solver.solve(moved));
    };
    const Solution more = at(step), less = at(-step);
    if (more.report.held != first.report.held || less.report.held != first.report.held) continue;
    const Eigen::VectorXd slope = (more.acceleration - less.acceleration) / (2 * step),
                          force_slope = (more.multipliers - less.multipliers) / (2 * step);
    EXPECT_LT((by_q - slope).cwiseAbs().maxCoeff(), 1e-4 * (1 + slope.cwiseAbs().maxCoeff())) << seed;
    EXPECT_LT((force_by_q - force_slope).cwiseAbs().maxCoeff(), 1e-4 * (1 + force_slope.cwiseAbs().maxCoeff())) << seed;
    const SolutionVariation& u = (solver.solve(input), solver.jvp({.q = dq, .v = dv, .tau = dtau}));
    EXPECT_CLOSE(u.acceleration, Eigen::VectorXd(by_q + by_v + by_tau), 1e-9);
    ++compared;
    released += !first.report.released.empty();
  }
  printf("compared %d, of these %d with released rows; refused %d\n", compared, released, refused);
  EXPECT_GT(released, compared / 4);
  EXPECT_LE(at_border, 1 + compared / 20);
}

TEST(Inequalities, AllocateNothing) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  for (int seed = 0; seed < effort(40, 4); ++seed) {
    const Bounded b(static_cast<std::uint64_t>(seed) + 40000, seed % 2 == 1);
    expect_no_allocation(b.robot.model, b.set, b.x, seed);
  }
}

}  // namespace
}  // namespace zwang::test
