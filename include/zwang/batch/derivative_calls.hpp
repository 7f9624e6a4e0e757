// SPDX-License-Identifier: BSD-3-Clause
// The calls of the rows of list/derivatives.hpp on one state: a part of batch/evaluate.hpp, the file to include.
#pragma once
#include "zwang/algorithm/derivative_products.hpp"
#include "zwang/batch/one_state.hpp"

namespace zwang {
namespace one_state {

inline void call(Row<"inverse_dynamics_derivatives">, const State& x) {
  Matrix by_q = x.square(0), by_v = x.square(1), by_a = x.square(2);
  inverse_dynamics_derivatives(x.model, x.data, x.q(), x.v(), x.v(2), by_q, by_v, by_a, x.external, x.options.effects);
  x.put(by_q);
  x.put(by_v, 1);
  x.put(by_a, 2);
}
inline void call(Row<"forward_dynamics_derivatives">, const State& x) {
  Matrix by_q = x.square(0), by_v = x.square(1), by_tau = x.square(2);
  forward_dynamics_derivatives(x.model, x.data, x.own.factor(), x.q(), x.v(), x.v(2), by_q, by_v, by_tau, x.external,
                               x.options.effects);
  x.put(by_q);
  x.put(by_v, 1);
  x.put(by_tau, 2);
}
inline void call(Row<"bias_forces_derivatives">, const State& x) {
  Matrix by_q = x.square(0), by_v = x.square(1);
  bias_forces_derivatives(x.model, x.data, x.q(), x.v(), by_q, by_v, x.external, x.options.effects);
  x.put(by_q);
  x.put(by_v, 1);
}
inline void call(Row<"gravity_forces_derivatives">, const State& x) {
  Matrix by_q = x.square(0);
  gravity_forces_derivatives(x.model, x.data, x.q(), by_q);
  x.put(by_q);
}
inline void call(Row<"static_torque_derivatives">, const State& x) {
  Matrix by_q = x.square(0);
  static_torque_derivatives(x.model, x.data, x.q(), by_q, x.external, x.options.effects);
  x.put(by_q);
}

inline void call(Row<"inverse_dynamics_jvp">, const State& x) {
  inverse_dynamics_jvp(x.model, x.data, x.q(), x.v(), x.v(2), x.v(3), x.v(4), x.v(5), x.result(x.nv()), x.external,
                       x.options.effects);
}
inline void call(Row<"inverse_dynamics_vjp">, const State& x) {
  const Index nv = x.nv();
  inverse_dynamics_vjp(x.model, x.data, x.q(), x.v(), x.v(2), x.v(3), x.result(nv), x.result(nv, 1), x.result(nv, 2),
                       x.external, x.options.effects);
}
inline void call(Row<"forward_dynamics_jvp">, const State& x) {
  forward_dynamics_jvp(x.model, x.data, x.own.factor(), x.q(), x.v(), x.v(2), x.v(3), x.v(4), x.v(5), x.result(x.nv()),
                       x.external, x.options.effects);
}
inline void call(Row<"forward_dynamics_vjp">, const State& x) {
  const Index nv = x.nv();
  forward_dynamics_vjp(x.model, x.data, x.own.factor(), x.q(), x.v(), x.v(2), x.v(3), x.result(nv), x.result(nv, 1),
                       x.result(nv, 2), x.external, x.options.effects);
}

}  // namespace one_state
}  // namespace zwang
