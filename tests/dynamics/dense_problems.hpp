// SPDX-License-Identifier: BSD-3-Clause
// Constrained dynamics as matrices: problems for the solvers of src/linear, and all of these solvers.
#pragma once
#include <functional>
#include <vector>

#include "linear/contact_cholesky.hpp"
#include "linear/kkt_cod.hpp"
#include "linear/kkt_lu.hpp"
#include "linear/kkt_pivoted_qr.hpp"
#include "linear/kkt_qr.hpp"
#include "linear/null_space.hpp"
#include "linear/range_space.hpp"
#include "linear/test_forces.hpp"
#include "support/random.hpp"
#include "support/reference_lexicographic.hpp"

namespace zwang::test {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A problem with the memory behind it.
struct DenseProblem {
  RowMajor M, J;
  Eigen::VectorXd tau, b, R;  ///< R: empty or one per row
  std::vector<unsigned char> held;
  Eigen::VectorXd held_value;
  std::vector<Index> parent;
  Index rank = -1;  ///< by construction; -1: not known

  dense::KktProblem view() const;
  reference::HybridProblem reference() const;
};

/// The answer with memory of its own.
struct DenseAnswer {
  Eigen::VectorXd acceleration, lambda;
  Index rank = 0;
  int iterations = 0;
  dense::KktOutcome outcome = dense::KktOutcome::ok;
};

struct DenseMethod {
  const char* name;
  bool needs_inertia;  ///< M must be definite
  bool tells_singular_rows;
  std::function<void(const dense::KktProblem&, dense::KktAnswer&)> solve;
};
/// Every method, its workspace inside.
std::vector<DenseMethod> dense_methods(Index nv, Index m);
DenseAnswer solve(const DenseMethod& method, const DenseProblem& problem);

/// The mass matrix and the elimination tree of a random robot in a random state; random tau.
DenseProblem random_inertia(std::uint64_t seed, int joints);
/// M = L^T D L on a random tree.
DenseProblem random_tree_inertia(Random& random, int nv);

struct RowMix {
  int rows = 4;
  bool dependent = false;     ///< copies, multiples, sums and zeros among them
  bool inconsistent = false;  ///< b not in their range
  double units = 0;           ///< rows times 10^x, x within +- units
};
/// RowMajor along paths and between two paths (loops, zero on what they share), and b.
void add_rows(Random& random, const RowMix& mix, DenseProblem& problem);

}  // namespace zwang::test
