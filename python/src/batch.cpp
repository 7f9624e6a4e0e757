// SPDX-License-Identifier: BSD-3-Clause
// General functions for batches: threads, the instruction set, Status. And rollouts without constraints.
#include <atomic>
#include <thread>

#include "bind.hpp"
#include "solve_states.hpp"
#include "zwang/core/instruction_set.hpp"

namespace zwang::python {
namespace {

std::atomic<int> threads_in_use{0};

int threads() {
  const int wanted = wanted_threads();
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}
/// What set_threads returns: at the end of a `with` block the number is what it was before.
struct ThreadScope {
  int before;
};
ThreadScope set_threads(int n) {
  if (n < 0 || n > 4096)
    throw std::invalid_argument("E_NUMBER set_threads: argument 'n' is " + std::to_string(n) +
                                ", expected 1 to 4096, or 0 for one per processor");
  return {threads_in_use.exchange(n)};
}

/// Compares with a number of status= arrays, or with a name.
nb::object compared(Status status, nb::handle other, int operation) {
  const nb::object own = PyUnicode_Check(other.ptr()) ? nb::object(nb::str(name_of(status)))
                                                      : nb::object(nb::int_(static_cast<int>(status)));
  return nb::steal(PyObject_RichCompare(own.ptr(), other.ptr(), operation));
}

}  // namespace

int wanted_threads() { return threads_in_use.load(std::memory_order_relaxed); }

void bind_batch(nb::module_& m) {
  nb::enum_<Status> status(m, "Status", nb::is_arithmetic(),
                           "How a state ended; the numbers are those of status= arrays.\n\n"
                           "infeasible, not_converged: there is a result. All others but ok: results are NaN.\n"
                           "A Status equals its name, too: solution.status == \"ok\"; str() is the name.");
  for (int k = 0; k <= static_cast<int>(Status::stopped); ++k)
    status.value(name_of(static_cast<Status>(k)), static_cast<Status>(k));
  status
      .def(
          "__eq__", [](Status s, nb::handle other) { return compared(s, other, Py_EQ); }, nb::arg().none(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__ne__", [](Status s, nb::handle other) { return compared(s, other, Py_NE); }, nb::arg().none(),
          nb::sig("def __ne__(self, other: object, /) -> bool"))
      .def(
          "__hash__", [](Status s) { return nb::hash(nb::str(name_of(s))); }, nb::sig("def __hash__(self) -> int"))
      .def(
          "__str__", [](Status s) { return name_of(s); }, nb::sig("def __str__(self) -> str"))
      .def(
          "__format__", [](Status s, const nb::object& spec) { return nb::str(name_of(s)).attr("__format__")(spec); },
          nb::sig("def __format__(self, spec: str, /) -> str"));
  ClassOf<ThreadScope>(m, "ThreadScope", "What set_threads returns: after a `with` block the number is as before.")
      .def("__repr__",
           [](const ThreadScope& x) {
             const std::string before = x.before == 0 ? "one for each processor" : std::to_string(x.before);
             return "<zwang.ThreadScope before: " + before + ">";
           })
      .def(
          "__enter__", [](nb::object self) { return self; }, nb::sig("def __enter__(self) -> ThreadScope"))
      .def(
          "__exit__", [](const ThreadScope& self, const nb::args&) { threads_in_use = self.before; },
          nb::sig("def __exit__(self, *_: object) -> None"));
  def(m, ZWANG_SIGNATURE("def set_threads(n: int) -> ThreadScope"), &set_threads,
      "How many threads share the states of a batch from now on, in the whole process; the caller counts.\n\n"
      "0: one for each processor, as at the start. `with set_threads(n):` until the end of the block. The numbers do "
      "not\n"
      "depend on it.");
  m.def("threads", &threads, nb::sig("def threads() -> int"), "How many threads share the states of a batch.");
  m.def("instruction_set", &instruction_set, nb::sig("def instruction_set() -> str"),
        "The level of the processor whose kernels are in use: v4 (AVX-512), v3 (AVX2) or plain.\n\n"
        "The environment variable ZWANG_ISA names a level that is not to be exceeded; it is read once.");
  bind_rollout(m);
}

}  // namespace zwang::python
