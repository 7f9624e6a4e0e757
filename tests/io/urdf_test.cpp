// SPDX-License-Identifier: BSD-3-Clause
// What good URDF says: every element, by its number in the description.
#include <cmath>

#include "support.hpp"

namespace zwang::test {
namespace {

TEST(UrdfReader, RotatesInertiaIntoTheLinkAxes) {
  const RobotDescription r =
      parse_urdf(robot(link("a",
                            "<inertial><origin xyz='0.1 -0.2 0.3' rpy='0 0 1.5707963267948966'/><mass value='2.5'/>"
                            "<inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' izz='2.5'/></inertial>")));
  const LinkDescription& a = r.links[0];
  EXPECT_EQ(a.mass, 2.5);
  EXPECT_EQ(a.centre.y, -0.2);
  // A quarter turn about z: x' = -y, y' = x, so Ixx and Iyy change places, Ixz' = -Iyz, Iyz' = Ixz, Ixy' = -Ixy.
  EXPECT_NEAR(a.inertia.xx, 2, 1e-15);
  EXPECT_NEAR(a.inertia.yy, 1, 1e-15);
  EXPECT_NEAR(a.inertia.xy, -0.1, 1e-15);
  EXPECT_NEAR(a.inertia.xz, -0.3, 1e-15);
  EXPECT_NEAR(a.inertia.yz, 0.2, 1e-15);
}

TEST(UrdfReader, RollPitchYawTurnAboutFixedAxesInThatOrder) {
  const double r = 0.3, p = -0.7, y = 1.9;
  const RobotDescription d = parse_urdf(
      robot(link("a") + link("b") + joint("j", "a", "b", "<origin rpy='0.3 -0.7 1.9' xyz='1 2 3'/>", "fixed")));
  const Mat3<double> rx{{1, 0, 0}, {0, std::cos(r), -std::sin(r)}, {0, std::sin(r), std::cos(r)}};
  const Mat3<double> ry{{std::cos(p), 0, std::sin(p)}, {0, 1, 0}, {-std::sin(p), 0, std::cos(p)}};
  const Mat3<double> rz{{std::cos(y), -std::sin(y), 0}, {std::sin(y), std::cos(y), 0}, {0, 0, 1}};
  const Mat3<double> expected = rz * ry * rx, got = d.joints[0].origin.R;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(got(i, k), expected(i, k), 4e-16);
  EXPECT_EQ(d.joints[0].origin.p.z, 3.0);
}

TEST(UrdfReader, TakesQuaternionsWithinTolerance) {
  const auto with = [](const std::string& q) {
    return robot(link("a") + link("b") + joint("j", "a", "b", "<origin quat_xyzw='" + q + "'/>", "fixed"));
  };
  const RobotDescription d = parse_urdf(with("0 0 0.70710678 0.70710678"));
  EXPECT_NEAR(d.joints[0].origin.R(1, 0), 1, 1e-15) << "a quarter turn about z takes x to y";
  for (const char* bad : {"0 0 0 0", "0 0 1 1", "0 0 0 2"}) expect_refused(with(bad), "E_QUATERNION");
  expect_refused(with("0 0 1"), "E_VECTOR_SIZE");
  expect_refused(with("0 0 0 1' rpy='1 2 3"), "E_REPEATED");
}

/// Infinities and NaN of a safety controller are left out: they have no effect, and refuse nothing but in strict mode.
TEST(UrdfReader, LeavesOutSafetyNumbersThatAreNotFinite) {
  const auto with = [](const std::string& inside) {
    return robot(
        link("a") + link("b") +
        joint("j", "a", "b", "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='3' velocity='4'/>" + inside));
  };
  for (const char* odd : {"<safety_controller k_velocity='inf' k_position='7'/>", "<calibration rising='nan'/>",
                          "<safety_controller k_velocity='1' soft_upper_limit='-inf'/>",
                          "<safety_controller k_velocity='1' soft_lower_limit='nan'/>"}) {
    EXPECT_EQ(expect_warning(with(odd), "W_SAFETY").line, 4) << odd;
    const JointDescription j = parse_urdf(with(odd)).joints[0];
    for (const double x : {j.rising, j.soft_lower, j.soft_upper}) EXPECT_TRUE(std::isnan(x)) << odd;
    EXPECT_FALSE(std::isinf(j.k_velocity));
  }
  EXPECT_EQ(parse_urdf(with("<safety_controller k_velocity='inf' k_position='7'/>")).joints[0].k_position, 7);
  const std::string endless =
      with("<safety_controller k_velocity='1' soft_lower_limit='-inf' soft_upper_limit='inf'/>");
  for (const Mode mode : k_modes) EXPECT_EQ(find(findings(endless, mode), "W_SAFETY"), nullptr);
  EXPECT_TRUE(std::isnan(parse_urdf(endless).joints[0].soft_upper));
  expect_refused(with("<safety_controller k_velocity='fast'/>"), "E_NUMBER");
}

TEST(UrdfReader, ReadsEveryElementOfAJoint) {
  const RobotDescription r = parse_urdf(
      robot(link("a") + link("b") + link("c") + joint("lead", "a", "b") +
            joint("j", "b", "c",
                  "<axis xyz='0 1 0'/><limit lower='-1.5' upper='2.5' effort='30' velocity='4'/><dynamics "
                  "damping='0.7' friction='0.2'/>"
                  "<mimic joint='lead' multiplier='-2' offset='0.25'/><calibration rising='0.5' falling='-0.25'/>"
                  "<safety_controller soft_lower_limit='-1' soft_upper_limit='2' k_position='100' k_velocity='10'/>",
                  "prismatic")));
  const JointDescription& j = r.joints[1];
  EXPECT_EQ(j.type, "prismatic");
  EXPECT_EQ(j.parent + j.child, "bc");
  EXPECT_EQ(j.axis.y, 1.0);
  EXPECT_EQ(j.lower[0], -1.5);
  EXPECT_EQ(j.upper[0], 2.5);
  EXPECT_EQ(j.effort[0], 30.0);
  EXPECT_EQ(j.velocity[0], 4.0);
  EXPECT_EQ(j.damping[0], 0.7);
  EXPECT_EQ(j.friction[0], 0.2);
  EXPECT_EQ(j.mimic.leader, "lead");
  EXPECT_EQ(j.mimic.multiplier, -2.0);
  EXPECT_EQ(j.mimic.offset, 0.25);
  EXPECT_EQ(j.rising, 0.5);
  EXPECT_EQ(j.falling, -0.25);
  EXPECT_EQ(j.soft_lower, -1.0);
  EXPECT_EQ(j.soft_upper, 2.0);
  EXPECT_EQ(j.k_position, 100.0);
  EXPECT_EQ(j.k_velocity, 10.0);
  EXPECT_EQ(j.place.line, 6);
  EXPECT_EQ(j.place.column, 3);
  EXPECT_EQ(j.place.path, "robot/joint[j]");
}

TEST(UrdfReader, KeepsShapesAndMaterials) {
  const RobotDescription r = parse_urdf(
      robot("<material name='red'><color rgba='1 0 0 0.5'/></material>" +
            link("a",
                 "<visual name='v'><origin xyz='1 0 0'/><geometry><box size='1 2 3'/></geometry><material "
                 "name='red'/></visual>"
                 "<visual><geometry><cylinder radius='0.5' length='2'/></geometry><material name='later'/></visual>"
                 "<collision><geometry><capsule radius='0.25' length='4'/></geometry></collision>"
                 "<collision><geometry><sphere radius='0.75'/></geometry></collision>") +
            link("b",
                 "<visual><geometry><mesh filename='m.stl' scale='2 3 4'/></geometry><material name='later'><color "
                 "rgba='0 1 0 1'/></material></visual>")));
  const std::vector<Shape>& s = r.links[0].shapes;
  ASSERT_EQ(s.size(), 4u);
  EXPECT_EQ(s[0].name, "v");
  EXPECT_EQ(s[0].size[2], 3.0);
  EXPECT_EQ(s[0].origin.p.x, 1.0);
  EXPECT_EQ(s[0].colour[3], 0.5);
  EXPECT_EQ(s[1].size[1], 2.0);
  EXPECT_EQ(s[1].colour[1], 1.0) << "a colour that a later shape defines";
  EXPECT_TRUE(s[2].collision);
  EXPECT_EQ(static_cast<int>(s[2].kind), static_cast<int>(Shape::Kind::capsule));
  EXPECT_EQ(s[3].size[0], 0.75);
  EXPECT_EQ(r.links[1].shapes[0].size[1], 3.0);
  EXPECT_EQ(r.links[1].shapes[0].mesh, "m.stl");
  EXPECT_TRUE(
      has(expect_warning(
              robot("<material name='red'><color rgba='1 0 0 1'/></material>" +
                    link("a", "<visual><geometry><box size='1 2 3'/></geometry><material name='rde'/></visual>")),
              "W_MATERIAL")
              .hint,
          "'red'"));
}

TEST(UrdfReader, TransmissionsSayWhichJointsAreActuated) {
  using Actuated = JointDescription::Actuated;
  EXPECT_EQ(parse_urdf(arm()).joints[0].actuated, Actuated::by_default);
  const RobotDescription r = parse_urdf(
      arm("<transmission name='t'><type>transmission_interface/SimpleTransmission</type><joint name='elbow'/>"
          "<actuator name='m'><mechanicalReduction> 50 </mechanicalReduction><drake:rotor_inertia "
          "value='1e-4'/></actuator></transmission>"));
  EXPECT_EQ(r.joints[0].actuated, Actuated::no);
  EXPECT_EQ(r.joints[1].actuated, Actuated::yes);
  EXPECT_EQ(r.joints[1].gear_ratio, std::vector<double>{50});
  EXPECT_EQ(r.joints[1].rotor_inertia, std::vector<double>{1e-4});
  const Diagnostic d =
      expect_warning(arm("<transmission name='t'><joint name='elbo'/></transmission>"), "W_TRANSMISSION");
  EXPECT_TRUE(has(d.hint, "'elbow'")) << d.text();
  EXPECT_EQ(d.path, "robot/transmission[t]/joint[elbo]");
}

TEST(UrdfReader, AGearOfADifferentialIsNoRatio) {
  const RobotDescription r =
      parse_urdf(arm("<transmission name='t'><type>DifferentialTransmission</type><actuator "
                     "name='m1'><mechanicalReduction>3</mechanicalReduction></actuator>"
                     "<actuator name='m2'><mechanicalReduction>3</mechanicalReduction></actuator><joint "
                     "name='shoulder'/><joint name='elbow'/></transmission>"));
  EXPECT_TRUE(r.joints[0].gear_ratio.empty() && r.joints[1].gear_ratio.empty());
  EXPECT_EQ(r.joints[0].actuated, JointDescription::Actuated::yes);
}

TEST(UrdfReader, FindingsAreBoundedInNumberAndLength) {
  std::string many;
  for (int i = 0; i < 3000; ++i) many += joint("j" + std::to_string(i), "base", "nolink" + std::to_string(i));
  const Diagnostics found = findings(arm(many));
  EXPECT_LT(found.size(), 1100u);
  EXPECT_TRUE(find(found, "N_MORE"));
  const Diagnostic d = expect_refused(
      robot(link("a", "<inertial><mass value='" + std::string(100000, '7') + "'/></inertial>")), "E_NUMBER");
  EXPECT_LT(d.text().size(), 3000u);
}

}  // namespace
}  // namespace zwang::test
