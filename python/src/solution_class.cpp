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

struct GroupObject {
  nb::object solution;
  std::size_t index = 0;
  nb::object wrench;
  void check(const Pickled& read) const {
    if (index >= object_in<SolutionObject>(read, solution).layout->groups.size())
      read.refuse("its solution has no such group");
  }
  SolutionObject& complete() const {
    SolutionObject& s = *nb::inst_ptr<SolutionObject>(solution);
    s.complete();
    return s;
  }
  const RowLayout::Group& layout() const { return nb::inst_ptr<SolutionObject>(solution)->layout->groups[index]; }
};
template <class V> void fields(V& v, Type<GroupObject>) {
  using T = GroupObject;
  v("solution", &T::solution, ""), v("index", &T::index, ""), v("wrench", &T::wrench, "");
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
      .get("wrench", "Array",
           "on the robot [force; moment], world axes, about the point asked for, (6,); what acts between its bodies "
           "adds "
           "up\nto zero",
           [](const G& g) { return g.wrench; })
      .get("power", "float", "of their multipliers [W]; (N,) of N states",
           [](const G& g) {
             return number_or_array(g.complete().states, part(g.complete().group_power, nb::int_(g.index)));
           })
      .def("__repr__", [](const G& g) { return "<GroupSolution '" + g.layout().name + "'>"; });
  kept_by_fields<GroupObject>();
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

}  // namespace

void bind_solution(nb::module_& m) {
  using S = SolutionObject;
  bind_report(m);
  bind_parts<S>(m, "ConstraintSolution",
                "The part of a Solution that belongs to one constraint; its arrays are views.");
  bind_group(m);
  ClassOf<S> c(
      m, "Solution",
      "A snapshot of a solve: its arrays change only where it is given as out= again. solution[name] is the part of a\n"
      "constraint. Of N states every array has a leading dimension N, and report is a list; what is more than\n"
      "acceleration, multipliers, motor_torque, reaction and status is computed when first asked for, state by state.");
  const auto reports = [&] {
    c.get("report", "SolveReport", "of N states: a list",
          [](S& s) -> nb::object {
            s.complete();
            return s.states < 0 ? nb::cast(s.reports.front()) : as_reports(reports_of(s));
          })
        .get("status", "Status | Statuses", "how the solve ended; of N states their Status as uint8, (N,)",
             [](S& s) { return s.status_shown(); })
        .get("reports", "list[SolveReport]", "one per state", &reports_of)
        .get("joint_wrenches", "dict[str, Array]",
             "the wrench [force; moment] that each joint transmits to its child link, by joint name, in the link's "
             "axes\nabout its origin; constraint and external wrenches are counted",
             [](S& s) { return joint_wrenches(s); });
  };
  array_attributes(c, [&](std::string_view name) {
    if (name == "zwang")
      c.get("free_acceleration", "Array",
            "q'' without rows, (nv,), computed when read, of one state: as Solver.free_acceleration. Raises "
            "RuntimeError\nwhere the solver has solved again since.",
            &free_acceleration);
    if (name == "position_error") reports();
  });
  c.def(ZWANG_SIGNATURE("def group(self, name: str, about: ArrayLike | None = None) -> GroupSolution"), &group_of,
        "What a group did; about: the point of the world that moments are about, (3,) or (N, 3), default the "
        "origin.\nRaises ValueError with the nearest name.")
      .def(ZWANG_SIGNATURE("def __getitem__(self, name: str) -> ConstraintSolution"), &part_named<S>)
      .def(
          "__copy__", [](S& s) { return snapshot_of(s); }, nb::sig("def __copy__(self) -> Solution"),
          "The same numbers in arrays of its own. A copy has no solver: it is not taken as out=.")
      .def(
          ZWANG_SIGNATURE("def __deepcopy__(self, memo: object, /) -> Solution"),
          [](S& s, nb::handle) { return snapshot_of(s); }, "As a copy.");
  kept_as_result(c, "Solution");
  c.def("__repr__", &solution_table);
}

}  // namespace zwang::python
