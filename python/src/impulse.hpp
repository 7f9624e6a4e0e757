// SPDX-License-Identifier: BSD-3-Clause
// What Solver.impulse, impulse_derivatives and impulse_vjp return.
#pragma once
#include "bind.hpp"
#include "solution.hpp"

namespace zwang::python {

/// A snapshot in arrays of its own.
struct ImpulseObject {
  std::shared_ptr<const RowLayout> layout;
  Index states = -1;
  nb::object velocity, change, multipliers, motor_impulse, reaction, velocity_before, velocity_after, residual, wrench,
      energy, energy_before, energy_after;
  nb::object status;    ///< of N states: uint8 (N,)
  ReportObject report;  ///< of one state
};
struct ImpulsePartObject {
  nb::object impulse;  ///< keeps the arrays alive
  std::size_t index;
  const ImpulseObject& whole() const { return *nb::inst_ptr<ImpulseObject>(impulse); }
  const RowLayout::Part& layout() const { return whole().layout->parts[index]; }
  nb::object rows_of(const nb::object& array) const {
    const Index first = layout().first;
    return array[nb::make_tuple(nb::ellipsis(),
                                nb::slice(first, first + static_cast<Index>(layout().row_names.size())))];
  }
};
struct ImpulseJacobianObject {
  nb::object q, v, impulse, target, restitution;
};
struct ImpulseDerivativesObject {
  nb::object status, reason, velocity, multipliers;
};
struct ImpulseGradientObject {
  nb::object status, reason, q, v, impulse, target, restitution;
};

struct ImpulseVariationObject {
  nb::object status, reason, velocity, multipliers;
};

/// The classes.
void bind_impulse_classes(nb::module_& m);

}  // namespace zwang::python
