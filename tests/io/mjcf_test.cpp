// SPDX-License-Identifier: BSD-3-Clause
// MJCF: names, links of several joints, frames, limits, motors, configurations, rows, files of several parts.
#include <unistd.h>

#include "files_in_a_folder.hpp"
#include "mjcf_support.hpp"

namespace zwang::test {
namespace {

namespace fs = std::filesystem;

Robot read(const std::string& inside, Diagnostics* found = nullptr) {
  return loads_robot("<mujoco>" + inside + "</mujoco>", {}, found);
}
std::string world(const std::string& inside) { return "<worldbody>" + inside + "</worldbody>"; }
const JointDescription& joint_of(const Robot& robot, const std::string& name) {
  for (const JointDescription& j : robot.model.description().joints)
    if (j.name == name) return j;
  throw std::out_of_range(name);
}
const Configuration& configuration(const Robot& robot, const std::string& name) {
  for (const Configuration& c : robot.configurations)
    if (c.name == name) return c;
  throw std::out_of_range(name);
}

/// M and bias of two robots at a random state, relative to the larger one.
double apart(const Model& a, const Model& b) {
  if (a.nq() != b.nq() || a.nv() != b.nv()) return 1e300;
  Eigen::VectorXd q(a.nq()), v(a.nv());
  for (Eigen::Index k = 0; k < q.size(); ++k) q[k] = std::sin(1.0 + static_cast<double>(k));
  for (Eigen::Index k = 0; k < v.size(); ++k) v[k] = std::cos(1.0 + static_cast<double>(k));
  Data of_a(a), of_b(b);
  Eigen::MatrixXd one(a.nv(), a.nv()), two(a.nv(), a.nv());
  mass_matrix(a, of_a, q, one);
  mass_matrix(b, of_b, q, two);
  const Eigen::VectorXd h = bias_forces(a, of_a, q, v), g = bias_forces(b, of_b, q, v);
  return std::max((one - two).cwiseAbs().maxCoeff() / one.cwiseAbs().maxCoeff(),
                  (h - g).cwiseAbs().maxCoeff() / std::max(1.0, h.cwiseAbs().maxCoeff()));
}

TEST(Mjcf, BodiesAreLinksBelowTheWorldAndUnnamedOnesGetNames) {
  const Robot robot =
      read(world("<body name='a'><joint name='j'/><joint type='slide'/><joint/><geom size='.1'/>"
                 "<body><joint/><geom size='.1'/></body></body><body><freejoint/><geom size='.1'/></body>"));
  const RobotDescription& d = robot.model.description();
  ASSERT_EQ(d.links.size(), 6u);
  EXPECT_EQ(d.links[0].name, "world");
  EXPECT_EQ(d.links[1].name, "a");
  EXPECT_EQ(d.links[2].name, "body_2");
  EXPECT_EQ(d.links[3].name, "body_3");
  // Of three joints two carry a link without mass.
  EXPECT_EQ(d.links[4].name, "a/j");
  EXPECT_EQ(d.links[5].name, "a/a_joint");
  EXPECT_EQ(joint_of(robot, "j").child, "a/j");
  EXPECT_EQ(joint_of(robot, "a_joint").parent, "a/j");
  EXPECT_EQ(joint_of(robot, "a_joint2").child, "a");
  EXPECT_EQ(joint_of(robot, "body_3_joint").type, "floating");
  EXPECT_EQ(joint_of(robot, "body_3_joint").parent, "world");
  EXPECT_EQ(robot.model.nv(), 10);
}

TEST(Mjcf, SitesAreFramesAndATakenNameIsChanged) {
  const Robot robot =
      read(world("<body name='a'><joint name='j'/><geom size='.1'/><site name='a' pos='1 2 3'/>"
                 "<site name='tool' pos='0 0 1'/><site/></body>"));
  const RobotDescription& d = robot.model.description();
  ASSERT_EQ(d.frames.size(), 2u);
  EXPECT_EQ(d.frames[0].name, "a_site");
  EXPECT_EQ(d.frames[1].name, "tool");
  EXPECT_EQ(d.frames[0].placement.p.y, 2);
}

TEST(Mjcf, FromToRunsFromTheSecondPointToTheFirst) {
  const Robot robot = read(world("<body><joint/><geom size='.1'/><site name='s' fromto='0 0 0 0 2 0'/></body>"));
  const Transform<double> X = robot.model.description().frames.at(0).placement;
  EXPECT_NEAR(X.R(1, 2), -1, 1e-15);
  EXPECT_NEAR(X.p.y, 1, 1e-15);
}

TEST(Mjcf, FullInertiaIsTheDiagonalAndThenTheProducts) {
  const Robot robot =
      read(world("<body><joint/><inertial pos='0 0 0' mass='1' fullinertia='1 2 2.5 .1 .2 .3'/></body>"));
  const Sym3<double> I = robot.model.description().links.at(1).inertia;
  const double got[6] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}, wanted[6] = {1, 2, 2.5, 0.1, 0.2, 0.3};
  for (int k = 0; k < 6; ++k) EXPECT_EQ(got[k], wanted[k]);
}

// k = I / (T z)^2, d = 2 I / T with the inertia about the joint, as drawn.
TEST(Mjcf, ASpringAndDamperFollowFromTheirTimeConstant) {
  const Robot robot =
      read(world("<body><joint name='j' springdamper='.1 .5'/><inertial pos='2 0 0' mass='3' "
                 "diaginertia='1 1 1'/></body>"));
  EXPECT_NEAR(joint_of(robot, "j").stiffness.at(0), 13 / (0.05 * 0.05), 1e-9);
  EXPECT_NEAR(joint_of(robot, "j").damping.at(0), 2 * 13 / 0.1, 1e-11);
}

// A corner of a box with edges a, b, c: volume abc/6, centre (a, b, c)/4, I_xx = 3/80 m (b^2 + c^2), I_xy = m ab/80.
TEST(Mjcf, VerticesOfAMeshGiveMass) {
  for (const char* more : {"", " inertia='exact'", " inertia='convex'", " face='0 2 1 0 1 3 0 3 2 1 2 3'",
                           " inertia='exact' face='0 2 1 0 1 3 0 3 2 1 2 3'", " scale='-1 1 1'"}) {
    const Robot robot = read("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 2 0 0 0 3'" + std::string(more) +
                             "/></asset>" + world("<body><freejoint/><geom type='mesh' mesh='m' density='2'/></body>"));
    const LinkDescription& l = robot.model.description().links.at(1);
    const double side = std::string(more).find("scale") == std::string::npos ? 1 : -1;
    EXPECT_NEAR(l.mass, 2, 1e-14) << more;
    EXPECT_NEAR(l.centre.x, 0.25 * side, 1e-15) << more;
    EXPECT_NEAR(l.centre.z, 0.75, 1e-15) << more;
    EXPECT_NEAR(l.inertia.xx, 3.0 / 80 * 2 * 13, 1e-14) << more;
    EXPECT_NEAR(l.inertia.xy, 1.0 / 80 * 2 * 2 * side, 1e-14) << more;
  }
}

TEST(Mjcf, RangesAreDegreesAndLimitWhereTheyAreNotEmpty) {
  Diagnostics found;
  const Robot robot = read(world("<body><joint name='a' range='-90 180'/><joint name='b' type='slide' range='-1 2'/>"
                                 "<joint name='c' range='1 -1'/><joint name='d' range='-1 1' limited='false'/>"
                                 "<joint name='e'/><joint name='f' range='-inf 90'/><geom size='.1'/></body>"),
                           &found);
  EXPECT_NEAR(joint_of(robot, "a").lower[0], -1.5707963267948966, 1e-15);
  EXPECT_NEAR(joint_of(robot, "a").upper[0], 3.141592653589793, 1e-15);
  EXPECT_EQ(joint_of(robot, "b").upper[0], 2);
  for (const char* name : {"c", "d", "e"}) {
    EXPECT_EQ(joint_of(robot, name).lower[0], -unlimited) << name;
    EXPECT_EQ(joint_of(robot, name).upper[0], unlimited) << name;
  }
  EXPECT_EQ(joint_of(robot, "f").lower[0], -unlimited);
  EXPECT_NEAR(joint_of(robot, "f").upper[0], 1.5707963267948966, 1e-15);
  ASSERT_NE(find(found, "W_LIMIT"), nullptr) << all(found);
}

TEST(Mjcf, ActuatorsAreMotorsOfTheirJoints) {
  const std::string body =
      "<body><joint name='a' actuatorfrcrange='-3 4'/><joint name='b'/><joint name='c'/>"
      "<joint name='d'/><geom size='.1'/></body>";
  Diagnostics found;
  const Robot robot =
      read(world(body) +
               "<actuator><motor joint='a' ctrlrange='-10 10'/><position joint='b' gear='-2' "
               "forcerange='-5 7' kp='3'/><general joint='c'/><motor joint='c' ctrlrange='0 1'/></actuator>",
           &found);
  using Actuated = JointDescription::Actuated;
  EXPECT_EQ(joint_of(robot, "a").actuated, Actuated::yes);
  EXPECT_EQ(joint_of(robot, "d").actuated, Actuated::no);
  EXPECT_EQ(joint_of(robot, "a").effort[0], 4);
  EXPECT_EQ(joint_of(robot, "b").effort[0], 14);
  EXPECT_TRUE(joint_of(robot, "c").effort.empty());  // one of its motors has no bounds
  EXPECT_NE(find(found, "N_MJCF_EFFORT"), nullptr) << all(found);
  EXPECT_EQ(joint_of(read(world(body)), "d").actuated, Actuated::by_default);
}

TEST(Mjcf, TheDrawnPoseAndKeyframesAreConfigurations) {
  const Robot robot = read(world("<frame euler='0 0 90'><body pos='1 2 3'><freejoint/><geom size='.1' pos='1 0 0'/>"
                                 "<body><joint type='ball'/><geom size='.1' pos='1 0 0'/><body><joint ref='20'/>"
                                 "<geom size='.1' pos='1 0 0'/></body></body></body></frame>") +
                           "<keyframe><key name='up' qpos='1 2 3 1 1 0 0 1 0 1 0 .3' qvel='1 2 3 4 5 6 7 8 9 10'/>"
                           "<key/></keyframe>");
  ASSERT_EQ(robot.configurations.size(), 3u);
  EXPECT_EQ(robot.configurations[0].name, "file");
  const std::vector<double>& drawn = robot.configurations[0].q;
  const double h = std::sqrt(0.5), wanted[12] = {-2, 1, 3, 0, 0, h, h, 0, 0, 0, 1, 20 * std::acos(-1.0) / 180};
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(drawn.at(k), wanted[k], 1e-15) << k;
  const Configuration& up = configuration(robot, "up");
  // w x y z = (1, 1, 0, 0)/sqrt 2 turns by 90 degrees about x: the world's v = (1, 2, 3) is (1, 3, -2) in the body.
  const double q[12] = {1, 2, 3, h, 0, 0, h, 0, h, 0, h, 0.3}, v[10] = {1, 3, -2, 4, 5, 6, 7, 8, 9, 10};
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(up.q.at(k), q[k], 1e-15) << k;
  for (std::size_t k = 0; k < 10; ++k) EXPECT_NEAR(up.v.at(k), v[k], 1e-15) << k;
  EXPECT_EQ(configuration(robot, "key_1").q, drawn);
}

TEST(Mjcf, ARootThatIsFixedFixesFreeBodiesWhereTheyAreDrawn) {
  LoadOptions options;
  options.root = "fixed";
  const Robot robot = loads_robot(
      "<mujoco><worldbody><body name='a' pos='1 2 3'><freejoint/><geom size='.1'/></body>"
      "</worldbody></mujoco>",
      options);
  EXPECT_EQ(robot.model.nv(), 0);
  Data data(robot.model);
  EXPECT_EQ(frame_pose(robot.model, data, Eigen::VectorXd(), "a").p.z, 3);
  const Robot arm = loads_robot(
      "<mujoco><worldbody><body><freejoint/><geom size='.1'/><body><joint/><geom size='.1'/>"
      "</body></body></worldbody><keyframe><key name='k' qpos='1 2 3 1 0 0 0 .5' "
      "qvel='1 2 3 4 5 6 7'/></keyframe></mujoco>",
      options);
  EXPECT_EQ(configuration(arm, "k").q, std::vector<double>{0.5});
  EXPECT_EQ(configuration(arm, "k").v, std::vector<double>{7});
}

TEST(Mjcf, EqualitiesHoldInThePoseDrawn) {
  const Robot robot = read(
      "<default><equality solref='.1 .5'/></default>" +
      world("<body name='a' pos='0 0 1' euler='10 20 30'><freejoint/><geom size='.1'/><site name='s' pos='0 .1 0'/>"
            "</body><body name='b' pos='1 0 0'><joint name='j' axis='0 1 0' ref='30'/><geom size='.1'/>"
            "<body pos='0 0 .5'><joint name='k' type='slide' ref='.2'/><geom size='.1'/></body></body>") +
      "<equality><connect name='c' body1='a' body2='b' anchor='0 1 0'/><weld body1='a' body2='b' anchor='1 2 3' "
      "active='false'/><joint name='q' joint1='j' joint2='k' polycoef='0 2 3' solref='-100 -5'/>"
      "<weld name='w' body1='b' body2='a' torquescale='0'/></equality>");
  const ConstraintSet& set = robot.constraints;
  ASSERT_EQ(set.size(), 4);
  EXPECT_EQ(set["c"].row_names.value().size(), 3u);
  EXPECT_EQ(set["equality_1"].row_names.value().size(), 6u);
  EXPECT_FALSE(set["equality_1"].active);
  EXPECT_EQ(set["w"].row_names.value().size(), 3u);
  EXPECT_NEAR(set["c"].stabilisation.time_constant, 0.05, 1e-16);
  EXPECT_NEAR(set["c"].stabilisation.damping_ratio, 0.5, 1e-16);
  EXPECT_NEAR(set["q"].stabilisation.time_constant, 0.1, 1e-16);
  EXPECT_NEAR(set["q"].stabilisation.damping_ratio, 0.25, 1e-16);
  const std::vector<double>& q = robot.configurations[0].q;
  ConstraintEvaluator evaluator(robot.model, set);
  evaluator.evaluate(Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size())),
                     Eigen::VectorXd::Zero(robot.model.nv()));
  EXPECT_LT(evaluator.position_error().cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Mjcf, LoadNamesTheConstraintsThatAModelDoesNotKeep) {
  const std::string text =
      "<mujoco><worldbody><body name='a'><freejoint/><geom size='.1'/></body></worldbody>"
      "<equality><weld name='held' body1='a'/></equality></mujoco>";
  Diagnostics found;
  EXPECT_EQ(loads(text, {}, &found).nv(), 6);
  ASSERT_NE(find(found, "N_CONSTRAINTS"), nullptr);
  EXPECT_TRUE(has(find(found, "N_CONSTRAINTS")->found, "held"));
}

