// SPDX-License-Identifier: BSD-3-Clause
// RowLayout: where the rows of a set stand, by bodies, and the room that they take. Found once for the constraints of a set
// and the bodies that they act on; their numbers and switches may change without it.
#pragma once
#include "constraint/constraint_state.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/core/buffer.hpp"
#include "zwang/dynamics/page/row_stage.hpp"

namespace zwang {

/// The bodies that a constraint acts on; of rows on one body that one.
inline Index first_body(const Constraint& c) {
  return c.relation ? c.relation->bodies().front() : c.rows_on_body->body;
}
inline std::size_t part_count(const Constraint& c) { return c.relation ? c.relation->bodies().size() : 1; }
inline Index body_of_part(const Constraint& c, Index which) {
  return c.relation ? c.relation->bodies()[static_cast<std::size_t>(which)] : c.rows_on_body->body;
}

/// A constraint on one of its bodies.
struct Part {
  Index body, constraint;
  Index which;  ///< 0: the first of its bodies, where the rows begin
};

struct RowLayout {
  /// Room for the set and `spare_rows` more. `may_be_early`: rows may be eliminated on the way to the root.
  RowLayout(const Model& model, const ConstraintSet& set, Index spare_rows, bool may_be_early);

  /// Takes the set as it is now. True where rows stand elsewhere than before. Allocates nothing; throws
  /// WorkspaceMismatch where the set does not fit any more.
  bool follow();
  /// Voids what is known: the next follow() looks at everything.
  void forget() { known = false; }

  const std::vector<Constraint>& constraints() const { return set.constraints(); }
  const Constraint& constraint(Index c) const { return set.constraints()[static_cast<std::size_t>(c)]; }
  Index rows() const { return first_row.back(); }  ///< of all constraints, active or not
  Index first_row_of(Index c) const { return first_row[static_cast<std::size_t>(c)]; }
  /// The constraint stands as it did when it was arranged.
  bool knows(Index c) const { return c < count && first_row_of(c + 1) - first_row_of(c) == constraint(c).size(); }

  const char* owner = "Solver";  ///< in messages: who asks, and what helps where the set does not fit
  const char* remedy = "make a new one, or give it spare_rows";
  Model model;
  ConstraintSet set;   ///< shares its state with the user's
  page::RowRoom room;  ///< of a RowStage
  Index capacity, constraint_capacity;
  Index part_capacity = 0, part_row_capacity = 0;  ///< parts of constraints; rows on every body that they act on
  Index count = 0;                                 ///< constraints arranged
  unsigned version = 0;                            ///< of the set then
  bool known = false;
  /// Sorted by body: of each first rows that began at a body before, then rows on it alone, then rows that begin there.
  std::vector<Part> parts;
  std::vector<Index> first_row;  ///< of each constraint, in order of insertion; one more at the end
  std::vector<Index> bodies;     ///< the first of each constraint when it was arranged
  std::vector<std::shared_ptr<const Relation>> relations;  ///< and its relation: kept, so that another one is seen
  Buffer<Index> scratch;                                   ///< [3 (n + 1)]

 private:
  bool is_same() const;
  void check_fits();
  void arrange();
};

}  // namespace zwang
