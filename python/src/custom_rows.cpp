// SPDX-License-Identifier: BSD-3-Clause
// Custom constraints written in Python, and the lock that lets them be called while a solver runs.
#include "call.hpp"
#include "constraints.hpp"

namespace zwang::python {
namespace {

/// Whether this thread holds the interpreter.
bool holds_python() {
#ifdef Py_LIMITED_API
  return PyThreadState_GetDict() != nullptr;  // the stable interface, from 3.12 on: what is current is of this thread
#else
  return PyGILState_Check() != 0;  // before 3.12 the current state may be another thread's
#endif
}

}  // namespace

void SetMutex::lock() {
  if (owner_.load() == std::this_thread::get_id())
    throw std::runtime_error("a function of a custom constraint or joint uses the object that calls it");
  if (!mutex_.try_lock()) {
    std::optional<nb::gil_scoped_release> release;
    if (holds_python()) release.emplace();
    mutex_.lock();
  }
  owner_.store(std::this_thread::get_id());
}
void SetMutex::unlock() {
  owner_.store({});
  mutex_.unlock();
}

void Raised::note(std::exception_ptr error) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!first_) first_ = std::move(error);
}
void Raised::forget() {
  std::exception_ptr last;  // destroyed without the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  last.swap(first_);
}
void Raised::rethrow() {
  std::exception_ptr error;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    error.swap(first_);
  }
  if (error) std::rethrow_exception(error);
}

namespace {

class PythonRows : public CustomRows {
 public:
  PythonRows(nb::object function, Index rows, Index coordinates, const Model& model, std::shared_ptr<Raised> raised)
      : function_(std::move(function)),
        rows_(rows),
        coordinates_(coordinates),
        nq_(model.nq()),
        nv_(model.nv()),
        raised_(std::move(raised)) {}
  PythonRows(const PythonRows&) = delete;
  PythonRows& operator=(const PythonRows&) = delete;
  ~PythonRows() override {
    if (Py_IsInitialized() == 0) {
      function_.release();
      return;
    }
    const nb::gil_scoped_acquire gil;
    function_.reset();
  }
  Index rows() const override { return rows_; }
  const nb::object& function() const { return function_; }
  void evaluate(const double* q, const double* v, double* phi, double* J, double* Jdot_v) const override {
    const nb::gil_scoped_acquire gil;
    try {
      const nb::object answer = function_(new_array(q, nq_), new_array(v, nv_));
      if (!PyTuple_Check(answer.ptr()) || nb::len(answer) != 3)
        throw std::invalid_argument("E_SIZE add_custom: function returned " + type_text(answer) +
                                    ", expected (phi, J, Jdot_v)");
      const nb::object given_phi = answer[0], given_J = answer[1], given_rest = answer[2];
      if (!given_phi.is_none()) copy("phi", given_phi, rows_, phi);
      read_J(given_J, J);
      copy("Jdot_v", given_rest, rows_, Jdot_v);
    } catch (...) {
      raised_->note(std::current_exception());
      throw;
    }
  }

 private:
  static void copy(const char* name, nb::handle given, Index size, double* to) {
    const std::vector<double> x = numbers("add_custom", name, given);
    if (static_cast<Index>(x.size()) != size) detail::throw_size("add_custom", name, static_cast<long>(x.size()), size);
    std::copy(x.begin(), x.end(), to);
  }
  /// [rows x coordinates]; for one row also a vector.
  void read_J(nb::handle given, double* to) const {
    const Input J("add_custom", "J", given, coordinates_);
    const Index n = J.states() < 0 ? 1 : J.states();
    if (n != rows_) detail::throw_size("add_custom", "J", n, rows_);
    for (Index k = 0; k < n; ++k) std::copy(J.at(k), J.at(k) + coordinates_, to + k * coordinates_);
  }

  nb::object function_;
  Index rows_, coordinates_, nq_, nv_;
  std::shared_ptr<Raised> raised_;
};

}  // namespace

nb::object function_of(const CustomRows& rows) { return dynamic_cast<const PythonRows&>(rows).function(); }

std::shared_ptr<const CustomRows> python_rows(nb::object function, Index rows, Index coordinates, const Model& model,
                                              std::shared_ptr<Raised> raised) {
  if (nb::hasattr(function, "evaluate")) function = function.attr("evaluate");
  if (PyCallable_Check(function.ptr()) == 0)
    throw std::invalid_argument("add_custom: argument 'function' has type " + type_text(function) +
                                ", expected a callable or an object with evaluate(q, v)");
  // A function of a module refers to the module's variables, including the set: a cycle that lasts as long as the
  // process and is not an error.
  nb::set_leak_warnings(false);
  return std::make_shared<PythonRows>(std::move(function), rows, coordinates, model, std::move(raised));
}

}  // namespace zwang::python
