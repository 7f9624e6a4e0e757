// SPDX-License-Identifier: BSD-3-Clause
// Joint values of a chain for a pose of its tip, by Levenberg and Marquardt's method.
//
// Madsen, Nielsen & Tingleff, Methods for Non-Linear Least Squares Problems (2004), algorithm 3.16: the step solves
// (A'A + mu 1) d = A' f with A = L J, f = L e; mu shrinks with the agreement between model and function, and grows by
// 2, 4, 8, ... where a step is refused. d = A' (A A' + mu 1)^-1 f needs a matrix of 6 rows alone.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <kdl/chainiksolverpos_lma.hpp>

#include "pose_search.hpp"
#include "singular_values.hpp"

namespace KDL {

namespace detail {

class LeastSquares {
 public:
  explicit LeastSquares(const Chain& chain) : robot(chain), search(chain) { svd.resize(6, robot.joints()); }
  LeastSquares(const LeastSquares& other) : robot(other.robot), search(other.search) { svd.resize(6, robot.joints()); }
  void rebuild() {
    robot.rebuild();
    search.rebuild();
    svd.resize(6, robot.joints());
  }
  void decompose(const MatrixStorage& jacobian) {
    constexpr int enough_sweeps = 150;
    svd.matrix() = jacobian;
    svd.decompose(enough_sweeps);
  }
  zwang::FrameId tip() const { return robot.segments() == 0 ? robot.base() : robot.tip(robot.segments() - 1); }

