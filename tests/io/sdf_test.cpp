// SPDX-License-Identifier: BSD-3-Clause
// SDF: one small file for each rule of the format, with the right number.
#include <cmath>
#include <fstream>
#include <numbers>

#include "support.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/io/robot.hpp"

namespace zwang::test {
namespace {

std::string sdf(const std::string& inside, const std::string& version = "1.9") {
  return "<sdf version='" + version + "'>\n" + inside + "\n</sdf>\n";
}
std::string model(const std::string& inside, const std::string& version = "1.9", const std::string& more = {}) {
  return sdf("<model name='m'" + more + ">\n" + inside + "\n</model>", version);
}
std::string sdf_link(const std::string& name, const std::string& inside = {}) {
  return "<link name='" + name + "'>" + inside + "</link>\n";
}
std::string sdf_joint(const std::string& name, const std::string& type, const std::string& parent,
                      const std::string& child, const std::string& inside = "<axis><xyz>0 0 1</xyz></axis>") {
  return "<joint name='" + name + "' type='" + type + "'><parent>" + parent + "</parent><child>" + child + "</child>" +
         inside + "</joint>\n";
}
const std::string k_two = sdf_link("a") + sdf_link("b", "<pose>1 0 0 0.5 0 0</pose>");

Robot read(const std::string& text, Diagnostics* found = nullptr, const LoadOptions& options = {}) {
  Diagnostics own;
  try {
    Robot robot = loads_robot(text, options, &own);
    if (found) *found = own;
    return robot;
  } catch (const ModelError&) {
    ADD_FAILURE() << all(own) << text;
    throw;
  }
}
Transform<double> drawn(const Robot& robot, const std::string& frame) {
  Data data(robot.model);
  const std::vector<double>& q = robot.configurations.at(0).q;
  forward_kinematics(robot.model, data, Eigen::Map<const Eigen::VectorXd>(q.data(), robot.model.nq()));
  return frame_pose(robot.model, data, frame);
}
void expect_at(const Robot& robot, const std::string& frame, Vec3<double> p) {
  const Transform<double> X = drawn(robot, frame);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(X.p[i], p[i], 1e-14) << frame;
}
Vec3<double> axis_in_joint(const Robot& robot, const std::string& joint) {
  return robot.model.joint(joint).description.axis;
}
void expect_near(const Vec3<double>& a, const Vec3<double>& b) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], 1e-15);
}

TEST(Sdf, ALinkWithoutInertialHasOneKilogramAndFloats) {
  const Robot r = read(model(sdf_link("a")));
  EXPECT_EQ(r.model.nv(), 6);
  EXPECT_EQ(r.model.mass(), 1);
  EXPECT_EQ(r.model.link("a").inertia.yy, 1);
  EXPECT_EQ(r.model.joints()[0].name, "root_joint");
  EXPECT_EQ(r.model.joints()[0].type, "floating");
  EXPECT_EQ(r.configurations.at(0).name, "file");
  EXPECT_EQ(r.model.gravity().z, -9.81);
}

TEST(Sdf, ANumberOfAnInertiaThatIsLeftOutHasItsDefault) {
  const Robot r =
      read(model(sdf_link("a", "<inertial><mass>2</mass><inertia><ixx>1.5</ixx><ixy>0.25</ixy></inertia></inertial>")));
  const Link& a = r.model.link("a");
  EXPECT_EQ(a.mass, 2);
  EXPECT_EQ(a.inertia.xx, 1.5);
  EXPECT_EQ(a.inertia.xy, 0.25);
  EXPECT_EQ(a.inertia.yy, 1);
  EXPECT_EQ(a.inertia.yz, 0);
}

TEST(Sdf, AnInertiaIsAboutTheCentreInTheAxesOfItsPose) {
  const Robot r = read(model(sdf_link("a",
                                      "<inertial><pose>1 2 3 0 0 1.5707963267948966</pose><inertia><ixx>3</ixx>"
                                      "<iyy>4</iyy><izz>5</izz></inertia></inertial>")));
  const Link& a = r.model.link("a");
  expect_near(a.centre, {1, 2, 3});
  EXPECT_NEAR(a.inertia.xx, 4, 1e-15);
  EXPECT_NEAR(a.inertia.yy, 3, 1e-15);
}

