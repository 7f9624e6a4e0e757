// SPDX-License-Identifier: BSD-3-Clause
// A ConstraintSet in Python: shared by the set, its constraints and the solvers made from it; users of the set lock it.
#pragma once
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include <nanobind/nanobind.h>

#include "robot.hpp"
#include "signature.hpp"
#include "zwang/constraint/constraint_set.hpp"

namespace zwang::python {

/// Locked by the user of a set, or of an object that computes with joints. Custom constraints and joints call Python
/// while it is locked, so nobody may wait for it with the GIL, and their functions must not use what calls them.
class SetMutex {
 public:
  void lock();  ///< throws std::runtime_error if this thread has it already
  void unlock();

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> owner_ = {};
};

/// Exceptions of custom constraints that could not be passed on directly: in the threads of a batch.
class Raised {
 public:
  void note(std::exception_ptr error);
  void forget();
  void rethrow();  ///< the first one

 private:
  std::mutex mutex_;
  std::exception_ptr first_ = {};
};

struct SharedSet {
  explicit SharedSet(const Robot& r) : robot(r), set(r.model) {}
  Robot robot;
  ConstraintSet set;
  SetMutex mutex;  ///< held while a solver runs and while a constraint changes
  /// Of custom constraints; none: the set never calls Python.
  std::shared_ptr<Raised> raised = {};
};
using SetPointer = std::shared_ptr<SharedSet>;

/// ConstraintSet in Python.
struct SetObject {
  SetPointer shared;
  nanobind::object model = {};  ///< model given at construction: pickle keeps both as one; none: made here
};
/// A constraint of a set, by its name: adding more does not invalidate it.
struct ConstraintObject {
  SetPointer shared;
  std::string name;
};

bool is_present(const ConstraintObject& self);
/// The constraint of the set. Throws AttributeError where it was removed, so that hasattr() is false.
const Constraint& present(const ConstraintObject& self);

/// A word or a list of words; None: all.
Compensate compensate_of(nanobind::handle words);
/// `rows=`: words, a list of words, one row of six numbers, or k rows.
RowSelection rows_argument(const char* function, nanobind::handle given);
/// A word, a list of words, or None.
std::vector<Sense> senses_of(const char* function, nanobind::handle words);
void bind_constraint(nanobind::module_& m);
void bind_constraint_definition(ClassOf<ConstraintObject>& c);
void bind_whole_set(ClassOf<SetObject>& c);
void bind_constraint_values(nanobind::module_& m, ClassOf<SetObject>& set);
nanobind::object model_of(const SetObject& set);

/// Rows that a Python function evaluates: f(q, v) -> (phi or None, J, Jdot_v), or an object with such an `evaluate`.
std::shared_ptr<const CustomRows> python_rows(nanobind::object function, Index rows, Index coordinates,
                                              const Model& model, std::shared_ptr<Raised> raised);
/// The Python function.
nanobind::object function_of(const CustomRows& rows);

}  // namespace zwang::python
