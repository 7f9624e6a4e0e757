// SPDX-License-Identifier: BSD-3-Clause
// A model with its constraints and configurations, as load_robot gives it: the named tuple Robot of Python.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>

#include "zwang/io/robot.hpp"

namespace zwang::python {

namespace nb = nanobind;

/// Robot and Configuration in the module.
void define_whole_robot(nb::module_& m);
/// The named tuple; `found` are the diagnostics of its model.
nb::object whole_robot(zwang::Robot robot, std::shared_ptr<Diagnostics> found);
/// Of a Model, or of what load_robot gives.
zwang::Robot robot_of(const char* function, nb::handle given);

}  // namespace zwang::python
