// SPDX-License-Identifier: BSD-3-Clause
// CouplingConstraint bound to the columns of its coordinates.
#include "constraint/bind.hpp"
#include "constraint/joint_columns.hpp"
#include "constraint/page_relation.hpp"

namespace zwang {
namespace {

void check(const CouplingConstraint& f) {
  const std::string where = "constraint '" + f.name + "'";
  const auto refuse = [&](const std::string& what) { throw std::invalid_argument(where + ": " + what); };
  detail::check_finite(f.ratio.data(), static_cast<Index>(f.ratio.size()), f.name, "ratio");
  detail::check_finite(f.polynomial.data(), static_cast<Index>(f.polynomial.size()), f.name, "polynomial");
  detail::check_finite(&f.offset, 1, f.name, "offset");
  if (f.coordinates.empty()) refuse("coordinates: none is named");
  for (std::size_t i = 0; i < f.coordinates.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (f.coordinates[i] == f.coordinates[j]) refuse("coordinate '" + f.coordinates[i] + "' is named twice");
  if (!f.polynomial.empty()) {
    if (!f.ratio.empty()) refuse("either ratio or polynomial is given, not both");
    if (f.offset != 0) refuse("offset belongs to the linear form; of a polynomial it is polynomial[0]");
    if (f.coordinates.size() != 2)
      refuse("coordinates: a polynomial couples 2; got " + std::to_string(f.coordinates.size()));
    return;
  }
  if (f.ratio.size() != f.coordinates.size())
    detail::throw_size(where.c_str(), "ratio", static_cast<long>(f.ratio.size()),
                       static_cast<long>(f.coordinates.size()));
  bool some = false;
  for (const double r : f.ratio) some = some || r != 0;
  if (!some) refuse("ratio: all are zero");
}

template <class T> ConstArray<T> array(const std::vector<T>& x) { return {x.data(), static_cast<Index>(x.size())}; }

}  // namespace

Constraint bind(const Model& model, const CouplingConstraint& f) {
  Constraint c = detail::begin(f, "");
  check(f);
  std::vector<page::CoordinateColumn> coordinates;
  for (const std::string& name : f.coordinates) {
    coordinates.push_back(detail::find_coordinate(model, name, f.name));
    if (coordinates.back().q >= 0) continue;
    throw std::invalid_argument("constraint '" + f.name + "': coordinate '" + name +
                                "' is no number of q whose rate is v (of free, spherical, planar and unbounded joints "
                                "only the angle of a planar one is)");
  }
  detail::set_rows(c, {"coupling"});
  std::vector<Index> bodies = detail::bodies_of(coordinates);
  detail::find_places(coordinates, bodies);
  c.relation = detail::relation_of(
      1, std::move(bodies), page::CouplingRows{array(coordinates), array(f.ratio), f.offset, array(f.polynomial)});
  return c;
}

template Constraint& ConstraintSet::add(const CouplingConstraint&);
template const CouplingConstraint* ConstraintSet::added_as(const std::string&) const;

}  // namespace zwang
