// SPDX-License-Identifier: BSD-3-Clause
// TreeCholesky: M = L^T D L with the sparsity of the tree, all solves and products, and the inverse.
#pragma once
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/core/buffer.hpp"

namespace zwang {
namespace detail {
struct SweptFactor;
}

/// Allocated once for a model, one per thread; compute() and everything after it allocate nothing.
/// compute(): from M on shallow trees (Featherstone 2005), from articulated bodies on deep ones, O(n d); throws
/// SingularMassError where a coordinate has no inertia. forward_dynamics_derivatives() fills it from its sweep.
class TreeCholesky {
 public:
  explicit TreeCholesky(const Model& model);
  void compute(Data& data, VectorIn q, const JointEffects& effects = {});

  void solve(VectorOut x) const;                ///< x := M^-1 x
  void multiply(VectorOut x) const;             ///< x := M x
  void solve_lower(VectorOut x) const;          ///< x := L^-1 x
  void solve_transposed(VectorOut x) const;     ///< x := L^-T x
  void multiply_lower(VectorOut x) const;       ///< x := L x
  void multiply_transposed(VectorOut x) const;  ///< x := L^T x
  void inverse(MatrixOut out) const;            ///< M^-1, nv x nv
  double diagonal(Index k) const;               ///< D_k
  double lower(Index k, Index j) const;         ///< L_kj, 0 off the path

 private:
  friend struct detail::SweptFactor;
  void check_whole(const char* function) const;  ///< throws where it was moved from
  void check_computed(const char* function) const;
  using VectorKernel = void (*)(const void* tree, const double* a, double* x);
  void apply(VectorOut& x, const char* function, VectorKernel kernel) const;

  Model model_;
  bool by_matrix_;  ///< from M, else from articulated bodies
  bool by_rows_;    ///< inverse from the factor, else from articulated bodies
  Buffer<double> a_;
  Buffer<double> columns_;          ///< page::ArticulatedColumn<double>; empty where M itself is factored
  mutable Buffer<double> scratch_;  ///< of inverse, and of derivatives of forward dynamics
  bool computed_ = false;
};

}  // namespace zwang
