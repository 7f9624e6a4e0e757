// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/contact_events.hpp"

#include <algorithm>
#include <limits>

#include "zwang/core/error.hpp"

namespace zwang {
namespace {

using What = ContactState::What;

bool pushes(const ContactState& x) { return x.what != What::friction && x.kind != ContactState::Kind::open; }

/// The constraint of a row of the set.
const Constraint& constraint_of(const ConstraintSet& set, Index row) {
  for (const Constraint& x : set.constraints()) {
    if (row < x.size()) return x;
    row -= x.size();
  }
  throw std::logic_error("a contact of no row");
}

}  // namespace

std::string ContactEvents::name_of(const ContactState& x, bool second) const {
  if (x.what == What::point) return motion_.scene().shapes()[static_cast<std::size_t>(second ? x.b : x.a)].name;
  if (!second) return {};
  if (x.is_of_set()) return constraint_of(motion_.set, x.coordinate).name;
  return motion_.model.coordinate_names()[static_cast<std::size_t>(x.coordinate)];
}

bool ContactEvents::is_side(const std::string& name, const ContactState& x, bool second) const {
  if (name.empty() || name_of(x, second) == name) return true;
  if (x.what != What::point) return false;
  return motion_.scene().shapes()[static_cast<std::size_t>(second ? x.b : x.a)].link == name;
}

/// One name: either side has it.
bool ContactEvents::concerns(const ContactChange& change, const ContactState& x) const {
  return (is_side(change.a, x, false) && is_side(change.b, x, true)) ||
         (is_side(change.a, x, true) && is_side(change.b, x, false));
}

void ContactEvents::add(const SimulationEvent& event, Index number) {
  const std::string who = "Simulator: event '" + event.name + "': ";
  if (event.function != nullptr)
    throw std::invalid_argument(who + "it has a function and a change of contact; expected one of them");
  if (motion_.settings.integrator != Integrator::contact)
    throw std::invalid_argument(who + "only integrator 'contact' knows what touches");
  if (!event.on.empty() || !event.off.empty() || !event.bounce.empty())
    throw std::invalid_argument(who +
                                "a change of contact is recorded, or stops the motion; rows are switched by events "
                                "of functions");
  std::vector<std::string> known;
  for (const SceneShape& x : motion_.scene().shapes()) known.push_back(x.name);
  for (const Link& x : motion_.model.links()) known.push_back(x.name);
  for (const Index c : motion_.sided()) known.push_back(motion_.set.constraints()[static_cast<std::size_t>(c)].name);
  const std::vector<std::string>& coordinates = motion_.model.coordinate_names();
  known.insert(known.end(), coordinates.begin(), coordinates.end());
  for (const std::string* name : {&event.contact->a, &event.contact->b})
    if (!name->empty() && std::find(known.begin(), known.end(), *name) == known.end())
      detail::throw_unknown((who + "shape, link or constraint").c_str(), *name, known);
  list_.push_back({event, number});
}

void ContactEvents::pairs_of(std::span<const ContactState> contacts, std::vector<Pair>& to) const {
  to.clear();
  for (const ContactState& x : contacts)
    if (pushes(x)) to.push_back({x.what, x.a, x.b, x.coordinate});
  std::sort(to.begin(), to.end());
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

void ContactEvents::begin(std::span<const ContactState> contacts) {
  pairs_of(contacts, before_);
  last_.assign(contacts.begin(), contacts.end());
}

bool ContactEvents::tell(ContactChange::Kind kind, double time, const ContactState& x, long state,
                         std::vector<EventRecord>& happened) const {
  bool stop = false;
  for (const One& one : list_) {
    if (one.event.contact->kind != kind || !concerns(*one.event.contact, x)) continue;
    happened.push_back({.time = time,
                        .event = one.number,
                        .name = one.event.name,
                        .energy_before = std::numeric_limits<double>::quiet_NaN(),
                        .energy_after = std::numeric_limits<double>::quiet_NaN(),
                        .state = state,
                        .a = name_of(x, false),
                        .b = name_of(x, true),
                        .point = x.point,
                        .has_place = x.has_place()});
    stop = stop || one.event.stop;
  }
  return stop;
}

bool ContactEvents::look(double time, const Stepper& step, long state, std::vector<EventRecord>& happened) {
  bool stop = false;
  for (const ContactImpact& x : step.impacts()) {
    if (std::binary_search(before_.begin(), before_.end(), Pair{x.at.what, x.at.a, x.at.b, x.at.coordinate})) continue;
    stop |= tell(ContactChange::Kind::touch, x.time, x.at, state, happened);
    stop |= tell(ContactChange::Kind::leave, x.time, x.at, state, happened);
  }
  const std::span<const ContactState> contacts = step.contacts();
  pairs_of(contacts, now_);
  /// The first point of each pair of `in` that is not one of `others`.
  const auto changed = [&](const std::vector<Pair>& in, const std::vector<Pair>& others,
                           std::span<const ContactState> points, ContactChange::Kind kind) {
    for (const Pair& pair : in) {
      if (std::binary_search(others.begin(), others.end(), pair)) continue;
      const auto at = std::find_if(points.begin(), points.end(), [&](const ContactState& x) {
        return pushes(x) && Pair{x.what, x.a, x.b, x.coordinate} == pair;
      });
      if (at != points.end()) stop |= tell(kind, time, *at, state, happened);
    }
  };
  changed(before_, now_, last_, ContactChange::Kind::leave);
  changed(now_, before_, contacts, ContactChange::Kind::touch);
  before_.swap(now_);
  last_.assign(contacts.begin(), contacts.end());
  return stop;
}

}  // namespace zwang
