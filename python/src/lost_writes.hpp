// SPDX-License-Identifier: BSD-3-Clause
// Properties that make an array at each reading: what is written into it would be lost, so NumPy refuses it.
#pragma once
#include <nanobind/nanobind.h>

namespace zwang::python {

namespace nb = nanobind;

/// The same object. Arrays in it (itself, entries of a tuple, list or dictionary) that nobody else holds become
/// read-only: they are copies, and the next reading of the property makes others. Arrays that an object keeps stay as
/// they are: writing changes what it shows.
nb::object without_lost_writes(nb::object value);

}  // namespace zwang::python
