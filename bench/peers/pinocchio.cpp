// SPDX-License-Identifier: BSD-3-Clause
// Pinocchio as a peer: its headers alone, compiled as its own build would on this machine.
#include "pinocchio.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/compute-all-terms.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <stdexcept>

#include "plugin.hpp"

namespace peers {
namespace {

enum Choice {
  fk,
  rnea,
  aba_local,
  aba_world,
  crba_local,
  crba_world,
  minverse,
  minverse_cholesky_local,
  minverse_cholesky_world,
  minverse_eigen,
  solve_local,
  solve_world,
  solve_eigen,
  coriolis,
  centroidal,
  centroidal_dot,
  regressor,
  all_terms,
  rnea_derivatives,
  aba_derivatives,
  second_order,
  joint_jacobians,
  frame_jacobian,
  kkt,
  pv,
  constrained_aba,
  constrained_derivatives,
  loop_kkt
};
const ZwangPeerAlgorithm k_algorithms[] = {
    {ZWANG_PEER_FK, "forwardKinematics"},
    {ZWANG_PEER_RNEA, "rnea"},
    {ZWANG_PEER_ABA, "aba LOCAL"},
    {ZWANG_PEER_ABA, "aba WORLD"},
    {ZWANG_PEER_CRBA, "crba LOCAL"},
    {ZWANG_PEER_CRBA, "crba WORLD"},
    {ZWANG_PEER_MINVERSE, "computeMinverse"},
    {ZWANG_PEER_MINVERSE, "crba LOCAL, cholesky::decompose, computeMinv"},
    {ZWANG_PEER_MINVERSE, "crba WORLD, cholesky::decompose, computeMinv"},
    {ZWANG_PEER_MINVERSE, "crba LOCAL, Eigen::LLT"},
    {ZWANG_PEER_CHOLESKY_SOLVE, "crba LOCAL, cholesky::decompose, solve"},
    {ZWANG_PEER_CHOLESKY_SOLVE, "crba WORLD, cholesky::decompose, solve"},
    {ZWANG_PEER_CHOLESKY_SOLVE, "crba LOCAL, Eigen::LLT"},
    {ZWANG_PEER_CORIOLIS, "computeCoriolisMatrix"},
    {ZWANG_PEER_CENTROIDAL, "computeCentroidalMap"},
    {ZWANG_PEER_CENTROIDAL_DOT, "centerOfMass, computeCentroidalMapTimeVariation"},
    {ZWANG_PEER_REGRESSOR, "computeJointTorqueRegressor"},
    {ZWANG_PEER_ALL_TERMS, "computeAllTerms"},
    {ZWANG_PEER_RNEA_DERIVATIVES, "computeRNEADerivatives"},
    {ZWANG_PEER_ABA_DERIVATIVES, "computeABADerivatives"},
    {ZWANG_PEER_SECOND_ORDER, "ComputeRNEASecondOrderDerivatives"},
    {ZWANG_PEER_JACOBIAN, "computeJointJacobians, getFrameJacobian"},
    {ZWANG_PEER_FRAME_JACOBIAN, "computeFrameJacobian"},
    {ZWANG_PEER_CONSTRAINED, "constraintDynamics mu=0"},
    {ZWANG_PEER_CONSTRAINED, "pv mu=0"},
    {ZWANG_PEER_CONSTRAINED, "constrainedABA mu=1e-6"},
    {ZWANG_PEER_CONSTRAINED_DERIVATIVES, "constraintDynamics mu=0, computeConstraintDynamicsDerivatives"},
    {ZWANG_PEER_CONSTRAINED_LOOP, "constraintDynamics mu=0"}};

class Pinocchio {
 public:
  explicit Pinocchio(const ZwangPeerProblem& problem) : problem_(problem) {
    if (problem.nv > 300)
      throw std::runtime_error("its Data holds three tensors of nv^3 numbers: left out above nv = 300");
    for (int k = 0; k < problem.bodies; ++k) add(problem.body[k], k + 1);
    model_.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(problem.gravity);
    if (problem.contacts > 0) {
      const ZwangPeerContact& c = problem.contact[0];
      const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(c.rotation);
      const pin::SE3 at(R, Eigen::Map<const Eigen::Vector3d>(c.translation));
      frame_ = model_.addFrame(pin::Frame("tool", joint_[static_cast<std::size_t>(c.body)], 0, at, pin::OP_FRAME));
    }
    data_.reset(new pin::Data(model_));
    J_.setZero(6, model_.nv);
    inverse_.setZero(model_.nv, model_.nv);
  }

  int algorithms(const ZwangPeerAlgorithm** out) const {
    *out = k_algorithms;
    return problem_.contacts == 0 ? second_order + 1 : problem_.loops == 0 ? constrained_derivatives + 1 : loop_kkt + 1;
  }

