// SPDX-License-Identifier: BSD-3-Clause
// BatchSimulator: many copies of one robot in one scene, stepped together with torques from outside.
//
//   zwang::BatchSimulator batch(model, constraints, {.dt = 1e-3, .integrator = zwang::Integrator::contact}, scene, n);
//   batch.reset({.q = q, .v = v});                  // n rows, or one for all
//   while (learning) {
//     zwang::StateRows<double> tau = policy(batch.q(), batch.v());
//     batch.step(tau, 10);                          // ten steps with these torques
//   }
//
// Each copy moves as a Simulator of its own with constant torques during a step: equal to the bit for every number of
// threads, place in the batch and number of copies, and for every division of its steps into calls. A copy that fails
// keeps its last good state and says why in its report; the others go on.
#pragma once
#include "zwang/batch/batch.hpp"
#include "zwang/simulation/scene.hpp"
#include "zwang/simulation/trajectory.hpp"

namespace zwang {

/// States at which copies begin.
struct BatchStart {
  StatesIn<double> q;
  StatesIn<double> v = {};  ///< absent: at rest
  /// One for each copy, or empty: all. Copies with 0 stay as they are.
  std::span<const unsigned char> mask = {};
};

/// Owns the states of its copies, and what a step needs once for each thread. step() allocates nothing, but where a
/// copy has more contacts than any before it, where a copy fails, and for what a report notes. One thread at a time may
/// call it.
class BatchSimulator {
 public:
  /// Of the settings `time` and `every` are not used: a copy moves as long as it is stepped. Throws
  /// std::invalid_argument for settings, an integrator other than Integrator::contact and a negative number of copies,
  /// and what a Simulator throws.
  BatchSimulator(const Model& model, const ConstraintSet& constraints, const SimulationSettings& settings,
                 const Scene& scene, Index copies, const BatchOptions& options = {});
  BatchSimulator(BatchSimulator&&) noexcept;
  BatchSimulator& operator=(BatchSimulator&&) noexcept;
  ~BatchSimulator();

  const Model& model() const;
  const ConstraintSet& constraints() const;  ///< its own
  const Scene& scene() const;
  const SimulationSettings& settings() const;
  Index copies() const;
  int threads() const;
  void on_progress(BatchProgress callback, void* context, double interval = 0.1);  ///< as in Batch

  /// Copies begin anew at time 0, without impulses of an earlier step. As Simulator::start(), with its notes: projected
  /// to the rows of the set, overlaps are taken apart. A copy whose state is refused (Status::non_finite_input,
  /// invalid_input) or has no solution stays where it was, with that status. Throws std::invalid_argument for wrong
  /// sizes.
  const BatchReport& reset(const BatchStart& start);
  /// One copy. `contacts`: those of the state at which an earlier motion ended, as SimulationInput::contacts; the copy
  /// then goes on to the same bits. Throws std::out_of_range for no such copy, std::invalid_argument for contacts whose
  /// shapes, coordinates or rows of the set there are not.
  Status reset(Index copy, ConstVector q, ConstVector v = {}, std::span<const ContactState> contacts = {},
               double time = 0);

  /// `count` steps of dt with constant torques [nv], one row for each copy, or one for all; absent: zeros. Copies whose
  /// status is not ok stay where they are, until reset(). Where shapes overlap after a step by more than
  /// SimulationSettings::drift_tolerance, which could not be taken apart, the copy is Status::drifted and stays in the
  /// state after that step (a Simulator goes on, and says so at the end of its time). Torques that are not finite:
  /// Status::non_finite_input of their copy. Where the progress callback stops the call, copies may have different
  /// times. Throws std::invalid_argument for wrong sizes and count < 1, std::logic_error before the first reset().
  const BatchReport& step(const StatesIn<double>& tau = {}, long count = 1);

  using Rows = Eigen::Map<const StateRows<double>>;
  Rows q() const;            ///< [copies x nq] the last good states. Views are valid as long as the simulator
  Rows v() const;            ///< [copies x nv]
  VectorView time() const;   ///< [copies] [s]
  VectorView energy() const; /**< [copies] kinetic and potential, with springs and gravity_scale [J]; NaN where it
                                leaves the range of double and before a reset */
  /// [copies x 3 links] sum of the forces of contact on each link of the model in the last step, world, means of that
  /// step [N]: of its shapes, and of the ContactConstraints with a sense whose frames are on it; no other rows. Zeros
  /// after a reset without contacts.
  Rows contact_force() const;
  std::span<const ContactState> contacts(Index copy) const;  ///< of its last step. Throws std::out_of_range
  const SimulationReport& report(Index copy) const;          ///< since its reset. Throws std::out_of_range
  const BatchReport& report() const;                         ///< status of all copies as they are now

  struct Impl;

 private:
  Owned<Impl> impl_;
};

}  // namespace zwang
