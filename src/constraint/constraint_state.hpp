// SPDX-License-Identifier: BSD-3-Clause
// The state shared by a ConstraintSet and the solvers made from it.
#pragma once
#include <atomic>

#include "model/name_table.hpp"
#include "zwang/constraint/constraint_set.hpp"

namespace zwang {

/// The struct with which a constraint was added, shared by the copies of a set.
struct ConstraintSet::Added {
  virtual ~Added();
  std::shared_ptr<const Relation> relation = nullptr;
};

/// How many threads evaluate rows of the user; a copy of a set is evaluated by nobody.
struct EvaluationCount {
  EvaluationCount() = default;
  EvaluationCount(const EvaluationCount&) {}
  EvaluationCount& operator=(const EvaluationCount&) { return *this; }
  std::atomic<int> now{0};
};

struct ConstraintSet::State {
  Model model;
  std::vector<Constraint> constraints;
  std::vector<std::shared_ptr<const Added>> added;  ///< of each constraint
  std::vector<ConstraintGroup> groups;
  unsigned version = 0;
  detail::NameTable constraint_names = {}, group_names = {};
  EvaluationCount evaluations = {};

  Constraint* find(const std::string& name) {
    const Index k = constraint_names.find(constraints, name);
    return k < 0 ? nullptr : &constraints[static_cast<std::size_t>(k)];
  }
  ConstraintGroup* find_group(const std::string& name) {
    const Index k = group_names.find(groups, name);
    return k < 0 ? nullptr : &groups[static_cast<std::size_t>(k)];
  }
  void check_unused(const char* function) const {
    if (evaluations.now.load(std::memory_order_relaxed) != 0)
      throw std::logic_error(std::string(function) + ": rows of this set are being evaluated");
  }
};

/// A set with the constraints of another one, not copies of them: what is changed in one of them is changed in both.
struct ConstraintSet::Sharing {
  static ConstraintSet with(const ConstraintSet& set) {
    static_cast<void>(set.state());  // throws where it was moved from
    return ConstraintSet(set.state_);
  }
};

/// Rows of the user are evaluated while it lives.
class ConstraintSet::Evaluation {
 public:
  explicit Evaluation(const ConstraintSet& set) : count_(set.state_->evaluations.now) {
    count_.fetch_add(1, std::memory_order_relaxed);
  }
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;
  ~Evaluation() { count_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<int>& count_;
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
