// SPDX-License-Identifier: BSD-3-Clause
// RowReader: translates the constraints of a set into the numbers that a sweep reads, once for every change of the set.
#pragma once
#include "rows/capabilities.hpp"
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

/// A constraint as it was read, without its numbers. While this stays equal, the order of the rows is still valid.
struct ReadConstraint {
  ReadConstraint() = default;
  explicit ReadConstraint(const Constraint& x);
  bool active = false;
  Policy policy = Policy::hard;
  int priority = 0;
  Compensate compensate = {};
  AccelerationKind acceleration = AccelerationKind::classical;
  Role role = Role::physical;
  bool bounded = false, sided = false;
  RowsOnBody::Axes axes = RowsOnBody::Axes::world;
  Index body = 0, axes_body = 0;
  Index rows = 0;
  const Relation* relation = nullptr;
  struct Numbers {
    const double* data = nullptr;
    std::size_t size = 0;
    bool operator==(const Numbers&) const = default;
  } beta, matrix, compliance, weight;
  bool operator==(const ReadConstraint&) const = default;
};

/// The order of the active rows, for a sweep.
struct RowOrder {
  RowOrder() = default;
  explicit RowOrder(const RowLayout& layout);
  std::vector<page::ActiveRows<double>> active;  ///< in the order of the sweep, one entry per constraint and body
  std::vector<Index> constraint;                 ///< of each entry
  std::vector<Index> part;                       ///< of each entry: index of the body in its constraint
  Buffer<Index> row_of;                          ///< [m] row of the set, for each row of the sweep
  Buffer<Index> sweep_row;                       ///< [rows of the set] row of the sweep; -1: inactive
  Buffer<Index> constraint_of;                   ///< [m]
  Index rows = 0;                                ///< m
  unsigned reading = 0;                          ///< stamp of this order: another order has another one
};

struct RowReader : RowOrder {
  explicit RowReader(const RowLayout& layout);

  /// Reads the active constraints of the set as it is now, sorted by body.
  /// Throws if they are not valid. Only constraints whose stamps have changed are read; the rows are put into a new
  /// order only if more than numbers has changed.
  void read(RowLayout& layout, const RowPurpose& purpose);

  /// No constraint has changed since the last reading.
  bool is_current(const RowLayout& layout) const;
  /// Only numbers of the constraints may have changed since the reading.
  bool has_same_rows(const RowLayout& layout) const;
  /// Takes over what an impulse asks of the rows. After every reading: a reading takes beta.
  void take_shock(const RowLayout& layout);
  /// From the next reading on, motors have limits.
  void limit_motors(bool limited) {
    valid = valid && limited == limits_motors_;
    limits_motors_ = limited;
  }
  /// From the next reading on, rows are left out where `out` [rows of the set] is set, until the user changes the set.
  void release(const unsigned char* out);
  void keep_all();
  const unsigned char* released() const { return released_.data(); }
  /// The first row of the set that the constraint keeps; its first row if it keeps none.
  Index first_kept(const RowLayout& layout, Index c) const {
    Index r = layout.first_row_of(c);
    for (const Index end = r + layout.constraint(c).size(); r < end; ++r)
      if (!released_[r]) return r;
    return layout.first_row_of(c);
  }
  /// Of a row of the sweep, as it was read: the set may have been replaced since.
  Role role_of(Index k) const { return known_[static_cast<std::size_t>(constraint_of[k])].role; }
  /// Number `c` of row `r` (6: beta) of an entry that acts between bodies, as the sweep reads it.
  double& number(std::size_t entry, Index c, Index r, Index count) {
    const Index at = static_cast<Index>(active[entry].columns - numbers.data());
    return numbers[at + c * (count + 2 * k_lanes) + k_lanes + r];
  }

  static constexpr Index k_lanes = page::RowNumbers<double>::lanes;
  Buffer<Index> next;  ///< [active] entry of the same constraint at its next body
  RowTraits traits;
  std::uint64_t stabilisation = 0;  ///< of active constraints: another number after a time constant or a ratio changed
  Buffer<double> numbers;           ///< of active rows, as the sweep reads them (ActiveRows::columns)
  const Shock* shock = nullptr;     ///< of an impulse: the problem is one of changes of velocities

 private:
  bool is_same(const RowLayout& layout, const RowPurpose& purpose);
  bool take_change(const RowLayout& layout, Index constraint);
  void read_anew(RowLayout& layout, const RowPurpose& purpose);
  void begin(const RowLayout& layout, const Part& part, const RowPurpose& purpose);
  void reduce(const RowLayout& layout, std::size_t entry);
  Index rows_kept(const RowLayout& layout, Index c) const;
  void join(const RowLayout& layout, const Part& part);
  bool take_numbers(const RowLayout& layout, std::size_t entry);
  void take_stabilisation(const RowLayout& layout);

  Buffer<Index> first_;                ///< [constraints] entry of the first body; -1: inactive
  Buffer<Index> last_;                 ///< [constraints] entry of the previous body, during reading
  Index columns_ = 0;                  ///< rows of all entries, during reading
  Buffer<std::uint64_t> stamp_;        ///< [constraints] at the last reading
  std::vector<ReadConstraint> known_;  ///< of each constraint in the layout
  /// The rows on a body that are kept, of a constraint of which some are released.
  struct Reduced {
    RowsOnBody rows;
    std::vector<double> beta, compliance;
    void make_room(std::size_t count);
  };
  std::vector<Reduced> reduced_;    ///< [constraints]
  Buffer<unsigned char> released_;  ///< [rows of the set]
  bool keeps_released_ = false;     ///< the next reading is one after release()
  bool limits_motors_ = false;
  RowPurpose purpose_ = k_evaluation;
  bool valid = false;
};

}  // namespace zwang
