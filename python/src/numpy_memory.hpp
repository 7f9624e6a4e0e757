// SPDX-License-Identifier: BSD-3-Clause
// The memory of NumPy arrays without Python calls: where it lies in the object, and the function that makes an array.
// Both are parts of NumPy's binary interface that all its versions 1 and 2 share. Where a first look does not find
// what is known, nothing here is used, and arrays are made and read by calls of Python (numpy.empty, the buffer
// protocol), which costs about 0.5 us an array.
#pragma once
#include <nanobind/nanobind.h>

namespace zwang::python {

namespace nb = nanobind;

/// An array object as NumPy stores it.
struct ArrayFields {
  PyObject head;
  char* data;
  int dimensions;
  Py_ssize_t *shape, *strides;
  PyObject *base, *dtype;
  int flags;
  /// As the buffer protocol says it: NumPy warns of a write where bit 31 is set, which is then refused here.
  bool writable() const { return (static_cast<unsigned>(flags) & 0x80000400u) == 0x400u; }
};

/// Both under the interpreter's lock. The fields of an array of native float64 (`numpy.ndarray` itself, no class
/// derived from it); nullptr for other objects.
const ArrayFields* float64_array(nb::handle object);
/// A new array of float64, not filled, row by row or `by_columns`; invalid where NumPy's function is not known.
nb::object new_float64_array(const Py_ssize_t* shape, int dimensions, bool by_columns = false);
/// An array on numbers that `owner` keeps alive; strides in bytes. Invalid where NumPy's function is not known.
nb::object float64_view(double* numbers, const Py_ssize_t* shape, const Py_ssize_t* strides, int dimensions,
                        nb::handle owner);

}  // namespace zwang::python
