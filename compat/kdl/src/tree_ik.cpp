// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics of trees.
#include <algorithm>
#include <cmath>
#include <kdl/treeiksolverpos_nr_jl.hpp>
#include <kdl/treeiksolverpos_online.hpp>
#include <kdl/treeiksolvervel_wdls.hpp>
#include <limits>

#include "joint_limits.hpp"
#include "robot.hpp"
#include "singular_values.hpp"

namespace KDL {

namespace detail {

/// The Jacobians of a tree's endpoints, one below the other, and what is asked of them.
class TreeVelocity {
 public:
  TreeVelocity(const Tree& tree, const std::vector<std::string>& names) : robot(tree), endpoints(names) {
    std::sort(endpoints.begin(), endpoints.end());
    const Eigen::Index rows = 6 * static_cast<Eigen::Index>(endpoints.size()), n = robot.joints();
    jacobian.setZero(rows, n);
    product.setZero(rows, n);
    svd.resize(rows, n);
    for (Eigen::VectorXd* vector : {&twist, &weighted}) vector->setZero(rows);
    weight_js.setIdentity(n, n);
    weight_ts.setIdentity(rows, rows);
  }
  /// The place of an endpoint, or endpoints.size().
  std::size_t find(const std::string& name) const {
    return static_cast<std::size_t>(std::find(endpoints.begin(), endpoints.end(), name) - endpoints.begin());
  }
  /// Rows of one endpoint, in KDL's order of joints.
  bool take(const std::string& name, Eigen::Index row) {
    const unsigned int segment = robot.find(name);
    if (segment == robot.segments()) return name == robot.root_name();
    if (zwang::try_jacobian(robot.model(), robot.data(), robot.q, robot.tip(segment),
                            zwang::Reference::local_world_aligned, robot.jacobian) != zwang::Status::ok)
      return false;
    for (unsigned int j = 0; j < robot.joints(); ++j)
      jacobian.block<6, 1>(row, j) = robot.scale(j) * robot.jacobian.col(robot.coordinate(j));
    return true;
  }

