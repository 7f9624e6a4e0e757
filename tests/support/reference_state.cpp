// SPDX-License-Identifier: BSD-3-Clause
// Kinematics of the reference: poses on jets, and what their derivatives say about every link.
#include <stdexcept>

#include "support/reference.hpp"
#include "support/reference_vee.hpp"

namespace zwang::reference {

namespace {
/// One component of a jet, entry by entry.
template <class S, int Rows, int Columns>
Eigen::Matrix<S, Rows, Columns> component(const Eigen::Matrix<Jet<S>, Rows, Columns>& m, S Jet<S>::*which) {
  Eigen::Matrix<S, Rows, Columns> out;
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j) out(i, j) = m(i, j).*which;
  return out;
}
/// Unit quaternions and circles from the numbers of the user.
template <class S> void normalise_values(const Part& part, Jet<S>* q) {
  S x[8];
  for (int k = 0; k < part.nq && k < 8; ++k) x[k] = q[k].a;
  normalise(part, x);
  for (int k = 0; k < part.nq && k < 8; ++k) q[k] = x[k];
}
template <class S> Pose<S> value(const Pose<Jet<S>>& x) {
  return {component(x.R, &Jet<S>::a), component(x.p, &Jet<S>::a)};
}
}  // namespace

/// Child link in the parent link at (q (+) v e2) (+) e_along e1.
template <class S> Pose<Jet<S>> StateOf<S>::relative_pose(const SpanningJoint& joint, int along) const {
  Pose<Jet<S>> pose = widen<Jet<S>>(joint.origin);
  int iq = joint.q.first, iv = joint.v.first;
  for (const Part& part : joint.parts) {
    Jet<S> q[8], rate[8], step[8];
    for (int k = 0; k < part.nq; ++k) q[k] = q_(iq + k);
    normalise_values(part, q);
    for (int k = 0; k < part.nv; ++k) {
      rate[k] = Jet<S>::second(v_(iv + k));
      step[k] = Jet<S>::first(S(iv + k == along ? 1 : 0));
    }
    increment(part, q, rate);
    increment(part, q, step);
    if (joint.multiplier != 1 || joint.offset != 0)
      for (int k = 0; k < part.nq; ++k) q[k] = Jet<S>(joint.multiplier) * q[k] + Jet<S>(joint.offset);
    pose = pose * widen<Jet<S>>(part.origin) * motion(part, q);
    iq += part.nq;
    iv += part.nv;
  }
  return pose;
}

/// Column k of every Jacobian and of its rate, from the poses along coordinate k.
template <class S> void StateOf<S>::differentiate(int k, const std::vector<Pose<Jet<S>>>& relative,
                                                  const std::vector<Pose<Jet<S>>>& at_rest) {
  const std::vector<SpanningJoint>& joints = robot_->joints();
  std::vector<Pose<Jet<S>>> X = at_rest;
  std::vector<bool> moved(X.size(), false);  // other links do not depend on coordinate k
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const SpanningJoint& joint = joints[j];
    const bool own = joint.v.first <= k && k < joint.v.end(), carried = joint.parent >= 0 && moved[joint.parent];
    if (!own && !carried) continue;
    moved[joint.child] = true;
    const Pose<Jet<S>> pose = own ? relative_pose(joint, k) : relative[j];
    X[joint.child] = joint.parent < 0 ? pose : X[joint.parent] * pose;
  }
  for (std::size_t i = 0; i < X.size(); ++i) {
    if (!moved[i]) continue;
    const Matrix3<S> R = component(X[i].R, &Jet<S>::a), R1 = component(X[i].R, &Jet<S>::b);
    const Matrix3<S> R2 = component(X[i].R, &Jet<S>::c), R12 = component(X[i].R, &Jet<S>::d);
    const Vector3<S> p1 = component(X[i].p, &Jet<S>::b), p12 = component(X[i].p, &Jet<S>::d);
    const Vector3<S> centre = robot_->links()[i].centre.template cast<S>();
    Moving& m = links_[i];
    m.J.col(k) << p1, vee<S>(R1 * R.transpose());
    m.Jdot.col(k) << p12, vee<S>(R12 * R.transpose() + R1 * R2.transpose());
    m.Jc.col(k) = p1 + R1 * centre;
    m.Jcdot.col(k) = p12 + R12 * centre;
  }
}

