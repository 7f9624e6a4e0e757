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
      constraint_of(layout.capacity) {
  const auto parts = static_cast<std::size_t>(layout.part_capacity);
  active.reserve(parts);
  constraint.reserve(parts);
  part.reserve(parts);
}

RowReader::RowReader(const RowLayout& layout)
    : RowOrder(layout),
      next(layout.part_capacity),
      numbers(7 * (layout.part_row_capacity + 2 * k_lanes * layout.part_capacity)),
      first_(layout.constraint_capacity),
      last_(layout.constraint_capacity),
      stamp_(layout.constraint_capacity),
      known_(static_cast<std::size_t>(layout.constraint_capacity)),
      reduced_(static_cast<std::size_t>(layout.constraint_capacity)),
      released_(layout.capacity) {
  for (std::size_t c = 0; c < layout.constraints().size(); ++c)
    reduced_[c].make_room(static_cast<std::size_t>(layout.constraints()[c].size()));
}

void RowReader::Reduced::make_room(std::size_t count) {
  rows.matrix.reserve(6 * count);
  beta.reserve(count);
  compliance.reserve(count);
}

void RowReader::release(const unsigned char* out) {
  keeps_released_ = true;
  if (std::equal(out, out + released_.size(), released_.data())) return;
  std::copy_n(out, released_.size(), released_.data());
  valid = false;
}

void RowReader::keep_all() {
  for (unsigned char& out : released_) {
    valid = valid && out == 0;
    out = 0;
  }
}

Index RowReader::rows_kept(const RowLayout& layout, Index c) const {
  const Index first = layout.first_row_of(c), n = layout.constraint(c).size();
  Index kept = 0;
  for (Index i = 0; i < n; ++i) kept += released_[first + i] == 0;
  return kept;
}

void RowReader::read(RowLayout& layout, const RowPurpose& purpose) {
  if (!is_same(layout, purpose)) read_anew(layout, purpose);
  keeps_released_ = false;
}

bool RowReader::is_current(const RowLayout& layout) const {
  bool same = layout.set.version() == layout.version && layout.set.size() == layout.count;
  for (Index c = 0; same && c < layout.count; ++c) same = layout.constraint(c).stamp() == stamp_[c];
  return same;
}

bool RowReader::has_same_rows(const RowLayout& layout) const {
  bool same = layout.set.version() == layout.version && layout.set.size() == layout.count;
  for (Index c = 0; same && c < layout.count; ++c)
    same = ReadConstraint(layout.constraint(c)) == known_[static_cast<std::size_t>(c)];
  return same;
}

/// True if only numbers have changed since read_anew(), and the numbers are valid.
bool RowReader::is_same(const RowLayout& layout, const RowPurpose& purpose) {
  if (!valid || !layout.known || layout.set.version() != layout.version || layout.set.size() != layout.count ||
      !(purpose == purpose_))
    return false;
  bool changed = false;
  for (Index c = 0; c < layout.count; ++c) {
    const std::uint64_t stamp = layout.constraint(c).stamp();
    if (stamp == stamp_[c]) continue;
    if (!take_change(layout, c)) return false;
    stamp_[c] = stamp;
    changed = true;
  }
  if (changed) take_stabilisation(layout);
  return true;
}

void RowReader::take_stabilisation(const RowLayout& layout) {
  stabilisation = 0;
  for (Index c = 0; c < layout.count; ++c)
    if (layout.constraint(c).active) stabilisation += layout.constraint(c).stabilisation.stamp();
}

/// Takes the numbers of a constraint that has changed. False if more than numbers has changed, or if they are not
/// valid.
bool RowReader::take_change(const RowLayout& layout, Index c) {
  const Constraint& x = layout.constraint(c);
  if (!(ReadConstraint(x) == known_[static_cast<std::size_t>(c)])) return false;
  if (first_[c] < 0) return true;
  const Vec3<double>& point = x.rows_on_body->point;
  if (!is_finite(point.x + point.y + point.z) || !errors_are_given(x) || !axes_are_finite(x.rows_on_body)) return false;
  if (!x.sense.empty() && static_cast<Index>(x.sense.size()) != x.size()) return false;
  for (const Sense word : x.sense)
    if (word < Sense::equal || word > Sense::at_most) return false;
  if (!x.limit.empty() && static_cast<Index>(x.limit.size()) != x.size()) return false;
  for (const std::vector<double>* positive : {&x.compliance.value(), &x.weight.value(), &x.limit.value()})
    for (const double a : *positive)
      if (!(a > 0) || !is_finite(a)) return false;
  return take_numbers(layout, static_cast<std::size_t>(first_[c]));
}

/// Copies the rows and beta of an active constraint, column by column. False if they are not finite.
bool RowReader::take_numbers(const RowLayout& layout, std::size_t entry) {
  const Constraint& x = layout.constraint(constraint[entry]);
  if (static_cast<Index>(x.beta.size()) != x.size() || !all_finite(x.size(), x.beta.data())) return false;
  if (x.relation == nullptr && !all_finite(6 * x.size(), x.rows_on_body->matrix.data())) return false;
  if (active[entry].count < x.size()) reduce(layout, entry);
  if (x.relation != nullptr) return true;  // the rest is computed at each state
  const double *const matrix = active[entry].rows->matrix.data(), *const beta = active[entry].beta;
  const Index n = active[entry].count;
  double* column = &number(entry, 0, 0, n) - k_lanes;
  for (Index d = 0; d < 7; ++d, column += n + 2 * k_lanes) {
    std::fill_n(column, n + 2 * k_lanes, 0.0);
    for (Index i = 0; i < n; ++i) column[k_lanes + i] = d < 6 ? matrix[6 * i + d] : beta[i];
  }
  return true;
}

