// SPDX-License-Identifier: BSD-3-Clause
// Impulse, its parts and its derivatives for Python.
#include "impulse.hpp"

#include "fields.hpp"
#include "statuses.hpp"

namespace zwang::python {

void ImpulsePartObject::check(const Pickled& read) const {
  if (index >= object_in<ImpulseObject>(read, impulse).layout->parts.size())
    read.refuse("its impulse has no such part");
}
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
  ClassOf<P> c(m, "ConstraintImpulse", "The part of an Impulse that belongs to one constraint; its arrays are views.");
  bind_constraint_of_part(c);
  c.def_prop_ro("multipliers", rows(&ImpulseObject::multipliers), nb::sig("def multipliers(self) -> Array"),
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

constexpr Index k_most = std::numeric_limits<Index>::max();

/// The arrays, and their shape for one state; -1: no such dimension.
struct Part {
  nb::object ImpulseObject::*array;
  Index shape[2];
};
std::vector<Part> parts_of(const RowLayout& layout, Index nv) {
  using S = ImpulseObject;
  const Index rows = layout.rows, constraints = static_cast<Index>(layout.parts.size());
  return {{&S::velocity, {nv, -1}},         {&S::change, {nv, -1}},        {&S::multipliers, {rows, -1}},
          {&S::motor_impulse, {nv, -1}},    {&S::reaction, {nv, -1}},      {&S::velocity_before, {rows, -1}},
          {&S::velocity_after, {rows, -1}}, {&S::residual, {rows, -1}},    {&S::wrench, {constraints, 6}},
          {&S::energy, {constraints, -1}},  {&S::energy_before, {-1, -1}}, {&S::energy_after, {-1, -1}}};
}

ImpulseObject snapshot(const ImpulseObject& s) {
  ImpulseObject copy = s;
  for (const Part& part : parts_of(*s.layout, 0)) copy.*part.array = (s.*part.array).attr("copy")();
  if (s.status.is_valid()) copy.status = s.status.attr("copy")();
  return copy;
}

nb::tuple state_of(const ImpulseObject& s) {
  const nb::tuple constraints = tuple_of(s.layout->parts, [](const RowLayout::Part& p) {
    return nb::make_tuple(text_of(p.name), text_of(p.frame), text_of(p.in),
                          tuple_of(p.row_names, [](const std::string& x) { return text_of(x); }));
  });
  const nb::tuple arrays = tuple_of(parts_of(*s.layout, 0), [&](const Part& p) { return s.*p.array; });
  return nb::make_tuple(constraints, s.states, arrays, s.states >= 0 ? s.status : nb::object(nb::none()),
                        FieldWriter::tuple_of(s.report));
}

ImpulseObject impulse_from(nb::handle given) {
  static PyObject* slot;
  const nb::handle array = kept(slot, "numpy", "array");
  const Pickled read("Impulse");
  const nb::tuple state = read.parts(given, 5, "the state");
  auto layout = std::make_shared<RowLayout>();
  for (const nb::handle x : read.list(state[0], k_most, "constraints")) {
    const nb::tuple t = read.parts(x, 4, "a constraint");
    layout->parts.push_back({read.text(t[0], "a name"), read.text(t[1], "a frame"), read.text(t[2], "axes"), "", "",
                             RowLayout::Held(), read.texts(t[3], k_most_rows, "names of rows"), layout->rows});
    layout->rows += static_cast<Index>(layout->parts.back().row_names.size());
    if (layout->rows > k_most_rows) read.refuse("more than " + std::to_string(k_most_rows) + " rows");
  }
  ImpulseObject made;
  made.states = read.count(state[1], -1, k_most, "the number of states");
  const nb::tuple arrays = read.parts(state[2], 12, "the numbers");
  const nb::object shape_of_first = nb::getattr(nb::object(arrays[0]), "shape", nb::none());
  if (!PyTuple_Check(shape_of_first.ptr()) || nb::len(shape_of_first) == 0) read.refuse("the velocity is no array");
  const nb::object last = shape_of_first[nb::len(shape_of_first) - 1];
  const std::vector<Part> parts = parts_of(*layout, read.count(last, 0, k_most, "nv"));
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Index* const shape = parts[k].shape;
    const nb::object copy =
        array(arrays[k], nb::arg("dtype") = "float64", nb::arg("order") = "C", nb::arg("copy") = true);
    made.*parts[k].array = Output("Impulse", "state", copy, made.states,
                                  std::span(shape, shape[0] < 0   ? 0
                                                   : shape[1] < 0 ? 1
                                                                  : 2))
                               .array;
  }
  if (made.states < 0 && !nb::object(state[3]).is_none()) read.refuse("one state has no array of status");
  if (made.states >= 0) {
    made.status = array(state[3], nb::arg("dtype") = "uint8", nb::arg("copy") = true);
    const StatusOutput check("Impulse", made.status, made.states);
  }
  made.report = report_from(state[4]);
  made.layout = std::move(layout);
  return made;
}

}  // namespace

void bind_impulse_classes(nb::module_& m) {
  bind_part(m);
  kept_by_fields<ImpulsePartObject>();
  result_class<ImpulseJacobianObject>(m);
  result_class<ImpulseDerivativesObject>(m);
  result_class<ImpulseVariationObject>(m);
  result_class<ImpulseGradientObject>(m);
  using S = ImpulseObject;
  const auto array = [](nb::object S::*of) { return [of](const S& s) { return s.*of; }; };
  ClassOf<S>(m, "Impulse",
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
          "status",
          [](const S& s) -> nb::object {
            return s.states < 0 ? nb::cast(s.report.record.status) : as_statuses(s.status);
          },
          nb::sig("def status(self) -> Status | Statuses"), "how it ended; of N states their Status as uint8, (N,)")
      .def_prop_ro(
          "report", [](const S& s) -> nb::object { return s.states < 0 ? nb::cast(s.report) : nb::none(); },
          nb::sig("def report(self) -> SolveReport"), "of one state; of N states None")
      .def(ZWANG_SIGNATURE("def __getitem__(self, name: str) -> ConstraintImpulse"), &item)
      .def(
          "__copy__", [](const S& s) { return snapshot(s); }, nb::sig("def __copy__(self) -> Impulse"))
      .def(ZWANG_SIGNATURE("def __deepcopy__(self, memo: object, /) -> Impulse"),
           [](const S& s, nb::handle) { return snapshot(s); })
      .def(
          "__getstate__", [](const S& s) { return state_of(s); },
          nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(ZWANG_SIGNATURE("def __setstate__(self, state: tuple[object, ...], /) -> None"),
           [](S& s, nb::handle state) { new (&s) S(impulse_from(state)); })
      .def("__repr__", [](const S& s) {
        if (s.states >= 0) return "Impulse of " + std::to_string(s.states) + " states";
        return std::string("Impulse: ") + name_of(s.report.record.status) + ", rank " +
               std::to_string(s.report.record.rank) + " of " + std::to_string(s.report.record.rows) + " rows";
      });
}

}  // namespace zwang::python
