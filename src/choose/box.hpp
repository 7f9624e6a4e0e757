// SPDX-License-Identifier: BSD-3-Clause
// Box: bounds on the multipliers of single rows, by their sense and their limit.
//
//   sense at_least   w >= 0, lambda >= 0, lambda w = 0       w = J q'' + R lambda - b, b as of an ordinary row
//   sense at_most    w <= 0, lambda <= 0, lambda w = 0
//   limit L          |lambda| <= L; at its limit the row is not held: w <= 0 at L, w >= 0 at -L
// In a shock J q'' are changes of velocities and lambda impulses; rows that are not touched are released.
#pragma once
#include "choose/metric_rows.hpp"

namespace zwang {

struct Box {
  explicit Box(Index rows) : lower(rows), upper(rows), bounded(rows) {}

  /// The bounds at the state of the rows.
  void read(const Problem& whole);
  /// Whether the rows released from `of` may be those of this state: it is worth a solve.
  bool may_stay(const Problem& whole, const Problem& of) const;
  void write(Index rows, ActiveSet& set) const;
  /// The rows at a bound act by its force, and are released where it is 0.
  void take(const ActiveSet& set, Choice& choice) const;
  /// How far lambda of row k is above its lower bound and below its upper one, in the unit of lambda: its bound;
  /// `terms` of lambda, where that is 0.
  struct Gaps {
    double low, high;
  };
  Gaps gaps(Index k, double lambda, double terms) const;
  /// How far row k is from its conditions. `open`: w over its terms.
  void measure(Index k, double lambda, double terms, double open, double feasibility, Violation& v) const;

  Buffer<double> lower, upper;    ///< [rows of whole] of the multiplier; infinite: none
  Buffer<unsigned char> bounded;  ///< [rows of whole]
};

}  // namespace zwang
