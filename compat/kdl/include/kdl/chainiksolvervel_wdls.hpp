// SPDX-License-Identifier: BSD-3-Clause
// Joint velocities by damped least squares with weights.
#pragma once
#include <memory>

#include "chainiksolver.hpp"
#include "chainjnttojacsolver.hpp"

namespace KDL {

namespace detail {
class ChainVelocity;
}

/// qdot = M_q V S~ U' M_x v   with U S V' = M_x J M_q
/// S~ = 1 / s, and for singular values s below `eps` s / (s^2 + l^2) with l = lambda sqrt(1 - (s_min / eps)^2); with
/// lambda = 0 those count as zero. s_min: the smallest of the min(6, n).
class ChainIkSolverVel_wdls : public ChainIkSolverVel {
 public:
  /// The result is defined, and directions of v were damped or lost.
  static constexpr int E_CONVERGE_PINV_SINGULAR = +100;

  explicit ChainIkSolverVel_wdls(const Chain& chain, double eps = 0.00001, int maxiter = 150);
  ChainIkSolverVel_wdls(const ChainIkSolverVel_wdls& other);
  ~ChainIkSolverVel_wdls() override;

  int CartToJnt(const JntArray& q_in, const Twist& v_in, JntArray& qdot_out) override;
  int CartToJnt(const JntArray& q_init, const FrameVel& v_in, JntArrayVel& q_out) override;

  /// M_q [n, n] and M_x [6, 6]; the identity at first.
  int setWeightJS(const Eigen::MatrixXd& Mq);
  int setWeightTS(const Eigen::MatrixXd& Mx);
  void setLambda(const double lambda) { lambda_ = lambda; }
  void setEps(const double eps_in) { eps_ = eps_in; }
  void setMaxIter(const int maxiter_in) { maxiter_ = maxiter_in; }

  /// Of the last call. Sout [n]: largest first; n - 6 zeros at the end.
  int getSigma(Eigen::VectorXd& Sout);
  unsigned int getNrZeroSigmas() const { return nrZeroSigmas_; }
  double getSigmaMin() const { return sigmaMin_; }
  double getEps() const { return eps_; }
  double getLambda() const { return lambda_; }
  double getLambdaScaled() const { return lambda_scaled_; }
  int getSVDResult() const { return svdResult_; }

  const char* strError(const int code) const override;
  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::ChainVelocity> velocity_;
  MatrixStorage weight_js_, weight_ts_;
  double eps_;
  int maxiter_;
  double lambda_ = 0, lambda_scaled_ = 0, sigmaMin_ = 0;
  unsigned int nrZeroSigmas_ = 0;
  int svdResult_ = 0;
};

}  // namespace KDL
