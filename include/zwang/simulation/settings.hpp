// SPDX-License-Identifier: BSD-3-Clause
// What a motion in time is computed from: integrator, step, how constraints are kept,
// forces as functions of the state, events.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "zwang/core/record.hpp"
#include "zwang/question/impulse.hpp"
#include "zwang/simulation/contact_state.hpp"

namespace zwang {

/// THE list of integrators, in the order shown to users. An integrator is a line here and a file in src/simulation.
///
/// semi_implicit   v += h q'', q = q (+) h v; joint damping at the end of the step. Order 1.
/// rk4             Runge & Kutta's method on the groups of the joints (Munthe-Kaas 1999). Order 4.
/// half_explicit   Brasey & Hairer's HEM4 (1993) on the groups: J v = target_velocity at every stage and at the end.
///                 Order 4.
/// variational     Discrete Lagrangian at the midpoint on the groups, with multipliers at both ends of the step
///                 (RATTLE): phi = target and J v = target_velocity at the end. Order 2, symplectic, reversible;
///                 implicit.
/// dormand_prince  Dormand & Prince's method (1980) on the groups, with an estimate of its error: a step whose error is
///                 above SimulationSettings::accuracy is divided into up to 64 parts. Order 5.
/// contact         Moreau's time stepping (1988) with exact friction: impulses of contacts (Scene), limits and dry
///                 friction of joints by a ContactSolver, restitution at the instant of an impact. Order 1 where
///                 something touches; steps in which nothing does are those of rk4.
#define ZWANG_INTEGRATORS(an_integrator)                                                                  \
  an_integrator(semi_implicit) an_integrator(rk4) an_integrator(half_explicit) an_integrator(variational) \
      an_integrator(dormand_prince) an_integrator(contact)

/// How a step of length h goes from (q, v) to the next state (docs/simulation.md).
enum class Integrator {
#define ZWANG_VALUE(name) name,
  ZWANG_INTEGRATORS(ZWANG_VALUE)
#undef ZWANG_VALUE
};
/// The words of its values, in their order.
constexpr auto words_of(Type<Integrator>) {
#define ZWANG_WORD(name) #name,
  return std::array{ZWANG_INTEGRATORS(ZWANG_WORD)};
#undef ZWANG_WORD
}
/// `semi_implicit`, `rk4`, `half_explicit`, `variational`, `dormand_prince`, `contact`;
/// throws std::invalid_argument with the nearest word.
Integrator integrator_of(const std::string& word);
/// The words of integrator_of().
std::vector<std::string> integrators();

/// What keeps constraints from drifting.
enum class Keep {
  /// `projection` of hard rows of position that have no feedback of their own (Stabilisation) and ask for no
  /// acceleration of their own (beta), and of the hard rows of velocity beside them; feedback of the others.
  automatic,
  stabilisation,  ///< the feedback of the constraints themselves (Stabilisation); without it they drift
  /// After each step the state goes to the nearest one in the metric of the mass matrix at which the rows hold.
  /// Constraints with a sense, a limit or a compliance take no part: they act by their forces alone.
  projection,
};
/// The words of its values, in their order.
constexpr auto words_of(Type<Keep>) { return std::array{"automatic", "stabilisation", "projection"}; }
/// Throws std::invalid_argument with the nearest word.
Keep keep_of(const std::string& word);

/// Length, step and integrator of a motion, and how constraints are kept.
struct SimulationSettings {
  double time = 1;   ///< length of the motion [s], > 0
  double dt = 1e-3;  ///< step [s], > 0; the last one ends at `time`
  Integrator integrator = Integrator::dormand_prince;
  Keep keep = Keep::automatic;
  double accuracy =
      1e-9;  ///< of dormand_prince: error of a part of a step [rad, m], of velocities beside the largest; > 0
  /// Of Integrator::contact: largest residual of the impulses of a step (ContactReport), > 0. Steps look for a
  /// hundredth of it; what they have reached is in SimulationReport::contact.
  double contact_accuracy = 1e-8;
  double tolerance = 1e-12;  ///< of projections, as AssemblySettings::tolerance
  /// A motion whose physical rows of position are further off than this at its end, or further on the way than at its
  /// start, ends with `drifted`; of an angle in rad, of a length beside the extent of the robot. > 0
  double drift_tolerance = 1e-3;
  Index every = 1;  ///< states between two that a trajectory records, >= 1; the last one is recorded, too
  SolverSettings solver = {};
};
/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<SimulationSettings>) {
  using T = SimulationSettings;
  v.record("SimulationSettings", "Length, step and integrator of a motion, and how constraints are kept.");
  v("time", &T::time, "length of the motion [s]");
  v("dt", &T::dt, "step [s]");
  v("integrator", &T::integrator, "one of integrators()");
  v("keep", &T::keep, "automatic, stabilisation or projection");
  v("accuracy", &T::accuracy, "of dormand_prince: error of a part of a step");
  v("contact_accuracy", &T::contact_accuracy, "of contact: largest residual of the impulses of a step");
  v("tolerance", &T::tolerance, "of projections");
  v("drift_tolerance", &T::drift_tolerance, "of physical rows of position at the end");
  v("every", &T::every, "steps between two recorded states");
  v("solver", &T::solver, "of its solves");
}

