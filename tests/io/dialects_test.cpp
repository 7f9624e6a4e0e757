// SPDX-License-Identifier: BSD-3-Clause
// Elements of other programs that say how a robot moves: read where they say enough,
// warned of by name where they do not.
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "support.hpp"
#include "support/close.hpp"
#include "zwang/io/model.hpp"
#include "zwang/solve/solver.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

const std::string k_hinge = "<origin xyz='1 0 0'/><axis xyz='0 0 1'/>";
/// ground - crank - rod - rocker in a row along x, hinges about z.
std::string row(const std::string& more) {
  return "<robot name='row' xmlns:drake='http://drake.mit.edu'>" + link("ground") + link("crank") + link("rod") +
         link("rocker") + joint("j1", "ground", "crank", "<axis xyz='0 0 1'/>", "continuous") +
         joint("j2", "crank", "rod", k_hinge, "continuous") + joint("j3", "rod", "rocker", k_hinge, "continuous") +
         more + "</robot>";
}
std::string loop_joint(const std::string& type, const std::string& link1, const std::string& link2,
                       const std::string& more = {}) {
  return "<loop_joint name='close' type='" + type + "'><link1 link='rocker' " + link1 + "/><link2 link='ground' " +
         link2 + "/>" + more + "</loop_joint>";
}
LoadOptions closing() {
  LoadOptions options;
  options.loops = ClosedLoops::constraints;
  return options;
}
Eigen::VectorXd motion(const Model& m, const ConstraintSet& set) {
  Solver solver(m, set);
  const Eigen::VectorXd q = Eigen::Vector3d(0.1, -0.2, 0.3), v = Eigen::Vector3d(0.5, 0.4, -0.7),
                        tau = Eigen::Vector3d(1, -2, 3);
  return solver.solve({.q = q, .v = v, .tau = tau}).acceleration;
}

TEST(Dialects, ALoopJointClosesItsLoop) {
  struct Case {
    const char *type, *ours, *axis;
  };
  const std::string at1 = "xyz='1 0.1 0' rpy='0.1 0.2 0.3'", at2 = "xyz='2 0 0.2' rpy='-0.4 0 0.2'";
  for (const Case& c : {Case{"spherical", "spherical", ""}, Case{"ball", "spherical", ""},
                        Case{"revolute", "revolute", "<axis xyz='0 0.6 0.8'/>"}, Case{"fixed", "fixed", ""},
                        Case{"prismatic", "prismatic", "<axis xyz='0 1 0'/>"}}) {
    const Model m = loads(row(loop_joint(c.type, at1, at2, c.axis)), closing());
    ASSERT_EQ(m.loops().size(), 1u) << c.type;
    EXPECT_EQ(m.nv(), 3);
    EXPECT_EQ(m.loops()[0].name, "close");
    EXPECT_EQ(m.loops()[0].type, c.ours);
    ConstraintSet set(m);
    set.add_loops();
    // By hand: the two frames, and rows of that joint between them.
    const auto pose = [](double x, double y, double z, double roll, double pitch, double yaw) {
      const Eigen::Matrix3d R =
          (Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(pitch, Eigen::Vector3d::UnitY()) *
           Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitX()))
              .toRotationMatrix();
      Transform<double> X = Transform<double>::identity();
      X.p = {x, y, z};
      X.R = {{R(0, 0), R(0, 1), R(0, 2)}, {R(1, 0), R(1, 1), R(1, 2)}, {R(2, 0), R(2, 1), R(2, 2)}};
      return X;
    };
    const Model open = loads(row(""))
                           .with_frame("a", "rocker", pose(1, 0.1, 0, 0.1, 0.2, 0.3))
                           .with_frame("b", "ground", pose(2, 0, 0.2, -0.4, 0, 0.2));
    ConstraintSet by_hand(open);
    const Vec3<double> axis = std::string(c.ours) == "revolute" ? Vec3<double>{0, 0.6, 0.8} : Vec3<double>{0, 1, 0};
    by_hand.add(LoopConstraint{.name = "l", .frame = "a", .other = "b", .rows = joint_rows(c.ours, axis)});
    ASSERT_EQ(set.rows(), by_hand.rows()) << c.type;
    const Eigen::VectorXd x = motion(m, set), y = motion(open, by_hand);
    // Rotations written as Euler angles and read again: some eps, and rows that nearly depend amplify it.
    EXPECT_LT((x - y).norm(), 1e-10 * (1 + y.norm())) << c.type;
    const Model again = model_from_json(to_json(m));
    EXPECT_EQ(again.loops().size(), 1u);
  }
}

TEST(Dialects, ALoopJointWithoutAPlaceOnItsSecondLinkAddsNoLink) {
  const Model m = loads(row(loop_joint("spherical", "xyz='1 0 0'", "")), closing());
  EXPECT_EQ(m.links().size(), 4u);
  ASSERT_EQ(m.loops().size(), 1u);
  EXPECT_EQ(m.links()[static_cast<std::size_t>(m.loops()[0].child.value)].name, "ground");
}

