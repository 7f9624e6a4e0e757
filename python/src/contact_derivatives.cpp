// SPDX-License-Identifier: BSD-3-Clause
// contact_step_derivatives and ContactRollout: derivatives of steps and of motions with contact.
#include <optional>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "matrices.hpp"
#include "mechanisms.hpp"
#include "record.hpp"
#include "scene.hpp"
#include "set_of_call.hpp"
#include "settings.hpp"
#include "solve_states.hpp"

namespace zwang::python {
namespace {

struct StepObject {
  Status status = Status::ok;
  std::string reason;
  nb::object q, v, q_by, v_by, borders;
  bool is_free = true, is_unique = true;
  double geometry_error = 0, taken_apart = 0, left_out = 0;
};
template <class V> void fields(V& v, Type<StepObject>) {
  using T = StepObject;
  v.record("ContactStepDerivatives",
           "A step with contact, (q, v, tau) to (q', v'), and its derivatives: contact_step_derivatives().");
  v("status", &T::status,
    "ok; not_differentiable: an impact with restitution is in the step, a point of contact is no smooth function of "
    "q,\nrows contradict each other to first order, shapes overlap, the step was halved, or a row of the set with a "
    "sense "
    "may act;\nothers are what the step itself says");
  v("reason", &T::reason, "in a sentence, or empty");
  v("q", &T::q, "q' (nq,)");
  v("v", &T::v, "v' (nv,)");
  v("q_by", &T::q_by, "derivatives of q', as increments of it", {.type = "StepJacobian"});
  v("v_by", &T::v_by, "derivatives of v'", {.type = "StepJacobian"});
  v("is_free", &T::is_free, "nothing touched: a step of rk4");
  v("is_unique", &T::is_unique, "nothing is between two states; else derivatives are those to one side");
  v("borders", &T::borders, "what is between two states", {.type = "list[ContactBorder]"});
  v("geometry_error", &T::geometry_error,
    "of points of contact known by differences of the geometry alone: two estimates differ by this; 0: none is");
  v("taken_apart", &T::taken_apart, "the largest displacement that took overlaps apart [m, rad]");
  v("left_out", &T::left_out, "the same beside rows of the set: how these turn meanwhile is not in the derivatives");
}

nb::object jacobian_of(const StepJacobian& x) {
  static PyObject* slot;
  const auto matrix = [](const Eigen::Map<const Eigen::MatrixXd>& m) {
    return new_matrix(static_cast<Index>(m.rows()), static_cast<Index>(m.cols()),
                      [&](Index i, Index k) { return m(i, k); });
  };
  return kept(slot, "zwang._zwang", "StepJacobian")(matrix(x.q), matrix(x.v), matrix(x.tau));
}
nb::object border_of(const ContactBorder& x) { return named_tuple(x); }

/// A vector that may be left out: then zeros.
Eigen::VectorXd weights(const char* function, const char* name, nb::handle given, Index size) {
  if (given.is_none()) return Eigen::VectorXd::Zero(size);
  const Matrices x(function, name, given, 1);
  if (x.states() >= 0 || x.rows() != size) detail::throw_size(function, name, x.rows(), size);
  return x.vector(0);
}
Eigen::MatrixXd matrix_in(const nb::object& array) { return Matrices("StepJacobian", "matrix", array, 2).at(0); }
nb::object array_of_vector(const Eigen::VectorXd& x) { return new_array(x.data(), static_cast<Index>(x.size())); }
/// A state in each row.
nb::object rows_of(const Eigen::Ref<const Eigen::MatrixXd>& columns) {
  return new_matrix(static_cast<Index>(columns.cols()), static_cast<Index>(columns.rows()),
                    [&](Index i, Index k) { return columns(k, i); });
}

void refuse_without(const StepObject& x, const char* function) {
  if (x.status != Status::ok)
    throw std::runtime_error(std::string(function) + ": the step has no derivatives: " + x.reason);
}

nb::object step_vjp(const StepObject& x, nb::handle q, nb::handle v) {
  constexpr const char* function = "ContactStepDerivatives.vjp";
  static PyObject* slot;
  refuse_without(x, function);
  const auto n = static_cast<Index>(nb::len(x.v));
  const Eigen::VectorXd of_q = weights(function, "q", q, n), of_v = weights(function, "v", v, n);
  nb::object by[3];
  const char* const names[] = {"q", "v", "tau"};
  for (int k = 0; k < 3; ++k)
    by[k] = array_of_vector(matrix_in(x.q_by.attr(names[k])).transpose() * of_q +
                            matrix_in(x.v_by.attr(names[k])).transpose() * of_v);
  return kept(slot, "zwang._zwang", "StepGradient")(by[0], by[1], by[2]);
}
nb::object step_jvp(const StepObject& x, nb::handle q, nb::handle v, nb::handle tau) {
  constexpr const char* function = "ContactStepDerivatives.jvp";
  static PyObject* slot;
  refuse_without(x, function);
  const auto n = static_cast<Index>(nb::len(x.v));
  const nb::handle given[] = {q, v, tau};
  const char* const names[] = {"q", "v", "tau"};
  Eigen::VectorXd of_q = Eigen::VectorXd::Zero(n), of_v = of_q;
  for (int k = 0; k < 3; ++k) {
    const Eigen::VectorXd along = weights(function, names[k], given[k], n);
    of_q += matrix_in(x.q_by.attr(names[k])) * along;
    of_v += matrix_in(x.v_by.attr(names[k])) * along;
  }
  return kept(slot, "zwang._zwang", "StepVariation")(array_of_vector(of_q), array_of_vector(of_v));
}

struct Arguments {
  nb::handle q, v, tau, external;
  const char* in;
  nb::handle prescribed;
  const SceneObject* scene;
  nb::handle contacts;
};

/// use(scene, set, input) with what the call has been given.
template <class F>
void with_input(const char* function, const Robot& robot, const SetObject* given_set, const Arguments& a, F&& use) {
  const Model& model = robot.model;
  const ConstraintSet set = set_of_call(model, given_set);
  const Scene scene = a.scene != nullptr ? a.scene->scene : Scene(model);
  Call call(function, robot);
  const Input& q = call.configuration(a.q);
  const Input* const v = a.v.is_none() ? nullptr : &call.tangent("v", a.v);
  const Input* const tau = a.tau.is_none() ? nullptr : &call.tangent("tau", a.tau);
  call.environment(nb::none(), a.external, a.in);
  if (call.needs_axes())
    throw std::invalid_argument("E_NAME " + std::string(function) + ": argument 'in_' is '" + a.in +
                                "', expected local, world or local_world_aligned: axes of a frame turn with it");
  const StateMasks masks(call, function, model, a.prescribed, nb::none(), set);
  call.report_to(nb::none(), nb::none());
  if (call.states() >= 0)
    throw std::invalid_argument("E_SIZE " + std::string(function) + ": " + std::to_string(call.states()) +
                                " states, expected one");
  std::vector<ContactState> contacts;
  if (!a.contacts.is_none()) contacts = contacts_argument(function, a.contacts, scene, set);
  const Lease lease(robot);
  if (!a.external.is_none()) call.place_external(*lease, 0);
  Prescribed list = masks.prescribed();
  for (std::size_t i = 0; i < list.size(); ++i) list[i].acceleration = masks.given.at(0, static_cast<Index>(i));
  SimulationInput input{.q = ConstVector(q.at(0), q.size()), .contacts = contacts};
  if (v != nullptr) input.v = ConstVector(v->at(0), v->size());
  if (tau != nullptr) input.tau = ConstVector(tau->at(0), tau->size());
  if (!a.external.is_none()) input.external = &(*lease).external;
  if (!list.empty()) input.prescribed = &list;
  use(scene, set, input);
}

StepObject derivatives_of(const Robot& robot, const SetObject* set, const Arguments& a,
                          const SimulationSettings& settings) {
  StepObject out;
  with_input("contact_step_derivatives", robot, set, a,
             [&](const Scene& scene, const ConstraintSet& own, const SimulationInput& input) {
               std::optional<ContactDerivatives> of;
               {
                 const nb::gil_scoped_release release;
                 of.emplace(robot.model, own, settings, scene);
                 of->step(input);
               }
               const ContactStepDerivatives& d = of->last();
               out.status = d.status, out.reason = d.reason;
               out.q = new_array(d.q.data(), robot.model.nq()), out.v = new_array(d.v.data(), robot.model.nv());
               out.q_by = jacobian_of(d.q_by), out.v_by = jacobian_of(d.v_by);
               nb::list borders;
               for (const ContactBorder& x : d.borders) borders.append(border_of(x));
               out.borders = borders;
               out.is_free = d.is_free, out.is_unique = d.is_unique;
               out.geometry_error = d.geometry_error, out.taken_apart = d.taken_apart, out.left_out = d.left_out;
             });
  return out;
}

struct RolloutObject {
  ContactRollout rollout;
  Status status;
  SetMutex mutex = {};  ///< held while results are made, when Python may turn to another thread
  Index nv() const { return static_cast<Index>(rollout.v().rows()); }
};

void run(RolloutObject* self, const Robot& robot, const SetObject* set, nb::handle torques_, const Arguments& a,
         const SimulationSettings& settings) {
  constexpr const char* function = "ContactRollout";
  const Matrices given(function, "torques", torques_, 2);
  const Index nv = robot.model.nv();
  if (given.states() >= 0 || given.columns() != nv)
    throw std::invalid_argument("E_SIZE ContactRollout: argument 'torques' has " + std::to_string(given.columns()) +
                                " columns, expected " + std::to_string(nv) +
                                " (nv) in each of its rows, one of a step");
  const Eigen::MatrixXd torques = given.at(0).transpose();
  with_input(function, robot, set, a, [&](const Scene& scene, const ConstraintSet& own, const SimulationInput& input) {
    const nb::gil_scoped_release release;
    ContactRollout rollout(robot.model, own, settings, scene);
    const Status status = rollout.run(input, torques);
    new (self) RolloutObject{std::move(rollout), status};
  });
}

Eigen::MatrixXd state_weights(const char* name, nb::handle given, Index nv, Index states) {
  constexpr const char* function = "ContactRollout.vjp";
  if (given.is_none()) return Eigen::MatrixXd::Zero(nv, states);
  const Matrices x(function, name, given, 2);
  if (x.states() >= 0 || x.rows() != states || x.columns() != nv)
    throw std::invalid_argument(std::string("E_SIZE ") + function + ": argument '" + name + "' has shape (" +
                                std::to_string(x.rows()) + ", " + std::to_string(x.columns()) + "), expected (" +
                                std::to_string(states) + ", " + std::to_string(nv) + "), (steps + 1, nv)");
  return x.at(0).transpose();
}

nb::object rollout_vjp(RolloutObject& self, nb::handle q, nb::handle v) {
  static PyObject* slot;
  const Index nv = self.nv(), states = self.rollout.steps() + 1;
  const Eigen::MatrixXd of_q = state_weights("q", q, nv, states), of_v = state_weights("v", v, nv, states);
  const std::lock_guard<SetMutex> lock(self.mutex);
  const RolloutGradient g = self.rollout.vjp(of_q, of_v);
  return kept(slot, "zwang._zwang", "StepGradient")(new_array(g.q.data(), nv), new_array(g.v.data(), nv),
                                                    rows_of(g.tau));
}
nb::object rollout_jvp(RolloutObject& self, nb::handle q, nb::handle v, nb::handle tau) {
  constexpr const char* function = "ContactRollout.jvp";
  static PyObject* slot;
  const Index nv = self.nv();
  const Eigen::VectorXd of_q = weights(function, "q", q, nv), of_v = weights(function, "v", v, nv);
  Eigen::MatrixXd torques(nv, 0);
  if (!tau.is_none()) torques = Matrices(function, "tau", tau, 2).at(0).transpose();
  const std::lock_guard<SetMutex> lock(self.mutex);
  const RolloutVariation x = self.rollout.jvp(of_q, of_v, torques);
  return kept(slot, "zwang._zwang", "StepVariation")(rows_of(x.q), rows_of(x.v));
}

/// A named tuple of arrays.
void tuple_of_arrays(nb::module_& m, const Head& head, std::initializer_list<const char*> names) {
  nb::dict annotations;
  for (const char* name : names) annotations[name] = "Array";
  define_named_tuple(m, head, annotations);
}

SimulationSettings with_contact(SimulationSettings s, const std::string& method, const JointEffects* effects) {
  s.integrator = Integrator::contact;
  s.solver.method = method;
  if (effects != nullptr) s.solver.joint_effects = *effects;
  return s;
}

void bind_contact_rollout(nb::module_& m) {
  using R = RolloutObject;
  ClassOf<R> c(m, "ContactRollout",
               "A motion with contact, a step for each row of torques, and its derivatives, which are kept.");
  def_with<SimulationSettings>(
      c,
      ZWANG_SIGNATURE(
          "def __init__(self, model: Model, constraints: ConstraintSet | None, q: Vector, v: Vector | None, torques: "
          "ArrayLike, *, {dt keep}, external: External | None = None, in_: str = \"local_world_aligned\", prescribed: "
          "Mapping[str, ArrayLike] | None = None, scene: Scene | None = None, {contact_accuracy}, method: str = "
          "\"automatic\", joint_effects: JointEffects | None = None, contacts: Sequence[ContactState] | None = None) "
          "-> "
          "None"),
      [](R* self, const Robot& model, const SetObject* constraints, nb::handle q, nb::handle v, nb::handle torques,
         nb::handle external, const char* in, nb::handle prescribed, const SceneObject* scene,
         const std::string& method, const JointEffects* effects, nb::handle contacts, SimulationSettings settings) {
        run(self, model, constraints, torques, {q, v, nb::none(), external, in, prescribed, scene, contacts},
            with_contact(settings, method, effects));
      },
      "torques (steps, nv). Other arguments as those of contact_step_derivatives. Raises ValueError naming argument, "
      "got\nand expected.");
  c.def(ZWANG_SIGNATURE("def vjp(self, q: ArrayLike | None = None, v: ArrayLike | None = None) -> StepGradient"),
        &rollout_vjp,
        "The gradient of the sum over all states of q[k] . (increments of q_k) + v[k] . v_k, weights (steps + 1, nv), "
        "by\nthe first q and v (nv,), and by the torques (steps, nv). One pass back.")
      .def(ZWANG_SIGNATURE("def jvp(self, q: ArrayLike | None = None, v: ArrayLike | None = None, tau: ArrayLike | "
                           "None = None) -> StepVariation"),
           &rollout_jvp,
           "How all states vary, (steps + 1, nv), along an increment of the first q, of the first v, and torques "
           "(steps, nv).")
      .get("status", "Status", "ok: all steps have derivatives; else that of the step that is missing",
           [](const R& x) { return x.status; })
      .get("reason", "str", "in a sentence, or empty", [](const R& x) { return text_of(x.rollout.reason()); })
      .get("steps", "int", "that have derivatives", [](const R& x) { return x.rollout.steps(); })
      .get("q", "Array", "(steps + 1, nq)", [](const R& x) { return rows_of(x.rollout.q()); })
      .get("v", "Array", "(steps + 1, nv)", [](const R& x) { return rows_of(x.rollout.v()); })
      .get("borders", "list[tuple[int, ContactBorder]]", "what was between two states, and in which step",
           [](const R& x) {
             nb::list out;
             for (const ContactRollout::Border& b : x.rollout.borders())
               out.append(nb::make_tuple(b.step, border_of(b.border)));
             return out;
           })
      .def(
          "__repr__",
          [](const R& x) {
            return "<zwang.ContactRollout " + std::string(name_of(x.status)) + ", " +
                   std::to_string(x.rollout.steps()) + " steps>";
          },
          nb::sig("def __repr__(self) -> str"));
  not_kept<R>("it has the derivatives of its steps; pickle q, v and the torques, and make another");
}

}  // namespace

void bind_contact_derivatives(nb::module_& m) {
  named_tuples<ContactBorder>(m);
  tuple_of_arrays(m, {"StepJacobian", "Derivatives (nv, nv) along q (+) d, by v and by tau."}, {"q", "v", "tau"});
  tuple_of_arrays(m, {"StepGradient", "The gradient of a scalar of what steps reach, along q (+) d, by v and by tau."},
                  {"q", "v", "tau"});
  tuple_of_arrays(m, {"StepVariation", "How q, as increments of it, and v vary."}, {"q", "v"});
  result_class<StepObject>(m)
      .def(
          ZWANG_SIGNATURE("def vjp(self, q: ArrayLike | None = None, v: ArrayLike | None = None) -> StepGradient"),
          &step_vjp,
          "The gradient of q . (increments of q') + v . v', weights (nv,). Raises RuntimeError where status is not ok.")
      .def(ZWANG_SIGNATURE("def jvp(self, q: ArrayLike | None = None, v: ArrayLike | None = None, tau: ArrayLike | "
                           "None = None) -> StepVariation"),
           &step_jvp, "How q' and v' vary along a direction (nv,). Raises RuntimeError where status is not ok.")
      .def(
          "__repr__",
          [](const StepObject& x) {
            return "<zwang.ContactStepDerivatives " + std::string(name_of(x.status)) +
                   (x.is_free ? ", free" : ", with contact") + (x.is_unique ? "" : ", at a border") + ">";
          },
          nb::sig("def __repr__(self) -> str"));
  def_with<SimulationSettings>(
      m,
      ZWANG_SIGNATURE(
          "def contact_step_derivatives(model: Model, constraints: ConstraintSet | None, q: Vector, v: Vector | None = "
          "None, tau: Vector | None = None, *, {dt keep}, external: External | None = None, in_: str = "
          "\"local_world_aligned\", prescribed: Mapping[str, ArrayLike] | None = None, scene: Scene | None = None, "
          "{contact_accuracy}, method: str = \"automatic\", joint_effects: JointEffects | None = None, contacts: "
          "Sequence[ContactState] | None = None) -> ContactStepDerivatives"),
      [](const Robot& model, const SetObject* constraints, nb::handle q, nb::handle v, nb::handle tau,
         nb::handle external, const char* in, nb::handle prescribed, const SceneObject* scene,
         const std::string& method, const JointEffects* effects, nb::handle contacts, SimulationSettings settings) {
        return derivatives_of(model, constraints, {q, v, tau, external, in, prescribed, scene, contacts},
                              with_contact(settings, method, effects));
      },
      "A step of integrator contact from a state, and its derivatives: what is open stays open, what sticks sticks, "
      "what\nslips slips. Arguments as those of simulate.\n\n"
      "At a border of two states is_unique is False, and borders name what is there. Rows of a set need\n"
      "keep=\"stabilisation\": UnsupportedError else. Raises ValueError naming argument, got and expected.");
  bind_contact_rollout(m);
}

}  // namespace zwang::python
