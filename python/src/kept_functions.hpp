// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <nanobind/nanobind.h>

namespace zwang::python {

/// Functions and methods of nanobind's modules are pickled and copied by their names, methods of an object with the
/// object. `example`: a class that is made without arguments and has __getstate__.
void keep_functions(nanobind::handle example);

}  // namespace zwang::python