TEST(Sdf, AutomaticInertiaOfABox) {
  const std::string box =
      "<collision name='c'><density>6</density><geometry><box><size>1 1 1</size></box></geometry></collision>";
  const Robot r = read(model(sdf_link("a", "<inertial auto='true'/>" + box), "1.11"));
  EXPECT_NEAR(r.model.link("a").mass, 6, 1e-15);
  EXPECT_NEAR(r.model.link("a").inertia.zz, 1, 1e-15);
  // A mass that is given rescales; before 1.11 the attribute says nothing.
  const Robot s = read(model(sdf_link("a", "<inertial auto='true'><mass>3</mass></inertial>" + box), "1.11"));
  EXPECT_NEAR(s.model.link("a").inertia.zz, 0.5, 1e-15);
  EXPECT_EQ(read(model(sdf_link("a", "<inertial auto='true'/>" + box), "1.10")).model.mass(), 1);
}

TEST(Sdf, AutomaticInertiaOfEverySolid) {
  constexpr double pi = std::numbers::pi;
  struct Solid {
    const char* geometry;
    double mass, izz;
  };
  const Solid solids[] = {
      {"<sphere><radius>0.5</radius></sphere>", pi / 6, pi / 6 * 0.1},
      {"<cylinder><radius>0.5</radius><length>2</length></cylinder>", pi / 2, pi / 2 / 8},
      {"<capsule><radius>0.5</radius><length>2</length></capsule>", pi / 2 + pi / 6, pi / 2 / 8 + pi / 6 * 0.1},
      {"<ellipsoid><radii>0.5 1 1.5</radii></ellipsoid>", pi, pi * 1.25 / 5}};
  for (const Solid& s : solids) {
    const Robot r = read(model(sdf_link("a", std::string("<inertial auto='true'><density>1</density></inertial>"
                                                         "<collision name='c'><pose>0 0 2 0 0 0</pose><geometry>") +
                                                 s.geometry + "</geometry></collision>"),
                               "1.11"));
    EXPECT_NEAR(r.model.link("a").mass, s.mass, 1e-14) << s.geometry;
    EXPECT_NEAR(r.model.link("a").inertia.zz, s.izz, 1e-14) << s.geometry;
    EXPECT_NEAR(r.model.link("a").centre.z, 2, 1e-14) << s.geometry;
  }
}

TEST(Sdf, PosesInDegreesAndQuaternions) {
  const Robot r = read(model(sdf_link("a", "<pose degrees='true'>1 2 3 0 0 90</pose>") +
                             sdf_link("b", "<pose rotation_format='quat_xyzw'>1 2 3 0 0 2 2</pose>") +
                             sdf_link("c", "<pose> </pose>")));
  for (const char* link : {"a", "b"}) {
    expect_at(r, link, {1, 2, 3});
    EXPECT_NEAR(drawn(r, link).R(1, 0), 1, 1e-15) << link;
  }
  expect_at(r, "c", {0, 0, 0});
}

TEST(Sdf, PlacementFrames) {
  const Robot r =
      read(sdf("<world name='w'><model name='m' placement_frame='f'><pose>1 0 10 0 0 0</pose>" +
               sdf_link("link1", "<pose>0 -3 0 0 0 0</pose>") + sdf_link("link2", "<pose>-1 -1 0 0 0 0</pose>") +
               "<frame name='f'><pose>0 -1 0 0 0 0</pose></frame></model></world>"));
  expect_at(r, "m::link1", {1, -2, 10});
  expect_at(r, "m::link2", {0, 0, 10});
  expect_at(r, "m::f", {1, 0, 10});
}

