// SPDX-License-Identifier: BSD-3-Clause
// ContactCholeskyWorkspace: [-R - mu, J; J^T, M] = U D U^T with U unit upper triangular; joints are eliminated from the
// last to the first, rows after them (Carpentier, Budhiraja & Mansard 2021). The Schur complement of the rows is
// -(Lambda + R + mu).
//
// Row r is nonzero exactly on the union of the paths of its bodies; for loops this includes their common ancestors,
// where J is zero (fill). The source's loop runs over all joints.
// DIFFERS: mu is relative to equilibrated rows and is added to the rows' block only, so that the refinement
//   (Lambda + R + mu) lambda' = b + mu lambda
// converges in a few steps in any units. The rank is decided on that block; dependent rows are solved as in all
// methods. M must be definite.
// Cost: sum d^2 / 2 + m d (d + m) / 2 + m^3 / 6 multiply-adds. Allocates nothing after construction.
#pragma once
#include "linear/equations.hpp"
#include "linear/row_system.hpp"

namespace zwang::dense {

class ContactCholeskyWorkspace {
 public:
  ContactCholeskyWorkspace(Index nv, Index m);
  void solve(const KktProblem& p, KktAnswer& answer);
  /// Other tau, b and held values with the factor of the last solve, which has met no singular mass.
  void solve_again(const KktProblem& p, KktAnswer& answer);

  /// The factor of the last solve: entry (row, coordinate) of U, U's part among coordinates (i above k), D, and the
  /// rows' block Lambda + R. `stored` counts the entries (row, coordinate) that the factorisation touches.
  double row_entry(Index r, Index k) const { return X_[k * m_capacity_ + r]; }
  double joint_entry(Index i, Index k) const { return equations_.mass_row(k)[i]; }
  double pivot(Index k) const { return equations_.mass_row(k)[k]; }
  double block(Index r, Index s) const { return G_[r * m_capacity_ + s]; }
  bool stored(Index r, Index k) const { return touched_[k * m_capacity_ + r] != 0; }

 private:
  void answer_right(const KktProblem& p, KktAnswer& answer);
  bool eliminate_joints(const Index* parent, const Interruption* stop);
  void find_support(const Index* parent);
  void factor_damped(const Interruption* stop);
  void apply_damped(double* x) const;
  int refine(const double* b, double* lambda);
  Index m_capacity_;
  Equations equations_;
  RowSystem rows_;
  Buffer<double> X_, G_, C_, t_, b_, r_, y_, size_;
  Buffer<unsigned char> touched_;
  Buffer<Index> runs_;
  Buffer<Range> run_;
};

}  // namespace zwang::dense
