// SPDX-License-Identifier: BSD-3-Clause
#include "factor/matrix_factor.hpp"
#include "factor/method.hpp"
#include "linear/kkt_pivoted_qr.hpp"

namespace zwang::method {

extern const Method dense_qr;
const Method dense_qr{.name = "dense_qr",
                      .text = "[M J^T; J -R] by QR with column pivots",
                      .place = Place::own,
                      .make = make_matrix_factor<dense::KktPivotedQrWorkspace>,
                      .can = {}};

}  // namespace zwang::method
