// SPDX-License-Identifier: BSD-3-Clause
// Diagnostics, and the exceptions of the library as Python classes.
#include "zwang/core/error.hpp"

#include <cctype>
#include <stdexcept>
#include <string_view>
#include <typeinfo>

#include "arrays.hpp"
#include "bind.hpp"

namespace zwang::python {
namespace {

const char* word_of(Severity s) { return s == Severity::note ? "note" : s == Severity::warning ? "warning" : "error"; }
Severity severity_of(const std::string& word) {
  return word == "note" ? Severity::note : word == "warning" ? Severity::warning : Severity::error;
}

PyObject* new_exception(nb::module_& m, const char* name, PyObject* base, const char* doc) {
  const std::string full = std::string("zwang.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr);
  if (type == nullptr) nb::raise_python_error();
  m.attr(name) = nb::handle(type);
  return type;  // kept for the life of the process
}

struct Exceptions {
  PyObject *model, *unsupported, *singular, *overflow, *mismatch;
};
Exceptions exceptions;

/// `Solver.resolve` for `Solver::resolve`, outside of quotation marks, where names of users are;
/// and nothing of members that only C++ has.
std::string in_words_of_python(const char* given) {
  constexpr std::string_view k_own[] = {" (has_target)"};
  std::string text;
  bool quoted = false;
  for (const char* c = given; *c != 0; ++c) {
    if (*c == '\'') quoted = !quoted;
    const bool joins =
        !quoted && c[0] == ':' && c[1] == ':' && c != given && std::isalnum(static_cast<unsigned char>(c[-1]));
    text += joins ? '.' : *c;
    c += joins ? 1 : 0;
  }
  for (const std::string_view own : k_own)
    if (const std::size_t at = text.find(own); at != std::string::npos) text.erase(at, own.size());
  return text;
}

/// The text from C++ is UTF-8, except for bytes of hostile files.
void raise(PyObject* type, const char* given) {
  const std::string text = in_words_of_python(given);
  nb::object message = nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  PyErr_SetObject(type, message.ptr());
}

void raise(const ModelError& error) {
  const char* text = error.what();
  nb::object message = nb::steal(PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace"));
  nb::object exception = nb::handle(exceptions.model)(message);
  exception.attr("diagnostics") = list_of(error.diagnostics());
  exception.attr("code") = nb::str(error.code().c_str());
  PyErr_SetObject(exceptions.model, exception.ptr());
}

void translate(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const ModelError& error) { raise(error); } catch (const UnsupportedError& error) {
    raise(exceptions.unsupported, error.what());
  } catch (const WorkspaceMismatch& error) {
    raise(exceptions.mismatch, error.what());
  } catch (const SingularMassError& error) {
    raise(exceptions.singular, error.what());
  } catch (const ArithmeticOverflowError& error) {
    raise(exceptions.overflow, error.what());
  } catch (const std::invalid_argument& error) {
    raise(PyExc_ValueError, error.what());
  } catch (const std::logic_error& error) {
    if (typeid(error) != typeid(std::logic_error)) throw;  // nanobind knows what the others are in Python
    raise(PyExc_RuntimeError, error.what());
  }
}

}  // namespace

nb::list list_of(const Diagnostics& found) {
  nb::list list;
  for (const Diagnostic& d : found) list.append(nb::cast(d));
  return list;
}

void bind_errors(nb::module_& m) {
  ClassOf<Diagnostic>(
      m, "Diagnostic",
      "One finding about a model or a file. `code` is stable (E_MIMIC, W_UNKNOWN_TAG); the rest tells where\n"
      "and what to do. str() is one line: code file:line:column path: found ..., expected ... (hint).")
      .get("severity", "str", "note, warning or error", [](const Diagnostic& d) { return word_of(d.severity); })
      .get("code", "str", [](const Diagnostic& d) { return text_of(d.code); })
      .get("file", "str", [](const Diagnostic& d) { return text_of(d.file); })
      .def_ro("line", &Diagnostic::line, "1-based; 0 where the finding has no place in a file")
      .def_ro("column", &Diagnostic::column, "1-based; that of the element's start")
      .get("path", "str", "robot/joint[elbow]/mimic", [](const Diagnostic& d) { return text_of(d.path); })
      .get("found", "str", [](const Diagnostic& d) { return text_of(d.found); })
      .get("expected", "str", [](const Diagnostic& d) { return text_of(d.expected); })
      .get("hint", "str", [](const Diagnostic& d) { return text_of(d.hint); })
      .def(
          "__str__", [](const Diagnostic& d) { return text_of(d.text()); }, nb::sig("def __str__(self) -> str"))
      .def(
          "__repr__",
          [](const Diagnostic& d) { return text_of(std::string("<") + word_of(d.severity) + " " + d.text() + ">"); },
          nb::sig("def __repr__(self) -> str"))
      .def(
          "__getstate__", [](const Diagnostic& d) { return state_of(Diagnostics{d}); },
          nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__setstate__", [](Diagnostic& d, nb::object s) { new (&d) Diagnostic(diagnostics_from(s).at(0)); },
          nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"));
  exceptions.model =
      new_exception(m, "ModelError", PyExc_ValueError,
                    "A model that cannot be built or a file that cannot be read (a ValueError).\n\n"
                    "diagnostics: everything found, a list of Diagnostic; code: that of the first error.");
  exceptions.unsupported =
      new_exception(m, "UnsupportedError", PyExc_ValueError,
                    "A combination that a solver or an algorithm cannot do; names both (a ValueError).");
  exceptions.singular =
      new_exception(m, "SingularMassError", PyExc_ArithmeticError,
                    "The mass matrix is singular in the direction of a joint, which is named: what it\n"
                    "carries has no inertia, and it has no rotor (an ArithmeticError: a property of the\n"
                    "robot, not of the arguments).");
  exceptions.overflow =
      new_exception(m, "ArithmeticOverflowError", PyExc_OverflowError,
                    "Finite arguments lead to a result beyond the range of double (an OverflowError, which is an\n"
                    "ArithmeticError). Where status= is given: the status overflow instead.");
  exceptions.mismatch =
      new_exception(m, "WorkspaceMismatch", PyExc_ValueError,
                    "A solver or a set of constraints was used with what it was not made for (a ValueError).");
  nb::register_exception_translator(&translate, nullptr);
}

nb::tuple state_of(const Diagnostics& found) {
  nb::list all;
  for (const Diagnostic& d : found)
    all.append(nb::make_tuple(word_of(d.severity), text_of(d.code), text_of(d.file), d.line, d.column, text_of(d.path),
                              text_of(d.found), text_of(d.expected), text_of(d.hint)));
  return nb::tuple(all);
}
Diagnostics diagnostics_from(nb::handle state) {
  Diagnostics found;
  for (nb::handle item : nb::cast<nb::tuple>(state)) {
    const nb::object s = nb::borrow(item);  // its length is checked entry by entry
    Diagnostic d;
    const auto text = [&](int k) { return nb::cast<std::string>(nb::object(s[k])); };
    d.severity = severity_of(text(0));
    d.code = text(1), d.file = text(2), d.path = text(5), d.found = text(6), d.expected = text(7), d.hint = text(8);
    d.line = nb::cast<int>(s[3]), d.column = nb::cast<int>(s[4]);
    found.push_back(std::move(d));
  }
  return found;
}

}  // namespace zwang::python
