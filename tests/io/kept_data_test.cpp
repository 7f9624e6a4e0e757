// SPDX-License-Identifier: BSD-3-Clause
// What readers keep as data: planes and ellipsoids, contact, motors, pairs of links that never touch.
#include <cmath>
#include <numbers>

#include "files_in_a_folder.hpp"
#include "support.hpp"
#include "zwang/io/json.hpp"
#include "zwang/io/model.hpp"
#include "zwang/io/robot.hpp"

namespace zwang::test {
namespace {

RobotDescription mjcf(const std::string& inside, Diagnostics* found = nullptr, const LoadOptions& options = {}) {
  return loads_robot("<mujoco>" + inside + "</mujoco>", options, found).model.description();
}
RobotDescription sdf(const std::string& link, Diagnostics* found = nullptr) {
  return loads_robot("<sdf version='1.9'><model name='m'>" + link + "</model></sdf>", {}, found).model.description();
}
std::string collision(const std::string& name, const std::string& inside) {
  return "<collision name='" + name + "'><geometry><sphere><radius>1</radius></sphere></geometry>" + inside +
         "</collision>";
}
const MotorDescription& motor(const RobotDescription& r, const std::string& name) {
  for (const MotorDescription& m : r.motors)
    if (m.name == name) return m;
  throw std::out_of_range(name);
}
std::string text_of(const MotorDescription& m, const std::string& name) {
  for (const NamedText& a : m.attributes)
    if (a.name == name) return a.text;
  return "absent";
}
std::string names_of(const MotorDescription& m) {
  std::string out;
  for (const NamedText& a : m.attributes) out += a.name + ' ';
  return out;
}

TEST(KeptData, MjcfShapesOfAllSizes) {
  Diagnostics found;
  const RobotDescription r = mjcf(
      "<worldbody><geom type='plane' size='-1 3 .1'/><body><geom type='ellipsoid' size='.1 .2 .3'/>"
      "<geom type='ellipsoid' size='.1 9 9' fromto='0 0 0 0 0 1'/><geom type='box' size='.1 .2 .3'/>"
      "<geom type='capsule' size='.1 .2'/></body></worldbody>",
      &found);
  EXPECT_EQ(find(found, "N_MJCF_SHAPE"), nullptr) << all(found);
  const Shape& plane = r.links[0].shapes.at(0);
  EXPECT_EQ(plane.kind, Shape::Kind::plane);
  EXPECT_EQ(plane.size[0], 0);  // without end
  EXPECT_EQ(plane.size[1], 6);
  const std::vector<Shape>& s = r.links[1].shapes;
  const double sizes[4][3] = {{0.1, 0.2, 0.3}, {0.1, 0.1, 0.5}, {0.2, 0.4, 0.6}, {0.1, 0.4, 0}};
  for (std::size_t k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i) EXPECT_EQ(s.at(k).size[i], sizes[k][i]) << k;
  EXPECT_EQ(s[1].kind, Shape::Kind::ellipsoid);
  // A shape beside the others changes no mass: four solids of water's density.
  const double pi = std::numbers::pi;
  const double volume = 4 * pi / 3 * (0.006 + 0.005) + 0.048 + pi * 0.01 * (0.4 + 4.0 / 3 * 0.1);
  EXPECT_NEAR(r.links[1].mass, 1000 * volume, 1e-12 * 1000 * volume);
}

TEST(KeptData, MjcfContactOfGeomsAndTheirClasses) {
  const RobotDescription r = mjcf(
      "<default><geom friction='.7 .01' margin='.02'/><default class='soft'><geom condim='6' priority='2' "
      "contype='6'/></default></default><worldbody><body><geom size='1' friction='.3'/><geom class='soft' size='1' "
      "conaffinity='0'/><geom size='1' contype='0' conaffinity='0' friction='9'/></body></worldbody>");
  const std::vector<Shape>& s = r.links[1].shapes;
  EXPECT_EQ(s[0].contact.friction[0], 0.3);
  EXPECT_EQ(s[0].contact.friction[1], 0.01);
  EXPECT_TRUE(std::isnan(s[0].contact.friction[2]));
  EXPECT_EQ(s[0].contact.margin, 0.02);
  EXPECT_EQ(s[0].contact.dimension, 3);
  EXPECT_EQ(s[1].contact.dimension, 6);
  EXPECT_EQ(s[1].contact.priority, 2);
  EXPECT_EQ(s[1].contact.type, 6);
  EXPECT_EQ(s[1].contact.affinity, 0);
  EXPECT_TRUE(s[1].collision);
  EXPECT_FALSE(s[2].collision);
  EXPECT_TRUE(std::isnan(s[2].contact.friction[0]));  // no data of contact where there is none
  EXPECT_THROW(mjcf("<worldbody><geom size='1' condim='2'/></worldbody>"), ModelError);
  EXPECT_THROW(mjcf("<worldbody><geom size='1' friction='a'/></worldbody>"), ModelError);
}

TEST(KeptData, MjcfColoursOfMaterials) {
  const RobotDescription r = mjcf(
      "<default><default class='red'><material rgba='1 0 0 .5'/></default></default><asset><material name='m' "
      "class='red'/><material name='plain' texrepeat='1 1'/></asset><worldbody><geom size='1' material='m'/>"
      "<geom size='1' material='m' rgba='0 1 0 1'/><geom size='1' material='plain'/></worldbody>");
  const std::vector<Shape>& s = r.links[0].shapes;
  EXPECT_EQ(s[0].colour[0], 1);
  EXPECT_EQ(s[0].colour[3], 0.5);
  EXPECT_EQ(s[0].material, "m");
  EXPECT_EQ(s[1].colour[1], 1);
  EXPECT_TRUE(std::isnan(s[2].colour[0]));
}

const std::string k_arm =
    "<worldbody><body name='a'><joint name='x'/><geom size='.1'/><body name='b'><joint name='y' type='ball'/>"
    "<geom size='.1'/><body name='c'><joint name='z'/><geom size='.1'/></body></body></body></worldbody>";

TEST(KeptData, MjcfMotorsWithWhatTheirClassesSay) {
  Diagnostics found;
  const RobotDescription r = mjcf(
      "<default><general gainprm='1 2 3' ctrlrange='-1 1'/><position kp='7'/><default class='k'><general "
      "gainprm='5' biastype='affine'/></default></default>" +
          k_arm +
          "<actuator><general name='g' class='k' joint='x' gainprm='9' gear='50' forcerange='-3 4' dynprm='.1'/>"
          "<position joint='x' forcelimited='false' forcerange='-3 4'/><motor name='m' joint='y' gear='0 0 2'/>"
          "<motor joint='z' delay='.1'/></actuator>",
      &found);
  ASSERT_EQ(r.motors.size(), 4u) << all(found);
  const MotorDescription& g = motor(r, "g");
  EXPECT_EQ(g.joint, "x");
  EXPECT_EQ(g.kind, "general");
  EXPECT_EQ(g.gear, 50);
  EXPECT_EQ(g.control_lower, -1);
  EXPECT_EQ(g.control_upper, 1);
  EXPECT_EQ(g.force_lower, -3);
  EXPECT_EQ(g.force_upper, 4);
  EXPECT_EQ(text_of(g, "gainprm"), "9 2 3");  // of the class those behind the first
  EXPECT_EQ(text_of(g, "biastype"), "affine");
  EXPECT_EQ(text_of(g, "dynprm"), ".1");
  const MotorDescription& p = motor(r, "x_motor");
  EXPECT_EQ(p.kind, "position");
  EXPECT_EQ(names_of(p), "kp ");  // not the gains of another kind
  EXPECT_TRUE(std::isnan(p.force_lower));
  const MotorDescription& m = motor(r, "m");
  EXPECT_EQ(m.gear, 0);
  EXPECT_EQ(text_of(m, "gear"), "0 0 2 0 0 0");
  EXPECT_GT(m.place.column, 0);
  EXPECT_EQ(text_of(motor(r, "z_motor"), "delay"), ".1");
  EXPECT_NE(find(found, "N_MJCF_ACTUATOR"), nullptr) << all(found);  // gainprm of a <position>
}

TEST(KeptData, MjcfMotorsOfFreeJointsGoWithThem) {
  const std::string text =
      "<worldbody><body><joint name='f' type='free'/><geom size='1'/><body><joint name='j'/><geom size='1'/></body>"
      "</body></worldbody><actuator><motor name='a' joint='f'/><motor name='b' joint='j'/></actuator>";
  EXPECT_EQ(mjcf(text).motors.size(), 2u);
  LoadOptions fixed;
  fixed.root = "fixed";
  const RobotDescription r = mjcf(text, nullptr, fixed);
  ASSERT_EQ(r.motors.size(), 1u);
  EXPECT_EQ(r.motors[0].joint, "j");
}

TEST(KeptData, MjcfExclusionsNameLinks) {
  const RobotDescription r =
      mjcf(k_arm + "<contact><exclude body1='a' body2='c'/><exclude body1='b' body2='world'/></contact>");
  ASSERT_EQ(r.contact_exclusions.size(), 2u);
  EXPECT_EQ(r.contact_exclusions[0].first, "a");
  EXPECT_EQ(r.contact_exclusions[0].second, "c");
  EXPECT_EQ(r.contact_exclusions[1].second, "world");
  EXPECT_THROW(mjcf(k_arm + "<contact><exclude body1='a' body2='z'/></contact>"), ModelError);
  EXPECT_THROW(mjcf(k_arm + "<contact><exclude body1='a'/></contact>"), ModelError);
}

using KeptDataOfFiles = FilesInAFolder;

/// As MuJoCo 4.0.0 attaches: names get the prefix, the world is that of the file that attaches.
TEST_F(KeptDataOfFiles, ComeAlongWithAttachedBodies) {
  write("child.xml", "<mujoco>" + k_arm +
                         "<contact><exclude body1='world' body2='b'/><exclude body1='a' body2='b'/></contact>"
                         "<actuator><motor name='m' joint='x'/><motor joint='y'/></actuator></mujoco>");
  const RobotDescription r =
      load_robot(write("top.xml",
                       "<mujoco><asset><model name='c' file='child.xml'/></asset><worldbody><body name='t'><geom "
                       "size='1'/><replicate count='2' offset='1 0 0'><attach model='c' prefix='p_'/></replicate>"
                       "</body><body name='u'><geom size='1'/><attach model='c' body='b' prefix='q_'/></body>"
                       "</worldbody></mujoco>"))
          .model.description();
  std::string motors, pairs;
  for (const MotorDescription& m : r.motors) motors += m.name + '>' + m.joint + ' ';
  for (const ContactExclusion& x : r.contact_exclusions) pairs += x.first + '-' + x.second + ' ';
  EXPECT_EQ(motors, "p_m0>p_x0 p_y0_motor>p_y0 p_m1>p_x1 p_y1_motor>p_y1 q_y_motor>q_y ");
  EXPECT_EQ(pairs, "world-p_b0 p_a0-p_b0 world-p_b1 p_a1-p_b1 world-q_b ");
}

TEST(KeptData, SdfPlanesAndEllipsoids) {
  Diagnostics found;
  const RobotDescription r = sdf(
      "<link name='a'><visual name='v'><pose>0 0 1 0 0 0</pose><geometry><plane><normal>0 2 0</normal><size>3 4"
      "</size></plane></geometry></visual><collision name='c'><geometry><plane><size>3 4</size></plane></geometry>"
      "</collision><visual name='w'><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry></visual></link>",
      &found);
  EXPECT_EQ(find(found, "N_SHAPE"), nullptr) << all(found);
  const std::vector<Shape>& s = r.links[0].shapes.size() == 3 ? r.links[0].shapes : r.links[1].shapes;
  ASSERT_EQ(s.size(), 3u);
  EXPECT_EQ(s[0].kind, Shape::Kind::plane);
  EXPECT_EQ(s[0].size[0], 3);
  EXPECT_EQ(s[0].size[1], 4);
  const Vec3<double> n = s[0].origin.R * Vec3<double>{0, 0, 1};
  EXPECT_NEAR(n.y, 1, 1e-15);
  EXPECT_EQ(s[0].origin.p.z, 1);
  EXPECT_EQ(s[1].size[0], 0);  // a collision has no end
  EXPECT_EQ(s[2].kind, Shape::Kind::ellipsoid);
  EXPECT_EQ(s[2].size[2], 3);
  sdf("<link name='a'><visual name='v'><geometry><plane><normal>0 0 0</normal></plane></geometry></visual></link>",
      &found);
  EXPECT_NE(find(found, "W_GEOMETRY"), nullptr) << all(found);
}

TEST(KeptData, SdfFrictionAndBitMasks) {
  Diagnostics found;
  const RobotDescription r = sdf(
      "<link name='a'>" + collision("plain", "") +
          collision("rough",
                    "<surface><friction><ode><mu>0.4</mu><mu2>0.6</mu2></ode><torsional><coefficient>0.5</coefficient>"
                    "<patch_radius>0.1</patch_radius></torsional></friction><contact><collide_bitmask>6"
                    "</collide_bitmask></contact></surface>") +
          collision("odd", "<surface><friction><ode><mu>much</mu></ode></friction></surface>") + "</link>",
      &found);
  const std::vector<Shape>& s = r.links.back().shapes.empty() ? r.links.front().shapes : r.links.back().shapes;
  ASSERT_EQ(s.size(), 3u) << all(found);
  EXPECT_EQ(s[0].contact.type, 0xFFFF);  // meets every mask
  EXPECT_EQ(s[1].contact.type, 6);
  EXPECT_EQ(s[1].contact.affinity, 6);
  EXPECT_EQ(s[1].contact.friction[0], 0.4);
  EXPECT_NEAR(s[1].contact.friction[1], 3 * std::numbers::pi / 16 * 0.05, 1e-16);
  EXPECT_EQ(s[1].contact.dimension, 4);
  EXPECT_TRUE(std::isnan(s[2].contact.friction[0]));
  const Diagnostic* d = find(found, "N_SHAPE");
  ASSERT_NE(d, nullptr);
  EXPECT_TRUE(has(all(found), "<mu2>") && has(all(found), "much")) << all(found);
  const RobotDescription without = sdf("<link name='a'>" + collision("plain", "") + "</link>");
  for (const LinkDescription& l : without.links)
    for (const Shape& x : l.shapes) EXPECT_EQ(x.contact.type, 1);
  sdf("<self_collide>false</self_collide><link name='a'><self_collide>1</self_collide></link>", &found);
  EXPECT_TRUE(has(all(found), "self_collide")) << all(found);
}

TEST(KeptData, UrdfTransmissionsAreMotors) {
  const RobotDescription r = parse_urdf(
      arm("<transmission name='t'><type>SimpleTransmission</type><joint name='elbow'><hardwareInterface>Effort"
          "</hardwareInterface></joint><actuator name='m'><mechanicalReduction>50</mechanicalReduction></actuator>"
          "</transmission><transmission name='t'><joint name='shoulder'/></transmission>"
          "<transmission name='d'><joint name='shoulder'/><joint name='elbow'/></transmission>"
          "<transmission><joint name='elbow'/></transmission><transmission name='n'><joint name='none'/>"
          "</transmission>"));
  std::string motors;
  for (const MotorDescription& m : r.motors) motors += m.name + '>' + m.joint + ' ';
  EXPECT_EQ(motors, "t>elbow t_>shoulder d_shoulder>shoulder d_elbow>elbow elbow_motor>elbow ");
  const MotorDescription& t = r.motors[0];
  EXPECT_EQ(t.kind, "transmission");
  EXPECT_EQ(t.gear, 50);
  EXPECT_EQ(text_of(t, "type") + text_of(t, "actuator") + text_of(t, "hardwareInterface"), "SimpleTransmissionmEffort");
  EXPECT_GT(t.place.line, 1);
}

TEST(KeptData, DocumentsHoldItAndRefuseWhatNamesNothing) {
  const Model m = loads_robot(
                      "<mujoco><worldbody><body name='a'><joint name='j'/><geom type='ellipsoid' "
                      "size='.1 .2 .3' friction='.5' contype='3'/></body></worldbody><contact><exclude "
                      "body1='world' body2='a'/></contact><actuator><position name='p' joint='j' kp='3' "
                      "gear='2'/></actuator></mujoco>")
                      .model;
  const std::string text = to_json(m);
  const Model again = model_from_json(text), of_bytes = model_from_cbor(to_cbor(m));
  EXPECT_TRUE(again == m && of_bytes == m);
  EXPECT_EQ(hash(again), hash(m));
  EXPECT_EQ(to_json(of_bytes), text);
  EXPECT_TRUE(has(text, "\"contact_exclusions\"") && has(text, "\"ellipsoid\"")) << text;
  const auto with = [&](const std::string& old, const std::string& fresh) {
    std::string other = text;
    const std::size_t at = other.find(old);
    if (at == std::string::npos) throw std::out_of_range(old);
    return model_from_json(other.replace(at, old.size(), fresh));
  };
  EXPECT_NO_THROW(with("\"kp\"", "\"kd\""));
  EXPECT_THROW(with("\"joint\": \"j\"", "\"joint\": \"k\""), ModelError);
  EXPECT_THROW(with("\"gear\": 2.0", "\"gear\": \"inf\""), ModelError);
  EXPECT_THROW(with("\"second\": \"a\"", "\"second\": \"b\""), ModelError);
  EXPECT_THROW(with("\"type\": 3", "\"type\": 3.5"), std::exception);
  EXPECT_THROW(with("\"type\": 3", "\"typ\": 3"), std::exception);
  EXPECT_THROW(with("\"type\": 3", "\"type\": 3,\"margin\":\"inf\""), ModelError);
  EXPECT_THROW(with("\"second\": \"a\"", "\"second\": 1"), std::exception);
}

}  // namespace
}  // namespace zwang::test
