// SPDX-License-Identifier: BSD-3-Clause
// ConstraintSet: the constraints on a model, in the order of insertion. Knows constraints, not solvers.
#pragma once
#include <memory>

#include "zwang/constraint/constraint_types.hpp"
#include "zwang/core/error.hpp"

namespace zwang {

/// A name for several constraints: the feet, the hands.
struct ConstraintGroup {
  std::string name;
  std::vector<Index> members;  ///< indices in ConstraintSet::constraints()
};

/// Copies are deep; after a move the source may only be assigned to, every other call throws std::logic_error. A Solver
/// made from a set follows it: the next solve uses a constraint's new switch or beta. While rows of the user are being
/// evaluated, their set cannot be changed: add(), assignment and the evaluating call throw std::logic_error.
class ConstraintSet {
 public:
  explicit ConstraintSet(const Model& model);
  ConstraintSet(const ConstraintSet& other);
  ConstraintSet& operator=(const ConstraintSet& other);
  ConstraintSet(ConstraintSet&&) noexcept = default;
  ConstraintSet& operator=(ConstraintSet&& other);  ///< solvers made from this set follow, as with a copy

  /// Adds a constraint of any type of constraint_types.hpp. Names must be new and not empty;
  /// std::invalid_argument otherwise, also for unknown frames, wrong sizes and entries that are not
  /// finite. The reference holds until the next add.
  template <class Type> Constraint& add(const Type& constraint);

  /// Adds a loop constraint for each loop of the model (Model::loops), under the name of its joint.
  /// Returns their number.
  Index add_loops(const Stabilisation& stabilisation = {});

  /// Adds the limits of the joints: for each coordinate with q' = v and a finite limit a coupling with a sense,
  /// `<coordinate>:lower` and `<coordinate>:upper`. With phi the distance to the limit, phi'' >= -(2 zeta / T) phi' -
  /// phi / T^2: the row acts where the coordinate moves at its limit, or comes to it faster than a critically damped
  /// motion stops there. time_constant > 0. Returns their number.
  Index add_joint_limits(const Stabilisation& stabilisation);

  /// Takes all constraints and groups out, as the assignment of an empty set does: solvers made from this set follow.
  void clear();

  Constraint& operator[](const std::string& name);  ///< throws with the nearest name
  const Constraint& operator[](const std::string& name) const;
  const std::vector<Constraint>& constraints() const;
  Index size() const { return static_cast<Index>(constraints().size()); }

  /// Gives several constraints a common name. The name must be new, also among constraints; members are constraints of
  /// the set, each once, at least one. Throws std::invalid_argument with the nearest name.
  const ConstraintGroup& add_group(const std::string& name, const std::vector<std::string>& members);
  const std::vector<ConstraintGroup>& groups() const;
  const ConstraintGroup& group(const std::string& name) const;  ///< throws with the nearest name
  /// Switches a constraint, or all of a group, from the next solve on. Allocates nothing.
  void set_active(const std::string& name, bool active);

  /// The struct with which a constraint was added, or nullptr if it has another type. Later changes are in the
  /// Constraint, not in this struct.
  template <class Type> const Type* added_as(const std::string& name) const;
  /// The relation with which a constraint was added.
  const std::shared_ptr<const Relation>& added_relation(const std::string& name) const;

  Index rows() const;  ///< of all constraints, active or not
  const Model& model() const;
  unsigned version() const;  ///< counts insertions and replacements

  struct Sharing;    ///< of the library: how solvers share the constraints of a set
  class Evaluation;  ///< of the library: guards the set while rows of the user are evaluated

 private:
  struct State;
  struct Added;
  template <class Type> struct AddedAs;
  Constraint& insert(Constraint&& constraint, std::shared_ptr<const Added> added);
  const Added& added(const std::string& name) const;
  State& state() const;  ///< throws where the set was moved from
  explicit ConstraintSet(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace zwang
