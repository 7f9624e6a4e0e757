// SPDX-License-Identifier: BSD-3-Clause
// CentreOfMassConstraint: rows on every moving body.
#include "constraint/bind.hpp"
#include "constraint/page_relation.hpp"

namespace zwang {
namespace {

std::vector<Index> moving_bodies(const Tree<double>& tree) {
  std::vector<Index> bodies;
  for (Index i = 1; i <= tree.n; ++i)
    if (page::moves(tree, i)) bodies.push_back(i);
  if (bodies.empty()) bodies.push_back(0);
  return bodies;
}

}  // namespace

Constraint bind(const Model& model, const CentreOfMassConstraint& f) {
  Constraint c = detail::begin(f, "");
  c.in = "local_world_aligned";
  std::vector<Vec3<double>> directions;
  std::vector<std::string> names = f.rows.names;
  const bool own = !f.matrix.empty();
  const std::vector<double>& m = own ? f.matrix : f.rows.matrix;
  const std::size_t width = own ? 3 : 6;
  detail::check_finite(m.data(), static_cast<Index>(m.size()), c.name, own ? "matrix" : "rows");
  if (own) {
    if (m.size() % 3 != 0)
      throw std::invalid_argument("constraint '" + c.name + "': matrix has 3 columns; got " + std::to_string(m.size()) +
                                  " numbers");
    names.clear();
    for (std::size_t r = 0; r < m.size() / 3; ++r) names.push_back("row[" + std::to_string(r) + "]");
  }
  if (m.size() != width * names.size())
    throw std::invalid_argument("constraint '" + c.name + "': " + std::to_string(names.size()) +
                                " row names for a matrix of " + std::to_string(m.size()) + " numbers");
  for (std::size_t r = 0; r < names.size(); ++r) {
    const double* const row = &m[width * r];
    directions.push_back({row[0], row[1], row[2]});
    for (std::size_t k = 3; k < width; ++k)
      if (row[k] != 0)
        throw std::invalid_argument("constraint '" + c.name + "': row '" + names[r] +
                                    "' is angular; a centre of mass has linear.x, linear.y, linear.z");
  }
  detail::set_rows(c, names);
  const auto n = static_cast<Index>(directions.size());
  c.relation =
      detail::relation_of(n, moving_bodies(model.tree<double>()), page::CentreOfMassRows{{directions.data(), n}});
  return c;
}

template Constraint& ConstraintSet::add(const CentreOfMassConstraint&);
template const CentreOfMassConstraint* ConstraintSet::added_as(const std::string&) const;

}  // namespace zwang
