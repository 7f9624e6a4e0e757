// SPDX-License-Identifier: BSD-3-Clause
// LevelForces: multipliers that serve rows of several levels as well as limits allow, the highest level first.
//
//   C: lower <= lambda <= upper of rows, lower <= u - tau <= upper of motors     y(lambda) = y_0 + W^T lambda
//   y*: the motion of the rows by their levels without limits, in coordinates of an orthonormal basis Q, level by level
//   level p = 0, 1, ...:   minimise |y_p(lambda) - y_p*| over lambda in C that keep y_0 .. y_{p-1} as they were found
// |y|^2 = q''^T M q'': every level comes as close as it can, in Gauss' metric, to what it would do without limits. So a
// row of a lower level gives way before one of a higher level does. With one level this is the rule of limits itself:
// minimise 1/2 |y|^2 - b^T lambda over C is |y - y*| minimal over C.
// Every level is a problem of LevelSquares, which begins with forces within C: the multipliers without limits, each
// within its own, and all of them as much smaller as motors ask for. Where motors do not keep their limits without
// forces of the rows, ActiveSet finds such forces, or that there are none, for one level with stiff clutches. Soft rows
// stand above all levels. Escande, Mansard & Wieber 2014 solve levels with bounds on the motion; here they are on
// forces. Allocates at construction.
#pragma once
#include "choose/clutch.hpp"
#include "choose/level_squares.hpp"

namespace zwang {

/// The rows of all levels in coordinates of the basis.
struct LevelBasis {
  LevelBasis(Index coordinates, Index rows);
  double* vector(Index j) { return Q_.data() + j * stride_; }
  const double* vector(Index j) const { return Q_.data() + j * stride_; }
  double* row(Index k) { return T_.data() + k * rows_; }
  const double* row(Index k) const { return T_.data() + k * rows_; }
  /// T_k . x over the coordinates of the levels up to that of row k.
  double of(Index k, const Buffer<double>& x) const;

  Index stride_, rows_, rank = 0, levels = 0;
  Buffer<double> Q_, T_;        ///< [rank x coordinates]; [rows x rank]
  Buffer<double> free, target;  ///< [rank] of y_0 and y*
  Buffer<double> length;        ///< [rows] |W_k|
  Buffer<Index> first, pivot;   ///< [levels + 1] coordinate of a level; [rank] the row that it came with
  Buffer<Index> level_of;       ///< [rows] its number, from 0
};

class LevelForces {
 public:
  LevelForces(Index coordinates, Index rows, Index motors);

  struct Input {
    const Problem& whole;
    const double* J;       ///< [rows x nv]
    const Clutch& clutch;  ///< with units
    Index coordinates;     ///< of W in the set
    bool weighted;         ///< least squares in the metric of the weights
    ActiveSet::Tolerances tolerance;
    const Interruption* stop;
    const double* rounding;     ///< [rows] of |W_k|: a part of a row that is smaller is no direction of its own
    const double* multipliers;  ///< [rows of the set] without limits
  };
  /// `set` holds W, b, y_0 and the bounds of the rows; it is written over.
  ActiveSet::End find(ActiveSet& set, const Input& in);

  enum class Place : unsigned char {
    held,       ///< as without limits
    at_limit,   ///< of its own
    gives_way,  ///< to the limit of another row or motor
    priority,   ///< to rows of higher levels, also without limits
    conflict,   ///< with rows of its level, also without limits
  };
  Place place(Index k) const { return place_[k]; }
  double lambda(Index k) const { return lambda_[k]; }
  bool motor_at_limit(Index i) const { return motor_at_[i] != 0; }
  /// What the clutch of the motor still slips by in the first level: not 0 where no forces keep the limits.
  double motor_growth(Index i) const { return motor_growth_[i]; }
  /// The magnitude of the terms of row k: of the motions that its own coordinates are sums of.
  double terms(Index k) const;
  /// Independent rows that hold.
  Index rank_held() const;
  /// How far the motion y [coordinates] is from the one found: of each level, over the terms of this level.
  double miss(const double* y) const;
  /// How far the motion y of a method without limits meets rows otherwise than y* does, over the terms of the row:
  /// whether both count the same rows.
  double reference_miss(const double* y, const Input& in);
  /// How far a level is from its best, over its terms.
  double violation() const { return violation_; }

 private:
  void express(Index k, Index j);
  bool counts(Index k, double rest, double tolerance, const Input& in) const;
  void find_basis(const ActiveSet& set, const Input& in);
  void find_target(const Input& in);
  bool solve_pivots(Index level, const Input& in);
  void solve_squares(Index level, const Input& in);
  double right(Index k, Index level) const;
  void write_squares(const Input& in);
  bool start_within(const Input& in);
  bool start_by_set(ActiveSet& set, const Input& in);
  void take(const Input& in);
  void place_rows(const Input& in);

  LevelBasis basis_;
  Buffer<double> b_, lower_, upper_;  ///< [rows] of the problem
  Buffer<double> found_, lambda_;     ///< [rank] y; [rows]
  LevelSquares squares_;
  Buffer<Index> line_of_;           ///< [rows] of the bound, or -1; those of motors follow
  Buffer<double> A_, R_, x_;        ///< least squares of a level; R_: first, coefficients of rows on those that count
  Buffer<unsigned char> motor_at_;  ///< [motors]
  Buffer<double> motor_growth_;     ///< [motors]
  Buffer<Place> place_;
  Buffer<ActiveSet::At> at_;
  Index lines_ = 0;
  double violation_ = 0;
  double rounding_ = 0;  ///< what forces that cancel leave of y, because they are doubles
};

}  // namespace zwang
