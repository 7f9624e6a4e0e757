// SPDX-License-Identifier: BSD-3-Clause
// Joint velocities by the pseudo-inverse, and in its null space towards a posture.
#pragma once
#include <memory>

#include "chainiksolver.hpp"
#include "chainjnttojacsolver.hpp"

namespace KDL {

namespace detail {
class ChainVelocity;
}

/// qdot = J^+ v - alpha (1 - J^+ J) (sum_i w_i d_i^2) (w o d) / |w o d|^2   with d = q - opt_pos
/// A Newton step of g = sum_i w_i d_i^2 / 2 along its gradient, in what the task leaves free. Singular values below
/// `eps` count as zero; E_DEGRADED where directions of v are lost by that.
class ChainIkSolverVel_pinv_nso : public ChainIkSolverVel {
 public:
  ChainIkSolverVel_pinv_nso(const Chain& chain, const JntArray& opt_pos, const JntArray& weights, double eps = 0.00001,
                            int maxiter = 150, double alpha = 0.25);
  /// E_SIZE_MISMATCH until setOptPos() and setWeights() were called.
  explicit ChainIkSolverVel_pinv_nso(const Chain& chain, double eps = 0.00001, int maxiter = 150, double alpha = 0.25);
  ChainIkSolverVel_pinv_nso(const ChainIkSolverVel_pinv_nso& other);
  ~ChainIkSolverVel_pinv_nso() override;

  int CartToJnt(const JntArray& q_in, const Twist& v_in, JntArray& qdot_out) override;
  int CartToJnt(const JntArray& q_init, const FrameVel& v_in, JntArrayVel& q_out) override;

  virtual int setWeights(const JntArray& weights);
  virtual int setOptPos(const JntArray& opt_pos);
  virtual int setAlpha(const double alpha);
  const JntArray& getWeights() const { return weights_; }
  const JntArray& getOptPos() const { return opt_pos_; }
  const double& getAlpha() const { return alpha_; }
  int getSVDResult() const { return svdResult_; }

  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::ChainVelocity> velocity_;
  double eps_;
  int maxiter_;
  double alpha_;
  JntArray weights_, opt_pos_, step_;
  int svdResult_ = 0;
};

}  // namespace KDL
