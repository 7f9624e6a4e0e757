// SPDX-License-Identifier: BSD-3-Clause
// What a call may change: effects of joints, overrides of inertias and gravity, wrenches from outside.
#include <gtest/gtest.h>

#include "algorithm/cases.hpp"
#include "zwang/algorithm/real_time.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::test {
namespace {

// Sums of some 40 terms per body, of up to 20 bodies; forward dynamics: times the condition, below 1e5 here.
constexpr double k_tolerance = 2000 * k_eps, k_conditioned = 1e5 * k_tolerance;

Eigen::VectorXd forward(const Model& m, Data& d, const RandomState& x) {
  return forward_dynamics(m, d, x.q, x.v, x.tau);
}
Eigen::VectorXd inverse(const Model& m, Data& d, const RandomState& x) { return inverse_dynamics(m, d, x.q, x.v, x.a); }

TEST(JointEffects, CountOneByOneAsTheirFormulasSay) {
  RobotDescription r{"slider",
                     {make_link("rail", 0, {0, 0, 0}, Sym3<double>::zero()),
                      make_link("cart", 2, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1))},
                     {make_joint("x", "prismatic", "rail", "cart", {1, 0, 0})}};
  JointDescription& j = r.joints[0];
  j.rotor_inertia = {0.01};
  j.gear_ratio = {7};
  j.damping = {0.6};
  j.friction = {0.3};
  j.stiffness = {11};
  j.spring_reference = {0.25};
  const Model m = build(r);
  Data d(m);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 0.7), v = Eigen::VectorXd::Constant(1, -1.3),
                        a = Eigen::VectorXd::Constant(1, 2.1);
  for (int mask = 0; mask < 16; ++mask) {
    const JointEffects e{(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0, (mask & 8) != 0};
    const double mass = 2 + (e.armature ? 0.49 : 0),
                 own = (e.damping ? -0.6 * 1.3 : 0) + (e.springs ? 11 * 0.45 : 0) - (e.friction ? 0.3 : 0);
    const double tau = mass * 2.1 + own;
    EXPECT_NEAR(inverse_dynamics(m, d, q, v, a, {}, e)[0], tau, 32 * k_eps * 20);
    EXPECT_NEAR(forward_dynamics(m, d, q, v, Eigen::VectorXd::Constant(1, tau), {}, e)[0], 2.1, 32 * k_eps * 20);
    EXPECT_NEAR(bias_forces(m, d, q, v, {}, e)[0], own, 32 * k_eps * 20);
    EXPECT_NEAR(kinetic_energy(m, d, q, v, e), mass * 1.69 / 2, 32 * k_eps * 20);
    EXPECT_NEAR(potential_energy(m, d, q, e), e.springs ? 5.5 * 0.45 * 0.45 : 0, 32 * k_eps * 20);
    Eigen::MatrixXd M(1, 1);
    mass_matrix(m, d, q, M, e);
    EXPECT_NEAR(M(0, 0), mass, 32 * k_eps * 20);
    Eigen::VectorXd out(1);
    EXPECT_EQ(try_inverse_dynamics(m, d, q, v, a, out, {}, e), Status::ok);
    EXPECT_NEAR(out[0], tau, 32 * k_eps * 20);
    EXPECT_EQ(try_forward_dynamics(m, d, q, v, Eigen::VectorXd::Constant(1, tau), out, {}, e), Status::ok);
    EXPECT_NEAR(out[0], 2.1, 32 * k_eps * 20);
  }
}

/// The link that some frames of the tree hang behind, and that moves.
std::string moving_link(const Case& c, Random& random) {
  for (;;) {
    const Link& l = c.model.links()[static_cast<std::size_t>(random.below(static_cast<int>(c.model.links().size())))];
    if (l.body.value > 0 && l.mass > 0) return l.name;
  }
}
LinkId id_of(const Model& m, const std::string& link) { return m.find_link(link); }

TEST(Overrides, OfAnInertiaAndOfGravityEqualARebuiltModel) {
  for (int seed = 0; seed < effort(100); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed), 10);
    Random random(static_cast<std::uint64_t>(seed) + 3);
    const std::string link = moving_link(c, random);
    SCOPED_TRACE(c.name + " " + link);
    const double mass = random.uniform(1, 5);
    const Eigen::VectorXd at = random.vector(3, 0.3);
    const Vec3<double> centre{at(0), at(1), at(2)}, gravity{1, -2, -6};
    const Sym3<double> inertia = random.inertia(mass, 0.3);

    RobotDescription other = c.model.description();
    for (LinkDescription& l : other.links)
      if (l.name == link) l = make_link(link, mass, centre, inertia);
    BuildOptions options = c.options;
    options.gravity = gravity;
    const Model rebuilt = build(other, options);
    Data fresh(rebuilt), data(c.model);
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    const Eigen::VectorXd before = inverse(c.model, data, x), motion = forward(c.model, data, x);

    data.set_inertia(id_of(c.model, link), mass, centre, inertia);
    data.set_gravity(gravity);
    const Eigen::VectorXd tau = inverse(rebuilt, fresh, x), a = forward(rebuilt, fresh, x);
    EXPECT_TRUE(within(inverse(c.model, data, x), tau, k_tolerance, 100 + largest(tau)));
    EXPECT_TRUE(within(forward(c.model, data, x), a, k_conditioned, 100 + largest(a)));
    EXPECT_TRUE(within(mass_matrix(c.model, data, x.q), mass_matrix(rebuilt, fresh, x.q), k_tolerance, 100));
    EXPECT_TRUE(within(potential_energy(c.model, data, x.q), potential_energy(rebuilt, fresh, x.q), k_tolerance, 1000));
    EXPECT_TRUE(
        within(eigen(centre_of_mass(c.model, data, x.q)), eigen(centre_of_mass(rebuilt, fresh, x.q)), k_tolerance, 5));
    EXPECT_GT(largest(tau - before), 1e-6);  // the override does something

    data.clear_overrides();
    EXPECT_EQ(inverse(c.model, data, x), before);
    EXPECT_EQ(forward(c.model, data, x), motion);
    if (testing::Test::HasFailure()) break;
  }
}

