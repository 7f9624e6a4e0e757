// SPDX-License-Identifier: BSD-3-Clause
#include "kept_functions.hpp"

#include <nanobind/nanobind.h>

#include <initializer_list>

namespace zwang::python {
namespace {

namespace nb = nanobind;

/// `Model.random`: pickle looks it up in the function's module, and finds it there or says so.
nb::object by_name(nb::handle function) { return nb::object(function.attr("__qualname__")); }

nb::object by_owner(nb::handle method) {
  const nb::object get = nb::module_::import_("builtins").attr("getattr");
  return nb::make_tuple(
      get, nb::make_tuple(nb::object(method.attr("__self__")), nb::object(method.attr("__func__").attr("__name__"))));
}

}  // namespace

void keep_functions(nb::handle example) {
  const nb::object add = nb::module_::import_("copyreg").attr("pickle");
  // An example of each of nanobind's three types: a function, a method, a method of an object.
  const nb::object function = nb::cpp_function([] {});
  add(function.type(), nb::cpp_function([](nb::handle f) { return by_name(f); }));
  const nb::object method = nb::object(example.attr("__getstate__")),
                   bound = nb::object(nb::object(example()).attr("__getstate__"));
  add(method.type(), nb::cpp_function([](nb::handle f) { return by_name(f); }));
  add(bound.type(), nb::cpp_function([](nb::handle f) { return by_owner(f); }));
}

}  // namespace zwang::python
