// SPDX-License-Identifier: BSD-3-Clause
// Dynamics of the reference: Newton's and Euler's laws about each link's centre of mass, projected by the Jacobians.
#include <Eigen/LU>
#include <stdexcept>

#include "support/reference.hpp"
#include "support/reference_vee.hpp"

namespace zwang::reference {

template <class S> std::pair<Vector3<S>, Vector3<S>> StateOf<S>::newton_euler(int i, const VectorX<S>& a,
                                                                              const Vector3<Real>& gravity) const {
  const Moving& m = links_[i];
  const Vector3<S> w = m.J.bottomRows(3) * v_;
  const Vector3<S> al = m.J.bottomRows(3) * a + m.Jdot.bottomRows(3) * v_;
  const Vector3<S> acceleration = m.Jc * a + m.Jcdot * v_ - gravity.template cast<S>();
  return {acceleration * S(robot_->links()[i].mass), m.inertia * al + cross<S>(w, m.inertia * w)};
}

template <class S> VectorX<S> StateOf<S>::projected(const VectorX<S>& a, const Vector3<Real>& gravity) const {
  VectorX<S> tau = VectorX<S>::Zero(v_.size());
  for (int i = 0; i < static_cast<int>(links_.size()); ++i) {
    const auto [force, moment] = newton_euler(i, a, gravity);
    tau += links_[i].Jc.transpose() * force + links_[i].J.bottomRows(3).transpose() * moment;
  }
  return tau;
}

template <class S> VectorX<S> StateOf<S>::armature() const {
  VectorX<S> all = VectorX<S>::Zero(v_.size());
  for (const SpanningJoint& j : robot_->joints())
    for (int k = 0; k < j.v.size; ++k) all(j.v.first + k) += S(j.multiplier * j.multiplier * j.armature[k]);
  return all;
}

template <class S> MatrixX<S> StateOf<S>::mass_matrix(const Effects& effects) const {
  MatrixX<S> M = MatrixX<S>::Zero(v_.size(), v_.size());
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const auto Jw = links_[i].J.bottomRows(3);
    M += S(robot_->links()[i].mass) * links_[i].Jc.transpose() * links_[i].Jc + Jw.transpose() * links_[i].inertia * Jw;
  }
  if (effects.armature) M.diagonal() += armature();
  return M;
}

template <class S> VectorX<S> StateOf<S>::bias(const Externals& external, const Effects& effects) const {
  return inverse_dynamics(VectorX<S>::Zero(v_.size()), external, effects);
}

template <class S> VectorX<S> StateOf<S>::gravity_forces() const {
  VectorX<S> g = VectorX<S>::Zero(v_.size());
  for (std::size_t i = 0; i < links_.size(); ++i)
    g -= links_[i].Jc.transpose() * (robot_->gravity().template cast<S>() * S(robot_->links()[i].mass));
  return g;
}

template <class S> VectorX<S> StateOf<S>::joint_forces(const Effects& effects) const {
  VectorX<S> tau = VectorX<S>::Zero(v_.size());
  for (const SpanningJoint& j : robot_->joints()) {
    const S m(j.multiplier);
    int iq = 0, iv = 0;
    for (const Part& part : j.parts) {
      for (int k = iv; k < iv + part.nv; ++k) {
        const S rate = m * v_(j.v.first + k);
        const int angle = iq + k - iv;  // the coordinate of a spring, where q is additive
        S t(0);
        if (effects.damping) t += S(j.damping[k]) * rate;
        if (effects.friction) t += S(j.friction[k] * Real((std::real(rate) > 0) - (std::real(rate) < 0)));
        if (effects.springs && j.stiffness[k] != 0) {
          if (!part.additive) throw std::invalid_argument("reference: a spring on joint '" + j.name + "'");
          t += S(j.stiffness[k]) * (m * q_(j.q.first + angle) + S(j.offset - j.spring_reference[angle]));
        }
        tau(j.v.first + k) += m * t;
      }
      iq += part.nq;
      iv += part.nv;
    }
  }
  return tau;
}

template <class S> MatrixX<S> StateOf<S>::coriolis_matrix() const {
  MatrixX<S> C = MatrixX<S>::Zero(v_.size(), v_.size());
  for (std::size_t i = 0; i < links_.size(); ++i) {
    // B = ([w] I - I [w] - [I w]) / 2, so that B w = w x I w and B + B^T = [w] I - I [w], the rate of I in world axes.
    const Moving& m = links_[i];
    const auto Jw = m.J.bottomRows(3);
    const Vector3<S> w = Jw * v_, Iw = m.inertia * w;
    const Matrix3<S> W = cross_matrix(w), B = (W * m.inertia - m.inertia * W - cross_matrix(Iw)) / S(2);
    C += S(robot_->links()[i].mass) * m.Jc.transpose() * m.Jcdot +
         Jw.transpose() * (m.inertia * m.Jdot.bottomRows(3) + B * Jw);
  }
  return C;
}

template <class S>
VectorX<S> StateOf<S>::inverse_dynamics(const VectorX<S>& a, const Externals& external, const Effects& effects) const {
  VectorX<S> tau = projected(a, robot_->gravity()) + joint_forces(effects) - generalised_force(external);
  if (effects.armature) tau += armature().cwiseProduct(a);
  return tau;
}

