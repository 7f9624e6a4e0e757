// SPDX-License-Identifier: BSD-3-Clause
#include "factor/matrix_factor.hpp"
#include "factor/method.hpp"
#include "linear/kkt_lu.hpp"

namespace zwang::method {

extern const Method dense_lu;
const Method dense_lu{.name = "dense_lu",
                      .text = "[M J^T; J -R] by LU",
                      .place = Place::own,
                      .make = make_matrix_factor<dense::KktLuWorkspace>,
                      .can = {}};

}  // namespace zwang::method