  Robot robot;
  PoseSearch search;
  SingularValues svd;
};

}  // namespace detail

namespace {

typedef Eigen::Matrix<double, 6, 1> Vector6;
typedef Eigen::Matrix<double, 6, 6> Matrix6;
constexpr double k_angle_weight = 0.01, k_first_damping = 1e-3;

Vector6 default_weights() { return (Vector6() << 1, 1, 1, k_angle_weight, k_angle_weight, k_angle_weight).finished(); }

}  // namespace

ChainIkSolverPos_LMA::ChainIkSolverPos_LMA(const Chain& chain, const Eigen::Matrix<double, 6, 1>& L, double eps,
                                           int maxiter, double eps_joints)
    : squares_(std::make_unique<detail::LeastSquares>(chain)),
      eps_(eps),
      eps_joints_(eps_joints),
      maxiter_(maxiter) {
  for (int i = 0; i < 6; ++i) weights_[i] = L[i];
  resize();
}
ChainIkSolverPos_LMA::ChainIkSolverPos_LMA(const Chain& chain, double eps, int maxiter, double eps_joints)
    : ChainIkSolverPos_LMA(chain, default_weights(), eps, maxiter, eps_joints) {}
ChainIkSolverPos_LMA::ChainIkSolverPos_LMA(const ChainIkSolverPos_LMA& other)
    : ChainIkSolverPos(other),
      squares_(std::make_unique<detail::LeastSquares>(*other.squares_)),
      eps_(other.eps_),
      eps_joints_(other.eps_joints_),
      maxiter_(other.maxiter_) {
  std::copy(other.weights_, other.weights_ + 6, weights_);
  resize();
}
ChainIkSolverPos_LMA::~ChainIkSolverPos_LMA() = default;

void ChainIkSolverPos_LMA::resize() {
  const unsigned int n = squares_->robot.joints();
  lastSV.setZero(std::min(6u, n));
  jac.setZero(6, n);
  grad.setZero(n);
  step_.resize(n);
  next_.resize(n);
}

void ChainIkSolverPos_LMA::updateInternalDataStructures() {
  squares_->rebuild();
  resize();
}

void ChainIkSolverPos_LMA::compute_fwdpos(const Eigen::VectorXd& q) {
  if (error = take(q); error == E_NOERROR) error = move(next_);
}

void ChainIkSolverPos_LMA::compute_jacobian(const Eigen::VectorXd& q) {
  if (error = take(q); error == E_NOERROR) error = move(next_);
  if (error == E_NOERROR) read_jacobian();
}

/// next_ = q, after the checks of CartToJnt().
int ChainIkSolverPos_LMA::take(const Eigen::VectorXd& q) {
  if (const int code = squares_->robot.refresh(); code != E_NOERROR) return code;
  if (q.size() != next_.data.size()) return E_SIZE_MISMATCH;
  next_.data = q;
  return E_NOERROR;
}

/// L e at T_base_head.
Eigen::Matrix<double, 6, 1> ChainIkSolverPos_LMA::difference(const Frame& goal) const {
  const Twist e = diff(T_base_head, goal);
  Vector6 out;
  for (int i = 0; i < 6; ++i) out[i] = weights_[i] * e(i);
  return out;
}

/// What the last call leaves for its reader.
void ChainIkSolverPos_LMA::finish(const Eigen::Matrix<double, 6, 1>& e) {
  lastDifference = e.norm();
  Vector6 plain = e;
  for (int i = 0; i < 6; ++i) plain[i] = weights_[i] != 0 ? e[i] / weights_[i] : 0;
  lastTransDiff = plain.head<3>().norm();
  lastRotDiff = plain.tail<3>().norm();
  squares_->decompose(jac);
  for (Eigen::Index i = 0; i < lastSV.size(); ++i) lastSV[i] = squares_->svd.value(i);
}

/// T_base_head and the Jacobian at q, without weights.
int ChainIkSolverPos_LMA::move(const JntArray& q) {
  detail::Robot& robot = squares_->robot;
  robot.motions_to(q, robot.q);
  const int code = detail::code_of(zwang::try_forward_kinematics(robot.model(), robot.data(), robot.q));
  if (code != E_NOERROR) return code;
  T_base_head = detail::from(zwang::frame_pose(robot.model(), robot.data(), squares_->tip()));
  zwang::jacobian(robot.model(), robot.data(), squares_->tip(), zwang::Reference::local_world_aligned, robot.jacobian);
  return code;
}

/// jac = J
void ChainIkSolverPos_LMA::read_jacobian() {
  const detail::Robot& robot = squares_->robot;
  for (unsigned int j = 0; j < robot.joints(); ++j)
    jac.col(j) = robot.scale(j) * robot.jacobian.col(robot.coordinate(j));
}

/// jac = L J
void ChainIkSolverPos_LMA::weigh() {
  read_jacobian();
  for (int i = 0; i < 6; ++i) jac.row(i) *= weights_[i];
}

int ChainIkSolverPos_LMA::descend(const Frame& goal, JntArray& q) {
  lastNrOfIter = 0;
  if (const int code = move(q); code != E_NOERROR) return code;
  weigh();
  Vector6 f = difference(goal);
  double mu = -1, growth = 2;
  Matrix6 product;
  for (int i = 0; i <= maxiter_; ++i) {
    lastNrOfIter = i;
    if (display_information) std::cout << "step " << i << ": difference " << f.norm() << ", damping " << mu << '\n';
    if (f.norm() < eps_) return E_NOERROR;
    if (i == maxiter_) break;
    grad.noalias() = jac.transpose().lazyProduct(f);
    if (grad.size() == 0 || grad.lpNorm<Eigen::Infinity>() < eps_joints_) return E_GRADIENT_JOINTS_TOO_SMALL;
    product.noalias() = jac.lazyProduct(jac.transpose());
    if (mu < 0) mu = k_first_damping * product.diagonal().maxCoeff();
    product.diagonal().array() += mu;
    const Vector6 y = product.ldlt().solve(f);
    step_.data.noalias() = jac.transpose().lazyProduct(y);
    if (step_.data.lpNorm<Eigen::Infinity>() < eps_joints_) return E_INCREMENT_JOINTS_TOO_SMALL;
    Add(q, step_, next_);
    if (const int code = move(next_); code != E_NOERROR) return code;
    const Vector6 g = difference(goal);
    const double model = step_.data.dot(mu * step_.data + grad);
    const double agreement = (f.squaredNorm() - g.squaredNorm()) / model;
    if (agreement > 0) {
      q = next_;
      f = g;
      weigh();
      const double x = 2 * agreement - 1;
      mu *= std::max(1. / 3, 1 - x * x * x);
      growth = 2;
    } else {
      mu *= growth;
      growth *= 2;
      if (!std::isfinite(mu)) return E_INCREMENT_JOINTS_TOO_SMALL;
    }
  }
  return E_MAX_ITERATIONS_EXCEEDED;
}

int ChainIkSolverPos_LMA::CartToJnt(const JntArray& q_init, const Frame& T_base_goal, JntArray& q_out) {
  detail::Robot& robot = squares_->robot;
  if (error = robot.refresh(); error != E_NOERROR) return error;
  if (q_init.rows() != robot.joints() || q_out.rows() != robot.joints() || step_.rows() != robot.joints())
    return error = E_SIZE_MISMATCH;
  q_out = q_init;
  error = descend(T_base_goal, q_out);
  const bool may_search = error == E_GRADIENT_JOINTS_TOO_SMALL || error == E_INCREMENT_JOINTS_TOO_SMALL ||
                          error == E_MAX_ITERATIONS_EXCEEDED;
  if (error != E_NOERROR && !may_search) return error;
  const bool is_whole = *std::min_element(weights_, weights_ + 6) > 0;
  if (may_search && is_whole && squares_->search.solve(q_init, T_base_goal, next_) && move(next_) == E_NOERROR &&
      difference(T_base_goal).norm() < eps_) {
    q_out = next_;
    error = E_NOERROR;
  }
  move(q_out);
  weigh();
  const Vector6 f = difference(T_base_goal);
  grad.noalias() = jac.transpose().lazyProduct(f);
  finish(f);
  return error;
}

const char* ChainIkSolverPos_LMA::strError(const int code) const {
  switch (code) {
    case E_GRADIENT_JOINTS_TOO_SMALL: return "The gradient towards the joints is too small";
    case E_INCREMENT_JOINTS_TOO_SMALL: return "The step of the joints is too small";
    default: return SolverI::strError(code);
  }
}

void ChainIkSolverPos_LMA::display_jac(const JntArray& jval) {
  compute_jacobian(jval.data);
  if (error != E_NOERROR) return;
  squares_->decompose(jac);
  std::cout << "Singular values :";
  for (Eigen::Index i = 0; i < squares_->svd.count(); ++i) std::cout << ' ' << squares_->svd.value(i);
  std::cout << '\n';
}

}  // namespace KDL
