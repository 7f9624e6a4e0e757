// SPDX-License-Identifier: BSD-3-Clause
// Constrained dynamics and rollouts of many states at once.
#pragma once
#include <functional>

#include "call.hpp"
#include "solution.hpp"

namespace zwang::python {

/// Rows of `size` numbers, one per state or one for all.
struct StateRows {
  std::vector<double> x = {};
  Index size = 0, states = -1;
  double at(Index state, Index k) const { return of(state).data()[k]; }
  ConstVector of(Index state) const {
    return {x.data() + (states < 0 ? 0 : state) * static_cast<std::ptrdiff_t>(size), size};
  }
  StatesIn<double> all(Index n) const {
    return size > 0 ? states_in<double>(x.data(), n, size, states < 0 ? 0 : size) : StatesIn<double>();
  }
  /// From column `first` on `count` numbers; one number for all of them where `in` has one. One row becomes N where
  /// `in` has N.
  void put(const Input& in, Index first, Index count);
};
/// f(constraint, value) for the entries of a dictionary from constraints and groups; a constraint that is named twice
/// is refused.
void for_each_constraint(const char* function, const char* name, nb::handle given, const ConstraintSet& set,
                         const std::function<void(Index, nb::handle)>& f);

/// Arguments of Solver.solve that may differ from state to state, in addition to those of every call.
struct StateMasks {
  /// `prescribed={name: one value, k of them, (N,) or (N, k)}`, `active=` (constraints,), (N, constraints) or a
  /// dictionary of names.
  StateMasks(Call& call, const char* function, const Model& model, nb::handle prescribed, nb::handle active,
             const ConstraintSet& set);
  std::vector<Index> coordinates;  ///< of the prescribed values
  StateRows given, active;
  bool has_active = false;
  Prescribed prescribed() const;  ///< of one state
  const char* function;
};

/// What a solver is asked at a state or at N, as the caller gave it; `motors`: torques, or impulses.
struct StateGiven {
  nb::handle q, v, motors, gravity, external;
  const char* in;
  nb::handle prescribed, active;
};
/// The same, read once for one state and for N.
struct StateInputs {
  StateInputs(Call& call, const char* function, const ConstraintSet& set, const StateGiven& given,
              const char* name_of_v = "v", const char* name_of_motors = "tau");
  const Input& q;
  const Input *v, *motors;
  const StateMasks masks;
  /// The numbers of one state, or nothing.
  static ConstVector vector(const Input* x) { return x != nullptr ? ConstVector(x->at(0), x->size()) : ConstVector(); }
  template <class T> static StatesIn<T> states(const Input* x, Index n) {
    return x != nullptr ? states_in<T>(*x, n) : StatesIn<T>();
  }
  /// A SolveInput or ImpulseInput of one state, without its motors; `w`: where the wrenches are placed; `prescribed`:
  /// masks.prescribed().
  template <class X> X of_one(const Workspace& w, const Prescribed& prescribed) const {
    X x{};
    x.q = vector(&q), x.v = vector(v);
    if (!w.external.empty()) x.external = &w.external;
    if (!prescribed.empty()) x.prescribed = &prescribed;
    return x;
  }
};

/// Solver.solve of N states. `reuse`: into the arrays of `s`.
void solve_states(SolverCore& core, Call& call, const StateInputs& given, const Input* beta,
                  const JointEffects* effects, SolutionObject& s, bool reuse);

/// Integration over many steps. `core` nullptr: without constraints.
struct RolloutArguments {
  nb::handle q, v, tau;
  Index steps;
  double dt;
  const char* integrator;
  nb::handle active, external, prescribed;
  const char* in;
  const JointEffects* effects;
  bool trajectory;
  nb::handle out, status, progress;
  bool last_step = false;  ///< of a longer rollout: its notes are those of where the last step begins
};
nb::object rollout(const Robot& robot, SolverCore* core, const RolloutArguments& given);
/// The same with `tau` a function of (t, q, v), called before every step.
nb::object rollout_with_feedback(const Robot& robot, SolverCore* core, const RolloutArguments& given);
nb::object new_rollout(const nb::object& q, const nb::object& v, const nb::object& status, const nb::list& notes);
/// zwang.rollout.
void bind_rollout(nb::module_& m);

#define ZWANG_ROLLOUT_SIGNATURE                                                                                     \
  "q: Vector, v: Vector | None = None, tau: Vector | Callable[[float, Array, Array], ArrayLike] | None = None, *, " \
  "steps: int, dt: float, integrator: str = 'semi_implicit', "                                                      \
  "external: External | None = None, prescribed: Mapping[str, ArrayLike] | None = None, in_: str = "                \
  "\"local_world_aligned\", joint_effects: JointEffects | None = None, "                                            \
  "trajectory: bool = False, out: tuple[Array, Array] | Rollout | None = None, status: StatusArray | None = None, " \
  "progress: Progress = None"
#define ZWANG_ROLLOUT_DOC                                                                                              \
  "Steps of length dt [s]. integrator 'semi_implicit': v += dt q'', q = q (+) dt v, with joint damping at the end "    \
  "of\n"                                                                                                               \
  "the step; 'rk4': the classical Runge-Kutta method on the groups of the joints. Both in lanes; other ones: "         \
  "simulate().\n\n"                                                                                                    \
  "q (nq,) or (N, nq), v or None (at rest), tau (nv,) or (N, nv) for all steps, (N, steps, nv) for each; None: "       \
  "zeros;\n"                                                                                                           \
  "or a function tau(t, q, v) that is called before each step with the arrays of all states.\n"                        \
  "external: wrenches for all steps, in_ local, world or local_world_aligned. prescribed: accelerations by joint, "    \
  "for\n"                                                                                                              \
  "all steps, numbers or (N,). Returns a Rollout (q, v, status): the\n"                                                \
  "state at the end, (N, nq) and (N, nv), or with trajectory=True after each step, (N, steps, nq) and (N, steps, "     \
  "nv).\n"                                                                                                             \
  "Rollout.notes: rows that states violate where it begins and where its last step does, counted. All in float32:\n"   \
  "computed and returned in float32. out: (q, v) or an earlier Rollout. Numerical outcomes never\n"                    \
  "raise, they are status (Status; NaN). Raises ValueError for arguments, naming the state; where status= is given,\n" \
  "arguments that are not finite are a status, too. progress: True, a callable (done, total) or ProgressEvery. "       \
  "Ctrl-C stops."

}  // namespace zwang::python
