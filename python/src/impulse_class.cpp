// SPDX-License-Identifier: BSD-3-Clause
// Impulse, its parts and its derivatives for Python.
#include "impulse.hpp"

namespace zwang::python {
namespace {

nb::object item(nb::handle self, const std::string& name) {
  const ImpulseObject& s = *nb::cast<ImpulseObject*>(self, false);
  std::vector<std::string> known;
  for (std::size_t k = 0; k < s.layout->parts.size(); ++k) {
    if (s.layout->parts[k].name == name) return nb::cast(ImpulsePartObject{nb::borrow(self), k});
    known.push_back(s.layout->parts[k].name);
  }
  detail::throw_unknown("constraint", name, known);
}
nb::object number_of(const ImpulseObject& s, const nb::object& array) {
  return s.states < 0 ? nb::object(nb::float_(array)) : array;
}

void bind_part(nb::module_& m) {
  using P = ImpulsePartObject;
  const auto rows = [](nb::object ImpulseObject::*array) {
    return [array](const P& p) { return p.rows_of(p.whole().*array); };
  };
  nb::class_<P>(m, "ConstraintImpulse", "The part of an Impulse that belongs to one constraint; its arrays are views.")
      .def_prop_ro("name", [](const P& p) { return p.layout().name; })
      .def_prop_ro("frame", [](const P& p) { return p.layout().frame; })
      .def_prop_ro(
          "in_", [](const P& p) { return p.layout().in; }, "the axes of the wrench")
      .def_prop_ro(
          "rows",
          [](const P& p) {
            nb::list list;
            for (const std::string& name : p.layout().row_names) list.append(name);
            return list;
          },
          nb::sig("def rows(self) -> list[str]"), "names of its rows")
      .def_prop_ro("multipliers", rows(&ImpulseObject::multipliers), nb::sig("def multipliers(self) -> Array"),
                   "impulses of its rows [N s, N m s], rows as given; 0 where not active")
      .def_prop_ro("velocity_before", rows(&ImpulseObject::velocity_before),
                   nb::sig("def velocity_before(self) -> Array"), "J v- of its rows")
      .def_prop_ro("velocity_after", rows(&ImpulseObject::velocity_after), nb::sig("def velocity_after(self) -> Array"),
                   "J v+ of its rows")
      .def_prop_ro("residual", rows(&ImpulseObject::residual), nb::sig("def residual(self) -> Array"),
                   "J v+ minus what was asked of it (soft rows: -R lambda)")
      .def_prop_ro(
          "wrench",
          [](const P& p) {
            return nb::object(p.whole().wrench[nb::make_tuple(nb::ellipsis(), p.index,
                                                              nb::slice(nb::none(), nb::none(), nb::none()))]);
          },
          nb::sig("def wrench(self) -> Array"),
          "K^T lambda [force; moment] times time on the body, axes of in_, about the point; (6,)")
      .def_prop_ro(
          "energy",
          [](const P& p) {
            const nb::object x = p.whole().energy[nb::make_tuple(nb::ellipsis(), p.index)];
            return p.whole().states < 0 ? nb::object(nb::float_(x)) : x;
          },
          nb::sig("def energy(self) -> float"),
          "work of its impulses on the robot [J], lambda . (J v- + J v+) / 2; (N,) of N states")
      .def("__repr__", [](const P& p) { return "<ConstraintImpulse '" + p.layout().name + "'>"; });
}

void bind_derivatives_of_impulses(nb::module_& m) {
  using J = ImpulseJacobianObject;
  nb::class_<J>(m, "ImpulseJacobian", "Derivatives of one vector of an impulse: (size, columns).")
      .def_prop_ro(
          "q", [](const J& x) { return x.q; }, nb::sig("def q(self) -> Array"), "along q (+) d, (size, nv)")
      .def_prop_ro(
          "v", [](const J& x) { return x.v; }, nb::sig("def v(self) -> Array"), "by v_before, (size, nv)")
      .def_prop_ro(
          "impulse", [](const J& x) { return x.impulse; }, nb::sig("def impulse(self) -> Array"),
          "by the impulses of the motors, (size, nv)")
      .def_prop_ro(
          "target", [](const J& x) { return x.target; }, nb::sig("def target(self) -> Array"),
          "by the velocities that rows are driven to, (size, rows)")
      .def_prop_ro(
          "restitution", [](const J& x) { return x.restitution; }, nb::sig("def restitution(self) -> Array"),
          "by the restitution of each row, (size, rows)");
  using D = ImpulseDerivativesObject;
  nb::class_<D>(m, "ImpulseDerivatives", "Derivatives of an impulse. Zeros where status is not ok; reason says why.")
      .def_prop_ro(
          "status", [](const D& x) { return x.status; }, nb::sig("def status(self) -> Status"))
      .def_prop_ro(
          "reason", [](const D& x) { return x.reason; }, nb::sig("def reason(self) -> str"))
      .def_prop_ro(
          "velocity", [](const D& x) { return x.velocity; }, nb::sig("def velocity(self) -> ImpulseJacobian"))
      .def_prop_ro(
          "multipliers", [](const D& x) { return x.multipliers; }, nb::sig("def multipliers(self) -> ImpulseJacobian"));
  using G = ImpulseGradientObject;
  nb::class_<G>(m, "ImpulseGradient", "The gradient of a scalar of an impulse by its inputs.")
      .def_prop_ro(
          "status", [](const G& x) { return x.status; }, nb::sig("def status(self) -> Status"))
      .def_prop_ro(
          "reason", [](const G& x) { return x.reason; }, nb::sig("def reason(self) -> str"))
      .def_prop_ro(
          "q", [](const G& x) { return x.q; }, nb::sig("def q(self) -> Array"), "along q (+) d, (nv,)")
      .def_prop_ro(
          "v", [](const G& x) { return x.v; }, nb::sig("def v(self) -> Array"), "by v_before, (nv,)")
      .def_prop_ro(
          "impulse", [](const G& x) { return x.impulse; }, nb::sig("def impulse(self) -> Array"), "(nv,)")
      .def_prop_ro(
          "target", [](const G& x) { return x.target; }, nb::sig("def target(self) -> Array"), "(rows,)")
      .def_prop_ro(
          "restitution", [](const G& x) { return x.restitution; }, nb::sig("def restitution(self) -> Array"),
          "(rows,)");
}

}  // namespace

void bind_impulse_classes(nb::module_& m) {
  bind_part(m);
  bind_derivatives_of_impulses(m);
  using S = ImpulseObject;
  const auto array = [](nb::object S::*of) { return [of](const S& s) { return s.*of; }; };
  nb::class_<S>(m, "Impulse",
                "The change of velocity in a shock: what Solver.impulse returns. impulse[name] is the part of a "
                "constraint.\nOf N states every array has a leading dimension N.")
      .def_prop_ro("velocity", array(&S::velocity), nb::sig("def velocity(self) -> Array"), "v+, (nv,)")
      .def_prop_ro("change", array(&S::change), nb::sig("def change(self) -> Array"), "v+ - v-, (nv,)")
      .def_prop_ro(
          "multipliers", array(&S::multipliers), nb::sig("def multipliers(self) -> Array"),
          "impulses lambda of all rows [N s, N m s], in order of insertion; they act +J^T. 0 for inactive rows")
      .def_prop_ro("motor_impulse", array(&S::motor_impulse), nb::sig("def motor_impulse(self) -> Array"),
                   "impulse + J^T lambda of driver rows, (nv,); at prescribed coordinates what gives their change")
      .def_prop_ro("reaction", array(&S::reaction), nb::sig("def reaction(self) -> Array"),
                   "J^T lambda of physical rows, (nv,)")
      .def_prop_ro("velocity_before", array(&S::velocity_before), nb::sig("def velocity_before(self) -> Array"),
                   "J v- of all rows; 0 for inactive ones")
      .def_prop_ro("velocity_after", array(&S::velocity_after), nb::sig("def velocity_after(self) -> Array"),
                   "J v+ of all rows")
      .def_prop_ro("residual", array(&S::residual), nb::sig("def residual(self) -> Array"),
                   "J v+ minus what was asked of it (soft rows: -R lambda)")
      .def_prop_ro(
          "energy_before", [](const S& s) { return number_of(s, s.energy_before); },
          nb::sig("def energy_before(self) -> float"), "kinetic energy [J], rotors included; (N,) of N states")
      .def_prop_ro(
          "energy_after", [](const S& s) { return number_of(s, s.energy_after); },
          nb::sig("def energy_after(self) -> float"), "kinetic energy [J], rotors included; (N,) of N states")
      .def_prop_ro(
          "status", [](const S& s) -> nb::object { return s.states < 0 ? nb::cast(s.report.report.status) : s.status; },
          nb::sig("def status(self) -> Status | NDArray[numpy.uint8]"),
          "how it ended; of N states their Status as uint8, (N,)")
      .def_prop_ro(
          "report", [](const S& s) -> nb::object { return s.states < 0 ? nb::cast(s.report) : nb::none(); },
          nb::sig("def report(self) -> SolveReport"), "of one state; of N states None")
      .def("__getitem__", &item, nb::arg("name"), nb::sig("def __getitem__(self, name: str) -> ConstraintImpulse"))
      .def("__repr__", [](const S& s) {
        if (s.states >= 0) return "Impulse of " + std::to_string(s.states) + " states";
        return std::string("Impulse: ") + name_of(s.report.report.status) + ", rank " +
               std::to_string(s.report.report.rank) + " of " + std::to_string(s.report.report.rows) + " rows";
      });
}

}  // namespace zwang::python
