// SPDX-License-Identifier: BSD-3-Clause
// Solvers on matrices allocate nothing once they are made, whatever the rows are like.
#include "linear/contact_cholesky.hpp"
#include "linear/kkt_cod.hpp"
#include "linear/kkt_lu.hpp"
#include "linear/kkt_pivoted_qr.hpp"
#include "linear/kkt_qr.hpp"
#include "linear/null_space.hpp"
#include "linear/range_space.hpp"
#include "linear/test_forces.hpp"
#include "support/no_allocation.hpp"
#include "support/random.hpp"

namespace zwang::test {
namespace {

template <class Workspace> class DenseNoAllocation : public testing::Test {};
using Methods = testing::Types<dense::KktLuWorkspace, dense::KktQrWorkspace, dense::KktPivotedQrWorkspace,
                               dense::KktCodWorkspace, dense::NullSpaceWorkspace, dense::RangeSpaceWorkspace,
                               dense::ContactCholeskyWorkspace, dense::TestForcesWorkspace>;
TYPED_TEST_SUITE(DenseNoAllocation, Methods);

TYPED_TEST(DenseNoAllocation, Solve) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  constexpr Index n = 7, m = 5;
  Random random(4);
  double M[n * n] = {}, J[m * n], tau[n], b[m], R[m] = {0, 0.1, 0, 0, 0}, a[n], lambda[m], value[n] = {};
  Index parent[n];
  unsigned char held[n] = {0, 0, 1, 0, 0, 0, 0};
  for (Index k = 0; k < n; ++k) {
    parent[k] = k - 1;
    for (Index j = 0; j < n; ++j) M[k * n + j] = j == k ? 3 : 0.3;
    tau[k] = random.uniform(-1, 1);
  }
  for (Index i = 0; i < m; ++i) {
    b[i] = random.uniform(-1, 1);
    for (Index k = 0; k < n; ++k) J[i * n + k] = i == 4 ? J[k] : random.uniform(-1, 1);
  }
  dense::KktProblem p;
  p.nv = p.M_stride = p.J_stride = n;
  p.M = M;
  p.tau = tau;
  p.J = J;
  p.b = b;
  p.held_value = value;
  p.row_parent = parent;
  dense::KktAnswer answer;
  answer.acceleration = a;
  answer.lambda = lambda;
  TypeParam workspace(n, m);
  const AllocationGuard guard;
  for (Index rows = 0; rows <= m; ++rows)  // the last one depends on the first
    for (const bool soft : {false, true})
      for (const bool some_held : {false, true}) {
        p.m = rows;
        p.R = soft ? R : nullptr;
        p.held = some_held ? held : nullptr;
        workspace.solve(p, answer);
      }
  M[0] = -1;  // no inertia
  workspace.solve(p, answer);
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace zwang::test
