// SPDX-License-Identifier: BSD-3-Clause
// The reference against closed forms and the laws of mechanics: it must be right before anything is compared with it.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "support/close.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::reference {
namespace {

using test::Random;
using Vec = VectorX<Real>;
using Mat = MatrixX<Real>;
// Doubles in the data are exact here; the algebra runs in 64 bits of mantissa: 1e-19 times lengths of sums.
constexpr double k_algebra = 1e-16;
// Fourth-order central differences, step 1e-3: truncation 1e-12 times fifth derivatives, rounding 1e-19 / 1e-3.
constexpr double k_difference = 3e-10;
constexpr Real k_step = 1e-3L;

LinkDescription link(const std::string& name, double mass, Vec3<double> centre, Sym3<double> inertia) {
  return {name, mass, centre, inertia};
}
JointDescription joint(const std::string& name, const std::string& type, const std::string& parent,
                       const std::string& child, Vec3<double> axis, Vec3<double> at = {0, 0, 0}) {
  JointDescription j;
  j.name = name;
  j.type = type;
  j.parent = parent;
  j.child = child;
  j.axis = axis;
  j.origin.p = at;
  return j;
}
LinkDescription ground() { return link("ground", 0, Vec3<double>::zero(), Sym3<double>::zero()); }
Reference make(const RobotDescription& robot, const BuildOptions& options = {}) {
  return {robot, options, depth_first_coordinates(robot, options)};
}
Vec vec(std::initializer_list<double> x) {
  Vec out(static_cast<Eigen::Index>(x.size()));
  std::copy(x.begin(), x.end(), out.data());
  return out;
}

/// f' by central differences of fourth order.
template <class F> auto rate(F f) {
  const Real h = k_step;
  return ((f(h) - f(-h)) * (8 / (12 * h)) - (f(2 * h) - f(-2 * h)) * (1 / (12 * h))).eval();
}

TEST(Reference, MatchesThePhysicalPendulum) {
  RobotDescription r{"pendulum",
                     {ground(), link("bob", 2.5, {0, 0, -0.7}, {0.3, 0.01, 0, 0.4, 0.02, 0.1})},
                     {joint("hinge", "revolute", "ground", "bob", {0, 1, 0})}};
  const Real q = 0.8L, a = -1.3L, g = 9.81, l = 0.7, m = 2.5, I = 0.4;
  const State s = make(r).at(vec({0.8}), vec({2.1}));
  EXPECT_CLOSE(s.inverse_dynamics(vec({-1.3})), Vec::Constant(1, (I + m * l * l) * a + m * g * l * std::sin(q)), 1e-15);
}

TEST(Reference, MatchesTheTwoLinkArmOfTextbooks) {
  const double m1 = 1.7, m2 = 0.9, l1 = 0.6, c1 = 0.25, c2 = 0.4, I1 = 0.11, I2 = 0.07, g = 9.81;
  RobotDescription r{"arm",
                     {ground(), link("upper", m1, {c1, 0, 0}, Sym3<double>::diagonal(1, 1, I1)),
                      link("fore", m2, {c2, 0, 0}, Sym3<double>::diagonal(1, 1, I2))},
                     {joint("shoulder", "revolute", "ground", "upper", {0, 0, 1}),
                      joint("elbow", "continuous", "upper", "fore", {0, 0, 1}, {l1, 0, 0})}};
  BuildOptions options;
  options.gravity = {0, -g, 0};
  const double q1 = 0.4, q2 = -1.1, v1 = 1.9, v2 = -0.6;
  const Reference robot = make(r, options);
  const State s = robot.at(vec({q1, q2}), vec({v1, v2}));
  Mat M(2, 2);
  M << I1 + I2 + m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2 + 2 * l1 * c2 * std::cos(q2)),
      I2 + m2 * (c2 * c2 + l1 * c2 * std::cos(q2)), I2 + m2 * (c2 * c2 + l1 * c2 * std::cos(q2)), I2 + m2 * c2 * c2;
  const double k = m2 * l1 * c2 * std::sin(q2);
  const Vec C = vec({-k * (2 * v1 * v2 + v2 * v2), k * v1 * v1});
  const Vec G =
      vec({(m1 * c1 + m2 * l1) * g * std::cos(q1) + m2 * c2 * g * std::cos(q1 + q2), m2 * c2 * g * std::cos(q1 + q2)});
  EXPECT_CLOSE(s.mass_matrix(), M, 1e-15);
  EXPECT_CLOSE(s.gravity_forces(), G, 1e-15);
  EXPECT_CLOSE(s.bias(), Vec(C + G), 1e-15);
}

