// SPDX-License-Identifier: BSD-3-Clause
// The configuration space: functions outside of the list of algorithms.
#include "zwang/manifold/manifold.hpp"

#include "bind.hpp"
#include "call.hpp"

namespace zwang::python {

void bind_manifold(nb::module_& m) {
  m.def(
      "is_normalized",
      [](const Robot& robot, nb::handle q_, double tolerance) {
        const Input q("is_normalized", "q", q_, robot.model.nq(), VectorKind::configuration, &robot.model);
        bool good = true;
        for (Index k = 0; k < (q.states() < 0 ? 1 : q.states()); ++k)
          good = good && is_normalized(robot.model, vector(q, k), tolerance);
        return good;
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("tolerance") = k_unit_tolerance,
      nb::sig("def is_normalized(model: Model, q: Vector, tolerance: float = 1e-6) -> bool"),
      "Are all entries finite, and all quaternions of unit length within the tolerance? Of N states: of all of them.");
  m.def(
      "neutral", [](const nb::object& model) { return model.attr("neutral")(); }, nb::arg("model"),
      nb::sig("def neutral(model: Model) -> Array"),
      "model.neutral(): no translation, no rotation, every angle 0; (nq,).");
  m.def(
      "random", [](const nb::object& model, std::uint64_t seed) { return model.attr("random")(seed); },
      nb::arg("model"), nb::arg("seed") = 0, nb::sig("def random(model: Model, seed: int = 0) -> Array"),
      "model.random(seed): a configuration within limits; (nq,).");
}

}  // namespace zwang::python
