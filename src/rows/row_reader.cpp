// SPDX-License-Identifier: BSD-3-Clause
#include "rows/row_reader.hpp"

#include <algorithm>

#include "linear/vectors.hpp"
#include "rows/check_constraint.hpp"

namespace zwang {

ReadConstraint::ReadConstraint(const Constraint& x)
    : active(x.active),
      policy(x.policy),
      priority(x.priority),
      compensate(x.compensate),
      acceleration(x.acceleration),
      role(x.role),
      bounded(x.is_bounded()),
      sided(x.is_sided()),
      rubs(x.friction->has_value()),
      axes(x.rows_on_body->axes),
      body(first_body(x)),
      axes_body(x.rows_on_body->axes_body),
      rows(x.size()),
      relation(x.relation.get()),
      beta{x.beta.data(), x.beta.size()},
      matrix{x.rows_on_body->matrix.data(), x.rows_on_body->matrix.size()},
      compliance{x.compliance.data(), x.compliance.size()},
      weight{x.weight.data(), x.weight.size()} {}

RowOrder::RowOrder(const RowLayout& layout)
    : row_of(layout.capacity),
      sweep_row(layout.capacity),
      constraint_of(layout.capacity),
      role(layout.capacity) {
  const auto parts = static_cast<std::size_t>(layout.part_capacity);
  active.reserve(parts);
  constraint.reserve(parts);
  part.reserve(parts);
}

void RowOrder::clear() {
  active.clear();
  constraint.clear();
  part.clear();
  for (Index& row : sweep_row) row = -1;
  count = 0;
}

Rows::Rows(const RowLayout& layout)
    : RowOrder(layout),
      RelationErrors(layout.capacity),
      RowNumbers(layout.room),
      numbers(7 * (layout.part_row_capacity + 2 * Rows::k_lanes * layout.part_capacity)),
      released(layout.capacity) {}

RowReader::RowReader(const RowLayout& layout)
    : first_(layout.constraint_capacity),
      last_(layout.constraint_capacity),
      stamp_(layout.constraint_capacity),
      known_(static_cast<std::size_t>(layout.constraint_capacity)),
      reduced_(static_cast<std::size_t>(layout.constraint_capacity)),
      relations_(layout) {
  for (std::size_t c = 0; c < layout.constraints().size(); ++c)
    reduced_[c].make_room(static_cast<std::size_t>(layout.constraints()[c].size()));
}

void RowReader::Reduced::make_room(std::size_t count) {
  rows.matrix.reserve(6 * count);
  beta.reserve(count);
  compliance.reserve(count);
}

void RowReader::release(const unsigned char* out, Rows& rows) {
  keeps_released_ = true;
  if (std::equal(out, out + rows.released.size(), rows.released.data())) return;
  std::copy_n(out, rows.released.size(), rows.released.data());
  valid_ = false;
}

void RowReader::keep_all(Rows& rows) {
  for (unsigned char& out : rows.released) {
    valid_ = valid_ && out == 0;
    out = 0;
  }
}

Index RowReader::rows_kept(const RowLayout& layout, Index c, const Rows& rows) {
  const Index first = layout.first_row_of(c), n = layout.constraint(c).size();
  Index kept = 0;
  for (Index i = 0; i < n; ++i) kept += rows.released[first + i] == 0;
  return kept;
}

void RowReader::read(RowLayout& layout, const RowPurpose& purpose, Rows& rows) {
  if (!is_same(layout, purpose, rows)) read_anew(layout, purpose, rows);
  keeps_released_ = false;
}

/// The layout is that of the set as it is now, and of the last reading: another reader may have renewed it since.
bool RowReader::follows(const RowLayout& layout) const {
  return layout.set.version() == layout.version && layout.set.size() == layout.count &&
         layout.arrangement == arrangement_;
}

bool RowReader::is_current(const RowLayout& layout) const {
  bool same = follows(layout);
  for (Index c = 0; same && c < layout.count; ++c) same = layout.constraint(c).stamp() == stamp_[c];
  return same;
}

bool RowReader::has_same_rows(const RowLayout& layout) const {
  bool same = follows(layout);
  for (Index c = 0; same && c < layout.count; ++c)
    same = ReadConstraint(layout.constraint(c)) == known_[static_cast<std::size_t>(c)];
  return same;
}

/// True if only numbers have changed since read_anew(), and the numbers are valid.
bool RowReader::is_same(const RowLayout& layout, const RowPurpose& purpose, Rows& rows) {
  if (!valid_ || !layout.known || !follows(layout) || !(purpose == purpose_)) return false;
  bool changed = false;
  for (Index c = 0; c < layout.count; ++c) {
    const std::uint64_t stamp = layout.constraint(c).stamp();
    if (stamp == stamp_[c]) continue;
    if (!take_change(layout, c, rows)) return false;
    stamp_[c] = stamp;
    changed = true;
  }
  if (changed) take_stabilisation(layout, rows);
  return true;
}

void RowReader::take_stabilisation(const RowLayout& layout, Rows& rows) {
  rows.stabilisation = 0;
  for (Index c = 0; c < layout.count; ++c)
    if (layout.constraint(c).active) rows.stabilisation += layout.constraint(c).stabilisation.stamp();
}

/// Takes the numbers of a constraint that has changed. False if more than numbers has changed, or if they are not
/// valid.
bool RowReader::take_change(const RowLayout& layout, Index c, Rows& rows) {
  const Constraint& x = layout.constraint(c);
  if (!(ReadConstraint(x) == known_[static_cast<std::size_t>(c)])) return false;
  if (first_[c] < 0) return true;
  const Vec3<double>& point = x.rows_on_body->point;
  if (!is_finite(point.x + point.y + point.z) || !errors_are_given(x) || !axes_are_finite(x.rows_on_body) ||
      !numbers_are_good(x))
    return false;
  if (!x.sense.empty() && static_cast<Index>(x.sense.size()) != x.size()) return false;
  for (const Sense word : x.sense)
    if (word < Sense::equal || word > Sense::at_most) return false;
  return take_numbers(layout, static_cast<std::size_t>(first_[c]), rows);
}

/// Copies the rows and beta of an active constraint, column by column. False if its rows are not finite.
bool RowReader::take_numbers(const RowLayout& layout, std::size_t entry, Rows& rows) {
  const Constraint& x = layout.constraint(rows.constraint[entry]);
  if (x.relation == nullptr && !all_finite(6 * x.size(), x.rows_on_body->matrix.data())) return false;
  if (rows.active[entry].count < x.size()) reduce(layout, entry, rows);
  if (x.relation != nullptr) return true;  // the rest is computed at each state
  const page::ActiveRows<double>& a = rows.active[entry];
  const double *const matrix = a.rows->matrix.data(), *const beta = a.beta;
  const Index n = a.count;
  double* column = &rows.number(entry, 0, 0, n) - Rows::k_lanes;
  for (Index d = 0; d < 7; ++d, column += n + 2 * Rows::k_lanes) {
    std::fill_n(column, n + 2 * Rows::k_lanes, 0.0);
    for (Index i = 0; i < n; ++i) column[Rows::k_lanes + i] = d < 6 ? matrix[6 * i + d] : beta[i];
  }
  return true;
}

/// The rows that are kept of a constraint, and their numbers, in place of the user's.
void RowReader::reduce(const RowLayout& layout, std::size_t entry, Rows& rows) {
  const Index c = rows.constraint[entry], first = layout.first_row_of(c);
  const Constraint& x = layout.constraint(c);
  Reduced& to = reduced_[static_cast<std::size_t>(c)];
  const RowsOnBody& from = x.rows_on_body;
  to.make_room(static_cast<std::size_t>(x.size()));
  to.rows = from;
  to.rows.matrix.clear();
  to.beta.clear();
  to.compliance.clear();
  for (Index i = 0; i < x.size(); ++i) {
    if (rows.released[first + i]) continue;
    const auto at = static_cast<std::size_t>(i);
    to.beta.push_back(x.beta[at]);
    if (!x.compliance.empty()) to.compliance.push_back(x.compliance[at]);
    if (x.relation != nullptr) continue;
    const auto row = from.matrix.begin() + 6 * i;
    to.rows.matrix.insert(to.rows.matrix.end(), row, row + 6);
  }
  page::ActiveRows<double>& a = rows.active[entry];
  if (x.relation == nullptr) a.rows = &to.rows;
  a.beta = to.beta.data();
  if (a.compliance != nullptr) a.compliance = to.compliance.data();
}

void RowReader::take_shock(const RowLayout& layout, Rows& rows) {
  for (std::size_t e = 0; e < rows.active.size(); ++e) {
    const Index first = rows.sweep_row[rows.first_kept(layout, rows.constraint[e])], n = rows.active[e].count;
    if (rows.active[e].rows == nullptr) continue;  // relations are told where they are evaluated
    for (Index i = 0; i < n; ++i) rows.number(e, 6, i, n) = rows.shock->change[rows.row_of[first + i]];
  }
}

void RowReader::read_anew(RowLayout& layout, const RowPurpose& purpose, Rows& rows) {
  valid_ = false;
  check_purpose(purpose, layout.model);
  if (layout.follow() || layout.arrangement != arrangement_ || !keeps_released_)
    std::fill_n(rows.released.data(), rows.released.size(), static_cast<unsigned char>(0));
  arrangement_ = layout.arrangement;
  rows.RowOrder::clear();
  for (Index c = 0; c < layout.count; ++c) first_[c] = -1;
  rows.traits = {};
  rows.traits.bounded = limits_motors_;
  columns_ = 0;
  ++rows.reading;
  for (const Part& p : layout.parts) {
    const Constraint& x = layout.constraint(p.constraint);
    if (!x.active) continue;
    if (p.which > 0) {
      if (first_[p.constraint] >= 0) join(layout, p, rows);
      continue;
    }
    check_constraint(layout.owner, x, layout.model.bodies());
    check_combination(x, purpose);
    begin(layout, p, purpose, rows);
  }
  for (Index c = 0; c < layout.count; ++c) {
    known_[static_cast<std::size_t>(c)] = ReadConstraint(layout.constraint(c));
    stamp_[c] = layout.constraint(c).stamp();
  }
  for (Index c = 0; rows.traits.bounded && c < layout.count; ++c)
    if (const Constraint& x = layout.constraint(c); x.active)
      check_bounded(x, limits_motors_ && x.role == Role::driver, rows.traits.levels, purpose.singularity);
  take_stabilisation(layout, rows);
  purpose_ = purpose;
  valid_ = true;
}

/// Adds a constraint at the first of its bodies and reads the numbers of its rows.
void RowReader::begin(const RowLayout& layout, const Part& p, const RowPurpose& purpose, Rows& rows) {
  const Index c = p.constraint;
  const Constraint& x = layout.constraint(c);
  const RowsOnBody& r = x.rows_on_body;
  const bool soft = x.policy == Policy::soft || purpose.makes_rows_soft;
  const Index kept = rows_kept(layout, c, rows);
  RowTraits& t = rows.traits;
  t.bounded = t.bounded || x.is_bounded();
  if (kept == 0) return;
  const double* const columns =
      &rows.numbers[7 * (columns_ + 2 * Rows::k_lanes * static_cast<Index>(rows.active.size()))];
  columns_ += kept;
  first_[c] = last_[c] = static_cast<Index>(rows.active.size());
  rows.constraint.push_back(c);
  rows.part.push_back(0);
  rows.active.push_back({x.relation ? nullptr : &r, x.beta.data(), x.acceleration, soft ? x.compliance.data() : nullptr,
                         nullptr, columns, p.body, kept, 0, static_cast<Index>(part_count(x)) - 1});
  take_numbers(layout, rows.active.size() - 1, rows);
  for (Index i = 0; i < x.size(); ++i) {
    if (rows.released[layout.first_row_of(c) + i]) continue;
    rows.row_of[rows.count] = layout.first_row_of(c) + i;
    rows.sweep_row[rows.row_of[rows.count]] = rows.count;
    rows.role[rows.count] = x.role;
    rows.constraint_of[rows.count++] = c;
  }
  (x.role == Role::driver ? t.driver : t.physical) = true;
  t.weights = t.weights || !x.weight.empty();
  t.relation = t.relation || x.relation != nullptr;
  t.leaves_out = t.leaves_out || !x.compensate.all();
  t.looks_ahead = t.looks_ahead || (x.relation == nullptr && r.axes == RowsOnBody::Axes::body && r.axes_body > r.body);
  if (soft) {
    t.soft = true;
    return;
  }
  t.hard = true;
  t.early = t.early || x.policy == Policy::early;
  t.levels = t.levels || (t.first_level >= 0 && t.first_level != x.priority.value());
  t.first_level = t.first_level < 0 ? x.priority : std::min(t.first_level, x.priority.value());
}

/// Adds the same constraint at a further body.
void RowReader::join(const RowLayout& layout, const Part& p, Rows& rows) {
  const Index c = p.constraint;
  const Constraint& x = layout.constraint(c);
  const double* const columns =
      &rows.numbers[7 * (columns_ + 2 * Rows::k_lanes * static_cast<Index>(rows.active.size()))];
  const Index kept = rows_kept(layout, c, rows);
  columns_ += kept;
  rows.traits.joined = true;
  rows.active[static_cast<std::size_t>(last_[c])].next = rows.active.size();
  last_[c] = static_cast<Index>(rows.active.size());
  rows.constraint.push_back(c);
  rows.part.push_back(p.which);
  rows.active.push_back({nullptr, nullptr, x.acceleration, nullptr, nullptr, columns, p.body, kept,
                         1 + rows.sweep_row[rows.first_kept(layout, c)]});
}

}  // namespace zwang
