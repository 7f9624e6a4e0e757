// SPDX-License-Identifier: BSD-3-Clause
#include "lost_writes.hpp"

#include "arrays.hpp"

namespace zwang::python {
namespace {

/// Whether the numbers belong to this array, or to one that only this array holds.
bool owns_numbers(nb::handle array, nb::handle type) {
  const nb::object base = nb::object(array.attr("base"));
  if (base.is_none()) return true;
  return nb::isinstance(base, type) && Py_REFCNT(base.ptr()) == 2;  // held by the array, and here
}

void protect(nb::handle value) {
  if (Py_REFCNT(value.ptr()) != 1) return;
  if (PyTuple_Check(value.ptr())) {
    for (Py_ssize_t k = 0; k < PyTuple_Size(value.ptr()); ++k) protect(PyTuple_GetItem(value.ptr(), k));
  } else if (PyList_Check(value.ptr())) {
    for (Py_ssize_t k = 0; k < PyList_Size(value.ptr()); ++k) protect(PyList_GetItem(value.ptr(), k));
  } else if (PyDict_Check(value.ptr())) {
    PyObject *key = nullptr, *item = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(value.ptr(), &at, &key, &item) != 0;) protect(item);
  } else {
    static PyObject* slot;
    const nb::handle type = kept(slot, "numpy", "ndarray");
    if (nb::isinstance(value, type) && owns_numbers(value, type)) value.attr("flags").attr("writeable") = false;
  }
}

}  // namespace

nb::object without_lost_writes(nb::object value) {
  protect(value);
  return value;
}

}  // namespace zwang::python
