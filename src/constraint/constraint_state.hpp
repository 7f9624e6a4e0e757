// SPDX-License-Identifier: BSD-3-Clause
// The state shared by a ConstraintSet and the solvers made from it.
#pragma once
#include "zwang/constraint/constraint_set.hpp"

namespace zwang {

/// The struct with which a constraint was added, shared by the copies of a set.
struct ConstraintSet::Added {
  virtual ~Added();
  std::shared_ptr<const Relation> relation = nullptr;
};

struct ConstraintSet::State {
  Model model;
  std::vector<Constraint> constraints;
  std::vector<std::shared_ptr<const Added>> added;  ///< of each constraint
  std::vector<ConstraintGroup> groups;
  unsigned version = 0;
};

// Instantiated for each type in the file that binds it.
template <class Type> struct ConstraintSet::AddedAs final : Added {
  explicit AddedAs(const Type& x) : value(x) {}
  Type value;
};
template <class Type> Constraint& ConstraintSet::add(const Type& constraint) {
  Constraint bound = bind(model(), constraint);
  auto added = std::make_shared<AddedAs<Type>>(constraint);
  added->relation = bound.relation;
  return insert(std::move(bound), std::move(added));
}
template <class Type> const Type* ConstraintSet::added_as(const std::string& name) const {
  const auto* const as = dynamic_cast<const AddedAs<Type>*>(&added(name));
  return as == nullptr ? nullptr : &as->value;
}

}  // namespace zwang
