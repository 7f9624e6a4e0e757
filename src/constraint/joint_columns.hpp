// SPDX-License-Identifier: BSD-3-Clause
// Rows on coordinates, carried by the bodies that their joints join.
//
//   v_k = K_k . (V_child - V_parent)       K_k . S_j = delta_kj over the joint's columns S
#pragma once
#include "zwang/constraint/relation.hpp"

namespace zwang::detail {

/// A coordinate of the model: a column of the spanning tree that it drives, v_column = multiplier v_k.
struct CoordinateColumn {
  Index v = -1, q = -1;  ///< in the model's v and q; q = -1 where no number of q has v as its rate
  Index column = -1, child = 0, parent = 0;
  double multiplier = 1;
};
/// The coordinate of that name. Of the columns that it drives, the one that moves most.
CoordinateColumn find_coordinate(const Model& model, const std::string& name, const std::string& constraint);
/// The same by its place in v.
CoordinateColumn coordinate_column(const Model& model, Index v);
/// Bodies that rows on these coordinates act on.
std::vector<Index> bodies_of(const std::vector<CoordinateColumn>& coordinates);
/// Where a body stands in a relation's list; -1: not at all.
Index place_of(const std::vector<Index>& bodies, Index body);

/// K_k of a column: the part of S_k that is normal to the joint's other columns, over its own square (about the body's
/// origin, so that distance costs no digits). In world axes about the branch's centre; zero where S_k depends on them.
Force<double> dual_of_column(const Data& data, Index column);

/// Adds `slope` times the coordinate's row to K of child and parent (nullptr: the ground); returns what the bodies' bias
/// accelerations do to it.
inline double add_coordinate(const Data& data, const CoordinateColumn& c, double slope, Force<double>* child,
                             Force<double>* parent) {
  if (slope == 0) return 0;
  const Force<double> k = dual_of_column(data, c.column) * (slope / c.multiplier);
  *child += k;
  if (parent != nullptr) *parent -= k;
  const Motion<double> bias =
      Motion<double>(data.velocity.bias[c.child]) - Motion<double>(data.velocity.bias[c.parent]);
  return dot(bias, k);
}

}  // namespace zwang::detail
