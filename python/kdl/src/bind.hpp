// SPDX-License-Identifier: BSD-3-Clause
// What the bindings of KDL's names have in common.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

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

/// Counts from 0 and not from the end, as PyKDL's. Throws IndexError.
inline int index_of(int i, int size, const char* what) {
  if (i < 0 || i >= size) throw nb::index_error((std::string(what) + " index out of range").c_str());
  return i;
}

template <class T> std::string text_of(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

/// Whether `a` equals another T or one of Others, with KDL's tolerance; NotImplemented for what is neither.
template <class T, class... Others> nb::object compare(const T& a, nb::handle b, bool is_equal) {
  nb::object out = nb::borrow(Py_NotImplemented);
  const auto with = [&](const auto& other) { out = nb::bool_((a == other) == is_equal); };
  if (nb::isinstance<T>(b)) with(nb::cast<const T&>(b));
  ((nb::isinstance<Others>(b) ? with(nb::cast<const Others&>(b)) : void()), ...);
  return out;
}

/// repr, copies, and comparison with its kind and with Others (its value at rest); such objects cannot be keys.
template <class T, class... Others> void value_type(nb::class_<T>& type) {
  type.def("__repr__", [](const T& self) { return text_of(self); });
  type.def("__copy__", [](const T& self) { return T(self); });
  type.def(
      "__deepcopy__", [](const T& self, nb::object) { return T(self); }, "memo"_a);
  type.def(
      "__eq__", [](const T& a, nb::object b) { return compare<T, Others...>(a, b, true); }, "other"_a.none(),
      nb::sig("def __eq__(self, other: object, /) -> bool"));
  type.def(
      "__ne__", [](const T& a, nb::object b) { return compare<T, Others...>(a, b, false); }, "other"_a.none(),
      nb::sig("def __ne__(self, other: object, /) -> bool"));
  type.attr("__hash__") = nb::none();
}

/// The hash of C++: keys of the same bits. Equal within the tolerance is not enough.
template <class T> void hashes(nb::class_<T>& type) {
  type.def("__hash__", [](const T& self) { return std::hash<T>()(self); });
}

/// Calls run(results) with as many T as the list has elements. From code 0 on they are written into these objects;
/// where the list holds None it gets a new one.
template <class T, class Run> int write_list(nb::list out, const Run& run) {
  std::vector<T> results(nb::len(out));
  std::vector<T*> objects;
  for (nb::handle object : out) objects.push_back(object.is_none() ? nullptr : &nb::cast<T&>(object));
  const int code = run(results);
  for (std::size_t i = 0; code >= 0 && i < results.size(); ++i)
    if (objects[i] != nullptr)
      *objects[i] = results[i];
    else
      out[i] = nb::cast(results[i]);
  return code;
}

/// Pickles by numbers: `get` gives them, `make` takes them.
template <class T, class Get, class Make> void pickles(nb::class_<T>& type, Get get, Make make) {
  type.def("__getstate__", [get](const T& self) { return std::make_tuple(get(self)); })
      .def("__setstate__",
           [make](T& self, const std::tuple<std::vector<double>>& state) { new (&self) T(make(std::get<0>(state))); });
}

}  // namespace zwang::python::kdl
