// SPDX-License-Identifier: BSD-3-Clause
// One robot in one state beside its reference, with derivatives by the complex step of the reference;
// the robots on which quantities are tried.
#pragma once
#include <functional>

#include "algorithm/cases.hpp"

namespace zwang::test {

using reference::Complex;
using reference::Real;
using reference::State;
using VectorR = reference::VectorX<Real>;
using MatrixR = reference::MatrixX<Real>;
using ComplexState = reference::StateOf<Complex>;
inline constexpr double k_sweep = 2000 * k_eps, k_derivatives = 2 * k_sweep;

/// One robot in one state.
struct Held {
  explicit Held(Case case_, std::uint64_t seed)
      : c(std::move(case_)),
        m(c.model),
        data(m),
        x(random_state(m, seed)),
        s(c.reference.at(x.q, x.v)),
        nv(m.nv()) {}
  Case c;
  const Model& m;
  Data data;
  RandomState x;
  State s;
  Index nv;

  /// d/dt along v (and a) of a matrix of the reference.
  template <class F> Eigen::MatrixXd rate(F&& matrix) const { return along(x.v, x.a, matrix); }
  /// d/de of matrix(q (+) e dq, v + e dv).
  template <class F> Eigen::MatrixXd along(const Eigen::VectorXd& dq, const Eigen::VectorXd& dv, F&& matrix) const {
    const Real h = 1e-40L;
    reference::VectorX<Complex> v = x.v.cast<Complex>();
    for (Eigen::Index k = 0; k < v.size(); ++k) v(k) += Complex(0, h * Real(dv(k)));
    const ComplexState state(c.reference, c.reference.complex_step(x.q.cast<Real>(), dq.cast<Real>(), h), v);
    return (matrix(state).imag() / h).template cast<double>();
  }
};

inline void for_cases(int count, const std::function<void(Held&)>& check) {
  for (int seed = 0; seed < effort(count); ++seed) {
    Held held(random_case(static_cast<std::uint64_t>(seed), 1 + seed % 12), static_cast<std::uint64_t>(seed) + 77);
    SCOPED_TRACE(held.c.name);
    if (held.nv > 0) check(held);
  }
  for (const RobotFile& file : robot_files()) {
    Held held(load_case(file), 5);
    SCOPED_TRACE(held.c.name);
    if (held.nv <= 40) check(held);
  }
}

}  // namespace zwang::test