/// Where a motion is, for functions of the state. They write the forces and may write targets,
/// beta and other numbers of the constraints.
struct SimulationStage {
  double time;  ///< [s]
  VectorView q, v;
  Eigen::Map<Eigen::VectorXd> tau;  ///< of the motors [nv]: SimulationInput::tau when the function is called
  Externals& external;              ///< SimulationInput::external when the function is called
  Prescribed& prescribed;           ///< their accelerations may be written; the coordinates stay
  ConstraintSet& constraints;       ///< the simulator's own
};
/// Forces as a function of time and state. An integrator calls it several times in a step, also at states that it does
/// not keep: what it writes depends on time, q and v alone. What it throws ends the call of the simulator.
class SimulationControl {
 public:
  virtual ~SimulationControl();
  virtual void operator()(SimulationStage& stage) = 0;
};

/// A state of a motion.
struct SimulationState {
  double time = 0;  ///< [s]
  VectorView q{nullptr, 0}, v{nullptr, 0}, acceleration{nullptr, 0};
  VectorView multipliers{nullptr, 0};  ///< of the solve at this state; 0 for inactive rows
  double energy = 0;                   ///< kinetic and potential, with springs and gravity_scale [J]
  /// Largest |phi - target| and |phi' - target_velocity| of active hard rows, in their units [m, rad];
  /// of rows with a sense the violation.
  double error = 0, velocity_error = 0;
  /// Of Integrator::contact: what touched in the step that led to this state.
  std::span<const ContactState> contacts = {};
};

/// A number whose change of sign is an event.
class EventFunction {
 public:
  virtual ~EventFunction();
  virtual double operator()(const SimulationState& state) = 0;
  /// Whether it reads acceleration and multipliers: then a solve precedes every call of the function.
  virtual bool reads_forces() const { return false; }
};
/// In which direction a function must pass zero to be an event.
enum class Crossing { falling, rising, both };
/// The words of its values, in their order.
constexpr auto words_of(Type<Crossing>) { return std::array{"falling", "rising", "both"}; }
/// `falling`, `rising`, `both`.
Crossing crossing_of(const std::string& word);

/// Of Integrator::contact: two shapes begin to push each other, or cease to, as an event.
struct ContactChange {
  enum class Kind { touch, leave };
  Kind kind = Kind::touch;
  /// Shapes, links, coordinates (of limits), or constraints of the set that have a sense; empty: any.
  std::string a = {}, b = {};
};
/// The words of its values, in their order.
constexpr auto words_of(Type<ContactChange::Kind>) { return std::array{"touch", "leave"}; }

/// What happens where a function of the state changes its sign: its time is located to 1e-12 of a step.
/// First the rows of `on` and `bounce` give their impulse, then `off` is switched off. An event that finds
/// nothing to switch does nothing; one whose function is past zero when it finds something happens where the
/// function goes further (docs/simulation.md).
///
/// With `contact` in place of a function it is a record, which may stop the motion at the end of its step and switches
/// nothing: for each pair that pushes in a step and did not in the one before (touch), or the reverse (leave), at the
/// end of that step; an impact with restitution is both, at its instant.
struct SimulationEvent {
  std::string name = {};
  std::shared_ptr<EventFunction> function = nullptr;
  std::optional<ContactChange> contact = {};
  Crossing crossing = Crossing::falling;
  std::vector<std::string> on = {};      ///< constraints or groups, switched on with their impulse
  std::vector<std::string> off = {};     ///< switched off
  std::vector<std::string> bounce = {};  ///< they act in the impulse alone
  NumbersByName restitution = {};        ///< of the impulse, of constraints in `bounce`, by constraint or group
  Restitution model = Restitution::newton;
  bool stop = false;  ///< the motion ends here, with status ok
};

/// The height of a point over a plane: normal . (x - plane), e.g. of a foot over the ground.
std::shared_ptr<EventFunction> point_height(const Model& model, FrameIn frame, const Vec3<double>& point,
                                            const Vec3<double>& normal, double offset = 0);
/// q or v of a coordinate with q' = v, minus a value.
std::shared_ptr<EventFunction> coordinate_value(const Model& model, const std::string& coordinate, double value);
std::shared_ptr<EventFunction> coordinate_rate(const Model& model, const std::string& coordinate, double value);
/// The multiplier of a row (`foot:normal`) minus a value: where a contact begins to pull.
std::shared_ptr<EventFunction> row_multiplier(const ConstraintSet& constraints, const std::string& row,
                                              double value = 0);

/// The state at the begin, and what acts during the motion.
struct SimulationInput {
  ConstVector q;
  ConstVector v = {};                      ///< empty: at rest
  ConstVector tau = {};                    ///< constant torques; empty: zeros
  const Externals* external = nullptr;     ///< constant wrenches
  const Prescribed* prescribed = nullptr;  ///< coordinates whose accelerations are given
  double time = 0;                         ///< at the start [s]
  /// Of Integrator::contact: those of the state at which an earlier motion ended, whose impulses are tried first. With
  /// them a motion goes on to the same bits as one that was not interrupted.
  std::span<const ContactState> contacts = {};
};

/// Called after every step with the time reached and that of the end; false stops the motion.
using SimulationProgress = bool (*)(void* context, double time, double end);

}  // namespace zwang