TEST(Mjcf, GravityOfTheFileCountsUnlessTheCallerHasAnother) {
  const std::string text =
      "<mujoco><option gravity='0 0 -3'/>" + world("<body><joint/><geom size='.1'/></body>") + "</mujoco>";
  EXPECT_EQ(loads(text).gravity().z, -3);
  LoadOptions options;
  options.gravity = {0, 0, 1};
  EXPECT_EQ(loads(text, options).gravity().z, 1);
}

class MjcfFiles : public FilesInAFolder {
 protected:
  Diagnostics refusal(const std::string& path) {
    const Diagnostics found = check_robot(path);
    EXPECT_TRUE(refused(found)) << all(found);
    return found;
  }
};

TEST_F(MjcfFiles, IncludesStandInThePlaceOfTheirElement) {
  write("parts/defaults.xml",
        "<mujocoinclude><compiler angle='radian'/><default><joint axis='0 1 0'/></default></mujocoinclude>");
  write("arm.xml",
        "<any><body pos='0 0 1' euler='.1 .2 .3'><joint name='j'/><geom size='.2' pos='1 0 0'/></body></any>");
  const std::string main =
      write("main.xml",
            "<mujoco><include file='parts/defaults.xml'/><worldbody><body><joint/>"
            "<geom size='.1' pos='1 0 0'/>\n<include file='arm.xml'/></body></worldbody></mujoco>");
  const Model whole = loads(
      "<mujoco><worldbody><body><joint axis='0 1 0'/><geom size='.1' pos='1 0 0'/>"
      "<body pos='0 0 1' euler='5.729577951308232 11.459155902616464 17.188733853924695'>"
      "<joint axis='0 1 0'/><geom size='.2' pos='1 0 0'/></body></body></worldbody></mujoco>");
  const Robot robot = load_robot(main);
  EXPECT_LT(apart(robot.model, whole), 1e-14);
  EXPECT_TRUE(has(joint_of(robot, "j").place.file, "arm.xml"));
}

