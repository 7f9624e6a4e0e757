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
class Pickled;
struct ImpulsePartObject {
  nb::object impulse;  ///< keeps the arrays alive
  std::size_t index = 0;
  const ImpulseObject& whole() const { return *nb::inst_ptr<ImpulseObject>(impulse); }
  const RowLayout::Part& layout() const { return whole().layout->parts[index]; }
  nb::object rows_of(const nb::object& array) const {
    const Index first = layout().first;
    return array[nb::make_tuple(nb::ellipsis(),
                                nb::slice(first, first + static_cast<Index>(layout().row_names.size())))];
  }
  template <class A> void fields(A& a) { a(impulse), a(index); }
  void check(const Pickled& read) const;
};
struct ImpulseJacobianObject {
  nb::object q, v, impulse, target, restitution;
  template <class A> void fields(A& a) { a(q), a(v), a(impulse), a(target), a(restitution); }
};
struct ImpulseDerivativesObject {
  nb::object status, reason, velocity, multipliers;
  template <class A> void fields(A& a) { a(status), a(reason), a(velocity), a(multipliers); }
};
struct ImpulseGradientObject {
  nb::object status, reason, q, v, impulse, target, restitution;
  template <class A> void fields(A& a) { a(status), a(reason), a(q), a(v), a(impulse), a(target), a(restitution); }
};

struct ImpulseVariationObject {
  nb::object status, reason, velocity, multipliers;
  template <class A> void fields(A& a) { a(status), a(reason), a(velocity), a(multipliers); }
};

/// The classes.
void bind_impulse_classes(nb::module_& m);

}  // namespace zwang::python
