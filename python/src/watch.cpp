// SPDX-License-Identifier: BSD-3-Clause
#include "watch.hpp"

#include <stdexcept>
#include <string>

#include "arrays.hpp"

namespace zwang::python {

void Watch::show(const char* function, nb::handle given) {
  function_ = function;
  nb::object progress = nb::borrow(given);
  if (!given.is_none() && nb::isinstance(given, nb::module_::import_("zwang._progress").attr("ProgressEvery"))) {
    progress = given.attr("call");
    interval_ = nb::cast<double>(given.attr("interval"));
    pace_ = Pace(interval_);
  }
  if (progress.is_none() || progress.is(nb::handle(Py_False))) return;
  if (progress.is(nb::handle(Py_True))) {
    nb::object terminal = nb::module_::import_("sys").attr("stderr");
    if (nb::hasattr(terminal, "isatty") && nb::cast<bool>(nb::bool_(nb::object(terminal.attr("isatty")()))))
      terminal_ = terminal, pace_.begin();
    return;
  }
  if (PyCallable_Check(progress.ptr()) == 0)
    throw_type(function, "progress", progress, "True, False, a callable (done, total) or a ProgressEvery");
  called_ = std::move(progress);
}

bool Watch::look(void* watch, long done, long total) {
  Watch& self = *static_cast<Watch*>(watch);
  if (self.stopped()) return false;
  const nb::gil_scoped_acquire lock;
  try {
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    self.report(done, total);
  } catch (nb::python_error& error) { self.raised_.emplace(std::move(error)); }
  return !self.stopped();
}

void Watch::report(long done, long total) {
  if (called_.is_valid()) called_(done, total);
  if (!terminal_.is_valid() || (interval_ > 0 && pace_.spent() < 1)) return;
  constexpr long width = 30;
  const long filled = total > 0 ? width * done / total : width;
  const std::string text = std::string(function_) + " [" + std::string(static_cast<std::size_t>(filled), '#') +
                           std::string(static_cast<std::size_t>(width - filled), ' ') + "] " + std::to_string(done) +
                           " of " + std::to_string(total);
  write("\r" + text);
  drawn_ = text.size();
}

void Watch::write(const std::string& text) const {
  terminal_.attr("write")(text.c_str());
  terminal_.attr("flush")();
}

void Watch::finish() {
  if (drawn_ > 0) write("\r" + std::string(drawn_, ' ') + "\r");
  drawn_ = 0;
  if (raised_) throw nb::python_error(std::move(*raised_));
}

}  // namespace zwang::python
