// SPDX-License-Identifier: BSD-3-Clause
// repr() of results that have none of their own.
#pragma once
#include <nanobind/nanobind.h>

namespace zwang::python {

/// Every class of the module without a repr gets one of its properties: numbers and words by value, arrays by shape,
/// lists by length. `<zwang.Assembled q (7,), v None, status ok, residual 2.2e-16, iterations 3, rank 6>`.
void give_short_texts(nanobind::module_& m);

}  // namespace zwang::python
