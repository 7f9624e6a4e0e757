// SPDX-License-Identifier: BSD-3-Clause
// Calls whose arguments fit no signature.
#pragma once
#include <nanobind/nanobind.h>

namespace zwang::python {

/// Every function and method of the module says which argument of a call is wrong: an unknown keyword
/// with the nearest one there is, a missing argument, one given twice or of another type, an integer
/// beyond its range. Every property says what it was given instead. `reference` and `in_` are one word: a
/// function that knows one of them takes the other.
void explain_wrong_calls(nanobind::module_& m);

}  // namespace zwang::python
