// SPDX-License-Identifier: BSD-3-Clause
// Derivatives by the parameters of the robot against differences of models built anew, for every joint type, mimic
// joints and external wrenches in all axes.
// Tolerance: central differences of order 6 with steps of 1e-2: truncation 1e-12 of the sixth derivative,
// which angles of 1e-2 keep near the value; rounding eps / h = 2e-14 of the torque. 1e-9 leaves room for
// both and is far below any term left out.
#include "zwang/algorithm/parameter_derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "algorithm/cases.hpp"
#include "support/passive.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
constexpr double k_difference = 1e-9;
constexpr Parameter k_parameters[] = {
    Parameter::inertial_parameters, Parameter::placement, Parameter::armature, Parameter::damping,
    Parameter::stiffness,           Parameter::gravity};

/// A robot that can be built anew.
struct Built {
  explicit Built(std::uint64_t seed)
      : robot(random_description(seed, 2 + static_cast<int>(seed % 6), seed % 2 ? "floating" : "fixed")) {
    if (seed % 2 == 0) add_passive_forces(robot, seed);
    options.lump = seed % 3 != 0;
    options.expand_mimic = seed % 7 == 3;
    options.gravity = {1.2, -4.1, -8.3};
  }
  Model model() const { return build(robot, options); }
  RobotDescription robot;
  BuildOptions options;
};

/// Wrenches on the last frame in each of the axes.
Externals wrenches(const Model& m) {
  Externals out;
  const FrameId frame(static_cast<Index>(m.frames().size()) - 1), other(static_cast<Index>(m.frames().size()) / 2);
  out.push_back(external_wrench(m, frame, {1, -2, 3, 0.4, 0.5, -0.6}, Reference::world));
  out.push_back(external_wrench(m, other, {-2, 1, 0.3, 0.1, 0.2, 0.7}, Reference::local_world_aligned));
  out.push_back(external_wrench(m, frame, {0.5, 1, 2, -1, 0.3, 0.2}, Reference::local));
  return out;
}

/// d/dt of the torque of the model that change(t) gives.
template <class F> Vector difference(const RandomState& x, const F& change) {
  const auto torque = [&](double t) {
    const Model m = change(t);
    Data data(m);
    return Vector(inverse_dynamics(m, data, x.q, x.v, x.a, wrenches(m)));
  };
  const double h = 1e-2;
  const auto pair = [&](double k) { return Vector(torque(k * h) - torque(-k * h)); };
  return (45 * pair(1) - 9 * pair(2) + pair(3)) / (60 * h);
}

/// The same of a model whose description changes.
template <class F> Vector edited(const Built& b, const RandomState& x, const F& edit) {
  return difference(x, [&](double t) {
    Built changed = b;
    edit(changed, t);
    return changed.model();
  });
}

const JointDescription& joint_of(const Built& b, const std::string& name) {
  for (const JointDescription& j : b.robot.joints)
    if (j.name == name) return j;
  throw std::logic_error("no joint " + name);
}
JointDescription& joint_of(Built& b, const std::string& name) {
  return const_cast<JointDescription&>(joint_of(std::as_const(b), name));
}

TEST(ParameterDerivatives, ByPlacementsAreDifferences) {
  int compared = 0;
  for (int seed = 0; seed < effort(40); ++seed) {
    const Built b(static_cast<std::uint64_t>(seed));
    const Model m = b.model();
    if (m.nv() == 0) continue;
    const RandomState x = random_state(m, 3);
    Data data(m);
    const Matrix d = inverse_dynamics_parameter_derivatives(m, data, x.q, x.v, x.a, Parameter::placement, wrenches(m));
    Random random(5);
    for (std::size_t j = 0; j < m.joints().size(); ++j) {
      const Joint& joint = m.joints()[j];
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + joint.name + ", " + joint.type);
      const Matrix block = d.middleCols(6 * static_cast<Eigen::Index>(j), 6);
      if (joint.lumped || joint.body.value == 0) {
        EXPECT_TRUE(block.array().isNaN().all());
        continue;
      }
      const Vector step = random.vector(6);
      const Motion<double> s{{step(0), step(1), step(2)}, {step(3), step(4), step(5)}};
      const Vector expected = edited(b, x, [&](Built& y, double t) {
        Transform<double>& X = joint_of(y, joint.name).origin;
        X = X * exp_se3(s * t);
      });
      EXPECT_TRUE(within(Vector(block * step), expected, k_difference, largest(expected) + 100));
      ++compared;
    }
  }
  EXPECT_GT(compared, effort(40));
}

