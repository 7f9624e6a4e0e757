// SPDX-License-Identifier: BSD-3-Clause
// Centres of pressure: of forces on points of a plane they are the mean of the points by force, wherever the plane is;
// the zero-moment point is that of the rates of momentum, by another way than the library's.
#include "zwang/algorithm/zero_moment_point.hpp"

#include <gtest/gtest.h>

#include "algorithm/held.hpp"
#include "support/robots.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::test {
namespace {

Vec3<double> drawn(Random& random) { return {random.normal(), random.normal(), random.normal()}; }

TEST(CentreOfPressure, IsTheMeanOfPointsOfThePlaneByForce) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const Vec3<double> normal = drawn(random), on = drawn(random) * 3, about = drawn(random) * 3;
    const Vec3<double> e = normal * (1 / norm(normal));
    Force<double> wrench = Force<double>::zero();
    Vec3<double> mean{0, 0, 0};
    double pressed = 0, turning = 0;
    std::vector<std::pair<Vec3<double>, Vec3<double>>> contacts;
    for (int k = 0; k < 5; ++k) {
      const Vec3<double> any = drawn(random), r = on + any - e * dot(e, any);
      const Vec3<double> f = drawn(random) + e * random.uniform(4, 9);
      wrench += Force<double>{f, cross(r - about, f)};
      mean += r * dot(e, f), pressed += dot(e, f);
      contacts.emplace_back(r, f);
    }
    mean = mean * (1 / pressed);
    for (const auto& [r, f] : contacts) turning += dot(e, cross(r - mean, f));
    const CentreOfPressure c = centre_of_pressure(wrench, about, normal, on);
    ASSERT_EQ(c.pressure, Pressure::pressing);
    EXPECT_NEAR(c.normal_force, pressed, 64 * k_eps * pressed);
    EXPECT_NEAR(c.normal_moment, turning, 1e-12);  // moments of 100, their sum known to 1e-14
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(c.point[k], mean[k], 1e-13);
    const CentreOfPressure pulled = centre_of_pressure(wrench * -1.0, about, normal, on);
    EXPECT_EQ(pulled.pressure, Pressure::pulling);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(pulled.point[k], mean[k], 1e-13);
  }
}

TEST(CentreOfPressure, SaysWhereThereIsNone) {
  const CentreOfPressure c = centre_of_pressure({{3, 4, 0}, {1, 2, 3}});
  EXPECT_EQ(c.pressure, Pressure::none);
  EXPECT_EQ(c.normal_force, 0);
  EXPECT_TRUE(std::isnan(c.point.x) && std::isnan(c.normal_moment));
  EXPECT_EQ(centre_of_pressure({{0, 0, 1e-10}, {1, 0, 0}}).pressure, Pressure::pressing);
  EXPECT_EQ(centre_of_pressure({{0, 0, 1e-10}, {1, 0, 0}}, {0, 0, 0}, {0, 0, 1}, {0, 0, 0}, 1e5).pressure,
            Pressure::none);
  EXPECT_THROW(centre_of_pressure({{0, 0, 1}, {0, 0, 0}}, {0, 0, 0}, {0, 0, 0}), std::invalid_argument);
  EXPECT_THROW(centre_of_pressure({{0, 0, std::nan("")}, {0, 0, 0}}), std::invalid_argument);
  EXPECT_THROW(centre_of_pressure({{0, 0, 1e-300}, {1e300, 0, 0}}), ArithmeticOverflowError);
}

// The other way: rates of the momentum about the centre of mass, and the mass times its acceleration.
TEST(ZeroMomentPoint, IsThatOfTheRateOfMomentum) {
  int compared = 0;
  for_cases(60, [&](Held& h) {
    for (const Link& link : h.m.links())  // a part that rests on the ground has a weight, and no momentum
      if (link.gravity_scale != 1 || link.body.value == 0) return;
    Random random(9);
    const Vec3<double> normal{random.normal(), random.normal(), 3}, on = drawn(random);
    const CentreOfPressure z = zero_moment_point(h.m, h.data, h.x.q, h.x.v, h.x.a, normal, on);
    const Force<double> rate = centroidal_momentum_rate(h.m, h.data, h.x.q, h.x.v, h.x.a);
    const Vec3<double> com = centre_of_mass(h.m, h.data, h.x.q);
    const Vec3<double> f = rate.f - h.m.gravity() * h.m.mass();
    const Vec3<double> moment = rate.n + cross(com - on, f), e = normal * (1 / norm(normal));
    if (z.pressure == Pressure::none) return;
    const Vec3<double> expected = on + cross(e, moment) * (1 / dot(e, f));
    const double scale = norm(expected) + norm(f) / std::fabs(dot(e, f)) * (1 + norm(com));
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(z.point[k], expected[k], k_sweep * 10 * scale * (1 + norm(f)));
    EXPECT_NEAR(dot(e, z.point - on), 0, 64 * k_eps * scale);
    ++compared;
  });
  EXPECT_GT(compared, 10);
}

