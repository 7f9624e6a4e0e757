// SPDX-License-Identifier: BSD-3-Clause
// Impulse, its parts and its derivatives for Python.
#include "impulse.hpp"

namespace zwang::python {

void list_arrays(RowArrayList<ImpulseObject>& v) {
  using T = ImpulseObject;
  using X = Impulse;
  using C = ConstraintImpulse;
  using S = ArrayShape;
  const char* const energy = "kinetic energy [J], rotors included; (N,) of N states";
  v("velocity", &T::velocity, S::nv, &X::velocity, "v+, (nv,)");
  v("change", &T::change, S::nv, &X::change, "v+ - v-, (nv,)");
  v("multipliers", &T::multipliers, S::rows, &X::multipliers,
    "impulses lambda of all rows [N s, N m s], in order of insertion; they act +J^T. 0 for inactive rows",
    "impulses of its rows [N s, N m s], rows as given; 0 where not active");
  v("motor_impulse", &T::motor_impulse, S::nv, &X::motor_impulse,
    "impulse + J^T lambda of driver rows, (nv,); at prescribed coordinates what gives their change");
  v("reaction", &T::reaction, S::nv, &X::reaction, "J^T lambda of physical rows, (nv,)");
  v("velocity_before", &T::velocity_before, S::rows, &X::velocity_before, "J v- of all rows; 0 for inactive ones",
    "J v- of its rows");
  v("velocity_after", &T::velocity_after, S::rows, &X::velocity_after, "J v+ of all rows", "J v+ of its rows");
  v("residual", &T::residual, S::rows, &X::residual, "J v+ minus what was asked of it (soft rows: -R lambda)",
    "J v+ minus what was asked of it (soft rows: -R lambda)");
  v("wrench", &T::wrench, {S::constraints, 6}, &C::wrench, nullptr,
    "K^T lambda [force; moment] times time on the body, axes of in_, about the point; (6,)");
  v("energy", &T::energy, S::constraints, &C::energy, nullptr,
    "work of its impulses on the robot [J], lambda . (J v- + J v+) / 2; (N,) of N states");
  v("energy_before", &T::energy_before, S::one, &X::energy_before, energy);
  v("energy_after", &T::energy_after, S::one, &X::energy_after, energy);
}

void bind_impulse_classes(nb::module_& m) {
  using S = ImpulseObject;
  bind_parts<S>(m, "ConstraintImpulse", "The part of an Impulse that belongs to one constraint; its arrays are views.");
  result_class<ImpulseJacobianObject>(m);
  result_class<ImpulseDerivativesObject>(m);
  result_class<ImpulseVariationObject>(m);
  result_class<ImpulseGradientObject>(m);
  ClassOf<S> c(m, "Impulse",
               "The change of velocity in a shock: what Solver.impulse returns. impulse[name] is the part of a "
               "constraint.\nOf N states every array has a leading dimension N.");
  array_attributes(c, [](std::string_view) {});
  c.get("status", "Status | Statuses", "how it ended; of N states their Status as uint8, (N,)",
        [](const S& s) { return s.status_shown(); })
      .get("report", "SolveReport", "of one state; of N states None",
           [](const S& s) -> nb::object { return s.states < 0 ? nb::cast(s.reports.front()) : nb::none(); })
      .def(ZWANG_SIGNATURE("def __getitem__(self, name: str) -> ConstraintImpulse"), &part_named<S>)
      .def(
          "__copy__", [](S& s) { return snapshot_of(s); }, nb::sig("def __copy__(self) -> Impulse"))
      .def(ZWANG_SIGNATURE("def __deepcopy__(self, memo: object, /) -> Impulse"),
           [](S& s, nb::handle) { return snapshot_of(s); });
  kept_as_result(c, "Impulse");
  c.def("__repr__", [](const S& s) {
    if (s.states >= 0) return "Impulse of " + std::to_string(s.states) + " states";
    const SolveReport& r = s.reports.front().record;
    return std::string("Impulse: ") + name_of(r.status) + ", rank " + std::to_string(r.rank) + " of " +
           std::to_string(r.rows) + " rows";
  });
}

}  // namespace zwang::python