TEST(ParameterDerivatives, ByTheNumbersOfJointsAreDifferences) {
  int compared[3] = {0, 0, 0};
  for (int seed = 0; seed < effort(40); ++seed) {
    const Built b(static_cast<std::uint64_t>(seed) + 100);
    const Model m = b.model();
    if (m.nv() == 0) continue;
    const RandomState x = random_state(m, 3);
    Data data(m);
    const Matrix armature = inverse_dynamics_parameter_derivatives(m, data, x.q, x.v, x.a, Parameter::armature),
                 damping = inverse_dynamics_parameter_derivatives(m, data, x.q, x.v, x.a, Parameter::damping),
                 stiffness = inverse_dynamics_parameter_derivatives(m, data, x.q, x.v, x.a, Parameter::stiffness);
    for (const Joint& joint : m.joints()) {
      if (joint.lumped || joint.body.value == 0 || joint.v.size != 1 || joint.type == "composite") continue;
      if (!joint.mimic.leader.empty() && !b.options.expand_mimic) continue;
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + joint.name + ", " + joint.type);
      const JointDescription& was = joint_of(b, joint.name);
      const Index k = joint.v.first;
      const auto first = [](const std::vector<double>& given) { return given.empty() ? 0.0 : given[0]; };
      const Vector by_armature = edited(b, x, [&](Built& y, double t) {
        const double ratio = was.gear_ratio.empty() ? 1.0 : was.gear_ratio[0];
        joint_of(y, joint.name).rotor_inertia = {first(was.rotor_inertia) + (0.1 + t) / (ratio * ratio)};
      });
      EXPECT_TRUE(within(Vector(armature.col(k)), by_armature, k_difference, largest(by_armature) + 100));
      const Vector by_damping =
          edited(b, x, [&](Built& y, double t) { joint_of(y, joint.name).damping = {first(was.damping) + 0.1 + t}; });
      EXPECT_TRUE(within(Vector(damping.col(k)), by_damping, k_difference, largest(by_damping) + 100));
      compared[0] += largest(by_armature) > 0;
      compared[1] += largest(by_damping) > 0;
      if (!(first(was.stiffness) > 0)) {
        EXPECT_EQ(largest(stiffness.col(k)), 0);
        continue;
      }
      const Vector by_stiffness =
          edited(b, x, [&](Built& y, double t) { joint_of(y, joint.name).stiffness = {was.stiffness[0] + t}; });
      EXPECT_TRUE(within(Vector(stiffness.col(k)), by_stiffness, k_difference, largest(by_stiffness) + 100));
      compared[2] += largest(by_stiffness) > 0;
    }
  }
  for (const int count : compared) EXPECT_GT(count, effort(40) / 4);
}

TEST(ParameterDerivatives, ByGravityAndInertiaAreExact) {
  for (int seed = 0; seed < effort(60); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed), 1 + seed % 9);
    const Model& m = c.model;
    if (m.nv() == 0) continue;
    SCOPED_TRACE(c.name);
    const RandomState x = random_state(m, 3);
    Data data(m);
    const JointEffects none{false, false, false, false};
    // torques are linear in gravity: the reference gives the part of each axis
    const Matrix d = inverse_dynamics_parameter_derivatives(m, data, x.q, x.v, x.a, Parameter::gravity);
    const Vector g = gravity_forces(m, data, x.q);
    EXPECT_TRUE(within(Vector(d * eigen(m.gravity())), g, 2000 * k_eps, largest(g) + 10));
    const Matrix J = (-c.reference.at(x.q).mass() * c.reference.at(x.q).centre_of_mass_jacobian()).cast<double>();
    EXPECT_TRUE(within(Matrix(d.transpose()), J, 2000 * k_eps, largest(J) + 10));
    // and in the inertial parameters
    const Matrix Y = inverse_dynamics_parameter_derivatives(m, data, x.q, x.v, x.a, Parameter::inertial_parameters);
    Vector phi(Y.cols());
    inertial_parameters(m, phi);
    const Vector tau = inverse_dynamics(m, data, x.q, x.v, x.a, {}, none);
    EXPECT_TRUE(within(Vector(Y * phi), tau, 20000 * k_eps, largest(tau) + 10));
  }
}

