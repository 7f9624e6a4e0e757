// SPDX-License-Identifier: BSD-3-Clause
// solve_system: constrained dynamics from plain matrices.
#include "zwang/factor/system.hpp"

#include "arrays.hpp"
#include "bind.hpp"
#include "record.hpp"
#include "statuses.hpp"

namespace zwang::python {
namespace {

constexpr const char* k_function = "solve_system";

/// An argument of `order` dimensions (1: a vector, 2: a matrix), or N of them; float64, row by row.
class Matrices {
 public:
  Matrices(const char* name, nb::handle given, int order) : name_(name), order_(order) {
    static PyObject *asarray, *contiguous;
    const auto wrong = [&](const std::string& got, const char* code) {
      throw std::invalid_argument(std::string(code) + " " + k_function + ": argument '" + name + "' has " + got +
                                  ", expected " +
                                  (order == 1 ? "a vector, or (N, its size)" : "a matrix, or (N, its shape)"));
    };
    if (given.is_none()) wrong("type NoneType", "E_DTYPE");
    nb::object array;
    try {
      array = kept(asarray, "numpy", "asarray")(given);
    } catch (nb::python_error&) { wrong("rows of different lengths", "E_SIZE"); }
    const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
    const bool empty = nb::cast<std::size_t>(array.attr("size")) == 0;
    const bool narrow = kind == "f" && nb::cast<int>(array.attr("dtype").attr("itemsize")) != 8;
    if ((kind != "f" && kind != "i" && kind != "u" && !empty) || narrow)
      wrong(std::string("dtype ") + nb::str(nb::object(array.attr("dtype"))).c_str() + ", which is not float64",
            "E_DTYPE");
    array_ = kept(contiguous, "numpy", "ascontiguousarray")(array, nb::arg("dtype") = "float64");
    memory_.open(array_, PyBUF_FORMAT | PyBUF_STRIDES);
    const int dimensions = nb::cast<int>(array.attr("ndim"));
    if (dimensions != order && dimensions != order + 1)
      wrong(std::string("shape ") + nb::str(nb::object(array.attr("shape"))).c_str(), "E_SIZE");
    for (int k = 0; k < dimensions; ++k)
      if (memory_->shape[k] > 0x7fffffff) wrong("more than 2^31 - 1 entries", "E_SIZE");
    states_ = dimensions > order ? static_cast<Index>(memory_->shape[0]) : -1;
    rows_ = static_cast<Index>(memory_->shape[dimensions - order]);
    columns_ = order == 2 ? static_cast<Index>(memory_->shape[dimensions - 1]) : 1;
  }
  Index states() const { return states_; }  ///< -1 for one
  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  Eigen::MatrixXd at(Index state) const {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(rows_) * columns_;
    return Eigen::Map<const RowMajor>(static_cast<const double*>(memory_->buf) + (states_ < 0 ? 0 : state * size),
                                      rows_, columns_);
  }
  Eigen::VectorXd vector(Index state) const { return at(state).reshaped(); }
  /// The number of states of all arguments so far.
  void join(Index& states) const {
    if (states_ < 0) return;
    if (states >= 0 && states != states_)
      throw std::invalid_argument(std::string("E_SIZE ") + k_function + ": argument '" + name_ + "' has " +
                                  std::to_string(states_) + " states, expected " + std::to_string(states));
    states = states_;
  }

 private:
  const char* name_;
  int order_;
  nb::object array_;
  Exported memory_;
  Index states_ = -1, rows_ = 0, columns_ = 1;
};

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
  const Matrices M("M", M_, 2), J("J", J_, 2), f("f", f_, 1), target("target", target_, 1);
  const nb::object zeros = R_.is_none() ? new_array({0}) : nb::borrow(R_);
  const Matrices R("R", zeros, 1);
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
