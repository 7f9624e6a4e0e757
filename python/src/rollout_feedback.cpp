// SPDX-License-Identifier: BSD-3-Clause
// Rollouts whose torques are a function of the states: a batch of one step after the other.
#include <stdexcept>

#include "bind.hpp"
#include "solve_states.hpp"
#include "statuses.hpp"

namespace zwang::python {
namespace {

nb::object numpy(const char* name) { return nb::module_::import_("numpy").attr(name); }

/// The argument as an array of its own: dictionaries and lists become float64, float32 stays.
nb::object array_of(const char* function, const char* name, nb::handle given, Index size, VectorKind kind,
                    const Model& model) {
  if (Input::is_single(given)) return numpy("array")(given);
  const Input x(function, name, given, size, kind, &model);
  if (x.states() < 0) return new_array(x.at(0), size);
  return new_matrix(x.states(), size, [&](Index i, Index j) { return x.at(i)[j]; });
}

/// The arrays of `out=`, which must have these shapes.
nb::object place(const char* function, nb::handle out, int k, const nb::tuple& shape, const nb::object& dtype) {
  if (out.is_none()) return numpy("empty")(shape, dtype);
  if (!PyTuple_Check(out.ptr()) || nb::len(out) < 2)
    throw_type(function, "out", out, "a tuple of two arrays, or an earlier Rollout", "E_OUT");
  nb::object array = nb::borrow(out[k]);
  if (!nb::hasattr(array, "shape") || !nb::object(array.attr("shape")).equal(shape) ||
      !nb::object(array.attr("dtype")).equal(dtype))
    throw std::invalid_argument("E_OUT " + std::string(function) + ": argument 'out[" + std::to_string(k) +
                                "]' is not an array of shape " + nb::repr(shape).c_str() + " and " +
                                nb::str(dtype).c_str());
  return array;
}

nb::tuple shape_of(const nb::object& states, Index steps, Index size) {
  nb::list shape;
  for (nb::handle n : states) shape.append(n);
  if (steps > 0) shape.append(steps);
  shape.append(size);
  return nb::tuple(shape);
}

}  // namespace

nb::object rollout_with_feedback(const Robot& robot, SolverCore* core, const RolloutArguments& given) {
  const char* const function = core != nullptr ? "Solver.rollout" : "rollout";
  const Model& model = robot.model;
  if (given.steps < 1)
    throw std::invalid_argument("E_NUMBER " + std::string(function) + ": argument 'steps' is " +
                                std::to_string(given.steps) + ", expected at least 1");
  nb::object q = array_of(function, "q", given.q, model.nq(), VectorKind::configuration, model);
  nb::object v = given.v.is_none()
                     ? nb::object(numpy("zeros")(shape_of(nb::object(q.attr("shape")[nb::slice(-1)]), 0, model.nv()),
                                                 q.attr("dtype")))
                     : array_of(function, "v", given.v, model.nv(), VectorKind::tangent, model);
  Watch watch;
  watch.show(function, given.progress);
  nb::object status, q_out, v_out;
  nb::list notes;
  for (Index k = 0; k < given.steps; ++k) {
    const nb::object tau = nb::borrow(given.tau)(static_cast<double>(k) * given.dt, q, v);
    RolloutArguments one = given;
    one.q = q, one.v = v, one.tau = tau, one.steps = 1;
    one.trajectory = false;
    one.out = one.progress = nb::none();
    // A state that has failed is NaN from then on, which is no fault of the caller.
    const nb::object now = k == 0 ? nb::none() : nb::object(numpy("empty_like")(status));
    one.status = k == 0 ? given.status : nb::handle(now);
    one.last_step = k > 0;
    const nb::object r = rollout(robot, core, one);
    if (k == 0 || k + 1 == given.steps) notes.extend(r.attr("notes"));
    q = r.attr("q"), v = r.attr("v");
    if (k == 0) {
      status = r.attr("status");
      if (given.status.is_none()) status = numpy("array")(status, "uint8");
      const nb::object states = nb::object(q.attr("shape")[nb::slice(-1)]);
      const Index steps = given.trajectory ? given.steps : 0;
      q_out = place(function, given.out, 0, shape_of(states, steps, model.nq()), q.attr("dtype"));
      v_out = place(function, given.out, 1, shape_of(states, steps, model.nv()), v.attr("dtype"));
    } else {
      numpy("copyto")(status, now, nb::arg("where") = status.attr("__eq__")(0));
    }
    if (given.trajectory) {
      const nb::tuple at =
          nb::make_tuple(nb::ellipsis(), static_cast<long>(k), nb::slice(nb::none(), nb::none(), nb::none()));
      q_out[at] = q;
      v_out[at] = v;
    }
    if (!watch.go_on(k + 1, given.steps, 1)) break;
  }
  watch.finish();
  if (!given.trajectory) {
    numpy("copyto")(q_out, q);
    numpy("copyto")(v_out, v);
  }
  if (given.status.is_none()) status = as_statuses(status);
  return new_rollout(q_out, v_out, status, notes);
}

}  // namespace zwang::python
