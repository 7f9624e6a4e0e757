// SPDX-License-Identifier: BSD-3-Clause
// A module that was removed from sys.modules and is imported again.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace zwang::python {

/// Classes of C++ are known to nanobind once in a process: the second import of a module gets what the first one made.
class ModuleOnce {
 public:
  /// Fills `m` as the first one, or by make(m) if it is the first. Where make() throws, the next import tries again.
  template <class Make> void fill(nanobind::module_& m, Make&& make) {
    namespace nb = nanobind;
    if (first_ == nullptr) {
      make(m);
      first_ = m.inc_ref().ptr();  // for the life of the process, as its classes
      return;
    }
    for (nb::handle item : nb::list(nb::handle(first_).attr("__dict__").attr("items")())) {
      const std::string name = nb::cast<std::string>(nb::object(item[0]));
      const bool own = name == "__name__" || name == "__spec__" || name == "__loader__" || name == "__package__";
      if (!own) m.attr(name.c_str()) = nb::object(item[1]);
    }
  }

 private:
  PyObject* first_ = nullptr;
};

}  // namespace zwang::python
