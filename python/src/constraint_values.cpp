// SPDX-License-Identifier: BSD-3-Clause
// ConstraintSet.evaluate: errors, Jacobian and right-hand side of the active rows without a solve.
#include <nanobind/stl/vector.h>

#include <mutex>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "fields.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang::python {
namespace {

/// Snapshots; with N states arrays have a leading dimension.
struct ConstraintValues {
  nb::object position_error, velocity_error, gamma, jacobian;
  std::vector<std::string> names;
  template <class A> void fields(A& a) { a(position_error), a(velocity_error), a(gamma), a(jacobian), a(names); }
};

ConstraintValues evaluate(const SetObject& self, nb::handle q_, nb::handle v_) {
  const Model& model = self.shared->robot.model;
  constexpr const char* function = "ConstraintSet.evaluate";
  const Input q(function, "q", q_, model.nq(), VectorKind::configuration, &model);
  const std::vector<double> rest(static_cast<std::size_t>(model.nv()));
  const Input v = v_.is_none() ? Input("v", rest.data(), model.nv())
                               : Input(function, "v", v_, model.nv(), VectorKind::tangent, &model);
  const Index states = q.states() >= 0 ? q.states() : v.states(), count = states < 0 ? 1 : states;
  if (q.states() >= 0 && v.states() >= 0 && q.states() != v.states())
    throw std::invalid_argument("E_SIZE ConstraintSet.evaluate: argument 'v' has " + std::to_string(v.states()) +
                                " states, argument 'q' has " + std::to_string(q.states()));
  ConstraintValues x;
  Index rows = 0;
  std::vector<double> errors, speeds, gammas, J;
  {
    const nb::gil_scoped_release release;
    const std::lock_guard<SetMutex> lock(self.shared->mutex);
    ConstraintEvaluator evaluator(model, self.shared->set);
    for (Index k = 0; k < count; ++k) {
      evaluator.evaluate(vector(q, k), vector(v, k));
      rows = evaluator.rows();
      const auto take = [&](std::vector<double>& to, const VectorView& from) {
        to.insert(to.end(), from.data(), from.data() + from.size());
      };
      take(errors, evaluator.position_error());
      take(speeds, evaluator.velocity_error());
      take(gammas, evaluator.gamma());
      J.resize(static_cast<std::size_t>((k + 1) * rows * model.nv()));
      // Column by column; put_matrix below reads it so.
      evaluator.jacobian(
          Eigen::Map<Eigen::MatrixXd>(J.data() + static_cast<std::ptrdiff_t>(k) * rows * model.nv(), rows, model.nv()));
      for (Index r = 0; k == 0 && r < rows; ++r) x.names.emplace_back(evaluator.row_name(r));
    }
  }
  const auto rows_of = [&](const std::vector<double>& from) {
    const Output out(function, "out", nb::none(), states, {rows});
    for (Index k = 0; k < count; ++k) out.put(k, from.data() + static_cast<std::ptrdiff_t>(k) * rows);
    return out.array;
  };
  x.position_error = rows_of(errors);
  x.velocity_error = rows_of(speeds);
  x.gamma = rows_of(gammas);
  const Output jacobian(function, "out", nb::none(), states, {rows, model.nv()});
  for (Index k = 0; k < count; ++k)
    jacobian.put_matrix(k, J.data() + static_cast<std::ptrdiff_t>(k) * rows * model.nv());
  x.jacobian = jacobian.array;
  return x;
}

}  // namespace

void bind_constraint_values(nb::module_& m, ClassOf<SetObject>& set) {
  ClassOf<ConstraintValues>(m, "ConstraintValues",
                            "The active rows of a set at a state, in order of insertion: J q'' = gamma is what the set "
                            "asks of\naccelerations. With N states arrays have a leading dimension N.")
      .def_ro("position_error", &ConstraintValues::position_error, nb::sig("def position_error(self) -> Array"),
              "(rows,): phi - target; NaN for rows without one: a frame without a target, velocity rows")
      .def_ro("velocity_error", &ConstraintValues::velocity_error, nb::sig("def velocity_error(self) -> Array"),
              "(rows,): J v - target_velocity")
      .def_ro("gamma", &ConstraintValues::gamma, nb::sig("def gamma(self) -> Array"),
              "(rows,): beta - J' v - feedback of the errors")
      .def_ro("jacobian", &ConstraintValues::jacobian, nb::sig("def jacobian(self) -> Array"), "(rows, nv)")
      .def_ro("names", &ConstraintValues::names, nb::sig("def names(self) -> list[str]"),
              "of the rows, as the report names them: constraint:row")
      .def("__repr__", [](const ConstraintValues& x) {
        return "<zwang.ConstraintValues: " + std::to_string(x.names.size()) + " rows>";
      });
  kept_by_fields<ConstraintValues>();
  set.def(ZWANG_SIGNATURE("def evaluate(self, q: Vector, v: Vector | None = None) -> ConstraintValues"), &evaluate,
          "Errors, Jacobian and right-hand side of the active rows at a state, without a solve: also where the mass "
          "matrix\n"
          "is singular. v None: at rest. q (nq,) or (N, nq). Raises ValueError naming argument, got and expected.");
}

}  // namespace zwang::python
