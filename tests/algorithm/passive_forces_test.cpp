// SPDX-License-Identifier: BSD-3-Clause
// Links' own scales of gravity and springs of spherical joints, by laws: a scale is a wrench (scale - 1) m g at the
// centre of mass, whatever is asked; all scales s are gravity s g; a spring's torque is minus the derivative of its
// energy; derivatives are differences.
//
// Tolerances: sums over some 20 bodies: 4000 eps of the largest entry (what multiplies with M^-1: times its condition,
// below 1e5 here). Central differences of fourth order with steps of 1e-3: some h^4 of the value and eps / h, 1e-9.
#include <gtest/gtest.h>

#include <numbers>

#include "algorithm/cases.hpp"
#include "support/passive.hpp"
#include "zwang/algorithm/all_terms.hpp"
#include "zwang/algorithm/edit.hpp"
#include "zwang/algorithm/joint_wrench_derivatives.hpp"
#include "zwang/algorithm/parameter_derivatives.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/algorithm/second_derivatives.hpp"
#include "zwang/algorithm/supported.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/derivatives.hpp"
#include "zwang/simulation.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
constexpr double k_sums = 4000 * k_eps, k_solved = 1e5 * k_sums, k_difference = 1e-8;
constexpr JointEffects k_scale_alone{false, false, false, false, true};
constexpr JointEffects k_no_effects{false, false, false, false, false};

/// A robot with scales, and the same without them beside the wrenches that take their place.
struct Pair {
  Model scaled, plain;
  Externals external, instead;  ///< wrenches of the user; with those of the scales
  RandomState x;
};
Pair pair_of(std::uint64_t seed, const char* root) {
  RobotDescription robot = random_description(seed, 2 + static_cast<int>(seed % 7), root);
  add_passive_forces(robot, seed);
  for (std::size_t k = 0; k < robot.links.size(); ++k)
    robot.frames.push_back(
        {"centre" + std::to_string(k), robot.links[k].name, {Mat3<double>::identity(), robot.links[k].centre}});
  RobotDescription plain = robot;
  for (LinkDescription& l : plain.links) l.gravity_scale = 1;
  BuildOptions options;
  options.lump = seed % 3 != 0;
  options.expand_mimic = seed % 5 == 3;
  options.gravity = {1.2, -4.1, -8.3};
  const Model with = build(robot, options), without = build(plain, options);
  const FrameId frame(static_cast<Index>(with.frames().size()) - 1);
  Externals external;
  external.push_back(external_wrench(with, frame, {1, -2, 3, 0.4, 0.5, -0.6}, Reference::world));
  external.push_back(external_wrench(with, "tip", {-2, 1, 0.3, 0.1, 0.2, 0.7}, Reference::local));
  Externals instead = external;
  for (std::size_t k = 0; k < robot.links.size(); ++k) {
    const LinkDescription& l = robot.links[k];
    const Vec3<double> f = options.gravity * (l.mass * (l.gravity_scale - 1));
    instead.push_back(external_wrench(without, "centre" + std::to_string(k), {f.x, f.y, f.z, 0, 0, 0},
                                      Reference::local_world_aligned));
  }
  return {with, without, external, instead, random_state(with, seed + 5)};
}
/// For robots that move.
template <class F> void for_pairs(int count, F&& f) {
  const char* const roots[] = {"fixed", "floating", "spherical"};
  for (int seed = 0; seed < effort(count); ++seed) {
    const Pair p = pair_of(static_cast<std::uint64_t>(seed), roots[seed % 3]);
    SCOPED_TRACE("seed " + std::to_string(seed));
    if (p.scaled.nv() > 0) f(p);
  }
}
template <class A, class B> void expect_same(const A& got, const B& want, double tolerance, const char* what) {
  EXPECT_TRUE(within(Matrix(got), Matrix(want), tolerance, largest(Matrix(want)) + 10)) << what;
}

