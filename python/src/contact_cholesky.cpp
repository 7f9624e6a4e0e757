// SPDX-License-Identifier: BSD-3-Clause
// ContactCholesky: the factor of a solver's KKT matrix.
#include "zwang/question/contact_cholesky.hpp"

#include "bind.hpp"
#include "call.hpp"
#include "fields.hpp"
#include "solution.hpp"

namespace zwang::python {
namespace {

constexpr const char* k_function = "Solver.contact_cholesky";

/// The compliances of the active rows, and their names.
void read_rows(const ConstraintSet& set, std::vector<double>& R, std::vector<std::string>& names) {
  for (const Constraint& c : set.constraints()) {
    if (!c.active) continue;
    const std::vector<double>& given = c.compliance;
    for (Index k = 0; k < c.size(); ++k) {
      const std::size_t at = given.size() == 1 ? 0 : static_cast<std::size_t>(k);
      R.push_back(c.policy == Policy::soft && at < given.size() ? given[at] : 0.0);
      names.push_back(c.row_names.value()[static_cast<std::size_t>(k)]);
    }
  }
}

template <class F> nb::object matrix(Index rows, Index columns, F&& fill) {
  Eigen::MatrixXd X(rows, columns);
  fill(X);
  return new_matrix(rows, columns, [&](Index i, Index j) { return X(i, j); });
}

/// out := f(x), for a vector or for every row of x.
nb::object changed(const ContactCholesky& c, const char* name, Index size, nb::handle x_,
                   void (ContactCholesky::*f)(VectorOut) const) {
  const std::string function = std::string("ContactCholesky.") + name;
  const Input x(function.c_str(), "x", x_, size);
  const Output out(function.c_str(), "out", nb::none(), x.states(), {size});
  Eigen::VectorXd y(size);
  for (Index k = 0; k < (x.states() < 0 ? 1 : x.states()); ++k) {
    for (Index i = 0; i < size; ++i)
      if (!is_finite(x.at(k)[i])) detail::throw_not_finite(function.c_str(), "x", i, x.at(k)[i]);
    y = vector(x, k);
    (c.*f)(y);
    if (!y.allFinite()) detail::throw_overflow(function.c_str());
    out.put(k, y.data());
  }
  return out.array;
}

using Class = ClassOf<ContactCholesky>;
template <signature::Text S> void bind_change(Class& c, const char* name, S signature, const char* doc,
                                              void (ContactCholesky::*f)(VectorOut) const,
                                              bool of_coordinates = false) {
  c.def(
      signature,
      [name, f, of_coordinates](const ContactCholesky& x, nb::handle b) {
        return changed(x, name, of_coordinates ? x.coordinates() : x.size(), b, f);
      },
      doc);
}
void bind_matrix(Class& c, const char* name, const char* signature, const char* doc,
                 void (ContactCholesky::*f)(MatrixOut) const, Index (ContactCholesky::*rows)() const,
                 Index (ContactCholesky::*columns)() const) {
  c.def(
      name,
      [=](const ContactCholesky& x) {
        return matrix((x.*rows)(), (x.*columns)(), [&](Eigen::MatrixXd& X) { (x.*f)(X); });
      },
      nb::sig(signature), doc);
}

}  // namespace

nb::object contact_cholesky_of(SolverCore& core) {
  const Robot& robot = core.shared->robot;
  const Index nv = robot.model.nv(), m = core.solver.active_rows();
  Eigen::MatrixXd M(nv, nv), J(m, nv);
  std::vector<double> R;
  std::vector<std::string> names;
  {
    const std::lock_guard<SetMutex> lock(core.shared->mutex);
    core.solver.constraint_jacobian(J);
    if (core.rows_stamp != stamp_of_rows(core.shared->set))
      throw WorkspaceMismatch(std::string(k_function) +
                              ": other rows are active, or other compliances, than in the last solve; solve again");
    read_rows(core.shared->set, R, names);
    const Lease lease(robot);
    const Eigen::Map<const Eigen::VectorXd> q(core.q.data(), robot.model.nq());
    mass_matrix(robot.model, (*lease).data, q, M, core.effects);
  }
  const Eigen::Map<const Eigen::VectorXd> compliance(R.data(), m);
  return nb::cast(ContactCholesky(M, J, compliance, names, robot.model.coordinate_names()));
}

void bind_contact_cholesky(nb::module_& m) {
  Class c(m, "ContactCholesky",
          "K = [-R J; J^T M] = U D U^T of a solver's last solve (Solver.contact_cholesky), rows first; size: m + nv.\n"
          "U: unit upper triangular, with entries only along the paths of the tree; D: m negative numbers, then nv\n"
          "positive ones. K [-lambda; q''] = [target; tau - h]. Vectors x have shape (size,), or (N, size).");
  not_kept<ContactCholesky>("it is a factor in memory; pickle its matrix() or inverse()");
  using T = ContactCholesky;
#define ZWANG_CHANGE(NAME) ZWANG_SIGNATURE("def " NAME "(self, x: ArrayLike) -> Array")
  bind_change(c, "solve", ZWANG_CHANGE("solve"), "K^-1 x", &T::solve);
  bind_change(c, "multiply", ZWANG_CHANGE("multiply"), "K x", &T::multiply);
  bind_change(c, "multiply_upper", ZWANG_CHANGE("multiply_upper"), "U x", &T::multiply_upper);
  bind_change(c, "multiply_upper_transposed", ZWANG_CHANGE("multiply_upper_transposed"), "U^T x",
              &T::multiply_upper_transposed);
  bind_change(c, "solve_upper", ZWANG_CHANGE("solve_upper"), "U^-1 x", &T::solve_upper);
  bind_change(c, "solve_upper_transposed", ZWANG_CHANGE("solve_upper_transposed"), "U^-T x",
              &T::solve_upper_transposed);
  bind_change(c, "mass_matrix_solve", ZWANG_CHANGE("mass_matrix_solve"), "M^-1 x, (nv,)", &T::solve_mass_matrix, true);
#define ZWANG_MATRIX(NAME) "def " NAME "(self) -> Array"
  bind_matrix(c, "matrix", ZWANG_MATRIX("matrix"), "K, (size, size)", &T::matrix, &T::size, &T::size);
  bind_matrix(c, "U", ZWANG_MATRIX("U"), "(size, size)", &T::U, &T::size, &T::size);
  bind_matrix(c, "inverse", ZWANG_MATRIX("inverse"), "K^-1, (size, size)", &T::inverse, &T::size, &T::size);
  bind_matrix(c, "jacobian_times_inverse_mass", ZWANG_MATRIX("jacobian_times_inverse_mass"), "J M^-1, (m, nv)",
              &T::jacobian_times_inverse_mass, &T::rows, &T::coordinates);
  bind_matrix(c, "delassus", ZWANG_MATRIX("delassus"), "J M^-1 J^T + R, (m, m)", &T::delassus, &T::rows, &T::rows);
  bind_matrix(c, "operational_inertia", ZWANG_MATRIX("operational_inertia"), "(J M^-1 J^T + R)^-1, (m, m)",
              &T::operational_inertia, &T::rows, &T::rows);
  c.def(
      "D", [](const T& x) { return new_array(x.D().data(), x.size()); }, nb::sig(ZWANG_MATRIX("D")), "(size,)");
  c.def_prop_ro("rows", &T::rows, "m: active rows of the solve");
  c.def_prop_ro("size", &T::size, "m + nv");
}

}  // namespace zwang::python
