// SPDX-License-Identifier: BSD-3-Clause
// Models with other numbers: what they do against what the numbers mean.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithm/cases.hpp"
#include "support/robots.hpp"
#include "support/says.hpp"
#include "zwang/algorithm/edit.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/io/model.hpp"
#include "zwang/io/urdf.hpp"

namespace zwang::test {
namespace {

Model arm_of(const char* file) { return load(models_folder() + "/" + file); }
Eigen::VectorXd filled(Index n, double first, double step) {
  return Eigen::VectorXd::NullaryExpr(n, [&](Index k) { return std::sin(first + step * static_cast<double>(k)); });
}

Eigen::VectorXd torques(const Model& m, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
  Data data(m);
  return inverse_dynamics(m, data, q, v, a);
}

/// A point mass at c of the link's centre is a tensor m (c.c 1 - c c^T):
/// the same robot as with a payload that is appended.
TEST(WithParameters, AHeavierLinkIsALinkWithAPayload) {
  for (const char* link : {"link3", "link7"}) {
    const Model arm = arm_of("arm7.urdf");
    const Link& old = arm.link(link);
    const double payload = 1.3, whole = old.mass + payload;
    const Vec3<double> at{0.1, -0.2, 0.3};
    RobotDescription load{.name = "load", .links = {{.name = "weight", .mass = payload, .centre = at}}};
    const Model carried = append(arm, build(load), link);
    const auto mixed = [&](double a, double b) { return (old.mass * a + payload * b) / whole; };
    const Vec3<double> centre{mixed(old.centre.x, at.x), mixed(old.centre.y, at.y), mixed(old.centre.z, at.z)};
    // Two points at a distance d turn about their common centre like the reduced mass at d.
    const double reduced = old.mass * payload / whole;
    const double dx = at.x - old.centre.x, dy = at.y - old.centre.y, dz = at.z - old.centre.z;
    Sym3<double> inertia = old.inertia;
    inertia.xx += reduced * (dy * dy + dz * dz);
    inertia.yy += reduced * (dx * dx + dz * dz);
    inertia.zz += reduced * (dx * dx + dy * dy);
    inertia.xy -= reduced * dx * dy;
    inertia.xz -= reduced * dx * dz;
    inertia.yz -= reduced * dy * dz;
    const Model heavier = with_parameters(arm, {{.link = link, .mass = whole, .centre = centre, .inertia = inertia}});
    EXPECT_EQ(heavier.coordinate_names(), arm.coordinate_names());
    EXPECT_NEAR(heavier.mass(), arm.mass() + payload, 1e-14 * arm.mass());
    const Eigen::VectorXd q = filled(arm.nq(), 0.3, 0.7), v = filled(arm.nv(), 1.1, 0.4),
                          a = filled(arm.nv(), 2.1, 0.9);
    const Eigen::VectorXd x = torques(heavier, q, v, a), y = torques(carried, q, v, a);
    EXPECT_LT((x - y).norm(), 1e-13 * y.norm()) << "sums of a hundred terms";
    EXPECT_EQ(arm.link(link).mass, old.mass) << "the model given stays";
  }
}

TEST(WithParameters, NumbersOfAJointDoWhatTheySay) {
  const Model arm = arm_of("arm7.urdf");
  const Eigen::VectorXd q = filled(7, 0.3, 0.7), v = filled(7, 1.1, 0.4), a = filled(7, 2.1, 0.9);
  const Eigen::VectorXd before = torques(arm, q, v, a);
  const Index k = arm.joint("joint3").v.first;
  const auto torque = [&](const JointParameters& p) -> double {
    const Eigen::VectorXd tau = torques(with_parameters(arm, {}, {p}), q, v, a) - before;
    for (Index i = 0; i < 7; ++i)
      if (i != k) { EXPECT_NEAR(tau[i], 0, 1e-13) << "of another joint"; }
    return tau[k];
  };
  const double damping = arm.damping()[static_cast<std::size_t>(k)],
               armature = arm.armature()[static_cast<std::size_t>(k)];
  EXPECT_NEAR(torque({.joint = "joint3", .damping = {{2.5}}}), (2.5 - damping) * v[k], 1e-13);
  EXPECT_NEAR(torque({.joint = "joint3", .armature = {{0.3}}}), (0.3 - armature) * a[k], 1e-13);
  EXPECT_NEAR(torque({.joint = "joint3", .rotor_inertia = {{0.02}}, .gear_ratio = {{5}}}), (0.5 - armature) * a[k],
              1e-13);
  EXPECT_NEAR(torque({.joint = "joint3", .stiffness = {{4}}, .spring_reference = {{0.1}}}), 4 * (q[k] - 0.1), 1e-13);
  const Model m =
      with_parameters(arm, {},
                      {{.joint = "joint3", .lower = {{-0.5}}, .upper = {{unlimited}}, .velocity = {{unknown}}},
                       {.joint = "joint5", .effort = {{7}}, .friction = {{0.2}}}});
  const Index q3 = arm.joint("joint3").q.first;
  EXPECT_EQ(m.lower()[static_cast<std::size_t>(q3)], -0.5);
  EXPECT_EQ(m.upper()[static_cast<std::size_t>(q3)], unlimited);
  EXPECT_TRUE(std::isnan(m.velocity_limit()[static_cast<std::size_t>(k)]));
  EXPECT_EQ(m.effort_limit()[static_cast<std::size_t>(k)], arm.effort_limit()[static_cast<std::size_t>(k)])
      << "not given";
  EXPECT_EQ(m.effort_limit()[static_cast<std::size_t>(arm.joint("joint5").v.first)], 7.0);
  EXPECT_EQ(m.friction()[static_cast<std::size_t>(arm.joint("joint5").v.first)], 0.2);
}

TEST(WithParameters, FramesLoopsAndOptionsStay) {
  LoadOptions options;
  options.loops = ClosedLoops::constraints;
  options.gravity = {1, 2, 3};
  const Model linkage =
      load(models_folder() + "/four_bar.urdf", options).with_frame("mark", "rod", Transform<double>::identity());
  EXPECT_TRUE(same_robot(with_parameters(linkage, {}), linkage));
  const Model m = with_parameters(linkage, {{.link = "rod", .mass = 9}});
  EXPECT_EQ(m.loops().size(), linkage.loops().size());
  EXPECT_EQ(m.frame_names(), linkage.frame_names());
  EXPECT_EQ(m.gravity().y, 2);
  EXPECT_TRUE(same_robot(with_parameters(m, {{.link = "rod", .mass = linkage.link("rod").mass}}), linkage));
}

TEST(WithParameters, WhatNoRobotHasIsRefused) {
  const Model arm = arm_of("arm7.urdf");
  EXPECT_SAYS("link7", (with_parameters(arm, {{.link = "link77", .mass = 1}})));
  EXPECT_SAYS("joint3", (with_parameters(arm, {}, {{.joint = "joint33"}})));
  EXPECT_SAYS("E_INERTIA", (with_parameters(arm, {{.link = "link7", .mass = -1}})));
  EXPECT_SAYS("E_", (with_parameters(arm, {{.link = "link7", .mass = unknown}})));
  EXPECT_SAYS("E_INERTIA", (with_parameters(arm, {{.link = "link7", .inertia = Sym3<double>{1, 0, 0, -1, 0, 1}}})));
  EXPECT_SAYS("E_LIMIT", (with_parameters(arm, {}, {{.joint = "joint3", .lower = {{2}}, .upper = {{1}}}})));
  EXPECT_SAYS("E_LIMIT", (with_parameters(arm, {}, {{.joint = "joint3", .effort = {{-2}}}})));
  EXPECT_SAYS("E_PARAMETERS", (with_parameters(arm, {}, {{.joint = "joint3", .damping = {{1, 2}}}})));
  EXPECT_SAYS("E_NUMBER", (with_parameters(arm, {}, {{.joint = "joint3", .damping = {{unknown}}}})));
  EXPECT_SAYS("armature alone",
              (with_parameters(arm, {}, {{.joint = "joint3", .gear_ratio = {{2}}, .armature = {{1}}}})));
  const Model dog = load(models_folder() + "/quadruped.urdf", [] {
    LoadOptions o;
    o.root = "floating";
    return o;
  }());
  EXPECT_SAYS("the joint between the world and the root link",
              (with_parameters(dog, {}, {{.joint = "root_joint", .damping = {{1}}}})));
  for (const Joint& j : dog.joints())
    if (j.type == "fixed")
      EXPECT_SAYS("a fixed joint", (with_parameters(dog, {}, {{.joint = j.name, .damping = {{1}}}})));
  const Model turning = loads(
      "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
      "ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' type='continuous'><parent link='a'/><child "
      "link='b'/><axis xyz='0 0 1'/></joint></robot>");
  EXPECT_SAYS("continuous", (with_parameters(turning, {}, {{.joint = "j", .upper = {{1}}}})));
  EXPECT_EQ(with_parameters(turning, {}, {{.joint = "j", .upper = {{unlimited}}, .effort = {{3}}}}).effort_limit()[0],
            3.0);
}

/// Every joint type, mimics, lumped and not: an edit is the model of the edited description, bit by bit, and back.
TEST(WithOne, AnEditIsTheModelOfTheEditedDescription) {
  for (int seed = 0; seed < effort(60); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed), 1 + seed % 9);
    const Model& m = c.model;
    const RandomState x = random_state(m, static_cast<std::uint64_t>(seed) + 11);
    Random random(static_cast<std::uint64_t>(seed));
    const auto same = [&](const Model& edited, const RobotDescription& robot) {
      const Model fresh = build(robot, m.options());
      EXPECT_TRUE(same_robot(edited, fresh)) << c.name;
      EXPECT_EQ(edited.frame_names(), m.frame_names());
      EXPECT_EQ(edited.coordinate_names(), m.coordinate_names());
      EXPECT_EQ(edited.actuated(), m.actuated());
      EXPECT_EQ(torques(edited, x.q, x.v, x.a), torques(fresh, x.q, x.v, x.a)) << "the same bits";
    };
    const std::size_t l = static_cast<std::size_t>(random.below(static_cast<int>(m.description().links.size())));
    RobotDescription robot = m.description();
    LinkDescription& link = robot.links[l];
    const LinkDescription old = link;
    link.mass = 2 + random.uniform(0, 1);
    link.centre = random.direction();
    link.inertia = random.inertia(link.mass, 0.3);
    const Model heavy =
        with_link(m, {.link = link.name, .mass = link.mass, .centre = link.centre, .inertia = link.inertia});
    same(heavy, robot);
    const LinkParameters before{.link = old.name, .mass = old.mass, .centre = old.centre, .inertia = old.inertia};
    EXPECT_TRUE(same_robot(with_link(heavy, before), m));
    for (std::size_t k = 0; k < m.description().joints.size(); ++k) {
      robot = m.description();
      JointDescription& j = robot.joints[k];
      const JointDescription was = j;
      JointParameters p{.joint = j.name};
      p.origin = j.origin = random.pose(0.3);
      JointParameters back{.joint = j.name, .origin = was.origin};
      if (j.type != "fixed") {
        p.damping = j.damping = {random.uniform(0, 2)};
        p.friction = j.friction = {random.uniform(0, 2)};
        p.velocity = j.velocity = {random.uniform(1, 2)};
        p.effort = j.effort = {random.uniform(1, 2)};
        p.armature = j.rotor_inertia = {random.uniform(0, 2)};
        j.gear_ratio = {1};
        back = {.joint = j.name,
                .velocity = was.velocity,
                .effort = was.effort,
                .damping = was.damping,
                .friction = was.friction,
                .rotor_inertia = was.rotor_inertia,
                .gear_ratio = was.gear_ratio,
                .origin = was.origin};
      }
      const Model other = with_joint(m, p);
      same(other, robot);
      EXPECT_TRUE(same_robot(with_joint(other, back), m));
    }
  }
}

