// SPDX-License-Identifier: BSD-3-Clause
// check on robots made by hand, principal moments, and the texts of diagnostics and errors.
#include <cmath>
#include <random>

#include "support.hpp"

namespace zwang::test {
namespace {

RobotDescription two_links() {
  RobotDescription r;
  for (const char* name : {"a", "b"}) {
    LinkDescription l;
    l.name = name;
    l.mass = 2;
    l.inertia = Sym3<double>::diagonal(0.3, 0.4, 0.5);
    r.links.push_back(l);
  }
  JointDescription j;
  j.name = "j";
  j.type = "revolute";
  j.parent = "a";
  j.child = "b";
  r.joints.push_back(j);
  return r;
}
std::string first_code(const RobotDescription& r, const BuildOptions& options = {}) {
  const Diagnostics found = check(r, options);
  return found.empty() ? "" : found.front().code;
}

TEST(Check, AHandMadeRobotNeedsNoPlacesAndNoLimits) {
  RobotDescription r = two_links();
  EXPECT_EQ(first_code(r), "");
  r.joints[0].child = "bb";
  const Diagnostics found = check(r);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().path, "robot/joint[j]/child");
  EXPECT_EQ(found.front().line, 0);
}

TEST(Check, NumbersThatOnlyHandsCanWriteAreRefused) {
  const double nan = std::nan("");
  RobotDescription r = two_links();
  r.links[0].mass = nan;
  EXPECT_EQ(first_code(r), "E_NUMBER");
  r = two_links();
  r.links[0].inertia.xy = nan;
  EXPECT_EQ(first_code(r), "E_INERTIA");
  r = two_links();
  r.joints[0].origin.R.r0.x = 0.9;
  EXPECT_EQ(first_code(r), "E_ROTATION");
  r = two_links();
  r.joints[0].origin.R.r2.z = -1;
  EXPECT_EQ(first_code(r), "E_ROTATION") << "a mirror";
  r = two_links();
  r.joints[0].origin.p.y = nan;
  EXPECT_EQ(first_code(r), "E_NUMBER");
  r = two_links();
  r.joints[0].axis = {nan, 0, 1};
  EXPECT_EQ(first_code(r), "E_AXIS");
  r = two_links();
  r.joints[0].damping = {nan};
  EXPECT_EQ(first_code(r), "E_NUMBER");
  r = two_links();
  r.joints[0].rotor_inertia = {-1e-3};
  EXPECT_EQ(first_code(r), "E_INERTIA");
  r = two_links();
  r.joints[0].mimic = {"j", nan, 0};
  EXPECT_EQ(first_code(r), "E_MIMIC");
  r = two_links();
  r.joints[0].lower = {-1, -1};
  EXPECT_EQ(first_code(r), "E_PARAMETERS");
  BuildOptions options;
  options.root = "floatin";
  EXPECT_EQ(first_code(two_links(), options), "E_JOINT_TYPE");
}

TEST(Check, FramesMustEndInALink) {
  RobotDescription r = two_links();
  r.frames = {{"f", "g"}, {"g", "b"}};
  EXPECT_EQ(first_code(r), "");
  r.frames = {{"f", "g"}, {"g", "h"}, {"h", "g"}};
  EXPECT_EQ(check(r).front().found, "'g' -> 'h' -> 'g'");
  r.frames = {{"f", "nothing"}};
  EXPECT_EQ(first_code(r), "E_LINK");
  r.frames = {{"f", "a"}, {"f", "b"}};
  EXPECT_EQ(first_code(r), "E_DUPLICATE");
  r.frames = {{"b", "a"}};
  EXPECT_EQ(first_code(r), "E_DUPLICATE");
}

TEST(Check, FixedAndFloatingRobotsWithoutJointsAreFine) {  // row 43
  RobotDescription r = two_links();
  r.joints[0].type = "fixed";
  EXPECT_EQ(first_code(r), "");
  r.joints.clear();
  r.links.pop_back();
  EXPECT_EQ(first_code(r), "");
  BuildOptions options;
  options.root = "floating";
  EXPECT_EQ(first_code(r, options), "");
}

TEST(Check, PrincipalMomentsDiagonaliseRandomTensors) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int k = 0; k < 2000; ++k) {
    const double scale = std::pow(10.0, 6 * u(random));
    const Sym3<double> m = Sym3<double>(u(random), u(random), u(random), u(random), u(random), u(random)) * scale;
    const PrincipalInertia p = principal_inertia(m);
    EXPECT_LE(p.moment[0], p.moment[1]);
    EXPECT_LE(p.moment[1], p.moment[2]);
    const Sym3<double> back = congruence(p.axes, Sym3<double>::diagonal(p.moment[0], p.moment[1], p.moment[2]));
    const double tolerance = 64 * 2.2e-16 * scale;  // some 20 rotations, each within a few roundings of the norm
    for (const double d :
         {back.xx - m.xx, back.xy - m.xy, back.xz - m.xz, back.yy - m.yy, back.yz - m.yz, back.zz - m.zz})
      EXPECT_NEAR(d, 0, tolerance);
  }
}

