// SPDX-License-Identifier: BSD-3-Clause
#include "short_text.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <vector>

namespace zwang::python {
namespace {

namespace nb = nanobind;

constexpr std::size_t k_longest = 160;  ///< characters; what is beyond is left out

std::string repr_of(nb::handle value) { return nb::cast<std::string>(nb::str(nb::repr(value))); }

/// ` (7,)` of an array, ` of 3` of a list or dictionary, ` 0.5` of a number or word, and nothing of a long text.
std::string value_text(nb::handle value) {
  if (nb::hasattr(value, "counts")) return " " + nb::cast<std::string>(nb::str(value));  // of Statuses
  const nb::object shape = nb::getattr(value, "shape", nb::none());
  if (!shape.is_none()) return " " + repr_of(shape);
  if (PyFloat_Check(value.ptr())) {
    const nb::str text(nb::object(value.attr("__format__")("g")));
    return std::string(" ") + text.c_str();
  }
  if (PyUnicode_Check(value.ptr())) return nb::len(value) > 40 ? " ..." : " " + repr_of(value);
  if (nb::hasattr(value.type(), "__members__"))
    return " " + nb::cast<std::string>(nb::str(nb::object(value.attr("name"))));
  if (value.is_none() || PyLong_Check(value.ptr())) return " " + repr_of(value);
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()) || PyDict_Check(value.ptr()))
    return " of " + std::to_string(nb::len(value));
  const nb::object name = nb::getattr(value, "name", nb::none());
  return PyUnicode_Check(name.ptr()) ? " " + repr_of(name) : "";
}

std::string short_text(nb::handle self, const std::vector<std::string>& properties) {
  std::string text = "<zwang." + nb::cast<std::string>(self.type().attr("__name__"));
  bool first = true;
  for (const std::string& property : properties) {
    std::string part = property;
    try {
      part += value_text(self.attr(property.c_str()));
    } catch (nb::python_error&) { continue; }  // a property that this object does not have
    if (text.size() + part.size() > k_longest) return text + (first ? ">" : ", ...>");
    text += (first ? " " : ", ") + part;
    first = false;
  }
  return text + ">";
}

}  // namespace

void give_short_texts(nb::module_& m) {
  const nb::object property = nb::module_::import_("builtins").attr("property");
  const nb::object bare = nb::module_::import_("builtins").attr("object").attr("__repr__");
  for (nb::handle type : nb::list(m.attr("__dict__").attr("values")())) {
    if (!PyType_Check(type.ptr()) || !type.attr("__repr__").is(bare)) continue;
    std::vector<std::string> properties;
    for (nb::handle item : nb::list(type.attr("__dict__").attr("items")()))
      if (nb::isinstance(nb::object(item[1]), property))
        properties.push_back(nb::cast<std::string>(nb::object(item[0])));
    type.attr("__repr__") = nb::cpp_function([properties](nb::handle self) { return short_text(self, properties); },
                                             nb::name("__repr__"), nb::scope(type), nb::is_method());
  }
}

}  // namespace zwang::python
