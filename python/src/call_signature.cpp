// SPDX-License-Identifier: BSD-3-Clause
#include "call_signature.hpp"

#include <nanobind/stl/string.h>

#include <cstring>
#include <optional>
#include <string_view>

#include "zwang/core/error.hpp"

namespace zwang::python {

std::string without_module(std::string text) {
  for (const char* const module : {"zwang._zwang.", "zwang._kdl.", "_pinocchio."})
    for (std::size_t at = text.find(module); at != std::string::npos; at = text.find(module, at))
      text.erase(at, std::strlen(module));
  return text;
}

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

bool is_text(PyObject* value) { return PyUnicode_Check(value) || PyBytes_Check(value) || PyByteArray_Check(value); }
bool has(PyObject* value, const char* name) { return PyObject_HasAttrString(value, name) != 0; }

/// Whether a value may stand where one of these is asked for, by its first look; nothing of other words.
std::optional<bool> fits_known(PyObject* value, const std::string& word) {
  if (word == "None") return value == Py_None;
  if (word == "bool") return PyBool_Check(value) != 0;
  if (word == "int") return PyLong_Check(value) || PyIndex_Check(value);
  if (word == "str") return PyUnicode_Check(value) != 0;
  if (word == "float") return PyFloat_Check(value) || PyLong_Check(value) || has(value, "__float__");
  if (word == "StrPath") return PyUnicode_Check(value) || PyBytes_Check(value) || has(value, "__fspath__");
  if (word.rfind("Callable[", 0) == 0) return PyCallable_Check(value) != 0;
  if (word.rfind("Mapping[", 0) == 0) return has(value, "keys");
  if (word.rfind("Sequence[", 0) == 0) {
    if (is_text(value) || !(has(value, "__iter__") || has(value, "__getitem__"))) return false;
    if (word != "Sequence[str]" || !(PyList_Check(value) || PyTuple_Check(value))) return true;
    for (nb::handle item : nb::handle(value))
      if (!is_text(item.ptr())) return false;
    return true;
  }
  if (word == "Vector" || word == "ArrayLike")
    return !is_text(value) && (has(value, "__iter__") || has(value, "__getitem__") || has(value, "__array__") ||
                               has(value, "__float__") || PyLong_Check(value));
  return std::nullopt;
}

bool fits(nb::handle module, PyObject* value, const std::string& type) {
  if (type.empty()) return true;
  for (const std::string& word : split(type, '|')) {
    if (const std::optional<bool> known = fits_known(value, word)) {
      if (*known) return true;
      continue;
    }
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

/// `-1, expected 0 or more`: what may be wrong with an integer whose type is right. Empty where its size is usual.
std::string out_of_range(PyObject* value) {
  if (!PyLong_Check(value)) return {};
  int beyond = 0;
  const long long x = PyLong_AsLongLongAndOverflow(value, &beyond);
  constexpr long long k_usual = 0x7fffffff;
  if (beyond == 0 && x >= 0 && x <= k_usual) return {};
  if (beyond == 0 && x < 0 && x >= -k_usual - 1) return std::to_string(x) + ", expected 0 or more";
  return (beyond == 0 ? std::to_string(x) : std::string("an integer of more than 64 bits")) + ", which is too " +
         (beyond < 0 || (beyond == 0 && x < 0) ? "small" : "large");
}

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
    const std::size_t got = given.positions - self, taken = positions - self;
    std::string text = std::to_string(got) + (got == 1 ? " argument" : " arguments") + " by position, " +
                       (taken == 0 ? std::string("none is taken") : "at most " + std::to_string(taken) + " are taken");
    if (positions < s.parameters.size())
      text += "; '" + s.parameters[positions].name + "' and what follows it are given by name";
    x.add(4, text);
  }
  for (std::size_t k = 0; k < value.size(); ++k) {
    const Parameter& p = s.parameters[k];
    if (value[k] == nullptr) {
      if (!p.optional) x.add(2, "argument '" + p.name + "' is missing");
    } else if (p.name != "self" && !fits(module, value[k], p.type)) {
      x.add(1, "argument '" + p.name + "' has type " + type_name(value[k]) + ", expected " + without_module(p.type));
    }
  }
  if (!x.said.empty()) return x;
  for (std::size_t k = 0; k < value.size(); ++k) {  // all types are right: an integer does not fit
    const Parameter& p = s.parameters[k];
    if (value[k] == nullptr || split(p.type, '|')[0] != "int") continue;
    const std::string range = out_of_range(value[k]);
    if (!range.empty()) x.add(1, "argument '" + p.name + "' is " + range);
  }
  return x;
}

}  // namespace zwang::python