  Robot robot;
  std::vector<std::string> endpoints;
  SingularValues svd;
  Eigen::MatrixXd jacobian, product, weight_js, weight_ts;
  Eigen::VectorXd twist, weighted;
};

}  // namespace detail

namespace {

using detail::are_limits;
using detail::put_within;
constexpr double k_wrong_size = -1, k_unknown_name = -2, k_tree_changed = -3, k_not_converged = -3, k_not_finite = -4;

bool are_endpoints(const Frames& frames, const std::vector<std::string>& endpoints) {
  return std::all_of(frames.begin(), frames.end(), [&](const auto& frame) {
    return std::find(endpoints.begin(), endpoints.end(), frame.first) != endpoints.end();
  });
}

}  // namespace

TreeIkSolverVel_wdls::TreeIkSolverVel_wdls(const Tree& tree, const std::vector<std::string>& endpoints)
    : velocity_(std::make_unique<detail::TreeVelocity>(tree, endpoints)) {}
TreeIkSolverVel_wdls::TreeIkSolverVel_wdls(const TreeIkSolverVel_wdls& other)
    : TreeIkSolverVel(other),
      velocity_(std::make_unique<detail::TreeVelocity>(*other.velocity_)),
      lambda_(other.lambda_) {}
TreeIkSolverVel_wdls::~TreeIkSolverVel_wdls() = default;

double TreeIkSolverVel_wdls::CartToJnt(const JntArray& q_in, const Twists& v_in, JntArray& qdot_out) {
  detail::TreeVelocity& velocity = *velocity_;
  detail::Robot& robot = velocity.robot;
  if (robot.refresh() != SolverI::E_NOERROR) return k_tree_changed;
  if (q_in.rows() != robot.joints() || qdot_out.rows() != robot.joints()) return k_wrong_size;
  robot.motions_to(q_in, robot.q);
  velocity.jacobian.setZero();
  velocity.twist.setZero();
  for (const auto& [name, twist] : v_in) {
    const std::size_t place = velocity.find(name);
    const Eigen::Index row = 6 * static_cast<Eigen::Index>(place);
    if (place == velocity.endpoints.size() || !velocity.take(name, row)) return k_unknown_name;
    for (int i = 0; i < 6; ++i) velocity.twist[row + i] = twist(i);
  }
  velocity.product.noalias() = velocity.jacobian.lazyProduct(velocity.weight_js);
  velocity.svd.matrix().noalias() = velocity.weight_ts.lazyProduct(velocity.product);
  velocity.weighted.noalias() = velocity.weight_ts.lazyProduct(velocity.twist);
  if (!velocity.weighted.allFinite() || !std::isfinite(lambda_)) return k_not_finite;
  constexpr int enough_sweeps = 150;
  if (!velocity.svd.decompose(enough_sweeps)) return E_SVD_FAILED;
  const detail::SingularValues& svd = velocity.svd;
  const double rounding = static_cast<double>(std::max(velocity.jacobian.rows(), velocity.jacobian.cols())) *
                          std::numeric_limits<double>::epsilon() * (svd.count() > 0 ? svd.value(0) : 0);
  robot.v.setZero();
  for (Eigen::Index i = 0; i < svd.count(); ++i)
    if (const double s = svd.value(i); s > rounding)
      robot.v += s / (s * s + lambda_ * lambda_) * svd.left(i).dot(velocity.weighted) * svd.right(i);
  robot.a.noalias() = velocity.weight_js.lazyProduct(robot.v);
  qdot_out.data = robot.a;
  return velocity.weighted.norm();
}

void TreeIkSolverVel_wdls::setWeightJS(const Eigen::MatrixXd& Mq) {
  if (Mq.rows() == velocity_->weight_js.rows() && Mq.cols() == Mq.rows()) velocity_->weight_js = Mq;
}
void TreeIkSolverVel_wdls::setWeightTS(const Eigen::MatrixXd& Mx) {
  if (Mx.rows() == velocity_->weight_ts.rows() && Mx.cols() == Mx.rows()) velocity_->weight_ts = Mx;
}

TreeIkSolverPos_NR_JL::TreeIkSolverPos_NR_JL(const Tree& tree, const std::vector<std::string>& endpoints,
                                             const JntArray& q_min, const JntArray& q_max, TreeFkSolverPos& fksolver,
                                             TreeIkSolverVel& iksolver, unsigned int maxiter, double eps)
    : endpoints_(endpoints),
      q_min_(q_min),
      q_max_(q_max),
      step_(tree.getNrOfJoints()),
      fksolver_(fksolver),
      iksolver_(iksolver),
      maxiter_(maxiter),
      eps_(eps) {
  for (const std::string& name : endpoints_) twists_[name] = Twist::Zero();
}

double TreeIkSolverPos_NR_JL::CartToJnt(const JntArray& q_init, const Frames& p_in, JntArray& q_out) {
  for (const JntArray* array : {&q_init, static_cast<const JntArray*>(&q_out), static_cast<const JntArray*>(&q_min_),
                                static_cast<const JntArray*>(&q_max_)})
    if (array->rows() != step_.rows()) return k_wrong_size;
  if (!are_limits(q_min_, q_max_)) return k_wrong_size;
  if (!are_endpoints(p_in, endpoints_)) return k_unknown_name;
  q_out = q_init;
  put_within(q_min_, q_max_, q_out);
  for (unsigned int i = 0; i < maxiter_; ++i) {
    twists_.clear();
    for (const auto& [name, goal] : p_in) {
      Frame tip;
      if (const int code = fksolver_.JntToCart(q_out, tip, name); code < 0) return code;
      twists_[name] = diff(tip, goal);
    }
    const double length = iksolver_.CartToJnt(q_out, twists_, step_);
    if (length < eps_) return length;  // below 0: its code
    Add(q_out, step_, q_out);
    put_within(q_min_, q_max_, q_out);
  }
  return k_not_converged;
}

TreeIkSolverPos_Online::TreeIkSolverPos_Online(const double& nr_of_jnts, const std::vector<std::string>& endpoints,
                                               const JntArray& q_min, const JntArray& q_max, const JntArray& q_dot_max,
                                               const double x_dot_trans_max, const double x_dot_rot_max,
                                               TreeFkSolverPos& fksolver, TreeIkSolverVel& iksolver)
    : endpoints_(endpoints),
      q_min_(q_min),
      q_max_(q_max),
      q_dot_max_(q_dot_max),
      step_(nr_of_jnts > 0 ? static_cast<unsigned int>(nr_of_jnts) : 0),
      x_dot_trans_max_(x_dot_trans_max),
      x_dot_rot_max_(x_dot_rot_max),
      fksolver_(fksolver),
      iksolver_(iksolver) {}

Twist TreeIkSolverPos_Online::within_limits(Twist twist) const {
  const double linear = twist.vel.Norm(), angular = twist.rot.Norm();
  double part = 1;
  if (linear > x_dot_trans_max_) part = x_dot_trans_max_ / linear;
  if (angular > x_dot_rot_max_) part = std::min(part, x_dot_rot_max_ / angular);
  return part * twist;
}

double TreeIkSolverPos_Online::CartToJnt(const JntArray& q_in, const Frames& p_in, JntArray& q_out) {
  for (const JntArray* array : {&q_in, static_cast<const JntArray*>(&q_out), static_cast<const JntArray*>(&q_min_),
                                static_cast<const JntArray*>(&q_max_), static_cast<const JntArray*>(&q_dot_max_)})
    if (array->rows() != step_.rows()) return k_wrong_size;
  if (!are_limits(q_min_, q_max_)) return k_wrong_size;
  if (!are_endpoints(p_in, endpoints_)) return k_unknown_name;
  twists_.clear();
  for (const auto& [name, goal] : p_in) {
    Frame tip;
    if (const int code = fksolver_.JntToCart(q_in, tip, name); code < 0) return code;
    twists_[name] = within_limits(diff(tip, goal));
  }
  const double length = iksolver_.CartToJnt(q_in, twists_, step_);
  if (length < 0) return length;
  double part = 1;
  for (unsigned int j = 0; j < step_.rows(); ++j)
    if (std::abs(step_(j)) > q_dot_max_(j)) part = std::min(part, q_dot_max_(j) / std::abs(step_(j)));
  q_out.data = q_in.data + part * step_.data;
  put_within(q_min_, q_max_, q_out);
  return length;
}

}  // namespace KDL
