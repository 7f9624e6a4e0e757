// SPDX-License-Identifier: BSD-3-Clause
// nanobind answers a wrong call with all signatures and the C++ types that it met. Here that answer is replaced.
//
// A function object of nanobind holds the address of its call (PEP 590, vectorcall). explain_wrong_calls() puts one of ours
// in its place: it calls nanobind's, and looks at the arguments again only where that raised. A good call costs one more jump.
#include "wrong_call.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/core/error.hpp"

namespace zwang::python {
namespace {

namespace nb = nanobind;
using Call = PyObject* (*)(PyObject*, PyObject* const*, std::size_t, PyObject*);

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

/// What was given: positions first.
struct Given {
  PyObject* const* values;
  std::size_t positions;
  std::vector<std::string> names;
};

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string_view::npos ? std::string() : std::string(text.substr(first, last - first + 1));
}

/// Splits where no bracket and no quotation mark is open.
std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '(' || c == '{') {
      ++depth;
    } else if (c == ']' || c == ')' || c == '}') {
      --depth;
    }
    if (c == at && depth == 0 && quote == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) part = trimmed(part);
  return parts;
}

Signature signature_of(const std::string& text) {
  Signature s;
  s.text = text;
  const std::size_t open = text.find('(');
  std::size_t close = open;
  for (int depth = 0; close < text.size(); ++close) {
    if (text[close] == '(') ++depth;
    if (text[close] == ')' && --depth == 0) break;
  }
  if (open == std::string::npos || close >= text.size()) return s;
  bool by_name = false;
  for (const std::string& word : split(std::string_view(text).substr(open + 1, close - open - 1), ',')) {
    if (word.empty() || word == "/") continue;
    if (word.rfind("**", 0) == 0) {
      s.any_name = true;
    } else if (word[0] == '*') {
      by_name = true;
      s.any_position = s.any_position || word.size() > 1;
    } else {
      const std::vector<std::string> value = split(word, '=');
      const std::vector<std::string> type = split(value[0], ':');
      s.parameters.push_back({type[0], type.size() > 1 ? type[1] : "", by_name, value.size() > 1});
    }
  }
  return s;
}

/// The signatures in nanobind's message, or nothing where the error is another one.
std::vector<Signature> signatures_in(const std::string& message, const std::string& name) {
  std::vector<Signature> found;
  // An error raised by what the function calls may have the same words, with another name before them.
  const std::string opening =
      name + "(): incompatible function arguments. The following argument types are supported:\n";
  if (message.rfind(opening, 0) != 0) return found;
  std::size_t line = message.find('\n') + 1;
  while (line < message.size() && message.compare(line, 4, "    ") == 0) {
    const std::size_t end = std::min(message.find('\n', line), message.size());
    const std::size_t dot = message.find(". ", line);
    if (dot == std::string::npos || dot > end) break;
    found.push_back(signature_of(message.substr(dot + 2, end - dot - 2)));
    line = end + 1;
  }
  return found;
}

std::string type_name(PyObject* value) {
  if (value == Py_None) return "None";
  return nb::cast<std::string>(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(value))).attr("__name__"));
}

/// Whether a value may stand where this is asked for. What is not known (aliases, generic types) is taken to fit.
bool fits(nb::handle module, PyObject* value, const std::string& type) {
  if (type.empty()) return true;
  for (const std::string& word : split(type, '|')) {
    if (word == "None"    ? value == Py_None
        : word == "bool"  ? PyBool_Check(value)
        : word == "int"   ? PyLong_Check(value) || PyIndex_Check(value)
        : word == "str"   ? PyUnicode_Check(value) != 0
        : word == "float" ? PyFloat_Check(value) || PyLong_Check(value) || PyObject_HasAttrString(value, "__float__")
                          : false)
      return true;
    if (word == "None" || word == "bool" || word == "int" || word == "str" || word == "float") continue;
    const std::size_t dot = word.rfind('.');  // `zwang._kdl.Vector`
    const nb::object known =
        nb::getattr(module, word.substr(dot == std::string::npos ? 0 : dot + 1).c_str(), nb::none());
    if (!PyType_Check(known.ptr())) return true;
    const int is_one = PyObject_IsInstance(value, known.ptr());
    if (is_one < 0) PyErr_Clear();
    if (is_one != 0) return true;
  }
  return false;
}

