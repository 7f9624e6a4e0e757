// SPDX-License-Identifier: BSD-3-Clause
// Debian's KDL as a peer, for chains without branches.
//
// A segment per moving body: the joint's axis and origin in the parent's tip, the tip at the body's canonical frame,
// the inertia about the tip in tip axes (which is where KDL's solvers read it).
#include <cmath>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <stdexcept>
#include <string>

#include "plugin.hpp"

namespace peers {
namespace {

const ZwangPeerAlgorithm k_algorithms[] = {{ZWANG_PEER_FK, "ChainFkSolverPos_recursive"},
                                           {ZWANG_PEER_RNEA, "ChainIdSolver_RNE"},
                                           {ZWANG_PEER_ABA, "ChainFdSolver_RNE"},
                                           {ZWANG_PEER_CRBA, "ChainDynParam::JntToMass"},
                                           {ZWANG_PEER_JACOBIAN, "ChainJntToJacSolver"},
                                           {ZWANG_PEER_FRAME_JACOBIAN, "ChainJntToJacSolver"},
                                           {ZWANG_PEER_CONSTRAINED, "ChainHdSolver_Vereshchagin"}};
enum Choice { fk, rnea, aba, crba, jacobian, frame_jacobian, vereshchagin };

KDL::Vector vector(const double* x) { return {x[0], x[1], x[2]}; }
KDL::Rotation rotation(const double* R) { return {R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]}; }

KDL::Chain chain_of(const ZwangPeerProblem& problem) {
  KDL::Chain chain;
  for (int i = 0; i < problem.bodies; ++i) {
    const ZwangPeerBody& b = problem.body[i];
    if (b.parent != i) throw std::runtime_error("KDL takes chains alone");
    if (b.joint == 'f') throw std::runtime_error("KDL has no floating base");
    const KDL::Frame tip(rotation(b.rotation), vector(b.translation));
    const KDL::Joint joint("joint" + std::to_string(i), tip.p, tip.M.UnitZ(),
                           b.joint == 'p' ? KDL::Joint::TransAxis : KDL::Joint::RotAxis, 1, 0, b.armature);
    const double* const c = b.inertia;
    const KDL::RotationalInertia I(c[0], c[3], c[5], c[1], c[2], c[4]);
    chain.addSegment(
        KDL::Segment("segment" + std::to_string(i), joint, tip, KDL::RigidBodyInertia(b.mass, vector(b.centre), I)));
  }
  return chain;
}

class Kdl {
 public:
  explicit Kdl(const ZwangPeerProblem& problem)
      : problem_(problem),
        chain_(chain_of(problem)),
        n_(chain_.getNrOfJoints()),
        gravity_(vector(problem.gravity)),
        position_(chain_),
        rne_(chain_, gravity_),
        forward_(chain_, gravity_),
        parameters_(chain_, gravity_),
        jacobian_(chain_),
        vereshchagin_(chain_, KDL::Twist(-gravity_, KDL::Vector::Zero()), 6),
        q_(n_),
        v_(n_),
        a_(n_),
        tau_(n_),
        constraint_torque_(n_),
        beta_(6),
        alpha_(6),
        J_(n_),
        M_(n_),
        wrenches_(n_, KDL::Wrench::Zero()),
        frames_(n_) {
    KDL::SetToZero(alpha_);
    for (unsigned k = 0; k < 6; ++k) alpha_(k, k) = 1;
    for (unsigned k = 0; k < 6; ++k) beta_(k) = k < 3 ? -problem.gravity[k] : 0;  // KDL's accelerations contain -g
  }

  /// Six rows that hold the last body: whatever the point, its spatial acceleration is zero.
  bool holds_the_tip() const {
    return problem_.contacts == 1 && problem_.contact[0].rows == 6 && problem_.contact[0].body == problem_.bodies;
  }

  int algorithms(const ZwangPeerAlgorithm** out) const {
    *out = k_algorithms;
    return holds_the_tip() ? vereshchagin + 1 : crba + 1;
  }
  void run(int algorithm, int state) {
    const auto set = [&](KDL::JntArray& to, const double* from) {
      to.data = Eigen::Map<const Eigen::VectorXd>(from + static_cast<int>(n_) * state, static_cast<int>(n_));
    };
    set(q_, problem_.q);
    if (algorithm == rnea || algorithm == aba || algorithm == vereshchagin) set(v_, problem_.v);
    if (algorithm == aba || algorithm == vereshchagin) set(tau_, problem_.tau);
    switch (algorithm) {
      case fk: position_.JntToCart(q_, frames_); break;
      case rnea:
        set(a_, problem_.a);
        rne_.CartToJnt(q_, v_, a_, wrenches_, tau_);
        break;
      case aba: forward_.CartToJnt(q_, v_, tau_, wrenches_, a_); break;
      case crba: parameters_.JntToMass(q_, M_); break;
      case vereshchagin: vereshchagin_.CartToJnt(q_, v_, a_, alpha_, beta_, wrenches_, tau_, constraint_torque_); break;
      default: jacobian_.JntToJac(q_, J_);
    }
  }

  void result(int algorithm, int state, double* out) {
    const int n = static_cast<int>(n_);
    Eigen::Map<Eigen::VectorXd> vector(out, n);
    switch (k_algorithms[algorithm].task) {
      case ZWANG_PEER_FK:
        for (int i = 0; i < n; ++i) {
          const KDL::Frame& X = frames_[static_cast<std::size_t>(i)];
          for (int k = 0; k < 9; ++k) out[12 * i + k] = X.M(k / 3, k % 3);
          for (int k = 0; k < 3; ++k) out[12 * i + 9 + k] = X.p(k);
        }
        break;
      case ZWANG_PEER_RNEA: vector = tau_.data; break;
      case ZWANG_PEER_CRBA: Eigen::Map<Eigen::MatrixXd>(out, n, n) = M_.data; break;
      case ZWANG_PEER_JACOBIAN:
      case ZWANG_PEER_FRAME_JACOBIAN: at_contact(state, out); break;
      default: vector = a_.data;
    }
  }

 private:
  /// The Jacobian of the tip moved to the contact's frame.
  void at_contact(int state, double* out) {
    run(fk, state);
    const KDL::Vector r = frames_.back().M * vector(problem_.contact[0].translation);
    KDL::Jacobian J(J_);
    J.changeRefPoint(r);
    Eigen::Map<Eigen::MatrixXd>(out, 6, static_cast<int>(n_)) = J.data;
  }

  ZwangPeerProblem problem_;
  KDL::Chain chain_;
  unsigned n_;
  KDL::Vector gravity_;
  KDL::ChainFkSolverPos_recursive position_;
  KDL::ChainIdSolver_RNE rne_;
  KDL::ChainFdSolver_RNE forward_;
  KDL::ChainDynParam parameters_;
  KDL::ChainJntToJacSolver jacobian_;
  KDL::ChainHdSolver_Vereshchagin vereshchagin_;
  KDL::JntArray q_, v_, a_, tau_, constraint_torque_, beta_;
  KDL::Jacobian alpha_, J_;
  KDL::JntSpaceInertiaMatrix M_;
  KDL::Wrenches wrenches_;
  std::vector<KDL::Frame> frames_;
};

}  // namespace
}  // namespace peers

extern "C" __attribute__((visibility("default"))) const ZwangPeer* zwang_peer(void) {
  static const ZwangPeer peer =
      peers::plugin<peers::Kdl>("kdl", ZWANG_PEER_VERSION, "the library as Debian builds it, -O2 for any x86-64");
  return &peer;
}
