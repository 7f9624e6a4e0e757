// SPDX-License-Identifier: BSD-3-Clause
// What a ConstraintSet and the solvers made from it share.
#pragma once
#include "zwang/constraint/constraint_set.hpp"

namespace zwang {

struct ConstraintSet::State {
  Model model;
  std::vector<Constraint> constraints;
  unsigned version = 0;
};

}  // namespace zwang
