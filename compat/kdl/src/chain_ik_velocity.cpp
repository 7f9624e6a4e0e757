// SPDX-License-Identifier: BSD-3-Clause
// Joint velocities of a chain for a twist of its tip.
#include <cmath>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <kdl/chainiksolvervel_pinv_givens.hpp>
#include <kdl/chainiksolvervel_pinv_nso.hpp>
#include <kdl/chainiksolvervel_wdls.hpp>

#include "chain_velocity.hpp"

namespace KDL {

namespace detail {

ChainVelocity::ChainVelocity(const Chain& chain) : robot(chain) { rebuild(); }

void ChainVelocity::rebuild() {
  robot.rebuild();
  svd.resize(6, robot.joints());
  jacobian.setZero(6, robot.joints());
}

int ChainVelocity::move(const JntArray& q, const JntArray& out, const Twist& v) {
  if (const int code = robot.refresh(); code != SolverI::E_NOERROR) return code;
  if (q.rows() != robot.joints() || out.rows() != robot.joints()) return SolverI::E_SIZE_MISMATCH;
  if (!vector_of(v).allFinite()) return SolverI::E_UNDEFINED;
  if (robot.segments() == 0) return SolverI::E_NOERROR;
  robot.motions_to(q, robot.q);
  const int code = code_of(zwang::try_jacobian(robot.model(), robot.data(), robot.q, robot.tip(robot.segments() - 1),
                                               zwang::Reference::local_world_aligned, robot.jacobian));
  if (code != SolverI::E_NOERROR) return code;
  for (unsigned int j = 0; j < robot.joints(); ++j)
    jacobian.col(j) = robot.scale(j) * robot.jacobian.col(robot.coordinate(j));
  return code;
}

int ChainVelocity::decompose(int max_sweeps) {
  return svd.decompose(max_sweeps) ? SolverI::E_NOERROR : SolverI::E_SVD_FAILED;
}

unsigned int ChainVelocity::lost(double eps) const {
  unsigned int out = 0;
  for (Eigen::Index i = 0; i < svd.count(); ++i) out += svd.value(i) < eps || svd.value(i) == 0;
  return out;
}

}  // namespace detail

namespace {

using detail::ChainVelocity;
using detail::vector_of;

unsigned int zeros_of_shape(const ChainVelocity& velocity) {
  return velocity.robot.joints() > 6 ? velocity.robot.joints() - 6 : 0;
}

auto inverse_above(double eps) {
  return [eps](double s) { return s < eps || s == 0 ? 0 : 1 / s; };
}

const char* singular_or(const char* other, int code) {
  return code == ChainIkSolverVel_pinv::E_CONVERGE_PINV_SINGULAR ? "Converged, but the Jacobian is singular" : other;
}

}  // namespace

ChainIkSolverVel_pinv::ChainIkSolverVel_pinv(const Chain& chain, double eps, int maxiter)
    : velocity_(std::make_unique<ChainVelocity>(chain)),
      eps_(eps),
      maxiter_(maxiter) {}
ChainIkSolverVel_pinv::ChainIkSolverVel_pinv(const ChainIkSolverVel_pinv& other)
    : ChainIkSolverVel(other),
      velocity_(std::make_unique<ChainVelocity>(*other.velocity_)),
      eps_(other.eps_),
      maxiter_(other.maxiter_),
      nrZeroSigmas_(other.nrZeroSigmas_),
      svdResult_(other.svdResult_) {}
ChainIkSolverVel_pinv::~ChainIkSolverVel_pinv() = default;

int ChainIkSolverVel_pinv::CartToJnt(const JntArray& q_in, const Twist& v_in, JntArray& qdot_out) {
  ChainVelocity& velocity = *velocity_;
  if (error = velocity.move(q_in, qdot_out, v_in); error != E_NOERROR) return error;
  velocity.svd.matrix() = velocity.jacobian;
  if (error = svdResult_ = velocity.decompose(maxiter_); error != E_NOERROR) return error;
  velocity.apply(vector_of(v_in), inverse_above(eps_), qdot_out);
  const unsigned int lost = velocity.lost(eps_);
  nrZeroSigmas_ = lost + zeros_of_shape(velocity);
  return error = lost > 0 ? static_cast<int>(E_CONVERGE_PINV_SINGULAR) : static_cast<int>(E_NOERROR);
}
int ChainIkSolverVel_pinv::CartToJnt(const JntArray&, const FrameVel&, JntArrayVel&) {
  return error = E_NOT_IMPLEMENTED;
}
const char* ChainIkSolverVel_pinv::strError(const int code) const { return singular_or(SolverI::strError(code), code); }
void ChainIkSolverVel_pinv::updateInternalDataStructures() { velocity_->rebuild(); }

ChainIkSolverVel_pinv_givens::ChainIkSolverVel_pinv_givens(const Chain& chain)
    : velocity_(std::make_unique<ChainVelocity>(chain)) {}
ChainIkSolverVel_pinv_givens::ChainIkSolverVel_pinv_givens(const ChainIkSolverVel_pinv_givens& other)
    : ChainIkSolverVel(other),
      velocity_(std::make_unique<ChainVelocity>(*other.velocity_)) {}
ChainIkSolverVel_pinv_givens::~ChainIkSolverVel_pinv_givens() = default;

int ChainIkSolverVel_pinv_givens::CartToJnt(const JntArray& q_in, const Twist& v_in, JntArray& qdot_out) {
  ChainVelocity& velocity = *velocity_;
  if (error = velocity.move(q_in, qdot_out, v_in); error != E_NOERROR) return error;
  velocity.svd.matrix() = velocity.jacobian;
  constexpr int enough_sweeps = 150;
  if (error = velocity.decompose(enough_sweeps); error != E_NOERROR) return error;
  const double largest = velocity.svd.count() > 0 ? velocity.svd.value(0) : 0;
  const double eps = std::max(6u, velocity.robot.joints()) * std::numeric_limits<double>::epsilon() * largest;
  velocity.apply(vector_of(v_in), inverse_above(eps), qdot_out);
  return error = largest == 0 || velocity.lost(eps) > 0 ? E_DEGRADED : E_NOERROR;
}
int ChainIkSolverVel_pinv_givens::CartToJnt(const JntArray&, const FrameVel&, JntArrayVel&) {
  return error = E_NOT_IMPLEMENTED;
}
void ChainIkSolverVel_pinv_givens::updateInternalDataStructures() { velocity_->rebuild(); }

ChainIkSolverVel_pinv_nso::ChainIkSolverVel_pinv_nso(const Chain& chain, const JntArray& opt_pos,
                                                     const JntArray& weights, double eps, int maxiter, double alpha)
    : velocity_(std::make_unique<ChainVelocity>(chain)),
      eps_(eps),
      maxiter_(maxiter),
      alpha_(alpha),
      weights_(weights),
      opt_pos_(opt_pos),
      step_(chain.getNrOfJoints()) {}
ChainIkSolverVel_pinv_nso::ChainIkSolverVel_pinv_nso(const Chain& chain, double eps, int maxiter, double alpha)
    : ChainIkSolverVel_pinv_nso(chain, JntArray(), JntArray(), eps, maxiter, alpha) {}
ChainIkSolverVel_pinv_nso::ChainIkSolverVel_pinv_nso(const ChainIkSolverVel_pinv_nso& other)
    : ChainIkSolverVel(other),
      velocity_(std::make_unique<ChainVelocity>(*other.velocity_)),
      eps_(other.eps_),
      maxiter_(other.maxiter_),
      alpha_(other.alpha_),
      weights_(other.weights_),
      opt_pos_(other.opt_pos_),
      step_(other.step_),
      svdResult_(other.svdResult_) {}
ChainIkSolverVel_pinv_nso::~ChainIkSolverVel_pinv_nso() = default;

int ChainIkSolverVel_pinv_nso::CartToJnt(const JntArray& q_in, const Twist& v_in, JntArray& qdot_out) {
  ChainVelocity& velocity = *velocity_;
  if (error = velocity.move(q_in, qdot_out, v_in); error != E_NOERROR) return error;
  const unsigned int n = velocity.robot.joints();
  if (weights_.rows() != n || opt_pos_.rows() != n || step_.rows() != n) return error = E_SIZE_MISMATCH;
  if (!weights_.data.allFinite() || !opt_pos_.data.allFinite() || !std::isfinite(alpha_)) return error = E_UNDEFINED;
  velocity.svd.matrix() = velocity.jacobian;
  if (error = svdResult_ = velocity.decompose(maxiter_); error != E_NOERROR) return error;
  velocity.apply(vector_of(v_in), inverse_above(eps_), qdot_out);
  double g = 0, length = 0;  // 2 g, and the square of its gradient's length
  for (unsigned int i = 0; i < n; ++i) {
    const double d = q_in(i) - opt_pos_(i);
    step_(i) = weights_(i) * d;
    g += step_(i) * d;
    length += step_(i) * step_(i);
  }
  if (length > 0) {
    step_.data *= -alpha_ * g / length;
    for (Eigen::Index i = 0; i < velocity.svd.count(); ++i)
      if (velocity.svd.value(i) >= eps_) step_.data -= velocity.svd.right(i).dot(step_.data) * velocity.svd.right(i);
    qdot_out.data += step_.data;
  }
  return error = velocity.lost(eps_) > 0 ? E_DEGRADED : E_NOERROR;
}
int ChainIkSolverVel_pinv_nso::CartToJnt(const JntArray&, const FrameVel&, JntArrayVel&) {
  return error = E_NOT_IMPLEMENTED;
}
int ChainIkSolverVel_pinv_nso::setWeights(const JntArray& weights) {
  if (weights.rows() != velocity_->robot.joints()) return error = E_SIZE_MISMATCH;
  weights_ = weights;
  return error = E_NOERROR;
}
int ChainIkSolverVel_pinv_nso::setOptPos(const JntArray& opt_pos) {
  if (opt_pos.rows() != velocity_->robot.joints()) return error = E_SIZE_MISMATCH;
  opt_pos_ = opt_pos;
  return error = E_NOERROR;
}
int ChainIkSolverVel_pinv_nso::setAlpha(const double alpha) {
  alpha_ = alpha;
  return error = E_NOERROR;
}
void ChainIkSolverVel_pinv_nso::updateInternalDataStructures() {
  velocity_->rebuild();
  const unsigned int n = velocity_->robot.joints();
  const auto old = weights_.rows();
  for (JntArray* array : {&weights_, &opt_pos_, &step_}) array->resize(n);
  for (auto i = old; i < n; ++i) weights_(i) = 1;
}

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
