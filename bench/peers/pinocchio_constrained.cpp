// SPDX-License-Identifier: BSD-3-Clause
#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/pv.hpp>

#include "pinocchio.hpp"

namespace peers {
namespace {

/// The constraint models that pv and constrainedABA take: all of one kind.
template <class AnchorModel, class AnchorData> struct Anchors {
  std::vector<AnchorModel> model;
  std::vector<AnchorData> data;

  void add(const pin::Model& m, pin::JointIndex joint, const pin::SE3& at) { model.emplace_back(m, joint, at); }
  void make_data(const pin::Model& m, pin::Data& pv, pin::Data& aba) {
    for (const AnchorModel& c : model) data.emplace_back(c.createData());
    pin::initPvSolver(m, pv, model);
    pin::initPvSolver(m, aba, model);
  }
};

}  // namespace

struct Constrained::Impl {
  const pin::Model& model;
  std::vector<pin::RigidConstraintModel> rigid;
  std::vector<pin::RigidConstraintData> rigid_data;
  Anchors<pin::FrameAnchorConstraintModel, pin::FrameAnchorConstraintData> frames;
  Anchors<pin::PointAnchorConstraintModel, pin::PointAnchorConstraintData> points;
  bool six = false;
  pin::Data kkt, pv, aba;
  Eigen::MatrixXd by[3];
};

Constrained::Constrained(const pin::Model& model, const ZwangPeerProblem& problem,
                         const std::vector<pin::JointIndex>& joint)
    : impl_(new Impl{model, {}, {}, {}, {}, false, pin::Data(model), pin::Data(model), pin::Data(model), {}}) {
  Impl& s = *impl_;
  s.six = problem.contact[0].rows == 6;
  for (int k = 0; k < problem.contacts; ++k) {
    const ZwangPeerContact& c = problem.contact[k];
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(c.rotation);
    const pin::SE3 at(R, Eigen::Map<const Eigen::Vector3d>(c.translation));
    const pin::JointIndex id = joint[static_cast<std::size_t>(c.body)];
    s.rigid.emplace_back(s.six ? pin::CONTACT_6D : pin::CONTACT_3D, model, id, at, pin::LOCAL);
    if (s.six)
      s.frames.add(model, id, at);
    else
      s.points.add(model, id, at);
  }
  for (const pin::RigidConstraintModel& c : s.rigid) s.rigid_data.emplace_back(c);
  pin::initConstraintDynamics(model, s.kkt, s.rigid, s.rigid_data);
  if (s.six)
    s.frames.make_data(model, s.pv, s.aba);
  else
    s.points.make_data(model, s.pv, s.aba);
}

Constrained::~Constrained() = default;

void Constrained::run(Solver solver, const State& q, const State& v, const State& tau) {
  Impl& s = *impl_;
  pin::ProximalSettings once(1e-12, 0., 1), converge(1e-8, 1e-6, 10);
  if (solver == kkt)
    pin::constraintDynamics(s.model, s.kkt, q, v, tau, s.rigid, s.rigid_data, once);
  else if (solver == pv && s.six)
    pin::pv(s.model, s.pv, q, v, tau, s.frames.model, s.frames.data, once);
  else if (solver == pv)
    pin::pv(s.model, s.pv, q, v, tau, s.points.model, s.points.data, once);
  else if (s.six)
    pin::constrainedABA(s.model, s.aba, q, v, tau, s.frames.model, s.frames.data, converge);
  else
    pin::constrainedABA(s.model, s.aba, q, v, tau, s.points.model, s.points.data, converge);
}

const Eigen::VectorXd& Constrained::acceleration(Solver solver) const {
  return solver == kkt ? impl_->kkt.ddq : solver == pv ? impl_->pv.ddq : impl_->aba.ddq;
}

void Constrained::run_derivatives(const State& q, const State& v, const State& tau) {
  Impl& s = *impl_;
  pin::ProximalSettings once(1e-12, 0., 1);
  pin::constraintDynamics(s.model, s.kkt, q, v, tau, s.rigid, s.rigid_data, once);
  pin::computeConstraintDynamicsDerivatives(s.model, s.kkt, s.rigid, s.rigid_data, once);
}

const Eigen::MatrixXd& Constrained::derivative(int by) const {
  const pin::Data& d = impl_->kkt;
  return impl_->by[by] = by == 0 ? d.ddq_dq : by == 1 ? d.ddq_dv : d.ddq_dtau;
}

struct Closed::Impl {
  const pin::Model& model;
  std::vector<pin::RigidConstraintModel> rigid;
  std::vector<pin::RigidConstraintData> rigid_data;
  pin::Data data;
};

Closed::Closed(const pin::Model& model, const ZwangPeerProblem& problem, const std::vector<pin::JointIndex>& joint)
    : impl_(new Impl{model, {}, {}, pin::Data(model)}) {
  Impl& s = *impl_;
  for (int k = 0; k < problem.loops; ++k) {
    const ZwangPeerLoop& l = problem.loop[k];
    pin::SE3 at[2];
    for (int i = 0; i < 2; ++i)
      at[i] = pin::SE3(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(l.rotation[i]),
                       Eigen::Map<const Eigen::Vector3d>(l.translation[i]));
    s.rigid.emplace_back(l.rows == 6 ? pin::CONTACT_6D : pin::CONTACT_3D, model,
                         joint[static_cast<std::size_t>(l.body[0])], at[0], joint[static_cast<std::size_t>(l.body[1])],
                         at[1], pin::LOCAL);
  }
  for (const pin::RigidConstraintModel& c : s.rigid) s.rigid_data.emplace_back(c);
  pin::initConstraintDynamics(model, s.data, s.rigid, s.rigid_data);
}

Closed::~Closed() = default;

void Closed::run(const State& q, const State& v, const State& tau) {
  pin::ProximalSettings once(1e-12, 0., 1);
  pin::constraintDynamics(impl_->model, impl_->data, q, v, tau, impl_->rigid, impl_->rigid_data, once);
}

const Eigen::VectorXd& Closed::acceleration() const { return impl_->data.ddq; }

}  // namespace peers
