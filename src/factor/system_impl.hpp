// SPDX-License-Identifier: BSD-3-Clause
// SystemImpl: the matrices of a SystemSolver, its method, and what says whether its equations hold.
#pragma once
#include <algorithm>
#include <memory>

#include "linear/kkt_problem.hpp"
#include "zwang/core/scalar.hpp"
#include "zwang/factor/system.hpp"

namespace zwang {

/// A workspace of linear/ behind one face.
struct MatrixMethod {
  virtual ~MatrixMethod() = default;
  virtual void solve(const dense::KktProblem& p, dense::KktAnswer& answer) = 0;
  virtual void solve_again(const dense::KktProblem& p, dense::KktAnswer& answer) = 0;
};
/// What an answer is measured by.
struct SystemMeasure {
  SystemMeasure(Index size, Index rows)
      : terms(size),
        row_terms(rows),
        x_rounding(size),
        lambda_rounding(rows),
        x_before(size),
        lambda_before(rows) {}
  double motion_residual = 0;                  ///< of the equations of motion, relative
  double obeyed = 0;                           ///< of the squared sine: rows at a smaller angle are redundant
  Buffer<double> terms, row_terms;             ///< of both equations
  Buffer<double> x_rounding, lambda_rounding;  ///< below, entries may be rounding of the largest force
  Buffer<double> x_before, lambda_before;
};

struct SystemImpl : SystemMeasure {
  static constexpr double k_eps = epsilon_of<double>;
  using Long = long double;  ///< of the residuals: these terms cancel

  SystemImpl(Index size, Index rows, std::unique_ptr<MatrixMethod> by, bool definite_only)
      : SystemMeasure(size, rows),
        n_most(size),
        m_most(rows),
        method(std::move(by)),
        needs_definite(definite_only),
        M(size * size),
        J(rows * size),
        f(size),
        target(rows),
        R(rows),
        x(size),
        lambda(rows),
        tau(size),
        b(rows),
        dx(size),
        dlambda(rows),
        work((size + rows) * (std::max(size, rows) + 1)),
        stiffness(size * size),
        scale(size),
        parent(size) {
    for (Index k = 0; k < size; ++k) parent[k] = k - 1;  // one chain: nothing is known of the zeros of M
  }
  void check();
  dense::KktProblem problem(const double* right, const double* right_rows) const;
  void residual();
  bool refine();
  void settle_empty_rows();
  void find_redundant(SystemReport& facts, double tolerance);
  void agree_on_redundant(SystemReport& facts);
  bool is_determined();
  bool keep(Index row, double tolerance);
  bool depend(const Index* row, const Index* end, Index first, Index last);
  bool is_least_squares(const SystemReport& facts);
  void measure_sizes();
  void measure(SystemReport& facts);
  void settle_zeros(double tolerance);
  bool holds(SystemReport& facts);
  void certify(SystemReport& facts);
  void fail(SystemReport& facts, Status status);

  Index n_most, m_most, n = 0, m = 0;
  Index kept = 0;        ///< independent rows, orthonormal in `work`, n + m numbers each
  bool definite = true;  ///< M
  std::unique_ptr<MatrixMethod> method;
  bool needs_definite;
  Buffer<double> M, J, f, target, R, x, lambda;
  Buffer<double> tau, b;  ///< what is left of both equations, or a right-hand side
  Buffer<double> dx, dlambda, work, stiffness, scale;
  Buffer<Index> parent;
};

}  // namespace zwang
