// SPDX-License-Identifier: BSD-3-Clause
// Closed mechanisms (mechanisms.hpp): their states, their rows in the reference, and every method on them.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "dynamics/mechanisms.hpp"
#include "support/close.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {

namespace {

using Vector = Eigen::VectorXd;

constexpr double k_rounding = 2.3e-16;

/// Methods that take every set of hard rows; others may refuse, but not these.
constexpr const char* k_take_all[] = {"automatic",  "popov_vereshchagin", "pv_early",    "dense_lu",
                                      "dense_qr",   "dense_cod",          "range_space", "null_space",
                                      "test_force", "contact_cholesky"};

/// Least motion of the coordinates that takes the rows to `wanted`.
Vector step(const Eigen::MatrixXd& J, const Vector& wanted) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
  cod.setThreshold(1e-8);
  return cod.compute(J).solve(wanted);
}
/// Whether rows are missed beyond doubt (1), held beyond doubt (0) or neither (-1), over the sizes of their terms.
int missed(const MechanismProblem& p, const reference::HybridMotion& x) {
  const Vec size = p.size + p.reach * (x.acceleration.cwiseAbs() + x.free.cwiseAbs());
  Real worst = 0;
  for (Eigen::Index i = 0; i < p.A.rows(); ++i)
    if (p.R(i) == 0 && size(i) > 0) worst = std::max(worst, std::fabs(x.residual(i)) / size(i));
  return worst > 1e-6L ? 1 : worst < 1e-12L ? 0 : -1;
}

}  // namespace

void soften(AnyConstraint& any, double compliance) {
  std::visit(
      [&](auto& c) {
        c.policy = Policy::soft;
        c.compliance = {compliance};
      },
      any);
}
void soften(Mechanism& m, double compliance) {
  for (AnyConstraint& any : m.constraints) soften(any, compliance);
}

RandomState near_start(const Mechanism& m, std::uint64_t seed) {
  const Model& model = m.robot.model;
  Random random(seed);
  const Vector start = m.start.size() > 0 ? m.start : Vector(neutral(model));
  const Vector q = integrate(model, start, random.vector(model.nv(), m.reach));
  return {q, random.vector(model.nv(), 1), Vector::Zero(model.nv()), random.vector(model.nv(), 10)};
}

RandomState closed_state(const Mechanism& m, std::uint64_t seed) {
  const Model& model = m.robot.model;
  ConstraintSet set = m.set();
  for (const Constraint& c : set.constraints()) set[c.name].active = c.policy != Policy::soft;
  Solver solver(model, set);
  RandomState state = near_start(m, seed);
  const auto errors = [&] {  // rows that are off, or have no error of position, are where they should be
    const Vector e = solver.solve({.q = state.q}).position_error;
    Vector active(solver.active_rows());
    Eigen::Index row = 0, at = 0;
    for (const Constraint& c : set.constraints())
      for (Index i = 0; i < c.size(); ++i, ++row)
        if (c.active) active(at++) = std::isfinite(e(row)) ? e(row) : 0;
    return active;
  };
  Eigen::MatrixXd J;
  for (int k = 0; k < 40; ++k) {  // Newton
    const Vector e = errors();
    J.resize(e.size(), model.nv());
    if (e.size() == 0) return state;
    solver.constraint_jacobian(J);
    if (e.cwiseAbs().maxCoeff() < 1e-14) break;
    state.q = integrate(model, state.q, Vector(-step(J, e)));
  }
  EXPECT_LE(errors().cwiseAbs().maxCoeff(), 1e-13) << "it does not close";
  solver.constraint_jacobian(J);
  state.v -= step(J, J * state.v);
  return state;
}

