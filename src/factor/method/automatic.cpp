// SPDX-License-Identifier: BSD-3-Clause
#include "factor/method.hpp"

namespace zwang::method {

extern const Method automatic;
const Method automatic{
    .name = "automatic",
    .text = "rows at the ends of their own paths where that is certain, else by policy and least time",
    .place = Place::as_given,
    .can = k_sweep};

}  // namespace zwang::method
