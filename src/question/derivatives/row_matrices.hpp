// SPDX-License-Identifier: BSD-3-Clause
// RowMatrices: the derivatives of the rows that hold by q, v and a, and of their velocities by q, in the order of the
// set and without the rows that are released.
#pragma once
#include "question/derivatives/row_variations.hpp"

namespace zwang {

class RowMatrices {
 public:
  explicit RowMatrices(const Model& model);

  /// Where derivatives of inverse dynamics at q, v and `acceleration` [nv], and rows.evaluate_rates(), have been.
  void evaluate(Problem& problem, const RowVariations& rows, const double* acceleration);
  /// d(J v)/dq alone, the columns' variations being those of another velocity v.
  void evaluate_rates(const Problem& problem, const RowVariations& rows, const double* v);

  Index rows() const { return rows_; }
  /// Between columns: whole blocks of eight, zeros behind the rows.
  Index height() const { return height_; }
  double* by_q() { return matrix(0); }
  double* by_v() { return matrix(1); }
  double* by_a() { return matrix(2); }  ///< J
  double* rate() { return matrix(3); }
  Index row_of_sweep(Index k) const { return place_[k]; }
  Index row_in_set(Index row) const { return in_set_[row]; }
  bool are_all() const { return all_; }  ///< row_in_set(row) is `row`
  /// The columns of J that are not known to be zero.
  const Index* moving() const { return moving_.data(); }
  Index moving_count() const { return moving_count_; }

 private:
  double* matrix(Index which) { return store_.data() + which * height_ * nv_; }
  void place_rows(const Problem& problem);
  void add_columns(const Data& data, const RowVariations& rows, bool rates_alone);

  Index nv_, rows_ = 0, height_ = 0, moving_count_ = 0;
  bool all_ = true;
  Buffer<double> store_;
  Buffer<Index> place_, in_set_, moving_;
  Buffer<unsigned char> moves_;
};

}  // namespace zwang
