// SPDX-License-Identifier: BSD-3-Clause
// Reads the state of an object from a pickle. What is not as it was written is refused with std::invalid_argument.
#pragma once
#include <limits>

#include "arrays.hpp"

namespace zwang::python {

class Pickled {
 public:
  /// `type`: the class that is read.
  explicit Pickled(const char* type) : type_(type) {}

  [[noreturn]] void refuse(const std::string& text) const {
    throw std::invalid_argument("E_PICKLE " + std::string(type_) + ": " + text);
  }
  /// A tuple of this size.
  nb::tuple parts(nb::handle given, std::size_t size, const std::string& what) const {
    if (!PyTuple_Check(given.ptr()) || nb::len(given) != size)
      refuse(what + " is " + (PyTuple_Check(given.ptr()) ? "another tuple" : type_text(given)) +
             ", expected a tuple of " + std::to_string(size));
    return nb::borrow<nb::tuple>(given);
  }
  /// A list or tuple of at most `most` objects.
  nb::object list(nb::handle given, Index most, const std::string& what) const {
    if (!PyList_Check(given.ptr()) && !PyTuple_Check(given.ptr()))
      refuse(what + " have type " + type_text(given) + ", expected a list");
    if (nb::len(given) > static_cast<std::size_t>(most))
      refuse(std::to_string(nb::len(given)) + " " + what + ", expected at most " + std::to_string(most));
    return nb::borrow(given);
  }
  std::string text(nb::handle given, const std::string& what) const {
    if (!PyUnicode_Check(given.ptr())) refuse(what + " has type " + type_text(given) + ", expected text");
    return text_argument(type_, what.c_str(), given);
  }
  std::vector<std::string> texts(nb::handle given, Index most, const std::string& what) const {
    std::vector<std::string> all;
    for (const nb::handle x : list(given, most, what)) all.push_back(text(x, "one of the " + what));
    return all;
  }
  Index count(nb::handle given, Index least, Index most, const std::string& what) const {
    const bool whole = PyLong_Check(given.ptr()) != 0;
    const long n = whole ? PyLong_AsLong(given.ptr()) : 0;
    const bool fits = PyErr_Occurred() == nullptr;
    PyErr_Clear();
    if (!whole || !fits || n < least || n > most)
      refuse(what + " is " + nb::repr(given).c_str() + ", expected a whole number from " + std::to_string(least) +
             " to " + std::to_string(most));
    return static_cast<Index>(n);
  }
  double number(nb::handle given, const std::string& what) const {
    if (!PyFloat_Check(given.ptr())) refuse(what + " has type " + type_text(given) + ", expected a float");
    return PyFloat_AsDouble(given.ptr());
  }

 private:
  const char* type_;
};

}  // namespace zwang::python
