// SPDX-License-Identifier: BSD-3-Clause
// WrenchObserver: forces that act on a robot from outside, from positions, velocities and the torques of its motors. No
// acceleration is measured, no signal is differentiated.
//
//   p = M v,    dp/dt = tau - g + C^T v + J^T lambda + P tau_ext        tau_ext: of what is not known [nv]
//   dr/dt = K (P tau_ext - r),    P = 1 - J^T (J M^-1 J^T)^+ J M^-1
//
// g: gravity, springs, damping, friction and known wrenches; J^T lambda: what the rows do against the known
// forces, a solve (Gauss). What the rows take up of tau_ext moves nothing: r follows the rest, P tau_ext,
// as a filter of first order with the time constant 1 / K. Without rows P = 1: De Luca & Mattone 2005.
// Nothing is special about a floating base.
//
// Wrenches w at the frames of `at`, with their Jacobians J_w: minimise 1/2 |r - J^T mu - J_w^T w|^2 in the metric of
// M^-1 over w and mu: the impulses that bring the robot to rest which r, taken as an impulse, would set in motion.
#pragma once
#include <string>
#include <vector>

#include "zwang/core/owned.hpp"
#include "zwang/core/record.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang {

/// Where a wrench may act that is not known, and in which directions.
struct UnknownWrench {
  std::string frame;
  RowSelection rows = zwang::rows("all");
  std::string in = "local_world_aligned";  ///< axes of the rows, as of a FrameConstraint
  std::string name = {};                   ///< empty: the frame's
};

/// The filter of the observer.
struct WrenchObserverSettings {
  double gain = 50;  ///< K > 0 [1/s]; infinity: r is the mean since the last sample
  /// true: tau is held from its sample to the next, as by a digital controller. false: between samples it is linear.
  bool held_torque = false;
  /// Smallest angle at which rows of wrenches count, in the metric of M^-1: directions that the coordinates feel less
  /// are left out, since they would multiply every error of the measurement by its inverse.
  double tolerance = 1e-3;
  /// Relative residual from which the rows count as contradicting each other at the measured state: `infeasible`.
  double feasibility = 1e-9;
  std::string method = "automatic";
  JointEffects joint_effects = {};
};
/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<WrenchObserverSettings>) {
  using T = WrenchObserverSettings;
  v.record("WrenchObserverSettings", "How fast an estimate follows, and which directions count.");
  v("gain", &T::gain, "[1/s], infinity: no filter");
  v("held_torque", &T::held_torque, "tau stays from its sample to the next");
  v("tolerance", &T::tolerance, "directions that the joints feel less are left out");
  v("feasibility", &T::feasibility, "relative residual from which rows contradict each other");
  v("method", &T::method, "one of methods()");
  v("joint_effects", &T::joint_effects, "armature, damping, springs, friction, gravity_scale");
}

/// A sample.
struct WrenchObserverInput {
  ConstVector q, v;
  ConstVector tau = {};                 ///< of the motors; empty: zeros
  const Externals* external = nullptr;  ///< wrenches that are known: of a sensor, of a payload
  double dt = 0;                        ///< since the last sample [s], > 0; not read by start() and resume()
};

/// Views of the observer's memory, until its next call.
struct WrenchEstimate {
  /// infeasible: the rows contradict each other at this state; their forces are those of least squares. singular_mass,
  /// not_converged, overflow, invalid_input, non_finite_input: the sample was not used, everything is as before it.
  Status status = Status::ok;
  VectorView torque{nullptr, 0};       ///< r [nv]
  VectorView unexplained{nullptr, 0};  ///< r - J^T mu - J_w^T w [nv]: what wrenches at these places cannot be
  VectorView wrenches{nullptr, 0};     ///< w of all rows of `at`, in order
  Index rank = 0;                      ///< of those of them that are active, as the coordinates feel them
  /// Rows that depend on rows before them: of these, w is the least of all that explain r the same.
  std::vector<std::string_view> redundant = {};
  std::string_view invalid = {};  ///< the argument that try_update refused
};

/// Has copies of the model and the set; rows of drivers are left out, since their forces are in tau, and stabilisation
/// is off. Allocates at construction alone. UnsupportedError, naming the constraint: soft rows, rows with a sense or a
/// limit, and rows that leave causes uncompensated: make them known wrenches, or switch hard rows by set_active().
class WrenchObserver {
 public:
  /// Throws std::invalid_argument for settings, unknown frames and names that are not new.
  WrenchObserver(const Model& model, const std::vector<UnknownWrench>& at, const WrenchObserverSettings& settings = {});
  WrenchObserver(const Model& model, const ConstraintSet& constraints, const std::vector<UnknownWrench>& at,
                 const WrenchObserverSettings& settings = {});
  WrenchObserver(WrenchObserver&&) noexcept;
  WrenchObserver& operator=(WrenchObserver&&) noexcept;
  ~WrenchObserver();

  /// The first sample: r = 0.
  const WrenchEstimate& start(const WrenchObserverInput& sample);
  /// A sample after a jump of v (an impact), or after a pause: r stays, time goes on from here.
  const WrenchEstimate& resume(const WrenchObserverInput& sample);
  /// The next sample. These three throw std::invalid_argument naming the argument for wrong sizes, entries that are not
  /// finite and dt that is not > 0; std::logic_error before start().
  const WrenchEstimate& update(const WrenchObserverInput& sample);
  /// The same without exceptions; before start() `invalid` is "start".
  const WrenchEstimate& try_update(const WrenchObserverInput& sample) noexcept;

  /// Switches a constraint, all of a group, or an unknown wrench, from the next sample on. Where velocities jump with
  /// it, call resume(). Throws std::invalid_argument for unknown names and for drivers.
  void set_active(const std::string& name, bool active);

  const WrenchEstimate& estimate() const;
  /// The rows of an unknown wrench, in its axes; throws std::invalid_argument with the nearest name.
  VectorView wrench(const std::string& name) const;
  const std::vector<std::string>& names() const;      ///< of the unknown wrenches
  const std::vector<std::string>& row_names() const;  ///< of WrenchEstimate::wrenches
  const Model& model() const;
  Data& data();  ///< for overrides of inertias, payloads and gravity

 private:
  struct Impl;
  Owned<Impl> impl_;
};

}  // namespace zwang
