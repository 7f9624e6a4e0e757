// SPDX-License-Identifier: BSD-3-Clause
#include "factor/method.hpp"

namespace zwang::method {

extern const Method bbo;
const Method bbo{.name = "bbo",
                 .text = "rows between bodies where they have met, others at the root",
                 .place = Place::where_met,
                 .can = k_sweep};

}  // namespace zwang::method
