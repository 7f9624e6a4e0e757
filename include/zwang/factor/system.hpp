// SPDX-License-Identifier: BSD-3-Clause
// SystemSolver: constrained dynamics from plain matrices, without a model.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "zwang/algorithm/reference.hpp"
#include "zwang/core/status.hpp"

namespace zwang {

/// What a SystemSolver says of a problem, besides the numbers.
struct SystemReport {
  /// ok: both equations hold within `tolerance` and no other x satisfies them. infeasible: the rows of `infeasible`
  /// do not hold, each of them depends on others, and what is left of all rows is least squares.
  /// singular_mass: M is singular where the rows do not determine x (a pivot of M plus the rows, with ones on
  /// the diagonal, is at most 16 epsilon (n + 1)), or for range_space singular at all. not_converged: x and
  /// lambda are there, but none of this is true of them.
  Status status = Status::ok;
  Index rank = 0;  ///< of the rows; rows with R > 0 count in full
  Index rows = 0;  ///< m
  /// Largest difference of the sides of an equation over the sum of the magnitudes of its own terms:
  /// |M x - f - J^T lambda| over |M||x| + |f| + |J^T||lambda|, row by row, likewise |J x + R lambda - target|. Entries
  /// of x and lambda that may be the rounding of the largest force are 0 where an equation holds by that alone.
  double residual = 0;
  double tolerance = 0;           ///< an equation with a smaller residual holds: 1e4 epsilon (n + m)
  double objective = 0;           ///< 1/2 x^T M x - f^T x + 1/2 lambda^T R lambda: Gauss' function without its constant
  std::vector<Index> redundant;   ///< rows that depend on rows before them
  std::vector<Index> infeasible;  ///< rows that do not hold
};

/// Results of a SystemSolver. All numbers are 0 where the status has no result (has_result).
struct SystemSolution : SystemReport {
  Eigen::VectorXd x;            ///< [n]
  Eigen::VectorXd multipliers;  ///< lambda [m], the shortest where rows depend on each other
};

struct SystemImpl;

/// Solves    M x = f + J^T lambda,   J x + R lambda = target
///
/// M: n x n, symmetric, positive semidefinite; J: m x n, of any rank; R: diagonal, 0 or more. With M q'' + h = tau +
/// J^T lambda: f = tau - h, x = q''. Of all lambda the shortest; rows that contradict each other are met in least
/// squares, both in the rows' own units. M may be singular where the rows determine x, except for range_space.
/// Methods: dense_lu, dense_qr, dense_cod, range_space, null_space, as in Solver. A row counts as dependent if the sine
/// of its angle to the rows before it is below the root of 64 epsilon m (about 1e-7).
/// Allocates at construction; solve() does not for problems of that size. For smaller ones x and multipliers take
/// memory of their own size whenever it changes.
class SystemSolver {
 public:
  /// For n coordinates and m rows or fewer. Throws UnsupportedError for methods that need a model,
  /// std::invalid_argument for unknown ones with the nearest name, and for negative sizes.
  SystemSolver(Index n, Index m, const std::string& method = "dense_cod") : impl_(make(n, m, method)) {
    solution_.x.resize(n);
    solution_.multipliers.resize(m);
    for (Index i = 0; i < n; ++i) solution_.x[i] = 0;
    for (Index i = 0; i < m; ++i) solution_.multipliers[i] = 0;
    solution_.redundant.reserve(static_cast<std::size_t>(m));
    solution_.infeasible.reserve(static_cast<std::size_t>(m));
  }
  SystemSolver(SystemSolver&&) noexcept = default;
  SystemSolver& operator=(SystemSolver&&) noexcept = default;

  /// R: [m], or empty for zeros. Throws std::invalid_argument naming the argument for wrong sizes, sizes beyond those
  /// of the construction, entries that are not finite, M that is not symmetric or not semidefinite, and negative R.
  const SystemSolution& solve(MatrixIn M, MatrixIn J, VectorIn f, VectorIn target, VectorIn R = Eigen::VectorXd()) {
    const SystemNumbers out = compute(impl_, M, J, f, target, R, solution_);
    copy(out.x, out.n, solution_.x);
    copy(out.multipliers, out.m, solution_.multipliers);
    return solution_;
  }
  const SystemSolution& solution() const { return solution_; }  ///< of the last solve; after a throw, of the one before

 private:
  struct SystemNumbers {
    const double *x, *multipliers;
    Index n, m;
  };
  /// Memory of Eigen is made here, in the caller's file. A loop compiles faster than an assignment of Eigen.
  static void copy(const double* from, Index n, Eigen::VectorXd& to) {
    to.resize(n);
    for (Index i = 0; i < n; ++i) to[i] = from[i];
  }
  static std::shared_ptr<SystemImpl> make(Index n, Index m, const std::string& method);
  static SystemNumbers compute(const std::shared_ptr<SystemImpl>& impl, MatrixIn M, MatrixIn J, VectorIn f,
                               VectorIn target, VectorIn R, SystemReport& report);
  std::shared_ptr<SystemImpl> impl_;  // not shared: its deleter is known to the library alone
  SystemSolution solution_;
};

/// One problem, with a SystemSolver of its own.
inline SystemSolution solve_system(MatrixIn M, MatrixIn J, VectorIn f, VectorIn target, VectorIn R = Eigen::VectorXd(),
                                   const std::string& method = "dense_cod") {
  SystemSolver solver(static_cast<Index>(M.rows()), static_cast<Index>(J.rows()), method);  // memory by what is there
  return solver.solve(M, J, f, target, R);
}
/// The names for SystemSolver's `method`; the first is the default.
std::vector<std::string> system_methods();

}  // namespace zwang
