// SPDX-License-Identifier: BSD-3-Clause
// Numbers of links and joints, as ModelBuilder and with_parameters are given them.
#pragma once
#include <string>
#include <vector>

#include "bind.hpp"
#include "zwang/spatial/inertia.hpp"

namespace zwang::python {

/// Numbers of a joint, under the names of JointDescription.
#define ZWANG_JOINT_NUMBERS(X) \
  X(lower)                     \
  X(upper) X(velocity) X(effort) X(damping) X(friction) X(stiffness) X(spring_reference) X(rotor_inertia) X(gear_ratio)

[[noreturn]] void wrong(const char* function, const std::string& argument, const std::string& got,
                        const std::string& expected);
/// A symmetric 3 x 3 matrix.
Sym3<double> inertia_of(const char* function, nb::handle given);
/// One number (of Python or NumPy) or several; infinity and NaN (unknown) are allowed. None: an empty vector.
std::vector<double> bounds(const char* function, const char* name, nb::handle given);
void bind_parameters(nb::module_& m);

}  // namespace zwang::python
