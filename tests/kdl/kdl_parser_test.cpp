// SPDX-License-Identifier: BSD-3-Clause
// kdl_parser's functions: trees of URDF files, of texts and of urdfdom's models
// have the poses and torques of the robot.
#include <gtest/gtest.h>

#if __has_include(<urdf_model/model.h>)
#include <urdf_model/model.h>
#else
#include "kdl/urdf/model.h"
#define ZWANG_KDL_PARSER_HAS_URDF_MODEL
#endif
#include <fstream>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/zwang_model.hpp>
#include <kdl_parser/kdl_parser.hpp>
#include <sstream>
#include <zwang/spatial/exp_log.hpp>
#include <zwang/zwang.hpp>

#include "support.hpp"

namespace zwang::test {
namespace {

const char* const k_robots[] = {ZWANG_MODELS "/arm7.urdf", ZWANG_MODELS "/quadruped.urdf",
                                ZWANG_MODELS "/humanoid.urdf", ZWANG_MODELS "/bird_leg.urdf"};
/// Products of up to nine rotations; torques of some 1e2 N m.
constexpr double k_rounding = 1e-11;

/// The robot as KDL sees it: on a fixed base, all coordinates its own, without damping, friction and springs.
Model plain(RobotDescription robot) {
  for (JointDescription& joint : robot.joints) {
    joint.damping = joint.friction = joint.stiffness = {};
    joint.mimic = {};
  }
  return build(robot, {.root = "fixed"});
}

/// Every segment has the pose of the link of its name, and the torques are those of the model.
void expect_same(const KDL::Tree& tree, const Model& model, unsigned seed) {
  KdlDraw draw(seed);
  const unsigned int n = tree.getNrOfJoints();
  ASSERT_EQ(static_cast<unsigned int>(model.nv()), n);
  ASSERT_EQ(tree.getNrOfSegments() + 1, model.description().links.size());
  const KDL::JntArray q = draw.joints(n), v = draw.joints(n), a = draw.joints(n);
  Eigen::VectorXd mq(n), mv(n), ma(n);
  std::vector<Index> at(n);
  for (const Joint& joint : model.joints()) {
    const auto segment = tree.getSegment(joint.description.child);
    ASSERT_NE(segment, tree.getSegments().end()) << joint.name;
    EXPECT_EQ(segment->second.segment.getJoint().getName(), joint.name);
    if (joint.v.size == 1) at[segment->second.q_nr] = joint.v.first;
  }
  for (unsigned int j = 0; j < n; ++j) mq[at[j]] = q(j), mv[at[j]] = v(j), ma[at[j]] = a(j);
  Data data(model);
  KDL::TreeFkSolverPos_recursive fk(tree);
  for (const Link& link : model.links()) {
    KDL::Frame tip;
    ASSERT_EQ(fk.JntToCart(q, tip, link.name), 0) << link.name;
    const Transform<double> X = frame_pose(model, data, mq, link.name);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(tip.p(i), X.p[i], k_rounding);
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(tip.M(i, j), X.R(i, j), k_rounding);
    }
  }
  KDL::JntArray tau(n);
  ASSERT_EQ(KDL::TreeIdSolver_RNE(tree, KDL::Vector(0, 0, -9.81)).CartToJnt(q, v, a, KDL::WrenchMap(), tau), 0);
  const Eigen::VectorXd expected = inverse_dynamics(model, data, mq, mv, ma);
  for (unsigned int j = 0; j < n; ++j) EXPECT_NEAR(tau(j), expected[at[j]], k_rounding * (1 + expected.norm()));
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(KdlParser, ReadsFilesAndTextsToTheTreeOfTheRobot) {
  unsigned seed = 1;
  for (const char* const path : k_robots) {
    const Model model = plain(read_urdf(path));
    KDL::Tree of_file, of_text;
    ASSERT_TRUE(kdl_parser::treeFromFile(path, of_file)) << path;
    ASSERT_TRUE(kdl_parser::treeFromString(text_of(path), of_text)) << path;
    expect_same(of_file, model, seed++);
    expect_same(of_text, model, seed++);
  }
}

TEST(KdlParser, LetsFollowersMoveByThemselvesAndFixesJointsOfSeveralCoordinates) {
  const auto link = [](const std::string& name) {
    return "<link name='" + name +
           "'><inertial><origin xyz='0.1 0 0.2' rpy='0.3 0 1'/><mass value='2'/><inertia ixx='1' ixy='0.1' "
           "ixz='0' iyy='1.2' iyz='0' izz='1.1'/></inertial></link>";
  };
  const std::string robot =
      "<robot name='r'>" + link("a") + link("b") + link("c") + link("d") +
      "<joint name='ab' type='revolute'><parent link='a'/><child link='b'/><origin xyz='0 0 1' rpy='0.2 0.4 0'/><axis "
      "xyz='0 1 0'/>"
      "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
      "<joint name='bc' type='prismatic'><parent link='b'/><child link='c'/><axis xyz='0 0 1'/><limit lower='-1' "
      "upper='1' effort='1' "
      "velocity='1'/><mimic joint='ab' multiplier='2'/></joint>"
      "<joint name='cd' type='floating'><parent link='c'/><child link='d'/><origin xyz='1 0 0'/></joint></robot>";
  KDL::Tree tree;
  ::testing::internal::CaptureStderr();
  ASSERT_TRUE(kdl_parser::treeFromString(robot, tree));
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("'cd' is floating"), std::string::npos);
  EXPECT_EQ(tree.getNrOfJoints(), 2u);
  RobotDescription same = parse_urdf(robot);
  same.joints.back().type = "fixed";
  expect_same(tree, plain(same), 20);
}

TEST(KdlParser, SaysFalseAndWhyWhereThereIsNoTreeAndLeavesTheTreeAsItWas) {
  KDL::Tree tree("kept");
  ASSERT_TRUE(tree.addSegment(KDL::Segment("one"), "kept"));
  const std::pair<std::string, std::string> wrong[] = {{"no XML", "E_XML"},
                                                       {"<robot name='r'/>", "no root"},
                                                       {"<robot name='r'><link name='a'/><joint/></robot>", "E_"}};
  for (const auto& [text, said] : wrong) {
    ::testing::internal::CaptureStderr();
    EXPECT_FALSE(kdl_parser::treeFromString(text, tree)) << text;
    const std::string why = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(why.find(said), std::string::npos) << why;
    EXPECT_EQ(tree.getNrOfSegments(), 1u);
  }
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(kdl_parser::treeFromFile("no/such/file.urdf", tree));
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("no/such/file.urdf"), std::string::npos);
  EXPECT_EQ(tree.getRootSegment()->first, "kept");
}

