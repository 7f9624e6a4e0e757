// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/constraint/constraint_set.hpp"

#include <algorithm>
#include <cmath>

#include "constraint/constraint_state.hpp"
#include "constraint/joint_columns.hpp"

namespace zwang {
namespace {

/// Names of constraints, of groups, or of both, for error messages.
template <class... Named>
[[noreturn]] void throw_unknown(const char* kind, const std::string& name, const Named&... all) {
  std::vector<std::string> known;
  const auto collect = [&](const auto& list) {
    for (const auto& x : list) known.push_back(x.name);
  };
  (collect(all), ...);
  detail::throw_unknown(kind, name, known);
}

template <class State> Constraint& find_constraint(State& state, const std::string& name) {
  if (Constraint* const c = state.find(name)) return *c;
  throw_unknown("constraint", name, state.constraints);
}

/// Refuses a name that a constraint or group already has.
template <class State> void check_new(State& state, const std::string& name) {
  const char* const kind = state.find(name) != nullptr         ? "constraint"
                           : state.find_group(name) != nullptr ? "group"
                                                               : nullptr;
  if (kind != nullptr)
    throw std::invalid_argument(std::string("ConstraintSet: a ") + kind + " named '" + name + "' is there already");
}

}  // namespace

ConstraintSet::ConstraintSet(const Model& model) : state_(std::make_shared<State>(State{model, {}, {}, {}, 0})) {}
ConstraintSet::ConstraintSet(const ConstraintSet& other) : state_(std::make_shared<State>(other.state())) {}
ConstraintSet::ConstraintSet(std::shared_ptr<State> state) : state_(std::move(state)) {}
ConstraintSet::State& ConstraintSet::state() const {
  if (state_ == nullptr) [[unlikely]]
    throw std::logic_error("ConstraintSet: it was moved from");
  return *state_;
}
ConstraintSet& ConstraintSet::operator=(const ConstraintSet& other) {
  if (this == &other) return *this;
  if (state_ == nullptr) {
    state_ = std::make_shared<State>(other.state());
  } else {  // solvers made from this set detect that it was replaced
    state_->check_unused("ConstraintSet::operator=");
    const unsigned version = state_->version + 1;
    std::uint64_t stamp = 0;
    for (const Constraint& c : state_->constraints) stamp = std::max(stamp, c.stamp());
    *state_ = other.state();
    state_->version = version;
    for (Constraint& c : state_->constraints) c.others.raise_above(stamp);  // above all stamps used before
  }
  return *this;
}

ConstraintSet& ConstraintSet::operator=(ConstraintSet&& other) {
  if (this == &other) return *this;
  *this = static_cast<const ConstraintSet&>(other);  // solvers made from the other set keep their data
  other.state_.reset();
  return *this;
}

void ConstraintSet::clear() { *this = ConstraintSet(model()); }

ConstraintSet::Added::~Added() = default;

Constraint& ConstraintSet::insert(Constraint&& constraint, std::shared_ptr<const Added> added) {
  State& s = state();
  s.check_unused("ConstraintSet::add");
  check_new(s, constraint.name);
  if (s.added.size() == s.added.capacity()) s.added.reserve(2 * s.added.size() + 8);
  s.constraint_names.reserve(s.constraints.size() + 1);
  s.constraints.push_back(std::move(constraint));
  s.added.push_back(std::move(added));  // here and below room is reserved: all or nothing
  s.constraint_names.add(s.constraints, static_cast<Index>(s.constraints.size()) - 1);
  ++s.version;
  return s.constraints.back();
}

const std::shared_ptr<const Relation>& ConstraintSet::added_relation(const std::string& name) const {
  return added(name).relation;
}
const ConstraintSet::Added& ConstraintSet::added(const std::string& name) const {
  return *state().added[static_cast<std::size_t>(&(*this)[name] - state().constraints.data())];
}

Index ConstraintSet::add_loops(const Stabilisation& stabilisation) {
  for (const Loop& loop : model().loops())  // all of them or none
    check_new(state(), loop.name);
  Index added = 0;
  for (const Loop& loop : model().loops()) {
    LoopConstraint c = loop_constraint(model(), loop);
    if (c.rows.size() == 0) continue;  // no rows
    c.stabilisation = stabilisation;
    add(c);
    ++added;
  }
  return added;
}

Index ConstraintSet::add_joint_limits(const Stabilisation& stabilisation) {
  if (!(stabilisation.time_constant > 0) || !std::isfinite(stabilisation.time_constant))
    throw std::invalid_argument(
        "ConstraintSet::add_joint_limits: time_constant is > 0 and finite, because it says how far from a limit its "
        "row "
        "acts; got " +
        std::to_string(stabilisation.time_constant));
  std::vector<CouplingConstraint> rows;
  for (const std::string& coordinate : model().coordinate_names()) {
    const Index q = detail::find_coordinate(model(), coordinate, "joint limits").q;
    if (q < 0) continue;
    const auto at = static_cast<std::size_t>(q);
    const auto take = [&](double limit, const char* word, Sense sense) {
      if (!std::isfinite(limit)) return;
      CouplingConstraint c{.name = coordinate + ":" + word, .coordinates = {coordinate}, .ratio = {1}, .offset = limit};
      c.sense = {sense};
      c.stabilisation = stabilisation;
      check_new(state(), c.name);  // all of them or none
      rows.push_back(c);
    };
    take(model().lower()[at], "lower", Sense::at_least);
    take(model().upper()[at], "upper", Sense::at_most);
  }
  for (const CouplingConstraint& c : rows) add(c);
  return static_cast<Index>(rows.size());
}

Constraint& ConstraintSet::operator[](const std::string& name) { return find_constraint(state(), name); }
const Constraint& ConstraintSet::operator[](const std::string& name) const { return find_constraint(state(), name); }
const std::vector<Constraint>& ConstraintSet::constraints() const { return state().constraints; }
unsigned ConstraintSet::version() const { return state().version; }
const Model& ConstraintSet::model() const { return state().model; }

const ConstraintGroup& ConstraintSet::add_group(const std::string& name, const std::vector<std::string>& members) {
  const std::string where = "ConstraintSet: group '" + name + "'";
  if (name.empty()) throw std::invalid_argument("ConstraintSet: the name of a group is empty");
  if (state().find_group(name) != nullptr || state().find(name) != nullptr)
    throw std::invalid_argument(where + ": the name is taken already");
  if (members.empty()) throw std::invalid_argument(where + ": it has no members");
  ConstraintGroup group{name, {}};
  for (const std::string& member : members) {
    const Constraint& c = find_constraint(state(), member);
    const auto k = static_cast<Index>(&c - state().constraints.data());
    for (const Index known : group.members)
      if (known == k) throw std::invalid_argument(where + ": '" + member + "' is named twice");
    group.members.push_back(k);
  }
  state().group_names.reserve(state().groups.size() + 1);
  state().groups.push_back(std::move(group));
  state().group_names.add(state().groups, static_cast<Index>(state().groups.size()) - 1);
  return state().groups.back();
}
const std::vector<ConstraintGroup>& ConstraintSet::groups() const { return state().groups; }
const ConstraintGroup& ConstraintSet::group(const std::string& name) const {
  if (const ConstraintGroup* const g = state().find_group(name)) return *g;
  throw_unknown("group of constraints", name, state().groups);
}

void ConstraintSet::set_active(const std::string& name, bool active) {
  if (Constraint* const c = state().find(name)) {
    c->active = active;
    return;
  }
  const ConstraintGroup* const g = state().find_group(name);
  if (g == nullptr) throw_unknown("constraint or group", name, state().constraints, state().groups);
  for (const Index k : g->members) state().constraints[static_cast<std::size_t>(k)].active = active;
}

Index ConstraintSet::rows() const {
  Index n = 0;
  for (const Constraint& c : state().constraints) n += c.size();
  return n;
}

}  // namespace zwang
