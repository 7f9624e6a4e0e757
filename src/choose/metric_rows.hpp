// SPDX-License-Identifier: BSD-3-Clause
// MetricRows: the rows of a problem as plain numbers, and in the metric of M.
//
//   w = J q'' + R lambda - b        W = L^-1 J^T with M = L L^T,  y_0 = L^-1 (tau - h)
// Prescribed coordinates are moved to the right-hand sides. Where M is singular, the hard rows without bounds stiffen
// it.
#pragma once
#include <cmath>

#include "choose/choice.hpp"

namespace zwang {

class MetricRows {
 public:
  explicit MetricRows(const Problem& of);

  /// J, b and tau - h at the state of the problem, whose rows are attached.
  void evaluate();
  /// M = L L^T. Where M is singular, the hard rows without bounds stiffen it: the motion under these rows is the same.
  /// Returns the first coordinate that is without inertia then; -1: none is.
  Index factor(const unsigned char* bounded);
  /// The first coordinate without inertia of its own, where rows have given it some; -1: all have it.
  Index stiffened() const { return stiffened_; }
  /// Columns of soft rows behind the coordinates of W.
  Index soft() const;
  /// Writes W with the columns of soft rows, b and y_0 to the set, which has begun.
  void write(ActiveSet& set);
  /// |L^-1 e| of a coordinate.
  double response(Index coordinate);

  /// w of a row that slips by `slip`, a sum of terms of these sizes, over the sizes of its terms. `rounding`: what
  /// the free motion and multipliers that act as wrenches leave of w where they cancel, because they are doubles.
  struct Residual {
    double value, terms, rounding = 0;
    double relative() const { return terms > 0 && std::fabs(value) > rounding ? value / terms : 0.0; }
  };
  /// What acts as wrenches in the answers that follow.
  void take_wrenches(const Choice& choice);
  Residual residual(Index k, const Found& of, double slip, double slips, bool chosen) const;
  /// Of the terms that cancel in lambda_k, where rows have been chosen: what the row asks for, and what the free motion
  /// does to it, by the inertia that it feels.
  double force_terms(Index k) const { return needed_[k] + reach_[k] / square_[k]; }
  /// The largest entry of the row of J.
  double size_of(Index k) const;
  /// The largest generalised force, also of those that rows which give way ask for: what they get is a part of it.
  double strength(const Found& of) const;
  /// 1/2 t^T M^-1 t, prescribed coordinates held. Not where M is singular.
  double energy(const double* torque);
  /// L^T q'', and root(R) lambda of soft rows.
  void motion(const Found& of, Buffer<double>& out) const;
  /// What rounding of J and of L may change of |W_k|, w = W_k.
  double rounding(Index k, const double* w);

  const double* J() const { return J_.data(); }
  double J(Index k, Index y) const { return J_[k * nv_ + y]; }
  double b(Index k) const { return b_[k]; }
  double size(Index k) const { return size_[k]; }  ///< of the terms of b
  Index nv() const { return nv_; }

  const Problem& whole;

 private:
  void write_mass();
  void hold_prescribed();

  const Interruption& stop_;  ///< where it says so, what has been factored has no meaning
  Index nv_;
  Buffer<double> J_, terms_, b_, size_;  ///< [rows x nv] J and |J| before terms cancel; [rows] b, terms of b
  Buffer<double> reach_, needed_;        ///< [rows] |W_k| |y_0| by entries; lambda of the row alone
  Buffer<double> square_;                ///< [rows] |W_k|^2
  double free_ = 0, pull_ = 0;           ///< |y_0|; with |W_k lambda_k| of wrenches
  Buffer<double> M_, force_, scratch_;   ///< [nv x nv] M, then L; [nv] tau - h
  Index stiffened_ = -1;
};

}  // namespace zwang
