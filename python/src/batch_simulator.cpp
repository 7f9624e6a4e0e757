// SPDX-License-Identifier: BSD-3-Clause
// BatchSimulator: many copies of a robot in a scene, stepped together with torques from outside.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "kept_functions.hpp"
#include "record.hpp"
#include "scene.hpp"
#include "settings.hpp"
#include "statuses.hpp"

namespace zwang::python {
namespace {

struct BatchObject {
  BatchObject(nb::object python_model, const Robot& of, BatchSimulator&& made)
      : model(std::move(python_model)),
        robot(of),
        batch(std::move(made)) {}
  nb::object model;
  Robot robot;
  BatchSimulator batch;
  SetMutex mutex = {};  ///< held while the batch runs, and while what its threads write is read
};

/// Whoever waits for it lets others use Python: the call that runs may have to.
std::unique_lock<SetMutex> locked(BatchObject& self) {
  try {
    return std::unique_lock<SetMutex>(self.mutex);
  } catch (const std::runtime_error&) {  // this thread has it
    throw std::runtime_error(
        "BatchSimulator: the batch is used by the progress callback of its own call, while its copies move; its "
        "arrays q, v, time, energy and contact_force can be read there");
  }
}

/// A view of the simulator's own memory, which lives as long as somebody has the view.
template <class X> nb::object view_of(nb::handle self, const X* data, std::initializer_list<std::size_t> shape) {
  return nb::cast(nb::ndarray<nb::numpy, const X>(data, shape.size(), shape.begin(), self));
}
template <class F> auto getter(F f) {
  return [f](nb::handle self) { return f(self, nb::cast<BatchObject&>(self).batch); };
}
std::size_t count_of(const BatchSimulator& x) { return static_cast<std::size_t>(x.copies()); }

void make(BatchObject* self, const Robot& robot, const SetObject* constraints, Index copies, const SceneObject* scene,
          const std::string& method, const JointEffects* effects, SimulationSettings settings) {
  settings.integrator = Integrator::contact;
  settings.solver.method = method;
  if (effects != nullptr) settings.solver.joint_effects = *effects;
  const ConstraintSet none(robot.model);
  const Scene own = scene != nullptr ? scene->scene : Scene(robot.model);
  refuse_python_joints(robot.model, "copies of a batch");
  const BatchOptions threads{wanted_threads()};
  if (constraints != nullptr) {
    const std::lock_guard<SetMutex> lock(constraints->shared->mutex);
    new (self) BatchObject(nb::borrow(nb::find(robot)), robot,
                           BatchSimulator(robot.model, constraints->shared->set, settings, own, copies, threads));
  } else {
    new (self) BatchObject(nb::borrow(nb::find(robot)), robot,
                           BatchSimulator(robot.model, none, settings, own, copies, threads));
  }
}

StatesIn<double> rows(const char* function, const Input& x, const BatchSimulator& batch) {
  if (x.states() >= 0 && x.states() != batch.copies())
    throw std::invalid_argument("E_SIZE " + std::string(function) + ": argument '" + x.name() + "' has " +
                                std::to_string(x.states()) + " rows, expected " + std::to_string(batch.copies()) +
                                ", one for each copy, or one vector for all");
  return states_in<double>(x, batch.copies());
}

std::vector<unsigned char> mask_of(nb::handle given, Index copies) {
  static PyObject* slot;
  if (given.is_none()) return {};
  const nb::object array = kept(slot, "numpy", "asarray")(given);
  if (nb::cast<int>(array.attr("ndim")) != 1 || nb::cast<long>(array.attr("size")) != copies ||
      nb::cast<std::string>(array.attr("dtype").attr("name")) != "bool")
    throw std::invalid_argument("E_SIZE BatchSimulator.reset: argument 'mask' has shape " +
                                std::string(nb::repr(array.attr("shape")).c_str()) + " and dtype " +
                                nb::cast<std::string>(array.attr("dtype").attr("name")) + ", expected (" +
                                std::to_string(copies) + ",) and bool");
  std::vector<unsigned char> mask;
  for (nb::handle x : array.attr("tolist")()) mask.push_back(nb::cast<bool>(x));
  return mask;
}

/// f(batch) without the GIL, one call of the simulator at a time; Ctrl-C and `progress` end it.
template <class F> void run(BatchObject& self, Watch& watch, F&& f) {
  {
    const nb::gil_scoped_release release;
    const std::unique_lock<SetMutex> lock = locked(self);
    self.batch.on_progress(&Watch::look, &watch, watch.interval());
    struct Silent {
      BatchSimulator& batch;
      ~Silent() { batch.on_progress(nullptr, nullptr); }
    } const silent{self.batch};
    f(self.batch);
  }
  watch.finish();
}

void reset(BatchObject& self, nb::handle q_, nb::handle v_, nb::handle mask_) {
  constexpr const char* k_function = "BatchSimulator.reset";
  Call call(k_function, self.robot);
  const Input& q = call.configuration(q_);
  const Input* const v = v_.is_none() ? nullptr : &call.tangent("v", v_);
  const std::vector<unsigned char> mask = mask_of(mask_, self.batch.copies());
  BatchStart start{.q = rows(k_function, q, self.batch), .mask = mask};
  if (v != nullptr) start.v = rows(k_function, *v, self.batch);
  call.report_to(nb::none(), nb::none());
  run(self, call.watch(), [&](BatchSimulator& x) { x.reset(start); });
}

Status reset_copy(BatchObject& self, Index copy, nb::handle q_, nb::handle v_, nb::handle contacts, double time) {
  constexpr const char* k_function = "BatchSimulator.reset_copy";
  Call call(k_function, self.robot);
  const Input& q = call.configuration(q_);
  const Input* const v = v_.is_none() ? nullptr : &call.tangent("v", v_);
  if (call.states() >= 0)
    throw std::invalid_argument("E_SIZE " + std::string(k_function) + ": got " + std::to_string(call.states()) +
                                " states, expected one; reset() takes one for each copy");
  std::vector<ContactState> first;
  if (!contacts.is_none())
    first = contacts_argument(k_function, contacts, self.batch.scene(), self.batch.constraints());
  const ConstVector at(q.at(0), q.size());
  const ConstVector speed = v != nullptr ? ConstVector(v->at(0), v->size()) : ConstVector();
  Status status = Status::ok;
  run(self, call.watch(), [&](BatchSimulator& x) { status = x.reset(copy, at, speed, first, time); });
  return status;
}

void step(BatchObject& self, nb::handle tau_, long count, nb::handle progress) {
  constexpr const char* k_function = "BatchSimulator.step";
  Call call(k_function, self.robot);
  const Input* const tau = tau_.is_none() ? nullptr : &call.tangent("tau", tau_);
  const StatesIn<double> torques = tau != nullptr ? rows(k_function, *tau, self.batch) : StatesIn<double>();
  call.report_to(nb::none(), progress);
  run(self, call.watch(), [&](BatchSimulator& x) { x.step(torques, count); });
}

nb::object contacts(BatchObject& self, Index copy) {
  ContactTable t;
  {
    const std::unique_lock<SetMutex> lock = locked(self);
    const std::span<const ContactState> all = self.batch.contacts(copy);
    t.points.assign(all.begin(), all.end());
  }
  for (const SceneShape& x : self.batch.scene().shapes()) t.shapes.push_back(x.name);
  t.coordinates = self.robot.model.coordinate_names();
  t.rows = contact_rows_of(self.batch.constraints());
  t.first = {0, static_cast<long>(t.points.size())};
  return contacts_of(std::make_shared<const ContactTable>(std::move(t)))[nb::int_(0)];
}

void bind_arrays(ClassOf<BatchObject>& c) {
  using B = const BatchSimulator;
  c.get("q", "Array",
        "(copies, nq): the last good states. A view that shows what the copies do, read-only; so are v, "
        "time, energy and contact_force",
        getter([](nb::handle self, B& x) {
          return view_of(self, x.q().data(), {count_of(x), static_cast<std::size_t>(x.model().nq())});
        }))
      .get("v", "Array", "(copies, nv)", getter([](nb::handle self, B& x) {
             return view_of(self, x.v().data(), {count_of(x), static_cast<std::size_t>(x.model().nv())});
           }))
      .get("time", "Array", "(copies,) [s] since their resets",
           getter([](nb::handle self, B& x) { return view_of(self, x.time().data(), {count_of(x)}); }))
      .get("energy", "Array", "(copies,) kinetic and potential [J]; NaN before a reset",
           getter([](nb::handle self, B& x) { return view_of(self, x.energy().data(), {count_of(x)}); }))
      .get("contact_force", "Array",
           "(copies, links, 3): sum of the forces on each link in the last step, of its shapes and of contacts of "
           "the\nset (sense=\"at_least\") whose frame is on it, world [N]",
           getter([](nb::handle self, B& x) {
             return view_of(self, x.contact_force().data(), {count_of(x), x.model().links().size(), std::size_t{3}});
           }))
      .get("status", "Statuses",
           "of each copy: ok, or why it stays where it is; `stopped` before its first reset. An array of its own",
           [](nb::handle self) {
             BatchObject& x = nb::cast<BatchObject&>(self);
             const std::unique_lock<SetMutex> lock = locked(x);
             return as_statuses(view_of(self, x.batch.report().status_data, {count_of(x.batch)}).attr("copy")());
           });
}

/// f(report of a copy) while nothing moves.
template <class F> auto of_report(F f) {
  return [f](BatchObject& self, Index copy) {
    const std::unique_lock<SetMutex> lock = locked(self);
    return f(self.batch.report(copy));
  };
}

}  // namespace

void bind_batch_simulator(nb::module_& m) {
  using B = BatchObject;
  ClassOf<B> c(
      m, "BatchSimulator",
      "Many copies of a robot in a scene, each with a state of its own, stepped together with torques from outside.\n\n"
      "A copy moves as simulate(..., integrator=\"contact\") says, equal to the bit for every number of threads, "
      "place\n"
      "and number of copies. One that fails keeps its last good state; the others go on. One in which shapes overlap\n"
      "after a step by more than drift_tolerance, which could not be taken apart, is `drifted` and stays there.\n\n"
      "One thread at a time uses it, others wait. In the progress callback of its own call its arrays can be read; "
      "all\n"
      "else raises RuntimeError.");
  def_with<SimulationSettings>(
      c,
      ZWANG_SIGNATURE(
          "def __init__(self, model: Model, constraints: ConstraintSet | None, copies: int, *, scene: Scene | "
          "None = None, {dt keep tolerance drift_tolerance contact_accuracy}, method: str = \"automatic\", "
          "joint_effects: "
          "JointEffects | None = None) -> None"),
      &make,
      "scene: what the robot can touch; None: its own shapes and the limits of its joints. A copy of scene and set is\n"
      "kept. It runs on set_threads() threads. Settings are those of simulate().");
  c.def(
       ZWANG_SIGNATURE("def reset(self, q: Vector, v: Vector | None = None, *, mask: ArrayLike | None = None) -> None"),
       &reset,
       "Copies begin anew: q (copies, nq) or one for all, v None: at rest. mask: (copies,) of bool, the others stay "
       "as\n"
       "they are. What simulate() does at the start is done: rows hold, overlaps are taken apart. A copy whose state "
       "is\nrefused stays where it was, with that status. Ctrl-C stops.")
      .def(ZWANG_SIGNATURE("def reset_copy(self, copy: int, q: Vector, v: Vector | None = None, *, contacts: "
                           "Sequence[ContactState] | None = None, time: float = 0.0) -> Status"),
           &reset_copy,
           "One copy. contacts: those of the state, contacts(k) or Trajectory.contacts[-1], with which it goes on to "
           "the\nsame bits. IndexError where there is no such copy.")
      .def(
          ZWANG_SIGNATURE("def step(self, tau: Vector | None = None, count: int = 1, *, progress: Progress = None) -> "
                          "None"),
          &step,
          "`count` steps of dt with constant torques (copies, nv), or one for all; None: zeros. Copies that are not ok "
          "stay.\nTorques that are not finite are a status of their copy. Raises ValueError for arguments, "
          "RuntimeError "
          "before the\nfirst reset. progress: True, a callable (done, total) or ProgressEvery. Ctrl-C stops, copies "
          "may "
          "then have\ndifferent times.");
  bind_arrays(c);
  c.def(ZWANG_SIGNATURE("def contacts(self, copy: int) -> list[ContactState]"), &contacts,
        "What touched in the last step of a copy.")
      .def(ZWANG_SIGNATURE("def reason(self, copy: int) -> str"),
           of_report([](const SimulationReport& x) { return x.reason; }),
           "Why a copy stays where it is, in sentences; empty if it is ok.")
      .def(ZWANG_SIGNATURE("def contact_report(self, copy: int) -> ContactTotals"),
           of_report([](const SimulationReport& x) { return named_tuple(x.contact); }),
           "The worst residuals of a copy since its reset, its steps by kind.")
      .def(ZWANG_SIGNATURE("def notes(self, copy: int) -> list[str]"), of_report([](const SimulationReport& report) {
             std::vector<std::string> all;
             for (const SimulationNote& x : report.notes) all.push_back(x.text);
             return all;
           }),
           "What its motion leaves out and finds, since its reset.")
      .get("model", "Model", "whose copies they are", [](const B& x) { return x.model; })
      .get("copies", "int", "how many there are", [](const B& x) { return x.batch.copies(); })
      .get("dt", "float", "length of a step [s]", [](const B& x) { return x.batch.settings().dt; })
      .get("threads", "int", "on which it runs", [](const B& x) { return x.batch.threads(); })
      .get("links", "list[str]", "of contact_force",
           [](const B& x) {
             std::vector<std::string> names;
             for (const Link& link : x.batch.model().links()) names.push_back(link.name);
             return names;
           })
      .def(
          "__repr__",
          [](B& x) {
            std::unique_lock<SetMutex> lock;
            try {
              lock = locked(x);
            } catch (const std::runtime_error&) {}  // in a callback of this thread, which alone counts
            return "<zwang.BatchSimulator " + std::to_string(x.batch.copies()) + " copies, " +
                   std::to_string(x.batch.report().ok) + " ok>";
          },
          nb::sig("def __repr__(self) -> str"));
  not_kept<B>("it has threads and the memory of its contacts; pickle its arrays, and make another one");
}

}  // namespace zwang::python