TEST(Sdf, AxesAreGivenInTheJointTheModelOrAFrame) {
  const std::string y = "<axis><xyz>0 1 0</xyz></axis>";
  expect_near(axis_in_joint(read(model(k_two + sdf_joint("j", "revolute", "a", "b", y), "1.5")), "j"), {0, 1, 0});
  // Up to 1.4, and where the file says so up to 1.6, in the model: turned back by the child's 0.5 rad about x.
  const Vec3<double> turned{0, std::cos(0.5), -std::sin(0.5)};
  expect_near(axis_in_joint(read(model(k_two + sdf_joint("j", "revolute", "a", "b", y), "1.4")), "j"), turned);
  const std::string flag = "<axis><xyz>0 1 0</xyz><use_parent_model_frame>1</use_parent_model_frame></axis>";
  expect_near(axis_in_joint(read(model(k_two + sdf_joint("j", "revolute", "a", "b", flag), "1.6")), "j"), turned);
  const std::string named = "<axis><xyz expressed_in='__model__'>0 3 0</xyz></axis>";
  expect_near(axis_in_joint(read(model(k_two + sdf_joint("j", "revolute", "a", "b", named))), "j"), turned);
  Diagnostics found;
  expect_near(axis_in_joint(read(model(k_two + sdf_joint("j", "revolute", "a", "b", "")), &found), "j"), {0, 0, 1});
  EXPECT_NE(find(found, "W_AXIS"), nullptr);
}

TEST(Sdf, LimitsThatAreMissingOrHugeAreNone) {
  const std::string axis =
      "<axis><xyz>0 0 1</xyz><limit><lower>-1e16</lower><upper>1e16</upper><effort>-1</effort><velocity>-1</velocity>"
      "</limit><dynamics><damping>0.3</damping><friction>0.1</friction><spring_stiffness>7</spring_stiffness>"
      "<spring_reference>0.5</spring_reference></dynamics></axis>";
  const Robot r = read(model(k_two + sdf_joint("j", "revolute", "a", "b", axis)));
  const JointDescription& j = r.model.joint("j").description;
  EXPECT_EQ(j.lower.at(0), -unlimited);
  EXPECT_EQ(j.upper.at(0), unlimited);
  EXPECT_EQ(j.effort.at(0), unlimited);
  EXPECT_EQ(j.velocity.at(0), unlimited);
  EXPECT_EQ(j.damping.at(0), 0.3);
  EXPECT_EQ(j.friction.at(0), 0.1);
  EXPECT_EQ(j.stiffness.at(0), 7);
  EXPECT_EQ(j.spring_reference.at(0), 0.5);
  const std::string limited = "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis>";
  EXPECT_EQ(read(model(k_two + sdf_joint("j", "revolute", "a", "b", limited))).model.joint("j").description.upper[0],
            2);
  EXPECT_EQ(read(model(k_two + sdf_joint("j", "continuous", "a", "b", limited))).model.joint("j").description.upper[0],
            unlimited);
}

TEST(Sdf, StaticModelsAreFixedAndOthersFloat) {
  const Robot r = read(sdf("<world name='w'><model name='s'><static>true</static>" + sdf_link("a") +
                           "<model name='n'>" + sdf_link("b") + "</model></model><model name='f'>" + sdf_link("a") +
                           sdf_link("b") + sdf_joint("j", "prismatic", "a", "b") + "</model></world>"));
  EXPECT_EQ(r.model.nv(), 7);
  EXPECT_EQ(r.model.joint("s::a_fixed").type, "fixed");
  EXPECT_EQ(r.model.joint("s::n::b_fixed").type, "fixed");
  EXPECT_EQ(r.model.joint("f::a_root").type, "floating");
  EXPECT_EQ(r.model.gravity().z, -9.8);
  LoadOptions options;
  options.root = "fixed";
  EXPECT_EQ(read(model(k_two + sdf_joint("j", "revolute", "a", "b")), nullptr, options).model.nv(), 1);
}

TEST(Sdf, JointsWithinAStaticModelAreLeftOut) {
  Diagnostics found;
  const Robot r = read(model("<static>true</static>" + k_two + sdf_joint("j", "revolute", "a", "b") +
                             sdf_joint("k", "fixed", "world", "a", "")),
                       &found);
  EXPECT_EQ(r.model.nv(), 0);
  EXPECT_EQ(r.constraints.size(), 0);
  ASSERT_NE(find(found, "N_SDF"), nullptr) << all(found);
  EXPECT_NE(find(found, "N_SDF")->found.find("1 more place"), std::string::npos) << all(found);
}

