// SPDX-License-Identifier: BSD-3-Clause
// What Solver.impulse, impulse_derivatives and impulse_vjp return.
#pragma once
#include "bind.hpp"
#include "rows_result.hpp"
#include "zwang/question/impulse.hpp"

namespace zwang::python {

/// A snapshot in arrays of its own.
struct ImpulseObject : RowsResult {
  using Source = Impulse;
  using SourceOfConstraint = ConstraintImpulse;
  static constexpr bool k_report_of_each = false;
  nb::object velocity, change, multipliers, motor_impulse, reaction, velocity_before, velocity_after, residual, wrench,
      energy, energy_before, energy_after;
};
void list_arrays(RowArrayList<ImpulseObject>& v);

struct ImpulseJacobianObject {
  nb::object q, v, impulse, target, restitution;
};
template <class V> void fields(V& v, Type<ImpulseJacobianObject>) {
  using T = ImpulseJacobianObject;
  v.record("ImpulseJacobian", "Derivatives of one vector of an impulse: (size, columns).");
  v("q", &T::q, "along q (+) d, (size, nv)");
  v("v", &T::v, "by v_before, (size, nv)");
  v("impulse", &T::impulse, "by the impulses of the motors, (size, nv)");
  v("target", &T::target, "by the velocities that rows are driven to, (size, rows)");
  v("restitution", &T::restitution, "by the restitution of each row, (size, rows)");
}

struct ImpulseDerivativesObject {
  nb::object status, reason, velocity, multipliers;
};
template <class V> void fields(V& v, Type<ImpulseDerivativesObject>) {
  using T = ImpulseDerivativesObject;
  v.record("ImpulseDerivatives", "Derivatives of an impulse. Zeros where status is not ok; reason says why.");
  v("status", &T::status, "ok, or why there are none", {.type = "Status"});
  v("reason", &T::reason, "in words; empty if ok", {.type = "str"});
  v("velocity", &T::velocity, "of v+", {.type = "ImpulseJacobian"});
  v("multipliers", &T::multipliers, "of lambda", {.type = "ImpulseJacobian"});
}

struct ImpulseVariationObject {
  nb::object status, reason, velocity, multipliers;
};
template <class V> void fields(V& v, Type<ImpulseVariationObject>) {
  using T = ImpulseVariationObject;
  v.record("ImpulseVariation", "How an impulse varies along a direction of its inputs.");
  v("status", &T::status, "ok, or why it is not known", {.type = "Status"});
  v("reason", &T::reason, "in words; empty if ok", {.type = "str"});
  v("velocity", &T::velocity, "of v+, (nv,)");
  v("multipliers", &T::multipliers, "(rows,)");
}

struct ImpulseGradientObject {
  nb::object status, reason, q, v, impulse, target, restitution;
};
template <class V> void fields(V& v, Type<ImpulseGradientObject>) {
  using T = ImpulseGradientObject;
  v.record("ImpulseGradient", "The gradient of a scalar of an impulse by its inputs.");
  v("status", &T::status, "ok, or why there is none", {.type = "Status"});
  v("reason", &T::reason, "in words; empty if ok", {.type = "str"});
  v("q", &T::q, "along q (+) d, (nv,)");
  v("v", &T::v, "by v_before, (nv,)");
  v("impulse", &T::impulse, "(nv,)");
  v("target", &T::target, "(rows,)");
  v("restitution", &T::restitution, "(rows,)");
}

/// The classes.
void bind_impulse_classes(nb::module_& m);

}  // namespace zwang::python
