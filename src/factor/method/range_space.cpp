// SPDX-License-Identifier: BSD-3-Clause
#include "linear/range_space.hpp"
#include "factor/matrix_factor.hpp"
#include "factor/method.hpp"

namespace zwang::method {

extern const Method range_space;
const Method range_space{.name = "range_space",
                         .text = "Lambda = J M^-1 J^T on the path-sparse factor of M",
                         .place = Place::own,
                         .make = make_matrix_factor<dense::RangeSpaceWorkspace>,
                         .can = {}};

}  // namespace zwang::method
