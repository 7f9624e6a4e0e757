// SPDX-License-Identifier: BSD-3-Clause
// RowReader: from the names of a set to the numbers that a sweep reads, once for every change of the set.
#pragma once
#include "dynamics/problem/row_layout.hpp"
#include "zwang/dynamics/page/hybrid.hpp"
#include "zwang/dynamics/solver.hpp"

namespace zwang {

struct Method;

/// What the active rows are, taken together.
struct RowTraits {
  bool relation = false;  ///< some are those of a Relation
  bool joined = false;    ///< some act on several bodies
  bool hard = false;      ///< some are hard
  bool soft = false;
  bool early = false;        ///< some are hard with the policy early
  bool leaves_out = false;   ///< some do not make up for a driver
  bool levels = false;       ///< hard rows have different priorities
  bool weights = false;      ///< some constraint has weights
  bool looks_ahead = false;  ///< some follow the axes of a body that the sweep enters later
  bool physical = false, driver = false;
  int first_level = -1;  ///< the highest in use by hard rows
};

/// A constraint as it was read, all but its numbers: as long as it stands so, nothing has to be arranged.
struct ReadConstraint {
  ReadConstraint() = default;
  explicit ReadConstraint(const Constraint& x);
  bool active = false;
  Policy policy = Policy::hard;
  int priority = 0;
  Compensate compensate = {};
  AccelerationKind acceleration = AccelerationKind::classical;
  Role role = Role::physical;
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

struct RowReader {
  explicit RowReader(const RowLayout& layout);

  /// The active constraints of the set as it is now, sorted by body, for a method and a policy of dependent rows. What is
  /// wrong with them is thrown. Looks only at constraints whose stamps have changed, and arranges the rows anew where more
  /// than numbers have.
  void read(RowLayout& layout, const Method& method, Singularity singularity);
  void forget() { valid = false; }

  Index rows_of_entry(std::size_t e) const { return active[e].count; }
  /// Number `c` of row `r` (6: beta) of an entry that acts between bodies, for the sweep.
  double& number(std::size_t entry, Index c, Index r, Index count) {
    const Index at = static_cast<Index>(active[entry].columns - numbers.data());
    return numbers[at + c * (count + 2 * k_lanes) + k_lanes + r];
  }

  static constexpr Index k_lanes = page::RowStage<double>::lanes;
  std::vector<page::ActiveRows<double>> active;  ///< as the sweep meets them: a constraint on one of its bodies each
  std::vector<Index> constraint;                 ///< behind each of them
  std::vector<Index> part;                       ///< and which of its bodies
  Buffer<Index> next;                            ///< [active] the same constraint on its next body
  Buffer<Index> row_of;                          ///< [m] the set's row behind each row of the sweep
  Buffer<Index> sweep_row;                       ///< [rows of the set] and back; -1 inactive
  Buffer<Index> constraint_of;                   ///< [m]
  Index rows = 0;                                ///< m
  RowTraits traits;
  unsigned reading = 0;    ///< counts the times that active rows were arranged anew
  Buffer<double> numbers;  ///< of active rows: as the sweep reads them (ActiveRows::columns)

 private:
  bool is_same(const RowLayout& layout, const Method& method, Singularity singularity);
  bool take_change(const RowLayout& layout, Index constraint);
  void read_anew(RowLayout& layout, const Method& method, Singularity singularity);
  void begin(const RowLayout& layout, const Part& part, const Method& method);
  void join(const RowLayout& layout, const Part& part);
  bool take_numbers(const RowLayout& layout, std::size_t entry);

  Buffer<Index> first_;                ///< [constraints] entry of the first body; -1: inactive
  Buffer<Index> last_;                 ///< [constraints] entry of the body before, while they are read
  Index columns_ = 0;                  ///< rows of all entries, while they are read
  Buffer<std::uint64_t> stamp_;        ///< [constraints] as they were read
  std::vector<ReadConstraint> known_;  ///< of each constraint arranged
  const Method* method_ = nullptr;
  Singularity singularity_ = Singularity::truncation;
  bool valid = false;
};

}  // namespace zwang
