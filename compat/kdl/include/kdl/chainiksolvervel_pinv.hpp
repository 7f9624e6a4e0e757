// SPDX-License-Identifier: BSD-3-Clause
// Joint velocities by the pseudo-inverse of the Jacobian.
#pragma once
#include <memory>

#include "chainiksolver.hpp"
#include "chainjnttojacsolver.hpp"
#include "utilities/svd_HH.hpp"

namespace KDL {

namespace detail {
class ChainVelocity;
}

/// qdot = V S^+ U' v with J = U S V'. Singular values below `eps` count as zero: those directions of v are lost.
class ChainIkSolverVel_pinv : public ChainIkSolverVel {
 public:
  /// The result is that of the pseudo-inverse, and directions of v were lost.
  static constexpr int E_CONVERGE_PINV_SINGULAR = +100;

  /// `maxiter`: sweeps of the singular value decomposition, about 5 are needed.
  explicit ChainIkSolverVel_pinv(const Chain& chain, double eps = 0.00001, int maxiter = 150);
  ChainIkSolverVel_pinv(const ChainIkSolverVel_pinv& other);
  ~ChainIkSolverVel_pinv() override;

  int CartToJnt(const JntArray& q_in, const Twist& v_in, JntArray& qdot_out) override;
  int CartToJnt(const JntArray& q_init, const FrameVel& v_in, JntArrayVel& q_out) override;

  /// Of the last call. Of n joints n singular values count: n - 6 of them are zero always.
  unsigned int getNrZeroSigmas() const { return nrZeroSigmas_; }
  int getSVDResult() const { return svdResult_; }  ///< 0 or E_SVD_FAILED

  const char* strError(const int code) const override;
  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::ChainVelocity> velocity_;
  double eps_;
  int maxiter_;
  unsigned int nrZeroSigmas_ = 0;
  int svdResult_ = 0;
};

}  // namespace KDL
