// SPDX-License-Identifier: BSD-3-Clause
// What the bindings of KDL's names have in common.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <sstream>
#include <string>
#include <tuple>

namespace zwang::python::kdl {

namespace nb = nanobind;
using namespace nb::literals;

void bind_geometry(nb::module_& m);
void bind_rates(nb::module_& m);
void bind_planar(nb::module_& m);
void bind_arrays(nb::module_& m);
void bind_structures(nb::module_& m);
void bind_solvers(nb::module_& m);
void bind_inverse_kinematics(nb::module_& m);
void bind_motion(nb::module_& m);
void bind_models(nb::module_& m);
/// What each class is, with its equation, axes and units.
void write_help(nb::module_& m);

/// Python's index, negative from the end. Throws IndexError.
inline int index_of(int i, int size, const char* what) {
  if (i < -size || i >= size) throw nb::index_error((std::string(what) + " index out of range").c_str());
  return i < 0 ? i + size : i;
}

template <class T> std::string text_of(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

/// repr, copies, and comparison with KDL's tolerance; such objects cannot be keys.
template <class T> void value_type(nb::class_<T>& type) {
  type.def("__repr__", [](const T& self) { return text_of(self); });
  type.def("__copy__", [](const T& self) { return T(self); });
  type.def(
      "__deepcopy__", [](const T& self, nb::object) { return T(self); }, "memo"_a);
  type.def(
      "__eq__", [](const T& a, const T& b) { return a == b; }, nb::is_operator(),
      nb::sig("def __eq__(self, other: object, /) -> bool"));
  type.def(
      "__ne__", [](const T& a, const T& b) { return !(a == b); }, nb::is_operator(),
      nb::sig("def __ne__(self, other: object, /) -> bool"));
  type.attr("__hash__") = nb::none();
}

/// Pickles by numbers: `get` gives them, `make` takes them.
template <class T, class Get, class Make> void pickles(nb::class_<T>& type, Get get, Make make) {
  type.def("__getstate__", [get](const T& self) { return std::make_tuple(get(self)); })
      .def("__setstate__",
           [make](T& self, const std::tuple<std::vector<double>>& state) { new (&self) T(make(std::get<0>(state))); });
}

}  // namespace zwang::python::kdl
