// SPDX-License-Identifier: BSD-3-Clause
// Inverse and forward dynamics, mass matrix, energies and centre of mass against the reference and against each other.
//
// The reference is in long double, so every difference is the library's own rounding:
//   inverse dynamics, M, bias, centre of mass   k_roundings * eps * (largest of the terms that are summed): a sweep is
//                                               some 40 operations per body on a path, of up to 30 bodies
//   forward dynamics                            the same times the condition of M
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "algorithm/cases.hpp"
#include "zwang/algorithm/values.hpp"

namespace zwang::test {
namespace {

using reference::Real;
using reference::State;
using VectorR = reference::VectorX<Real>;
constexpr double k_roundings = 2000;

double condition(const Eigen::MatrixXd& M) {
  if (M.rows() == 0) return 1;
  const Eigen::VectorXd w = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M, Eigen::EigenvaluesOnly).eigenvalues();
  return w(0) > 0 ? w(w.size() - 1) / w(0) : std::numeric_limits<double>::infinity();
}

/// One robot in one state.
class CheckedDynamics {
 public:
  CheckedDynamics(const Case& c, std::uint64_t seed)
      : c_(c),
        m_(c.model),
        data_(m_),
        random_(seed),
        x_(random_state(m_, seed)),
        s_(c.reference.at(x_.q, x_.v)),
        w_(random_wrenches(c, random_)) {
    effects_ = {random_.below(4) != 0, random_.below(4) != 0, random_.below(4) != 0, random_.below(2) != 0};
    M_ = s_.mass_matrix(reference_effects(effects_)).cast<double>();
    if (!effects_.armature && !(condition(M_) < 1e8)) {  // parts of a composite joint that move alike
      effects_.armature = true;
      M_ = s_.mass_matrix(reference_effects(effects_)).cast<double>();
    }
    h_ = s_.bias(w_.reference, reference_effects(effects_)).cast<double>();
    scale_ = largest(h_) + largest(M_) * largest(x_.a) + largest(s_.generalised_force(w_.reference)) +
             largest(s_.gravity_forces());
  }

  void inverse() {
    const VectorR a = x_.a.cast<Real>();
    const double tolerance = k_roundings * k_eps;
    EXPECT_TRUE(within(inverse_dynamics(m_, data_, x_.q, x_.v, x_.a, w_.external, effects_),
                       s_.inverse_dynamics(a, w_.reference, reference_effects(effects_)), tolerance, scale_));
    EXPECT_TRUE(within(bias_forces(m_, data_, x_.q, x_.v, w_.external, effects_), h_, tolerance, scale_));
    EXPECT_TRUE(within(gravity_forces(m_, data_, x_.q), s_.gravity_forces(), tolerance, scale_));
    EXPECT_TRUE(within(inverse_dynamics(m_, data_, x_.q, x_.v, x_.a), s_.inverse_dynamics(a), tolerance, scale_));
  }

  void mass() {
    Eigen::MatrixXd M = Eigen::MatrixXd::Constant(m_.nv(), m_.nv(), 7.0);
    mass_matrix(m_, data_, x_.q, M, effects_);
    EXPECT_TRUE(within(M, M_, k_roundings * k_eps, largest(M_)));
    EXPECT_EQ(M, Eigen::MatrixXd(M.transpose()));
    const Eigen::VectorXd still = Eigen::VectorXd::Zero(m_.nv());
    const JointEffects no_springs{effects_.armature, false, false, false};
    const Eigen::VectorXd g = inverse_dynamics(m_, data_, x_.q, still, still, {}, no_springs);
    const double scale = largest(M_) + largest(g);
    for (Index k = 0; k < m_.nv(); ++k) {
      const Eigen::VectorXd e = Eigen::VectorXd::Unit(m_.nv(), k);
      const Eigen::VectorXd column = inverse_dynamics(m_, data_, x_.q, still, e, {}, no_springs) - g;
      EXPECT_TRUE(within(column, M.col(k), k_roundings * k_eps, scale)) << "column " << k;
    }
  }

