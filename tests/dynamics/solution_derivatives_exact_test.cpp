// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of solutions put into the differentiated equations, whose other terms dual numbers give (residuals.hpp):
//   M dq'' - J^T d lambda + d r1 = d tau,   J dq'' + R d lambda + d r2 = d beta
// for every type of constraint, with and without stabilisation, one or more rows, soft or hard,
// beta not zero, in motion. Tolerance: 1e-12 of the magnitudes that cancel, some 5000 eps: 200
// operations a body, and the solve's own rounding.
#include <gtest/gtest.h>

#include "dynamics/constraint_kinds.hpp"
#include "dynamics/residuals.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
constexpr double k_exact = 1e-12;

/// What rows say of the state. A row whose position error is NaN, or that is inactive, has no derivative of it.
void check_errors(const ConstraintSet& set, const Solution& s, const SolutionDerivatives& d, const Matrix& J,
                  const Residuals<double>& of, bool by_q, const Vector& along) {
  const Vector residual = (by_q ? d.residual.q : d.residual.v) * along,
               velocity = (by_q ? d.velocity_error.q : d.velocity_error.v) * along;
  const Vector position = d.position_error.q * along;
  EXPECT_LT(largest(d.residual.a - J), k_exact * (largest(J) + 1));
  Index r = 0;
  for (const Constraint& c : set.constraints())
    for (Index k = 0; k < c.size(); ++k, ++r) {
      const auto at = static_cast<std::size_t>(r);
      const double size = largest(d.residual.q.row(r)) + largest(d.residual.v.row(r)) + largest(J.row(r)) + 1;
      EXPECT_LT(std::fabs(residual(r) - of.row[at]), k_exact * size * along.size()) << "residual " << r;
      const double speed = largest(d.velocity_error.q.row(r)) + largest(J.row(r)) + 1;
      EXPECT_LT(std::fabs(velocity(r) - of.velocity[at]), k_exact * speed * along.size()) << "velocity error " << r;
      EXPECT_EQ(std::isnan(s.position_error(r)), std::isnan(d.position_error.q(r, 0))) << r;
      if (!by_q || std::isnan(s.position_error(r))) continue;
      EXPECT_LT(std::fabs(position(r) - of.position[at]), k_exact * size * along.size()) << "position error " << r;
    }
}

/// Both equations along one direction. False where there is nothing to compare.
bool check(const Robot& robot, const Mixed& x, const ConstraintSet& set, std::uint64_t seed) {
  Solver solver(robot.model, set, x.settings);
  const Solution& s = solver.solve(x.input());
  if (s.report.status != Status::ok || s.report.rank < s.report.rows) return false;
  const Vector a = s.acceleration, lambda = s.multipliers, motor = s.motor_torque;
  const Index nv = robot.model.nv(), rows = set.rows();
  Matrix J = Matrix::Zero(rows, nv);
  {
    Matrix active(solver.active_rows(), nv);
    solver.constraint_jacobian(active);
    Index i = 0, r = 0;
    for (const Constraint& c : set.constraints())
      for (Index k = 0; k < c.size(); ++k, ++r)
        if (c.active) J.row(r) = active.row(i++);
  }
  Vector R = Vector::Zero(rows);
  Index r = 0;
  for (const Constraint& c : set.constraints())
    for (Index k = 0; k < c.size(); ++k, ++r)
      if (c.policy == Policy::soft) R(r) = c.compliance[c.compliance.size() > 1 ? static_cast<std::size_t>(k) : 0];
  const SolutionDerivatives& d = solver.derivatives();
  EXPECT_EQ(d.status, Status::ok) << d.reason;
  Data data(robot.model);
  const Matrix M = mass_matrix(robot.model, data, x.state.q, x.settings.joint_effects);
  Random random(seed + 1000);
  const int n = static_cast<int>(nv);
  const Vector none = Vector::Zero(nv);
  for (const bool by_q : {true, false}) {
    const Vector along = random.vector(n);
    const SolutionJacobian &A = d.acceleration, &L = d.multipliers, &T = d.motor_torque;
    const Vector da = (by_q ? A.q : A.v) * along, dl = (by_q ? L.q : L.v) * along, dt = (by_q ? T.q : T.v) * along;
    const Residuals<double> of =
        residuals_along(robot.model, set, x.external, x.state.q, x.state.v, by_q ? along : none, by_q ? none : along, a,
                        lambda, x.settings.joint_effects);
    const Vector torque = eigen(of.torque), row = eigen(of.row);
    Vector rest = M * da - J.transpose() * dl + torque;
    Vector size = M.cwiseAbs() * da.cwiseAbs() + J.cwiseAbs().transpose() * dl.cwiseAbs() + torque.cwiseAbs();
    std::vector<bool> held(static_cast<std::size_t>(nv));
    for (const PrescribedCoordinate& p : x.prescribed) held[static_cast<std::size_t>(p.v)] = true;
    double scale = largest(size) + largest(lambda) + largest(a) + 1;
    for (Index y = 0; y < nv; ++y) {
      if (held[static_cast<std::size_t>(y)]) {
        EXPECT_EQ(da(y), 0);
        continue;  // its motor torque: differences of solves
      }
      EXPECT_LT(std::fabs(rest(y)), k_exact * scale) << "coordinate " << y << (by_q ? " by q" : " by v");
    }
    for (Index i = 0; i < rows; ++i) {
      if (J.row(i).isZero(0)) continue;
      const double sum = J.row(i).dot(da) + R(i) * dl(i) + row(i);
      const double reach = J.row(i).cwiseAbs().dot(da.cwiseAbs()) + std::fabs(row(i)) + R(i) * std::fabs(dl(i)) + scale;
      EXPECT_LT(std::fabs(sum), k_exact * reach) << "row " << i << (by_q ? " by q" : " by v");
    }
    (void)dt;
    check_errors(set, s, d, J, of, by_q, along);
  }
  return true;
}

TEST(SolutionDerivativesExactly, SatisfyTheDifferentiatedEquationsForEveryTypeOfConstraint) {
  for (const Kind& kind : every_kind()) {
    SCOPED_TRACE(kind.name);
    int compared = 0;
    for (int seed = 0; seed < effort(60, 24); ++seed) {
      SCOPED_TRACE(seed);
      const auto at = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot_of_all_joints(at, 3 + seed % 6);
      if (robot.model.nv() == 0) continue;
      Random random(at + 5);
      Mixed x;
      static_cast<Imposed&>(x) = random_imposed(robot, at);
      x.constraints.clear();
      x.settings.method = seed % 2 ? "automatic" : "popov_vereshchagin";
      ConstraintSet set(robot.model);
      try {
        kind.add(robot, random, set);
      } catch (const std::exception&) {
        continue;  // two frames on one body, and so on
      }
      if (set.rows() == 0) continue;
      compared += check(robot, x, set, at) ? 1 : 0;
    }
    EXPECT_GT(compared, effort(60, 24) / 5);
  }
}

TEST(SolutionDerivativesExactly, SatisfyTheDifferentiatedEquationsOfMixedProblems) {
  int compared = 0;
  MixedOptions options;
  options.priorities = options.drivers_left_out = options.other_singularities = false;
  for (int seed = 0; seed < effort(300, 24); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed) + 500;
    const Robot robot = random_robot_of_all_joints(at, 2 + seed % 8);
    if (robot.model.nv() == 0) continue;
    const Mixed x = random_mixed(robot, at, options);
    compared += check(robot, x, x.set(robot.model), at) ? 1 : 0;
  }
  EXPECT_GT(compared, effort(300, 24) / 4);
}

}  // namespace
}  // namespace zwang::test
