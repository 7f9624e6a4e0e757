// SPDX-License-Identifier: BSD-3-Clause
// The terms of a chain's equation of motion: M(q) qdd + C(q, qd) qd + g(q) = torques.
#pragma once
#include <memory>

#include "articulatedbodyinertia.hpp"
#include "chain.hpp"
#include "chainidsolver_recursive_newton_euler.hpp"
#include "jntarray.hpp"
#include "jntspaceinertiamatrix.hpp"
#include "solveri.hpp"

namespace KDL {

namespace detail {
class Dynamics;
}

class ChainDynParam : public SolverI {
 public:
  /// `grav`: gravity as it is, (0, 0, -9.81) for a base that stands upright.
  ChainDynParam(const Chain& chain, Vector grav);
  ChainDynParam(const ChainDynParam& other);
  ~ChainDynParam() override;

  /// C(q, q_dot) q_dot
  virtual int JntToCoriolis(const JntArray& q, const JntArray& q_dot, JntArray& coriolis);
  /// M(q), rotors included.
  virtual int JntToMass(const JntArray& q, JntSpaceInertiaMatrix& H);
  virtual int JntToGravity(const JntArray& q, JntArray& gravity);
  /// C(q, q_dot), with dM/dt = C + C^T. Not in KDL.
  int JntToCoriolisMatrix(const JntArray& q, const JntArray& q_dot, JntSpaceInertiaMatrix& C);
  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::Dynamics> dynamics_;
};

}  // namespace KDL
