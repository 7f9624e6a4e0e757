// SPDX-License-Identifier: BSD-3-Clause
// A signature as text, and what a call has against it.
#pragma once
#include <nanobind/nanobind.h>

#include <algorithm>
#include <string>
#include <vector>

namespace zwang::python {

namespace nb = nanobind;

struct Parameter {
  std::string name, type;
  bool by_name = false;  ///< only by name
  bool optional = false;
};
/// One line of nanobind's list: `solve(self, q: Vector, *, out: Solution | None = None) -> Solution`.
struct Signature {
  std::string text;
  std::vector<Parameter> parameters;
  bool any_position = false, any_name = false;  ///< *args, **kwargs
  std::size_t positions() const {
    return static_cast<std::size_t>(
        std::count_if(parameters.begin(), parameters.end(), [](const Parameter& p) { return !p.by_name; }));
  }
};
Signature signature_of(const std::string& text);
/// The signatures in nanobind's message, or nothing where the error is another one.
std::vector<Signature> signatures_in(const std::string& message, const std::string& name);

/// What was given: positions first.
struct Given {
  PyObject* const* values;
  std::size_t positions;
  std::vector<std::string> names;
};

/// Each thing that is wrong with the call, and how far it is from this signature.
struct Wrongs {
  std::vector<std::string> said;
  int far = 0;
  void add(int far_by, const std::string& text) {
    said.push_back(text);
    far += far_by;
  }
};
/// `module`: where types are looked up by name.
Wrongs wrongs(nb::handle module, const Signature& s, const Given& given);

/// The same text with `Solver` for `zwang._zwang.Solver`.
std::string without_module(std::string text);
/// Parts of a text, split where no bracket and no quotation mark is open.
std::vector<std::string> split(std::string_view text, char at);
std::string type_name(PyObject* value);
/// Whether a value may stand where this is asked for. What is not known (aliases, generic types) is taken to fit.
bool fits(nb::handle module, PyObject* value, const std::string& type);
/// `-1, expected 0 or more`: what may be wrong with an integer whose type is right. Empty where its size is usual.
std::string out_of_range(PyObject* value);

}  // namespace zwang::python