TEST(GravityScale, IsAWrenchInEveryCallOfOneState) {
  for_pairs(40, [](const Pair& p) {
    const RandomState& x = p.x;
    Data a(p.scaled), b(p.plain);
    expect_same(Vector(inverse_dynamics(p.scaled, a, x.q, x.v, x.a, p.external)),
                Vector(inverse_dynamics(p.plain, b, x.q, x.v, x.a, p.instead)), k_sums, "inverse dynamics");
    for (const Link& link : p.scaled.links()) {
      if (!link.joint || link.body.value == 0 || p.scaled.joints()[static_cast<std::size_t>(link.joint.value)].lumped)
        continue;
      const LinkId id = p.scaled.find_link(link.name);
      expect_same(six(joint_wrench(p.scaled, a, id)), six(joint_wrench(p.plain, b, id)), k_sums, "joint wrench");
      Matrix m[3], n[3];
      for (int k = 0; k < 3; ++k) m[k] = n[k] = Matrix(6, p.scaled.nv());
      joint_wrench_derivatives(p.scaled, a, x.q, x.v, x.a, link.joint, m[0], m[1], m[2], p.external);
      joint_wrench_derivatives(p.plain, b, x.q, x.v, x.a, link.joint, n[0], n[1], n[2], p.instead);
      for (int k = 0; k < 3; ++k) expect_same(m[k], n[k], k_sums, "derivatives of a joint's wrench");
      inverse_dynamics(p.scaled, a, x.q, x.v, x.a, p.external);
      inverse_dynamics(p.plain, b, x.q, x.v, x.a, p.instead);
    }
    for (const Link& link : p.scaled.links())
      expect_same(six(supported_force(p.scaled, a, x.q, x.v, x.a, link.name, p.external)),
                  six(supported_force(p.plain, b, x.q, x.v, x.a, link.name, p.instead)), k_sums, "supported force");
    const Vector bias = bias_forces(p.plain, b, x.q, x.v, Externals(p.instead.begin() + 2, p.instead.end()));
    expect_same(Vector(bias_forces(p.scaled, a, x.q, x.v)), bias, k_sums, "bias");
    AllTerms terms(p.scaled);
    all_terms(p.scaled, a, x.q, x.v, terms);
    expect_same(Vector(terms.bias_forces()), bias, k_sums, "bias among all terms");
    EXPECT_NEAR(terms.potential_energy, potential_energy(p.scaled, a, x.q), 1e-10 * (1 + std::fabs(bias.sum())));
    expect_same(Vector(static_torque(p.scaled, a, x.q, p.external)), Vector(static_torque(p.plain, b, x.q, p.instead)),
                k_sums, "static torque");
    const Vector tau = x.tau;
    const Vector acceleration = forward_dynamics(p.scaled, a, x.q, x.v, tau, p.external);
    expect_same(acceleration, Vector(forward_dynamics(p.plain, b, x.q, x.v, tau, p.instead)), k_solved, "forward");
    // both switches
    expect_same(Vector(inverse_dynamics(p.scaled, a, x.q, x.v, x.a, p.external, k_no_effects)),
                Vector(inverse_dynamics(p.plain, b, x.q, x.v, x.a, p.external, k_no_effects)), k_sums, "switched off");
    expect_same(Vector(gravity_forces(p.scaled, a, x.q)), Vector(gravity_forces(p.plain, b, x.q)), k_sums, "gravity");
  });
}

