// SPDX-License-Identifier: BSD-3-Clause
// Trees made of models and models made of trees: the same poses and torques on both sides.
#include <gtest/gtest.h>

#include <algorithm>

#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/zwang_model.hpp>
#include <zwang/zwang.hpp>

#include "support.hpp"

namespace {

using namespace KDL;
using zwang::test::KdlDraw;

constexpr double k_rounding = 1e-11;  // products of up to nine rotations, torques of up to 1e2

bool is_same(const Frame& F, const zwang::Transform<double>& X) {
  for (int i = 0; i < 3; ++i) {
    if (std::abs(F.p(i) - X.p[i]) > k_rounding) return false;
    for (int j = 0; j < 3; ++j)
      if (std::abs(F.M(i, j) - X.R(i, j)) > k_rounding) return false;
  }
  return true;
}

/// Poses of all tips and torques of a motion, by KDL's names and by zwang's.
void compare(const Tree& tree, const zwang::Model& model, KdlDraw& draw, bool has_tips) {
  const unsigned int n = tree.getNrOfJoints();
  ASSERT_EQ(static_cast<unsigned int>(model.nv()), n);
  const JntArray q = draw.joints(n), v = draw.joints(n), a = draw.joints(n);
  Eigen::VectorXd mq(n), mv(n), ma(n);
  std::vector<zwang::Index> at(n);
  JntArray scale(n);
  for (const auto& [name, element] : tree.getSegments()) {
    if (name == tree.getRootSegment()->first || element.segment.getJoint().getType() == Joint::Fixed) continue;
    for (const zwang::Joint& joint : model.joints())
      if (joint.v.size == 1 && joint.description.child == name) at[element.q_nr] = joint.v.first;
    scale(element.q_nr) = element.segment.getJoint().getScale();
  }
  for (unsigned int j = 0; j < n; ++j) {
    mq[at[j]] = scale(j) * q(j);
    mv[at[j]] = scale(j) * v(j);
    ma[at[j]] = scale(j) * a(j);
  }
  zwang::Data data(model);
  TreeFkSolverPos_recursive fk(tree);
  for (const auto& [name, element] : tree.getSegments()) {
    const auto& frames = model.description().frames;
    const bool has_tip =
        has_tips && std::any_of(frames.begin(), frames.end(),
                                [tip_name = name + "_tip"](const auto& frame) { return frame.name == tip_name; });
    Frame tip;
    ASSERT_EQ(fk.JntToCart(q, tip, name), 0);
    EXPECT_TRUE(is_same(tip, zwang::frame_pose(model, data, mq, has_tip ? name + "_tip" : name))) << name;
  }
  JntArray tau(n);
  ASSERT_EQ(TreeIdSolver_RNE(tree, Vector(0, 0, -9.81)).CartToJnt(q, v, a, WrenchMap(), tau), 0);
  const Eigen::VectorXd expected = zwang::inverse_dynamics(model, data, mq, mv, ma);
  for (unsigned int j = 0; j < n; ++j)
    EXPECT_NEAR(tau(j), scale(j) * expected[at[j]], k_rounding * 100 * (1 + expected.norm()));
}

TEST(KdlModel, TreesBecomeModels) {
  KdlDraw draw(1);
  for (int trial = 0; trial < 10; ++trial) {
    const Tree tree = draw.tree(8, trial % 2 == 0, trial % 3 == 0);
    compare(tree, zwang::build(description_of(tree), {.root = "fixed"}), draw, true);
  }
}

TEST(KdlModel, ModelsBecomeTreesAndModelsAgain) {
  KdlDraw draw(2);
  const zwang::Model arm = zwang::load(ZWANG_MODELS "/arm7.urdf");
  // KDL's solvers know neither damping nor friction.
  zwang::RobotDescription description = arm.description();
  for (zwang::JointDescription& joint : description.joints) joint.damping = joint.friction = joint.stiffness = {};
  const zwang::Model plain = zwang::build(description, {.root = "fixed"});
  const Tree tree = tree_of(description);
  compare(tree, plain, draw, false);
  compare(tree, zwang::build(description_of(tree), {.root = "fixed"}), draw, true);
  for (const zwang::LinkDescription& link : description_of(tree).links)
    EXPECT_NO_THROW(arm.find_link(link.name)) << "links keep their names";
}

TEST(KdlModel, WhatKdlDoesNotHaveIsRefused) {
  zwang::RobotDescription robot;
  robot.links = {{.name = "base"}, {.name = "ball"}};
  robot.joints = {{.name = "socket", .type = "spherical", .parent = "base", .child = "ball"}};
  try {
    tree_of(robot);
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("socket"), std::string::npos);
  }
  robot.joints[0].type = "revolute";
  robot.joints[0].parent = "nobody";
  EXPECT_THROW(tree_of(robot), std::invalid_argument);
  Tree idle("base");
  idle.addSegment(Segment("link", Joint("joint", Joint::RotX, 0.0)), "base");
  EXPECT_THROW(description_of(idle), std::invalid_argument);
}

}  // namespace
