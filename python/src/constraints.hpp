// SPDX-License-Identifier: BSD-3-Clause
// A ConstraintSet as Python holds it: shared by the set, its constraints and the solvers made of it, and locked by who
// uses it.
#pragma once
#include <memory>
#include <mutex>

#include "robot.hpp"
#include "zwang/constraint/constraint_set.hpp"

namespace zwang::python {

struct SharedSet {
  explicit SharedSet(const Robot& r) : robot(r), set(r.model) {}
  Robot robot;
  ConstraintSet set;
  /// Held while a solver runs and while a constraint changes. Nobody calls Python while holding it: solvers of long
  /// batches run without the GIL, and a thread that waits here may hold it.
  std::mutex mutex;
};
using SetPointer = std::shared_ptr<SharedSet>;

/// ConstraintSet in Python.
struct SetObject {
  SetPointer shared;
};
/// A constraint of a set, by its name: adding more does not invalidate it.
struct ConstraintObject {
  SetPointer shared;
  std::string name;
};

}  // namespace zwang::python