TEST(GravityScale, IsAWrenchInDerivatives) {
  for_pairs(40, [](const Pair& p) {
    const RandomState& x = p.x;
    const Index n = p.scaled.nv();
    Data a(p.scaled), b(p.plain);
    const auto d = inverse_dynamics_derivatives(p.scaled, a, x.q, x.v, x.a, p.external);
    const auto e = inverse_dynamics_derivatives(p.plain, b, x.q, x.v, x.a, p.instead);
    expect_same(d.q, e.q, k_sums, "by q");
    expect_same(d.v, e.v, k_sums, "by v");
    Matrix s(n, n), t(n, n);
    static_torque_derivatives(p.scaled, a, x.q, s, p.external);
    static_torque_derivatives(p.plain, b, x.q, t, p.instead);
    expect_same(s, t, k_sums, "of the static torque");
    gravity_forces_derivatives(p.scaled, a, x.q, s);
    gravity_forces_derivatives(p.plain, b, x.q, t);
    expect_same(s, t, k_sums, "of gravity");
    const auto f = forward_dynamics_derivatives(p.scaled, a, x.q, x.v, x.tau, p.external);
    const auto g = forward_dynamics_derivatives(p.plain, b, x.q, x.v, x.tau, p.instead);
    expect_same(f.q, g.q, k_solved, "forward by q");
    expect_same(f.v, g.v, k_solved, "forward by v");
    Vector along(n), from[3] = {Vector(n), Vector(n), Vector(n)};
    inverse_dynamics_jvp(p.scaled, a, x.q, x.v, x.a, x.tau, x.a, x.v, along, p.external);
    expect_same(along, Vector(e.q * x.tau + e.v * x.a + e.a * x.v), k_sums * 10, "product from the right");
    inverse_dynamics_vjp(p.scaled, a, x.q, x.v, x.a, x.tau, from[0], from[1], from[2], p.external);
    expect_same(from[0], Vector(e.q.transpose() * x.tau), k_sums * 10, "product from the left");
    const SecondDerivatives H = inverse_dynamics_second_derivatives(p.scaled, a, x.q, x.v, x.a, p.external);
    const SecondDerivatives K = inverse_dynamics_second_derivatives(p.plain, b, x.q, x.v, x.a, p.instead);
    expect_same(Eigen::Map<const Vector>(H.qq().data, n * n * n), Eigen::Map<const Vector>(K.qq().data, n * n * n),
                k_sums * 10, "second derivatives");
    const auto place = inverse_dynamics_parameter_derivatives(p.scaled, a, x.q, x.v, x.a, Parameter::placement);
    const auto other = inverse_dynamics_parameter_derivatives(p.plain, b, x.q, x.v, x.a, Parameter::placement,
                                                              Externals(p.instead.begin() + 2, p.instead.end()));
    for (Eigen::Index k = 0; k < place.cols(); ++k)
      if (!std::isnan(place(0, k))) expect_same(place.col(k), other.col(k), k_sums * 10, "by a placement");
  });
}

TEST(GravityScale, IsAWrenchUnderConstraints) {
  for_pairs(40, [](const Pair& p) {
    const RandomState& x = p.x;
    const Index n = p.scaled.nv();
    ConstraintSet one(p.scaled), other(p.plain);
    for (ConstraintSet* set : {&one, &other}) {
      set->add(FrameConstraint{.name = "hold", .frame = "tip", .rows = rows("linear.x"), .role = Role::driver});
      if (n > 3) set->add(FrameConstraint{.name = "wall", .frame = "tip", .rows = rows("angular.y")});
    }
    Solver a(p.scaled, one), b(p.plain, other);
    const Vector tau = x.tau;
    const Solution& s = a.try_solve({.q = x.q, .v = x.v, .tau = tau, .external = &p.external});
    const Solution& t = b.try_solve({.q = x.q, .v = x.v, .tau = tau, .external = &p.instead});
    ASSERT_EQ(s.report.status, t.report.status);
    if (s.report.status != Status::ok || s.report.rank < s.report.rows) return;
    const double large = 1 + largest(Vector(t.acceleration));
    expect_same(Vector(s.acceleration), Vector(t.acceleration), k_solved * large, "acceleration");
    expect_same(Vector(s.multipliers), Vector(t.multipliers), k_solved * large, "multipliers");
    const Vector w = x.a, of_rows = Vector::Ones(one.rows());
    const InputGradient& g = a.vjp({.acceleration = w, .multipliers = of_rows, .motor_torque = w});
    const InputGradient& h = b.vjp({.acceleration = w, .multipliers = of_rows, .motor_torque = w});
    ASSERT_EQ(g.status, h.status);
    if (g.status != Status::ok) return;
    const double scale = large * (1 + largest(Vector(h.q)));
    expect_same(Vector(g.q), Vector(h.q), k_solved * scale, "gradient by q");
    expect_same(Vector(g.v), Vector(h.v), k_solved * scale, "gradient by v");
    expect_same(Vector(g.tau), Vector(h.tau), k_solved * scale, "gradient by tau");
    const Vector d = x.tau;
    const GradientVariation& u = a.hvp({.q = d, .v = w}, {.acceleration = w});
    const GradientVariation& v = b.hvp({.q = d, .v = w}, {.acceleration = w});
    ASSERT_EQ(u.status, v.status);
    if (u.status == Status::ok)
      expect_same(Vector(u.q), Vector(v.q), k_solved * scale * (1 + largest(Vector(v.q))), "second order");
  });
}