TEST(Sdf, GravityIsThatOfTheWorld) {
  const std::string one = "<model name='m'>" + sdf_link("a") + "</model>";
  EXPECT_EQ(read(sdf("<world name='w'><gravity>0 1 -2</gravity>" + one + "</world>")).model.gravity().z, -2);
  EXPECT_EQ(read(sdf("<world name='w'><physics><gravity>0 1 -3</gravity></physics>" + one + "</world>", "1.5"))
                .model.gravity()
                .z,
            -3);
  LoadOptions options;
  options.gravity = {0, 0, -1.62};
  EXPECT_EQ(read(sdf("<world name='w'>" + one + "</world>"), nullptr, options).model.gravity().z, -1.62);
  options = {};
  options.file_gravity = false;
  EXPECT_EQ(read(sdf("<world name='w'>" + one + "</world>"), nullptr, options).model.gravity().z, -9.81);
}

TEST(Sdf, ParentsAndChildrenAreFramesAndModels) {
  const Robot r = read(model(sdf_link("a") + "<frame name='f' attached_to='a'><pose>0 0 1 0 0 0</pose></frame>" +
                             "<model name='n' canonical_link='c'><pose>0 1 0 0 0 0.2</pose>" + sdf_link("b") +
                             sdf_link("c", "<pose>2 0 0 0 0 0</pose>") + "</model>" +
                             sdf_joint("j", "revolute", "f", "n") + sdf_joint("k", "revolute", "a", "n::b")));
  EXPECT_EQ(r.model.joint("j").description.parent, "a");
  EXPECT_EQ(r.model.joint("j").description.child, "n::c");
  EXPECT_EQ(r.model.joint("k").description.child, "n::b");
  expect_at(r, "j", {0, 1, 0});  // the model's frame
  expect_at(r, "n::c", {2 * std::cos(0.2), 1 + 2 * std::sin(0.2), 0});
}

TEST(Sdf, ASecondJointOfALinkClosesALoopWithTwoFrames) {
  Diagnostics found;
  const std::string text =
      model(sdf_link("a") + sdf_link("b", "<pose>1 0 0 0 0 0</pose>") + sdf_link("c", "<pose>0 1 0 0 0 0</pose>") +
            sdf_joint("ab", "revolute", "a", "b") + sdf_joint("ac", "revolute", "a", "c") +
            sdf_joint("bc", "ball", "b", "c", "<pose relative_to='b'>0 1 0 0 0 0</pose>") +
            sdf_joint("w", "fixed", "world", "a", ""));
  const Robot r = read(text, &found);
  EXPECT_EQ(r.model.nv(), 2);
  ASSERT_EQ(r.model.loops().size(), 1u);
  EXPECT_EQ(r.constraints.size(), 1);
  EXPECT_EQ(r.constraints.rows(), 3);
  expect_at(r, "bc_predecessor", {1, 1, 0});
  expect_at(r, "bc_successor", {1, 1, 0});
  loads(text, {}, &found);
  ASSERT_NE(find(found, "N_CONSTRAINTS"), nullptr);
  EXPECT_NE(find(found, "N_CONSTRAINTS")->found.find("1 constraint (bc)"), std::string::npos);
  LoadOptions options;
  options.mode = Mode::strict;
  EXPECT_THROW(loads(text, options), ModelError);
}

TEST(Sdf, JointsOfTwoAxesAndScrews) {
  const std::string axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz expressed_in='__model__'>0 1 0</xyz></axis2>";
  const Robot r = read(model(k_two + sdf_joint("j", "universal", "a", "b", axes)));
  EXPECT_EQ(r.model.nv(), 8);
  expect_near(r.model.joint("j").description.parts.at(1).axis, {0, std::cos(0.5), -std::sin(0.5)});
  const std::string axis = "<axis><xyz>0 0 1</xyz></axis>";
  const Robot s =
      read(model(k_two + sdf_joint("j", "screw", "a", "b", axis + "<screw_thread_pitch>1</screw_thread_pitch>")));
  EXPECT_NEAR(s.model.joint("j").description.parameters.at(0), 0.15915494309189535, 1e-16);
  const Robot t = read(model(k_two + sdf_joint("j", "screw", "a", "b", axis + "<thread_pitch>-4</thread_pitch>")));
  EXPECT_EQ(t.model.joint("j").description.parameters.at(0), 0.25);
}

