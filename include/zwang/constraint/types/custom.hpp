// SPDX-License-Identifier: BSD-3-Clause
// CustomConstraint: rows written by the user.
//
//   phi, J and J' v: from CustomRows, over the coordinates named
// J_k acts on the bodies of the joint of coordinate k: by K_k on its child and by -K_k on its parent, with K_k .
// S_j = delta_kj over the joint's columns (types/coupling.hpp). The generalised force at coordinate k is J_k lambda.
#pragma once
#include "zwang/constraint/constraint.hpp"

namespace zwang {

/// Rows written by the user. Called from every thread that solves with them.
class CustomRows {
 public:
  virtual ~CustomRows();
  virtual Index rows() const = 0;
  /// Input: all of q and v. Output: phi [rows], J [rows x coordinates of the constraint, row by row] and J' v [rows].
  /// Entries that are not written: phi is NaN (a velocity row), J and J' v are zero.
  virtual void evaluate(const double* q, const double* v, double* phi, double* J, double* Jdot_v) const = 0;
};

struct CustomConstraint {
  static constexpr const char* k_type = "custom";
  std::string name = {};
  std::shared_ptr<const CustomRows> rows = nullptr;
  /// From Model::coordinate_names(): the columns of J, in this order; empty: all of v.
  std::vector<std::string> coordinates = {};
  std::vector<std::string> row_names = {};  ///< empty: `row[0]`, `row[1]`, ...
  ZWANG_HOLDING(AsIs)
};

Constraint bind(const Model& model, const CustomConstraint& c);

}  // namespace zwang
