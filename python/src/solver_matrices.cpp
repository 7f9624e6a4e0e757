// SPDX-License-Identifier: BSD-3-Clause
// Solver: the matrices of its last factorisation.
#include <mutex>

#include "bind.hpp"
#include "call.hpp"
#include "solver_object.hpp"
#include "zwang/algorithm/dynamics.hpp"

namespace zwang::python {

nb::object contact_cholesky_of(SolverCore& core);

namespace {

/// A matrix that the solver computes from its last factorisation.
template <class F> nb::object matrix(const SolverObject& self, const char* function, Index rows, Index columns,
                                     nb::handle out_, F&& fill) {
  const Output out(function, "out", out_, -1, {rows, columns});
  Eigen::MatrixXd X(rows, columns);
  {
    const nb::gil_scoped_release release;
    const std::lock_guard<SetMutex> lock(self.core->shared->mutex);
    fill(self.solver(), X);
  }
  out.put_matrix(0, X.data());
  return out.array;
}

template <class F>
nb::object numbers(const SolverObject& self, const char* function, Index size, nb::handle out_, F&& fill) {
  const Output out(function, "out", out_, -1, {size});
  Eigen::VectorXd x(size);
  {
    const nb::gil_scoped_release release;
    const std::lock_guard<SetMutex> lock(self.core->shared->mutex);
    fill(self.solver(), x);
  }
  out.put(0, x.data());
  return out.array;
}

/// M, h, J and the target of the last solve: M q'' + h = tau + J^T lambda, J q'' = target.
nb::object system_of(const SolverObject& self) {
  static PyObject* slot;
  SolverCore& core = *self.core;
  const Robot& robot = self.robot();
  const Index nv = robot.model.nv(), m = core.solver.active_rows();
  Eigen::MatrixXd M(nv, nv), J(m, nv);
  Eigen::VectorXd h(nv), target(m);
  {
    const nb::gil_scoped_release release;
    const std::lock_guard<SetMutex> lock(core.shared->mutex);
    core.solver.constraint_jacobian(J);
    core.solver.constraint_target(target);
    const Lease lease(robot);
    Data& data = (*lease).data;
    data.gravity = core.solver.data().gravity;
    const Eigen::Map<const Eigen::VectorXd> q(core.q.data(), robot.model.nq()), v(core.v.data(), nv);
    mass_matrix(robot.model, data, q, M, core.effects);
    h = bias_forces(robot.model, data, q, v, core.external, core.effects);
  }
  return kept(slot, "zwang._zwang", "System")(new_matrix(nv, nv, M), new_array(h.data(), nv), new_matrix(m, nv, J),
                                              new_array(target.data(), m));
}

}  // namespace

void bind_solver_matrices(nb::module_& m, ClassOf<SolverObject>& c) {
  m.attr("System") =
      nb::module_::import_("collections")
          .attr("namedtuple")("System", "mass_matrix bias_forces jacobian target", nb::arg("module") = "zwang._zwang");
  c.def(
      ZWANG_SIGNATURE("def constraint_jacobian(self, *, out: Array | None = None) -> Array"),
      [](const SolverObject& s, nb::handle out) {
        return matrix(s, "Solver.constraint_jacobian", s.solver().active_rows(), s.robot().model.nv(), out,
                      [](Solver& solver, Eigen::MatrixXd& X) { solver.constraint_jacobian(X); });
      },
      "J of the active rows as the last solve held them, (rows, nv), in the order of the set: J q'' = "
      "constraint_target(),\nsoft rows less R lambda.");
  c.def(
      ZWANG_SIGNATURE("def constraint_target(self, *, out: Array | None = None) -> Array"),
      [](const SolverObject& s, nb::handle out) {
        return numbers(s, "Solver.constraint_target", s.solver().active_rows(), out,
                       [](Solver& solver, Eigen::VectorXd& x) { solver.constraint_target(x); });
      },
      "beta with its stabilisation, less J' v, of the active rows of the last solve, (rows,).");
  c.def("system", &system_of, nb::sig("def system(self) -> System"),
        "The matrices of the last solve of one state, as a System (mass_matrix, bias_forces, jacobian, target):\n\n"
        "    M q'' + h = tau + J^T lambda,   J q'' = target (soft rows less R lambda)\n\n"
        "with lambda of the active rows, and h with the gravity and joint effects of that solve and the external "
        "wrenches\n"
        "of it or of the last resolve() after it.");
  c.def(
      "contact_cholesky", [](const SolverObject& s) { return contact_cholesky_of(*s.core); },
      nb::sig("def contact_cholesky(self) -> ContactCholesky"),
      "K = [-R J; J^T M] = U D U^T of the last solve of one state, active rows only.\n"
      "Raises WorkspaceMismatch where other rows are active than then, or have other compliances, and ValueError\n"
      "naming a row where rows without compliance depend on each other.");
  c.def(
      ZWANG_SIGNATURE("def free_acceleration(self, *, out: Array | None = None) -> Array"),
      [](const SolverObject& s, nb::handle out) {
        return numbers(s, "Solver.free_acceleration", s.robot().model.nv(), out,
                       [](Solver& solver, Eigen::VectorXd& x) { solver.free_acceleration(x); });
      },
      "The acceleration of the last solve's state without rows, prescribed coordinates as prescribed:\n"
      "solution.zwang is 1/2 |q'' - free_acceleration|^2 in the mass matrix.");
  c.def(
      ZWANG_SIGNATURE("def operational_inertia(self, *, out: Array | None = None) -> Array"),
      [](const SolverObject& s, nb::handle out) {
        const Index rows = s.solver().active_rows();
        return matrix(s, "Solver.operational_inertia", rows, rows, out,
                      [](Solver& solver, Eigen::MatrixXd& X) { solver.operational_inertia(X); });
      },
      "(J M^-1 J^T)^+ of the active rows of the last solve, (rows, rows).");
  c.def(
      ZWANG_SIGNATURE("def dynamic_pseudo_inverse(self, *, out: Array | None = None) -> Array"),
      [](const SolverObject& s, nb::handle out) {
        return matrix(s, "Solver.dynamic_pseudo_inverse", s.robot().model.nv(), s.solver().active_rows(), out,
                      [](Solver& solver, Eigen::MatrixXd& X) { solver.dynamic_pseudo_inverse(X); });
      },
      "M^-1 J^T (J M^-1 J^T)^+ of the last solve, (nv, rows): the accelerations of least constraint that rows ask "
      "for.");
  c.def(
      ZWANG_SIGNATURE("def nullspace_projector(self, *, out: Array | None = None) -> Array"),
      [](const SolverObject& s, nb::handle out) {
        const Index nv = s.robot().model.nv();
        return matrix(s, "Solver.nullspace_projector", nv, nv, out,
                      [](Solver& solver, Eigen::MatrixXd& X) { solver.nullspace_projector(X); });
      },
      "1 - M^-1 J^T (J M^-1 J^T)^+ J of the last solve, (nv, nv): what of an acceleration the rows do not see.");
}

}  // namespace zwang::python
