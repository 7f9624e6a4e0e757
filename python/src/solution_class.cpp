// SPDX-License-Identifier: BSD-3-Clause
// Solution, its parts and SolveReport for Python.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <deque>
#include <limits>

#include "bind.hpp"
#include "fields.hpp"
#include "solution.hpp"
#include "statuses.hpp"

namespace zwang::python {

void bind_solution(nb::module_& m);

namespace {

nb::str text_of(std::string_view s) { return nb::str(s.data(), s.size()); }
nb::list texts(const std::vector<std::string_view>& names) {
  nb::list list;
  for (const std::string_view name : names) list.append(text_of(name));
  return list;
}

nb::object given_up(const ReportObject& r) {
  static PyObject* slot;
  const nb::handle type = kept(slot, "zwang._zwang", "GivenUp");
  nb::list list;
  for (const GivenUp& g : r.report.given_up) list.append(type(text_of(g.row), g.amount, name_of(g.reason)));
  return list;
}
nb::object dependencies(const ReportObject& r) {
  static PyObject *slot, *term_slot;
  const nb::handle type = kept(slot, "zwang._zwang", "Dependency"),
                   term = kept(term_slot, "zwang._zwang", "DependencyTerm");
  nb::list list;
  for (const Dependency& d : r.report.dependencies) {
    nb::list terms;
    for (const DependencyTerm& t : r.report.terms_of(d)) terms.append(term(text_of(t.row), t.coefficient));
    list.append(type(terms, d.contradiction, d.conflicting));
  }
  return list;
}
nb::object warnings(const ReportObject& r) {
  static PyObject* slot;
  const nb::handle type = kept(slot, "zwang._zwang", "SolveWarning");
  nb::list list;
  for (const SolveWarning& w : r.report.warnings)
    list.append(type(name_of(w.kind), text_of(w.row), w.value, text_of(w.coordinate), w.text()));
  return list;
}
nb::object place(const ReportObject& r) {
  static PyObject* slot;
  const PlaceOfRows& p = r.report.place;
  return kept(slot, "zwang._zwang", "PlaceOfRows")(name_of(p.reason), p.root, p.where_met, p.early, p.loops);
}

}  // namespace

nb::tuple state_of(const ReportObject& object) {
  const SolveReport& r = object.report;
  const auto name = [](std::string_view x) { return text_of(x); };
  nb::list state;
  state.append(name_of(r.status)), state.append(r.rows), state.append(r.rank), state.append(r.iterations);
  state.append(r.tolerance), state.append(r.residual), state.append(r.method), state.append(r.singularity);
  state.append(nb::make_tuple(name_of(r.place.reason), r.place.root, r.place.where_met, r.place.early, r.place.loops));
  state.append(tuple_of(r.redundant, name)), state.append(tuple_of(r.infeasible, name));
  state.append(tuple_of(r.given_up,
                        [](const GivenUp& g) { return nb::make_tuple(text_of(g.row), g.amount, name_of(g.reason)); }));
  state.append(tuple_of(r.dependencies, [](const Dependency& d) {
    return nb::make_tuple(d.first, d.size, d.contradiction, d.conflicting);
  }));
  state.append(
      tuple_of(r.terms, [](const DependencyTerm& t) { return nb::make_tuple(text_of(t.row), t.coefficient); }));
  state.append(tuple_of(r.warnings, [](const SolveWarning& w) {
    return nb::make_tuple(name_of(w.kind), text_of(w.row), w.value, text_of(w.coordinate));
  }));
  state.append(text_of(r.singular_joint)), state.append(text_of(r.invalid));
  for (const std::vector<std::string_view>* names : {&r.held, &r.released, &r.at_limit, &r.motors_at_limit})
    state.append(tuple_of(*names, name));
  state.append(r.complementarity);
  return nb::tuple(state);
}

ReportObject report_from(nb::handle given) {
  static const std::vector<std::string> k_methods = methods();
  const Pickled read("SolveReport");
  const nb::tuple s = read.parts(given, 22, "the state");
  constexpr Index most = std::numeric_limits<Index>::max();
  std::deque<std::string> names;
  const auto name = [&](nb::handle x) { return std::string_view(names.emplace_back(read.text(x, "a name"))); };
  SolveReport r;
  r.status = read.word(s[0], Status::stopped, "the status");
  r.rows = read.count(s[1], 0, most, "rows"), r.rank = read.count(s[2], 0, most, "rank");
  r.iterations = read.count(s[3], 0, most, "iterations");
  r.tolerance = read.number(s[4], "tolerance"), r.residual = read.number(s[5], "residual");
  const auto method = std::find(k_methods.begin(), k_methods.end(), read.text(s[6], "method"));
  if (method == k_methods.end()) read.refuse("there is no such method");
  r.method = method->c_str();
  r.singularity = name_of(read.word(s[7], Singularity::weighted, "singularity"));
  const nb::tuple place = read.parts(s[8], 5, "the place of the rows");
  r.place = {read.word(place[0], PlaceOfRows::Reason::settings, "the reason of the place"),
             read.number(place[1], "root"), read.number(place[2], "where_met"), read.number(place[3], "early"),
             read.number(place[4], "loops")};
  for (const nb::handle x : read.list(s[9], most, "redundant rows")) r.redundant.push_back(name(x));
  for (const nb::handle x : read.list(s[10], most, "infeasible rows")) r.infeasible.push_back(name(x));
  for (const nb::handle x : read.list(s[11], most, "rows given up")) {
    const nb::tuple t = read.parts(x, 3, "a row given up");
    r.given_up.push_back({name(t[0]), read.number(t[1], "amount"), read.word(t[2], GivenUp::Reason::limit, "reason")});
  }
  for (const nb::handle x : read.list(s[13], most, "terms")) {
    const nb::tuple t = read.parts(x, 2, "a term");
    r.terms.push_back({name(t[0]), read.number(t[1], "coefficient")});
  }
  const auto terms = static_cast<Index>(r.terms.size());
  for (const nb::handle x : read.list(s[12], most, "dependencies")) {
    const nb::tuple t = read.parts(x, 4, "a dependency");
    const Index first = read.count(t[0], 0, terms, "the first term");
    r.dependencies.push_back({first, read.count(t[1], 0, terms - first, "the number of terms"),
                              read.number(t[2], "contradiction"), read.flag(t[3], "conflicting")});
  }
  for (const nb::handle x : read.list(s[14], most, "warnings")) {
    const nb::tuple t = read.parts(x, 4, "a warning");
    r.warnings.push_back({read.word(t[0], SolveWarning::Kind::contact_enters, "kind"), name(t[1]),
                          read.number(t[2], "value"), name(t[3])});
  }
  r.singular_joint = name(s[15]), r.invalid = name(s[16]);
  for (const nb::handle x : read.list(s[17], most, "rows held")) r.held.push_back(name(x));
  for (const nb::handle x : read.list(s[18], most, "rows released")) r.released.push_back(name(x));
  for (const nb::handle x : read.list(s[19], most, "rows at their limit")) r.at_limit.push_back(name(x));
  for (const nb::handle x : read.list(s[20], most, "motors at their limit")) r.motors_at_limit.push_back(name(x));
  r.complementarity = read.number(s[21], "complementarity");
  ReportObject made;
  made.assign(r);
  return made;
}

namespace {

void bind_report(nb::module_& m) {
  const nb::object namedtuple = nb::module_::import_("collections").attr("namedtuple");
  const auto define = [&](const char* name, const char* fields) {
    m.attr(name) = namedtuple(name, fields, nb::arg("module") = "zwang._zwang");
  };
  define("GivenUp", "row amount reason");
  define("DependencyTerm", "row coefficient");
  define("Dependency", "terms contradiction conflicting");
  define("PlaceOfRows", "reason root where_met early loops");
  define("SolveWarning", "kind row value coordinate text");
  using R = ReportObject;
  ClassOf<R>(m, "SolveReport",
             "What a solve achieved and what it gave up, in the user's names. explain() says it in sentences.")
      .def_prop_ro(
          "status", [](const R& r) { return r.report.status; }, nb::sig("def status(self) -> Status"),
          "ok, infeasible, singular_mass, not_converged or overflow")
      .def_prop_ro(
          "rows", [](const R& r) { return r.report.rows; }, "active rows")
      .def_prop_ro(
          "rank", [](const R& r) { return r.report.rank; }, "of them, on equilibrated rows; soft rows count in full")
      .def_prop_ro("iterations", [](const R& r) { return r.report.iterations; })
      .def_prop_ro(
          "tolerance", [](const R& r) { return r.report.tolerance; }, "relative rank tolerance used")
      .def_prop_ro(
          "residual", [](const R& r) { return r.report.residual; },
          "largest |K a + R lambda - beta| of a row that is not given up by priority, over the row's scale")
      .def_prop_ro(
          "method", [](const R& r) { return r.report.method; }, nb::sig("def method(self) -> str"))
      .def_prop_ro(
          "singularity", [](const R& r) { return r.report.singularity; }, nb::sig("def singularity(self) -> str"))
      .def_prop_ro("place", &place, nb::sig("def place(self) -> PlaceOfRows"),
                   "where the rows were eliminated, and why there")
      .def_prop_ro(
          "redundant", [](const R& r) { return texts(r.report.redundant); },
          nb::sig("def redundant(self) -> list[str]"), "rows that depend on rows given before them")
      .def_prop_ro(
          "held", [](const R& r) { return texts(r.report.held); }, nb::sig("def held(self) -> list[str]"),
          "rows with a sense or a limit that hold as equalities")
      .def_prop_ro(
          "released", [](const R& r) { return texts(r.report.released); }, nb::sig("def released(self) -> list[str]"),
          "rows with a sense that hold without a force: their multipliers are 0")
      .def_prop_ro(
          "at_limit", [](const R& r) { return texts(r.report.at_limit); }, nb::sig("def at_limit(self) -> list[str]"),
          "rows whose multipliers are at their limit, and which give way")
      .def_prop_ro(
          "motors_at_limit", [](const R& r) { return texts(r.report.motors_at_limit); },
          nb::sig("def motors_at_limit(self) -> list[str]"), "coordinates whose motor torque is at its limit")
      .def_prop_ro(
          "complementarity", [](const R& r) { return r.report.complementarity; },
          "largest violation of the conditions of rows with a sense or a limit, relative to the terms")
      .def_prop_ro(
          "infeasible", [](const R& r) { return texts(r.report.infeasible); },
          nb::sig("def infeasible(self) -> list[str]"),
          "rows of level 0 that no motion can satisfy together with the others")
      .def_prop_ro("given_up", &given_up, nb::sig("def given_up(self) -> list[GivenUp]"), "every row that is not held")
      .def_prop_ro("dependencies", &dependencies, nb::sig("def dependencies(self) -> list[Dependency]"),
                   "a minimal dependent set of rows for every redundant row")
      .def_prop_ro("warnings", &warnings, nb::sig("def warnings(self) -> list[SolveWarning]"))
      .def_prop_ro(
          "singular_joint", [](const R& r) { return text_of(r.report.singular_joint); },
          nb::sig("def singular_joint(self) -> str"), "without inertia, where status is singular_mass")
      .def(
          "explain", [](const R& r) { return r.report.explain(); }, "A few sentences in the user's names.")
      .def("__copy__", [](const R& r) { return R(r); })
      .def(ZWANG_SIGNATURE("def __deepcopy__(self, memo: object, /) -> SolveReport"),
           [](const R& r, nb::handle) { return R(r); })
      .def(
          "__getstate__", [](const R& r) { return state_of(r); },
          nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(ZWANG_SIGNATURE("def __setstate__(self, state: tuple[object, ...], /) -> None"),
           [](R& r, nb::handle state) { new (&r) R(report_from(state)); })
      .def("__repr__", &report_table);
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
            return s.states < 0 ? nb::cast(s.reports.front().report.status) : as_statuses(s.status);
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
