// SPDX-License-Identifier: BSD-3-Clause
// Solves and products of a ContactCholesky allocate nothing.
#include "support/no_allocation.hpp"
#include "zwang/question/contact_cholesky.hpp"

namespace zwang::test {
namespace {

TEST(ContactCholeskyCalls, SolvesAndProductsAllocateNothing) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  Eigen::MatrixXd M = Eigen::MatrixXd::Constant(4, 4, 0.5), J = Eigen::MatrixXd::Ones(2, 4), all(6, 6);
  M.diagonal().setConstant(2);
  J(1, 2) = -1;
  const ContactCholesky c(M, J);
  Eigen::VectorXd x = Eigen::VectorXd::Ones(6);
  const AllocationGuard guard;
  c.solve(x);
  c.multiply(x);
  c.multiply_upper(x);
  c.multiply_upper_transposed(x);
  c.solve_upper(x);
  c.solve_upper_transposed(x);
  c.matrix(all);
  c.U(all);
  EXPECT_EQ(c.D().size(), 6);
  const ContactCholesky copy = c;
  EXPECT_EQ(copy.size(), 6);
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace zwang::test