TEST(Diagnostic, TextHasCodePlacePathFoundExpectedAndHint) {
  Diagnostic d;
  d.code = "E_MIMIC";
  d.file = "a.urdf";
  d.line = 12;
  d.column = 5;
  d.path = "robot/joint[elbow]/mimic";
  d.found = "'shoulderx'";
  d.expected = "a joint of this robot";
  d.hint = "did you mean 'shoulder'?";
  EXPECT_EQ(d.text(),
            "E_MIMIC a.urdf:12:5 robot/joint[elbow]/mimic: found 'shoulderx', expected a joint of this robot (did you "
            "mean 'shoulder'?)");
}

TEST(Diagnostic, AModelErrorStartsWithItsFirstError) {
  Diagnostics found(3);
  found[0].severity = Severity::warning;
  found[0].code = "W_A";
  found[1].code = "E_B";
  found[2].code = "E_C";
  const ModelError error(found);
  EXPECT_EQ(error.code(), "E_B");
  EXPECT_EQ(error.diagnostics().size(), 3u);
  EXPECT_TRUE(has(error.what(), "E_B") && has(error.what(), "1 more error")) << error.what();
  EXPECT_EQ(ModelError({}).code(), "E_MODEL");
}

TEST(NearestName, FindsAPartOfTheName) {
  const std::vector<std::string> links = {"left_sole_link",       "right_sole_link", "left_hip",
                                          "base_left_sole_extra", "camera/left_eye", "left_hole_of_the_foot"};
  EXPECT_EQ(nearest_name("left_sole", links), "left_sole_link");
  EXPECT_EQ(nearest_name("LEFT_SOLE", links), "left_sole_link");
  EXPECT_EQ(nearest_name("left_eye", links), "camera/left_eye") << "a suffix";
  EXPECT_EQ(nearest_name("left_hip_frame", links), "left_hip") << "a name that is a part of what was asked for";
  EXPECT_EQ(nearest_name("eft_sole_link", links), "left_sole_link") << "one letter is nearer than a part";
  EXPECT_EQ(nearest_name("le", links), "") << "parts are whole words";
  EXPECT_EQ(nearest_name("pv", {"dense_lu", "pv_early", "pv_full"}), "pv_full") << "the shortest";
}

TEST(NearestName, SaysAllThatShareThePart) {
  std::vector<std::string> known = {"foot_left_toe", "foot_left", "foot_right"};
  for (int k = 0; k < 100; ++k) known.push_back("link" + std::to_string(k));
  const auto text = [&](const std::string& name) -> std::string {
    try {
      detail::throw_unknown("frame", name, known);
    } catch (const std::invalid_argument& error) { return error.what(); }
  };
  EXPECT_EQ(text("foot"),
            "E_NAME: there is no frame named 'foot'; did you mean 'foot_left', 'foot_right' or 'foot_left_toe'?");
  EXPECT_EQ(text("foot_right_sole"), "E_NAME: there is no frame named 'foot_right_sole'; did you mean 'foot_right'?");
}

TEST(NearestName, FindsSlipsSwapsAndCase) {
  const std::vector<std::string> known = {"shoulder", "elbow", "wrist_roll", "wrist_pitch", "Tool0"};
  EXPECT_EQ(nearest_name("shoudler", known), "shoulder");
  EXPECT_EQ(nearest_name("elbo", known), "elbow");
  EXPECT_EQ(nearest_name("TOOL0", known), "Tool0");
  EXPECT_EQ(nearest_name("wrist_rol", known), "wrist_roll");
  EXPECT_EQ(nearest_name("gripper", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'a'), {std::string(100000, 'b')}), "");
}

}  // namespace
}  // namespace zwang::test
