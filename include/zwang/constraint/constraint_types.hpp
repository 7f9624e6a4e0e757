// SPDX-License-Identifier: BSD-3-Clause
// THE list of constraint types: each file has a struct with the word of its type, and bind(model, struct) ->
// Constraint, which ConstraintSet::add calls.
#pragma once
#include "zwang/constraint/types/centre_of_mass.hpp"
#include "zwang/constraint/types/contact.hpp"
#include "zwang/constraint/types/coupling.hpp"
#include "zwang/constraint/types/custom.hpp"
#include "zwang/constraint/types/distance.hpp"
#include "zwang/constraint/types/frame.hpp"
#include "zwang/constraint/types/joint.hpp"
#include "zwang/constraint/types/loop.hpp"
#include "zwang/constraint/types/rolling.hpp"

namespace zwang {

template <class... Types> struct ConstraintList {
  /// Calls f(std::type_identity<Type>) for each type until one returns true.
  template <class F> static bool find(F&& f) { return (f(std::type_identity<Types>{}) || ...); }
};
/// All types of constraint.
using ConstraintTypes =
    ConstraintList<FrameConstraint, ContactConstraint, LoopConstraint, DistanceConstraint, CouplingConstraint,
                   JointConstraint, RollingConstraint, CentreOfMassConstraint, CustomConstraint>;

}  // namespace zwang
