// SPDX-License-Identifier: BSD-3-Clause
// ActiveSet: which rows with bounds on their multipliers hold, and which are released. Goldfarb & Idnani 1983,
// A numerically stable dual method for solving strictly convex quadratic programs, Math. Programming 27, in the space
// of the rows.
//
//   y = y_0 + W^T lambda,   w = W y - b      y: the motion in the metric of M, |y|^2 = q''^T M q''; w: [rows]
//   a row without bounds     w_k = 0
//   lower <= lambda <= upper w_k = 0 inside; w_k >= 0 at the lower bound, w_k <= 0 at the upper one
// W: rows of L^-1 J^T with M = L L^T; a soft row has sqrt(R) in a column of its own, so that w includes R lambda.
// This is minimal 1/2 |y|^2 over all lambda within their bounds, less b^T lambda.
//
// Every step takes the row p that is violated most, per unit of its motion |W_p|. d: the part of W_p normal to the rows
// held; r: the change of their multipliers.  t = min(-w_p / |d|^2, the first bound that a multiplier of them or of p
// reaches).  Either p joins the rows held, or a row leaves them and p is tried again, or p stays at its other bound.
// The objective falls by every step that is not zero, and zero steps only shrink the set: no set comes twice.
//
// Stiff coordinates have next to no inertia: W and start carry a large factor there, so that 1/2 |y|^2 counts them as a
// penalty. find_stiff() is the limit without inertia: it repeats start <- start + what is left there (method of
// multipliers; Hestenes 1969), first for the rows found, then, from there, with a new choice of rows.
//
// DIFFERS: bounds on both sides; rows that depend on those held have no d, and are violated only beyond `feasible`, not
// by rounding; the basis is made anew when a row leaves.
// Cost O(n k^2) for k steps, n coordinates. Allocates at construction.
#pragma once
#include "linear/interruption.hpp"
#include "zwang/core/buffer.hpp"
#include "zwang/core/index.hpp"

namespace zwang {

class ActiveSet {
 public:
  /// Where the multiplier of a row is.
  enum class At : unsigned char { lower, inside, upper };
  enum class End {
    found,
    infeasible,  ///< the rows inside and `contradicted()` cannot hold together
    unsettled,   ///< more steps than rounding explains, or stopped
  };

  ActiveSet(Index coordinates, Index rows, const Interruption* stop = nullptr);
  void begin(Index coordinates, Index rows);  ///< for a problem of this size
  double* row(Index k) { return W_.data() + k * stride_; }
  const double* row(Index k) const { return W_.data() + k * stride_; }
  double* start() { return start_.data(); }  ///< y_0
  const double* start() const { return start_.data(); }

  /// The smallest sine of a row to those held that counts as a direction of its own, and the smallest violation of a
  /// row that has none, relative to its terms.
  struct Tolerances {
    double angle, feasible;
  };
  End find(const Tolerances& tolerances);
  /// The same where the last `stiff` coordinates are stiff; where there are any, the multipliers are there, too.
  End find_stiff(const Tolerances& tolerances, Index stiff);

  /// Of row k: the problem.
  Buffer<double> b, lower, upper;  ///< infinite: no bound
  // The result.
  At at(Index k) const { return at_[k]; }
  /// A row at a bound that is zero, and that holds as an equality to rounding.
  bool is_idle(Index k) const { return idle_[k] != 0; }
  const double* motion() const { return y_.data(); }  ///< y
  Index contradicted() const { return contradicted_; }
  double size(Index k) const { return size_[k]; }  ///< |W_k|
  double strength() const { return strength_; }    ///< |y_0|
  int steps() const { return steps_; }
  /// Of these rows: the number of those that count. Takes the basis of what was found.
  Index rank_of(const unsigned char* rows);
  // After find_stiff() with stiff coordinates.
  double lambda(Index k) const { return stiff_.lambda[k]; }
  double motion(Index coordinate) const { return y_[coordinate]; }  ///< y; at a stiff one the penalty's multiplier
  /// What a stiff one still moves: 0 where it has settled.
  double growth(Index coordinate) const { return stiff_.growth[coordinate]; }
  double violation(Index k) const;  ///< W_k y - b_k
  Index rows() const { return m_; }
  /// Writes the solution of another method over the one found: of a row; of a stiff coordinate, which has settled.
  void replace(Index k, At at, double lambda) {
    at_[k] = at;
    idle_[k] = 0;
    stiff_.lambda[k] = lambda;
    contradicted_ = -1;
  }
  void replace_motion(Index coordinate, double y) {
    y_[coordinate] = y;
    stiff_.growth[coordinate] = 0;
  }

 private:
  bool has_bound(Index k) const;
  double sign(Index k) const;    ///< -1 where the bound to begin with is the upper one
  double range(Index k) const;   ///< between the bounds
  double excess(Index k) const;  ///< w_k, of a row with sign
  double scale(Index k) const;
  double split(Index k);  ///< normal_ and along_ of row k to the basis; returns |normal|^2, 0 for a dependent row
  void push(Index k);
  void leave(Index place);
  bool is_violated(Index k) const;
  Index most_violated();
  void start_at_bounds();
  void hold_equalities();
  enum class Step { joined, stopped, infeasible, unsettled };
  Step take(Index p);
  void find_idle();
  void move(const double* direction, double by);
  void find_motion();
  double rounding(Index k) const;
  Index find_contradicted() const;
  void correct();
  bool step(Index stiff);
  void settle(Index stiff);

  Index stride_ = 0, n_ = 0, m_ = 0, room_;
  Tolerances tolerance_{};
  Buffer<double> W_, start_, y_;
  Buffer<double> size_, multiplier_;  ///< [m] |W_k|; distance of lambda to the bound that it began at
  Buffer<At> at_;
  Buffer<unsigned char> idle_, passed_;  ///< passed_: dependent and held to rounding at this y
  struct Basis {
    Buffer<double> vectors, triangle;  ///< [room x stride] orthonormal; [room x room] W = triangle^T vectors
    Buffer<Index> row;                 ///< [room] rows in the basis; first those without bounds
    Index count = 0, equalities = 0;
  };
  Basis held_;
  struct Split {
    Buffer<double> normal, along, change;  ///< of a row to the basis; change of the multipliers of the rows held
  };
  Split split_;
  struct Stiff {
    Buffer<double> lambda;         ///< [m]
    Buffer<double> shift, growth;  ///< [coordinates] of start; the last change of it
    Buffer<At> before;             ///< [m] what the round before has found
    Index coordinates = 0;
  };
  Stiff stiff_;
  Index contradicted_ = -1;
  const Interruption* stop_;
  double strength_ = 0;
  int steps_ = 0;
};

}  // namespace zwang