/// The same robot as urdfdom has it.
urdf::Pose pose_of(const Transform<double>& X) {
  urdf::Pose pose;
  pose.position.x = X.p[0], pose.position.y = X.p[1], pose.position.z = X.p[2];
  const Quat<double> q = from_rotation(X.R);
  pose.rotation.x = q.x, pose.rotation.y = q.y, pose.rotation.z = q.z, pose.rotation.w = q.w;
  return pose;
}
std::shared_ptr<urdf::Link> link_of(const RobotDescription& robot, const std::string& name) {
  auto link = std::make_shared<urdf::Link>();
  link->name = name;
  for (const LinkDescription& l : robot.links)
    if (l.name == name && l.mass > 0) {
      link->inertial = std::make_shared<urdf::Inertial>();
      urdf::Inertial& i = *link->inertial;
      i.mass = l.mass;
      // In axes that are turned against those of the link.
      const Mat3<double> R = exp_so3(Vec3<double>{0.3, -0.2, 0.5});
      i.origin = pose_of({R, l.centre});
      const Eigen::Matrix3d turn = R.eigen();
      const Sym3<double>& s = l.inertia;
      Eigen::Matrix3d I;
      I << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
      I = turn.transpose() * I * turn;
      i.ixx = I(0, 0), i.ixy = I(0, 1), i.ixz = I(0, 2), i.iyy = I(1, 1), i.iyz = I(1, 2), i.izz = I(2, 2);
    }
  for (const JointDescription& j : robot.joints) {
    if (j.parent != name) continue;
    std::shared_ptr<urdf::Link> child = link_of(robot, j.child);
    child->parent_joint = std::make_shared<urdf::Joint>();
    urdf::Joint& joint = *child->parent_joint;
    joint.name = j.name;
    joint.type = j.type == "revolute"     ? urdf::Joint::REVOLUTE
                 : j.type == "continuous" ? urdf::Joint::CONTINUOUS
                 : j.type == "prismatic"  ? urdf::Joint::PRISMATIC
                                          : urdf::Joint::FIXED;
    joint.axis.x = j.axis.x, joint.axis.y = j.axis.y, joint.axis.z = j.axis.z;
    joint.parent_to_joint_origin_transform = pose_of(j.origin);
    link->child_links.push_back(child);
  }
  return link;
}

TEST(KdlParser, MakesTheSameTreeOfAModelOfUrdfdom) {
  unsigned seed = 40;
  for (const char* const path : k_robots) {
    RobotDescription robot = read_urdf(path);
    for (JointDescription& joint : robot.joints) joint.rotor_inertia = joint.gear_ratio = {};  // urdfdom has no rotors
    urdf::ModelInterface model;
    model.root_link_ = link_of(robot, robot.links.front().name);
    KDL::Tree tree;
    ASSERT_TRUE(kdl_parser::treeFromUrdfModel(model, tree)) << path;
    expect_same(tree, plain(robot), seed++);
  }
  KDL::Tree kept("kept");
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(kdl_parser::treeFromUrdfModel(urdf::ModelInterface(), kept));
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("no root link"), std::string::npos);
}

}  // namespace
}  // namespace zwang::test
