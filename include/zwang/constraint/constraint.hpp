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
/// rows allocate nothing in the library. Members read as the values that they track: `set["tool"].beta[0] = 3`.
struct Constraint {
  Tracked<std::string> name;
  Tracked<std::string> type;   ///< the word of its type: `frame`, `contact` and so on (constraint_types.hpp)
  Tracked<std::string> frame;  ///< that it holds; of a relation between two frames the first
  Tracked<std::string> other;  ///< the second frame of a relation between two
  /// Axes of its rows and of its wrench: `local`, `world`, `local_world_aligned`, or a frame's name.
  Tracked<std::string> in;
  Tracked<AccelerationKind> acceleration{AccelerationKind::classical};
  Tracked<std::vector<std::string>> row_names;        ///< `tool:linear.x`
  Tracked<RowsOnBody> rows_on_body;                   ///< where the rows stay on one body
  Tracked<std::shared_ptr<const Relation>> relation;  ///< where they act between bodies: instead of rows_on_body
  Tracked<bool> unilateral{false};                    ///< warn where its last row pulls
  ZWANG_HOLDING(Tracked)
  ChangeCount others = {};  ///< changes of what is not a member

  Index size() const { return static_cast<Index>(row_names.size()); }
  /// A number that is another after every change of anything here. Of one constraint it only grows, also when another
  /// one, or a whole set, is assigned to it; those of two constraints say nothing about each other.
  std::uint64_t stamp() const {
    std::uint64_t sum = name.stamp() + type.stamp() + frame.stamp() + other.stamp() + in.stamp() +
                        acceleration.stamp() + row_names.stamp() + rows_on_body.stamp() + relation.stamp() +
                        unilateral.stamp() + others.value();
    for_each_option([&](const auto& option) { sum += option.stamp(); }, *this);
    return sum;
  }
};

}  // namespace zwang