/// Each thing that is wrong with the call, and how far it is from this signature.
struct Wrongs {
  std::vector<std::string> said;
  int far = 0;
  void add(int far_by, const std::string& text) {
    said.push_back(text);
    far += far_by;
  }
};
Wrongs wrongs(nb::handle module, const Signature& s, const Given& given) {
  Wrongs x;
  std::vector<std::string> names;
  for (const Parameter& p : s.parameters)
    if (p.name != "self") names.push_back(p.name);
  const auto index_of = [&](const std::string& name) {
    const auto at =
        std::find_if(s.parameters.begin(), s.parameters.end(), [&](const Parameter& p) { return p.name == name; });
    return at == s.parameters.end() ? s.parameters.size() : static_cast<std::size_t>(at - s.parameters.begin());
  };
  const std::size_t positions = s.positions();
  std::vector<PyObject*> value(s.parameters.size(), nullptr);
  for (std::size_t k = 0; k < std::min(positions, given.positions); ++k) value[k] = given.values[k];
  for (std::size_t k = 0; k < given.names.size(); ++k) {
    const std::string& name = given.names[k];
    const std::size_t at = index_of(name);
    if (at == s.parameters.size()) {
      if (s.any_name) continue;
      const std::string nearest = nearest_name(name, names);
      x.add(2, "there is no argument '" + name + "'" +
                   (nearest.empty() ? std::string() : "; did you mean '" + nearest + "'?"));
    } else if (value[at] != nullptr) {
      x.add(2, "argument '" + name + "' is given by its position and by its name");
    } else {
      value[at] = given.values[given.positions + k];
    }
  }
  if (given.positions > positions && !s.any_position) {
    const std::size_t self = !s.parameters.empty() && s.parameters[0].name == "self" ? 1 : 0;
    std::string text = std::to_string(given.positions - self) + " arguments by position, at most " +
                       std::to_string(positions - self) + " are taken";
    if (positions < s.parameters.size())
      text += "; '" + s.parameters[positions].name + "' and what follows it are given by name";
    x.add(4, text);
  }
  for (std::size_t k = 0; k < value.size(); ++k) {
    const Parameter& p = s.parameters[k];
    if (value[k] == nullptr) {
      if (!p.optional) x.add(2, "argument '" + p.name + "' is missing");
    } else if (p.name != "self" && !fits(module, value[k], p.type)) {
      x.add(1, "argument '" + p.name + "' has type " + type_name(value[k]) + ", expected " + p.type);
    }
  }
  return x;
}

PyObject* module_of_functions = nullptr;  ///< where types are looked up by name

/// Name of the function as users write it: `Solver.solve`, and of a constructor that of its class.
std::string name_of(PyObject* function) {
  std::string name = nb::cast<std::string>(nb::handle(function).attr("__qualname__"));
  const std::string constructor = ".__init__";
  if (name.size() > constructor.size() && name.ends_with(constructor)) name.resize(name.size() - constructor.size());
  return name;
}

/// The other word for the axes of vectors, where the function knows one and was given the other.
std::optional<std::size_t> alias_in(const std::vector<Signature>& signatures, std::vector<std::string>& names) {
  const auto given_too = [&](const char* word) { return std::find(names.begin(), names.end(), word) != names.end(); };
  const auto knows = [&](const char* word) {
    for (const Signature& s : signatures)
      for (const Parameter& p : s.parameters)
        if (p.name == word) return true;
    return false;
  };
  const char* const pairs[][2] = {{"in_", "reference"}, {"reference", "in_"}};
  for (const auto& [given, known] : pairs)
    for (std::size_t k = 0; k < names.size(); ++k)
      if (names[k] == given && !knows(given) && knows(known) && !given_too(known)) {
        names[k] = known;
        return k;
      }
  return std::nullopt;
}

