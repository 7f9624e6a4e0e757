// SPDX-License-Identifier: BSD-3-Clause
// RowLayout: the order of the rows of a set by bodies, and the room that they need. It is computed once for the
// constraints of a set and the bodies that they act on; numbers and switches may change without a new layout.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "constraint/constraint_state.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/core/buffer.hpp"
#include "zwang/rows/page/row_numbers.hpp"

namespace zwang {

/// The bodies that a constraint acts on; for rows on one body, that body.
inline Index first_body(const Constraint& c) {
  return c.relation ? c.relation->bodies().front() : c.rows_on_body->body;
}
inline std::size_t part_count(const Constraint& c) { return c.relation ? c.relation->bodies().size() : 1; }
inline Index body_of_part(const Constraint& c, Index which) {
  return c.relation ? c.relation->bodies()[static_cast<std::size_t>(which)] : c.rows_on_body->body;
}

/// The part of a constraint on one of its bodies.
struct Part {
  Index body, constraint;
  Index which;  ///< 0: the first body, where the rows begin
};

struct RowLayout {
  /// Room for the set and `spare_rows` more rows. `may_be_early`: rows may be eliminated before the root.
  RowLayout(const Model& model, const ConstraintSet& set, Index spare_rows, bool may_be_early);

  /// Follows the set as it is now. True if the order of the rows has changed. Allocates nothing; throws
  /// WorkspaceMismatch if the set does not fit any more.
  bool follow();

  const std::vector<Constraint>& constraints() const { return set.constraints(); }
  const Constraint& constraint(Index c) const { return set.constraints()[static_cast<std::size_t>(c)]; }
  Index rows() const { return first_row.back(); }  ///< of all constraints, active or not
  Index first_row_of(Index c) const { return first_row[static_cast<std::size_t>(c)]; }
  /// Whether the constraint has the same rows as in the layout.
  bool knows(Index c) const {
    return c < count && first_row_of(c + 1) - first_row_of(c) == constraint(c).size() &&
           names[static_cast<std::size_t>(c)] == constraint(c).name.value();
  }

  const char* owner = "Solver";  ///< for messages: the class, and the remedy if the set does not fit
  const char* remedy = "make a new one, or give it spare_rows";
  Model model;
  ConstraintSet set;   ///< shares its state with the user's
  page::RowRoom room;  ///< for RowNumbers, and for a sweep
  Index capacity, constraint_capacity;
  Index part_capacity = 0, part_row_capacity = 0;  ///< parts of constraints; rows on all bodies that they act on
  Index count = 0;                                 ///< constraints in the layout
  unsigned version = 0;                            ///< of the set at that time
  unsigned arrangement = 0;                        ///< number of layouts made: another one has another number
  bool known = false;
  /// Sorted by body. For each body: rows that began at an earlier body, rows on this body alone, rows that begin here.
  std::vector<Part> parts;
  std::vector<Index> first_row;                            ///< of each constraint, in order of insertion, and the end
  std::vector<std::string> names;                          ///< of each constraint when it was arranged
  std::vector<Index> bodies;                               ///< first body of each constraint in the layout
  std::vector<std::shared_ptr<const Relation>> relations;  ///< its relation; kept, so that a new one is detected
  Buffer<Index> scratch;                                   ///< [3 (n + 1)]

 private:
  bool is_same() const;
  void check_bodies() const;
  void check_fits();
  void arrange();
};

}  // namespace zwang