/// The rows that are kept of a constraint, and their numbers, in place of the user's.
void RowReader::reduce(const RowLayout& layout, std::size_t entry) {
  const Index c = constraint[entry], first = layout.first_row_of(c);
  const Constraint& x = layout.constraint(c);
  Reduced& to = reduced_[static_cast<std::size_t>(c)];
  const RowsOnBody& from = x.rows_on_body;
  to.make_room(static_cast<std::size_t>(x.size()));
  to.rows = from;
  to.rows.matrix.clear();
  to.beta.clear();
  to.compliance.clear();
  for (Index i = 0; i < x.size(); ++i) {
    if (released_[first + i]) continue;
    const auto at = static_cast<std::size_t>(i);
    to.beta.push_back(x.beta[at]);
    if (!x.compliance.empty()) to.compliance.push_back(x.compliance[at]);
    if (x.relation != nullptr) continue;
    const auto row = from.matrix.begin() + 6 * i;
    to.rows.matrix.insert(to.rows.matrix.end(), row, row + 6);
  }
  page::ActiveRows<double>& a = active[entry];
  if (x.relation == nullptr) a.rows = &to.rows;
  a.beta = to.beta.data();
  if (a.compliance != nullptr) a.compliance = to.compliance.data();
}

void RowReader::take_shock(const RowLayout& layout) {
  for (std::size_t e = 0; e < active.size(); ++e) {
    const Index first = sweep_row[first_kept(layout, constraint[e])], n = active[e].count;
    if (active[e].rows == nullptr) continue;  // relations are told where they are evaluated
    for (Index i = 0; i < n; ++i) number(e, 6, i, n) = shock->change[row_of[first + i]];
  }
}

void RowReader::read_anew(RowLayout& layout, const RowPurpose& purpose) {
  valid = false;
  check_purpose(purpose, layout.model);
  if (layout.follow() || !keeps_released_)
    std::fill_n(released_.data(), released_.size(), static_cast<unsigned char>(0));
  active.clear();
  constraint.clear();
  part.clear();
  for (Index r = 0; r < layout.rows(); ++r) sweep_row[r] = -1;
  for (Index c = 0; c < layout.count; ++c) first_[c] = -1;
  traits = {};
  traits.bounded = limits_motors_;
  rows = columns_ = 0;
  ++reading;
  for (const Part& p : layout.parts) {
    const Constraint& x = layout.constraint(p.constraint);
    if (!x.active) continue;
    if (p.which > 0) {
      if (first_[p.constraint] >= 0) join(layout, p);
      continue;
    }
    check_constraint(layout.owner, x, layout.model.bodies());
    check_combination(x, purpose);
    begin(layout, p, purpose);
  }
  for (Index c = 0; c < layout.count; ++c) {
    known_[static_cast<std::size_t>(c)] = ReadConstraint(layout.constraint(c));
    stamp_[c] = layout.constraint(c).stamp();
  }
  for (Index c = 0; traits.bounded && c < layout.count; ++c)
    if (const Constraint& x = layout.constraint(c); x.active)
      check_bounded(x, limits_motors_ && x.role == Role::driver, traits.levels, purpose.singularity);
  take_stabilisation(layout);
  purpose_ = purpose;
  valid = true;
}

/// Adds a constraint at the first of its bodies and reads the numbers of its rows.
void RowReader::begin(const RowLayout& layout, const Part& p, const RowPurpose& purpose) {
  const Index c = p.constraint;
  const Constraint& x = layout.constraint(c);
  const RowsOnBody& r = x.rows_on_body;
  const bool soft = x.policy == Policy::soft || purpose.makes_rows_soft;
  const Index kept = rows_kept(layout, c);
  traits.bounded = traits.bounded || x.is_bounded();
  if (kept == 0) return;
  const double* const columns = &numbers[7 * (columns_ + 2 * k_lanes * static_cast<Index>(active.size()))];
  columns_ += kept;
  first_[c] = last_[c] = static_cast<Index>(active.size());
  constraint.push_back(c);
  part.push_back(0);
  active.push_back({x.relation ? nullptr : &r, x.beta.data(), x.acceleration, soft ? x.compliance.data() : nullptr,
                    nullptr, columns, p.body, kept, 0, static_cast<Index>(part_count(x)) - 1});
  take_numbers(layout, active.size() - 1);
  for (Index i = 0; i < x.size(); ++i) {
    if (released_[layout.first_row_of(c) + i]) continue;
    row_of[rows] = layout.first_row_of(c) + i;
    sweep_row[row_of[rows]] = rows;
    constraint_of[rows++] = c;
  }
  RowTraits& t = traits;
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
  t.levels = t.levels || (t.first_level >= 0 && t.first_level != x.priority);
  t.first_level = t.first_level < 0 ? x.priority : std::min(t.first_level, x.priority.value());
}

/// Adds the same constraint at a further body.
void RowReader::join(const RowLayout& layout, const Part& p) {
  const Index c = p.constraint;
  const Constraint& x = layout.constraint(c);
  const double* const columns = &numbers[7 * (columns_ + 2 * k_lanes * static_cast<Index>(active.size()))];
  const Index kept = rows_kept(layout, c);
  columns_ += kept;
  traits.joined = true;
  next[last_[c]] = static_cast<Index>(active.size());
  last_[c] = static_cast<Index>(active.size());
  constraint.push_back(c);
  part.push_back(p.which);
  active.push_back({nullptr, nullptr, x.acceleration, nullptr, nullptr, columns, p.body, kept,
                    1 + sweep_row[first_kept(layout, c)]});
}

}  // namespace zwang
