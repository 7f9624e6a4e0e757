// SPDX-License-Identifier: BSD-3-Clause
// General functions for batches: threads, the instruction set, Status. And rollouts without constraints.
#include <atomic>
#include <thread>

#include "bind.hpp"
#include "fields.hpp"
#include "solve_states.hpp"
#include "statuses.hpp"
#include "zwang/algorithm/serial_inverse_kinematics.hpp"
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

/// Of inverse kinematics alone: the last of Python's Status.
constexpr int k_nearest_found = static_cast<int>(Status::stopped) + 1;
const char* text_of(Status status) {
  return static_cast<int>(status) == k_nearest_found ? name_of(PoseStatus::nearest_found) : name_of(status);
}

/// Compares with a number of status= arrays, or with a name.
nb::object compared(Status status, nb::handle other, int operation) {
  const nb::object own = PyUnicode_Check(other.ptr()) ? nb::object(nb::str(text_of(status)))
                                                      : nb::object(nb::int_(static_cast<int>(status)));
  return nb::steal(PyObject_RichCompare(own.ptr(), other.ptr(), operation));
}

}  // namespace

nb::object as_statuses(const nb::object& given) {
  static PyObject *array, *type;
  if (!nb::isinstance(given, kept(array, "numpy", "ndarray"))) return given;
  return nb::cast<int>(given.attr("ndim")) == 0
             ? nb::cast(static_cast<Status>(nb::cast<int>(given.attr("item")())))
             : nb::object(given.attr("view")(kept(type, "zwang._status", "Statuses")));
}
nb::object as_reports(const nb::object& list) {
  static PyObject* type;
  return kept(type, "zwang._status", "Reports")(list);
}
Status status_of(PoseStatus status) {
  switch (status) {
    case PoseStatus::ok: return Status::ok;
    case PoseStatus::nearest_found: return static_cast<Status>(k_nearest_found);
    case PoseStatus::not_converged: return Status::not_converged;
    case PoseStatus::non_finite_input: return Status::non_finite_input;
    case PoseStatus::invalid_input: return Status::invalid_input;
  }
  return Status::invalid_input;
}

int wanted_threads() { return threads_in_use.load(std::memory_order_relaxed); }

void bind_batch(nb::module_& m) {
  nb::enum_<Status> status(
      m, "Status", nb::is_arithmetic(),
      "How a state ended; the numbers are those of status= arrays.\n\n"
      "infeasible, not_converged: there is a result, and with nearest_found, of inverse kinematics.\n"
      "All others but ok: results are NaN.\n"
      "A Status equals its name, too: solution.status == \"ok\"; str() is the name.");
  for (int k = 0; k <= k_nearest_found; ++k) status.value(text_of(static_cast<Status>(k)), static_cast<Status>(k));
  status
      .def(
          "__eq__", [](Status s, nb::handle other) { return compared(s, other, Py_EQ); }, nb::arg().none(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__ne__", [](Status s, nb::handle other) { return compared(s, other, Py_NE); }, nb::arg().none(),
          nb::sig("def __ne__(self, other: object, /) -> bool"))
      .def(
          "__hash__", [](Status s) { return nb::hash(nb::str(text_of(s))); }, nb::sig("def __hash__(self) -> int"))
      .def(
          "__str__", [](Status s) { return text_of(s); }, nb::sig("def __str__(self) -> str"))
      .def(
          "__format__", [](Status s, const nb::object& spec) { return nb::str(text_of(s)).attr("__format__")(spec); },
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
  not_kept<ThreadScope>("it is of this process; call set_threads where it is wanted");
  def(m, ZWANG_SIGNATURE("def set_threads(n: int) -> ThreadScope"), &set_threads,
      "How many threads share the states of a batch from now on, in the whole process; the caller counts.\n\n"
      "0: one for each processor, as at the start. `with set_threads(n):` until the end of the block. The numbers do "
      "not\n"
      "depend on it.");
  m.def("threads", &threads, nb::sig("def threads() -> int"), "How many threads share the states of a batch.");
  m.def("instruction_set", &instruction_set, nb::sig("def instruction_set() -> str"),
        "The level of the processor whose kernels are in use: v4 (AVX-512), v3 (AVX2) or plain.\n\n"
        "The environment variable ZWANG_ISA names a level that is not to be exceeded; it is read once. Raises "
        "ValueError\n"
        "where it is none of plain, v2, v3 and v4.");
  bind_rollout(m);
}

}  // namespace zwang::python