TEST(Overrides, OfAPayloadAddToTheLinkAndLeaveAgain) {
  for (int seed = 0; seed < effort(50); ++seed) {
    Case c = random_case(static_cast<std::uint64_t>(seed), 9);
    Random random(static_cast<std::uint64_t>(seed) + 5);
    const std::string link = moving_link(c, random);
    SCOPED_TRACE(c.name + " " + link);
    const double mass = random.uniform(1, 5);
    const Eigen::VectorXd at = random.vector(3, 0.3);
    const Sym3<double> inertia = random.inertia(mass, 0.3);
    RobotDescription other = c.model.description();  // the load as a link of its own on a fixed joint
    other.links.push_back(make_link("load", mass, {at(0), at(1), at(2)}, inertia));
    other.joints.push_back(make_joint("strap", "fixed", link, "load", {0, 0, 1}));
    BuildOptions options = c.options;
    options.lump = true;
    const Model with_load = build(other, options);
    Data fresh(with_load), data(c.model);
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    const Eigen::VectorXd before = inverse(c.model, data, x);
    data.set_payload(id_of(c.model, link), 2 * mass, {1, 2, 3}, inertia);  // replaced by the next one
    data.set_payload(id_of(c.model, link), mass, {at(0), at(1), at(2)}, inertia);
    const Eigen::VectorXd tau = inverse(with_load, fresh, x);
    EXPECT_TRUE(within(inverse(c.model, data, x), tau, k_tolerance, 100 + largest(tau)));
    EXPECT_GT(largest(tau - before), 1e-6);
    data.set_payload(id_of(c.model, link), 0, {0, 0, 0}, Sym3<double>::zero());
    EXPECT_TRUE(within(inverse(c.model, data, x), before, k_tolerance, 100 + largest(before)));
    if (testing::Test::HasFailure()) break;
  }
}

TEST(ExternalWrenches, AddUpAndEqualTheJacobianTransposed) {
  for (int seed = 0; seed < effort(100); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed), 12);
    SCOPED_TRACE(c.name);
    const Model& m = c.model;
    Random random(static_cast<std::uint64_t>(seed));
    const Wrenches w = random_wrenches(c, random);
    const RandomState x = random_state(m, static_cast<std::uint64_t>(seed));
    Data data(m);
    Eigen::VectorXd pushed = inverse(m, data, x);
    double scale = 10 + largest(pushed);
    for (const ExternalWrench& e : w.external) {
      Eigen::MatrixXd J(6, m.nv());
      forward_kinematics(m, data, x.q);
      jacobian(m, data, e.frame, e.in, J);
      const Eigen::VectorXd f = J.transpose() * Eigen::Map<const Eigen::Matrix<double, 6, 1>>(e.wrench);
      pushed -= f;
      scale += largest(J) * 30;
    }
    EXPECT_TRUE(within(inverse_dynamics(m, data, x.q, x.v, x.a, w.external), pushed, k_tolerance, scale));
    // A call without wrenches forgets those of the call before.
    EXPECT_EQ(Eigen::VectorXd(inverse(m, data, x)), [&] {
      Data fresh(m);
      return Eigen::VectorXd(inverse(m, fresh, x));
    }());
    if (testing::Test::HasFailure()) break;
  }
}

TEST(ExternalWrenches, OnTheGroundDoNothingAndBadOnesAreRefused) {
  const Case c = random_case(8, 6);  // fixed root
  Data data(c.model);
  const RandomState x = random_state(c.model, 1);
  const Eigen::VectorXd tau = inverse(c.model, data, x);
  for (const Reference in : k_references) {
    const Externals push{external_wrench(c.model, "link0", {1, 2, 3, 4, 5, 6}, in)};
    EXPECT_EQ(Eigen::VectorXd(inverse_dynamics(c.model, data, x.q, x.v, x.a, push)), tau);
  }
  EXPECT_THROW(external_wrench(c.model, "linkO", {1, 2, 3, 4, 5, 6}), std::invalid_argument);
  Externals bad{external_wrench(c.model, "tip", {1, 2, 3, 4, 5, 6})};
  bad[0].wrench[4] = unknown;
  EXPECT_THROW(inverse_dynamics(c.model, data, x.q, x.v, x.a, bad), std::invalid_argument);
  bad[0] = {FrameId(1000), {1, 2, 3, 4, 5, 6}};
  EXPECT_THROW(forward_dynamics(c.model, data, x.q, x.v, x.tau, bad), std::invalid_argument);
  EXPECT_EQ(Eigen::VectorXd(inverse(c.model, data, x)), tau);
}

}  // namespace
}  // namespace zwang::test