  void run(int algorithm, int state) {
    const State q = at(problem_.q, problem_.nq, state), v = at(problem_.v, problem_.nv, state),
                a = at(problem_.a, problem_.nv, state), tau = at(problem_.tau, problem_.nv, state);
    switch (algorithm) {
      case fk: pin::forwardKinematics(model_, *data_, q); break;
      case rnea: pin::rnea(model_, *data_, q, v, a); break;
      case aba_local: pin::aba(model_, *data_, q, v, tau, pin::Convention::LOCAL); break;
      case aba_world: pin::aba(model_, *data_, q, v, tau, pin::Convention::WORLD); break;
      case crba_local: pin::crba(model_, *data_, q, pin::Convention::LOCAL); break;
      case crba_world: pin::crba(model_, *data_, q, pin::Convention::WORLD); break;
      case minverse: pin::computeMinverse(model_, *data_, q); break;
      case minverse_cholesky_local:
      case minverse_cholesky_world:
        pin::crba(model_, *data_, q,
                  algorithm == minverse_cholesky_local ? pin::Convention::LOCAL : pin::Convention::WORLD);
        pin::cholesky::decompose(model_, *data_);
        pin::cholesky::computeMinv(model_, *data_, inverse_);
        break;
      case minverse_eigen:
        pin::crba(model_, *data_, q, pin::Convention::LOCAL);
        llt_.compute(data_->M);
        inverse_.setIdentity();
        llt_.solveInPlace(inverse_);
        break;
      case solve_eigen:
        pin::crba(model_, *data_, q, pin::Convention::LOCAL);
        llt_.compute(data_->M);
        x_ = tau;
        llt_.solveInPlace(x_);
        break;
      case solve_local:
      case solve_world:
        pin::crba(model_, *data_, q, algorithm == solve_local ? pin::Convention::LOCAL : pin::Convention::WORLD);
        pin::cholesky::decompose(model_, *data_);
        x_ = tau;
        pin::cholesky::solve(model_, *data_, x_);
        break;
      case coriolis: pin::computeCoriolisMatrix(model_, *data_, q, v); break;
      case centroidal: pin::computeCentroidalMap(model_, *data_, q); break;
      case centroidal_dot:  // reads the velocity of the centre of mass, which it does not compute
        pin::centerOfMass(model_, *data_, q, v, false);
        pin::computeCentroidalMapTimeVariation(model_, *data_, q, v);
        break;
      case regressor: pin::computeJointTorqueRegressor(model_, *data_, q, v, a); break;
      case rnea_derivatives: pin::computeRNEADerivatives(model_, *data_, q, v, a); break;
      case aba_derivatives: pin::computeABADerivatives(model_, *data_, q, v, tau); break;
      case second_order: pin::ComputeRNEASecondOrderDerivatives(model_, *data_, q, v, a); break;
      case all_terms: pin::computeAllTerms(model_, *data_, q, v); break;
      case frame_jacobian: pin::computeFrameJacobian(model_, *data_, q, frame_, pin::LOCAL_WORLD_ALIGNED, J_); break;
      case joint_jacobians:
        pin::computeJointJacobians(model_, *data_, q);
        pin::getFrameJacobian(model_, *data_, frame_, pin::LOCAL_WORLD_ALIGNED, J_);
        break;
      case loop_kkt:
        if (!closed_) closed_.reset(new Closed(model_, problem_, joint_));
        closed_->run(q, v, tau);
        break;
      default:
        if (!constrained_) constrained_.reset(new Constrained(model_, problem_, joint_));  // gigabytes for long chains
        if (algorithm == constrained_derivatives)
          constrained_->run_derivatives(q, v, tau);
        else
          constrained_->run(static_cast<Constrained::Solver>(algorithm - kkt), q, v, tau);
    }
  }

