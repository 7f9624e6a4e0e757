// SPDX-License-Identifier: BSD-3-Clause
// ConstraintSet: what is imposed on a model, in the order of insertion. Knows constraints, not solvers.
#pragma once
#include <memory>

#include "zwang/constraint/constraint_types.hpp"
#include "zwang/core/error.hpp"

namespace zwang {

template <class T> class BasicBatchSolver;

/// Copies are deep; a set that was moved from may only be assigned to. A Solver made from a set follows it: switching a
/// constraint or changing its beta is seen by the next solve.
class ConstraintSet {
 public:
  explicit ConstraintSet(const Model& model);
  ConstraintSet(const ConstraintSet& other);
  ConstraintSet& operator=(const ConstraintSet& other);
  ConstraintSet(ConstraintSet&&) noexcept = default;
  ConstraintSet& operator=(ConstraintSet&& other);  ///< solvers made from this set see it, as with a copy

  /// Adds a constraint of any type of constraint_types.hpp. Names must be new and not empty; std::invalid_argument
  /// otherwise, also for unknown frames, wrong sizes and entries that are not finite. The reference holds until the
  /// next add.
  template <class Type> Constraint& add(const Type& constraint);

  /// Adds what closes the loops of the model (Model::loops), under the names of their joints; returns how many were added.
  Index add_loops(const Stabilisation& stabilisation = {});

  Constraint& operator[](const std::string& name);  ///< throws with the nearest name
  const Constraint& operator[](const std::string& name) const;
  const std::vector<Constraint>& constraints() const;
  Index size() const { return static_cast<Index>(constraints().size()); }
  Index rows() const;  ///< of all constraints, active or not
  const Model& model() const;
  unsigned version() const;  ///< counts insertions and replacements

 private:
  friend class Solver;
  template <class T> friend class BasicBatchSolver;
  struct State;
  Constraint& insert(Constraint&& constraint);
  std::shared_ptr<State> state_;
};

}  // namespace zwang
