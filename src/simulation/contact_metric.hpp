// SPDX-License-Identifier: BSD-3-Clause
// ContactMetric: rows of impulses in the metric of the mass matrix, beside rows that hold whatever acts.
//
//   M = L^T D L,   y = D^1/2 L v,   W = P D^-1/2 L^-T J^T,   P = 1 - Q Q^T
//   Q: an orthonormal basis of D^-1/2 L^-T J_h^T, J_h: hard rows and prescribed coordinates
//   J v = W^T y + J v_h,     v_h: what hard rows alone decide of v, which no impulse changes
// so that v + L^-1 D^-1/2 W lambda is the velocity after impulses lambda, and J_h does not see them. Rows of J_h that
// depend on each other need no more than the basis (linear/row_span.hpp).
#pragma once
#include "linear/row_span.hpp"
#include "simulation/contact_rows.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"

namespace zwang {

class ContactMetric {
 public:
  ContactMetric(const Model& model, Index hard_rows);

  /// At a configuration. False: a coordinate has no inertia, `singular()` names its joint.
  bool factor(Data& data, VectorIn q, const JointEffects& effects);
  const std::string& singular() const { return singular_; }
  double diagonal(Index k) const { return root_[k] * root_[k]; }  ///< of D
  void begin_hard_rows();
  void add_hard_row(const double* row);  ///< [nv]
  void add_hard_coordinate(Index v);
  /// y_f of a velocity, W, and what hard rows contribute to the velocity of each row: offset += J v - W^T y_f.
  void form(const double* v, const ContactRows& rows, double* offset);

  using Matrix = Eigen::Map<const Eigen::MatrixXd>;
  Matrix W() const { return {W_.data(), nv_, rows_}; }
  ConstVector y() const { return {y_.data(), nv_}; }
  /// v += L^-1 D^-1/2 W lambda
  void add_impulses(const double* lambda, double* v) const;

 private:
  void to_metric(double* row) const;  ///< x := D^-1/2 L^-T x
  void add_hard();                    ///< the row in work_
  Index nv_, rows_ = 0;
  TreeCholesky factor_;
  dense::RowSpan span_;
  Buffer<double> root_, y_, of_basis_;
  mutable Buffer<double> work_;
  std::vector<double> W_;
  std::string singular_;
};

}  // namespace zwang
