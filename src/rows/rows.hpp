// SPDX-License-Identifier: BSD-3-Clause
// Rows: the active rows of a constraint set at a state, as a value that does not depend on the method.
//
// RowReader reads them from a set and evaluates at a state those that act between bodies. A sweep attaches them to the
// bodies on its way, Problem::attach() does so without a sweep: then K, l and R of every row are known (RowNumbers).
// Other rows are made of these: CompressedFactor solves for combinations of them, which are Rows as well.
#pragma once
#include <vector>

#include "rows/row_layout.hpp"
#include "zwang/rows/page/attach.hpp"

namespace zwang {

/// Properties of the active rows as a whole.
struct RowTraits {
  bool relation = false;  ///< some are those of a Relation
  bool joined = false;    ///< some act on several bodies
  bool hard = false;      ///< some are hard
  bool soft = false;
  bool early = false;        ///< some are hard with the policy early
  bool leaves_out = false;   ///< some leave a driver uncompensated
  bool levels = false;       ///< hard rows have different priorities
  bool weights = false;      ///< some constraint has weights
  bool looks_ahead = false;  ///< some use the axes of a body that the sweep enters later
  bool physical = false, driver = false;
  bool bounded = false;  ///< some have a sense or a limit, released or not, or motors have limits
  int first_level = -1;  ///< highest level of the hard rows
};

/// What an impulse asks of the rows of a set, in place of beta, stabilisation and products of velocities.
struct Shock {
  const double* change;    ///< [rows of the set] of their velocities
  const double* share;     ///< [rows of the set] d change / d(J v before) = -share
  const double* velocity;  ///< [nv] before
};

/// The order of the active rows, for a sweep.
struct RowOrder {
  RowOrder() = default;
  explicit RowOrder(const RowLayout& layout);
  void clear();
  std::vector<page::ActiveRows<double>> active;  ///< in the order of the sweep, one entry per constraint and body
  std::vector<Index> constraint;                 ///< of each entry
  std::vector<Index> part;                       ///< of each entry: index of the body in its constraint
  Buffer<Index> row_of;                          ///< [m] row of the set, for each row of the sweep
  Buffer<Index> sweep_row;                       ///< [rows of the set] row of the sweep; -1: inactive
  Buffer<Index> constraint_of;                   ///< [m]
  Buffer<Role> role;                             ///< [m] as it was read: the set may have been replaced since
  Index count = 0;                               ///< m
  unsigned reading = 0;                          ///< stamp of this order: another order has another one
};

/// What relations between bodies are at the state, by the rows of the set.
struct RelationErrors {
  RelationErrors() = default;
  explicit RelationErrors(Index rows) : phi(rows), rate(rows), as_given(6 * rows) {}
  Buffer<double> phi, rate;  ///< [rows of the set] position and velocity errors
  Buffer<double> as_given;   ///< [6 rows of the set] wrench of a unit multiplier, in the form shown to users
};

struct Rows : RowOrder, RelationErrors, page::RowNumbers<double> {
  explicit Rows(const RowLayout& layout);
  Rows(const Rows&) = delete;  // its entries point to its numbers
  Rows& operator=(const Rows&) = delete;

  static constexpr Index k_lanes = page::RowNumbers<double>::lanes;
  /// Number `c` of row `r` (6: beta) of an entry that acts between bodies, as the sweep reads it.
  double& number(std::size_t entry, Index c, Index r, Index of) {
    const Index at = static_cast<Index>(active[entry].columns - numbers.data());
    return numbers[at + c * (of + 2 * k_lanes) + k_lanes + r];
  }
  /// The first row of the set that the constraint keeps; its first row if it keeps none.
  Index first_kept(const RowLayout& layout, Index c) const {
    Index r = layout.first_row_of(c);
    for (const Index end = r + layout.constraint(c).size(); r < end; ++r)
      if (!released[r]) return r;
    return layout.first_row_of(c);
  }

  /// As kernels are given them, by a plain pointer.
  page::RowNumbers<double>* for_kernels() { return this; }

  RowTraits traits;
  Buffer<double> numbers;           ///< of active rows, as the sweep reads them (ActiveRows::columns)
  Buffer<unsigned char> released;   ///< [rows of the set] left out of these rows, although active
  const Shock* shock = nullptr;     ///< of an impulse: the problem is one of changes of velocities
  std::uint64_t stabilisation = 0;  ///< of active constraints: another number after a time constant or a ratio changed
  /// Relations and the kinematics of Data have been evaluated at this state: they are not evaluated again.
  bool at_state = false;
};

}  // namespace zwang
