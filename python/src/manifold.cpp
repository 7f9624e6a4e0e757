// SPDX-License-Identifier: BSD-3-Clause
// The configuration space: functions outside of the list of algorithms.
#include "zwang/manifold/manifold.hpp"

#include "bind.hpp"
#include "call.hpp"

namespace zwang::python {

namespace {

/// The method of a model; of another object the call fits no signature, as of the functions that take a model.
nb::object of_model(const nb::object& model, const char* method) {
  if (!nb::isinstance<Robot>(model)) throw nb::next_overload();
  return model.attr(method);
}

}  // namespace

void bind_manifold(nb::module_& m) {
  def(
      m, ZWANG_SIGNATURE("def is_normalized(model: Model, q: Vector, tolerance: float = 1e-6) -> bool"),
      [](const Robot& robot, nb::handle q_, double tolerance) {
        const Input q("is_normalized", "q", q_, robot.model.nq(), VectorKind::configuration, &robot.model);
        bool good = true;
        for (Index k = 0; k < (q.states() < 0 ? 1 : q.states()); ++k)
          good = good && is_normalized(robot.model, vector(q, k), tolerance);
        return good;
      },
      "Are all entries finite, and all quaternions of unit length within the tolerance? Of N states: of all of them.");
  def(
      m, ZWANG_SIGNATURE("def neutral(model: Model) -> Array"),
      [](const nb::object& model) { return of_model(model, "neutral")(); },
      "model.neutral(): no translation, no rotation, every angle 0; (nq,).");
  def(
      m, ZWANG_SIGNATURE("def random(model: Model, seed: int = 0) -> Array"),
      [](const nb::object& model, std::uint64_t seed) { return of_model(model, "random")(seed); },
      "model.random(seed): a configuration within limits; (nq,).");
}

}  // namespace zwang::python