/// Pose of the joint frame in the parent link = origin X_J(q): another origin takes the place of the old one.
TEST(WithOne, AJointPlacedElsewhereTakesAlongWhatItCarries) {
  for (int seed = 0; seed < effort(60); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed) + 100, 1 + seed % 7);
    const Model& m = c.model;
    const RandomState x = random_state(m, static_cast<std::uint64_t>(seed));
    Random random(static_cast<std::uint64_t>(seed));
    for (const JointDescription& j : m.description().joints) {
      const Transform<double> origin = random.pose(0.5);
      const Model other = with_joint(m, {.joint = j.name, .origin = origin});
      Data a(m), b(other);
      const auto in_parent = [&](const Model& model, Data& data) {
        return inverse(frame_pose(model, data, x.q, "link:" + j.parent)) *
               frame_pose(model, data, x.q, "joint:" + j.name);
      };
      EXPECT_TRUE(within(eigen(in_parent(other, b)), eigen(origin * inverse(j.origin) * in_parent(m, a)), 1e4, 3.0))
          << j.name << " of " << c.name << ": products of tens of poses";
    }
  }
}

/// U = -sum m g . c over the links that move.
TEST(WithOne, GravityIsTheOneGiven) {
  for (int seed = 0; seed < effort(20); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed) + 200, 1 + seed % 7);
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    const Vec3<double> g{0.3, -2.0, 5.0};
    const Model m = with_gravity(c.model, g);
    Data data(m);
    JointEffects plain;
    plain.springs = plain.gravity_scale = false;
    double expected = 0, size = 1;
    for (const Link& l : m.links()) {
      if (!(l.body.value > 0)) continue;
      const Transform<double> at = frame_pose(m, data, x.q, l.frame);
      const double energy = -l.mass * dot(g, at.R * l.centre + at.p);
      expected += energy, size += std::fabs(energy);
    }
    EXPECT_NEAR(potential_energy(m, data, x.q, plain), expected, 1e-13 * size) << "sums over the bodies";
    EXPECT_TRUE(same_robot(with_gravity(m, c.model.gravity()), c.model)) << "and back";
  }
  EXPECT_SAYS("three finite numbers", with_gravity(arm_of("arm7.urdf"), {0, unknown, 0}));
}

TEST(WithOne, WhatNoRobotHasIsRefused) {
  const Model arm = arm_of("arm7.urdf");
  EXPECT_SAYS("link7", with_link(arm, {.link = "link77", .mass = 1}));
  EXPECT_SAYS("joint3", with_joint(arm, {.joint = "joint33"}));
  EXPECT_SAYS("E_INERTIA", with_link(arm, {.link = "link7", .inertia = Sym3<double>{1, 2, 0, 1, 0, 1}}));
  EXPECT_SAYS("E_LIMIT", with_joint(arm, {.joint = "joint3", .lower = {{2}}, .upper = {{1}}}));
  EXPECT_SAYS("E_PARAMETERS", with_joint(arm, {.joint = "joint3", .effort = {{1, 2}}}));
  Transform<double> bad = Transform<double>::identity();
  bad.p.y = unknown;
  EXPECT_SAYS("E_NUMBER", with_joint(arm, {.joint = "joint3", .origin = bad}));
  bad = Transform<double>::identity();
  bad.R.r0.x = 2;
  EXPECT_SAYS("E_ROTATION", with_joint(arm, {.joint = "joint3", .origin = bad}));
}

}  // namespace
}  // namespace zwang::test
