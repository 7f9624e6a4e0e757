// SPDX-License-Identifier: BSD-3-Clause
// Problems in many states, and a BatchSolver's answers against the Solver's.
//
// Tolerance: both solve the same equations by other orders of operations, so what differs is rounding times the
// condition of M: 1000 epsilon of it, some 20 are seen. Rows between bodies at random states may be worse conditioned
// than M: where it is asked for, what a small change of the state makes of the answer is added, in units of epsilon.
#pragma once
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "batch/arrays.hpp"
#include "support/robots.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/io/urdf.hpp"

namespace zwang::test {

inline double condition_of(const Eigen::MatrixXd& M) {
  if (M.rows() == 0) return 1;
  const Eigen::VectorXd w = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M, Eigen::EigenvaluesOnly).eigenvalues();
  return w(0) > 0 ? w(w.size() - 1) / w(0) : std::numeric_limits<double>::infinity();
}

/// A problem in many states: what differs between them may be left empty.
template <class T> struct Problem {
  States<T> x;
  StateRows<T> beta, active, given;
  std::vector<Index> prescribed;
  Externals external;
  std::vector<StateRows<T>> wrench;

  long states() const { return x.q.rows(); }
  BatchSolveInput<T> input() const {
    BatchSolveInput<T> in{.q = x.q, .v = x.v, .tau = x.tau};
    if (beta.size() > 0) in.beta = beta;
    if (active.size() > 0) in.active = active;
    for (std::size_t k = 0; k < external.size(); ++k)
      in.external.push_back({external[k].frame, wrench[k], external[k].in});
    in.prescribed = prescribed;
    if (!prescribed.empty()) in.prescribed_acceleration = given;
    return in;
  }
};
template <class T> Problem<T> problem_of(const Model& m, long n, std::uint64_t seed) {
  Problem<T> p;
  p.x = random_states<T>(m, n, seed);
  return p;
}
/// A wrench in each reference on random frames.
template <class T> void add_wrenches(const Model& m, Problem<T>& p, std::uint64_t seed) {
  Random random(seed);
  for (const Reference in : {Reference::local, Reference::world, Reference::local_world_aligned}) {
    const auto& frames = m.frames();
    p.external.push_back({FrameId(static_cast<Index>(random.below(static_cast<int>(frames.size())))), {}, in});
    StateRows<T> w(p.states(), 6);
    for (long s = 0; s < p.states(); ++s) w.row(s) = random.vector(6, 5).template cast<T>();
    p.wrench.push_back(w);
  }
}

struct BatchTally {
  long states = 0, alone = 0, infeasible = 0, refused = 0;
  Worst worst;
};

/// One state by a Solver.
template <class T> const Solution& by_solver(const Problem<T>& p, long s, ConstraintSet& set, Solver& solver) {
  static Eigen::VectorXd q, v, tau;
  static Externals external;
  static Prescribed prescribed;
  q = p.x.q_of(s), v = p.x.v_of(s), tau = p.x.tau_of(s);
  external = p.external;
  for (std::size_t k = 0; k < external.size(); ++k)
    for (int i = 0; i < 6; ++i) external[k].wrench[i] = static_cast<double>(p.wrench[k](s, i));
  prescribed.clear();
  for (std::size_t k = 0; k < p.prescribed.size(); ++k)
    prescribed.push_back({p.prescribed[k], static_cast<double>(p.given(s, static_cast<Index>(k)))});
  Index row = 0, constraint = 0;
  for (const Constraint& c : std::vector<Constraint>(set.constraints())) {
    for (std::size_t i = 0; i < c.beta.size(); ++i, ++row)
      if (p.beta.size() > 0) set[c.name].beta[i] = static_cast<double>(p.beta(s, row));
    if (p.active.size() > 0) set[c.name].active = p.active(s, constraint) != 0;
    ++constraint;
  }
  return solver.try_solve({.q = q, .v = v, .tau = tau, .external = &external, .prescribed = &prescribed});
}

/// Acceleration, multipliers, torques of motors and reactions of a solution.
struct Answers {
  explicit Answers(const Solution& s) : x{s.acceleration, s.multipliers, s.motor_torque, s.reaction} {}
  Eigen::VectorXd x[4];
};
/// What state s does not know of itself: its numbers are changed by some 1e-9 of them.
template <class T> Problem<double> shaken(const Model& m, const Problem<T>& p, long s) {
  Problem<double> y;
  const auto one = [&](const auto& x) { return StateRows<double>(x.row(s).template cast<double>()); };
  y.x = {one(p.x.q), one(p.x.v), one(p.x.a), one(p.x.tau)};
  if (p.beta.size() > 0) y.beta = one(p.beta);
  if (p.active.size() > 0) y.active = one(p.active);
  if (p.given.size() > 0) y.given = one(p.given);
  y.prescribed = p.prescribed;
  y.external = p.external;
  for (const auto& w : p.wrench) y.wrench.push_back(one(w));
  Random random(static_cast<std::uint64_t>(s) + 5);
  const Eigen::VectorXd step = random.vector(m.nv(), 1e-9), q = y.x.q.row(0);
  y.x.q.row(0) = integrate(m, q, step);
  y.x.v.row(0) += random.vector(m.nv(), 1e-9).cwiseProduct(y.x.v_of(0)).transpose();
  return y;
}