// Where gravity is not compensated by a driver, a scale of gravity is gravity.
TEST(GravityScale, OfAllLinksIsGravity) {
  for (const double s : {0.0, 0.3, -1.0, 2.5}) {
    for (int seed = 0; seed < effort(10); ++seed) {
      RobotDescription robot = random_description(static_cast<std::uint64_t>(seed), 6, seed % 2 ? "floating" : "fixed");
      BuildOptions options;
      options.gravity = {1.2, -4.1, -8.3};
      for (LinkDescription& l : robot.links) l.gravity_scale = s;
      const Model scaled = build(robot, options);
      for (LinkDescription& l : robot.links) l.gravity_scale = 1;
      options.gravity = options.gravity * s;
      const Model plain = build(robot, options);
      if (plain.nv() == 0) continue;
      const RandomState x = random_state(plain, 4);
      Data a(scaled), b(plain);
      SCOPED_TRACE(seed);
      expect_same(Vector(inverse_dynamics(scaled, a, x.q, x.v, x.a)), Vector(inverse_dynamics(plain, b, x.q, x.v, x.a)),
                  k_sums, "inverse dynamics");
      expect_same(Vector(forward_dynamics(scaled, a, x.q, x.v, x.tau)),
                  Vector(forward_dynamics(plain, b, x.q, x.v, x.tau)), k_solved, "forward dynamics");
      EXPECT_NEAR(potential_energy(scaled, a, x.q), potential_energy(plain, b, x.q),
                  k_sums * (100 + std::fabs(potential_energy(scaled, a, x.q, k_no_effects))));
      EXPECT_NEAR(mechanical_energy(scaled, a, x.q, x.v), mechanical_energy(plain, b, x.q, x.v),
                  k_sums * (100 + std::fabs(mechanical_energy(scaled, a, x.q, x.v, k_no_effects))));
      if (s == 0) {
        const double g = largest(Vector(gravity_forces(scaled, a, x.q)));
        EXPECT_LE(largest(Vector(static_torque(scaled, a, x.q, {}, k_scale_alone))), k_sums * (10 + g));
      }
      ConstraintSet one(scaled), other(plain);
      for (ConstraintSet* set : {&one, &other}) {
        set->add(FrameConstraint{.name = "tip", .frame = "tip", .rows = rows("linear.z"), .role = Role::driver});
        (*set)["tip"].compensate.gravity = seed % 3 == 0;
        (*set)["tip"].compensate.external = seed % 3 == 1;
      }
      Solver left(scaled, one), right(plain, other);
      const Vector tau = x.tau;
      const Solution &y = left.try_solve({.q = x.q, .v = x.v, .tau = tau}),
                     &z = right.try_solve({.q = x.q, .v = x.v, .tau = tau});
      ASSERT_EQ(y.report.status, z.report.status);
      if (z.report.status == Status::ok)
        expect_same(Vector(y.acceleration), Vector(z.acceleration), k_solved * (1 + largest(Vector(z.acceleration))),
                    "acceleration where gravity is left to the row or not");
    }
  }
}

