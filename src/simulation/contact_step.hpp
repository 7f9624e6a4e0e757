// SPDX-License-Identifier: BSD-3-Clause
// ContactStep: the Stepper of Integrator::contact. contact_step.cpp has its steps, contact_motion.cpp where a motion
// begins and what is kept and said of it.
#pragma once
#include "simulation/contact_impulses.hpp"
#include "simulation/stepper.hpp"
#include "simulation/unturned_axes.hpp"

namespace zwang {

class ContactStep : public Stepper {
 public:
  explicit ContactStep(Movement& motion);
  bool start(MovementState& state, double h, SimulationReport& report) override;
  bool step(double h, const MovementState& from, MovementState& to) override;
  void accept(SimulationReport& report) override;
  bool means(double* acceleration, double* multipliers, double* motor_torque) const override;
  std::span<const ContactState> contacts() const override { return *shown_; }
  void exchange(ContactMemory& other) override;
  std::span<const ContactImpact> impacts() const override { return shown_impacts_; }
  std::string broken() const override;
  double implicit(double h) const override { return motion_.settings.solver.joint_effects.damping ? h : 0; }
  bool record(ContactRecord* to) override;

 private:
  static constexpr double k_overlap = 1e-11;  ///< that is left after a step [m, rad]
  using Row = ContactRow;
  bool is_fast(const Row& x, const double* v) const { return impulses_.rows.approach(x, v) < -rest_; }
  bool flies(const Row& x, const double* v) const;
  void keep();
  void restore();
  void add_part(double h);
  void finish_parts(const MovementState& from, const MovementState& to);
  bool step_whole(double h, const MovementState& from, MovementState& to);
  bool strike(MovementState& at, bool& struck);
  bool hits(const MovementState& at, bool& slow);
  double gap_of_what_strikes(const MovementState& at, double h);
  bool locate(double h, const MovementState& from, MovementState& to, double& low);
  bool advance(double h, const MovementState& from, MovementState& to, bool bouncing);
  bool is_resolved(double h, const double* q, const double* v, const MovementState& to);
  bool free_flight(double h, const MovementState& from, MovementState& to, bool bouncing, bool& good);
  void publish(double h);
  void note_impact();
  void note_rows();
  void say(SimulationReport& report);

  Movement& motion_;
  const Model& model_;
  ContactImpulses impulses_;
  const UnturnedAxes axes_;
  std::unique_ptr<Stepper> free_;
  const double rest_;  ///< approach that does not bounce [m/s]
  bool bounces_ = false, is_free_ = true;
  double first_hit_ = 0;                                ///< when a point that flies should close, by its speed [s]
  std::vector<ContactImpact> impacts_, shown_impacts_;  ///< of the last step; of the last one accepted
  MovementState begin_, now_;                           ///< where a part of a step begins
  Buffer<double> v_free_, move_, torque_;
  struct Means {
    Buffer<double> acceleration, motor_torque, multipliers;
  } means_;                          ///< of the last step()
  ContactMemory memory_;             ///< of the last step of the motion
  std::vector<ContactState> trial_;  ///< contacts of the last step(), sorted
  std::vector<ContactState> first_;  ///< of the first state
  const std::vector<ContactState>* shown_ = &memory_.contacts;
  /// What is said of the parts of a step that stay.
  struct Kept {
    ContactTotals totals = {};
    ContactImpulses::Doubt doubt = {};
    bool many = false;  ///< impacts
    std::size_t impacts = 0;
  } kept_;
  /// Means of the parts of a step that stay, where there are several.
  struct Parts {
    double whole = 0;  ///< length of the step
    int count = 0;
    bool touched = false;
    std::vector<ContactState> contacts = {};
    std::vector<double> motor_torque = {}, multipliers = {};
  } parts_, saved_;
  ContactRecord* record_ = nullptr;
};

}  // namespace zwang
