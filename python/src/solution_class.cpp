// SPDX-License-Identifier: BSD-3-Clause
// Solution, its parts and SolveReport for Python.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>

#include "bind.hpp"
#include "record.hpp"
#include "solution.hpp"
#include "statuses.hpp"

namespace zwang::python {

void bind_solution(nb::module_& m);

/// With the terms of each.
nb::object python_value(Shown, const SolveReport& report, const std::vector<Dependency>& all) {
  static PyObject* slot;
  nb::list list;
  for (const Dependency& d : all) {
    nb::list terms;
    for (const DependencyTerm& t : report.terms_of(d)) terms.append(named_tuple(t));
    list.append(kept(slot, "zwang._zwang", "Dependency")(terms, d.contradiction, d.conflicting));
  }
  return list;
}

void check_record(const SolveReport& r, const Pickled& read) {
  const auto terms = static_cast<Index>(r.terms.size());
  for (const Dependency& d : r.dependencies)
    if (d.first < 0 || d.size < 0 || d.size > terms || d.first > terms - d.size)
      read.refuse("a dependency has terms that are not there");
  if (r.rows < 0 || r.rank < 0 || r.iterations < 0) read.refuse("a number of rows is negative");
}

ReportObject report_from(nb::handle state) {
  const Pickled read("SolveReport");
  ReportObject made;
  FieldReader(state, read).into(made);
  made.check(read);
  return made;
}

namespace {

void bind_report(nb::module_& m) {
  named_tuples<GivenUp, DependencyTerm, PlaceOfRows, SolveWarning>(m);
  nb::dict dependency;
  dependency["terms"] = "list[DependencyTerm]", dependency["contradiction"] = "float",
  dependency["conflicting"] = "bool";
  define_named_tuple(m, head_of<Dependency>(), dependency);
  record_class<SolveReport>(m).def("__repr__", &report_table);
}

/// The part of an array for some of its last indices; a view, not a copy.
nb::object part(const nb::object& array, nb::handle which) {
  return nb::object(array[nb::make_tuple(nb::ellipsis(), which)]);
}

/// A number for one state, an array for N.
nb::object number_of(const SolutionObject& s, const nb::object& array, std::size_t k) {
  const nb::object x = part(array, nb::int_(k));
  return s.states < 0 ? nb::object(nb::float_(x)) : x;
}

/// Refuses a part, read from a pickle, that its solution does not have.
void check_part(const Pickled& read, nb::handle solution, std::size_t index, bool group) {
  const RowLayout& layout = *object_in<SolutionObject>(read, solution).layout;
  if (index >= (group ? layout.groups.size() : layout.parts.size())) read.refuse("its solution has no such part");
}

struct GroupObject {
  nb::object solution;
  std::size_t index = 0;
  nb::object wrench;
  template <class A> void fields(A& a) { a(solution), a(index), a(wrench); }
  void check(const Pickled& read) const { check_part(read, solution, index, true); }
  SolutionObject& complete() const {
    SolutionObject& s = *nb::inst_ptr<SolutionObject>(solution);
    s.complete();
    return s;
  }
  const RowLayout::Group& layout() const { return nb::inst_ptr<SolutionObject>(solution)->layout->groups[index]; }
};

struct PartObject {
  nb::object solution;  ///< keeps the arrays alive
  std::size_t index = 0;
  template <class A> void fields(A& a) { a(solution), a(index); }
  void check(const Pickled& read) const { check_part(read, solution, index, false); }
  SolutionObject& whole() const { return *nb::inst_ptr<SolutionObject>(solution); }
  SolutionObject& complete() const {
    whole().complete();
    return whole();
  }
  const RowLayout::Part& layout() const { return whole().layout->parts[index]; }
  nb::object rows_of(const nb::object& array) const {
    const Index first = layout().first;
    return part(array, nb::slice(first, first + static_cast<Index>(layout().row_names.size())));
  }
};

void bind_part(nb::module_& m) {
  using P = PartObject;
  ClassOf<P> c(m, "ConstraintSolution", "The part of a Solution that belongs to one constraint; its arrays are views.");
  bind_constraint_of_part(c);
  c.def_prop_ro(
       "multipliers", [](const P& p) { return p.rows_of(p.whole().multipliers); },
       nb::sig("def multipliers(self) -> Array"), "lambda, rows as given; 0 where not active")
      .def_prop_ro(
          "residual", [](const P& p) { return p.rows_of(p.complete().residual); },
          nb::sig("def residual(self) -> Array"), "K a - beta, raw (soft rows: -R lambda)")
      .def_prop_ro(
          "wrench",
          [](const P& p) {
            return nb::object(p.complete().wrench[nb::make_tuple(nb::ellipsis(), p.index,
                                                                 nb::slice(nb::none(), nb::none(), nb::none()))]);
          },
          nb::sig("def wrench(self) -> Array"),
          "K^T lambda [force; moment] on the body, axes of in_, about the point; (6,)")
      .def_prop_ro(
          "position_error", [](const P& p) { return p.rows_of(p.complete().position_error); },
          nb::sig("def position_error(self) -> Array"), "phi - target, as in Solution")
      .def_prop_ro(
          "velocity_error", [](const P& p) { return p.rows_of(p.complete().velocity_error); },
          nb::sig("def velocity_error(self) -> Array"), "phi' - target_velocity, as in Solution")
      .def_prop_ro(
          "power", [](const P& p) { return number_of(p.complete(), p.complete().power, p.index); },
          nb::sig("def power(self) -> float"), "of its multipliers, sum of lambda phi' [W]; (N,) of N states")
      .def("__repr__", [](const P& p) { return "<ConstraintSolution '" + p.layout().name + "'>"; });
}

/// The wrench of group k about a point: n - r x f.
nb::object moved(const nb::object& of_groups, std::size_t k, nb::handle about) {
  const nb::slice all{nb::none(), nb::none(), nb::none()};
  nb::object wrench = of_groups[nb::make_tuple(nb::ellipsis(), k, all)].attr("copy")();
  if (about.is_none()) return wrench;
  const Input r("Solution.group", "about", about, 3);
  for (Index s = 0; s < (r.states() < 0 ? 1 : r.states()); ++s)
    for (Index c = 0; c < 3; ++c)
      if (!is_finite(r.at(s)[c])) detail::throw_not_finite("Solution.group", "about", 3 * s + c, r.at(s)[c]);
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object point = numpy.attr("asarray")(about, nb::arg("dtype") = "float64");
  const nb::object f = part(wrench, nb::slice(0, 3)), n = part(wrench, nb::slice(3, 6));
  if (r.states() >= 0 &&
      (nb::cast<int>(wrench.attr("ndim")) < 2 || nb::cast<Index>(wrench.attr("shape")[0]) != r.states()))
    throw std::invalid_argument(
        "E_SIZE Solution.group: argument 'about' has another number of states than the solution");
  numpy.attr("subtract")(n, numpy.attr("cross")(point, f), nb::arg("out") = n);
  return wrench;
}

nb::object group_of(nb::handle self, const std::string& name, nb::handle about) {
  SolutionObject& s = *nb::cast<SolutionObject*>(self, false);
  std::vector<std::string> known;
  for (std::size_t k = 0; k < s.layout->groups.size(); ++k) {
    if (s.layout->groups[k].name == name) {
      s.complete();
      return nb::cast(GroupObject{nb::borrow(self), k, moved(s.group_wrench, k, about)});
    }
    known.push_back(s.layout->groups[k].name);
  }
  detail::throw_unknown("group of constraints", name, known);
}

void bind_group(nb::module_& m) {
  using G = GroupObject;
  ClassOf<G>(m, "GroupSolution", "What the constraints of a group do together.")
      .def_prop_ro("name", [](const G& g) { return g.layout().name; })
      .def_prop_ro(
          "members", [](const G& g) { return g.layout().members; }, "names of its constraints")
      .def_prop_ro(
          "wrench", [](const G& g) { return g.wrench; }, nb::sig("def wrench(self) -> Array"),
          "on the robot [force; moment], world axes, about the point asked for, (6,); what acts between its bodies "
          "adds "
          "up\nto zero")
      .def_prop_ro(
          "power", [](const G& g) { return number_of(g.complete(), g.complete().group_power, g.index); },
          nb::sig("def power(self) -> float"), "of their multipliers [W]; (N,) of N states")
      .def("__repr__", [](const G& g) { return "<GroupSolution '" + g.layout().name + "'>"; });
  kept_by_fields<PartObject, GroupObject>();
}

nb::list reports_of(SolutionObject& s) {
  s.complete();
  nb::list list;
  for (const ReportObject& r : s.reports) list.append(nb::cast(r));
  return list;
}

nb::object joint_wrenches(SolutionObject& s) {
  s.complete();
  nb::dict result;
  Index row = 0;
  for (const std::string& joint : s.layout->joints)
    result[joint.c_str()] =
        nb::object(s.wrenches[nb::make_tuple(nb::ellipsis(), row++, nb::slice(nb::none(), nb::none(), nb::none()))]);
  return result;
}

/// The solver still knows the state of its last solve.
nb::object free_acceleration(const SolutionObject& s) {
  const auto refuse = [](const char* why) {
    throw std::logic_error(std::string("Solution.free_acceleration: ") + why +
                           "; forward_dynamics gives it for any state");
  };
  if (!s.core) refuse("a copy of a solution has no solver");
  if (s.states >= 0) refuse("the solution is of N states");
  const Output out("Solution.free_acceleration", "out", nb::none(), -1, {s.model().nv()});
  Eigen::VectorXd x(s.model().nv());
  bool last = false;
  {
    const nb::gil_scoped_release release;
    const std::lock_guard<SetMutex> lock(s.core->shared->mutex);
    last = s.solve > 0 && s.solve == s.core->solves;
    if (last) s.core->solver.free_acceleration(x);
  }
  if (!last) refuse("its solver has solved again since");
  out.put(0, x.data());
  return out.array;
}

/// A part of a batch's solution that is computed when it is read.
auto late(nb::object SolutionObject::*array) {
  return [array](SolutionObject& s) {
    s.complete();
    return s.*array;
  };
}

nb::object item(nb::handle self, const std::string& name) {
  const SolutionObject& s = *nb::cast<SolutionObject*>(self, false);
  std::vector<std::string> known;
  for (std::size_t k = 0; k < s.layout->parts.size(); ++k) {
    if (s.layout->parts[k].name == name) return nb::cast(PartObject{nb::borrow(self), k});
    known.push_back(s.layout->parts[k].name);
  }
  detail::throw_unknown("constraint", name, known);
}

}  // namespace

void bind_solution(nb::module_& m) {
  bind_report(m);
  bind_part(m);
  bind_group(m);
  using S = SolutionObject;
  ClassOf<S>(
      m, "Solution",
      "A snapshot of a solve: its arrays change only where it is given as out= again. solution[name] is the part of a\n"
      "constraint. Of N states every array has a leading dimension N, and report is a list; what is more than\n"
      "acceleration, multipliers, motor_torque, reaction and status is computed when first asked for, state by state.")
      .def_prop_ro(
          "acceleration", [](const S& s) { return s.acceleration; }, nb::sig("def acceleration(self) -> Array"),
          "q'' [rad/s^2, m/s^2], (nv,)")
      .def_prop_ro(
          "multipliers", [](const S& s) { return s.multipliers; }, nb::sig("def multipliers(self) -> Array"),
          "lambda of all rows in order of insertion; 0 for inactive ones")
      .def_prop_ro(
          "motor_torque", [](const S& s) { return s.motor_torque; }, nb::sig("def motor_torque(self) -> Array"),
          "tau + J^T lambda of driver rows [N m, N], (nv,); at prescribed coordinates what moves them so")
      .def_prop_ro(
          "reaction", [](const S& s) { return s.reaction; }, nb::sig("def reaction(self) -> Array"),
          "J^T lambda of physical rows [N m, N], (nv,)")
      .def_prop_ro("articulated_constraint_torque", late(&S::articulated),
                   nb::sig("def articulated_constraint_torque(self) -> Array"),
                   "w^T lambda, (nv,): KDL's quantity, not a torque to command")
      .def_prop_ro("residual", late(&S::residual), nb::sig("def residual(self) -> Array"), "K a - beta of all rows")
      .def_prop_ro("free_acceleration", &free_acceleration, nb::sig("def free_acceleration(self) -> Array"),
                   "q'' without rows, (nv,), computed when read, of one state: as Solver.free_acceleration. Raises "
                   "RuntimeError\n"
                   "where the solver has solved again since.")
      .def_prop_ro(
          "zwang",
          [](S& s) {
            s.complete();
            return s.states < 0 ? nb::object(nb::float_(s.zwang)) : s.zwang;
          },
          nb::sig("def zwang(self) -> float"), "Z = 1/2 |q'' - q''_free|^2_M [J/s^2]; (N,) of N states")
      .def_prop_ro(
          "report",
          [](S& s) -> nb::object {
            s.complete();
            return s.states < 0 ? nb::cast(s.reports.front()) : as_reports(reports_of(s));
          },
          nb::sig("def report(self) -> SolveReport"), "of N states: a list")
      .def_prop_ro(
          "status",
          [](S& s) -> nb::object {
            return s.states < 0 ? nb::cast(s.reports.front().record.status) : as_statuses(s.status);
          },
          nb::sig("def status(self) -> Status | Statuses"),
          "how the solve ended; of N states their Status as uint8, (N,)")
      .def_prop_ro("reports", &reports_of, nb::sig("def reports(self) -> list[SolveReport]"), "one per state")
      .def_prop_ro(
          "joint_wrenches", [](S& s) { return joint_wrenches(s); },
          nb::sig("def joint_wrenches(self) -> dict[str, Array]"),
          "the wrench [force; moment] that each joint transmits to its child link, by joint name, in the link's axes\n"
          "about its origin; constraint and external wrenches are counted")
      .def_prop_ro("position_error", late(&S::position_error), nb::sig("def position_error(self) -> Array"),
                   "phi - target of all rows; NaN where a row has no position error")
      .def_prop_ro("velocity_error", late(&S::velocity_error), nb::sig("def velocity_error(self) -> Array"),
                   "phi' - target_velocity of all rows")
      .def(ZWANG_SIGNATURE("def group(self, name: str, about: ArrayLike | None = None) -> GroupSolution"), &group_of,
           "What a group did; about: the point of the world that moments are about, (3,) or (N, 3), default the "
           "origin.\n"
           "Raises ValueError with the nearest name.")
      .def(ZWANG_SIGNATURE("def __getitem__(self, name: str) -> ConstraintSolution"), &item)
      .def(
          "__copy__", [](S& s) { return s.snapshot(); }, nb::sig("def __copy__(self) -> Solution"),
          "The same numbers in arrays of its own. A copy has no solver: it is not taken as out=.")
      .def(
          ZWANG_SIGNATURE("def __deepcopy__(self, memo: object, /) -> Solution"),
          [](S& s, nb::handle) { return s.snapshot(); }, "As a copy.")
      .def(
          "__getstate__", [](S& s) { return state_of(s); }, nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(ZWANG_SIGNATURE("def __setstate__(self, state: tuple[object, ...], /) -> None"),
           [](S& s, nb::handle state) { new (&s) S(solution_from(state)); })
      .def("__repr__", &solution_table);
}

}  // namespace zwang::python
