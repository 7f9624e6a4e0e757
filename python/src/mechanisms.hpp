// SPDX-License-Identifier: BSD-3-Clause
// What the functions on mechanisms share.
#pragma once
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace zwang::python {

/// One name or a list of names; None: an empty list, which means the model's motors.
std::vector<std::string> names_from(const char* function, const char* argument, nanobind::handle given);

}  // namespace zwang::python
