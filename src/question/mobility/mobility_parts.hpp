// SPDX-License-Identifier: BSD-3-Clause
// MobilityParts: the scaled rows of a set at a configuration, and motions along them.
//
//   scaled row i = row_scale_i (row i) diag(column_scale),   velocity = column_scale x
// Scales are from the magnitudes of the terms of J, not from J, so that a row
// that vanishes by cancellation stays small.
#pragma once
#include "linear/row_span.hpp"
#include "rows/evaluated_rows.hpp"
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
  /// Rows one after the other; with only_closing those with a position error, and dependencies to `coarse`.
  void span_rows(dense::RowSpan& to, bool only_closing, double coarse);
  void singular_values(Index m, Index n, std::vector<double>& out);  ///< of `matrix`, m x n
  void scaled_rows();                                                ///< into `matrix`
  double closure() const;                                            ///< largest position error of a row, scaled

  /// Newton's method from where q is, in the least scaled change. False where it does not close.
  bool close(Buffer<double>& q);
  /// Along `direction` [nv, scaled] by a step and back onto the rows: `to`, and the secant per step. False where it
  /// does not close, or falls back to where it came from: no motion goes on in this direction.
  bool follow(const Buffer<double>& from, const double* direction, double step, Buffer<double>& to, double* secant);
  /// How many directions of the basis of free motions at a configuration go on. Evaluates there.
  Index going_on(const Buffer<double>& q, double step);
  void sample(MobilityReport& report, const double* q);

  EvaluatedRows rows;
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
