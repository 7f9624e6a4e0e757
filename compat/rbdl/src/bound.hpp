// SPDX-License-Identifier: BSD-3-Clause
// Bound: a ConstraintSet of RBDL on a model, as a ConstraintSet of zwang with its Solver.
//
// A contact is a constraint of zwang for each row; a loop is one for its group, since the angles of an open loop
// depend on which directions are held together. `rows` says where zwang has each of RBDL's rows.
#pragma once
#include <rbdl/Constraints.h>
#include <zwang/question/constraint_evaluator.hpp>

#include "robot.hpp"

namespace RigidBodyDynamics::detail {

class Bound {
 public:
  Bound(Model& source, const ConstraintSet& set);

  /// The robot at a state, with gravity in the solver. q and v below become that state.
  Robot& at(const char* function, Model& source, const Math::VectorNd& Q, const Math::VectorNd* QDot, bool update);
  const zwang::Externals* externals(const char* function, const std::vector<Math::SpatialVector>* f_ext);
  /// The feedback of errors as the groups have it now.
  void read_stabilisation(const ConstraintSet& set);
  template <class V> void rows_from(const V& in, Math::VectorNd& out) const {
    out.resize(static_cast<long>(rows.size()));
    for (std::size_t k = 0; k < rows.size(); ++k) out[static_cast<long>(k)] = in[rows[k]];
  }
  /// The rows at the state of at().
  void evaluate() { evaluator.evaluate(q, v); }
  void write_jacobian(const Robot& robot, Math::MatrixNd& G);
  void write_position_error(Math::VectorNd& err) const;

  std::uint64_t base;              ///< the id of the Robot's model
  zwang::Model model;              ///< with a frame for each end of a loop
  std::vector<zwang::Index> rows;  // it and the next are written while `set` is made
  std::vector<std::string> names;  ///< of the constraint of each loop; empty for contacts
  zwang::ConstraintSet set;
  zwang::Solver solver;
  zwang::ConstraintEvaluator evaluator;
  Math::VectorNd target;  ///< zwang's rows
  /// What the call was given, in zwang's order. The Robot has numbers of its own, which functions of a program may
  /// overwrite while a solve evaluates their rows.
  Math::VectorNd q, v, a, tau;

 private:
  zwang::Externals externals_;
  Math::MatrixNd jacobian_;
};

}  // namespace RigidBodyDynamics::detail