template <class S> VectorX<S> StateOf<S>::forward_dynamics(const VectorX<S>& tau, const Externals& external,
                                                           const Effects& effects) const {
  return mass_matrix(effects).fullPivLu().solve(tau - bias(external, effects));
}

template <class S> S StateOf<S>::kinetic_energy(const Effects& effects) const {
  S T(0);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Vector3<S> c = links_[i].Jc * v_, w = links_[i].J.bottomRows(3) * v_, L = links_[i].inertia * w;
    T += S(robot_->links()[i].mass) * c.cwiseProduct(c).sum() + w.cwiseProduct(L).sum();
  }
  if (effects.armature) T += armature().cwiseProduct(v_.cwiseProduct(v_)).sum();
  return T / S(2);
}

template <class S> S StateOf<S>::potential_energy(bool ground) const {
  return -mass(ground) * robot_->gravity().template cast<S>().cwiseProduct(centre_of_mass(ground)).sum();
}

template <class S> S StateOf<S>::mass(bool ground) const {
  S total(0);
  for (std::size_t i = 0; i < links_.size(); ++i)
    if (ground || robot_->moves(static_cast<int>(i))) total += S(robot_->links()[i].mass);
  return total;
}

template <class S> Vector3<S> StateOf<S>::centre_of_mass(bool ground) const {
  Vector3<S> sum = Vector3<S>::Zero();
  for (std::size_t i = 0; i < links_.size(); ++i)
    if (ground || robot_->moves(static_cast<int>(i))) sum += links_[i].c * S(robot_->links()[i].mass);
  return mass(ground) == S(0) ? sum : Vector3<S>(sum / mass(ground));
}

template <class S> MatrixX<S> StateOf<S>::centre_of_mass_jacobian(bool ground) const {
  MatrixX<S> J = MatrixX<S>::Zero(3, v_.size());
  for (std::size_t i = 0; i < links_.size(); ++i) J += links_[i].Jc * S(robot_->links()[i].mass);
  return mass(ground) == S(0) ? J : MatrixX<S>(J / mass(ground));
}

template <class S> Vector3<S> StateOf<S>::centre_of_mass_velocity(bool ground) const {
  return centre_of_mass_jacobian(ground) * v_;
}

template <class S> Vector3<S> StateOf<S>::centre_of_mass_acceleration(const VectorX<S>& a, bool ground) const {
  Vector3<S> sum = Vector3<S>::Zero();
  for (std::size_t i = 0; i < links_.size(); ++i)
    sum += (links_[i].Jc * a + links_[i].Jcdot * v_) * S(robot_->links()[i].mass);
  return mass(ground) == S(0) ? sum : Vector3<S>(sum / mass(ground));
}

template <class S> Matrix6X<S> StateOf<S>::momentum_matrix() const {
  Matrix6X<S> A = Matrix6X<S>::Zero(6, v_.size());
  const Vector3<S> centre = centre_of_mass();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Moving& m = links_[i];
    const MatrixX<S> linear = m.Jc * S(robot_->links()[i].mass);
    A.topRows(3) += linear;
    A.bottomRows(3) += cross_matrix<S>(m.c - centre) * linear + m.inertia * m.J.bottomRows(3);
  }
  return A;
}

template <class S> Vector6<S> StateOf<S>::momentum() const { return momentum_matrix() * v_; }

template <class S>
std::map<std::string, Vector6<S>> StateOf<S>::joint_wrenches(const VectorX<S>& a, const Externals& external) const {
  std::map<std::string, Vector6<S>> all;
  const std::vector<RigidLink>& links = robot_->links();
  for (const SpanningJoint& joint : robot_->joints()) {
    const Pose<S>& X = links_[joint.child].pose;
    const auto carried = [&](int i) {  // is link i in the joint's subtree?
      while (i >= 0 && i != joint.child) i = links[i].parent;
      return i == joint.child;
    };
    Vector3<S> force = Vector3<S>::Zero(), moment = force;
    const auto add = [&](const Vector3<S>& f, const Vector3<S>& n, const Vector3<S>& point, S sign) {
      force += sign * f;
      moment += sign * (n + cross<S>(point - X.p, f));
    };
    for (int i = 0; i < static_cast<int>(links.size()); ++i)
      if (carried(i)) {
        const auto [f, n] = newton_euler(i, a, robot_->gravity());
        add(f, n, links_[i].c, S(1));
      }
    for (const ExternalOf<S>& e : external)
      if (carried(robot_->frame(e.frame).link)) {
        const Pose<S> F = pose(e.frame);
        const Matrix3<S> R = e.in == Axes::local ? F.R : Matrix3<S>(Matrix3<S>::Identity());
        add(R * e.wrench.head(3), R * e.wrench.tail(3), e.in == Axes::world ? Vector3<S>(Vector3<S>::Zero()) : F.p,
            S(-1));
      }
    all[joint.name] << X.R.transpose() * force, X.R.transpose() * moment;
  }
  return all;
}

template class StateOf<Real>;
template class StateOf<Complex>;

}  // namespace zwang::reference