TEST(Reference, MatchesTheCartPole) {
  const double M = 3, m = 0.8, l = 0.5, I = 0.05, q = 0.6, v = 1.4, g = 9.81;
  RobotDescription r{
      "cart",
      {ground(), link("cart", M, {0.1, 0, 0.2}, Sym3<double>::diagonal(1, 1, 1)),
       link("pole", m, {0, 0, l}, Sym3<double>::diagonal(1, I, 1))},
      {joint("rail", "prismatic", "ground", "cart", {2, 0, 0}), joint("pivot", "revolute", "cart", "pole", {0, 1, 0})}};
  const State s = make(r).at(vec({0.3, q}), vec({-0.7, v}));
  Mat mass(2, 2);
  mass << M + m, m * l * std::cos(q), m * l * std::cos(q), I + m * l * l;
  EXPECT_CLOSE(s.mass_matrix(), mass, 1e-15);
  EXPECT_CLOSE(s.bias(), vec({-m * l * std::sin(q) * v * v, -m * g * l * std::sin(q)}), 1e-15);
}

TEST(Reference, MatchesNewtonAndEulerForAFreeBody) {
  RobotDescription r{"body", {link("body", 1.3, Vec3<double>::zero(), {0.3, 0.02, -0.01, 0.4, 0.03, 0.5})}, {}};
  BuildOptions options;
  options.root = "floating";
  Random random(3);
  const Reference robot = make(r, options);
  const Vec q = test::random_configuration(robot, random).cast<Real>(), v = random.vector(6).cast<Real>(),
            a = random.vector(6).cast<Real>();
  const State s = robot.at(q, v);
  Matrix3<Real> I;
  I << 0.3, 0.02, -0.01, 0.02, 0.4, 0.03, -0.01, 0.03, 0.5;
  const Vector3<Real> p = v.head(3), w = v.tail(3), g = s.pose("body").R.transpose() * robot.gravity();
  Vec tau(6);
  tau << Real(1.3) * (a.head(3) + w.cross(p) - g), I * a.tail(3) + w.cross(I * w);
  EXPECT_CLOSE(s.inverse_dynamics(a), tau, k_algebra);
}

TEST(Reference, AddsTheReflectedInertiaOfAGearedRotor) {
  RobotDescription r{"rotor",
                     {ground(), link("wheel", 1, Vec3<double>::zero(), Sym3<double>::diagonal(1, 1, 0.2))},
                     {joint("axle", "revolute", "ground", "wheel", {0, 0, 1})}};
  r.joints[0].rotor_inertia = {0.003};
  r.joints[0].gear_ratio = {50};
  const State s = make(r).at(vec({1}), vec({2}));
  EXPECT_CLOSE(s.mass_matrix(), Mat::Constant(1, 1, 0.2 + 2500 * 0.003), 1e-15);
  EXPECT_CLOSE(s.mass_matrix(Effects::none()), Mat::Constant(1, 1, 0.2), 1e-15);
  EXPECT_CLOSE(s.kinetic_energy(), Real(0.5 * 4 * (0.2 + 7.5)), 1e-15);
}

TEST(Reference, FallsAsAtwoodsMachineWhoseMassesMimicTheDrum) {
  const double m1 = 2, m2 = 1.2, I = 0.05, R = 0.2, g = 9.81;
  RobotDescription r{
      "atwood",
      {ground(), link("left", m1, {0.1, 0, 0}, Sym3<double>::zero()),
       link("right", m2, {0, 0.3, 0}, Sym3<double>::zero()),
       link("drum", 1, Vec3<double>::zero(), Sym3<double>::diagonal(I, I, I))},
      {joint("a", "prismatic", "ground", "left", {0, 0, 1}), joint("b", "prismatic", "ground", "right", {0, 0, 1}),
       joint("drum", "revolute", "ground", "drum", {0, 1, 0})}};
  r.joints[0].mimic = {"drum", -R, 0.5};
  r.joints[1].mimic = {"a", -1, 1};  // a chain of leaders
  const Reference robot = make(r);
  ASSERT_EQ(robot.nv(), 1);
  const State s = robot.at(vec({0.3}), vec({0.9}));
  EXPECT_CLOSE(Real(R * s.forward_dynamics(vec({0}))(0)), Real(g * (m1 - m2) / (m1 + m2 + I / R / R)), 1e-15);
  EXPECT_CLOSE(s.pose("right").p, Vector3<Real>(0, 0, -(-R * 0.3 + 0.5) + 1), 1e-15);
}

