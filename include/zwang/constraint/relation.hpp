// SPDX-License-Identifier: BSD-3-Clause
// Relation: rows between bodies, at one state.
//
//   phi(q) = 0,   phi' = sum_b K_b V_b,   phi'' = sum_b K_b a_b + gamma     over the bodies that the rows act on
// V_b, a_b: spatial velocity and acceleration of body b; K_b: the wrench on body b of a unit multiplier; both in world
// axes about the centre of the body's branch (Data::position). So J = sum_b K_b S_b, and gamma = J' v minus the
// contribution of the bodies' bias accelerations.
#pragma once
#include <vector>

#include "zwang/constraint/constraint.hpp"
#include "zwang/constraint/page/row_values.hpp"

namespace zwang {

using RowValues = BasicRowValues<double>;

inline namespace ZWANG_ISA {
class RelationPage;
}

/// Immutable, shared by the copies of a constraint and by threads.
class Relation {
 public:
  virtual ~Relation();
  Index rows() const { return rows_; }
  /// The bodies that the rows act on, ascending. The ground, 0, is either the only one or not in the list.
  const std::vector<Index>& bodies() const { return bodies_; }
  /// The rows at the positions and velocities of `data`, which are those of q and v. Allocates nothing.
  virtual void evaluate(const Data& data, const double* q, const double* v, const RowValues& out) const = 0;
  /// The rows over any scalar (page/relations.hpp), for many states in lanes and for users of zwang/generic.hpp. Valid
  /// as long as the relation. nullptr: only evaluate() has them, and states are evaluated one by one.
  virtual const RelationPage* page() const;
  /// True if phi needs no value without a target: any position is then allowed.
  virtual bool position_is_free() const;
  RelationShape shape() const { return {rows_, bodies_.data(), static_cast<Index>(bodies_.size())}; }

 protected:
  Relation(Index rows, std::vector<Index> bodies);  ///< bodies in any order, repeated or not

 private:
  Index rows_;
  std::vector<Index> bodies_;
};

}  // namespace zwang