TEST_F(MjcfFiles, AnIncludeIsRefusedWhereItIsAbsentTwiceOrItself) {
  write("a.xml", "<m><body/></m>");
  const auto main = [&](const std::string& inside) {
    return write("main.xml", "<mujoco>\n" + world(inside) + "</mujoco>");
  };
  for (const char* inside : {"<include file='none.xml'/>", "<include file='a.xml'/><include file='a.xml'/>",
                             "<include file='main.xml'/>", "<include/>"}) {
    const Diagnostics found = refusal(main(inside));
    ASSERT_NE(find(found, "E_MJCF_INCLUDE"), nullptr) << inside << all(found);
    EXPECT_EQ(find(found, "E_MJCF_INCLUDE")->line, 2);
  }
  for (int k = 0; k < 20; ++k)
    write("deep" + std::to_string(k) + ".xml", "<m><include file='deep" + std::to_string(k + 1) + ".xml'/></m>");
  write("deep20.xml", "<m/>");
  EXPECT_NE(find(refusal(main("<include file='deep0.xml'/>")), "E_MJCF_INCLUDE"), nullptr);
  write("wrong.xml", "<m>\n\n<body><jiont/></body></m>");
  const Diagnostics found = refusal(main("<include file='wrong.xml'/>"));
  const Diagnostic* d = find(found, "E_MJCF_ELEMENT");
  ASSERT_NE(d, nullptr) << all(found);
  EXPECT_TRUE(has(d->file, "wrong.xml"));
  EXPECT_EQ(d->line, 3);
}

