// SPDX-License-Identifier: BSD-3-Clause
// A constraint bound to its model, of any type: rows on the accelerations of bodies, and how they are held.
#pragma once
#include <memory>
#include <optional>

#include "zwang/constraint/holding.hpp"
#include "zwang/constraint/rows.hpp"
#include "zwang/constraint/rows_on_body.hpp"

namespace zwang {

class Relation;

/// The words of its values, in their order.
constexpr auto words_of(Type<AccelerationKind>) { return std::array{"classical", "spatial"}; }

/// A constraint of a ConstraintSet. Everything but the names may change between solves; changes that keep the number of
/// rows allocate nothing in the library. Members read as the values that they track: `set["tool"].beta[0] = 3`.
struct Constraint {
  Tracked<std::string> name;
  Tracked<std::string> type;   ///< word of its type: `frame`, `contact` and so on (constraint_types.hpp)
  Tracked<std::string> frame;  ///< the frame held; the first of a relation between two frames
  Tracked<std::string> other;  ///< second frame of a relation between two frames
  /// Axes of its rows and of its wrench: `local`, `world`, `local_world_aligned`, or a frame's name.
  Tracked<std::string> in;
  Tracked<AccelerationKind> acceleration{AccelerationKind::classical};
  Tracked<std::vector<std::string>> row_names;        ///< `tool:linear.x`
  Tracked<RowsOnBody> rows_on_body;                   ///< for rows on one body
  Tracked<std::shared_ptr<const Relation>> relation;  ///< for rows between bodies, instead of rows_on_body
  Tracked<bool> unilateral{false};                    ///< warn if the multiplier of its last row is negative
  Tracked<std::optional<double>> friction;            ///< of a contact, for Integrator::contact; all else refuses it
  ZWANG_HOLDING(Tracked)
  ChangeCount others = {};  ///< changes that concern no member

  /// Whether a row is one side of an equality.
  bool is_sided() const;
  /// Some row has a sense other than `equal`, or a limit.
  bool is_bounded() const;
  Index size() const { return static_cast<Index>(row_names.size()); }
  /// A number that is new after every change of this constraint. For one constraint it only grows, also when another
  /// one, or a whole set, is assigned to it. The numbers of two constraints cannot be compared.
  std::uint64_t stamp() const;
};

}  // namespace zwang