TEST(ParameterDerivatives, OfForwardDynamicsAreThoseAtItsAccelerationsThroughTheInverseOfM) {
  int compared = 0;
  for (int seed = 0; seed < effort(60); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed) + 50, 1 + seed % 9);
    const Model& m = c.model;
    if (m.nv() == 0) continue;
    SCOPED_TRACE(c.name);
    const RandomState x = random_state(m, 3);
    Data data(m);
    TreeCholesky factor(m);
    const Externals external = wrenches(m);
    Matrix M(m.nv(), m.nv());
    mass_matrix(m, data, x.q, M);
    for (const Parameter p : k_parameters) {
      Matrix d(m.nv(), columns_of(m, p));
      const Vector a = forward_dynamics_parameter_derivatives(m, data, factor, x.q, x.v, x.a, p, d, external);
      const Matrix by_a = inverse_dynamics_parameter_derivatives(m, data, x.q, x.v, a, p, external);
      for (Eigen::Index k = 0; k < d.cols(); ++k) {
        if (std::isnan(by_a(0, k))) {
          EXPECT_TRUE(d.col(k).array().isNaN().all());
          continue;
        }
        // backward stable: the residual is rounding of M times the answer
        const double scale = largest(M) * largest(d.col(k)) + largest(by_a.col(k)) + 1;
        EXPECT_TRUE(within(Vector(M * d.col(k)), Vector(-by_a.col(k)), 20000 * k_eps, scale));
        ++compared;
      }
    }
    const FrameId frame(static_cast<Index>(m.frames().size()) - 1);
    for (const Reference in : k_references) {
      Matrix J(6, m.nv());
      jacobian(m, data, x.q, frame, in, J);
      EXPECT_EQ(inverse_dynamics_wrench_derivatives(m, data, x.q, frame, in), Matrix(-J.transpose()));
      const Matrix d = forward_dynamics_wrench_derivatives(m, data, x.q, frame, in);
      EXPECT_TRUE(
          within(Matrix(M * d), Matrix(J.transpose()), 20000 * k_eps, largest(M) * largest(d) + largest(J) + 1));
    }
  }
  EXPECT_GT(compared, effort(60));
}

TEST(ParameterDerivatives, OfEffectsThatDoNotCountAreZero) {
  const Built b(4);
  const Model m = b.model();
  const RandomState x = random_state(m, 3);
  Data data(m);
  for (const Parameter p : {Parameter::armature, Parameter::damping, Parameter::stiffness}) {
    const JointEffects none{false, false, false, false};
    EXPECT_EQ(largest(inverse_dynamics_parameter_derivatives(m, data, x.q, x.v, x.a, p, {}, none)), 0);
  }
}

TEST(ParameterDerivatives, RefuseWhatTheirFunctionsRefuse) {
  const Model arm = build(sample_arm7());
  Data data(arm);
  TreeCholesky factor(arm);
  const Vector x = Vector::Zero(7), shorter = Vector::Zero(6);
  Matrix out(7, 7), small(7, 2);
  const Parameter p = Parameter::damping;
  EXPECT_THROW(inverse_dynamics_parameter_derivatives(arm, data, x, shorter, x, p, out), std::invalid_argument);
  EXPECT_THROW(inverse_dynamics_parameter_derivatives(arm, data, x, x, x, p, small), std::invalid_argument);
  EXPECT_THROW(forward_dynamics_parameter_derivatives(arm, data, factor, x, x, shorter, p, out), std::invalid_argument);
  EXPECT_THROW(forward_dynamics_parameter_derivatives(arm, data, factor, x, x, x, p, small), std::invalid_argument);
  EXPECT_THROW(columns_of(arm, static_cast<Parameter>(77)), std::invalid_argument);
  EXPECT_THROW(inverse_dynamics_wrench_derivatives(arm, data, x, "tool", Reference::local, out), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
