// SPDX-License-Identifier: BSD-3-Clause
// CustomConstraint: rows that the user writes.
//
//   phi, J and J' v are what CustomRows says, over the coordinates of v that it names
// J_k acts on the bodies of the joint of coordinate k: by K_k on its child and by -K_k on its parent, with
// K_k . S_j = delta_kj over the joint's columns (types/coupling.hpp). lambda is the user's: J_k lambda at coordinate k.
#pragma once
#include "zwang/constraint/constraint.hpp"

namespace zwang {

/// Rows of the user's own. Called from every thread that solves with them.
class CustomRows {
 public:
  virtual ~CustomRows();
  virtual Index rows() const = 0;
  /// All of q and v goes in; phi [rows], J [rows x coordinates of the constraint, row by row] and J' v [rows] come out.
  /// Where nothing is written phi is NaN (rows of velocities alone), J and J' v are zero.
  virtual void evaluate(const double* q, const double* v, double* phi, double* J, double* Jdot_v) const = 0;
};

struct CustomConstraint {
  static constexpr const char* k_type = "custom";
  std::string name = {};
  std::shared_ptr<const CustomRows> rows = nullptr;
  /// Of Model::coordinate_names(): the columns of J, in this order; none: all of v.
  std::vector<std::string> coordinates = {};
  std::vector<std::string> row_names = {};  ///< none: `row[0]`, `row[1]`, ...
  ZWANG_HOLDING(AsIs)
};

Constraint bind(const Model& model, const CustomConstraint& c);

}  // namespace zwang
