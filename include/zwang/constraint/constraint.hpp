// SPDX-License-Identifier: BSD-3-Clause
// What every constraint is once it knows its model: rows on the accelerations of bodies, and how they are held.
#pragma once
#include <memory>

#include "zwang/constraint/holding.hpp"
#include "zwang/constraint/rows.hpp"
#include "zwang/constraint/rows_on_body.hpp"

namespace zwang {

class Relation;

/// A constraint of a ConstraintSet. Everything but the names may change between solves; changes that keep the number of
/// rows allocate nothing in the library.
struct Constraint {
  std::string name;
  std::string type;        ///< the word of its type: `frame`, `contact` and so on (constraint_types.hpp)
  std::string frame;       ///< that it holds; of a relation between two frames the first
  std::string other = {};  ///< the second frame of a relation between two
  std::string in;  ///< axes of its rows and of its wrench: `local`, `world`, `local_world_aligned`, or a frame's name
  AccelerationKind acceleration = AccelerationKind::classical;
  std::vector<std::string> row_names = {};             ///< `tool:linear.x`
  RowsOnBody rows_on_body = {};                        ///< where the rows stay on one body
  std::shared_ptr<const Relation> relation = nullptr;  ///< where they act between bodies: instead of rows_on_body
  bool unilateral = false;                             ///< warn where its last row pulls
  ZWANG_HOLDING(AsIs)
  Index size() const { return static_cast<Index>(row_names.size()); }
};

}  // namespace zwang