TEST(Reference, FindsTheCoordinatesWhereTheModelHasThem) {
  for (const std::string& name : sample_names()) {
    const RobotDescription r = sample(name);
    const BuildOptions options{.root = name == "quadruped" ? "floating" : "automatic"};
    const Coordinates got = coordinates_of(build(r, options)), own = depth_first_coordinates(r, options);
    EXPECT_EQ(got.nq, own.nq) << name;
    EXPECT_EQ(got.nv, own.nv) << name;
    for (const auto& [joint_name, place] : own.of) {
      EXPECT_EQ(got.of.at(joint_name).first.first, place.first.first) << name << ' ' << joint_name;
      EXPECT_EQ(got.of.at(joint_name).second.first, place.second.first) << name << ' ' << joint_name;
    }
  }
}

TEST(Reference, TakesAUsersJointFromACallback) {
  const Vec3<double> axis{0.3, -0.5, 0.7};
  RobotDescription screw{"screw",
                         {ground(), link("nut", 1.5, {0.1, 0.2, -0.3}, Sym3<double>::diagonal(0.3, 0.2, 0.4))},
                         {joint("j", "helical", "ground", "nut", axis)}};
  screw.joints[0].parameters = {0.15};
  RobotDescription own = screw;
  own.joints[0].type = "user";
  const auto motion = [](const auto* q, const std::vector<double>& parameters) {
    using J = std::remove_cvref_t<decltype(*q)>;
    Pose<J> X;
    const J c = cos(q[0]), s = sin(q[0]);
    X.R << c, -s, J(0), s, c, J(0), J(0), J(0), J(1);
    X.p(2) = q[0] * J(parameters.at(0));
    return X;
  };
  const Coordinates layout = depth_first_coordinates(screw);
  const Reference theirs(own, {}, layout, {{"j", user_motion(1, motion)}});
  const Vec q = vec({0.7}), v = vec({-1.2}), a = vec({0.4});
  const State s = theirs.at(q, v), t = make(screw).at(q, v);
  EXPECT_CLOSE(s.inverse_dynamics(a), t.inverse_dynamics(a), 1e-15);
  EXPECT_CLOSE(s.jacobian("nut", Axes::local), t.jacobian("nut", Axes::local), k_algebra);
  const StateOf<Complex> c(theirs, theirs.complex_step(q, vec({1}), 1e-40L), VectorX<Complex>::Zero(1));
  EXPECT_CLOSE(Real(c.potential_energy().imag() / 1e-40L), s.gravity_forces()(0), 1e-15);
  EXPECT_THROW(make(own), std::invalid_argument);
}

/// Laws on random robots: every joint type, mimic joints, springs, dampers, fixed joints.
class ReferenceLaws : public testing::TestWithParam<int> {
 protected:
  ReferenceLaws() {
    RandomRobot options;
    options.joints = 18;
    if (GetParam() % 2) options.root = "floating";
    description_ = random_robot(static_cast<std::uint64_t>(GetParam()) + 100, options);
    for (JointDescription& j : description_.joints)  // parts may move alike: rotors keep M regular
      if (j.type == "composite") j.rotor_inertia = {0.05};
    robot_ = std::make_unique<Reference>(description_, BuildOptions{}, build(description_));
    Random random(static_cast<std::uint64_t>(GetParam()) + 7);
    q_ = test::random_configuration(*robot_, random).cast<Real>();
    v_ = random.vector(robot_->nv()).cast<Real>();
    a_ = random.vector(robot_->nv()).cast<Real>();
    frame_ = description_.links.back().name;
    robot_->add_frame("tool", frame_, random.pose());
    wrenches_.push_back({"tool", Vector6<Real>(random.vector(6, 5).cast<Real>()), Axes::local});
    wrenches_.push_back({description_.links[4].name, Vector6<Real>(random.vector(6, 5).cast<Real>()), Axes::world});
    wrenches_.push_back(
        {description_.links[2].name, Vector6<Real>(random.vector(6, 5).cast<Real>()), Axes::local_world_aligned});
  }
  State now() const { return robot_->at(q_, v_); }
  /// The state after a time along v and a.
  State later(Real t) const { return robot_->at(robot_->integrate(q_, v_ * t), v_ + a_ * t); }

