// SPDX-License-Identifier: BSD-3-Clause
// nanobind answers a wrong call with all signatures and the C++ types that it met. Here that answer is replaced.
//
// A function object of nanobind holds the address of its call (PEP 590, vectorcall). explain_wrong_calls()
// puts one of ours in its place: it calls nanobind's, and looks at the arguments again only where that
// raised. A good call costs one more jump.
#include "wrong_call.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "call_signature.hpp"

namespace zwang::python {
namespace {

namespace nb = nanobind;
using Call = PyObject* (*)(PyObject*, PyObject* const*, std::size_t, PyObject*);

/// Where types are looked up by name: the module that has the function, of those with guarded ones.
std::vector<PyObject*> modules_of_functions;
nb::handle module_of(PyObject* function) {
  const nb::object name = nb::getattr(nb::handle(function), "__module__", nb::none());
  for (PyObject* const module : modules_of_functions)
    if (name.equal(nb::handle(module).attr("__name__"))) return module;
  return modules_of_functions.back();
}

/// Setters of properties have no name of their own: `Solver.tolerance`, written while the module is made.
std::unordered_map<PyObject*, std::string>& setters() {
  static std::unordered_map<PyObject*, std::string> all;
  return all;
}

/// Name of the function as users write it: `Solver.solve`, and of a constructor that of its class.
std::string name_of(PyObject* function) {
  if (const auto found = setters().find(function); found != setters().end()) return found->second;
  std::string name = nb::cast<std::string>(nb::handle(function).attr("__qualname__"));
  const std::string constructor = ".__init__";
  if (name.size() > constructor.size() && name.ends_with(constructor)) name.resize(name.size() - constructor.size());
  return name;
}

/// What is wrong with the value of a property, whose setter has one signature: (self, value).
std::string wrong_value(const Signature& s, PyObject* value) {
  const std::string range = out_of_range(value);
  const std::string type = s.parameters.size() > 1 ? s.parameters[1].type : std::string();
  if (!range.empty() && split(type, '|')[0] == "int") return "the value is " + range;
  return "the value has type " + type_name(value) + (type.empty() ? "" : ", expected " + without_module(type));
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

/// `Solution` of the method `Solution.to_json`, if `self` is no such object; empty otherwise.
std::string class_missed(PyObject* function, PyObject* const* values, std::size_t positions) {
  const std::string name = name_of(function);
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos || positions == 0) return {};
  const std::string owner = name.substr(0, dot);
  const nb::object type = nb::getattr(module_of(function), owner.c_str(), nb::none());
  return PyType_Check(type.ptr()) && !nb::isinstance(values[0], type) ? owner : std::string();
}

/// An error in plain words, for the place of the one that was raised.
PyObject* say(const std::string& text) {
  PyErr_SetObject(PyExc_TypeError, nb::str(text.c_str(), text.size()).ptr());
  return nullptr;
}

/// Reads what was given against the signatures; `by_itself`: what to say where all arguments seem right.
std::string what_is_wrong(PyObject* function, const std::vector<Signature>& signatures, const Given& given,
                          const std::string& by_itself) {
  Wrongs least;
  const Signature* nearest = nullptr;
  for (const Signature& s : signatures) {
    Wrongs found = wrongs(module_of(function), s, given);
    if (nearest != nullptr && found.far >= least.far) continue;
    nearest = &s;
    least = std::move(found);
  }
  std::string text = "E_ARGUMENT " + name_of(function) + ": ";
  for (std::size_t k = 0; k < least.said.size(); ++k) text += (k > 0 ? "; " : "") + least.said[k];
  if (least.said.empty() && !by_itself.empty())
    return by_itself.rfind(name_of(function), 0) == 0 ? "E_ARGUMENT " + by_itself : text + by_itself;
  if (least.said.empty()) {
    text += "the arguments fit no signature: got";
    const bool has_self = !nearest->parameters.empty() && nearest->parameters[0].name == "self";
    const std::size_t first = has_self && given.positions > 0 ? 1 : 0;
    for (std::size_t k = first; k < given.positions + given.names.size(); ++k)
      text += (k > first ? ", " : " ") + (k < given.positions ? "" : given.names[k - given.positions] + "=") +
              type_name(given.values[k]);
  }
  for (const Signature& s : signatures)
    if (least.said.empty() || &s == nearest) text += "\n    " + without_module(s.text);
  return text;
}

/// All signatures of a function that took the call, and met a value in it that it cannot use.
std::vector<Signature> signatures_of(PyObject* function) {
  std::vector<Signature> all;
  const nb::object known = nb::getattr(function, "__nb_signature__", nb::none());
  if (!known.is_none())
    for (nb::handle one : known) {
      const std::string text = nb::cast<std::string>(nb::object(one[0]));
      all.push_back(signature_of(text.rfind("def ", 0) == 0 ? text.substr(4) : text));
    }
  return all;
}

/// Python's own words for a value that is no number, no text, no list: they name neither function nor argument. Not
/// those of a function of the user: an error that went through Python code has a traceback already.
bool says_too_little(const nb::python_error& error, const std::string& message) {
  if (error.traceback().is_valid() && !error.traceback().is_none()) return false;
  if (message.rfind("E_", 0) == 0) return false;
  if (error.matches(PyExc_TypeError)) return true;
  if (error.matches(PyExc_RuntimeError)) return message == "std::bad_cast";
  return error.matches(PyExc_ValueError) &&
         (message.rfind("could not convert string", 0) == 0 || message.rfind("cannot create std::vector", 0) == 0 ||
          message.find("0-dimensional") != std::string::npos);
}

/// After a failed call: another call, or the error in plain words. Returns its result.
PyObject* second_look(Call call, PyObject* function, PyObject* const* values, std::size_t flags, PyObject* keywords) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_RuntimeError) &&
      !PyErr_ExceptionMatches(PyExc_ValueError))
    return nullptr;
  nb::python_error error;  // takes it
  try {
    const std::string message = nb::cast<std::string>(nb::str(error.value()));
    std::vector<Signature> signatures =
        signatures_in(message, nb::cast<std::string>(nb::handle(function).attr("__name__")));
    if (const auto setter = setters().find(function); signatures.empty() && setter != setters().end())
      signatures = signatures_in(message, setter->second.substr(setter->second.find('.') + 1));
    const bool fits_none = error.matches(PyExc_TypeError) && !signatures.empty();
    if (!fits_none) {
      if (!says_too_little(error, message)) {
        error.restore();
        return nullptr;
      }
      signatures = signatures_of(function);
    }
    // The highest bits are flags: of PEP 590, and nanobind's for a constructor.
    constexpr std::size_t k_count = ~std::size_t(0) >> 2;
    Given given{values, flags & k_count, {}};
    if (keywords != nullptr)
      for (nb::handle word : nb::borrow<nb::tuple>(keywords)) given.names.push_back(nb::cast<std::string>(word));
    if (!fits_none) {
      const std::string owner = class_missed(function, values, given.positions);
      if (message == "std::bad_cast" && !owner.empty())
        return say("E_ARGUMENT " + name_of(function) + ": argument 'self' has type " + type_name(values[0]) +
                   ", expected " + owner);
      const bool own_words = message.find("std::") == std::string::npos;
      return say(what_is_wrong(function, signatures, given, own_words ? message : "an argument holds a wrong value"));
    }
    if (const std::optional<std::size_t> at = alias_in(signatures, given.names)) {
      nb::list words;
      for (nb::handle word : nb::borrow<nb::tuple>(keywords)) words.append(word);
      words[*at] = nb::str(given.names[*at].c_str());
      const nb::tuple renamed(words);
      PyObject* result = call(function, values, flags, renamed.ptr());
      return result != nullptr ? result : second_look(call, function, values, flags, renamed.ptr());
    }
    if (setters().contains(function) && given.positions == 2 && given.names.empty())
      return say("E_ARGUMENT " + name_of(function) + ": " + wrong_value(signatures[0], values[1]));
    return say(what_is_wrong(function, signatures, given, ""));
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
  modules_of_functions.push_back(m.inc_ref().ptr());  // for the life of the process
  long unguarded = 0;
  for (nb::handle value : nb::borrow<nb::dict>(m.attr("__dict__")).values()) {
    unguarded += is_left_unguarded(value);
    if (!PyType_Check(value.ptr())) continue;
    const std::string owner = nb::cast<std::string>(value.attr("__name__"));
    for (nb::handle item : nb::list(value.attr("__dict__").attr("items")())) {
      const nb::object name = nb::object(item[0]), member = nb::object(item[1]);
      unguarded += is_left_unguarded(member);
      const nb::object setter = nb::getattr(member, "fset", nb::none());
      if (setter.is_none()) continue;
      setters()[setter.ptr()] = owner + "." + nb::cast<std::string>(name);
      unguarded += is_left_unguarded(setter);
    }
  }
  m.attr("_unguarded_functions") = unguarded;  // a test wants 0: another nanobind or Python may keep calls elsewhere
}

}  // namespace zwang::python
