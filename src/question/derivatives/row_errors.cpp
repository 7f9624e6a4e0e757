// SPDX-License-Identifier: BSD-3-Clause
// How what rows say of a state varies with it: the errors of position and velocity, and the residual of accelerations.
//
//   residual        J a + J' v + stabilisation - beta     d by q, v: of r2 (whole_solution.cpp);   by a: J
//   velocity error  J v - target'                         by q: K . psi' + R . S of each column;   by v: J
//   position error  phi - target                          by q: J, since phi' = J v whatever v
#include <limits>

#include "core/kernel_table.hpp"
#include "question/derivatives/linearised.hpp"

namespace zwang {

void Linearised::place_row_errors(Index rows, Index nv) {
  SolutionDerivatives& d = derivatives_;
  for (JacobianView* x :
       {&d.residual.q, &d.residual.v, &d.residual.a, &d.velocity_error.q, &d.velocity_error.v, &d.position_error.q})
    memory_.derivatives.place(*x, rows, nv);
}

/// by_q += d(J v)/dq, the velocities of the bodies and the columns' variations being those of v.
void Linearised::rates_by_columns(const double* v, Matrix& by_q) {
  const Data& data = problem_.state.data;
  const Tree<double>& tree = data.tree();
  for (const RowPart& part : rows_.parts)
    for (Index i = part.body; i > 0; i = tree.body[i].parent)
      for (Index k = tree.body[i].v; k < tree.body[i].v + tree.body[i].nv; ++k) {
        const ColumnVariation<double>& c = data.derivative.variation[k];
        const auto& column = tree.column[k];
        by_q(row_of(part.row), column.v) += (dot(c.first, part.K) + dot(c.s, part.R)) * column.multiplier;
      }
  for (const CoordinateRow& row : rows_.coordinates) by_q(row_of(row.row), row.v) += row.turned * v[row.v];
}

/// Of an impulse: the velocity errors are those before it, and a change is asked for that follows them.
void Linearised::add_rates_of_shock() {
  const Shock& shock = *problem_.rows.shock;
  Matrix by_q = own(derivatives_.velocity_error.q);
  by_q.setZero();
  enter_rates(shock.velocity);
  kernels().derivative->vary_columns(&problem_.state.data, problem_.state.q.data(), shock.velocity,
                                     scratch_.torque.data());
  rates_by_columns(shock.velocity, by_q);
  for (Index k = 0; k < problem_.rows.m; ++k)
    for (Eigen::Index c = 0; c < by_q.cols(); ++c)
      residuals_.rows_by_q(k, c) += shock.share[row_of(k)] * by_q(row_of(k), c);
}

/// Into the derivatives; rows_by_columns() and the columns' variations have been.
void Linearised::row_errors() {
  const Tree<double>& tree = problem_.state.data.tree();
  SolutionDerivatives& d = derivatives_;
  Matrix J = own(d.residual.a), by_q = own(d.velocity_error.q);
  rows_.evaluate_rates(problem_, problem_.state.data);
  rates_by_columns(problem_.state.v.data(), by_q);
  for (Index k = 0; k < problem_.rows.m; ++k) {
    const Index r = row_of(k);
    for (Index c = 0; c < tree.spanning_nv; ++c) J(r, tree.column[c].v) += problem_.jacobian(k, c);
    own(d.residual.q).row(r) = residuals_.rows_by_q.row(k);
    own(d.residual.v).row(r) = residuals_.rows_by_v.row(k);
  }
  own(d.velocity_error.v) = J;
  for (Index r = 0; r < problem_.layout.rows(); ++r) {
    const double error = parts_.solution.position_error(r);
    if (error == error)
      own(d.position_error.q).row(r) = J.row(r);
    else
      own(d.position_error.q).row(r).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

}  // namespace zwang
