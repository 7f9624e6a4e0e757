// SPDX-License-Identifier: BSD-3-Clause
// Poses from Python: a 4 x 4 matrix, or a position.
#include "arrays.hpp"

namespace zwang::python {
namespace {

/// Whether it is a sequence of numbers, not of rows.
bool is_flat(nb::handle given) {
  if (!PySequence_Check(given.ptr()) || PyUnicode_Check(given.ptr())) return false;
  const nb::object first = nb::steal(PySequence_GetItem(given.ptr(), 0));
  if (!first.is_valid()) PyErr_Clear();
  return first.is_valid() && PyNumber_Check(first.ptr()) && !PySequence_Check(first.ptr());
}

}  // namespace

Transform<double> pose(const char* function, const char* name, nb::handle given) {
  if (is_flat(given)) return {Mat3<double>::identity(), vec3(function, name, given)};
  const Input x(function, name, given, 4);
  const auto refuse = [&](const char* got) {
    throw std::invalid_argument(
        std::string(function) + ": argument '" + name + "' has " + got +
        ", expected a 4 x 4 pose (a rotation, a position, and the last row 0 0 0 1) or the 3 numbers of a position");
  };
  if (x.states() != 4) refuse("another shape");
  Transform<double> X;
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) X.R[i][j] = x.at(i)[j];
    X.p[i] = x.at(i)[3];
  }
  if (x.at(3)[0] != 0 || x.at(3)[1] != 0 || x.at(3)[2] != 0 || x.at(3)[3] != 1) refuse("another last row");
  return X;
}

}  // namespace zwang::python
