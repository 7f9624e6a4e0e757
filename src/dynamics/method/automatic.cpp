// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/method/method.hpp"

namespace zwang::method {

extern const Method automatic;
const Method automatic{
    .name = "automatic",
    .text = "each constraint's policy decides; rows that are plainly hard go where the time is least",
    .place = Place::as_given,
    .can = k_sweep};

}  // namespace zwang::method
