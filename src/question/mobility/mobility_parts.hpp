// SPDX-License-Identifier: BSD-3-Clause
// MobilityParts: the scaled rows of a set at a configuration, and motions along them.
//
//   scaled row i = row_scale_i (row i) diag(column_scale),   velocity = column_scale x
// Scales are from the magnitudes of the terms of J, not from J: a row that vanishes by cancellation stays small.
#pragma once
#include "linear/row_span.hpp"
#include "question/mobility/row_rank.hpp"
#include "zwang/core/random.hpp"
#include "zwang/question/mobility.hpp"

namespace zwang {

struct MobilityParts {
  MobilityParts(const Model& model, const ConstraintSet& set, const MobilitySettings& settings);

  /// Rows, and which of them count here: the hard ones, of those with a sense the ones that are closed. These are
  /// chosen with `choose`, and stay as they are until then.
  void evaluate(const double* q, bool choose = false);
  void list_rows();
  void find_open();
  void scale();  ///< scales of the rows that were evaluated last
  /// Which rows count, by the rank rule of a Solver; `span` becomes that of these.
  void find_rank();
  void rank_rows();  ///< without the span
  double tolerance() const;
  /// Rows that have a position error, one after the other, without those that nearly depend on others.
  void span_closing();
  void singular_values(Index m, Index n, std::vector<double>& out);  ///< of `matrix`, m x n
  void scaled_rows();                                                ///< into `matrix`
  double smallest_singular_value(Index rank);  ///< number `rank` of the scaled rows; 0: there is none
  double closure() const;                      ///< largest position error of a row, scaled

  /// Newton's method from where q is, in the least scaled change. False where it does not close.
  bool close(Buffer<double>& q);
  /// Along `direction` [nv, scaled] by a step and back onto the rows: `to`, and the secant per step. False where it
  /// does not close, or falls back to where it came from: no motion goes on in this direction.
  bool follow(const Buffer<double>& from, const double* direction, double step, Buffer<double>& to, double* secant);
  /// How many directions of the basis of free motions at a configuration go on. Evaluates there.
  Index going_on(const Buffer<double>& q, double step);
  void sample(MobilityReport& report, const double* q);
  /// The rank at configurations at random, on the rows or not: the highest that there is, but for a set of measure 0.
  Index generic_rank(const Buffer<double>& q);
  /// At the configuration evaluated last, whose rank has been found, the rank is the highest, and what rounding leaves
  /// of the position errors cannot change that: the motions are a manifold of dimension nv - rank.
  bool is_regular(Index generic);

  EvaluatedRows rows;
  RowRank row_rank;
  MobilitySettings settings;
  Index count = 0;     ///< hard rows that count
  Buffer<Index> hard;  ///< [rows] of EvaluatedRows
  Buffer<double> row_scale, column_scale;
  Buffer<unsigned char> open;  ///< [rows] of EvaluatedRows: a row with a sense that has room to move
  dense::RowSpan span, closing, secants;
  Buffer<double> matrix, transposed, errors, work, step_;
  Buffer<double> here, there, further;  ///< [nq] configurations
  bool all_close = false;               ///< every hard row has a position error
  bool scaled = false;
};

}  // namespace zwang