  void forward() {
    const double kappa = condition(M_), tolerance = k_roundings * k_eps * kappa;
    const Eigen::VectorXd a = forward_dynamics(m_, data_, x_.q, x_.v, x_.tau, w_.external, effects_);
    const VectorR expected = s_.forward_dynamics(x_.tau.cast<Real>(), w_.reference, reference_effects(effects_));
    const double size = largest(expected) + (scale_ + largest(x_.tau)) / std::max(largest(M_), 1e-300);
    EXPECT_TRUE(within(a, expected, tolerance, size)) << "condition " << kappa;
    const Eigen::VectorXd tau = inverse_dynamics(m_, data_, x_.q, x_.v, a, w_.external, effects_);
    EXPECT_TRUE(within(tau, x_.tau, tolerance, scale_ + largest(M_) * largest(a))) << "ID of FD";
    const Eigen::VectorXd held = inverse_dynamics(m_, data_, x_.q, x_.v, x_.a, w_.external, effects_);
    EXPECT_TRUE(within(forward_dynamics(m_, data_, x_.q, x_.v, held, w_.external, effects_), x_.a, tolerance,
                       largest(x_.a) + scale_ / std::max(largest(M_), 1e-300)))
        << "FD of ID";
  }

  void energy() {
    const double T = static_cast<double>(s_.kinetic_energy(reference_effects(effects_)));
    EXPECT_TRUE(within(kinetic_energy(m_, data_, x_.q, x_.v, effects_), T, k_roundings * k_eps, T));
    EXPECT_TRUE(within(x_.v.dot(M_ * x_.v) / 2, T, k_roundings * k_eps, largest(M_) * x_.v.squaredNorm()));
    Real springs = 0;
    for (const reference::SpanningJoint& j : c_.reference.joints())
      for (std::size_t k = 0; k < j.stiffness.size(); ++k) {
        if (j.stiffness[k] == 0) continue;
        const Real q = j.multiplier * Real(x_.q(j.q.first + static_cast<int>(k))) + j.offset - j.spring_reference[k];
        springs += j.stiffness[k] * q * q / 2;
      }
    const Real V = s_.potential_energy();
    double scale = static_cast<double>(springs);
    for (const reference::RigidLink& l : c_.reference.links()) scale += static_cast<double>(l.mass) * 20;
    JointEffects without = effects_;
    effects_.springs = true;
    without.springs = false;
    EXPECT_TRUE(within(potential_energy(m_, data_, x_.q, without), V, k_roundings * k_eps, scale));
    EXPECT_TRUE(within(potential_energy(m_, data_, x_.q, effects_), V + springs, k_roundings * k_eps, scale));
  }

  void centre() {
    const double tolerance = k_roundings * k_eps, size = 1 + largest(s_.centre_of_mass());
    EXPECT_TRUE(within(eigen(centre_of_mass(m_, data_, x_.q)), s_.centre_of_mass(), tolerance, size));
    forward_kinematics(m_, data_, x_.q, x_.v, x_.a);
    const VectorR velocity = s_.centre_of_mass_velocity();
    const VectorR acceleration = s_.centre_of_mass_acceleration(x_.a.cast<Real>());
    EXPECT_TRUE(within(eigen(centre_of_mass_velocity(m_, data_)), velocity, tolerance, 1 + largest(velocity)));
    EXPECT_TRUE(
        within(eigen(centre_of_mass_acceleration(m_, data_)), acceleration, tolerance, 10 + largest(acceleration)));
    Eigen::MatrixXd J = Eigen::MatrixXd::Constant(3, m_.nv(), 3.0);
    centre_of_mass_jacobian(m_, data_, x_.q, J);
    EXPECT_TRUE(within(J, s_.centre_of_mass_jacobian(), tolerance, 1 + largest(J)));
  }

