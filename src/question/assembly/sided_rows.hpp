// SPDX-License-Identifier: BSD-3-Clause
// SidedRows: which rows with a sense act in a linear problem of an assembly, by the active set of inequalities.
//
//   damped step   minimise |A_E x + phi_E|^2 + |violation of A_S x + phi_S|^2 + mu^2 |x|^2
//   along rows    minimise |x + g|^2   subject to   A_E x = 0,   A_S x + phi_S on its side
//   velocities    minimise |x|^2       subject to   A_E x = r_E,  A_S x - r_S on its side
// E: rows without a sense, S: rows with one; held coordinates are rows of E. The rows that act hold as equalities at
// the solution; without the others it is the same. Allocates at construction.
#pragma once
#include "choose/active_set.hpp"
#include "question/assembly/linear_steps.hpp"

namespace zwang {

class SidedRows {
 public:
  SidedRows(const Metric& metric, Index rows, Index nv);
  // Both write rows.acts. Of rows that contradict each other as many act as the search has held.
  void choose_damped(ScaledRows& rows, const HeldCoordinates& held, double mu);
  void choose_along(ScaledRows& rows, const HeldCoordinates& held, const double* g);

  // Velocities, row by row.
  void begin(Index rows);
  double* row(Index i) { return set_.row(i); }  ///< [n]
  void set(Index i, int side, double right);    ///< right: r
  void leave_out(Index i);                      ///< in place of row() and set()
  void choose();
  bool acts(Index i) const;  ///< always, without a sense

 private:
  void put(Index k, int side, double b);
  void put_rows(const ScaledRows& rows, const HeldCoordinates& held, double mu, bool at_phi);
  const Metric& metric_;
  Index n_, first_ = 0;
  ActiveSet set_;
  Buffer<double> unit_;
};

}  // namespace zwang