TEST(Sdf, AGearboxCouplesAnglesOnItsReferenceBody) {
  const std::string wheels = sdf_link("h") + sdf_link("p") + sdf_link("c") + sdf_joint("jp", "revolute", "h", "p") +
                             sdf_joint("jc", "revolute", "h", "c", "<axis><xyz>0 0 -1</xyz></axis>");
  const auto gear = [](const std::string& body) {
    return sdf_joint("g", "gearbox", "p", "c",
                     "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2><gearbox_ratio>3</gearbox_ratio>"
                     "<gearbox_reference_body>" +
                         body + "</gearbox_reference_body>");
  };
  const Robot r = read(model(wheels + gear("h")));
  const CouplingConstraint* const c = r.constraints.added_as<CouplingConstraint>("g");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->coordinates, (std::vector<std::string>{"jp", "jc"}));
  EXPECT_EQ(c->ratio, (std::vector<double>{3, -1}));  // jc turns the other way round
  EXPECT_THROW(loads_robot(model(wheels + gear("c"))), ModelError);
}

TEST(Sdf, MimicsAreMeasuredFromTheirReference) {
  const std::string axis =
      "<axis><xyz>0 0 1</xyz><mimic joint='j'><multiplier>2</multiplier><offset>0.5</offset>"
      "<reference>0.1</reference></mimic></axis>";
  const Robot r = read(
      model(k_two + sdf_link("c") + sdf_joint("j", "revolute", "a", "b") + sdf_joint("k", "revolute", "a", "c", axis),
            "1.11"));
  EXPECT_EQ(r.model.nv(), 7);
  EXPECT_EQ(r.model.joint("k").mimic.multiplier, 2);
  EXPECT_NEAR(r.model.joint("k").mimic.offset, 0.3, 1e-16);
}

TEST(Sdf, NamesOfTwoKindsUpTo16) {
  Diagnostics found;
  const std::string text = k_two + sdf_joint("a", "revolute", "a", "b");
  EXPECT_EQ(read(model(text, "1.6"), &found).model.joint("a_joint").description.parent, "a");
  EXPECT_NE(find(found, "W_NAME"), nullptr);
  EXPECT_EQ(read(model(sdf_joint("a", "revolute", "a", "b") + k_two, "1.6")).model.joint("a_joint").type, "revolute");
  EXPECT_THROW(loads(model(text, "1.7")), ModelError);
}

TEST(Sdf, AFileWithoutAWorldNamesItsModelNowhere) {
  EXPECT_GE(read(model(sdf_link("a"))).model.find_link("a").value, 0);
  EXPECT_GE(
      read(sdf("<world name='w'><model name='m'>" + sdf_link("a") + "</model></world>")).model.find_link("m::a").value,
      0);
}

/// What has no counterpart is named once; what would change the motion is a warning.
TEST(Sdf, NothingIsLeftOutWithoutAWord) {
  const std::string more =
      "<kinematic>1</kinematic><enable_wind>true</enable_wind>"
      "<sensor name='s' type='imu'/><inertial><fluid_added_mass/></inertial><nonsense/>";
  Diagnostics found;
  read(model(sdf_link("a", more) + sdf_link("b", more) +
             "<gripper name='g'/><plugin name='p' filename='f'><link/></plugin>"),
       &found);
  for (const char* code : {"W_KINEMATIC", "W_ADDED_MASS", "W_UNKNOWN_TAG", "N_SDF", "N_SENSOR"})
    EXPECT_NE(find(found, code), nullptr) << code << "\n" << all(found);
  EXPECT_NE(find(found, "W_KINEMATIC")->found.find("1 more place"), std::string::npos)
      << find(found, "W_KINEMATIC")->text();
}

