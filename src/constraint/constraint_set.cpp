// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/constraint/constraint_set.hpp"

#include "constraint/constraint_state.hpp"

namespace zwang {
namespace {

template <class Constraints> auto& find(Constraints& constraints, const std::string& name) {
  for (auto& c : constraints)
    if (c.name == name) return c;
  std::vector<std::string> known;
  for (const auto& c : constraints) known.push_back(c.name);
  detail::throw_unknown("constraint", name, known);
}

[[noreturn]] void throw_taken(const std::string& name) {
  throw std::invalid_argument("ConstraintSet: a constraint named '" + name + "' is there already");
}

}  // namespace

ConstraintSet::ConstraintSet(const Model& model) : state_(std::make_shared<State>(State{model, {}, 0})) {}
ConstraintSet::ConstraintSet(const ConstraintSet& other) : state_(std::make_shared<State>(*other.state_)) {}
ConstraintSet& ConstraintSet::operator=(const ConstraintSet& other) {
  if (this == &other) return *this;
  if (state_ == nullptr) {
    state_ = std::make_shared<State>(*other.state_);
  } else {  // solvers made from this set see that it was replaced
    const unsigned version = state_->version + 1;
    *state_ = *other.state_;
    state_->version = version;
  }
  return *this;
}

ConstraintSet& ConstraintSet::operator=(ConstraintSet&& other) {
  if (this == &other) return *this;
  *this = static_cast<const ConstraintSet&>(other);  // solvers made from the other one keep what they have
  other.state_.reset();
  return *this;
}

Constraint& ConstraintSet::insert(Constraint&& constraint) {
  for (const Constraint& c : state_->constraints)
    if (c.name == constraint.name) throw_taken(c.name);
  state_->constraints.push_back(std::move(constraint));
  ++state_->version;
  return state_->constraints.back();
}

template <class Type> Constraint& ConstraintSet::add(const Type& constraint) {
  return insert(bind(model(), constraint));
}
// One line per type of constraint_types.hpp.
template Constraint& ConstraintSet::add(const FrameConstraint&);
template Constraint& ConstraintSet::add(const ContactConstraint&);
template Constraint& ConstraintSet::add(const LoopConstraint&);
template Constraint& ConstraintSet::add(const DistanceConstraint&);
template Constraint& ConstraintSet::add(const CouplingConstraint&);
template Constraint& ConstraintSet::add(const RollingConstraint&);
template Constraint& ConstraintSet::add(const CentreOfMassConstraint&);
template Constraint& ConstraintSet::add(const CustomConstraint&);

Index ConstraintSet::add_loops(const Stabilisation& stabilisation) {
  for (const Loop& loop : model().loops())  // all of them or none
    for (const Constraint& c : state_->constraints)
      if (c.name == loop.name) throw_taken(c.name);
  Index added = 0;
  for (const Loop& loop : model().loops()) {
    LoopConstraint c = loop_constraint(model(), loop);
    if (c.rows.size() == 0) continue;  // it holds nothing
    c.stabilisation = stabilisation;
    add(c);
    ++added;
  }
  return added;
}

Constraint& ConstraintSet::operator[](const std::string& name) { return find(state_->constraints, name); }
const Constraint& ConstraintSet::operator[](const std::string& name) const { return find(state_->constraints, name); }
const std::vector<Constraint>& ConstraintSet::constraints() const { return state_->constraints; }
unsigned ConstraintSet::version() const { return state_->version; }
const Model& ConstraintSet::model() const { return state_->model; }

Index ConstraintSet::rows() const {
  Index n = 0;
  for (const Constraint& c : state_->constraints) n += c.size();
  return n;
}

}  // namespace zwang
