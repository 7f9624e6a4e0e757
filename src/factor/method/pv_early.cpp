// SPDX-License-Identifier: BSD-3-Clause
#include "factor/method.hpp"

namespace zwang::method {

extern const Method pv_early;
const Method pv_early{
    .name = "pv_early",
    .text = "hard rows at the ends of their own paths, else as soon as the joints below can satisfy them",
    .place = Place::early,
    .can = k_sweep};

}  // namespace zwang::method
