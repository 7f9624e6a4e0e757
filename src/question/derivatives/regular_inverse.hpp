// SPDX-License-Identifier: BSD-3-Clause
// RegularInverse: all of A^-1 where M and G = J M^-1 J^T are regular, A = [M, -J^T; J, 0].
// In the unknowns (x, -lambda):
//
//   [M, J^T; J, 0]^-1 = [P, Q; Q^T, S]      Y = M^-1 J^T,  S = -G^-1,  Q = Y G^-1,  P = M^-1 - Q Y^T
//
// Benzi, Golub & Liesen 2005, "Numerical solution of saddle point problems", (3.4). Cost O(nv^2 (d + m));
// only products, so that many columns cost less than to solve for each. Jacobians of a solution are
// columns of A^-1 and one product with it. Where rows nearly depend, steps of refinement take back what G^-1 loses,
//
//   A^-1 := A^-1 - A^-1 [0; J X - 1],   X the upper rows of A^-1
#pragma once
#include "algorithm/cheaper_factor.hpp"
#include "rows/problem.hpp"

namespace zwang {

class RegularInverse {
 public:
  explicit RegularInverse(const Model& model);

  /// A^-1 at the problem's state, of its attached rows, all of them hard. False where a joint has no inertia, G is not
  /// positive definite or, of rows `in_doubt`, refinement does not settle: nothing is known then.
  bool invert(const Problem& problem, bool in_doubt);

  /// B := -A^-1 B for `size()` columns of `stride()` numbers, in (x, -lambda); numbers from nv + rows on are zero.
  void negative_product(double* B);
  /// What the product in product(), of [torques; rows], lacks for J x = -rows, [rows x nv]: as a product with A^-1 has
  /// the rounding of all of A^-1, and these equations are small where rows are stiff. Numbers as in the product.
  const double* correct_rows(const double* rows);
  double* product() { return transposed_.data(); }  ///< room for such a B, where J^T was
  Index stride() const { return stride_; }
  Index size() const { return stride_; }
  double operator()(Index r, Index c) const { return inverse_[c * stride_ + r]; }
  const double* column(Index c) const { return inverse_.data() + c * stride_; }

 private:
  void make_room(Index nv, Index rows);
  bool invert_mass(const State& state);
  void read_rows(const Problem& problem);
  bool invert_G();
  bool invert_rows();
  bool refine();
  void mirror_mass();

  Data data_;  ///< those of the solution stay as they are
  CheaperFactor way_;
  Buffer<double> factor_, columns_, scratch_;  ///< of FactorKernels
  Index nv_ = 0, rows_ = 0, stride_ = 0;
  Buffer<double> inverse_;     ///< [stride x (stride + 4)] M^-1, then all
  Buffer<double> transposed_;  ///< likewise J^T, then Q^T
  Buffer<double> product_;     ///< likewise -Y
  Buffer<double> G_;           ///< likewise G, then its inverse
  Buffer<double> jacobian_;    ///< likewise J^T
  Buffer<double> work_;        ///< [stride]
};

}  // namespace zwang