/// All outputs equal within 1000 epsilon and the condition of M, and of the rows where they are `between` bodies.
template <class T> void expect_solver(const Model& m, const ConstraintSet& set, const SolverSettings& settings,
                                      const Problem<T>& p, BatchTally& tally, bool between = false) {
  const long n = p.states();
  StateRows<T> a(n, m.nv()), lambda(n, set.rows()), motor(n, m.nv()), reaction(n, m.nv());
  BasicBatchSolver<T> batch(m, set, settings, {.threads = 2});
  const BatchReport& report =
      batch.solve(p.input(), {.acceleration = a, .multipliers = lambda, .motor_torque = motor, .reaction = reaction});
  ASSERT_EQ(report.states, n);
  tally.states += n;
  tally.alone += batch.solved_alone();
  ConstraintSet own = set;
  Solver solver(m, own, settings);
  Data data(m);
  Eigen::MatrixXd M(m.nv(), m.nv());
  long ok = 0;
  for (long s = 0; s < n; ++s) {
    Eigen::VectorXd change[4];
    if (between) {
      const Answers near(by_solver(shaken(m, p, s), 0, own, solver)), here(by_solver(p, s, own, solver));
      for (int i = 0; i < 4; ++i) change[i] = (near.x[i] - here.x[i]) * 1e9;
    }
    const Solution& x = by_solver(p, s, own, solver);
    ok += x.report.status == Status::ok;
    ASSERT_EQ(report.status(s), x.report.status) << "state " << s << ": " << x.report.explain();
    tally.infeasible += x.report.status == Status::infeasible;
    if (x.report.status != Status::ok && x.report.status != Status::infeasible &&
        x.report.status != Status::not_converged) {
      ++tally.refused;
      EXPECT_TRUE(a.row(s).array().isNaN().all() && lambda.row(s).array().isNaN().all());
      EXPECT_TRUE(motor.row(s).array().isNaN().all() && reaction.row(s).array().isNaN().all());
      continue;
    }
    mass_matrix(m, data, p.x.q_of(s), M, settings.joint_effects);
    const double kappa = std::min(condition_of(M), 1e12), unit = k_epsilon<T> * kappa;
    const double accelerations = x.acceleration.cwiseAbs().maxCoeff() + 1e-3;
    const double forces = 1e-3 + M.cwiseAbs().maxCoeff() * accelerations + x.motor_torque.cwiseAbs().maxCoeff() +
                          x.reaction.cwiseAbs().maxCoeff();
    const auto check = [&](const char* name, int i, const auto& row, const VectorView& one, double scale) {
      const Eigen::VectorXd got = row.template cast<double>();
      ASSERT_EQ(got.size(), one.size());
      const double sensitive = between && got.size() > 0 ? change[i].cwiseAbs().maxCoeff() * k_epsilon<T> : 0;
      const double error = got.size() == 0 ? 0 : (got - one).cwiseAbs().maxCoeff() / (scale * unit + sensitive);
      tally.worst.see(name, error);
      EXPECT_LE(error, 1000) << name << " of state " << s << ", condition " << kappa << "\ngot " << got.transpose()
                             << "\nnot " << one.transpose();
    };
    check("acceleration", 0, a.row(s), x.acceleration, accelerations);
    const double multipliers = x.multipliers.size() == 0 ? 0 : x.multipliers.cwiseAbs().maxCoeff();
    check("multipliers", 1, lambda.row(s), x.multipliers, multipliers + 1e-3 * forces);
    check("motor_torque", 2, motor.row(s), x.motor_torque, forces);
    check("reaction", 3, reaction.row(s), x.reaction, forces);
    if (testing::Test::HasFailure()) return;
    for (std::size_t k = 0; k < p.prescribed.size(); ++k)
      EXPECT_EQ(a(s, p.prescribed[k]), p.given(s, static_cast<Index>(k)));
  }
  EXPECT_EQ(report.ok, ok);
}

inline Model load(const std::string& file, const std::string& root) {
  LoadOptions options;
  options.root = root;
  options.resolve_meshes = false;
  return zwang::load(shared_robot(file), options);
}

}  // namespace zwang::test