  RobotDescription description_;
  std::unique_ptr<Reference> robot_;
  Vec q_, v_, a_;
  std::string frame_;
  std::vector<External> wrenches_;
};

TEST_P(ReferenceLaws, JacobianIsTheRateOfThePose) {
  const State s = now();
  for (const Axes in : {Axes::local, Axes::world, Axes::local_world_aligned}) {
    const Pose<Real> X = s.pose("tool");
    const Matrix3<Real> Rdot = rate([&](Real t) { return Mat(later(t).pose("tool").R); });
    const Vector3<Real> pdot = rate([&](Real t) { return Vec(later(t).pose("tool").p); });
    const Matrix3<Real> W = Rdot * X.R.transpose();
    const Vector3<Real> w(W(2, 1), W(0, 2), W(1, 0));
    Vector6<Real> twist;
    if (in == Axes::world) twist << pdot - w.cross(X.p), w;
    if (in == Axes::local) twist << X.R.transpose() * pdot, X.R.transpose() * w;
    if (in == Axes::local_world_aligned) twist << pdot, w;
    EXPECT_CLOSE(s.velocity("tool", in), twist, k_difference);
  }
}

TEST_P(ReferenceLaws, JacobianDotIsTheRateOfTheJacobian) {
  for (const Axes in : {Axes::local, Axes::world, Axes::local_world_aligned})
    EXPECT_CLOSE(now().jacobian_dot("tool", in), rate([&](Real t) { return Mat(later(t).jacobian("tool", in)); }),
                 k_difference);
}

TEST_P(ReferenceLaws, AccelerationsAreRatesOfVelocities) {
  const auto velocity_rate = [&](Axes in) { return rate([&](Real t) { return Vec(later(t).velocity("tool", in)); }); };
  const State s = now();
  EXPECT_CLOSE(s.acceleration("tool", a_, Axes::local_world_aligned, Kind::classical),
               velocity_rate(Axes::local_world_aligned), k_difference);
  EXPECT_CLOSE(s.acceleration("tool", a_, Axes::local, Kind::spatial), velocity_rate(Axes::local), k_difference);
  EXPECT_CLOSE(s.acceleration("tool", a_, Axes::world, Kind::spatial), velocity_rate(Axes::world), k_difference);
  for (const Axes in : {Axes::local, Axes::world}) {  // J a + J' v, too
    const Vec Ja = s.jacobian("tool", in) * a_ + s.jacobian_dot("tool", in) * v_;
    EXPECT_CLOSE(s.acceleration("tool", a_, in, Kind::spatial), Ja, 1e-15);
  }
}

TEST_P(ReferenceLaws, MassMatrixIsSymmetricPositiveAndTwiceTheKineticEnergy) {
  const State s = now();
  const Mat M = s.mass_matrix();
  EXPECT_CLOSE(M, Mat(M.transpose()), k_algebra);
  EXPECT_CLOSE(Real(v_.dot(M * v_) / 2), s.kinetic_energy(), 1e-15);
  EXPECT_GT(Mat(M.selfadjointView<Eigen::Lower>()).eigenvalues().real().minCoeff(), 0);
  for (int k = 0; k < robot_->nv(); k += 3) {
    Reference still = *robot_;
    still.set_gravity(Vector3<Real>::Zero());
    EXPECT_CLOSE(still.at(q_).inverse_dynamics(Vec::Unit(robot_->nv(), k), {}, Effects::inertial()), Vec(M.col(k)),
                 1e-15);
  }
}

TEST_P(ReferenceLaws, CoriolisMatrixMakesTheBiasAndTheRateOfM) {
  const State s = now();
  const Mat C = s.coriolis_matrix();
  EXPECT_CLOSE(Vec(C * v_ + s.gravity_forces()), s.bias({}, Effects::none()), 1e-15);
  EXPECT_CLOSE(Mat(C + C.transpose()), rate([&](Real t) { return later(t).mass_matrix(); }), k_difference);
}

TEST_P(ReferenceLaws, ForwardAndInverseDynamicsUndoEachOther) {
  const Effects all{true, true, true, true};
  const State s = now();
  // Condition numbers of M reach 1e5 here.
  EXPECT_CLOSE(s.forward_dynamics(s.inverse_dynamics(a_, wrenches_, all), wrenches_, all), a_, 1e-13);
}