  void wrenches() {
    inverse_dynamics(m_, data_, x_.q, x_.v, x_.a, w_.external, effects_);
    const auto expected = s_.joint_wrenches(x_.a.cast<Real>(), w_.reference);
    double scale = 0;
    for (const auto& [joint, w] : expected) scale = std::max(scale, largest(w));
    for (std::size_t k = 0; k < m_.links().size(); ++k) {
      const Link& link = m_.links()[k];
      if (link.joint.value < 0) continue;
      const Joint& joint = m_.joints()[static_cast<std::size_t>(link.joint.value)];
      const LinkId id(static_cast<Index>(k));
      if (joint.lumped) {
        EXPECT_THROW(joint_wrench(m_, data_, id), UnsupportedError);
      } else {
        EXPECT_TRUE(within(six(joint_wrench(m_, data_, id)), expected.at(joint.name), k_roundings * k_eps, scale + 10))
            << joint.name;
      }
    }
  }

  void all() {
    inverse();
    mass();
    forward();
    energy();
    centre();
    wrenches();
  }

 private:
  const Case& c_;
  const Model& m_;
  Data data_;
  Random random_;
  RandomState x_;
  State s_;
  Wrenches w_;
  JointEffects effects_;
  Eigen::MatrixXd M_;
  Eigen::VectorXd h_;
  double scale_;
};

TEST(Dynamics, MatchesTheReferenceOnAThousandRandomTrees) {
  int mimics = 0, fixed = 0, users = 0, composites = 0;
  for (int seed = 0; seed < effort(1000); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed));
    SCOPED_TRACE(c.name);
    CheckedDynamics(c, static_cast<std::uint64_t>(seed)).all();
    for (const Joint& j : c.model.joints()) {
      mimics += !j.mimic.leader.empty();
      fixed += j.type == "fixed" && !j.lumped;
      users += j.type == "user";
      composites += j.type == "composite";
    }
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_GT(mimics, effort(1000) == 1000 ? 500 : effort(1000) / 8);  // a sanitized sample of 20 holds few
  EXPECT_GT(fixed, effort(50));
  EXPECT_GT(users, effort(200));
  EXPECT_GT(composites, effort(200));
}

TEST(Dynamics, MatchesTheReferenceOnEveryRobotFile) {
  for (const RobotFile& file : robot_files()) {
    const Case c = load_case(file);
    SCOPED_TRACE(c.name);
    CheckedDynamics(c, 5).all();
  }
}

TEST(Dynamics, MatchesTheReferenceOnRobotFilesWithoutLumping) {
  for (const RobotFile& file : robot_files()) {
    if (file.path.find("panda") == std::string::npos && file.path.find("solo") == std::string::npos &&
        file.path.find("quadruped") == std::string::npos)
      continue;
    const Case c = load_case(file, false);
    SCOPED_TRACE(c.name);
    CheckedDynamics held(c, 6);
    held.inverse();
    held.forward();
    held.wrenches();
  }
}

TEST(Dynamics, MatchesTheReferenceOnOneLongTreeOfEveryJointType) {
  const Case c = random_case(4242, 40);
  CheckedDynamics(c, 4242).all();
}

TEST(Dynamics, IsCalledByItsTextbookNamesToo) {
  const Case c = random_case(21);
  Data data(c.model);
  const RandomState x = random_state(c.model, 3);
  const Eigen::VectorXd tau = inverse_dynamics(c.model, data, x.q, x.v, x.a);
  EXPECT_EQ(Eigen::VectorXd(rnea(c.model, data, x.q, x.v, x.a)), tau);
  const Eigen::VectorXd a = forward_dynamics(c.model, data, x.q, x.v, x.tau);
  EXPECT_EQ(Eigen::VectorXd(aba(c.model, data, x.q, x.v, x.tau)), a);
  EXPECT_EQ(crba(c.model, data, x.q), mass_matrix(c.model, data, x.q));
}

}  // namespace
}  // namespace zwang::test
