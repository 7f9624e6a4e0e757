// SPDX-License-Identifier: BSD-3-Clause
// LevelSquares: least squares of one level of priority over forces within their limits, while the levels above keep
// what they have found. A primal active set by orthogonal factors (Björck 1996, Numerical Methods for Least Squares
// Problems, 5.2; levels: Escande, Mansard & Wieber 2014).
//
//   min |A_p x - a_p|   over x with   A_j x = y_j of the levels above,   low <= G x <= high
// x: multipliers of rows times |W_k|, so that all have one unit; lines of G have unit length.
//
//   V: orthonormal, of the lines at a bound and of the coordinates above; Q: of what A_p can move beside these.
//   1. d = argmin |A_p (x + d) - a_p| over d in the span of Q, as far as the lines that are inside allow; the first one
//      that does not joins those at a bound.
//   2. Where the whole step is possible: of the lines at a bound, the one whose release gains most is released. u: the
//      direction that moves this line alone; its gain is the part of the rest r = A_p x - a_p along what A_p u adds to
//      A_p Q. None gains more than rounding: this is the best of the level.
// Steps never leave the bounds, and no rest grows. The certificate: what gains and steps are left, over the terms that
// cancel in r.
//
// DIFFERS: no multipliers: a gain does not depend on how nearly the lines depend on each other.
// Cost of a step O(n k^3) for n unknowns and k coordinates and lines. Allocates at construction.
#pragma once
#include "choose/active_set.hpp"

namespace zwang {

class LevelSquares {
 public:
  LevelSquares(Index unknowns, Index lines);
  void begin(Index unknowns, Index coordinates, Index lines);
  double* coordinate(Index j) { return A_.data() + j * stride_; }
  const double* coordinate(Index j) const { return A_.data() + j * stride_; }
  double* line(Index i) { return G_.data() + i * stride_; }
  const double* line(Index i) const { return G_.data() + i * stride_; }

  Buffer<double> x;              ///< within the bounds
  Buffer<double> wanted, value;  ///< [coordinates] a, and A x of the levels done
  Buffer<double> given;          ///< [coordinates] magnitude of the terms of a
  Buffer<double> noise;          ///< [coordinates] of an entry of A, by the rule of the rank: less is no motion
  Buffer<double> rounding;       ///< [coordinates] the same by rounding alone: less is not kept for lower levels
  Buffer<double> low, high;      ///< [lines]
  Buffer<ActiveSet::At> at;      ///< [lines]
  /// Coordinates from .. to - 1. False where the steps do not end.
  bool minimise(Index from, Index to, const Interruption* stop);
  /// How far the level is from its best, over its terms, at x as it is now.
  double violation(Index from, Index to) const;
  /// Whether its terms were larger when it was done: their rounding is in x, and it is worth doing again.
  bool has_shrunk(Index from, Index to) const;
  /// The magnitude of the terms of A_j x.
  double terms(Index j) const;

 private:
  enum class Order { lines_first, coordinates_first };
  void hold(Index from, Order order);
  void join(const double* row, Index name, double least);
  void join_lines();
  void correct();
  void reach(Index from, Index to);
  void find_step(Index from, Index to);
  double largest_step(Index& blocked) const;
  double gain(Index place, Index from, Index to, Index columns);
  double rest_of(Index j) const;
  bool release_dependent();
  double size_of(Index from, Index to) const;

  Index stride_, n_ = 0, lines_ = 0;
  Buffer<double> A_, G_, beside_;  ///< beside_: [lines] of those that have not joined, the rest beside V
  Buffer<unsigned char> joins_;    ///< [lines] may join
  struct Span {
    Buffer<double> vectors, triangle;  ///< [room x stride]; [room x room] rows held = triangle^T vectors
    Buffer<Index> name;                ///< [room] coordinate j, or ~i of line i
    Index held = 0, count = 0;         ///< V, then Q
  };
  Span span_;
  Buffer<double> C_, R_, rest_, step_, part_;  ///< orthonormal A_p Q = C R; r; d; scratch
  Buffer<double> open_, size_;                 ///< [first coordinate of a level] what it could gain, and its terms then
};

}  // namespace zwang