TEST_P(ReferenceLaws, GravityIsTheGradientOfThePotentialByComplexStep) {
  const Real h = 1e-40L;
  Vec gradient(robot_->nv());
  for (int k = 0; k < robot_->nv(); ++k) {
    const VectorX<Complex> q = robot_->complex_step(q_, Vec::Unit(robot_->nv(), k), h);
    gradient(k) = StateOf<Complex>(*robot_, q, VectorX<Complex>::Zero(robot_->nv())).potential_energy().imag() / h;
  }
  EXPECT_CLOSE(now().gravity_forces(), gradient, 1e-15);
}

TEST_P(ReferenceLaws, PowerOfForcesIsTheRateOfEnergy) {
  const State s = now();
  const Vec tau = s.inverse_dynamics(a_, wrenches_, Effects::inertial());
  Real power = tau.dot(v_);
  for (const External& e : wrenches_) power += e.wrench.dot(s.velocity(e.frame, e.in));
  const Vec energy_rate =
      rate([&](Real t) { return Vec(Vec::Constant(1, later(t).kinetic_energy() + later(t).potential_energy())); });
  EXPECT_CLOSE(power, energy_rate(0), k_difference * 10);
}

TEST_P(ReferenceLaws, MomentumChangesByForces) {
  const State s = now();
  EXPECT_CLOSE(s.centre_of_mass_velocity(), rate([&](Real t) { return Vec(later(t).centre_of_mass()); }), k_difference);
  EXPECT_CLOSE(s.centre_of_mass_acceleration(a_), rate([&](Real t) { return Vec(later(t).centre_of_mass_velocity()); }),
               k_difference);
  EXPECT_CLOSE(Vec(s.momentum().head(3)), Vec(s.mass() * s.centre_of_mass_velocity()), 1e-15);
  // The joints that hang on the world carry the whole rate of linear momentum, gravity and external forces taken off.
  Vector3<Real> carried = Vector3<Real>::Zero();
  const auto wrenches = s.joint_wrenches(a_, wrenches_);
  for (const SpanningJoint& j : robot_->joints())
    if (robot_->links()[j.parent].parent < 0 && robot_->links()[j.parent].joint < 0)
      carried += s.pose(robot_->links()[j.child].name).R * wrenches.at(j.name).head(3);
  Vector3<Real> expected = s.mass(true) * (s.centre_of_mass_acceleration(a_, true) - robot_->gravity());
  const RigidLink& root = robot_->links()[0];
  expected += root.mass * robot_->gravity();
  for (const External& e : wrenches_)
    if (robot_->frame(e.frame).link != 0)
      expected -= (e.in == Axes::local ? s.pose(e.frame).R : Matrix3<Real>::Identity().eval()) * e.wrench.head(3);
  EXPECT_CLOSE(carried, expected, 1e-14);
}

TEST_P(ReferenceLaws, JointWrenchesDoTheWorkOfTheJointTorques) {
  const State s = now();
  const auto wrenches = s.joint_wrenches(a_, wrenches_);
  // A joint's torque is its wrench along the columns that it adds to its parent's motion: power over all joints.
  Vec tau = Vec::Zero(robot_->nv());
  for (const SpanningJoint& j : robot_->joints()) {
    const std::string& child = robot_->links()[j.child].name;
    const Pose<Real> X = s.pose(child);
    Matrix6X<Real> relative = s.jacobian(child, Axes::local);
    if (j.parent >= 0) {
      // Of the parent's point at the child's origin.
      const Matrix6X<Real> J = s.jacobian(robot_->links()[j.parent].name, Axes::world);
      Matrix6X<Real> moved = J;
      for (int k = 0; k < J.cols(); ++k) {
        const Vector3<Real> w = J.col(k).tail(3), v = J.col(k).head(3);
        moved.col(k) << X.R.transpose() * (v + w.cross(X.p)), X.R.transpose() * w;
      }
      relative -= moved;
    }
    tau += relative.transpose() * wrenches.at(j.name);
  }
  EXPECT_CLOSE(tau, s.inverse_dynamics(a_, wrenches_, Effects::none()), 1e-15);
}

INSTANTIATE_TEST_SUITE_P(Trees, ReferenceLaws, testing::Range(0, 6));

}  // namespace
}  // namespace zwang::reference