template <class S> StateOf<S>::StateOf(const Reference& robot, VectorX<S> q, VectorX<S> v)
    : robot_(std::make_shared<const Reference>(robot)),
      q_(std::move(q)),
      v_(std::move(v)) {
  if (q_.size() != robot.nq() || v_.size() != robot.nv())
    throw std::invalid_argument("reference: wrong size of q or v");
  const int n = static_cast<int>(robot.links().size()), nv = robot.nv();
  std::vector<Pose<Jet<S>>> relative, at_rest(n);
  for (const SpanningJoint& joint : robot.joints()) {
    relative.push_back(relative_pose(joint, -1));
    at_rest[joint.child] = joint.parent < 0 ? relative.back() : at_rest[joint.parent] * relative.back();
  }
  links_.resize(n);
  for (int i = 0; i < n; ++i) {
    Moving& m = links_[i];
    const RigidLink& link = robot.links()[i];
    m.pose = value(at_rest[i]);
    m.J = m.Jdot = Matrix6X<S>::Zero(6, nv);
    m.Jc = m.Jcdot = Eigen::Matrix<S, 3, Eigen::Dynamic>::Zero(3, nv);
    m.c = m.pose.p + m.pose.R * link.centre.template cast<S>();
    m.inertia = m.pose.R * link.inertia.template cast<S>() * m.pose.R.transpose();
  }
  for (int k = 0; k < nv; ++k) differentiate(k, relative, at_rest);
}

template <class S> Pose<S> StateOf<S>::pose(const std::string& name) const {
  const NamedFrame& f = robot_->frame(name);
  return links_[f.link].pose * widen<S>(f.placement);
}

template <class S> Matrix6X<S> StateOf<S>::jacobian(const std::string& name, Axes in) const {
  const NamedFrame& f = robot_->frame(name);
  const Moving& m = links_[f.link];
  const Pose<S> X = pose(name);
  Matrix6X<S> J = m.J;
  // Velocity of the body's point at the frame's origin, or at the world's: v + w x r.
  const Vector3<S> r = in == Axes::world ? Vector3<S>(-m.pose.p) : Vector3<S>(X.p - m.pose.p);
  J.topRows(3) -= cross_matrix(r) * m.J.bottomRows(3);
  if (in == Axes::local) {
    J.topRows(3) = (X.R.transpose() * J.topRows(3)).eval();
    J.bottomRows(3) = (X.R.transpose() * J.bottomRows(3)).eval();
  }
  return J;
}

template <class S> Matrix6X<S> StateOf<S>::jacobian_dot(const std::string& name, Axes in) const {
  const NamedFrame& f = robot_->frame(name);
  const Moving& m = links_[f.link];
  const Pose<S> X = pose(name);
  const Vector6<S> rate = m.J * v_;
  const Vector3<S> w = rate.tail(3), pdot = rate.head(3);
  const Vector3<S> r = in == Axes::world ? Vector3<S>(-m.pose.p) : Vector3<S>(X.p - m.pose.p);
  // The world's origin is fixed, the frame's origin moves.
  const Vector3<S> rdot = in == Axes::world ? Vector3<S>(-pdot) : cross(w, r);
  Matrix6X<S> Jdot = m.Jdot;
  Jdot.topRows(3) -= cross_matrix(r) * m.Jdot.bottomRows(3) + cross_matrix(rdot) * m.J.bottomRows(3);
  if (in == Axes::local) {  // (R^T J)' = R^T (J' - w x J)
    const Matrix6X<S> J = jacobian(name, Axes::local_world_aligned);
    Jdot.topRows(3) = (X.R.transpose() * (Jdot.topRows(3) - cross_matrix(w) * J.topRows(3))).eval();
    Jdot.bottomRows(3) = (X.R.transpose() * (Jdot.bottomRows(3) - cross_matrix(w) * J.bottomRows(3))).eval();
  }
  return Jdot;
}

template <class S> Vector6<S> StateOf<S>::velocity(const std::string& name, Axes in) const {
  return jacobian(name, in) * v_;
}

template <class S>
Vector6<S> StateOf<S>::acceleration(const std::string& name, const VectorX<S>& a, Axes in, Kind kind) const {
  const NamedFrame& f = robot_->frame(name);
  const Moving& m = links_[f.link];
  const Pose<S> X = pose(name);
  const Vector6<S> body = m.J * a + m.Jdot * v_, rate = m.J * v_;
  const Vector3<S> w = rate.tail(3), al = body.tail(3);
  const Vector3<S> r = in == Axes::world ? Vector3<S>(-m.pose.p) : Vector3<S>(X.p - m.pose.p);
  Vector6<S> out;  // of the body's point at r: x'' = p'' + al x r + w x (w x r)
  out << body.head(3) + cross(al, r) + cross(w, cross(w, r)), al;
  const Vector3<S> v = rate.head(3) + cross(w, r);
  if (kind == Kind::spatial) out.head(3) -= cross(w, v);  // spatial = classical - w x v
  if (in == Axes::local) {
    out.head(3) = (X.R.transpose() * out.head(3)).eval();
    out.tail(3) = (X.R.transpose() * out.tail(3)).eval();
  }
  return out;
}

template <class S> VectorX<S> StateOf<S>::generalised_force(const Externals& external) const {
  VectorX<S> tau = VectorX<S>::Zero(v_.size());
  for (const ExternalOf<S>& e : external) tau += jacobian(e.frame, e.in).transpose() * e.wrench;
  return tau;
}

template class StateOf<Real>;
template class StateOf<Complex>;

}  // namespace zwang::reference
