// SPDX-License-Identifier: BSD-3-Clause
// Debian's KDL on a chain made from zwang's own bodies, so that both sides solve the same problem.
//
// A segment per moving body: the joint's axis and origin in the parent's tip, the tip at the body's canonical frame,
// the inertia about the tip in tip axes (which is where KDL's solvers read it).
#pragma once
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

#include "zwang/zwang.hpp"

class KdlChain {
 public:
  /// Chains of revolute and prismatic joints, the last body carrying the frame.
  static bool fits(const zwang::Model& model) {
    const zwang::Tree<double>& t = model.tree<double>();
    for (int i = 1; i <= t.n; ++i)
      if (t.body[i].parent != i - 1 || t.body[i].nv != 1 || t.body[i].nq != 1) return false;
    return !t.mimic;
  }

  explicit KdlChain(const zwang::Model& model)
      : chain_(make(model)),
        n_(model.nv()),
        rne_(chain_, KDL::Vector(0, 0, -9.81)),
        forward_(chain_, KDL::Vector(0, 0, -9.81)),
        parameters_(chain_, KDL::Vector(0, 0, -9.81)),
        vereshchagin_(chain_, KDL::Twist(KDL::Vector(0, 0, 9.81), KDL::Vector::Zero()), 6),
        position_(chain_),
        q_(n_),
        v_(n_),
        a_(n_),
        tau_(n_),
        constraint_(n_),
        beta_(6),
        alpha_(6),
        H_(n_),
        wrenches_(n_, KDL::Wrench::Zero()) {
    KDL::SetToZero(alpha_);
    for (unsigned k = 0; k < 6; ++k) alpha_(k, k) = 1;
  }

  Eigen::VectorXd rne(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
    set(q, v);
    a_.data = a;
    rne_.CartToJnt(q_, v_, a_, wrenches_, tau_);
    return tau_.data;
  }
  void mass(const Eigen::VectorXd& q) {
    q_.data = q;
    parameters_.JntToMass(q_, H_);
  }
  void forward(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& tau) {
    set(q, v);
    tau_.data = tau;
    forward_.CartToJnt(q_, v_, tau_, wrenches_, a_);
  }
  /// Six rows on the tip, KDL's beta as it stands.
  void vereshchagin(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& tau) {
    set(q, v);
    tau_.data = tau;
    vereshchagin_.CartToJnt(q_, v_, a_, alpha_, beta_, wrenches_, tau_, constraint_);
  }
  /// The problem of zwang's case: rows about the tip, beta physical and classical, turned into KDL's.
  template <class Case> Eigen::VectorXd vereshchagin_holding(Case& c, int i) {
    const std::string frame = c.set.constraints()[0].frame;
    zwang::forward_kinematics(c.model, c.data, c.q[i], c.v[i]);
    const zwang::FrameId id = c.model.find_frame(frame);
    const zwang::Transform<double> X = zwang::frame_pose(c.model, c.data, id);
    const zwang::Motion<double> twist = zwang::frame_velocity(c.model, c.data, id);
    set(c.q[i], c.v[i]);
    KDL::Frame tip;
    position_.JntToCart(q_, tip);
    const zwang::Vec3<double> r{X.p.x - tip.p.x(), X.p.y - tip.p.y(),
                                X.p.z - tip.p.z()};  // from KDL's tip to the frame
    const std::vector<double>& beta = c.set.constraints()[0].beta;
    const zwang::Vec3<double> wxv = cross(twist.w, twist.v);
    for (unsigned k = 0; k < 3; ++k) {
      KDL::Vector e(k == 0, k == 1, k == 2);
      const KDL::Vector m = KDL::Vector(r.x, r.y, r.z) * e;
      alpha_.setColumn(k, KDL::Twist(e, m));
      beta_(k) = beta[k] - wxv[static_cast<int>(k)] + (k == 2 ? 9.81 : 0.0);
      beta_(k + 3) = beta[k + 3];
    }
    vereshchagin(c.q[i], c.v[i], c.tau[i]);
    return a_.data;
  }

 private:
  static KDL::Chain make(const zwang::Model& model) {
    KDL::Chain chain;
    const zwang::Tree<double>& t = model.tree<double>();
    for (int i = 1; i <= t.n; ++i) {
      const auto& b = t.body[i];
      const zwang::Mat3<double>& R = b.placement.R;
      const KDL::Frame tip(
          KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
          KDL::Vector(b.placement.p.x, b.placement.p.y, b.placement.p.z));
      bool slides = false;
      for (const zwang::Joint& j : model.joints())
        slides = slides || (j.body.value == i && !j.lumped && j.type == "prismatic");
      const KDL::Joint joint("joint" + std::to_string(i), tip.p, tip.M.UnitZ(),
                             slides ? KDL::Joint::TransAxis : KDL::Joint::RotAxis, 1, 0, t.column[b.v].armature);
      const double m = b.inertia.m;
      const zwang::Vec3<double> c = m > 0 ? b.inertia.h * (1 / m) : zwang::Vec3<double>::zero();
      const zwang::Sym3<double> I = b.inertia.I - zwang::point_inertia(m, c);
      chain.addSegment(KDL::Segment("segment" + std::to_string(i), joint, tip,
                                    KDL::RigidBodyInertia(m, KDL::Vector(c.x, c.y, c.z),
                                                          KDL::RotationalInertia(I.xx, I.yy, I.zz, I.xy, I.xz, I.yz))));
    }
    return chain;
  }
  void set(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    q_.data = q;
    v_.data = v;
  }

  KDL::Chain chain_;
  unsigned n_;
  KDL::ChainIdSolver_RNE rne_;
  KDL::ChainFdSolver_RNE forward_;
  KDL::ChainDynParam parameters_;
  KDL::ChainHdSolver_Vereshchagin vereshchagin_;
  KDL::ChainFkSolverPos_recursive position_;
  KDL::JntArray q_, v_, a_, tau_, constraint_, beta_;
  KDL::Jacobian alpha_;
  KDL::JntSpaceInertiaMatrix H_;
  KDL::Wrenches wrenches_;
};
