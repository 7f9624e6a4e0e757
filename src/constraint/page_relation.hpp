// SPDX-License-Identifier: BSD-3-Clause
// A Relation from a page: the result of binding a constraint between bodies.
#pragma once
#include "zwang/constraint/page/relations.hpp"
#include "zwang/constraint/relation.hpp"

namespace zwang::detail {

/// The list that Relation::bodies() returns, from bodies in any order, repeated or not.
std::vector<Index> in_order(std::vector<Index> bodies);

/// Rows of any page of the list. The page's arrays are copied. Bodies in any order, repeated or not.
std::shared_ptr<const Relation> relation_of(Index rows, std::vector<Index> bodies, const RelationPage& page);

/// Rows between two frames; `matrix` is rows x errors of the geometry.
template <class Geometry>
std::shared_ptr<const Relation> relation_of(const Geometry& geometry, const page::BodyFrame& a,
                                            const page::BodyFrame& b, const std::vector<double>& matrix,
                                            page::Given given = page::Given::on_b) {
  const auto size = static_cast<Index>(matrix.size());
  return relation_of(size / Geometry::errors, {a.body, b.body},
                     page::PoseRows<Geometry>{geometry, a, b, {matrix.data(), size}, given});
}

}  // namespace zwang::detail
