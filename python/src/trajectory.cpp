// SPDX-License-Identifier: BSD-3-Clause
#include "trajectory.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>

#include "arrays.hpp"
#include "record.hpp"
#include "scene.hpp"
#include "statuses.hpp"
#include "zwang/io/input_files.hpp"

namespace zwang::python {
namespace {

struct TrajectoryObject {
  nb::object time, q, v, acceleration, multipliers, motor_torque, energy, error, velocity_error;
  nb::object events, status, reason, states, start_distance, energy_drift;
  std::vector<std::string> names, q_names, row_names, notes;
  std::vector<std::string> inputs;                            ///< files that the robot was read from
  std::vector<std::shared_ptr<const ContactTable>> contacts;  ///< of each motion
  std::vector<ContactTotals> contact_totals;
  Index motions = -1;
  void check(const Pickled& read) const {
    const std::size_t count = motions < 0 ? 1 : static_cast<std::size_t>(motions);
    if (contacts.size() != count || contact_totals.size() != count) read.refuse("its contacts are of other motions");
    for (const auto& table : contacts)
      if (table != nullptr)
        table->check(read);
      else
        read.refuse("a motion has no states");
  }
};
/// f(one) of one motion, a list of them for N.
template <class X, class F> nb::object of_motions(const TrajectoryObject& t, const std::vector<X>& all, F f) {
  if (t.motions < 0) return f(all.front());
  nb::list list;
  for (const X& one : all) list.append(f(one));
  return list;
}
template <class V> void fields(V& v, Type<TrajectoryObject>) {
  using T = TrajectoryObject;
  const Field number{.type = "float | Array"}, kept{.attribute = false};
  v.record("Trajectory",
           "A motion: a row for each state. Of N motions arrays have a leading dimension N, and NaN after the end of "
           "a motion.");
  v("time", &T::time, "(states,) [s]; at an event twice, before and after it");
  v("q", &T::q, "(states, nq)");
  v("v", &T::v, "(states, nv)");
  v("acceleration", &T::acceleration, "(states, nv)");
  v("multipliers", &T::multipliers, "(states, rows) of the solve at each state");
  v("motor_torque", &T::motor_torque,
    "(states, nv) [N m, N] as of a Solution; of a planned motion inverse_dynamics, NaN with loops");
  v("energy", &T::energy, "(states,) kinetic and potential [J]");
  v("error", &T::error, "(states,) largest |phi - target| of the rows [m, rad]");
  v("velocity_error", &T::velocity_error, "(states,) largest |J v - target_velocity| of the rows [m/s, rad/s]");
  v("events", &T::events, "what has happened, in time; of N motions a list for each", {.type = "list[MotionEvent]"});
  status_field(v, &T::status, "how it ended; all but ok: at the last good state, for the reason given");
  v("reason", &T::reason, "why it ended before its time; empty if it did not", {.type = "str | list[str]"});
  v("start_distance", &T::start_distance,
    "from the given configuration to the first state, which is on the rows; in the metric of the mass matrix", number);
  v("energy_drift", &T::energy_drift,
    "largest |energy - energy of the first state| [J]; NaN where something does work or may: torques, wrenches,\n"
    "tau(t, q, v), prescribed coordinates, dampers, friction, impulses, rows that move, give way or have a sense",
    number);
  v("states", &T::states, "how many there are", {.type = "int | NDArray[numpy.int64]"});
  v("notes", &T::notes,
    "what the motion leaves out of the robot's file, and what its start warns of; of N motions of each the first, and "
    "how many say it");
  v("names", &T::names, "of the entries of v");
  v("q_names", &T::q_names, "of the entries of q");
  v("row_names", &T::row_names, "of the multipliers");
  v.computed("contacts", [](const T& x) { return of_motions(x, x.contacts, &contacts_of); },
             "of integrator contact: what touches at each state, a list of ContactState; of N motions such a sequence "
             "for each",
             {.type = "ContactStates"});
  v.computed("contact_report", [](const T& x) { return of_motions(x, x.contact_totals, &named_tuple<ContactTotals>); },
             "of integrator contact: how well its steps obey the laws of contact; of N motions a list",
             {.type = "ContactTotals"});
  v("contact_tables", &T::contacts, "what touches", kept);
  v("contact_totals", &T::contact_totals, "the reports", kept);
  v("inputs", &T::inputs, "files that the robot was read from", kept);
  v("motions", &T::motions, "-1: one", kept);
}

/// Numbers of all motions: (N, states, size), or (N, states) where size is 0; NaN where there are none.
/// Of one motion without the first dimension.
nb::object rows_of_motions(const std::vector<const std::vector<double>*>& all, Index states, Index size, bool one) {
  const auto n = static_cast<Index>(all.size());
  const bool vectors = size >= 0;
  nb::object out = vectors ? (one ? new_array({states, size}) : new_array({n, states, size}))
                           : (one ? new_array({states}) : new_array({n, states}));
  Exported memory;
  memory.open(out, PyBUF_WRITABLE | PyBUF_STRIDES);
  double* to = static_cast<double*>(memory->buf);
  const auto room = static_cast<std::size_t>(states) * static_cast<std::size_t>(vectors ? size : 1);
  for (const std::vector<double>* x : all) {
    std::copy(x->begin(), x->end(), to);
    std::fill(to + x->size(), to + room, std::numeric_limits<double>::quiet_NaN());
    to += room;
  }
  return out;
}

nb::list events_of(const Trajectory& t) {
  static PyObject* slot;
  const nb::handle make = kept(slot, "zwang._zwang", "MotionEvent");
  const auto text_or_none = [](const std::string& name) {
    return name.empty() ? nb::none() : nb::object(text_of(name));
  };
  nb::list out;
  for (const EventRecord& e : t.events)
    out.append(make(e.time, text_of(e.name), new_array(e.impulse), e.energy_before, e.energy_after, e.state,
                    text_or_none(e.a), text_or_none(e.b), e.has_place ? nb::object(new_array(e.point)) : nb::none()));
  return out;
}

/// No file that the robot was read from is written over.
void refuse_inputs(const TrajectoryObject& t, nb::handle path) {
  if (path.is_none()) return;
  InputFiles(t.inputs).refuse(nb::cast<std::string>(nb::module_::import_("os").attr("fsdecode")(path)));
}

/// What repr() says of a start that was not on the rows.
std::string moved(double distance) {
  if (!(distance > 1e-9)) return "";
  char text[80];
  std::snprintf(text, sizeof text, ", the start was moved by %.3g to where the rows hold", distance);
  return text;
}

/// Of one motion all sentences. Of N: the first one on each fact, and how many motions say it; on what a scene leaves
/// out (about "contact") each sentence is a fact.
std::vector<std::string> notes_of(const std::vector<const Trajectory*>& motions) {
  const auto same = [](const SimulationNote& a, const SimulationNote& b) {
    return a.about == b.about && (a.about != "contact" || a.text == b.text);
  };
  std::vector<SimulationNote> first;
  std::vector<long> count;
  for (const Trajectory* t : motions)
    for (const SimulationNote& n : t->report.notes) {
      std::size_t at = motions.size() == 1 ? first.size() : 0;
      while (at < first.size() && !same(first[at], n)) ++at;
      if (at == first.size()) first.push_back(n), count.push_back(0);
      ++count[at];
    }
  std::vector<std::string> out;
  for (std::size_t k = 0; k < first.size(); ++k)
    out.push_back(motions.size() == 1 ? first[k].text
                                      : first[k].text + " (" + std::to_string(count[k]) + " of " +
                                            std::to_string(motions.size()) + " motions)");
  return out;
}

nb::object make(const Robot& robot, const ConstraintSet& set, const std::vector<const Trajectory*>& motions, bool one,
                const Scene* scene) {
  const Model& model = robot.model;
  Index states = 0;
  for (const Trajectory* t : motions) states = std::max(states, static_cast<Index>(t->time.size()));
  TrajectoryObject x;
  x.motions = one ? -1 : static_cast<Index>(motions.size());
  const auto all = [&](std::vector<double> Trajectory::*numbers, Index size) {
    std::vector<const std::vector<double>*> parts;
    for (const Trajectory* t : motions) parts.push_back(&(t->*numbers));
    return rows_of_motions(parts, states, size, one);
  };
  x.time = all(&Trajectory::time, -1);
  x.q = all(&Trajectory::q_numbers, model.nq());
  x.v = all(&Trajectory::v_numbers, model.nv());
  x.acceleration = all(&Trajectory::acceleration_numbers, model.nv());
  x.multipliers = all(&Trajectory::multiplier_numbers, set.rows());
  x.motor_torque = all(&Trajectory::motor_torque_numbers, model.nv());
  x.energy = all(&Trajectory::energy, -1);
  x.error = all(&Trajectory::error, -1);
  x.velocity_error = all(&Trajectory::velocity_error, -1);
  const auto number = [&](const char* type, auto&& of) {
    return one ? nb::cast(of(*motions.front())) : array_of(motions, type, [&](const Trajectory* t) { return of(*t); });
  };
  const auto each = [&](auto&& of) {
    nb::list list;
    for (const Trajectory* t : motions) list.append(of(*t));
    return one ? nb::object(list[0]) : nb::object(list);
  };
  x.status = number("uint8", [](const Trajectory& t) { return t.report.status; });
  x.states = number("int64", [](const Trajectory& t) { return t.time.size(); });
  x.start_distance = number("float64", [](const Trajectory& t) { return t.report.start_distance; });
  x.energy_drift = number("float64", [](const Trajectory& t) { return t.report.energy_drift; });
  x.events = each(&events_of);
  x.reason = each([](const Trajectory& t) { return text_of(t.report.reason); });
  for (const Trajectory* t : motions) {
    x.contacts.push_back(contact_table(set, scene, *t));
    x.contact_totals.push_back(t->report.contact);
  }
  x.inputs = files_of(model);
  x.notes = notes_of(motions);
  x.names = model.coordinate_names();
  x.q_names.resize(static_cast<std::size_t>(model.nq()));
  for (const Joint& j : model.joints())
    for (Index k = 0; j.mimic.leader.empty() && k < j.q.size; ++k)
      x.q_names[static_cast<std::size_t>(j.q.first + k)] =
          j.q.size == 1 ? j.name : j.name + "[" + std::to_string(k) + "]";
  for (const Constraint& c : set.constraints())
    x.row_names.insert(x.row_names.end(), c.row_names.value().begin(), c.row_names.value().end());
  return nb::cast(std::move(x));
}

}  // namespace

nb::object trajectory(const Robot& robot, const ConstraintSet& set, const Trajectory& motion, const Scene* scene) {
  return make(robot, set, {&motion}, true, scene);
}
nb::object trajectories(const Robot& robot, const ConstraintSet& set, const std::vector<Trajectory>& motions,
                        const Scene* scene) {
  std::vector<const Trajectory*> all;
  for (const Trajectory& t : motions) all.push_back(&t);
  return make(robot, set, all, false, scene);
}

void bind_trajectory(nb::module_& m) {
  m.attr("MotionEvent") =
      nb::module_::import_("collections")
          .attr("namedtuple")("MotionEvent", "time name impulse energy_before energy_after state a b point",
                              nb::arg("module") = "zwang._zwang");
  using T = TrajectoryObject;
  result_class<T>(m)
      .def(
          ZWANG_SIGNATURE("def plot(self, path: StrPath | None = None) -> object"),
          [](nb::handle self, nb::handle path) {
            refuse_inputs(nb::cast<const T&>(self), path);
            return nb::module_::import_("zwang._plot").attr("plot")(self, path);
          },
          "Draws q, v, motor torques, multipliers, energy and errors over time; with a path into that file (its ending "
          "says\nwhich kind). Returns the figure. Needs matplotlib: pip install zwang[plot].")
      .def(
          ZWANG_SIGNATURE("def to_csv(self, path: StrPath | None = None) -> str | None"),
          [](nb::handle self, nb::handle path) {
            refuse_inputs(nb::cast<const T&>(self), path);
            return nb::module_::import_("zwang._plot").attr("to_csv")(self, path);
          },
          "A row for each state, with the columns of `zwang simulate --out FILE.csv`, numbers to the last bit: the "
          "text, "
          "or\nwith a path that file. Of N motions the first column is the number of the motion.")
      .def(
          "__repr__",
          [](const T& t) {
            const std::string notes =
                t.notes.empty() ? ""
                                : ", " + std::to_string(t.notes.size()) + (t.notes.size() == 1 ? " note" : " notes");
            if (t.motions >= 0) return "Trajectory of " + std::to_string(t.motions) + " motions" + notes;
            return "Trajectory: " + std::string(name_of(nb::cast<Status>(t.status))) + ", " +
                   std::to_string(nb::cast<long>(t.states)) + " states" + moved(nb::cast<double>(t.start_distance)) +
                   notes + (nb::len(t.reason) > 0 ? "; " + nb::cast<std::string>(t.reason) : std::string());
          },
          nb::sig("def __repr__(self) -> str"));
}

}  // namespace zwang::python
