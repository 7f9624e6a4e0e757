// SPDX-License-Identifier: BSD-3-Clause
// ContactSolver allocates in reserve() alone: cold and warm, by every stage, infeasible, not finite, by its matrix.
#include <Eigen/Dense>
#include <cmath>

#include "support/no_allocation.hpp"
#include "zwang/contact/contact_solver.hpp"

namespace zwang::test {
namespace {

TEST(ContactSolverCalls, AllocateNothing) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Eigen::MatrixXd W = Eigen::MatrixXd::NullaryExpr(
      6, 12, [](Eigen::Index i, Eigen::Index j) { return std::sin(static_cast<double>(3 + 7 * i + 11 * j + i * j)); });
  const Eigen::VectorXd y = Eigen::VectorXd::LinSpaced(6, -2, 1), offset = Eigen::VectorXd::Constant(12, -1);
  const Eigen::VectorXd R = Eigen::VectorXd::LinSpaced(12, 0, 1), nan = Eigen::VectorXd::Constant(6, std::nan(""));
  const Eigen::MatrixXd G = W.transpose() * W;
  const Eigen::VectorXd g = W.transpose() * y;
  const std::vector<ContactCone> rough(4, {.mu = 0.5}), none;
  ContactSolver ordinary, thorough({.accept = 1e-16, .target = 1e-300});  // never enough: every stage is tried
  for (ContactSolver* solver : {&ordinary, &thorough}) {
    solver->reserve(12, 12, 4);
    EXPECT_NO_ALLOCATION(solver->solve(rough, {.W = W, .y = y}));
    const Eigen::VectorXd warm = solver->impulses();
    EXPECT_NO_ALLOCATION(solver->solve(rough, {.W = W, .y = y, .warm = warm}));
    EXPECT_NO_ALLOCATION(solver->solve(rough, {.W = W, .y = y, .offset = offset, .compliance = R}));
    EXPECT_NO_ALLOCATION(solver->solve(rough, {.W = W, .y = nan}));
    solver->solve(rough, ContactMatrixInput{.G = G, .g = g});  // makes room for the root of G
    EXPECT_NO_ALLOCATION(solver->solve(rough, ContactMatrixInput{.G = G, .g = g}));
  }
  const Eigen::MatrixXd platens = Eigen::RowVector2d(1, -1);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(1), closing = Eigen::VectorXd::Constant(2, -1);
  const std::vector<ContactCone> two(2, {.kind = ContactCone::Kind::unilateral});
  EXPECT_NO_ALLOCATION(ordinary.solve(two, {.W = platens, .y = rest, .offset = closing}));
  EXPECT_EQ(ordinary.report().status, Status::infeasible);
}

}  // namespace
}  // namespace zwang::test
