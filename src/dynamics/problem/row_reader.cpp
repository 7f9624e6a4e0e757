// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/problem/row_reader.hpp"

#include <algorithm>
#include <cstring>

#include "dynamics/problem/check_constraint.hpp"
#include "dynamics/vectors.hpp"

namespace zwang {

ReadConstraint::ReadConstraint(const Constraint& x)
    : active(x.active),
      policy(x.policy),
      priority(x.priority),
      compensate(x.compensate),
      acceleration(x.acceleration),
      role(x.role),
      axes(x.rows_on_body.axes),
      body(first_body(x)),
      axes_body(x.rows_on_body.axes_body),
      rows(x.size()),
      relation(x.relation.get()),
      beta{x.beta.data(), x.beta.size()},
      matrix{x.rows_on_body.matrix.data(), x.rows_on_body.matrix.size()},
      compliance{x.compliance.data(), x.compliance.size()},
      weight{x.weight.data(), x.weight.size()} {}

RowReader::RowReader(const RowLayout& layout)
    : next(layout.part_capacity),
      row_of(layout.capacity),
      sweep_row(layout.capacity),
      constraint_of(layout.capacity),
      numbers(7 * (layout.part_row_capacity + 2 * k_lanes * layout.part_capacity)),
      last_(layout.constraint_capacity),
      copy_(7 * layout.part_row_capacity),
      known_(static_cast<std::size_t>(layout.constraint_capacity)) {
  const auto parts = static_cast<std::size_t>(layout.part_capacity);
  active.reserve(parts);
  constraint.reserve(parts);
  part.reserve(parts);
}

void RowReader::read(RowLayout& layout, const Method& method, Singularity singularity) {
  if (!is_same(layout, method, singularity)) read_anew(layout, method, singularity);
}

/// Nothing but numbers has changed since read_anew(), and these are as they have to be.
bool RowReader::is_same(const RowLayout& layout, const Method& method, Singularity singularity) {
  const std::vector<Constraint>& all = layout.constraints();
  if (!valid || !layout.known || layout.set.version() != layout.version ||
      static_cast<Index>(all.size()) != layout.count || singularity != singularity_ || &method != method_)
    return false;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const Constraint& x = all[c];
    if (!(ReadConstraint(x) == known_[c])) return false;
    if (!x.active) continue;
    const RowsOnBody& r = x.rows_on_body;
    if (!is_finite(r.point.x + r.point.y + r.point.z) || !errors_are_given(x)) return false;
    for (const double a : x.compliance)
      if (!(a > 0) || !is_finite(a)) return false;
    for (const double a : x.weight)
      if (!(a > 0) || !is_finite(a)) return false;
  }
  for (std::size_t e = 0; e < active.size(); ++e)
    if (!take_numbers(layout, e, false)) return false;
  return true;
}

/// The rows and beta of an active constraint column by column, where they are not already. False where they are not
/// finite.
bool RowReader::take_numbers(const RowLayout& layout, std::size_t entry, bool anew) {
  const Constraint& x = layout.constraint(constraint[entry]);
  if (x.relation != nullptr)  // the rest is found at each state
    return all_finite(x.size(), x.beta.data()) && x.beta.size() == static_cast<std::size_t>(x.size());
  const std::vector<double>&matrix = x.rows_on_body.matrix, &beta = x.beta;
  const Index n = x.size();
  if (n == 0) return true;
  const Index pads = 14 * k_lanes * static_cast<Index>(entry);
  const auto at = static_cast<Index>(active[entry].columns - numbers.data()) - pads;
  double* const copy = &copy_[at];
  const std::size_t bytes = beta.size() * sizeof(double);
  if (!anew && std::memcmp(copy, matrix.data(), 6 * bytes) == 0 && std::memcmp(copy + 6 * n, beta.data(), bytes) == 0)
    return true;
  if (!all_finite(6 * n, matrix.data()) || !all_finite(n, beta.data())) return false;
  std::copy_n(matrix.data(), 6 * n, copy);
  std::copy_n(beta.data(), n, copy + 6 * n);
  double* column = &numbers[at + pads];
  for (Index d = 0; d < 7; ++d, column += n + 2 * k_lanes) {
    std::fill_n(column, n + 2 * k_lanes, 0.0);
    for (Index i = 0; i < n; ++i) column[k_lanes + i] = d < 6 ? copy[6 * i + d] : copy[6 * n + i];
  }
  return true;
}

void RowReader::read_anew(RowLayout& layout, const Method& method, Singularity singularity) {
  valid = false;
  check_method(method, layout.model, singularity == Singularity::truncation ? nullptr : name_of(singularity));
  layout.follow();
  active.clear();
  constraint.clear();
  part.clear();
  for (Index r = 0; r < layout.rows(); ++r) sweep_row[r] = -1;
  traits = {};
  rows = columns_ = 0;
  ++reading;
  for (const Part& p : layout.parts) {
    const Constraint& x = layout.constraint(p.constraint);
    if (!x.active) continue;
    if (p.which > 0) {
      join(layout, p);
      continue;
    }
    check_constraint(layout.owner, x, layout.model.bodies());
    check_combination(x, method, singularity);
    begin(layout, p, method);
  }
  for (Index c = 0; c < layout.count; ++c) known_[static_cast<std::size_t>(c)] = ReadConstraint(layout.constraint(c));
  method_ = &method;
  singularity_ = singularity;
  valid = true;
}

/// A constraint on the first of its bodies: its rows get their numbers.
void RowReader::begin(const RowLayout& layout, const Part& p, const Method& method) {
  const Index c = p.constraint;
  const Constraint& x = layout.constraint(c);
  const RowsOnBody& r = x.rows_on_body;
  const bool soft = x.policy == Policy::soft || method.makes_rows_soft;
  const double* const columns = &numbers[7 * (columns_ + 2 * k_lanes * static_cast<Index>(active.size()))];
  columns_ += x.size();
  last_[c] = static_cast<Index>(active.size());
  constraint.push_back(c);
  part.push_back(0);
  active.push_back({x.relation ? nullptr : &r, x.beta.data(), x.acceleration, soft ? x.compliance.data() : nullptr,
                    nullptr, columns, p.body, x.size(), 0, static_cast<Index>(part_count(x)) - 1});
  take_numbers(layout, active.size() - 1, true);
  for (Index i = 0; i < x.size(); ++i, ++rows) {
    row_of[rows] = layout.first_row_of(c) + i;
    sweep_row[row_of[rows]] = rows;
    constraint_of[rows] = c;
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
  t.first_level = t.first_level < 0 ? x.priority : std::min(t.first_level, x.priority);
}

/// The same constraint on a further body.
void RowReader::join(const RowLayout& layout, const Part& p) {
  const Index c = p.constraint;
  const Constraint& x = layout.constraint(c);
  const double* const columns = &numbers[7 * (columns_ + 2 * k_lanes * static_cast<Index>(active.size()))];
  columns_ += x.size();
  traits.joined = true;
  next[last_[c]] = static_cast<Index>(active.size());
  last_[c] = static_cast<Index>(active.size());
  constraint.push_back(c);
  part.push_back(p.which);
  active.push_back({nullptr, nullptr, x.acceleration, nullptr, nullptr, columns, p.body, x.size(),
                    1 + sweep_row[layout.first_row_of(c)]});
}

}  // namespace zwang
