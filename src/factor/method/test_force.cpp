// SPDX-License-Identifier: BSD-3-Clause
#include "factor/matrix_factor.hpp"
#include "factor/method.hpp"
#include "linear/test_forces.hpp"

namespace zwang::method {

extern const Method test_force;
const Method test_force{.name = "test_force",
                        .text = "Lambda by a solve with M for each row",
                        .place = Place::own,
                        .make = make_matrix_factor<dense::TestForcesWorkspace>,
                        .can = {}};

}  // namespace zwang::method
