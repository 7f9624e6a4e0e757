// SPDX-License-Identifier: BSD-3-Clause
#include "factor/method.hpp"

namespace zwang::method {

extern const Method pv_soft;
const Method pv_soft{.name = "pv_soft",
                     .text = "every row soft, by its compliance",
                     .place = Place::root,
                     .makes_rows_soft = true,
                     .can = k_sweep};

}  // namespace zwang::method