  void result(int algorithm, int state, double* out) {
    const int nv = model_.nv;
    Eigen::Map<Eigen::VectorXd> vector(out, nv);
    Eigen::Map<Eigen::MatrixXd> matrix(out, nv, nv);
    switch (k_algorithms[algorithm].task) {
      case ZWANG_PEER_FK:
        for (int i = 0; i < problem_.bodies; ++i) {
          const pin::SE3& X = data_->oMi[joint_[static_cast<std::size_t>(i) + 1]];
          for (int k = 0; k < 9; ++k) out[12 * i + k] = X.rotation()(k / 3, k % 3);
          for (int k = 0; k < 3; ++k) out[12 * i + 9 + k] = X.translation()(k);
        }
        break;
      case ZWANG_PEER_RNEA: vector = data_->tau; break;
      case ZWANG_PEER_ABA: vector = data_->ddq; break;
      case ZWANG_PEER_CRBA: matrix = data_->M.selfadjointView<Eigen::Upper>(); break;
      case ZWANG_PEER_MINVERSE:
        if (algorithm == minverse)
          matrix = data_->Minv.selfadjointView<Eigen::Upper>();
        else
          matrix = inverse_.selfadjointView<Eigen::Upper>();
        break;
      case ZWANG_PEER_CHOLESKY_SOLVE: vector = x_; break;
      case ZWANG_PEER_CORIOLIS: matrix = data_->C; break;
      case ZWANG_PEER_CENTROIDAL: Eigen::Map<Eigen::MatrixXd>(out, 6, nv) = data_->Ag; break;
      case ZWANG_PEER_CENTROIDAL_DOT: Eigen::Map<Eigen::MatrixXd>(out, 6, nv) = data_->dAg; break;
      case ZWANG_PEER_REGRESSOR: {
        Eigen::VectorXd phi(10 * (model_.njoints - 1));
        for (int i = 1; i < model_.njoints; ++i)
          phi.segment<10>(10 * (i - 1)) = model_.inertias[static_cast<std::size_t>(i)].toDynamicParameters();
        vector = data_->jointTorqueRegressor * phi;
        break;
      }
      case ZWANG_PEER_RNEA_DERIVATIVES:
        matrix = data_->dtau_dq;
        Eigen::Map<Eigen::MatrixXd>(out + nv * nv, nv, nv) = data_->dtau_dv;
        break;
      case ZWANG_PEER_ABA_DERIVATIVES:
        matrix = data_->ddq_dq;
        Eigen::Map<Eigen::MatrixXd>(out + nv * nv, nv, nv) = data_->ddq_dv;
        break;
      case ZWANG_PEER_ALL_TERMS: {
        const State a = at(problem_.a, nv, state);
        vector = data_->M.selfadjointView<Eigen::Upper>() * a + data_->nle;
        break;
      }
      case ZWANG_PEER_JACOBIAN:
      case ZWANG_PEER_FRAME_JACOBIAN: Eigen::Map<Eigen::MatrixXd>(out, 6, nv) = J_; break;
      case ZWANG_PEER_CONSTRAINED:
        vector = constrained_->acceleration(static_cast<Constrained::Solver>(algorithm - kkt));
        break;
      case ZWANG_PEER_CONSTRAINED_DERIVATIVES:
        for (int by = 0; by < 3; ++by)
          Eigen::Map<Eigen::MatrixXd>(out + by * nv * nv, nv, nv) = constrained_->derivative(by);
        break;
      case ZWANG_PEER_SECOND_ORDER: second_order_products(state, out); break;
      case ZWANG_PEER_CONSTRAINED_LOOP: vector = closed_->acceleration(); break;
    }
  }

 private:
  static State at(const double* vectors, int n, int state) { return State(vectors + n * state, n); }

  /// Its tensors along directions; the third index of each is the one differentiated last: by v in qv, by q in aq.
  void second_order_products(int state, double* out) const {
    const int nv = model_.nv;
    const State v = at(problem_.v, nv, state), a = at(problem_.a, nv, state);
    std::fill_n(out, 4 * nv, 0.0);
    for (int k = 0; k < nv; ++k)
      for (int j = 0; j < nv; ++j)
        for (int t = 0; t < nv; ++t) {
          out[t] += data_->d2tau_dqdq(t, j, k) * v[j] * v[k];
          out[nv + t] += data_->d2tau_dqdv(t, j, k) * v[j] * a[k];
          out[2 * nv + t] += data_->d2tau_dvdv(t, j, k) * a[j] * a[k];
          out[3 * nv + t] += data_->d2tau_dadq(t, j, k) * a[j] * v[k];
        }
  }

  void add(const ZwangPeerBody& b, int number) {
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(b.rotation);
    const pin::SE3 X(R, Eigen::Map<const Eigen::Vector3d>(b.translation));
    const pin::JointIndex parent = joint_[static_cast<std::size_t>(b.parent)];
    const std::string name = "joint" + std::to_string(number);
    const pin::JointIndex id = b.joint == 'r'   ? model_.addJoint(parent, pin::JointModelRZ(), X, name)
                               : b.joint == 'p' ? model_.addJoint(parent, pin::JointModelPZ(), X, name)
                                                : model_.addJoint(parent, pin::JointModelFreeFlyer(), X, name);
    const double* const c = b.inertia;
    Eigen::Matrix3d I;
    I << c[0], c[1], c[2], c[1], c[3], c[4], c[2], c[4], c[5];
    model_.appendBodyToJoint(id, pin::Inertia(b.mass, Eigen::Map<const Eigen::Vector3d>(b.centre), I),
                             pin::SE3::Identity());
    if (b.joint != 'f') model_.armature[model_.idx_vs[id]] = b.armature;
    joint_.push_back(id);
  }

  ZwangPeerProblem problem_;
  pin::Model model_;
  std::vector<pin::JointIndex> joint_{0};
  pin::FrameIndex frame_ = 0;
  std::unique_ptr<pin::Data> data_;
  pin::Data::Matrix6x J_;
  Eigen::MatrixXd inverse_;
  Eigen::LLT<Eigen::MatrixXd, Eigen::Upper> llt_;
  Eigen::VectorXd x_;
  std::unique_ptr<Constrained> constrained_;
  std::unique_ptr<Closed> closed_;
};

}  // namespace
}  // namespace peers

extern "C" __attribute__((visibility("default"))) const ZwangPeer* zwang_peer(void) {
  static const ZwangPeer peer = peers::plugin<peers::Pinocchio>("pinocchio", PINOCCHIO_VERSION, "");
  return &peer;
}
