// SPDX-License-Identifier: BSD-3-Clause
// A random constraint of each type, held at random: soft or hard, with a role, beta, targets and stabilisation.
#pragma once
#include <vector>

#include "dynamics/mixed.hpp"

namespace zwang::test {

struct Kind {
  const char* name;
  void (*add)(const Robot& robot, Random& random, ConstraintSet& set);  ///< throws where the robot has no place for it
};
const std::vector<Kind>& every_kind();

}  // namespace zwang::test
