// SPDX-License-Identifier: BSD-3-Clause
// is_fully_actuated: the rank of [B J^T] by the spans of constrained inverse dynamics.
#include "zwang/question/constrained_inverse_dynamics.hpp"

#include "rows/check_constraint.hpp"

namespace zwang {
namespace {

/// The set with its physical rows held as equalities, and without its drivers.
ConstraintSet as_equalities(const ConstraintSet& constraints) {
  ConstraintSet held = constraints;
  for (const Constraint& of : constraints.constraints()) {
    Constraint& x = held[of.name];
    if (x.role == Role::driver) x.active = false;
    x.sense = std::vector<Sense>{};
    x.limit = std::vector<double>{};
    x.compensate = Compensate{};
    x.friction = std::optional<double>{};
  }
  return held;
}

template <class Actuation>
bool carry_all(const Model& model, const ConstraintSet& constraints, VectorIn q, const Actuation& actuation) {
  check_model("is_fully_actuated", model, constraints);
  const ConstraintSet held = as_equalities(constraints);
  ConstrainedInverseDynamics inverse(model, held, actuation);
  return inverse.solve({.q = q}).report.fully_actuated();
}

}  // namespace

bool is_fully_actuated(const Model& model, const ConstraintSet& constraints, VectorIn q,
                       const std::vector<std::string>& actuated) {
  return carry_all(model, constraints, q, actuated);
}
bool is_fully_actuated(const Model& model, const ConstraintSet& constraints, VectorIn q,
                       const ActuationMap& actuation) {
  return carry_all(model, constraints, q, actuation);
}

}  // namespace zwang
