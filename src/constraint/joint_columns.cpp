// SPDX-License-Identifier: BSD-3-Clause
#include "constraint/joint_columns.hpp"

#include <cmath>

#include "zwang/model/for_each_joint.hpp"

namespace zwang::detail {
page::CoordinateColumn coordinate_column(const Model& model, Index v) {
  const Tree<double>& tree = model.tree<double>();
  page::CoordinateColumn c;
  c.v = v;
  for (Index k = 0; k < tree.spanning_nv; ++k)
    if (tree.column[k].v == v && (c.column < 0 || std::fabs(tree.column[k].multiplier) > std::fabs(c.multiplier))) {
      c.column = k;
      c.multiplier = tree.column[k].multiplier;
    }
  c.child = tree.column[c.column].body;
  c.parent = tree.body[c.child].parent;
  for_each_joint(tree, [&](const auto& joint) {
    if (v < joint.v || v >= joint.v + joint.nv) return;
    const Index i = v - joint.v;  // the angle of a planar joint, its third number, is additive too
    if (joint.additive() || (tree.body[joint.body].kind == kind_of<Planar> && i == 2)) c.q = joint.q + i;
  });
  return c;
}

page::CoordinateColumn find_coordinate(const Model& model, const std::string& name, const std::string& constraint) {
  const std::vector<std::string>& names = model.coordinate_names();
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) return coordinate_column(model, static_cast<Index>(k));
  throw_unknown(("constraint '" + constraint + "': coordinate").c_str(), name, names);
}

std::vector<Index> bodies_of(const std::vector<page::CoordinateColumn>& coordinates) {
  std::vector<Index> bodies;
  for (const page::CoordinateColumn& c : coordinates) bodies.insert(bodies.end(), {c.child, c.parent});
  return in_order(std::move(bodies));
}

void find_places(std::vector<page::CoordinateColumn>& coordinates, const std::vector<Index>& bodies) {
  const auto place_of = [&](Index body) {
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (bodies[i] == body) return static_cast<Index>(i);
    return Index(-1);
  };
  for (page::CoordinateColumn& c : coordinates) {
    c.child_place = place_of(c.child);
    c.parent_place = c.parent == 0 ? -1 : place_of(c.parent);
  }
}

}  // namespace zwang::detail