/// After a failed call: another call, or the error in plain words. Returns its result.
PyObject* second_look(Call call, PyObject* function, PyObject* const* values, std::size_t flags, PyObject* keywords) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return nullptr;
  nb::python_error error;  // takes it
  try {
    const std::vector<Signature> signatures = signatures_in(
        nb::cast<std::string>(nb::str(error.value())), nb::cast<std::string>(nb::handle(function).attr("__name__")));
    if (signatures.empty()) {
      error.restore();
      return nullptr;
    }
    // The highest bits are flags: of PEP 590, and nanobind's for a constructor.
    constexpr std::size_t k_count = ~std::size_t(0) >> 2;
    Given given{values, flags & k_count, {}};
    if (keywords != nullptr)
      for (nb::handle word : nb::borrow<nb::tuple>(keywords)) given.names.push_back(nb::cast<std::string>(word));
    if (const std::optional<std::size_t> at = alias_in(signatures, given.names)) {
      nb::list words;
      for (nb::handle word : nb::borrow<nb::tuple>(keywords)) words.append(word);
      words[*at] = nb::str(given.names[*at].c_str());
      const nb::tuple renamed(words);
      PyObject* result = call(function, values, flags, renamed.ptr());
      return result != nullptr ? result : second_look(call, function, values, flags, renamed.ptr());
    }
    Wrongs least;
    const Signature* nearest = nullptr;
    for (const Signature& s : signatures) {
      Wrongs found = wrongs(module_of_functions, s, given);
      if (nearest == nullptr || found.far < least.far) {
        nearest = &s;
        least = std::move(found);
      }
    }
    std::string text = "E_ARGUMENT " + name_of(function) + ": ";
    for (std::size_t k = 0; k < least.said.size(); ++k) text += (k > 0 ? "; " : "") + least.said[k];
    if (least.said.empty()) {
      text += "the arguments fit no signature: got";
      const bool has_self = !nearest->parameters.empty() && nearest->parameters[0].name == "self";
      const std::size_t first = has_self && given.positions > 0 ? 1 : 0;
      for (std::size_t k = first; k < given.positions + given.names.size(); ++k)
        text += (k > first ? ", " : " ") + (k < given.positions ? "" : given.names[k - given.positions] + "=") +
                type_name(values[k]);
    }
    for (const Signature& s : signatures)
      if (least.said.empty() || &s == nearest) text += "\n    " + s.text;
    PyErr_SetObject(PyExc_TypeError, nb::str(text.c_str(), text.size()).ptr());
  } catch (...) {
    error.restore();  // nanobind's own words are better than none
  }
  return nullptr;
}

// nanobind has a few forms of a call, and each needs a place of its own.
constexpr std::size_t k_forms = 12;
std::array<Call, k_forms> originals{};

template <std::size_t form>
PyObject* guarded(PyObject* function, PyObject* const* values, std::size_t flags, PyObject* keywords) {
  PyObject* result = originals[form](function, values, flags, keywords);
  return result != nullptr ? result : second_look(originals[form], function, values, flags, keywords);
}
template <std::size_t... form> constexpr std::array<Call, k_forms> table(std::index_sequence<form...>) {
  return {guarded<form>...};
}
constexpr std::array<Call, k_forms> guards = table(std::make_index_sequence<k_forms>());

/// Guards a function object; other objects stay as they are. Returns whether it is a function without a guard.
bool is_left_unguarded(nb::handle object) {
  const std::string name = type_name(object.ptr());
  if (name != "nb_func" && name != "nb_method") return false;
  Call* place = reinterpret_cast<Call*>(reinterpret_cast<char*>(object.ptr()) + sizeof(PyVarObject));
  // The type tells what stands at the offset of the call: only where it is this, the layout is the one that is known.
  const nb::object told = nb::getattr(object, "__vectorcalloffset__", nb::none());
  if (told.is_none() || nb::cast<std::intptr_t>(told) != reinterpret_cast<std::intptr_t>(*place)) return true;
  for (std::size_t form = 0; form < k_forms; ++form) {
    if (*place == guards[form]) return false;
    if (originals[form] == nullptr) originals[form] = *place;
    if (originals[form] != *place) continue;
    *place = guards[form];
    return false;
  }
  return true;
}

}  // namespace

void explain_wrong_calls(nb::module_& m) {
  module_of_functions = m.inc_ref().ptr();  // for the life of the process
  long unguarded = 0;
  for (nb::handle value : nb::borrow<nb::dict>(m.attr("__dict__")).values()) {
    unguarded += is_left_unguarded(value);
    if (!PyType_Check(value.ptr())) continue;
    for (nb::handle member : nb::list(value.attr("__dict__").attr("values")())) unguarded += is_left_unguarded(member);
  }
  m.attr("_unguarded_functions") = unguarded;  // a test wants 0: another nanobind or Python may keep calls elsewhere
}

}  // namespace zwang::python
