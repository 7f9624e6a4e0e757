// SPDX-License-Identifier: BSD-3-Clause
// The members of a Delassus: the rows of a problem, the same rows sorted by bodies, the workspaces of the pages.
#pragma once
#include "factor/page/efpa.hpp"
#include "factor/page/pv_osimr.hpp"
#include "factor/page/resolve.hpp"
#include "factor/page/sparse_delassus.hpp"
#include "rows/problem.hpp"
#include "zwang/factor/delassus.hpp"

namespace zwang {

struct DelassusImpl {
  DelassusImpl(const Model& model, const ConstraintSet& set);

  void compute(const double* q, const JointEffects& effects, const Prescribed* prescribed);
  void read_rows();
  void find_shared();
  void matrix(double* out, Index stride, DelassusMethod method);
  /// Accelerations a of the bodies caused by J^T x.
  void accelerate(const Data& factor, const double* x);
  /// y = J a + diag(R) x
  void look_at_rows(const double* x, double* y) const;
  void take_mu(const char* function, const double* mu, Index count);
  void factor_damped(const char* function);  ///< G + mu = L L^T in `factor`
  void inverse(double* out, Index stride);   ///< of L L^T
  void solve(const char* function, const double* b);
  void solve_damped(const double* b, double* x);  ///< one articulated-body solve

  OwnProblem problem;
  Data damped;  ///< the factor of M + J^T mu^-1 J
  Buffer<page::RowBlock<double>> block;
  page::RowBlocks<double> rows;
  Buffer<double> compliance;           ///< [m] R
  Buffer<Index> row_in_order;          ///< [m] row of the sweep -> row in the user's order
  Buffer<Index> rows_on, first_block;  ///< [n + 1]
  page::OsimrStage<double> osimr;
  page::EfpaStage<double> efpa;
  page::SparseStage<double> sparse;
  page::RowNumbers<double> no_rows;  ///< a solve on the mass matrix alone is one without rows
  page::SweepStage<double> no_sweep;
  page::RightHandSide<double> rhs;
  Buffer<double> zero, qdd;   ///< [nv]
  Buffer<double> mu, answer;  ///< [m]
  struct Scratch {
    Buffer<double> rest, step, image, zero;
  } scratch;                 ///< [m]
  Buffer<double> factor;     ///< [m x m]
  Index shared_column = -1;  ///< shares its coordinate and is coupled with rows before its elimination; or -1
  bool computed = false, joined = false;
  bool busy = false;                            ///< compute() is in progress, which may be evaluating rows of the user
  bool is_damped = false, is_factored = false;  ///< `damped`, `factor` are valid for `mu`
};

}  // namespace zwang
