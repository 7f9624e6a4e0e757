// SPDX-License-Identifier: BSD-3-Clause
#include "rows_result.hpp"

#include "zwang/constraint/rows.hpp"

namespace zwang::python {

RowLayout::RowLayout(const ConstraintSet& set) : version(set.version()) {
  for (const Constraint& c : set.constraints()) {
    parts.push_back({c.name, c.frame, c.in, c.type, c.other, Held(c), c.row_names, rows});
    rows += c.size();
  }
  for (const Joint& j : set.model().joints())
    if (!j.lumped) joints.push_back(j.name);
  for (const ConstraintGroup& g : set.groups()) {
    groups.push_back({g.name, {}});
    for (const Index k : g.members) groups.back().members.push_back(parts[static_cast<std::size_t>(k)].name);
  }
}

bool RowLayout::is_of(const ConstraintSet& set) const {
  if (version != set.version() || groups.size() != set.groups().size()) return false;
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k].held != Held(set.constraints()[k])) return false;
  return true;
}

void RowLayout::check(const Pickled& read) {
  for (Part& part : parts) {
    part.first = rows;
    if (part.row_names.size() > static_cast<std::size_t>(k_most_rows - rows))
      read.refuse("more than " + std::to_string(k_most_rows) + " rows");
    rows += static_cast<Index>(part.row_names.size());
  }
}

std::pair<std::array<Index, 2>, std::size_t> ArrayShape::extents(const RowLayout& layout, Index coordinates) const {
  const auto count = [&] {
    switch (of) {
      case one: return std::size_t(0);
      case nv: return static_cast<std::size_t>(coordinates);
      case rows: return static_cast<std::size_t>(layout.rows);
      case constraints: return layout.parts.size();
      case groups: return layout.groups.size();
      case joints: return layout.joints.size();
    }
    return std::size_t(0);
  };
  return {{static_cast<Index>(count()), columns}, of == one ? 0U : columns == 0 ? 1U : 2U};
}

nb::object number_or_array(Index states, nb::object array) {
  return states < 0 ? nb::object(nb::float_(array)) : array;
}

nb::object part_of(const nb::object& array, Index states, ArrayShape shape, const RowLayout::Part& rows,
                   std::size_t index) {
  const auto at = [&](auto... last) { return nb::object(array[nb::make_tuple(nb::ellipsis(), last...)]); };
  if (shape.of == ArrayShape::rows)
    return at(nb::slice(rows.first, rows.first + static_cast<Index>(rows.row_names.size())));
  if (shape.columns > 0) return at(index, nb::slice(nb::none(), nb::none(), nb::none()));
  return number_or_array(states, at(index));
}

nb::object array_from(const Pickled& read, const char* type, nb::handle given, Index states, ArrayShape shape,
                      const RowLayout& layout, Index& nv) {
  static PyObject* slot;
  if (nv < 0) {
    const nb::object extents = nb::getattr(given, "shape", nb::none());
    if (!PyTuple_Check(extents.ptr()) || nb::len(extents) == 0) read.refuse("its first array is none");
    nv = read.count(extents[nb::len(extents) - 1], 0, std::numeric_limits<Index>::max(), "nv");
  }
  const bool single = states >= 0 && Input::is_single(given);  // of a batch in float32
  const nb::object copy = kept(slot, "numpy", "array")(given, nb::arg("dtype") = single ? "float32" : "float64",
                                                       nb::arg("order") = "C", nb::arg("copy") = true);
  const auto [extent, dimensions] = shape.extents(layout, nv);
  return Output(type, "state", copy, states, std::span(extent.data(), dimensions), single).array;
}

void check_result(const Pickled& read, const char* type, RowsResult& made, bool report_of_each) {
  static PyObject* slot;
  if (made.states < 0 && made.status.is_valid()) read.refuse("one state has no array of status");
  if (made.states >= 0) {
    const nb::object given = made.status.is_valid() ? made.status : nb::none();
    made.status = kept(slot, "numpy", "array")(given, nb::arg("dtype") = "uint8", nb::arg("copy") = true);
    const StatusOutput check(type, made.status, made.states);
  }
  const Index reports = made.states < 0 ? 1 : report_of_each ? made.states : 0;
  if (made.reports.size() != static_cast<std::size_t>(reports)) read.refuse("another number of reports than of states");
  for (const ReportObject& r : made.reports) r.check(read);
}

}  // namespace zwang::python
