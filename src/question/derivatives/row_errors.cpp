// SPDX-License-Identifier: BSD-3-Clause
// How what rows say of a state varies with it: the errors of position and velocity, and the residual of accelerations.
//
//   residual        J a + J' v + stabilisation - beta     d by q, v: of r2 (RowMatrices);   by a: J
//   velocity error  J v - target'                         by q: K . psi' + R . S of each column;   by v: J
//   position error  phi - target                          by q: J, since phi' = J v whatever v
#include <limits>

#include "core/kernel_table.hpp"
#include "linear/vectors.hpp"
#include "question/derivatives/linearised.hpp"

namespace zwang {

/// Columns of RowMatrices into a result. Returns whether all are finite.
bool Linearised::put_rows(const double* from, const JacobianView& to) {
  const RowMatrices& rows = *scratch_.rows;
  const Index nv = problem_.state.data.tree().nv;
  Matrix out = own(to);
  if (rows.are_all()) return kernels().elimination->put_columns(rows.rows(), nv, from, rows.height(), out.data());
  for (Index c = 0; c < nv; ++c)
    for (Index k = 0; k < rows.rows(); ++k) out(rows.row_in_set(k), c) = from[c * rows.height() + k];
  return all_finite(out.size(), out.data());
}

/// Of an impulse: the velocity errors are those before it, and a change is asked for that follows them.
bool Linearised::add_rates_of_shock() {
  const Shock& shock = *problem_.rows.shock;
  RowMatrices& rows = *scratch_.rows;
  enter_rates(shock.velocity);
  kernels().derivative->vary_columns(&problem_.state.data, problem_.state.q.data(), shock.velocity,
                                     scratch_.torque.data());
  rows.evaluate_rates(problem_, rows_, shock.velocity);
  for (Index c = 0; c < problem_.state.data.tree().nv; ++c)
    for (Index k = 0; k < rows.rows(); ++k)
      rows.by_q()[c * rows.height() + k] += shock.share[rows.row_in_set(k)] * rows.rate()[c * rows.height() + k];
  return put_rows(rows.rate(), derivatives_.velocity_error.q);
}

/// Into the derivatives. Returns whether all are finite; position_error.q is J, or NaN.
bool Linearised::row_errors() {
  SolutionDerivatives& d = derivatives_;
  RowMatrices& rows = *scratch_.rows;
  bool finite = put_rows(rows.by_q(), d.residual.q);
  finite &= put_rows(rows.by_v(), d.residual.v);
  finite &= put_rows(rows.by_a(), d.residual.a);
  finite &= put_rows(rows.rate(), d.velocity_error.q);
  put_rows(rows.by_a(), d.velocity_error.v);
  put_rows(rows.by_a(), d.position_error.q);
  for (Index r = 0; r < problem_.layout.rows(); ++r) {
    const double error = parts_.solution.position_error(r);
    if (!(error == error)) own(d.position_error.q).row(r).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  return finite;
}

}  // namespace zwang
