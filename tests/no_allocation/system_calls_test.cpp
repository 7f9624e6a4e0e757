// SPDX-License-Identifier: BSD-3-Clause
// SystemSolver allocates nothing in solve, from the first one on, whatever the rows are like.
#include "support/no_allocation.hpp"
#include "support/random.hpp"
#include "zwang/factor/system.hpp"

namespace zwang::test {
namespace {

TEST(SystemCalls, SolveAllocatesNothing) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  constexpr Index n = 7, m = 5;
  Random random(4);
  const Eigen::VectorXd f = random.vector(n, 1), target = random.vector(m, 1);
  Eigen::VectorXd R = Eigen::VectorXd::Zero(m);
  Eigen::MatrixXd M = Eigen::MatrixXd::Constant(n, n, 0.3), J(m, n);
  M.diagonal().setConstant(3);
  for (Index k = 0; k < n; ++k) J.col(k) = random.vector(m, 1);
  const Eigen::MatrixXd independent = J;
  Eigen::MatrixXd dependent = J, massless = M;
  dependent.row(4) = J.row(1) - J.row(2);
  massless.row(3).setZero();
  massless.col(3).setZero();
  Eigen::MatrixXd free = dependent;
  free.col(3).setZero();
  for (const std::string& method : system_methods()) {
    SCOPED_TRACE(method);
    SystemSolver solver(n, m, method);
    R.setZero();
    const AllocationGuard guard;
    solver.solve(M, independent, f, target, R);
    solver.solve(M, dependent, f, target, R);  // infeasible
    EXPECT_EQ(solver.solution().status, Status::infeasible);
    R(4) = 0.1;
    solver.solve(M, dependent, f, target, R);
    solver.solve(massless, independent, f, target);
    solver.solve(massless, free, f, target);
    EXPECT_EQ(solver.solution().status, Status::singular_mass);
    EXPECT_EQ(guard.count(), 0);
  }
}

}  // namespace
}  // namespace zwang::test