// A robot at rest: the point is below its centre of mass; in free fall there is none; a known load moves it.
TEST(ZeroMomentPoint, AtRestIsBelowTheCentreOfMass) {
  BuildOptions options;
  options.root = "floating";
  const Model dog = build(sample_quadruped(), options);
  Data data(dog);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(dog.nq()), zero = Eigen::VectorXd::Zero(dog.nv());
  neutral(dog, q);
  q(0) = 4, q(1) = -2, q(2) = 0.5;
  const CentreOfPressure z = zero_moment_point(dog, data, q, zero, zero, {0, 0, 2}, {0, 0, -1});
  const Vec3<double> com = centre_of_mass(dog, data, q);
  EXPECT_NEAR(z.point.x, com.x, 1e-12);
  EXPECT_NEAR(z.point.y, com.y, 1e-12);
  EXPECT_NEAR(z.point.z, -1, 1e-14);
  EXPECT_NEAR(z.normal_force, dog.mass() * 9.81, 1e-10);
  const FrameId trunk = dog.links().front().frame;
  const ExternalWrench lift{trunk, {0, 0, 5, 0, 0, 0}, Reference::local_world_aligned};
  const CentreOfPressure lifted = zero_moment_point(dog, data, q, zero, zero, {0, 0, 1}, {0, 0, 0}, {lift});
  EXPECT_NEAR(lifted.normal_force, dog.mass() * 9.81 - 5, 1e-10);
  EXPECT_NEAR(lifted.point.x * lifted.normal_force + 4 * 5, com.x * dog.mass() * 9.81, 1e-9);
  Eigen::VectorXd falling = zero;
  falling(2) = -9.81;
  EXPECT_EQ(zero_moment_point(dog, data, q, zero, falling).pressure, Pressure::none);
}

/// Two robots in one model, at rest: the point is that of both.
TEST(ZeroMomentPoint, OfSeveralRootLinksIsThatOfAllOfThem) {
  BuildOptions options;
  options.root = "floating";
  const Model m = build({.name = "two",
                         .links = {{.name = "a", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}},
                                   {.name = "b", .mass = 3, .inertia = {1, 0, 0, 1, 0, 1}}}},
                        options);
  Data data(m);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(m.nq()), zero = Eigen::VectorXd::Zero(m.nv());
  neutral(m, q);
  q(m.joints()[0].q.first) = 4, q(m.joints()[1].q.first + 1) = 8;
  const CentreOfPressure z = zero_moment_point(m, data, q, zero, zero);
  EXPECT_NEAR(z.normal_force, 4 * 9.81, 1e-13);
  EXPECT_NEAR(z.point.x, 1, 1e-14);
  EXPECT_NEAR(z.point.y, 6, 1e-14);
}

/// In flight the motors move the legs against each other, and the ground gives nothing.
TEST(ZeroMomentPoint, InFlightThereIsNoneWhateverTheMotorsDo) {
  BuildOptions options;
  options.root = "floating";
  const Model dog = build(sample_quadruped(), options);
  Data data(dog);
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    const RandomState x = random_state(dog, static_cast<std::uint64_t>(round));
    const double size = std::pow(10, random.uniform(3, 5));
    Eigen::VectorXd tau = Eigen::VectorXd::Zero(dog.nv());
    for (Index k = 6; k < dog.nv(); ++k) tau(k) = random.uniform(-size, size);
    const Eigen::VectorXd v = round % 2 == 0 ? Eigen::VectorXd(x.v) : Eigen::VectorXd::Zero(dog.nv());
    const Eigen::VectorXd a = forward_dynamics(dog, data, x.q, v, tau);
    const CentreOfPressure z = zero_moment_point(dog, data, x.q, v, a);
    EXPECT_EQ(z.pressure, Pressure::none) << round << ": " << z.normal_force << " N of torques of " << size << " N m";
    Eigen::VectorXd pushed = a;
    pushed(2) += 1e-3;  // what remains is far above rounding
    EXPECT_NE(zero_moment_point(dog, data, x.q, v, pushed).pressure, Pressure::none);
  }
}

/// Without gravity, inertial forces that cancel but for the rounding of 3 * 0.1.
TEST(ZeroMomentPoint, OfInertialForcesThatCancelThereIsNone) {
  BuildOptions options;
  options.gravity = {0, 0, 0};
  const Sym3<double> any{1, 0, 0, 1, 0, 1};
  const Model m =
      build({.name = "sliders",
             .links = {{.name = "base"},
                       {.name = "a", .mass = 3, .inertia = any},
                       {.name = "b", .mass = 0.3, .inertia = any}},
             .joints = {{.name = "up", .type = "prismatic", .parent = "base", .child = "a", .axis = {0, 0, 1}},
                        {.name = "down", .type = "prismatic", .parent = "base", .child = "b", .axis = {0, 0, 1}}}},
            options);
  Data data(m);
  const Eigen::Vector2d zero(0, 0), a(0.1, -1);
  const CentreOfPressure z = zero_moment_point(m, data, zero, zero, a);
  EXPECT_NE(z.normal_force, 0) << "3 * 0.1 is not 0.3";
  EXPECT_EQ(z.pressure, Pressure::none);
  EXPECT_EQ(zero_moment_point(m, data, zero, zero, Eigen::Vector2d(0.1, -0.99)).pressure, Pressure::pressing);
}

}  // namespace
}  // namespace zwang::test
