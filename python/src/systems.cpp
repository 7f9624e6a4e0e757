// SPDX-License-Identifier: BSD-3-Clause
// solve_system: constrained dynamics from plain matrices.
#include "zwang/factor/system.hpp"

#include "arrays.hpp"
#include "bind.hpp"
#include "matrices.hpp"
#include "record.hpp"
#include "statuses.hpp"

namespace zwang::python {
namespace {

constexpr const char* k_function = "solve_system";

/// Of one problem, or of N.
struct SystemObject {
  nb::object x, multipliers, status, rank, residual, tolerance, objective, redundant, infeasible;
  Index rows = 0;
};
template <class V> void fields(V& v, Type<SystemObject>) {
  using T = SystemObject;
  const Field number{.type = "float | Array"}, rows{.type = "list[int] | list[list[int]]"};
  v.record("SystemSolution",
           "What solve_system returns. Of N problems every value has a leading dimension N, and redundant and\n"
           "infeasible are lists of lists.");
  v("x", &T::x, "(n,)");
  v("multipliers", &T::multipliers, "lambda, (m,): the shortest where rows depend on each other");
  status_field(v, &T::status, "ok; infeasible: rows contradict each other; singular_mass; not_converged");
  v("rank", &T::rank, "of the rows; rows with R > 0 count in full", {.type = "int | NDArray[numpy.int64]"});
  v("residual", &T::residual,
    "largest difference of the sides of an equation over the sum of the magnitudes of its own terms", number);
  v("tolerance", &T::tolerance, "an equation with a smaller residual holds", number);
  v("objective", &T::objective, "1/2 x^T M x - f^T x + 1/2 lambda^T R lambda", number);
  v("redundant", &T::redundant, "rows that depend on rows before them", rows);
  v("infeasible", &T::infeasible, "rows that do not hold", rows);
  v("rows", &T::rows, "m");
}

nb::list list_of(const std::vector<Index>& rows) {
  nb::list list;
  for (const Index k : rows) list.append(k);
  return list;
}

SystemObject solve(nb::handle M_, nb::handle J_, nb::handle f_, nb::handle target_, nb::handle R_,
                   const std::string& method) {
  const Matrices M(k_function, "M", M_, 2), J(k_function, "J", J_, 2), f(k_function, "f", f_, 1),
      target(k_function, "target", target_, 1);
  const nb::object zeros = R_.is_none() ? new_array({0}) : nb::borrow(R_);
  const Matrices R(k_function, "R", zeros, 1);
  Index states = -1;
  for (const Matrices* a : {&M, &J, &f, &target, &R}) a->join(states);
  const Index count = states < 0 ? 1 : states, n = f.rows(), m = target.rows();
  if (!R_.is_none() && R.rows() != m) detail::throw_size(k_function, "R", R.rows(), m);
  std::vector<SystemSolution> all(static_cast<std::size_t>(count));
  Index at = 0;
  try {
    const nb::gil_scoped_release release;
    SystemSolver solver(M.rows(), J.rows(), method);  // M and J are there; f and target may say anything
    for (; at < count; ++at)
      all[static_cast<std::size_t>(at)] =
          solver.solve(M.at(at), J.at(at), f.vector(at), target.vector(at), R.vector(at));
  } catch (const UnsupportedError&) { throw; } catch (const std::invalid_argument& e) {
    if (states < 0) throw;
    throw std::invalid_argument(std::string(e.what()) + " (state " + std::to_string(at) + ")");
  }
  SystemObject out;
  out.rows = m;
  const Output x(k_function, "x", nb::none(), states, {n}),
      multipliers(k_function, "multipliers", nb::none(), states, {m});
  for (Index k = 0; k < count; ++k) {
    x.put(k, all[static_cast<std::size_t>(k)].x.data());
    multipliers.put(k, all[static_cast<std::size_t>(k)].multipliers.data());
  }
  out.x = x.array;
  out.multipliers = multipliers.array;
  const auto values = [&](auto&& of, const char* dtype) -> nb::object {
    if (states < 0) return nb::cast(of(all.front()));
    static PyObject* slot;
    nb::list list;
    for (const SystemSolution& s : all) list.append(of(s));
    return dtype == nullptr ? nb::object(list)
                            : nb::object(kept(slot, "numpy", "array")(list, nb::arg("dtype") = dtype));
  };
  using S = const SystemSolution&;
  out.status =
      states < 0 ? nb::cast(all.front().status) : values([](S s) { return static_cast<int>(s.status); }, "uint8");
  out.rank = values([](S s) { return s.rank; }, "int64");
  out.residual = values([](S s) { return s.residual; }, "float64");
  out.tolerance = values([](S s) { return s.tolerance; }, "float64");
  out.objective = values([](S s) { return s.objective; }, "float64");
  out.redundant = values([](S s) { return list_of(s.redundant); }, nullptr);
  out.infeasible = values([](S s) { return list_of(s.infeasible); }, nullptr);
  return out;
}

}  // namespace

void bind_systems(nb::module_& m) {
  result_class<SystemObject>(m);
  def(m,
      ZWANG_SIGNATURE("def solve_system(M: ArrayLike, J: ArrayLike, f: ArrayLike, target: ArrayLike, R: ArrayLike | "
                      "None = None, method: str = \"dense_cod\") -> SystemSolution"),
      &solve,
      "Solves M x = f + J^T lambda, J x + R lambda = target, from matrices of any origin.\n\n"
      "M (n, n): symmetric, positive semidefinite; J (m, n), of any rank; f (n,); target (m,); R (m,): 0 or more, or\n"
      "None. Of all lambda the shortest; rows that contradict each other are met in least squares. method: dense_lu,\n"
      "dense_qr, dense_cod, range_space (M definite) or null_space. A leading dimension N: N problems, one after the\n"
      "other; arrays without it hold for all. Raises ValueError naming argument, got and expected;\n"
      "UnsupportedError for methods that need a model.");
}

}  // namespace zwang::python
