// SPDX-License-Identifier: BSD-3-Clause
// constrained_aba with rows between bodies.
#include "factor/loop_factor.hpp"
#include "factor/method.hpp"

namespace zwang::method {

extern const Method loop_aba;
const Method loop_aba{.name = "loop_aba",
                      .text = "constrained_aba, with rows between bodies too",
                      .place = Place::own,
                      .make = make_factor<LoopFactor>,
                      .can = {.mimic = false, .many_loops = true}};

}  // namespace zwang::method
