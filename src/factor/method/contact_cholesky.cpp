// SPDX-License-Identifier: BSD-3-Clause
#include "linear/contact_cholesky.hpp"
#include "factor/matrix_factor.hpp"
#include "factor/method.hpp"

namespace zwang::method {

extern const Method contact_cholesky;
const Method contact_cholesky{.name = "contact_cholesky",
                              .text = "U D U^T of rows and joints along the paths",
                              .place = Place::own,
                              .make = make_matrix_factor<dense::ContactCholeskyWorkspace>,
                              .can = {}};

}  // namespace zwang::method