/// Each is passed over with a word: what changes the motion is a warning.
TEST(Sdf, NumbersThatAreNotReadAreNamed) {
  const std::string box = "<collision name='c'><geometry><box/></geometry></collision>",
                    axis = "<axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics></axis>";
  const std::string gears =
      k_two + sdf_link("c") + sdf_joint("b_", "revolute", "a", "b") +
      sdf_joint("c_", "revolute", "a", "c", "<axis><xyz expressed_in='b'>0 0 1</xyz></axis>") +
      sdf_joint("g", "gearbox", "b", "c",
                "<gearbox_reference_body>a</gearbox_reference_body><axis><xyz expressed_in='b'>0 0 1</xyz><dynamics>"
                "<friction>1</friction></dynamics></axis><axis2><xyz expressed_in='b'>0 0 1</xyz></axis2>");
  const struct {
    const char* code;
    std::string inside;
  } cases[] = {
      {"W_VELOCITY_DECAY", sdf_link("a", "<velocity_decay><linear>0.1</linear></velocity_decay>")},
      {"W_AXIS", k_two + sdf_joint("j", "ball", "a", "b", axis)},
      {"N_AXIS", k_two + sdf_joint("j", "fixed", "a", "b", axis)},
      {"W_AXIS", gears},
      {"W_INITIAL_POSITION", k_two + sdf_joint("j", "revolute", "a", "b",
                                               "<axis><xyz>0 0 1</xyz><initial_position>1</initial_position></axis>")},
      {"W_INERTIA", sdf_link("a", "<inertial auto='true'><pose>0 0 1 0 0 0</pose></inertial>" + box)},
      {"W_UNKNOWN_TAG", sdf_link("a", "<visual name='v'><geometry><ball/></geometry></visual>")}};
  for (const auto& c : cases) {
    Diagnostics found;
    read(model(c.inside, "1.11"), &found);
    EXPECT_NE(find(found, c.code), nullptr) << c.code << ' ' << c.inside << "\n" << all(found);
  }
  Diagnostics found;
  read(model(sdf_link("a", "<velocity_decay/>") + sdf_link("b") + sdf_joint("j", "ball", "a", "b", "")), &found);
  EXPECT_EQ(all(found).find("W_"), std::string::npos) << all(found);
}

/// The option root of documents whose root is the world: SDF and MJCF.
TEST(Rooted, TheWordOfTheRootIsCheckedAndNamedWhereItHasNoEffect) {
  const std::string floats = model(sdf_link("a")),
                    hangs = model(sdf_link("a") + sdf_joint("j", "revolute", "world", "a")),
                    mjcf = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
  const auto with = [](const std::string& text, const char* root, const char* code) {
    LoadOptions options;
    options.root = root;
    Diagnostics found;
    try {
      loads(text, options, &found);
    } catch (const ModelError&) {}
    if (find(found, code) == nullptr && refused(found)) ADD_FAILURE() << text << all(found);
    return find(found, code) != nullptr;
  };
  for (const std::string& text : {floats, hangs, mjcf}) {
    EXPECT_TRUE(with(text, "nonsense", "E_JOINT_TYPE")) << text;
    for (const char* word : {"automatic", "auto", "fixed"}) EXPECT_FALSE(with(text, word, "W_ROOT")) << text << word;
  }
  for (const char* word : {"floating", "planar"}) {
    EXPECT_FALSE(with(floats, word, "W_ROOT"));
    EXPECT_TRUE(with(hangs, word, "W_ROOT"));
    EXPECT_TRUE(with(mjcf, word, "W_ROOT"));
  }
  LoadOptions options;
  options.root = "fixed";
  EXPECT_EQ(loads(mjcf, options).nv(), 0);
}

/// check_robot finds what load_robot does: rows that cannot be bound; in strict mode no constraint that load lacks.
TEST(Rooted, CheckRobotBindsTheRows) {
  const std::string loop = model(k_two + sdf_link("c") + sdf_joint("ab", "revolute", "a", "b") +
                                 sdf_joint("ac", "revolute", "a", "c") + sdf_joint("bc", "ball", "b", "c", ""));
  LoadOptions options;
  options.mode = Mode::strict;
  EXPECT_NO_THROW(loads_robot(loop, options));
  EXPECT_FALSE(refused(check_robot_text(loop, options))) << all(check_robot_text(loop, options));
  const std::string coupled =
      "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='.1'/></body>"
      "<body name='b'><joint name='k'/><geom size='.1'/></body></worldbody>"
      "<equality><joint joint1='j' joint2='k'/></equality></mujoco>";
  EXPECT_EQ(all(check_robot_text(coupled)).find("N_CONSTRAINTS"), std::string::npos);
}

