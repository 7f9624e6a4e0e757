// SPDX-License-Identifier: BSD-3-Clause
// Events: functions of the state whose sign changes, and what is switched then.
#pragma once
#include "simulation/movement.hpp"
#include "zwang/simulation/trajectory.hpp"

namespace zwang {

class Events {
 public:
  explicit Events(Movement& motion) : motion_(motion) {}
  /// Throws std::invalid_argument for unknown names and an event without a function.
  void add(const SimulationEvent& event, Index number);  ///< number: of all events
  bool any() const { return !list_.empty(); }
  bool read_forces() const { return forces_; }

  /// The values at the first state. An event that begins past zero waits until
  /// its function has come back: a note says so.
  void begin(const SimulationState& state, std::vector<SimulationNote>& notes);
  /// The values at a state that a step has reached, and at the end of one that is tried.
  void measure_now(const SimulationState& state);
  void measure_next(const SimulationState& state) { measure(state, &One::next); }
  /// Whether some event crosses zero between the two. Those that have nothing to switch do not count.
  bool crosses() const;
  /// Of the events that cross, the smallest of value / (value - next): where a straight line would cross.
  double fraction() const;
  /// The values at a state inside of the step become the end of the interval if some event has crossed before it, else
  /// its beginning. True in the first case.
  bool narrow(const SimulationState& state);

  struct Outcome {
    bool stop = false, struck = false;
    double energy_before = 0, energy_after = 0;
  };
  /// Does what the events say that have crossed; impulse() has the multipliers. False: Movement::status says why.
  bool apply(MovementState& state, Outcome& outcome);
  /// The values at the state after apply(). True: one that has not crossed before has jumped over zero by what was
  /// applied, so that crosses() holds and apply() is due again.
  bool jumps(const SimulationState& state);
  /// Calls f(index, name) for those that have crossed.
  template <class F> void for_crossed(F&& f) const {
    for (std::size_t k = 0; k < list_.size(); ++k)
      if (crosses(list_[k])) f(list_[k].number, list_[k].event.name);
  }
  VectorView impulse() const { return {impulse_.data(), static_cast<Eigen::Index>(impulse_.size())}; }

 private:
  struct One {
    SimulationEvent event;
    Index number;
    std::vector<std::string> on, off, bounce;  ///< constraints
    std::vector<double> restitution;           ///< [rows]
    double now = 0, next = 0;
    double low = 0, high = 0;  ///< it falls where it goes below `low`, and rises where it goes above `high`
    bool applied = false;
  };
  void measure(const SimulationState& state, double One::*to);
  bool crosses(const One& x) const;
  bool has_work(const One& x) const;
  void settle(One& x) const;
  void hold();
  Movement& motion_;
  std::vector<One> list_;
  std::vector<double> impulse_, restitution_;
  bool forces_ = false;
};

}  // namespace zwang
