// SPDX-License-Identifier: BSD-3-Clause
// Scales of gravity of links and springs of ball joints in files: MuJoCo's numbers, what is written and read again,
// what other formats lose.
#include <gtest/gtest.h>

#include "support/close.hpp"
#include "support/eigen.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/io/load.hpp"
#include "zwang/io/model.hpp"
#include "zwang/io/robot.hpp"
#include "zwang/io/write.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

Eigen::VectorXd vector(const std::vector<double>& x) { return eigen(x); }
bool has(const std::vector<Loss>& losses, const std::string& code, const std::string& word) {
  return std::any_of(losses.begin(), losses.end(),
                     [&](const Loss& l) { return l.code == code && l.lost.find(word) != std::string::npos; });
}

/// qfrc_passive and qacc of MuJoCo 4.0.0 for this file, without contacts; 1e-10: its principal axes.
constexpr const char* k_file =
    R"(<mujoco><worldbody><body gravcomp=".7"><joint axis="0 1 0" stiffness="3" springref="20" damping=".4"/>)"
    R"(<geom size=".1 .2" type="capsule" pos="1 0 0"/><body name="b" pos="1 0 .2" gravcomp="-.5">)"
    R"(<joint type="ball" pos=".1 0 0" stiffness="6" damping=".2"/><geom type="box" size=".1 .2 .3" pos="0 .2 .1"/>)"
    R"(<body pos="0 0 .4" gravcomp="1.5"><geom size=".15"/><body pos=".3 0 0"><joint type="slide" axis="1 1 0"/>)"
    R"(<joint type="ball" springdamper=".5 .7"/><geom type="ellipsoid" size=".1 .2 .15" pos=".2 .1 0"/>)"
    R"(</body></body></body></body></worldbody></mujoco>)";
const Eigen::VectorXd k_q =
    vector({1.0204595606925912, 0.15545518211086715, -0.21110492939369926, -0.16830153608038123, -0.9502331230248409,
            -0.10779858154488295, -0.05811936965908088, -0.21681163761895175, 0.8327023559475395, -0.5061834045707511});
const Eigen::VectorXd k_v =
    vector({0.11289330661396088, -0.1763153971707977, -0.1406437090756752, -0.33402317305447504, -0.5275752756025607,
            -0.19540048861732737, 0.24097269425339293, -0.11927680328668334});
const Eigen::VectorXd k_passive = vector({-115.20569169900945, -17.909482757676482, -60.56472258495, -46.86080076403889,
                                          0.0, -0.08891899827223901, -1.2828056881121157, 4.136249178257876});
const Eigen::VectorXd k_acceleration =
    vector({3.688917385047283, 8.354179202915711, -6.836880890032287, -34.32353788531225, 7.865305309514508,
            -9.824454713061584, -33.8057620455728, 52.11924634096658});

void expect_mujocos_motion(const Model& model) {
  ASSERT_EQ(model.nq(), k_q.size());
  Data data(model);
  JointEffects bare;
  bare.damping = bare.springs = bare.gravity_scale = false;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv());
  const Eigen::VectorXd passive = Eigen::VectorXd(bias_forces(model, data, k_q, k_v, {}, bare)) -
                                  Eigen::VectorXd(bias_forces(model, data, k_q, k_v));
  EXPECT_TRUE(within(passive, k_passive, 1e-10, 100));
  EXPECT_TRUE(within(Eigen::VectorXd(forward_dynamics(model, data, k_q, k_v, zero)), k_acceleration, 1e-10, 100));
}

TEST(PassiveForcesOfFiles, AreMujocos) {
  Diagnostics found;
  LoadOptions options;
  const Model model = loads(k_file, options, &found);
  for (const Diagnostic& d : found) EXPECT_NE(d.code, "W_MJCF_IGNORED") << d.text();
  EXPECT_EQ(model.link("b").gravity_scale, 1.5);
  expect_mujocos_motion(model);
  const WrittenRobot again = write_mjcf(Robot{model, ConstraintSet(model), {}});
  EXPECT_NE(again.text.find("gravcomp"), std::string::npos);
  expect_mujocos_motion(loads(again.text, options));
  expect_mujocos_motion(model_from_json(to_json(model)));
  const WrittenRobot sdf = write_sdf(Robot{model, ConstraintSet(model), {}}),
                     urdf = write_urdf(Robot{model, ConstraintSet(model), {}});
  for (const WrittenRobot* text : {&sdf, &urdf}) {
    EXPECT_TRUE(has(text->losses, "L_GRAVITY", "gravity_scale 1.5"));
    EXPECT_TRUE(has(text->losses, "L_SPRING", "spring"));
  }
}

// So does MuJoCo 4.0.0: its ngravcomp counts those above 0.
TEST(PassiveForcesOfFiles, BelowZeroAloneIsIgnored) {
  const std::string before = R"(<mujoco><worldbody><body name="b" gravcomp=")",
                    after = R"("><joint axis="0 1 0"/><geom size=".1" pos="1 0 0"/></body></worldbody></mujoco>)";
  Diagnostics found;
  EXPECT_EQ(loads(before + "-.5" + after, {}, &found).link("b").gravity_scale, 1);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Diagnostic& d) { return d.code == "W_MJCF_IGNORED"; }));
  EXPECT_EQ(loads(before + ".5" + after).link("b").gravity_scale, 0.5);
  RobotDescription robot = sample_arm7();
  robot.links[2].gravity_scale = 2;
  const Model heavy = build(robot);
  EXPECT_TRUE(has(write_mjcf(Robot{heavy, ConstraintSet(heavy), {}}).losses, "L_GRAVITY", "2"));
}

TEST(PassiveForcesOfFiles, SdfKnowsAllOrNothing) {
  RobotDescription robot = sample_arm7();
  robot.links[2].gravity_scale = 0;
  const std::string name = robot.links[2].name, other = robot.links[3].name;
  const Model model = build(robot);
  const WrittenRobot text = write_sdf(Robot{model, ConstraintSet(model), {}});
  EXPECT_FALSE(has(text.losses, "L_GRAVITY", "gravity_scale"));
  const Model again = loads(text.text);
  EXPECT_EQ(again.link(name).gravity_scale, 0);
  EXPECT_EQ(again.link(other).gravity_scale, 1);
}

TEST(PassiveForcesOfFiles, AReferenceThatIsTurnedIsLostInMjcf) {
  RobotDescription robot = sample_arm7();
  JointDescription& j = robot.joints[2];
  j.type = "spherical";
  j.lower = j.upper = {};
  j.stiffness = {4};
  j.spring_reference = {0, 0, 1, 1};
  const Model model = build(robot);
  const WrittenRobot text = write_mjcf(Robot{model, ConstraintSet(model), {}});
  EXPECT_TRUE(has(text.losses, "L_SPRING", "turned"));
  EXPECT_EQ(text.text.find("stiffness"), std::string::npos);
}

}  // namespace
}  // namespace zwang::test
