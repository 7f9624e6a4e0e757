// SPDX-License-Identifier: BSD-3-Clause
// RowReader: translates the constraints of a set into the numbers that a sweep reads, once for every change of the set.
#pragma once
#include <vector>

#include "rows/capabilities.hpp"
#include "rows/relation_numbers.hpp"

namespace zwang {

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
  bool bounded = false, sided = false, rubs = false;
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

class RowReader {
 public:
  explicit RowReader(const RowLayout& layout);

  /// Reads the active constraints of the set as it is now, sorted by body. Throws if they are not valid for the
  /// purpose. Only constraints whose stamps have changed are read; the rows are put into a new order only if more than
  /// numbers has changed.
  void read(RowLayout& layout, const RowPurpose& purpose, Rows& rows);
  /// Evaluates rows between bodies at (q, v); `data` has their positions and velocities.
  void evaluate(const RowLayout& layout, const Data& data, const double* q, const double* v, Rows& rows) {
    relations_.evaluate(layout, *this, data, q, v, rows);
  }

  /// No constraint has changed since the last reading.
  bool is_current(const RowLayout& layout) const;
  /// Only numbers of the constraints may have changed since the reading.
  bool has_same_rows(const RowLayout& layout) const;
  /// Takes over what an impulse asks of the rows. After every reading: a reading takes beta.
  static void take_shock(const RowLayout& layout, Rows& rows);
  /// From the next reading on, motors have limits.
  void limit_motors(bool limited) {
    valid_ = valid_ && limited == limits_motors_;
    limits_motors_ = limited;
  }
  /// From the next reading on, rows are left out where `out` [rows of the set] is set, until the user changes the set.
  void release(const unsigned char* out, Rows& rows);
  void keep_all(Rows& rows);

 private:
  bool follows(const RowLayout& layout) const;
  bool is_same(const RowLayout& layout, const RowPurpose& purpose, Rows& rows);
  bool take_change(const RowLayout& layout, Index constraint, Rows& rows);
  void read_anew(RowLayout& layout, const RowPurpose& purpose, Rows& rows);
  void begin(const RowLayout& layout, const Part& part, const RowPurpose& purpose, Rows& rows);
  void reduce(const RowLayout& layout, std::size_t entry, Rows& rows);
  static Index rows_kept(const RowLayout& layout, Index c, const Rows& rows);
  void join(const RowLayout& layout, const Part& part, Rows& rows);
  bool take_numbers(const RowLayout& layout, std::size_t entry, Rows& rows);
  static void take_stabilisation(const RowLayout& layout, Rows& rows);

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
  std::vector<Reduced> reduced_;  ///< [constraints]
  RelationNumbers relations_;
  bool keeps_released_ = false;  ///< the next reading is one after release()
  bool limits_motors_ = false;
  RowPurpose purpose_ = k_evaluation;
  unsigned arrangement_ = 0;  ///< of the layout at the last reading
  bool valid_ = false;
};

}  // namespace zwang
