// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/constraint/relation.hpp"

#include <algorithm>

namespace zwang {

Relation::~Relation() = default;
const RelationRows* Relation::rows_for_lanes() const { return nullptr; }

Relation::Relation(Index rows, std::vector<Index> bodies) : rows_(rows), bodies_(std::move(bodies)) {
  std::sort(bodies_.begin(), bodies_.end());
  bodies_.erase(std::unique(bodies_.begin(), bodies_.end()), bodies_.end());
  if (bodies_.size() > 1 && bodies_.front() == 0) bodies_.erase(bodies_.begin());
}

}  // namespace zwang