TEST(GravityScale, TorquesAreLinearInGravityAndMasses) {
  for_pairs(40, [](const Pair& p) {
    const RandomState& x = p.x;
    Data data(p.scaled);
    const Vector tau = inverse_dynamics(p.scaled, data, x.q, x.v, x.a, {}, k_scale_alone);
    const Matrix Y = inverse_dynamics_parameter_derivatives(p.scaled, data, x.q, x.v, x.a,
                                                            Parameter::inertial_parameters, {}, k_scale_alone);
    Vector phi(Y.cols());
    inertial_parameters(p.scaled, phi);
    EXPECT_TRUE(within(Vector(Y * phi), tau, 20000 * k_eps, largest(tau) + 10));
    const Matrix d =
        inverse_dynamics_parameter_derivatives(p.scaled, data, x.q, x.v, x.a, Parameter::gravity, {}, k_scale_alone);
    data.set_gravity(Vec3<double>::zero());
    const Vector without = inverse_dynamics(p.scaled, data, x.q, x.v, x.a, {}, k_scale_alone);
    EXPECT_TRUE(within(Vector(d * eigen(p.scaled.gravity())), Vector(tau - without), 20000 * k_eps, largest(tau) + 10));
    // An inertia that is set weighs by its link's scale, and so does a load.
    Data other(p.scaled);
    RobotDescription robot = p.scaled.description();
    const std::size_t k = robot.links.size() - 1;
    const LinkId link = p.scaled.find_link(robot.links[k].name);
    robot.links[k].mass = 3;
    robot.links[k].centre = {0.1, 0.2, -0.3};
    robot.links[k].inertia = {0.2, 0.01, 0, 0.3, 0, 0.4};
    const Model changed = build(robot, p.scaled.options());
    Data third(changed);
    const Vector expected = inverse_dynamics(changed, third, x.q, x.v, x.a, {}, k_scale_alone);
    other.set_inertia(link, 3, robot.links[k].centre, robot.links[k].inertia);
    expect_same(Vector(inverse_dynamics(p.scaled, other, x.q, x.v, x.a, {}, k_scale_alone)), expected, k_sums, "set");
    other.set_inertia(link, 0, Vec3<double>::zero(), Sym3<double>::zero());
    other.set_payload(link, 3, robot.links[k].centre, robot.links[k].inertia);
    expect_same(Vector(inverse_dynamics(p.scaled, other, x.q, x.v, x.a, {}, k_scale_alone)), expected, k_sums, "load");
    other.clear_overrides();
    expect_same(Vector(inverse_dynamics(p.scaled, other, x.q, x.v, x.a, {}, k_scale_alone)), tau, k_sums, "cleared");
  });
}

TEST(GravityScale, StaysWhereLinksAreMerged) {
  for_pairs(30, [](const Pair& p) {
    const Model merged = merge_fixed(p.scaled);
    ASSERT_EQ(merged.nv(), p.scaled.nv());
    Data a(p.scaled), b(merged);
    expect_same(Vector(inverse_dynamics(p.scaled, a, p.x.q, p.x.v, p.x.a)),
                Vector(inverse_dynamics(merged, b, p.x.q, p.x.v, p.x.a)), k_sums, "merged");
  });
  RobotDescription robot = sample_arm7();
  const std::string link = robot.links[3].name;
  const Model m = with_parameters(build(robot), {{.link = link, .gravity_scale = 0.25}});
  EXPECT_EQ(m.link(link).gravity_scale, 0.25);
  robot.links[3].gravity_scale = std::nan("");
  EXPECT_THROW(build(robot), ModelError);
}

/// d/de of f(q (+) e d).
template <class F> auto difference(const Model& m, const Vector& q, const Vector& d, F&& f) {
  const double h = 1e-3;
  const auto at = [&](double e) { return f(Vector(integrate(m, q, Vector(d * e)))); };
  return decltype(at(h))((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h));
}

/// A chain of balls with springs, not near half turns.
struct Balls {
  RobotDescription robot;
  Model model;
  RandomState x;
  explicit Balls(std::uint64_t seed)
      : robot(described(seed)),
        model(build(robot, {.root = seed % 2 ? "floating" : "fixed"})),
        x(random_state(model, seed, 0.6)) {}
  static RobotDescription described(std::uint64_t seed) {
    RobotDescription r = sample_arm7();
    add_passive_forces(r, seed);
    for (const std::size_t k : {1, 4}) {
      JointDescription& j = r.joints[k];
      j.type = "spherical";
      j.lower = j.upper = j.spring_reference = {};
      j.stiffness = {7.5};
    }
    r.joints[4].stiffness = {3, 3, 3};
    r.joints[4].spring_reference = {0.2, -0.4, 0.1, 1.7};  // any length
    return r;
  }
};

TEST(BallSprings, TorqueIsMinusTheDerivativeOfTheEnergy) {
  const JointEffects springs{false, false, true, false, true};
  for (int seed = 0; seed < effort(20); ++seed) {
    const Balls b(static_cast<std::uint64_t>(seed));
    Data data(b.model);
    const Vector tau = static_torque(b.model, data, b.x.q, {}, springs);
    Vector slope(tau.size());
    for (Index k = 0; k < b.model.nv(); ++k)
      slope(k) = difference(b.model, b.x.q, Vector::Unit(b.model.nv(), k), [&](const Vector& q) {
        return Vector(Vector::Constant(1, potential_energy(b.model, data, q, springs)));
      })(0);
    EXPECT_TRUE(within(tau, slope, k_difference, largest(slope) + 10));
  }
}

