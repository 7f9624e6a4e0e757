// SPDX-License-Identifier: BSD-3-Clause
// OneSidedRows: the rows of a user's set that push or pull alone, as rows of a step of Integrator::contact.
//
//   sigma = s J v >= 0,   gap = s (phi - target)       s = 1 of `at_least`, -1 of `at_most`
//   a contact with a friction: sigma = [t1 t2 n]^T v of its point, |impulse_T| <= mu impulse_n, gap that of its normal
#pragma once
#include "rows/evaluated_rows.hpp"
#include "simulation/contact_row.hpp"
#include "simulation/movement.hpp"

namespace zwang {

class OneSidedRows {
 public:
  /// Those of Movement::sided(). Throws UnsupportedError for rows that a step does not take.
  explicit OneSidedRows(Movement& motion);

  bool any() const { return !motion_.sided().empty(); }
  /// Appends the active rows whose gap is at most `least`, or what they close in a time of `ahead` at twice their
  /// speed; `data` has the positions of q. Allocates only where `out` has no room.
  void find(const Data& data, const double* q, const double* speed, double least, double ahead,
            std::vector<ContactRow>& out);
  /// s J of the row `k` of a ContactRow that the last find() made [nv].
  void write(const ContactRow& x, Index k, double* to) const;
  /// Impulses [rows of x] in a time h, as multipliers of the set.
  void add_multipliers(const ContactRow& x, const double* impulse, double h, double* multipliers) const;
  std::string name(const ContactRow& x) const;

 private:
  void follow();
  void add_point(const Data& data, const Constraint& x, Index row, std::vector<ContactRow>& out);
  Movement& motion_;
  ConstraintSet own_;  ///< the motion's, of which these rows alone are active
  EvaluatedRows rows_;
  std::vector<Index> first_;  ///< of each constraint of the set, its first row there
};

}  // namespace zwang