class SdfInclude : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_ / "arm");
    write("arm/model.config",
          "<model><name>arm</name><sdf version='1.9'>old.sdf</sdf><sdf version='1.10'>new.sdf</sdf></model>");
    write("arm/new.sdf", model("<pose>0 0 7 0 0 0</pose>" + k_two + sdf_joint("j", "revolute", "a", "b"), "1.10"));
    write("arm/old.sdf", "<sdf/>");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
    return (root_ / name).string();
  }
  const std::filesystem::path root_ =
      std::filesystem::temp_directory_path() /
      ("zwang_sdf_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
       ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

/// The config of a folder is XML of the same rules as a robot's: with a DTD it says nothing.
TEST_F(SdfInclude, AConfigWithADtdIsNotRead) {
  const std::string file = write("m.sdf", model("<include><uri>arm</uri></include>"));
  EXPECT_EQ(load_robot(file).model.links().size(), 3u);
  write("arm/model.config", "<!DOCTYPE model [<!ENTITY x 'y'>]><model><sdf version='1.10'>new.sdf</sdf></model>");
  EXPECT_THROW(load_robot(file), ModelError);
}

TEST_F(SdfInclude, TakesTheHighestVersionAndOverrides) {
  const std::string main = write("world.sdf", sdf("<world name='w'><include><uri>arm</uri></include><include>"
                                                  "<uri>model://arm</uri><name>x</name><pose>1 0 0 0 0 0</pose>"
                                                  "<static>true</static></include></world>"));
  const Robot r = load_robot(main);
  EXPECT_EQ(r.model.nv(), 7);
  expect_at(r, "m::a", {0, 0, 7});
  expect_at(r, "x::a", {1, 0, 0});
  EXPECT_EQ(r.model.joint("m::j").description.place.file, (root_ / "arm/new.sdf").string());
}

TEST_F(SdfInclude, IsFoundInPackageDirs) {
  LoadOptions options;
  options.use_environment = false;
  const std::string text = sdf("<world name='w'><include><uri>arm</uri></include></world>");
  EXPECT_THROW(loads(text, options), ModelError);
  options.package_dirs = {root_.string()};
  EXPECT_EQ(loads(text, options).nv(), 7);
}

TEST_F(SdfInclude, OfItselfEnds) {
  const std::string file = write("self.sdf", sdf("<model name='m'>" + sdf_link("a") +
                                                 "<include><uri>self.sdf</uri><name>n</name></include></model>"));
  Diagnostics found;
  EXPECT_THROW(load(file, {}, &found), ModelError);
  EXPECT_NE(find(found, "E_INCLUDE"), nullptr) << all(found);
  // Two of itself would be 2^16 models; they end by the number of links, too.
  LoadOptions options;
  options.limits.links = 1000;
  const std::string twice = write("twice.sdf", sdf("<model name='m'>" + sdf_link("a") +
                                                   "<include><uri>twice.sdf</uri><name>n</name></include>"
                                                   "<include><uri>twice.sdf</uri><name>o</name></include></model>"));
  EXPECT_THROW(load(twice, options, &found), ModelError);
}

TEST_F(SdfInclude, DoesNotLeaveItsFolder) {
  std::filesystem::create_directories(root_ / "inner");
  const std::string file = write("inner/w.sdf", sdf("<world name='w'><include><uri>../arm</uri></include></world>"));
  Diagnostics found;
  EXPECT_THROW(load(file, {}, &found), ModelError);
  EXPECT_NE(find(found, "E_URI_OUTSIDE"), nullptr) << all(found);
}

/// Links that are placed relative to each other in one long chain, listed against the order: no recursion, linear time.
TEST(Sdf, ALongChainOfPosesIsReadInOrder) {
  constexpr int n = 20000;
  std::string text;
  for (int k = n; k-- > 0;) {
    const std::string name = std::to_string(k), before = std::to_string(k - 1);
    text += "<link name='l" + name + "'><pose relative_to='" + (k > 0 ? "l" + before : "__model__") +
            "'>1 0 0 0 0 0</pose></link>";
    text += "<frame name='f" + name + "' attached_to='" + (k > 0 ? "f" + before : "l0") + "'/>";
    if (k > 0)
      text += "<joint name='j" + name + "' type='revolute'><parent>l" + before + "</parent><child>l" + name +
              "</child><axis><xyz>0 0 1</xyz></axis></joint>";
  }
  const Robot r = read(model(text));
  EXPECT_EQ(r.model.nv(), n + 5);
  expect_at(r, "l" + std::to_string(n - 1), {n, 0, 0});
  expect_at(r, "f" + std::to_string(n - 1), {1, 0, 0});
}

}  // namespace
}  // namespace zwang::test