TEST(BallSprings, PullBackAlongTheLogarithm) {
  RobotDescription robot;
  robot.links = {make_link("base", 0, {}, Sym3<double>::zero()), make_link("ball", 2, {}, {0.1, 0, 0, 0.2, 0, 0.3})};
  robot.joints = {make_joint("joint", "spherical", "base", "ball", {0, 0, 1})};
  robot.joints[0].stiffness = {5};
  const Model m = build(robot);
  Data data(m);
  const Eigen::Vector3d axis{0.48, 0.6, 0.64};
  for (const double angle : {0.0, 1e-9, 0.3, 2.0, 3.1, 3.2, 6.0}) {
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(angle, axis));
    const Vector q = turn.coeffs();
    const double short_way = angle > std::numbers::pi ? angle - 2 * std::numbers::pi : angle;
    const JointEffects springs{false, false, true, false};
    EXPECT_TRUE(within(Vector(static_torque(m, data, q, {}, springs)), Vector(5 * short_way * axis), 100 * k_eps, 20));
    EXPECT_NEAR(potential_energy(m, data, q, springs), 2.5 * short_way * short_way, 1e-13);
  }
  const Eigen::Quaterniond reference = Eigen::Quaterniond(1.7, 0.2, -0.4, 0.1).normalized();
  robot.joints[0].spring_reference = {0.2, -0.4, 0.1, 1.7};
  const Model turned = build(robot);
  Data other(turned);
  const Vector q = (reference * Eigen::Quaterniond(Eigen::AngleAxisd(1.3, axis))).coeffs();
  EXPECT_TRUE(within(Vector(static_torque(turned, other, q, {}, {false, false, true, false})), Vector(6.5 * axis),
                     100 * k_eps, 20));
  robot.joints[0].spring_reference = {};
  for (const std::vector<double>& uneven : {std::vector<double>{5, 5, 6}, {0, 5, 5}}) {
    robot.joints[0].stiffness = uneven;
    EXPECT_THROW(build(robot), ModelError);
  }
  robot.joints[0].stiffness = {5};
  robot.joints[0].spring_reference = {0, 0, 0, 0};
  EXPECT_THROW(build(robot), ModelError);
  robot.joints[0].type = "floating";
  EXPECT_THROW(build(robot), ModelError);
}

