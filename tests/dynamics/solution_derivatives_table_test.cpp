// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of solutions for every type of constraint, one or more rows, with and without stabilisation, soft and
// hard, with prescribed coordinates and wrenches in all axes, after every method:
//   M dq'' - J^T d lambda + d r1 = d tau,   J dq'' + R d lambda + d r2 = d beta
// by q, v, tau and beta, d r1 and d r2 by dual numbers (residuals.hpp); w . (J d) = (J^T w) . d; and the
// methods beside each other. Tolerance: 1e-12 of the magnitudes that cancel, some 5000 eps: 200
// operations a body, and the solve's own rounding.
#include <gtest/gtest.h>

#include <map>

#include "dynamics/constraint_kinds.hpp"
#include "dynamics/residuals.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
constexpr double k_close = 1e-12;

/// One problem with one constraint, and what a solver says of it.
struct Posed {
  Robot robot;
  Mixed x;
  ConstraintSet set;
  std::string cell;  ///< of the table
  Matrix M;

  Posed(const Kind& kind, std::uint64_t seed)
      : robot(random_robot_of_all_joints(seed, 3 + static_cast<int>(seed % 6))),
        set(robot.model) {
    Random random(seed + 5);
    static_cast<Imposed&>(x) = random_imposed(robot, seed);
    x.constraints.clear();
    if (seed % 3 == 0) x.prescribed = random_prescribed(robot, random);
    try {
      kind.add(robot, random, set);
    } catch (const std::exception&) { return; }  // two frames on one body, and so on
    if (set.rows() == 0) return;
    const Constraint& c = set.constraints()[0];
    cell = kind.name;
    if (cell == "contact") cell += c.size() == 1 ? ", one row" : c.size() == 2 ? ", two rows" : ", three rows";
    cell += c.stabilisation.time_constant > 0 ? ", stabilised" : ", free";
    cell += c.policy == Policy::soft ? ", soft" : ", hard";
    Data data(robot.model);
    M = mass_matrix(robot.model, data, x.state.q, x.settings.joint_effects);
  }
};

/// What a direction of the inputs does to the solution, and its equations.
void expect_equations(const Posed& p, const Solver& solver, const SolutionDerivatives& d, const Vector& a,
                      const Vector& lambda, Random& random) {
  const Index nv = p.robot.model.nv(), rows = p.set.rows();
  Matrix J(rows, nv);
  solver.constraint_jacobian(J);
  const Constraint& c = p.set.constraints()[0];
  Vector R = Vector::Zero(rows);
  for (Index r = 0; r < rows && c.policy == Policy::soft; ++r)
    R(r) = c.compliance[c.compliance.size() > 1 ? static_cast<std::size_t>(r) : 0];
  const Vector none = Vector::Zero(nv), none_of_rows = Vector::Zero(rows);
  const std::vector<bool> held = held_coordinates(p.robot.model, p.x.prescribed);
  for (int by = 0; by < 4; ++by) {
    SCOPED_TRACE(by == 0 ? "by q" : by == 1 ? "by v" : by == 2 ? "by tau" : "by beta");
    const Vector along = random.vector(by == 3 ? rows : nv);
    const auto times = [&](const SolutionJacobian& x) -> Vector {
      return by == 0 ? x.q * along : by == 1 ? x.v * along : by == 2 ? x.tau * along : x.beta * along;
    };
    const Vector da = times(d.acceleration), dl = times(d.multipliers), dt = times(d.motor_torque);
    const Residuals<double> of =
        residuals_along(p.robot.model, p.set, p.x.external, p.x.state.q, p.x.state.v, by == 0 ? along : none,
                        by == 1 ? along : none, a, lambda, p.x.settings.joint_effects);
    const Vector torque = eigen(of.torque) - (by == 2 ? along : none);
    const Vector row = eigen(of.row) - (by == 3 ? along : none_of_rows);
    const Vector rest = p.M * da - J.transpose() * dl + torque;
    const Vector size = p.M.cwiseAbs() * da.cwiseAbs() + J.cwiseAbs().transpose() * dl.cwiseAbs() + torque.cwiseAbs();
    const double scale = largest(size) + largest(lambda) + largest(a) + 1;
    for (Index y = 0; y < nv; ++y) {
      if (!held[static_cast<std::size_t>(y)]) {
        EXPECT_LT(std::fabs(rest(y)), k_close * scale) << "coordinate " << y;
        if (c.role == Role::physical) { EXPECT_EQ(dt(y), by == 2 ? along(y) : 0) << "torque " << y; }
        continue;
      }
      EXPECT_EQ(da(y), 0);
      if (c.role == Role::physical) {  // what is given there is not read; the motor answers for the rest
        const double expected = rest(y) + (by == 2 ? along(y) : 0);
        EXPECT_LT(std::fabs(dt(y) - expected), k_close * scale) << "torque " << y;
      }
    }
    for (Index i = 0; i < rows; ++i) {
      const double sum = J.row(i).dot(da) + R(i) * dl(i) + row(i);
      const double reach = J.row(i).cwiseAbs().dot(da.cwiseAbs()) + std::fabs(row(i)) + R(i) * std::fabs(dl(i)) + scale;
      EXPECT_LT(std::fabs(sum), k_close * reach) << "row " << i;
    }
  }
}

