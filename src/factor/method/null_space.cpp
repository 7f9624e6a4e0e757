// SPDX-License-Identifier: BSD-3-Clause
#include "linear/null_space.hpp"
#include "factor/matrix_factor.hpp"
#include "factor/method.hpp"

namespace zwang::method {

extern const Method null_space;
const Method null_space{.name = "null_space",
                        .text = "M on what the rows leave free",
                        .place = Place::own,
                        .make = make_matrix_factor<dense::NullSpaceWorkspace>,
                        .can = {}};

}  // namespace zwang::method
