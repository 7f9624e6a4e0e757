// SPDX-License-Identifier: BSD-3-Clause
// What a model keeps as data: shapes with their contact, motors, pairs of links that never touch; as named tuples, and
// from what ModelBuilder is given.
#pragma once
#include <string>
#include <vector>

#include "bind.hpp"

namespace zwang::python {

nb::list shapes_of(const std::vector<Shape>& shapes);
nb::list motors_of(const RobotDescription& robot);
nb::list exclusions_of(const RobotDescription& robot);

/// From a mapping with the fields of Contact; None: nothing is known.
ContactData contact_argument(const char* function, nb::handle given);
/// From what add_motor takes: ranges are pairs or None, attributes a mapping of texts or None.
MotorDescription motor_argument(const std::string& name, const std::string& joint, const std::string& kind, double gear,
                                nb::handle control, nb::handle force, nb::handle attributes);
void define_kept_data(nb::module_& m);

}  // namespace zwang::python
