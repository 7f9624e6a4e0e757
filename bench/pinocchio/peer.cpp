// SPDX-License-Identifier: BSD-3-Clause
#include "peer.hpp"

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/pv.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/constraints.hpp>
#include <pinocchio/multibody.hpp>

namespace pin = pinocchio;

struct Peer::Impl {
  pin::Model model;
  std::unique_ptr<pin::Data> data;
  std::vector<Eigen::VectorXd> q, v, a, tau;
  std::vector<pin::RigidConstraintModel> rigid;
  std::vector<pin::RigidConstraintData> rigid_data;
  std::vector<pin::FrameAnchorConstraintModel> frames;
  std::vector<pin::FrameAnchorConstraintData> frames_data;
  std::vector<pin::PointAnchorConstraintModel> points;
  std::vector<pin::PointAnchorConstraintData> points_data;
  pin::Data *pv_data = nullptr, *caba_data = nullptr;
  std::unique_ptr<pin::Data> pv_owner, caba_owner, kkt_owner;
};

Peer::Peer(const std::vector<PeerBody>& bodies, const std::vector<PeerContact>& contacts, int states)
    : impl_(new Impl) {
  pin::Model& m = impl_->model;
  std::vector<pin::JointIndex> joint(bodies.size() + 1, 0);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const PeerBody& b = bodies[i];
    Eigen::Matrix3d R;
    R << b.R[0], b.R[1], b.R[2], b.R[3], b.R[4], b.R[5], b.R[6], b.R[7], b.R[8];
    const pin::SE3 X(R, Eigen::Vector3d(b.p[0], b.p[1], b.p[2]));
    const std::string name = "j" + std::to_string(i + 1);
    const pin::JointIndex parent = joint[b.parent];
    pin::JointIndex id;
    if (b.joint == 'r')
      id = m.addJoint(parent, pin::JointModelRZ(), X, name);
    else if (b.joint == 'p')
      id = m.addJoint(parent, pin::JointModelPZ(), X, name);
    else
      id = m.addJoint(parent, pin::JointModelFreeFlyer(), X, name);
    joint[i + 1] = id;
    Eigen::Matrix3d I;
    const double* c = b.inertia;
    I << c[0], c[1], c[2], c[1], c[3], c[4], c[2], c[4], c[5];
    m.appendBodyToJoint(id, pin::Inertia(b.mass, Eigen::Vector3d(b.centre[0], b.centre[1], b.centre[2]), I),
                        pin::SE3::Identity());
    if (b.joint != 'f') m.armature[m.idx_vs[id]] = b.armature;
  }
  impl_->data.reset(new pin::Data(m));
  for (const PeerContact& c : contacts) {
    const pin::SE3 X(Eigen::Matrix3d::Identity(), Eigen::Vector3d(c.at[0], c.at[1], c.at[2]));
    impl_->rigid.emplace_back(c.rows == 6 ? pin::CONTACT_6D : pin::CONTACT_3D, m, joint[c.body], X, pin::LOCAL);
    if (c.rows == 6)
      impl_->frames.emplace_back(m, joint[c.body], X);
    else
      impl_->points.emplace_back(m, joint[c.body], X);
  }
  for (const auto& c : impl_->rigid) impl_->rigid_data.emplace_back(c);
  for (const auto& c : impl_->frames) impl_->frames_data.emplace_back(c.createData());
  for (const auto& c : impl_->points) impl_->points_data.emplace_back(c.createData());
  impl_->kkt_owner.reset(new pin::Data(m));
  impl_->pv_owner.reset(new pin::Data(m));
  impl_->caba_owner.reset(new pin::Data(m));
  if (!contacts.empty()) {
    pin::initConstraintDynamics(m, *impl_->kkt_owner, impl_->rigid, impl_->rigid_data);
    if (!impl_->frames.empty()) {
      pin::initPvSolver(m, *impl_->pv_owner, impl_->frames);
      pin::initPvSolver(m, *impl_->caba_owner, impl_->frames);
    } else {
      pin::initPvSolver(m, *impl_->pv_owner, impl_->points);
      pin::initPvSolver(m, *impl_->caba_owner, impl_->points);
    }
  }
  impl_->q.resize(states, Eigen::VectorXd(m.nq));
  impl_->v.resize(states, Eigen::VectorXd(m.nv));
  impl_->a = impl_->tau = impl_->v;
}
Peer::~Peer() = default;

int Peer::nv() const { return impl_->model.nv; }
void Peer::set_state(int i, const double* q, const double* v, const double* a, const double* tau) {
  const int nq = impl_->model.nq, nv = impl_->model.nv;
  impl_->q[i] = Eigen::Map<const Eigen::VectorXd>(q, nq);
  impl_->v[i] = Eigen::Map<const Eigen::VectorXd>(v, nv);
  impl_->a[i] = Eigen::Map<const Eigen::VectorXd>(a, nv);
  impl_->tau[i] = Eigen::Map<const Eigen::VectorXd>(tau, nv);
}
const char* Peer::name(Task task) {
  static const char* names[] = {"fk", "rnea", "aba", "crba", "constraintDynamics", "pv", "constrainedABA"};
  return names[task];
}
void Peer::run(Task task, int i) {
  Impl& p = *impl_;
  switch (task) {
    case fk: pin::forwardKinematics(p.model, *p.data, p.q[i]); break;
    case rnea: pin::rnea(p.model, *p.data, p.q[i], p.v[i], p.a[i]); break;
    case aba: pin::aba(p.model, *p.data, p.q[i], p.v[i], p.tau[i], PEER_CONVENTION); break;
    case crba: pin::crba(p.model, *p.data, p.q[i], PEER_CONVENTION); break;
    case constrained_kkt: {
      pin::ProximalSettings s(1e-12, 0., 1);
      pin::constraintDynamics(p.model, *p.kkt_owner, p.q[i], p.v[i], p.tau[i], p.rigid, p.rigid_data, s);
      break;
    }
    case constrained_pv: {
      pin::ProximalSettings s(1e-12, 0., 1);
      if (!p.frames.empty())
        pin::pv(p.model, *p.pv_owner, p.q[i], p.v[i], p.tau[i], p.frames, p.frames_data, s);
      else
        pin::pv(p.model, *p.pv_owner, p.q[i], p.v[i], p.tau[i], p.points, p.points_data, s);
      break;
    }
    case constrained_aba: {
      pin::ProximalSettings s(1e-8, 1e-6, 10);
      if (!p.frames.empty())
        pin::constrainedABA(p.model, *p.caba_owner, p.q[i], p.v[i], p.tau[i], p.frames, p.frames_data, s);
      else
        pin::constrainedABA(p.model, *p.caba_owner, p.q[i], p.v[i], p.tau[i], p.points, p.points_data, s);
      break;
    }
    case count: break;
  }
}
const double* Peer::result(Task task) const {
  switch (task) {
    case rnea: return impl_->data->tau.data();
    case aba: return impl_->data->ddq.data();
    case constrained_kkt: return impl_->kkt_owner->ddq.data();
    case constrained_pv: return impl_->pv_owner->ddq.data();
    case constrained_aba: return impl_->caba_owner->ddq.data();
    default: return nullptr;
  }
}
double Peer::mass_entry(int r, int c) const { return r <= c ? impl_->data->M(r, c) : impl_->data->M(c, r); }