void expect_adjoint(Solver& solver, Index nv, Index rows, Random& random, double size) {
  const Vector q = random.vector(nv), v = random.vector(nv), tau = random.vector(nv), beta = random.vector(rows),
               force = random.vector(nv), wa = random.vector(nv), wl = random.vector(rows), wt = random.vector(nv);
  const SolutionVariation& right = solver.jvp({q, v, tau, beta, force});
  const InputGradient& left = solver.vjp({wa, wl, wt});
  ASSERT_EQ(right.status, Status::ok);
  ASSERT_EQ(left.status, Status::ok);
  const double by_outputs = wa.dot(right.acceleration) + wl.dot(right.multipliers) + wt.dot(right.motor_torque);
  const double by_inputs =
      left.q.dot(q) + left.v.dot(v) + left.tau.dot(tau) + left.beta.dot(beta) + left.force.dot(force);
  const double terms = wa.cwiseAbs().dot(right.acceleration.cwiseAbs()) +
                       wl.cwiseAbs().dot(right.multipliers.cwiseAbs()) +
                       wt.cwiseAbs().dot(right.motor_torque.cwiseAbs()) + left.q.cwiseAbs().dot(q.cwiseAbs()) +
                       left.v.cwiseAbs().dot(v.cwiseAbs()) + size;
  EXPECT_LT(std::fabs(by_outputs - by_inputs), 10 * k_close * terms);
}

TEST(SolutionDerivativesTable, OfEveryTypeAfterEveryMethod) {
  std::map<std::string, int> cells, by_method;
  for (const Kind& kind : every_kind())
    for (int k = 0; k < effort(60); ++k) {
      const auto seed = static_cast<std::uint64_t>(k) + 2000;
      Posed p(kind, seed);
      if (p.cell.empty()) continue;
      SCOPED_TRACE(p.cell + ", seed " + std::to_string(seed));
      Matrix first[3];
      for (const std::string& method : methods()) {
        SCOPED_TRACE(method);
        p.x.settings.method = method;
        try {
          Solver solver(p.robot.model, p.set, p.x.settings);
          const Solution& s = solver.solve(p.x.input());
          if (s.report.status != Status::ok || s.report.rank < s.report.rows) continue;
          const Vector a = s.acceleration, lambda = s.multipliers;
          const SolutionDerivatives& d = solver.derivatives();
          if (d.reason == "the method has not settled on the derivative") {  // an iterative method, and it says so
            EXPECT_TRUE(method == "constrained_aba" || method == "loop_aba");
            continue;
          }
          ASSERT_EQ(d.status, Status::ok) << d.reason;
          Random random(seed + 1000);
          expect_equations(p, solver, d, a, lambda, random);
          const auto all = [](const SolutionJacobian& x) {
            Matrix out(x.q.rows(), x.q.cols() + x.v.cols() + x.tau.cols() + x.beta.cols());
            out << x.q, x.v, x.tau, x.beta;
            return out;
          };
          const Matrix got[] = {all(d.acceleration), all(d.multipliers), all(d.motor_torque)};
          const double size = largest(got[0]) + largest(got[1]) + largest(got[2]) + 1;
          if (first[0].size() == 0) std::copy(std::begin(got), std::end(got), std::begin(first));
          // Both have the error of their factor: eps times the condition of M and of the rows.
          for (int i = 0; i < 3; ++i) EXPECT_LT(largest(got[i] - first[i]), 1e-8 * size) << i;
          expect_adjoint(solver, p.robot.model.nv(), p.set.rows(), random, size);
          ++cells[p.cell];
          ++by_method[method];
        } catch (const UnsupportedError&) {}
      }
    }
  for (const auto& [cell, count] : cells) EXPECT_GT(count, 0) << cell;
  // 10 kinds with errors have a stabilised and a free cell, frames without target a free one; each soft and hard
  EXPECT_GE(cells.size(), effort(60) == 60 ? 34u : 1u);
  for (const std::string& method : methods()) EXPECT_GT(by_method[method], effort(60) / 2) << method;
}

}  // namespace
}  // namespace zwang::test
