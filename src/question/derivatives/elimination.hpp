// SPDX-License-Identifier: BSD-3-Clause
// Elimination: d(q'', lambda) of a solution by all inputs, where M and G = J M^-1 J^T are regular and rows are hard.
//
//   M dx - J^T dlambda + dr1 = 0,   J dx + dr2 = 0          Y = M^-1 J^T,   G = J Y
//   x = -M^-1 dr1,   rho = dr2 + J x,   dlambda = -G^-1 rho,   dx = x + Y dlambda
//   by q, v: dr1, dr2 of the state        by tau: x = M^-1, rho = Y^T        by beta: dlambda = G^-1
//
// Benzi, Golub & Liesen 2005, "Numerical solution of saddle point problems", section 5 (Schur complement reduction).
// Only products of small matrices (linear/page/small_products.hpp), so that many columns cost less than to solve for
// each; columns of J outside of the rows' paths and entries of dr1 off the paths are left out.
// Where rows nearly depend, what a column leaves of J dx = -dr2 is eliminated once more, if G^-1 is good enough for it
// to be taken back: it satisfies J Y G^-1 = 1 to half of the digits.
#pragma once
#include <optional>

#include "algorithm/cheaper_factor.hpp"
#include "question/derivatives/row_matrices.hpp"

namespace zwang {

class Elimination {
 public:
  explicit Elimination(const Model& model);

  /// Where M at the state is wanted, [nv x nv]; nullptr: nowhere, its factor is found without.
  double* mass_matrix() { return by_matrix_ ? factor_.data() : nullptr; }
  /// Of the rows, all of them hard; derivatives of inverse dynamics have been, and M is in mass_matrix(). False where a
  /// joint has no inertia, G is not positive definite or, of rows `in_doubt`, one more elimination would not do.
  bool begin(const Problem& problem, RowMatrices& rows, bool in_doubt);

  /// Where columns of a result go: [nv x count] and [rows x count] without gaps, eight numbers behind them are written
  /// over.
  struct Out {
    double *acceleration, *multipliers;
  };
  /// By an input whose dr1 is [nv x nv], dr2 [rows x nv] in columns of rows.height(). `along_paths`: dr1 is zero but
  /// where one coordinate is on the path of the other. Returns whether all is finite.
  bool by_state(const double* torque, bool along_paths, const double* rows, const Out& out);
  bool by_torque(const Out& out);
  bool by_beta(const Out& out);

 private:
  void make_room(Index rows, Index most);
  bool invert_mass(const Problem& problem);
  bool is_settled();
  /// The columns in x_; without `rows` dr2 = 0. `twice`: what is left of the rows' equations, too.
  bool eliminate(Index columns, bool twice, const double* rows, const Out& out);
  bool add(Index rows, Index columns, const double* A, const double* B, const double* from, double* to,
           Index to_stride) const;
  void add_rows(Index columns, const double* x, const double* rows, double* to) const;

  Index nv_, width_, rows_ = 0, height_ = 0;
  CheaperFactor way_;
  bool by_matrix_, in_doubt_ = false, exact_ = false;
  std::optional<Data> apart_;  ///< where M is not asked for: those of the solution stay as they are
  const Tree<double>* tree_ = nullptr;
  Buffer<double> factor_;             ///< [nv x nv]
  Buffer<double> columns_, scratch_;  ///< of FactorKernels
  Buffer<double> mass_inverse_;       ///< [width x nv]
  Buffer<double> x_;                  ///< [width x nv] accelerations before the rows' multipliers act
  Buffer<double> store_;
  Buffer<Index> room_;  ///< [2 nv]
  const RowMatrices* of_ = nullptr;
  const double* jacobian_ = nullptr;                                    ///< [height x nv]
  double *transposed_ = nullptr, *response_ = nullptr;                  ///< [width x rows] J^T, Y
  double* negative_ = nullptr;                                          ///< [height x rows] -G^-1
  double *rho_ = nullptr, *multipliers_ = nullptr, *change_ = nullptr;  ///< [height x nv]
};

}  // namespace zwang