MechanismProblem problem(const Mechanism& m, const RandomState& state) {
  const reference::State s = m.robot.reference.at(state.q, state.v);
  MechanismProblem p;
  p.M = s.mass_matrix();
  p.h = s.bias({});
  p.tau = state.tau.cast<Real>();
  const Eigen::Index n = p.M.rows();
  p.A.resize(0, n);
  p.reach.resize(0, n);
  const auto append = [&](const Rows& rows, Real R) {
    const Eigen::Index old = p.A.rows(), k = rows.A.rows();
    for (Mat* matrix : {&p.A, &p.reach}) matrix->conservativeResize(old + k, n);
    for (Vec* vector : {&p.b, &p.size, &p.R}) vector->conservativeResize(old + k);
    p.A.bottomRows(k) = rows.A;
    p.reach.bottomRows(k) = rows.reach;
    p.b.tail(k) = rows.b;
    p.size.tail(k) = rows.size;
    p.R.tail(k).setConstant(R);
  };
  for (const AnyConstraint& any : m.constraints)
    append(rows_of(m.robot, s, any),
           std::visit([](const auto& c) { return c.policy == Policy::soft ? Real(c.compliance[0]) : 0; }, any));
  for (const Gear& g : m.gears) {
    Rows rows{.A = Mat::Zero(1, n), .b = Vec::Zero(1), .size = Vec::Zero(1), .reach = {}, .K = {}};
    rows.A(0, m.robot.model.joint(g.out).v.first) = 1;
    rows.A(0, m.robot.model.joint(g.in).v.first) = -g.ratio;
    rows.reach = rows.A.cwiseAbs();
    append(rows, 0);
  }
  return p;
}

const Solution* solution_by(Solver& solver, const std::string& method, const SolveInput& input) {
  solver.settings().method = method;
  try {
    return &solver.solve(input);
  } catch (const UnsupportedError& refusal) {
    EXPECT_EQ(std::count(std::begin(k_take_all), std::end(k_take_all), method), 0) << refusal.what();
  }
  return nullptr;
}

void expect_every_method(const Mechanism& m, const RandomState& state, MethodCount& count) {
  const MechanismProblem p = problem(m, state);
  const reference::HybridMotion oracle = reference::hybrid_motion(p);
  ASSERT_TRUE(oracle.clear()) << "the rank is in doubt";
  const bool soft = (p.R.array() > 0).any(), all_soft = (p.R.array() > 0).all();
  if (m.mobility >= 0 && !soft) { EXPECT_EQ(oracle.rank, m.robot.model.nv() - m.mobility); }
  // 1e-9, times the condition of M and the rows where it is beyond 4e6 (pr2: 2.5e7). Measured: 1e-10 at 1e12.
  const double k = static_cast<double>(oracle.amplification),
               tolerance = std::min(std::max(1e-9, k_rounding * k), 1e-8);
  const double size =
      1e-300 + static_cast<double>(oracle.acceleration.cwiseAbs().maxCoeff() + oracle.free.cwiseAbs().maxCoeff());
  const int infeasible = missed(p, oracle);
  count.infeasible += infeasible == 1;
  count.dependent += oracle.rank < p.A.rows();
  const Vec force = p.A.transpose() * oracle.multipliers;
  const ConstraintSet set = m.set();
  Solver solver(m.robot.model, set);
  for (const std::string& method : methods()) {
    SCOPED_TRACE(method);
    const Solution* answer = solution_by(solver, method, {.q = state.q, .v = state.v, .tau = state.tau});
    if (answer == nullptr) {
      ++count.refused[method];
      EXPECT_FALSE(all_soft && method == "pv_soft");
      continue;
    }
    ++count.solved[method];
    const Solution& got = *answer;
    if (infeasible >= 0) {
      EXPECT_EQ(got.report.status, infeasible == 1 ? Status::infeasible : Status::ok) << got.report.explain();
    }
    EXPECT_EQ(got.report.rank, oracle.rank) << got.report.explain();
    EXPECT_EQ(got.report.rows, p.A.rows());
    EXPECT_TRUE(within(got.acceleration, oracle.acceleration, tolerance, size)) << "k " << k;
    // Lambda's condition is the square of the rows', and enters once more.
    const double forces = std::min(std::max(1e-9, k_rounding * k * k), 1e-6);
    EXPECT_TRUE(within(got.multipliers, oracle.multipliers, forces,
                       1e-3 + static_cast<double>(oracle.multipliers.cwiseAbs().maxCoeff())))
        << "k " << k;
    EXPECT_TRUE(within(Vec(p.A.transpose() * got.multipliers.cast<Real>()), force, forces,
                       1e-3 + static_cast<double>(force.cwiseAbs().maxCoeff())))
        << "k " << k;
  }
}

}  // namespace zwang::test
