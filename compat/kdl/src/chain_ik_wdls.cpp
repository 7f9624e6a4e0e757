// SPDX-License-Identifier: BSD-3-Clause
// Joint velocities of a chain for a twist of its tip, by weighted damped least squares.
#include <cmath>
#include <kdl/chainiksolvervel_wdls.hpp>
#include <limits>

#include "chain_velocity.hpp"

namespace KDL {

using detail::ChainVelocity;
using detail::singular_or;
using detail::vector_of;
using detail::zeros_of_shape;

ChainIkSolverVel_wdls::ChainIkSolverVel_wdls(const Chain& chain, double eps, int maxiter)
    : velocity_(std::make_unique<ChainVelocity>(chain)),
      weight_js_(MatrixStorage::Identity(chain.getNrOfJoints(), chain.getNrOfJoints())),
      weight_ts_(MatrixStorage::Identity(6, 6)),
      eps_(eps),
      maxiter_(maxiter) {}
ChainIkSolverVel_wdls::ChainIkSolverVel_wdls(const ChainIkSolverVel_wdls& other)
    : ChainIkSolverVel(other),
      velocity_(std::make_unique<ChainVelocity>(*other.velocity_)),
      weight_js_(other.weight_js_),
      weight_ts_(other.weight_ts_),
      eps_(other.eps_),
      maxiter_(other.maxiter_),
      lambda_(other.lambda_),
      lambda_scaled_(other.lambda_scaled_),
      sigmaMin_(other.sigmaMin_),
      nrZeroSigmas_(other.nrZeroSigmas_),
      svdResult_(other.svdResult_) {}
ChainIkSolverVel_wdls::~ChainIkSolverVel_wdls() = default;

int ChainIkSolverVel_wdls::CartToJnt(const JntArray& q_in, const Twist& v_in, JntArray& qdot_out) {
  ChainVelocity& velocity = *velocity_;
  if (error = velocity.move(q_in, qdot_out, v_in); error != E_NOERROR) return error;
  if (static_cast<unsigned int>(weight_js_.rows()) != velocity.robot.joints()) return error = E_NOT_UP_TO_DATE;
  if (!weight_js_.allFinite() || !weight_ts_.allFinite() || !std::isfinite(lambda_)) return error = E_UNDEFINED;
  // A product with the columns of M_q; lazy: small matrices without memory of their own.
  auto& weighted = velocity.svd.matrix();
  weighted.noalias() = velocity.jacobian.lazyProduct(weight_js_);
  for (Eigen::Index j = 0; j < weighted.cols(); ++j) {
    const Eigen::Matrix<double, 6, 1> column = weighted.col(j);
    weighted.col(j).noalias() = weight_ts_.lazyProduct(column);
  }
  if (error = svdResult_ = velocity.decompose(maxiter_); error != E_NOERROR) return error;
  const Eigen::Index count = velocity.svd.count();
  sigmaMin_ = count > 0 ? velocity.svd.value(count - 1) : 0;
  lambda_scaled_ = sigmaMin_ < eps_ ? lambda_ * std::sqrt(1 - (sigmaMin_ / eps_) * (sigmaMin_ / eps_)) : 0;
  const double damping = lambda_scaled_ * lambda_scaled_, eps = eps_;
  const Eigen::Matrix<double, 6, 1> v = weight_ts_ * vector_of(v_in);
  velocity.apply(
      v, [=](double s) { return s >= eps && s > 0 ? 1 / s
                                : damping > 0     ? s / (s * s + damping)
                                                  : 0; }, qdot_out);
  Eigen::VectorXd& product = velocity.robot.v;
  product.noalias() = weight_js_.lazyProduct(qdot_out.data);
  qdot_out.data = product;
  const unsigned int lost = velocity.lost(eps_);
  nrZeroSigmas_ = lost + zeros_of_shape(velocity);
  return error = lost > 0 ? static_cast<int>(E_CONVERGE_PINV_SINGULAR) : static_cast<int>(E_NOERROR);
}
int ChainIkSolverVel_wdls::CartToJnt(const JntArray&, const FrameVel&, JntArrayVel&) {
  return error = E_NOT_IMPLEMENTED;
}
int ChainIkSolverVel_wdls::setWeightJS(const Eigen::MatrixXd& Mq) {
  if (Mq.rows() != weight_js_.rows() || Mq.cols() != weight_js_.cols()) return error = E_SIZE_MISMATCH;
  weight_js_ = Mq;
  return error = E_NOERROR;
}
int ChainIkSolverVel_wdls::setWeightTS(const Eigen::MatrixXd& Mx) {
  if (Mx.rows() != 6 || Mx.cols() != 6) return error = E_SIZE_MISMATCH;
  weight_ts_ = Mx;
  return error = E_NOERROR;
}
int ChainIkSolverVel_wdls::getSigma(Eigen::VectorXd& Sout) {
  if (static_cast<unsigned int>(Sout.size()) != velocity_->robot.joints()) return error = E_SIZE_MISMATCH;
  const Eigen::Index count = velocity_->svd.count();
  for (Eigen::Index i = 0; i < Sout.size(); ++i) Sout[i] = i < count ? velocity_->svd.value(i) : 0;
  return error = E_NOERROR;
}
const char* ChainIkSolverVel_wdls::strError(const int code) const { return singular_or(SolverI::strError(code), code); }
void ChainIkSolverVel_wdls::updateInternalDataStructures() {
  velocity_->rebuild();
  const Eigen::Index n = velocity_->robot.joints(), old = weight_js_.rows();
  const Eigen::Index kept = std::min(n, old);
  MatrixStorage weights = MatrixStorage::Identity(n, n);
  weights.topLeftCorner(kept, kept) = weight_js_.topLeftCorner(kept, kept);
  weight_js_ = weights;
}

}  // namespace KDL
