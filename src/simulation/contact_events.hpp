// SPDX-License-Identifier: BSD-3-Clause
// ContactEvents: which pairs begin to push and cease to, as events of a motion by Integrator::contact.
#pragma once
#include "simulation/movement.hpp"
#include "simulation/stepper.hpp"

namespace zwang {

class ContactEvents {
 public:
  explicit ContactEvents(Movement& motion) : motion_(motion) {}
  /// Throws std::invalid_argument for another integrator, unknown names, and what an event of this kind does not do.
  void add(const SimulationEvent& event, Index number);
  bool any() const { return !list_.empty(); }

  /// What pushes at the first state.
  void begin(std::span<const ContactState> contacts);
  /// After a step to `time`: its contacts, the impacts in it. Appends what has happened; true: the motion ends.
  bool look(double time, const Stepper& step, long state, std::vector<EventRecord>& happened);

 private:
  struct One {
    SimulationEvent event;
    Index number;
  };
  struct Pair {
    ContactState::What what;
    Index a, b, coordinate;
    auto operator<=>(const Pair&) const = default;
  };
  void pairs_of(std::span<const ContactState> contacts, std::vector<Pair>& to) const;
  bool concerns(const ContactChange& change, const ContactState& x) const;
  bool is_side(const std::string& name, const ContactState& x, bool second) const;
  std::string name_of(const ContactState& x, bool second) const;
  bool tell(ContactChange::Kind kind, double time, const ContactState& x, long state,
            std::vector<EventRecord>& happened) const;
  Movement& motion_;
  std::vector<One> list_;
  std::vector<Pair> before_, now_;  ///< what pushes, sorted
  std::vector<ContactState> last_;  ///< the contacts of the step before
};

}  // namespace zwang