TEST(BallSprings, DerivativesAreDifferences) {
  for (int seed = 0; seed < effort(20); ++seed) {
    const Balls b(static_cast<std::uint64_t>(seed));
    const Model& m = b.model;
    const RandomState& x = b.x;
    const Index n = m.nv();
    Data data(m);
    SCOPED_TRACE(seed);
    const auto d = inverse_dynamics_derivatives(m, data, x.q, x.v, x.a);
    const auto f = forward_dynamics_derivatives(m, data, x.q, x.v, x.tau);
    const Vector fd = forward_dynamics(m, data, x.q, x.v, x.tau);
    Matrix by_q(n, n), forward(n, n);
    for (Index k = 0; k < n; ++k) {
      by_q.col(k) = difference(m, x.q, Vector::Unit(n, k),
                               [&](const Vector& q) { return Vector(inverse_dynamics(m, data, q, x.v, x.a)); });
      forward.col(k) = difference(m, x.q, Vector::Unit(n, k),
                                  [&](const Vector& q) { return Vector(forward_dynamics(m, data, q, x.v, x.tau)); });
    }
    EXPECT_TRUE(within(Matrix(d.q), by_q, k_difference, largest(by_q) + 10));
    EXPECT_TRUE(within(Matrix(f.q), forward, 100 * k_difference, largest(forward) + 10));
    Vector along(n), from[3] = {Vector(n), Vector(n), Vector(n)};
    inverse_dynamics_jvp(m, data, x.q, x.v, x.a, x.tau, x.a, x.v, along);
    expect_same(along, Vector(d.q * x.tau + d.v * x.a + d.a * x.v), k_sums * 10, "product from the right");
    inverse_dynamics_vjp(m, data, x.q, x.v, x.a, x.tau, from[0], from[1], from[2]);
    expect_same(from[0], Vector(d.q.transpose() * x.tau), k_sums * 10, "product from the left");
    TreeCholesky factor(m);
    forward_dynamics_vjp(m, data, factor, x.q, x.v, x.tau, x.a, from[0], from[1], from[2]);
    expect_same(from[0], Vector(f.q.transpose() * x.a), k_solved * (1 + largest(fd)), "forward from the left");
    const SecondDerivatives H = inverse_dynamics_second_derivatives(m, data, x.q, x.v, x.a);
    for (Index y = 0; y < n; ++y) {
      const Matrix moved = difference(m, x.q, Vector::Unit(n, y), [&](const Vector& q) {
        return Matrix(inverse_dynamics_derivatives(m, data, q, x.v, x.a).q);
      });
      Matrix got(n, n);
      for (Index t = 0; t < n; ++t)
        for (Index c = 0; c < n; ++c) got(t, c) = H.qq()(t, c, y);
      EXPECT_TRUE(within(got, moved, 10 * k_difference, largest(moved) + 10));
    }
    // by the stiffness of each coordinate's own joint
    const Matrix k = inverse_dynamics_parameter_derivatives(m, data, x.q, x.v, x.a, Parameter::stiffness);
    for (const std::size_t j : {1, 4}) {
      RobotDescription stiffer = b.robot;
      for (double& s : stiffer.joints[j].stiffness) s += 1;
      const Model other = build(stiffer, m.options());
      Data of(other);
      const Range v = m.joint(stiffer.joints[j].name).v;
      const Vector change = inverse_dynamics(other, of, x.q, x.v, x.a) - inverse_dynamics(m, data, x.q, x.v, x.a);
      const Vector one = k.diagonal().segment(v.first, 3);
      EXPECT_TRUE(within(one, Vector(change.segment(v.first, 3)), 1e4 * k_eps, largest(change) + 100));
    }
    ConstraintSet set(m);
    set.add(FrameConstraint{.name = "tip", .frame = m.links().back().name, .rows = rows("linear.x")});
    Solver solver(m, set);
    const Vector w = x.a, tau = x.tau;
    ASSERT_EQ(solver.solve({.q = x.q, .v = x.v, .tau = tau}).report.status, Status::ok);
    const Vector gradient = solver.vjp({.acceleration = w}).q;
    for (Index y = 0; y < n; ++y) {
      const Vector slope = difference(m, x.q, Vector::Unit(n, y), [&](const Vector& q) {
        return Vector(Vector::Constant(1, w.dot(solver.solve({.q = q, .v = x.v, .tau = tau}).acceleration)));
      });
      EXPECT_NEAR(gradient(y), slope(0), 100 * k_difference * (10 + largest(gradient)));
    }
  }
}

// Nothing takes energy: springs of balls and scales of gravity have a potential, and it is the one that is reported. No
// ball comes to a half turn in this time.
TEST(PassiveForces, KeepTheEnergyOfAMotion) {
  Balls b(2);
  for (JointDescription& j : b.robot.joints) j.damping = j.friction = {};
  const Model m = build(b.robot);
  const ConstraintSet none(m);
  Data data(m);
  const Vector v = Vector::Constant(m.nv(), 0.1);
  const double before = mechanical_energy(m, data, b.x.q, v);
  for (const Integrator i : {Integrator::dormand_prince, Integrator::variational}) {
    const Trajectory t = simulate(m, none, {.q = b.x.q, .v = v}, {.time = 0.5, .dt = 1e-3, .integrator = i});
    ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
    const Vector q1 = t.q().rightCols<1>(), v1 = t.v().rightCols<1>();
    const double moving = kinetic_energy(m, data, q1, v1);
    EXPECT_GT(moving, 0.1) << name_of(i);
    EXPECT_NEAR(mechanical_energy(m, data, q1, v1), before,
                (i == Integrator::variational ? 1e-3 : 1e-10) * (1 + moving))
        << name_of(i);
  }
}

}  // namespace
}  // namespace zwang::test
