// SPDX-License-Identifier: BSD-3-Clause
// What a ConstraintSet and the solvers made from it share.
#pragma once
#include "zwang/constraint/constraint_set.hpp"

namespace zwang {

/// The struct that a constraint was added as, shared by the copies of a set.
struct ConstraintSet::Added {
  virtual ~Added();
  std::shared_ptr<const Relation> relation = nullptr;
};

struct ConstraintSet::State {
  Model model;
  std::vector<Constraint> constraints;
  std::vector<std::shared_ptr<const Added>> added;  ///< of each of them
  std::vector<ConstraintGroup> groups;
  unsigned version = 0;
};

}  // namespace zwang
