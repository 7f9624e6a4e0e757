// SPDX-License-Identifier: BSD-3-Clause
// The rows of a constraint set as lanes read them, and whether lanes may solve the set at all.
#pragma once
#include <vector>

#include "core/kernel_table.hpp"
#include "zwang/constraint/constraint_set.hpp"
#include "zwang/rows/settings.hpp"

namespace zwang {

/// Whether joints have Coulomb friction that the settings count.
bool rubs(const Model& model, const SolverSettings& settings);

class LaneRows {
 public:
  /// The sizes that the set needs in its present state.
  static ConstrainedRoom room_of(const ConstraintSet& set);
  /// Whether lanes of T may solve the set. These need the solver of one state: levels, drivers that rows do not
  /// compensate, a sense, a limit, limits of motors, friction (which that solver refuses at rest), another policy for
  /// dependent rows, or a tolerance by which rows that lanes take as independent would be dependent.
  template <class T> static bool suit(const Model& model, const ConstraintSet& set, const SolverSettings& settings);

  /// For the set as it is now, whose workspaces are made for room().
  void reserve(const ConstraintSet& set);
  const ConstrainedRoom& room() const { return room_; }
  /// Relations may need more while the set has the same constraints.
  bool has_room_for(const ConstraintSet& set) const {
    const ConstrainedRoom now = room_of(set);
    return now.parts <= room_.parts && now.tips <= room_.tips;
  }
  /// The rows that are active, or all where the call switches them, sorted by body; `t` refers to them.
  template <class T>
  void list(const ConstraintSet& set, const SolverSettings& settings, bool switched, ConstrainedTask<T>& t);

  std::vector<RowsTask> rows;
  std::vector<RelationTask> relations;

 private:
  ConstrainedRoom room_{};
};

}  // namespace zwang
