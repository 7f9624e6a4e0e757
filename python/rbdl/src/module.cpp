// SPDX-License-Identifier: BSD-3-Clause
// zwang._rbdl: RBDL's names for Python, as its own module has them.
#include "../../src/module_once.hpp"
#include "../../src/wrong_call.hpp"
#include "bind.hpp"

namespace zwang::python::rbdl {
namespace {

/// Wrong arguments are ValueError, what is not served NotImplementedError, the rest RuntimeError.
void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const rb::Errors::RBDLInvalidParameterError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const rb::Errors::RBDLMissingImplementationError& error) {
      PyErr_SetString(PyExc_NotImplementedError, error.what());
    } catch (const rb::Errors::RBDLInvalidFileError& error) { PyErr_SetString(PyExc_ValueError, error.what()); }
  });
}

void fill(nb::module_& m) {
  m.doc() = "RBDL's names over zwang's algorithms: scripts for RBDL run with `import zwang.rbdl as rbdl`.";
  translate_errors();
  bind_model(m);
  bind_constraints(m);
  bind_calls(m);
  explain_wrong_calls(m);
}

}  // namespace
}  // namespace zwang::python::rbdl

NB_MODULE(_rbdl, m) {
  static zwang::python::ModuleOnce once;
  once.fill(m, zwang::python::rbdl::fill);
}
