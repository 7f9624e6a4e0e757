// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/motion_terms.hpp"

#include "zwang/algorithm/kinematics.hpp"
#include "zwang/model/stages.hpp"

namespace zwang::test {

MotionTerms::MotionTerms(const Case& of, const Eigen::VectorXd& q, const Eigen::VectorXd& v)
    : state_(of.reference.at(q, v)),
      model_(&of.model),
      data_(of.model) {
  using Vector3 = reference::Vector3<Real>;
  const reference::Reference& robot = of.reference;
  forward_kinematics(of.model, data_, q);
  const Eigen::Index n = q.size() > 0 ? v.size() : 0;
  gross_ = bias_ = Vec::Zero(n);
  const Real g = robot.gravity().norm();
  for (std::size_t i = 0; i < robot.links().size(); ++i) {
    const reference::RigidLink& link = robot.links()[i];
    if (!robot.moves(static_cast<int>(i))) continue;
    const auto pose = state_.pose(link.name);
    const Vector3 centre = centre_of(link.name);
    const auto J = state_.jacobian(link.name, reference::Axes::world);
    const Real m = link.mass, d = (pose.p + pose.R * link.centre - centre).norm(),
               about = 2 * m * d * d + link.inertia.trace();
    Vec shift(n), turn(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const Vector3 w = J.col(k).tail(3);
      shift(k) = (J.col(k).head(3) + w.cross(centre)).norm();
      turn(k) = w.norm();
    }
    const Real vl = shift.dot(v.cwiseAbs().cast<Real>()), wl = turn.dot(v.cwiseAbs().cast<Real>());
    const Real a = g + 2 * wl * vl, al = 2 * wl * wl;
    gross_ += m * shift.cwiseAbs2() + about * turn.cwiseAbs2();
    bias_ += shift * (m * a + m * d * al) + turn * (m * d * a + about * al + m * vl * vl);
  }
  for (const reference::SpanningJoint& j : robot.joints())
    for (int i = 0; i < j.v.size; ++i)
      gross_(j.v.first + i) += j.multiplier * j.multiplier * j.armature[static_cast<std::size_t>(i)];
}

reference::Vector3<MotionTerms::Real> MotionTerms::centre_of(const std::string& link) const {
  const Index body = model_->links()[static_cast<std::size_t>(model_->find_link(link).value)].body.value;
  const Vec3<double>& at = data_.position.centre[model_->tree<double>().body[body].root];
  return {at.x, at.y, at.z};
}

MotionTerms::Real MotionTerms::lost(const Vec& tau, const Vec& qdd, Real eps) const {
  const Vec root = gross_.cwiseSqrt();
  const Vec residual = state_.inverse_dynamics(qdd, {}, reference::Effects::inertial()) - tau;
  const Vec terms = root * root.dot(qdd.cwiseAbs()) + tau.cwiseAbs() + bias_;
  Real worst = 0;
  for (Eigen::Index k = 0; k < tau.size(); ++k) {
    const Real x = std::fabs(residual(k));
    if (!(x == 0)) worst = std::max(worst, x / (eps * terms(k)));
    if (std::isnan(x)) worst = std::numeric_limits<Real>::infinity();
  }
  return worst;
}

}  // namespace zwang::test
