// SPDX-License-Identifier: BSD-3-Clause
// WrenchObserver: forces from outside, from positions, velocities and torques of the motors.
#include "zwang/question/wrench_observer.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "record.hpp"
#include "settings.hpp"

namespace zwang::python {
namespace {

struct ObserverObject {
  ObserverObject(const Robot& of, WrenchObserver&& made) : robot(of), observer(std::move(made)) {}
  Robot robot;
  WrenchObserver observer;
  SetMutex mutex = {};  ///< held while the observer runs, which may call joints written in Python
};

/// The estimate after a sample, or after each of N samples: arrays of its own.
struct EstimateObject {
  nb::object torque, unexplained, wrenches;
  std::vector<Status> statuses;
  Index rank = 0;
  std::vector<std::string> redundant;
  std::vector<std::pair<std::string, std::pair<Index, Index>>> parts;  ///< name, first row, rows
  bool one = true;
};
/// The first status that is not ok.
Status status_of(const EstimateObject& x) {
  for (const Status s : x.statuses)
    if (s != Status::ok) return s;
  return Status::ok;
}
template <class V> void fields(V& v, Type<EstimateObject>) {
  using T = EstimateObject;
  const Field kept{.attribute = false};
  v.record("WrenchEstimate",
           "What a WrenchObserver has seen. After N samples arrays have a leading dimension N; rank and redundant\n"
           "are those of the last.");
  v("torque", &T::torque, "r (nv,): the force from outside on the coordinates, filtered");
  v("unexplained", &T::unexplained, "(nv,): what of r wrenches at these places, and the rows, cannot be");
  v("wrenches", &T::wrenches, "(rows,): of all places, in order");
  v("rank", &T::rank, "of their active rows, as the coordinates feel them");
  v("redundant", &T::redundant,
    "rows that depend on rows before them: the wrench is the least that explains r the same");
  v.computed("status", &status_of,
             "ok; infeasible: constraints contradict each other at the measured state; others: the sample was not\n"
             "used. Of N samples the first that is not ok");
  v("statuses", &T::statuses, "of each sample");
  v("parts", &T::parts, "name, first row, rows", kept);
  v("one", &T::one, "whether it is of one sample", kept);
}

/// `at=`: a frame, a list of frames, or a dictionary from frames to rows.
std::vector<UnknownWrench> wrenches_from(nb::handle at, const std::string& in) {
  constexpr const char* k_who = "WrenchObserver";
  std::vector<UnknownWrench> list;
  const auto add = [&](nb::handle frame, const RowSelection& rows) {
    list.push_back({.frame = text_argument(k_who, "at", frame), .rows = rows, .in = in});
  };
  if (at.is_none()) return list;
  if (PyUnicode_Check(at.ptr())) {
    add(at, rows("all"));
  } else if (PyDict_Check(at.ptr())) {
    for (auto [frame, wanted] : nb::borrow<nb::dict>(at)) add(frame, rows_argument(k_who, wanted));
  } else if (PySequence_Check(at.ptr())) {
    for (const nb::handle frame : nb::borrow<nb::sequence>(at)) add(frame, rows("all"));
  } else {
    throw_type(k_who, "at", at, "a frame, a list of frames, or a dictionary from frames to rows");
  }
  return list;
}

void make(ObserverObject* self, const Robot& robot, nb::handle at, nb::handle constraints, const char* in,
          nb::handle gravity, const WrenchObserverSettings& s) {
  const std::vector<UnknownWrench> wrenches = wrenches_from(at, in);
  Call call("WrenchObserver", robot);
  call.gravity(gravity);
  SetObject* set = nullptr;
  if (!constraints.is_none() && !nb::try_cast(constraints, set))
    throw_type("WrenchObserver", "constraints", constraints, "a ConstraintSet or None");
  if (set != nullptr) {
    const std::lock_guard<SetMutex> lock(set->shared->mutex);
    new (self) ObserverObject(robot, WrenchObserver(robot.model, set->shared->set, wrenches, s));
  } else {
    new (self) ObserverObject(robot, WrenchObserver(robot.model, wrenches, s));
  }
  if (call.has_gravity()) self->observer.data().set_gravity(call.own_gravity());
}

enum class Sample { start, resume, next };

template <Sample kind> nb::object take(ObserverObject& self, nb::handle q_, nb::handle v_, nb::handle tau_, double dt,
                                       nb::handle external, const char* in) {
  constexpr const char* k_functions[] = {"WrenchObserver.start", "WrenchObserver.resume", "WrenchObserver.update"};
  const char* const function = k_functions[static_cast<int>(kind)];
  const Model& model = self.robot.model;
  Call call(function, self.robot);
  const Input& q = call.configuration(q_);
  const Input& v = call.tangent("v", v_);
  const Input* const tau = tau_.is_none() ? nullptr : &call.tangent("tau", tau_);
  call.environment(nb::none(), external, in);
  if (kind != Sample::next && call.states() >= 0)
    throw std::invalid_argument("E_SIZE " + std::string(function) + ": argument 'q' has " +
                                std::to_string(call.states()) + " states, expected one sample, of shape (" +
                                std::to_string(model.nq()) + ",); update() takes N samples");
  EstimateObject result;
  result.one = call.states() < 0;
  const auto rows = static_cast<Index>(self.observer.row_names().size());
  const auto output = [&](nb::object& array, Index size) {
    Output out(function, "out", nb::none(), call.states(), {size});
    array = out.array;
    return out;
  };
  const Output torque = output(result.torque, model.nv()), unexplained = output(result.unexplained, model.nv()),
               wrenches = output(result.wrenches, rows);
  call.run([&](Workspace& workspace, Index k) {
    const std::lock_guard<SetMutex> lock(self.mutex);
    WrenchObserverInput sample{.q = ConstVector(q.at(k), q.size()), .v = ConstVector(v.at(k), v.size()), .dt = dt};
    if (tau != nullptr) sample.tau = ConstVector(tau->at(k), tau->size());
    if (!workspace.external.empty()) sample.external = &workspace.external;
    const WrenchEstimate& x = kind == Sample::start    ? self.observer.start(sample)
                              : kind == Sample::resume ? self.observer.resume(sample)
                                                       : self.observer.update(sample);
    torque.put(k, x.torque.data());
    unexplained.put(k, x.unexplained.data());
    wrenches.put(k, x.wrenches.data());
    result.statuses.push_back(x.status);
    result.rank = x.rank;
    result.redundant.assign(x.redundant.begin(), x.redundant.end());
  });
  Index first = 0;
  for (const std::string& name : self.observer.names()) {
    const auto size = static_cast<Index>(self.observer.wrench(name).size());
    result.parts.push_back({name, {first, size}});
    first += size;
  }
  return nb::cast(std::move(result));
}

nb::object wrench_of(const EstimateObject& x, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [wrench, rows] : x.parts) {
    if (wrench == name)
      return x.wrenches[nb::make_tuple(nb::ellipsis(), nb::slice(rows.first, rows.first + rows.second, 1))];
    known.push_back(wrench);
  }
  zwang::detail::throw_unknown("wrench", name, known);
}

void bind_estimate(nb::module_& m) {
  using E = EstimateObject;
  result_class<E>(m)
      .def(ZWANG_SIGNATURE("def __getitem__(self, name: str) -> Array"), &wrench_of,
           "The wrench at a place: its rows, in their axes.")
      .def("__repr__", [](const E& x) {
        return "<zwang.WrenchEstimate " + std::string(name_of(status_of(x))) + ", rank " + std::to_string(x.rank) + ">";
      });
}

}  // namespace