TEST_F(MjcfFiles, AnAttachedModelKeepsItsCompilerAndItsNamesGetAPrefix) {
  write(
      "child/hand.xml",
      "<mujoco model='hand'><compiler angle='radian'/><default><geom density='500'/></default><worldbody>"
      "<geom size='.2' pos='0 0 .1'/><frame name='f' pos='.3 0 0' euler='.1 .2 .3'><body name='a' pos='0 0 .5' "
      "euler='.3 .2 .1'><joint name='j' axis='0 1 0' range='-1 1'/><geom type='capsule' size='.05 .2'/><body name='b' "
      "pos='0 .1 .3'><joint name='k' type='slide' axis='1 0 1'/><geom type='box' size='.1 .05 "
      ".02'/></body></body></frame>"
      "</worldbody><actuator><motor joint='j' gear='2' armature='.5'/></actuator>"
      "<equality><connect name='e' body1='b' anchor='.1 0 0'/></equality></mujoco>");
  const std::string head =
      "<mujoco><asset><model file='child/hand.xml'/></asset><worldbody><body name='base' pos='0 0 1'>"
      "<joint axis='1 0 0'/><geom size='.1'/>";
  const auto attach = [&](const std::string& how) {
    return load_robot(write("main.xml", head + how + "</body></worldbody></mujoco>"));
  };
  // The same, written into one file.
  const auto flat = [&](const std::string& before, const std::string& pose, const std::string& after) {
    return loads(
        "<mujoco><compiler angle='radian'/><worldbody><body name='base' pos='0 0 1'><joint axis='1 0 0'/>"
        "<geom size='.1'/>" +
        before +
        "<body pos='0 0 .5' euler='.3 .2 .1'><joint axis='0 1 0' armature='2'/>"
        "<geom type='capsule' size='.05 .2' density='500'/><body pos='0 .1 .3'><joint type='slide' axis='1 0 1'/>"
        "<geom type='box' size='.1 .05 .02' density='500'/></body></body>" +
        after + "</body></worldbody></mujoco>" + pose);
  };
  const Robot whole = attach("<attach model='hand' prefix='p/'/>");
  EXPECT_LT(apart(whole.model, flat("<geom size='.2' pos='0 0 .1' density='500'/><frame pos='.3 0 0' euler='.1 .2 .3'>",
                                    "", "</frame>")),
            1e-14);
  EXPECT_NEAR(joint_of(whole, "p/j").upper.at(0), 1, 1e-15);
  EXPECT_EQ(whole.constraints["p/e"].row_names.value().size(), 3u);  // the other file's world is the body here
  EXPECT_EQ(joint_of(whole, "base_joint").actuated, JointDescription::Actuated::no);
  // A frame brings its pose, a body alone does not.
  EXPECT_LT(apart(attach("<attach model='hand' frame='f' prefix='p'/>").model,
                  flat("<frame pos='.3 0 0' euler='.1 .2 .3'>", "", "</frame>")),
            1e-14);
  EXPECT_LT(apart(attach("<attach model='hand' body='a' prefix='p'/>").model, flat("", "", "")), 1e-14);
  // Copies.
  const Robot copies =
      attach("<replicate count='2' sep='-' offset='1 0 0'><attach model='hand' body='b' prefix='p'/></replicate>");
  EXPECT_EQ(joint_of(copies, "pk-1").type, "prismatic");
  const std::string wrong = write("main.xml", head + "<attach model='hadn'/></body></worldbody></mujoco>");
  EXPECT_NE(find(refusal(wrong), "E_MJCF_REFERENCE"), nullptr);
  const std::string none = write("main.xml", head + "<attach model='hand' body='z'/></body></worldbody></mujoco>");
  EXPECT_NE(find(refusal(none), "E_MJCF_REFERENCE"), nullptr);
}

