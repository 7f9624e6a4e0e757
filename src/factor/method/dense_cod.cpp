// SPDX-License-Identifier: BSD-3-Clause
#include "factor/matrix_factor.hpp"
#include "factor/method.hpp"
#include "linear/kkt_cod.hpp"

namespace zwang::method {

extern const Method dense_cod;
const Method dense_cod{.name = "dense_cod",
                       .text = "[M J^T; J -R] by complete orthogonal decomposition",
                       .place = Place::own,
                       .make = make_matrix_factor<dense::KktCodWorkspace>,
                       .can = {}};

}  // namespace zwang::method