TEST(Dialects, ALoopThatStaysOpenIsNamed) {
  for (const char* type : {"spherical", "revolute", "fixed"}) {
    const std::string text = row(loop_joint(type, "xyz='1 0 0'", "xyz='2 0 0'"));
    const Diagnostic d = expect_warning(text, "W_LOOP");
    EXPECT_TRUE(has(d.found, "'close'") && has(d.found, "'rocker'") && has(d.found, "'ground'")) << d.text();
    EXPECT_TRUE(loads(text).loops().empty());
  }
  const std::string drake =
      row("<drake:joint name='close' type='ball'><parent link='rocker'/><child link='ground'/></drake:joint>");
  EXPECT_TRUE(has(expect_warning(drake, "W_LOOP").found, "'close'"));
  EXPECT_EQ(loads(drake).nv(), 3);
  const Model closed = loads(drake, closing());
  ASSERT_EQ(closed.loops().size(), 1u);
  EXPECT_EQ(closed.loops()[0].type, "spherical");
}

TEST(Dialects, ALoopJointNeedsItsTwoLinksAndAKnownType) {
  const auto refused_with = [](const std::string& inside, const char* code) {
    Diagnostics found;
    EXPECT_THROW(loads(row(inside), closing(), &found), ModelError) << inside;
    EXPECT_TRUE(find(found, code)) << all(found);
  };
  refused_with("<loop_joint name='close' type='spherical'><link1 link='rocker'/></loop_joint>", "E_LINK");
  refused_with("<loop_joint name='close' type='spherical'><link1 link='rocker'/><link2/></loop_joint>", "E_LINK");
  refused_with("<loop_joint name='close' type='spherical'><link1 link='rocker'/><link2 link='grund'/></loop_joint>",
               "E_LINK");
  refused_with(loop_joint("gears", "", ""), "E_LOOP");
}

TEST(Dialects, JointsOfDrakeAreThoseOfTheListOfJoints) {
  const auto drake = [](const std::string& type, const std::string& inside) {
    return loads("<robot name='r' xmlns:drake='d'>" + link("a") + link("b") + "<drake:joint name='j' type='" + type +
                 "'><parent link='a'/><child link='b'/><origin xyz='1 2 3' rpy='0.1 0 0'/>" + inside +
                 "</drake:joint></robot>");
  };
  const auto plain = [](const std::string& type, const std::string& inside, const std::string& more = {}) {
    return loads("<robot name='r'>" + link("a") + link("b") + "<joint name='j' type='" + type + "' " + more +
                 "><parent link='a'/><child link='b'/><origin xyz='1 2 3' rpy='0.1 0 0'/>" + inside +
                 "</joint></robot>");
  };
  EXPECT_TRUE(same_robot(drake("ball", ""), plain("spherical", "")));
  EXPECT_TRUE(same_robot(drake("planar", ""), plain("planar", "<axis xyz='0 0 1'/>")));
  EXPECT_TRUE(same_robot(drake("planar", "<axis xyz='0 1 0'/>"), plain("planar", "<axis xyz='0 1 0'/>")));
  const Model screw = drake("screw", "<axis xyz='0 0 1'/><drake:screw_thread_pitch value='0.5'/>");
  Data data(screw);
  const Eigen::VectorXd turn =
      Eigen::VectorXd::Constant(1, 2 * std::numbers::pi);  // one turn travels the pitch along the axis
  forward_kinematics(screw, data, turn);
  const Transform<double> b = frame_pose(screw, data, "b");
  EXPECT_NEAR(std::hypot(b.p.x - 1, b.p.y - 2, b.p.z - 3), 0.5, 1e-14);
  EXPECT_THROW(drake("universal", ""), ModelError);
  EXPECT_THROW(drake("screw", "<axis xyz='0 0 1'/>"), ModelError);
}

TEST(Dialects, WhatSaysHowTheRobotMovesIsNotPassedOverWithoutAWord) {
  for (const char* inside :
       {"<gazebo><joint name='close' type='revolute'><parent>rocker</parent><child>ground</child></joint></gazebo>",
        "<gazebo reference='j1'><springStiffness>3</springStiffness></gazebo>",
        "<gazebo><static>true</static></gazebo>", "<mujoco><equality name='close'/></mujoco>",
        "<drake:ball_constraint name='close'/>", "<drake:linear_bushing_rpy name='close'/>",
        "<ros2_control name='x'><joint name='j1'><param name='mimic'>j2</param></joint></ros2_control>"}) {
    const Diagnostic d = expect_warning(row(inside), "W_UNKNOWN_TAG");
    EXPECT_TRUE(has(d.hint, "it says how the robot moves")) << d.text();
    if (has(inside, "close")) { EXPECT_TRUE(has(d.found, "'close'")) << d.text(); }
    EXPECT_TRUE(find(findings(row(inside), Mode::standard), "W_UNKNOWN_TAG"));
  }
  const std::string in_joint =
      joint("wrist", "upper", "hand", "<axis xyz='0 0 1'/><drake:mimic joint='elbow'/>", "continuous");
  EXPECT_TRUE(has(expect_warning(arm(link("hand") + in_joint), "W_UNKNOWN_TAG").found, "<drake:mimic>"));
  for (const char* inside :
       {"<gazebo><plugin name='p' filename='x'><joint>j1</joint></plugin></gazebo>",
        "<gazebo reference='crank'><mu1>1</mu1></gazebo>", "<mujoco><compiler meshdir='x'/></mujoco>",
        "<drake:collision_filter_group name='g'/>",
        "<ros2_control name='x'><joint name='j1'><command_interface name='position'/></joint></ros2_control>"})
    EXPECT_FALSE(find(findings(row(inside)), "W_UNKNOWN_TAG")) << inside;
}

}  // namespace
}  // namespace zwang::test
