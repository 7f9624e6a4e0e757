// SPDX-License-Identifier: BSD-3-Clause
// The class Solver of Python, whose methods are bound in several files.
#pragma once
#include "solution.hpp"
#include "watch.hpp"

namespace zwang::python {

struct SolverObject {
  std::shared_ptr<SolverCore> core;
  const Robot& robot() const { return core->shared->robot; }
  Solver& solver() const { return core->solver; }
};

/// A solver that asks a watch while it solves, for the length of a call under the lock of its set.
class Watched {
 public:
  Watched(Solver& solver, Watch& watch) : solver_(solver) { solver.settings().stop = {&Watch::asks, &watch}; }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() { solver_.settings().stop = {}; }

 private:
  Solver& solver_;
};

/// Methods that give the matrices of the last factorisation.
void bind_solver_matrices(nb::module_& m, ClassOf<SolverObject>& c);
/// Methods that give derivatives of the last solution, and the classes of these.
void bind_solver_derivatives(nb::module_& m, ClassOf<SolverObject>& c);

/// Methods that give impulses and their derivatives, and the classes of these.
void bind_solver_impulses(nb::module_& m, ClassOf<SolverObject>& c);

}  // namespace zwang::python