TEST_F(MjcfFiles, MeshFilesAreShapesAndThoseThatAreAbsentOneNote) {
  write("meshes/a.stl", "solid");
  const std::string main =
      write("main.xml",
            "<mujoco><compiler meshdir='meshes'/><asset><mesh file='a.stl' scale='1 2 3'/><mesh file='b.stl'/>"
            "<mesh name='c' file='c.stl'/></asset><worldbody><body><inertial pos='0 0 0' mass='1' "
            "diaginertia='1 1 1'/><geom type='mesh' mesh='a' contype='0' conaffinity='0' rgba='1 0 0 1'/>"
            "<geom type='mesh' mesh='b'/><geom type='box' size='1 2 3'/></body></worldbody></mujoco>");
  Diagnostics found;
  const Robot robot = load_robot(main, {}, &found);
  const std::vector<Shape>& shapes = robot.model.description().links.at(1).shapes;
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes[0].mesh_path, (root_ / "meshes/a.stl").string());
  EXPECT_EQ(shapes[0].size[1], 2);
  EXPECT_EQ(shapes[0].colour[0], 1);
  EXPECT_FALSE(shapes[0].collision);
  EXPECT_EQ(shapes[1].mesh, "meshes/b.stl");
  EXPECT_EQ(shapes[2].size[2], 6);
  EXPECT_TRUE(shapes[2].collision);
  int absent = 0;
  for (const Diagnostic& d : found) absent += d.code == "E_URI_MISSING" && has(d.found, "and 1 more mesh");
  EXPECT_EQ(absent, 1) << all(found);
}

TEST_F(MjcfFiles, AModelThatAttachesItselfIsRefused) {
  const std::string main = write("main.xml",
                                 "<mujoco model='m'><asset><model name='m' file='main.xml'/></asset><worldbody>"
                                 "<body name='a'><attach model='m' prefix='p'/></body></worldbody></mujoco>");
  EXPECT_NE(find(refusal(main), "E_MJCF_INCLUDE"), nullptr);
}

}  // namespace
}  // namespace zwang::test