void bind_wrench_observer(nb::module_& m) {
  bind_estimate(m);
  using O = ObserverObject;
  ClassOf<O> c(
      m, "WrenchObserver",
      "Forces that act on a robot from outside, from positions, velocities and motor torques: no acceleration is\n"
      "measured. r follows what the constraints do not take up of these forces as a filter of first order,\n"
      "dr/dt = gain (P tau_ext - r); wrenches at the places `at` are those that explain r best (Gauss).");
  def_with<WrenchObserverSettings>(
      c,
      ZWANG_SIGNATURE(
          "def __init__(self, model: Model, at: str | Sequence[str] | Mapping[str, str | Sequence[str] | ArrayLike] | "
          "None = None, constraints: ConstraintSet | None = None, *, {gain}, in_: str = \"local_world_aligned\", "
          "{held_torque tolerance feasibility method joint_effects}, gravity: ArrayLike | None = None) -> None"),
      &make,
      "at: frames where unknown wrenches act, or {frame: rows}. constraints: contacts, loops, a copy of the set;\n"
      "drivers are left out. gain [1/s] > 0, inf: no filter. in_: axes of the wrenches. held_torque: tau stays "
      "from its\n"
      "sample to the next. tolerance: directions that the joints feel less are left out. Raises UnsupportedError "
      "for\n"
      "soft rows and rows with a sense or a limit, ValueError naming argument, got and expected.");
  c.def(
       ZWANG_SIGNATURE(
           "def start(self, q: Vector, v: Vector, tau: Vector | None = None, *, external: External | None = None, "
           "in_: str = \"local_world_aligned\") -> WrenchEstimate"),
       [](O& self, nb::handle q, nb::handle v, nb::handle tau, nb::handle external, const char* in) {
         return take<Sample::start>(self, q, v, tau, 0, external, in);
       },
       "The first sample: r = 0. external: wrenches that are known, as in inverse_dynamics; in_: their axes.")
      .def(
          ZWANG_SIGNATURE(
              "def resume(self, q: Vector, v: Vector, tau: Vector | None = None, *, external: External | None = "
              "None, in_: str = \"local_world_aligned\") -> WrenchEstimate"),
          [](O& self, nb::handle q, nb::handle v, nb::handle tau, nb::handle external, const char* in) {
            return take<Sample::resume>(self, q, v, tau, 0, external, in);
          },
          "A sample after a jump of the velocity, or after a pause: r stays.")
      .def(
          ZWANG_SIGNATURE(
              "def update(self, q: Vector, v: Vector, tau: Vector | None, dt: float, *, external: External | None = "
              "None, in_: str = \"local_world_aligned\") -> WrenchEstimate"),
          [](O& self, nb::handle q, nb::handle v, nb::handle tau, double dt, nb::handle external, const char* in) {
            return take<Sample::next>(self, q, v, tau, dt, external, in);
          },
          "The next sample, dt [s] after the last; of shape (N, nq) and (N, nv): N samples, one after the other.\n"
          "Raises RuntimeError before start(), ValueError naming argument, got and expected.")
      .def(
          "set_active",
          [](O& self, const std::string& name, bool active) {
            const std::lock_guard<SetMutex> lock(self.mutex);
            self.observer.set_active(name, active);
          },
          nb::arg("name"), nb::arg("active"),
          "Switches a constraint, all of a group, or an unknown wrench, from the next sample on.")
      .get("names", "list[str]", "of the unknown wrenches", [](const O& self) { return self.observer.names(); })
      .get("row_names", "list[str]", "of WrenchEstimate.wrenches",
           [](const O& self) { return self.observer.row_names(); });
  not_kept<O>("it has the memory of its samples; pickle its estimates, and start another observer");
}

}  // namespace zwang::python
