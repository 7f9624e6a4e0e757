// SPDX-License-Identifier: BSD-3-Clause
// Pinocchio's model of a problem and what its algorithms need. Two files share it,
// so that a compiler's memory suffices.
#pragma once
#include <memory>
#include <pinocchio/constraints.hpp>
#include <pinocchio/multibody.hpp>
#include <vector>

#include "../compare/peer.h"

namespace peers {

namespace pin = pinocchio;
using State = Eigen::Map<const Eigen::VectorXd>;

/// Constrained forward dynamics by each of Pinocchio's solvers; mu as small as they converge with.
class Constrained {
 public:
  Constrained(const pin::Model& model, const ZwangPeerProblem& problem, const std::vector<pin::JointIndex>& joint);
  ~Constrained();
  enum Solver { kkt, pv, constrained_aba };
  void run(Solver solver, const State& q, const State& v, const State& tau);
  const Eigen::VectorXd& acceleration(Solver solver) const;
  /// constraintDynamics (mu = 0) and its derivatives; by q, v, tau.
  void run_derivatives(const State& q, const State& v, const State& tau);
  const Eigen::MatrixXd& derivative(int by) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The same with loops closed instead of contacts: of Pinocchio's solvers constraintDynamics knows them.
class Closed {
 public:
  Closed(const pin::Model& model, const ZwangPeerProblem& problem, const std::vector<pin::JointIndex>& joint);
  ~Closed();
  void run(const State& q, const State& v, const State& tau);
  const Eigen::VectorXd& acceleration() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace peers
