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

/// The list of its fields (constraint/holding.hpp).
template <class V> constexpr void fields(V& v, Type<CustomConstraint> type) {
  using T = CustomConstraint;
  v.record(T::k_type,
           "Rows of your own:  function(q, v) -> (phi, J, Jdot_v), or an object with such an evaluate.\n\n"
           "phi: `rows` numbers, or None for rows of velocities alone; J: rows x coordinates; Jdot_v: `rows` numbers.\n"
           "    What it raises comes out of solve. It may not use the set that calls it.");
  v("name", &T::name, "new in its set", {.needed = true});
  v("function", &T::rows, "evaluates phi, J and J' v", {.needed = true});
  v("coordinates", &T::coordinates, "the columns of J, in this order; none: all of v", {.by_position = true});
  v("row_names", &T::row_names, "one per row; none: row[0], row[1] ...");
  holding_fields(v, type);
}

Constraint bind(const Model& model, const CustomConstraint& c);

}  // namespace zwang
