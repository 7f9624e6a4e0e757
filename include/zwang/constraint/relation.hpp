// SPDX-License-Identifier: BSD-3-Clause
// Relation: rows between bodies, at one state.
//
//   phi(q) = 0,   phi' = sum_b K_b V_b,   phi'' = sum_b K_b a_b + gamma     over the bodies that the rows act on
// V_b, a_b: spatial velocity and acceleration of body b; K_b: the wrench on body b of a unit multiplier; both in world
// axes about the centre of the body's branch (Data::position). So J = sum_b K_b S_b and gamma = J' v less what the
// bodies' own bias accelerations add.
#pragma once
#include <vector>

#include "zwang/constraint/constraint.hpp"
#include "zwang/model/data.hpp"

namespace zwang {

/// What a relation writes.
struct RowValues {
  double* phi;       ///< [rows] position error; NaN for rows of velocities alone
  double* gamma;     ///< [rows]
  Force<double>* K;  ///< [bodies x rows]
  double* as_given;  ///< [rows x 6] the wrench of a unit multiplier as users see it: axes of `in`, about the point
};

struct RelationRows;

/// Immutable, shared by the copies of a constraint and by threads.
class Relation {
 public:
  virtual ~Relation();
  Index rows() const { return rows_; }
  /// The bodies that the rows act on, increasing. The ground, 0, stands there alone or not at all.
  const std::vector<Index>& bodies() const { return bodies_; }
  /// The rows at the positions and velocities of `data`, which are those of q and v. Allocates nothing.
  virtual void evaluate(const Data& data, const double* q, const double* v, const RowValues& out) const = 0;
  /// What kernels know about the rows, so that they find them for many states in lanes; lives as long as the relation.
  /// nullptr: nothing, states are evaluated one after the other.
  virtual const RelationRows* rows_for_lanes() const;

 protected:
  Relation(Index rows, std::vector<Index> bodies);  ///< bodies in any order, repeated or not

 private:
  Index rows_;
  std::vector<Index> bodies_;
};

}  // namespace zwang
