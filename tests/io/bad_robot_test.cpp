// SPDX-License-Identifier: BSD-3-Clause
// Rows of the table of bad inputs that concern the robot: structure, inertia, axes, limits, mimic, types.
#include <cmath>

#include "support.hpp"
#include "zwang/io/model.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

std::string inertial(const std::string& mass, const std::string& i) {
  return "<inertial><mass value='" + mass + "'/><inertia " + i + "/></inertial>";
}
const char* const k_indefinite = "ixx='1' ixy='2' ixz='0' iyy='1' iyz='0' izz='1'";  // eigenvalues -1, 1, 3
std::string one_joint(const std::string& inside, const std::string& type = "revolute") {
  return robot(link("a") + link("b") + joint("j", "a", "b", inside, type));
}
const std::string k_limit = "<limit lower='-1' upper='2' effort='3' velocity='4'/>";

TEST(BadInput05, BothLinesOfADuplicateAreCited) {
  const Diagnostic d = expect_refused(robot(link("a") + link("b") + link("a") + joint("j", "a", "b")), "E_DUPLICATE");
  EXPECT_EQ(d.line, 4);
  EXPECT_TRUE(has(d.hint, "line 2")) << d.text();
  EXPECT_EQ(expect_refused(arm(link("c") + joint("elbow", "lower", "c")), "E_DUPLICATE").line, 8);
}

TEST(BadInput06, AnUnknownLinkGetsTheNearestName) {
  const Diagnostic d = expect_repairable(arm(link("tip") + joint("wrist", "lowre", "tip")), "E_LINK");
  EXPECT_EQ(d.path, "robot/joint[wrist]/parent");
  EXPECT_TRUE(has(d.hint, "'lower'")) << d.text();
  EXPECT_EQ(d.line, 8);
  EXPECT_EQ(d.column, 39) << "of the <parent> element";
  expect_repairable(robot(link("a") + "<joint name='j' type='fixed'><child link='a'/></joint>"), "E_LINK");
  EXPECT_EQ(lenient(arm(link("tip") + joint("wrist", "lowre", "tip"))).joints.size(), 2u);
}

TEST(BadInput07, ACycleWithoutRootIsPrinted) {
  const Diagnostic d =
      expect_refused(robot(link("a") + link("b") + joint("j", "a", "b") + joint("k", "b", "a")), "E_CYCLE");
  EXPECT_EQ(d.found, "'a' -> 'b' -> 'a'");
}

TEST(BadInput08, ADetachedCycleIsFoundBesideAGoodTree) {
  const std::string text = arm(link("x") + link("y") + link("hanger") + joint("j", "x", "y") + joint("k", "y", "x") +
                               joint("l", "y", "hanger"));
  EXPECT_EQ(expect_repairable(text, "E_CYCLE").found, "'x' -> 'y' -> 'x'");
  const RobotDescription r = lenient(text);
  EXPECT_EQ(r.links.size(), 3u);
  EXPECT_EQ(r.joints.size(), 2u);
}

TEST(BadInput09, AJointOntoItselfIsRefused) {
  EXPECT_EQ(expect_repairable(arm(joint("j", "lower", "lower")), "E_SELF_JOINT").path, "robot/joint[j]");
  EXPECT_EQ(lenient(arm(joint("j", "lower", "lower"))).joints.size(), 2u);
}

TEST(BadInput10, ASecondParentIsOfferedAsTheCutJointOfALoop) {
  const std::string text =
      arm(link("rod") + joint("side", "base", "rod") + joint("pin", "rod", "lower", "<origin xyz='1 2 3'/>" + k_limit));
  const Diagnostic d = expect_repairable(text, "E_TWO_PARENTS");
  EXPECT_TRUE(has(d.hint, "cut joint 'pin'")) << d.text();
  EXPECT_TRUE(has(d.found, "'elbow'")) << d.text();
  const RobotDescription r = lenient(text);
  ASSERT_EQ(r.frames.size(), 2u);
  EXPECT_EQ(r.frames[0].name, "pin_predecessor");
  EXPECT_EQ(r.frames[0].parent, "rod");
  EXPECT_EQ(r.frames[0].placement.p.z, 3.0);
  EXPECT_EQ(r.frames[1].parent, "lower");
}

TEST(BadInput10, TheKeptJointIsTheOneThatLeadsToARoot) {
  // Document order alone would keep `back` and leave b and c in a cycle.
  const RobotDescription r = lenient(
      robot(link("a") + link("b") + link("c") + joint("back", "c", "b") + joint("j", "a", "b") + joint("k", "b", "c")));
  ASSERT_EQ(r.joints.size(), 2u);
  EXPECT_EQ(r.joints[0].name, "j");
}

TEST(BadInput11, SeveralRootsAreNamed) {
  const Diagnostic d = expect_warning(arm(link("loner")), "W_ROOTS");
  EXPECT_TRUE(has(d.found, "'base' 'loner'")) << d.text();
}

TEST(BadInput13, IndefiniteInertiaIsRefusedWithItsEigenvalues) {
  const Diagnostic d =
      expect_repairable(arm(link("tip", inertial("1", k_indefinite)) + joint("wrist", "lower", "tip")), "E_INERTIA");
  EXPECT_TRUE(has(d.found, "eigenvalues -1")) << d.text();
  EXPECT_EQ(d.path, "robot/link[tip]/inertial/inertia");
  EXPECT_EQ(d.line, 7);
  const RobotDescription r = lenient(arm(link("tip", inertial("1", k_indefinite)) + joint("wrist", "lower", "tip")));
  const PrincipalInertia p = principal_inertia(r.links[3].inertia);
  EXPECT_NEAR(p.moment[0], 0, 1e-15);
  EXPECT_NEAR(p.moment[1], 1, 1e-14);
  EXPECT_NEAR(p.moment[2], 3, 1e-14);
}

TEST(BadInput13, IndefiniteInertiaOnAFixedJointIsAWarningWhereTheBodyIsFine) {
  const std::string antenna =
      link("antenna", inertial("0.01", "ixx='1e-6' ixy='2e-6' ixz='0' iyy='1e-6' iyz='0' izz='1e-6'"));
  expect_warning(arm(antenna + joint("mount", "lower", "antenna", "<origin xyz='0.1 0 0'/>", "fixed")), "W_INERTIA");
  expect_repairable(arm(link("antenna", inertial("1", k_indefinite)) + joint("mount", "lower", "antenna", "", "fixed")),
                    "E_INERTIA");
}

TEST(BadInput13, APointMassWithTheRoundingOfAnExportIsAWarning) {
  // m c^2 = 1.7e-2 kg m^2 is what the inertia is added to.
  const auto knee = [](const std::string& xz) {
    return robot(link("base") +
                 link("knee",
                      "<inertial><origin xyz='0.0185 -0.1108 0'/><mass value='1.33687'/><inertia ixx='0' ixy='0' "
                      "ixz='" +
                          xz + "' iyy='0' iyz='0' izz='0'/></inertial>") +
                 joint("j", "base", "knee"));
  };
  for (const char* xz : {"2.40741e-35", "1e-18", "1e-15"}) expect_warning(knee(xz), "W_INERTIA");
  const Diagnostic d = expect_repairable(knee("1e-12"), "E_INERTIA");
  EXPECT_EQ(d.hint, "mode lenient loads it");
}

TEST(BadInput13, NegativeMassNanAndHalfATensorAreRefused) {
  EXPECT_EQ(
      expect_refused(robot(link("a", inertial("-1.5", "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'"))), "E_INERTIA")
          .found,
      "mass -1.5");
  expect_refused(robot(link("a", inertial("1", "ixx='1' ixy='nan' ixz='0' iyy='1' iyz='0' izz='1'"))), "E_INERTIA");
  const Diagnostic d =
      expect_repairable(robot(link("a", inertial("1", "ixx='1' ixz='0' iyy='1' iyz='0' izz='1'"))), "E_INERTIA");
  EXPECT_TRUE(has(d.found, "'ixy'")) << d.text();
  expect_repairable(robot(link("a", "<inertial><mass value='1'/></inertial>")), "E_INERTIA");
}

TEST(BadInput14, ATriangleViolationGetsAProposal) {
  const Diagnostic d = expect_warning(
      robot(link("a", inertial("1", "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='5'"))), "W_INERTIA_TRIANGLE");
  EXPECT_TRUE(has(d.hint, "2, 2, 4")) << d.text();
  EXPECT_FALSE(find(findings(robot(link("a", inertial("1", "ixx='1' ixy='0' ixz='0' iyy='2' iyz='0' izz='3'")))),
                    "W_INERTIA_TRIANGLE"))
      << "a flat plate is fine";
}

TEST(BadInput15, AMasslessMovingTipIsNamed) {
  const Diagnostic d = expect_warning(arm(link("tip", "") + joint("wrist", "lower", "tip")), "W_MASSLESS");
  EXPECT_TRUE(has(d.found, "'wrist'")) << d.text();
  EXPECT_FALSE(find(findings(arm(link("tip", "") + joint("tool", "lower", "tip", "", "fixed"))), "W_MASSLESS"));
  EXPECT_FALSE(find(findings(arm(link("mid", "") + joint("wrist", "lower", "mid") + link("end") +
                                 joint("tool", "mid", "end", "", "fixed"))),
                    "W_MASSLESS"));
}

TEST(BadInput16, HugeMassesAndRatiosAreReported) {
  const std::string tensor = "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'";
  EXPECT_TRUE(has(expect_warning(robot(link("a", inertial("1e308", tensor))), "W_CONDITION").found, "1e+308"));
  expect_warning(robot(link("a", inertial("1e6", tensor)) + link("b", inertial("1e-6", tensor)) + joint("j", "a", "b")),
                 "W_CONDITION");
  expect_refused(
      robot(link("a", inertial("1.7e308", tensor)) + link("b", inertial("1e308", tensor)) + joint("j", "a", "b")),
      "E_INERTIA");
}

TEST(BadInput17, AxesAreNormalisedOrRefused) {
  EXPECT_EQ(expect_refused(one_joint("<axis xyz='0 0 0'/>" + k_limit), "E_AXIS").path, "robot/joint[j]/axis");
  expect_refused(one_joint("<axis xyz='nan 0 1'/>" + k_limit), "E_NUMBER");
  expect_refused(one_joint("<axis/>" + k_limit), "E_VECTOR_SIZE");
  EXPECT_TRUE(has(expect_warning(one_joint("<axis xyz='0 0 2'/>" + k_limit), "W_AXIS").hint, "length 2"));
  EXPECT_FALSE(find(findings(one_joint("<axis xyz='0.57735 0.57735 0.57735'/>" + k_limit)), "W_AXIS"));
  EXPECT_EQ(expect(one_joint(k_limit), Mode::strict, "N_AXIS", Severity::note).path, "robot/joint[j]");
  EXPECT_EQ(parse_urdf(one_joint(k_limit)).joints[0].axis.x, 1.0);
}

TEST(BadInput19, LimitsMustMakeSense) {
  const std::string swapped = one_joint("<axis xyz='0 0 1'/><limit lower='2' upper='-1' effort='3' velocity='4'/>");
  const Diagnostic d = expect_repairable(swapped, "E_LIMIT");
  EXPECT_EQ(d.path, "robot/joint[j]/limit");
  EXPECT_EQ(lenient(swapped).joints[0].lower[0], -1.0);
  EXPECT_EQ(lenient(swapped).joints[0].upper[0], 2.0);
  expect_repairable(one_joint("<axis xyz='0 0 1'/><limit lower='nan' upper='1' effort='3' velocity='4'/>"), "E_LIMIT");
  const std::string negative = one_joint("<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='-3' velocity='4'/>");
  EXPECT_EQ(expect_repairable(negative, "E_LIMIT").found, "effort -3");
  EXPECT_TRUE(std::isnan(lenient(negative).joints[0].effort[0]));
}

TEST(BadInput19, InfinitiesOnTheSideOfALimitAreNone) {
  const auto limit = [](const std::string& inside, const char* type = "revolute") {
    return one_joint("<axis xyz='0 0 1'/><limit " + inside + "/>", type);
  };
  for (const char* type : {"revolute", "prismatic", "continuous"})
    for (const char* words : {"lower='-inf' upper='inf' velocity='inf' effort='inf'",
                              "lower='-INF' upper='+Infinity' velocity='INF' effort='+inf'",
                              "lower=' -infinity ' upper='Inf' velocity='inf' effort='infinity' jerk='inf'"}) {
      const Diagnostics found = findings(limit(words, type));
      EXPECT_FALSE(refused(found)) << words;
      EXPECT_FALSE(find(found, "W_LIMIT")) << words;
      const Model m = loads(limit(words, type));
      EXPECT_EQ(m.lower()[0], -unlimited);
      EXPECT_EQ(m.upper()[0], unlimited);
      EXPECT_EQ(m.velocity_limit()[0], unlimited);
      EXPECT_EQ(m.effort_limit()[0], unlimited);
    }
  for (const char* words : {"lower='inf' upper='1'", "lower='-1' upper='-inf'", "velocity='-inf'", "effort='nan'"})
    expect_repairable(limit(words), "E_LIMIT");
  expect_refused(limit("lower='-1' upper='1e999'"), "E_NUMBER");
  RobotDescription robot = parse_urdf(limit("lower='-1' upper='1' velocity='1' effort='1'"));
  robot.joints[0].lower = {unlimited};
  robot.joints[0].upper = {unlimited};
  EXPECT_THROW(build(robot), ModelError);
}

/// What exporters write where they know nothing; of joints of several coordinates and of documents, too.
TEST(BadInput19, ABoundOfZeroIsUnknown) {
  const auto limit = [](const std::string& inside, const char* type = "revolute") {
    return one_joint("<axis xyz='0 0 1'/><limit lower='-1' upper='1' " + inside + "/>", type);
  };
  for (const char* type : {"revolute", "prismatic"}) {
    const std::string text = limit("velocity='0' effort='0.0'", type);
    EXPECT_EQ(expect_warning(text, "W_LIMIT").found, "velocity 0 and effort 0");
    const Model m = loads(text), again = model_from_json(to_json(m)), made = build(parse_urdf(text));
    for (const Model* x : {&m, &again, &made}) {
      EXPECT_TRUE(std::isnan(x->velocity_limit()[0]) && std::isnan(x->effort_limit()[0]));
      EXPECT_EQ(x->lower()[0], -1.0);
      EXPECT_EQ(motor_limits(*x).upper[0], unlimited);
    }
  }
  EXPECT_EQ(expect_warning(limit("velocity='-0' effort='3'"), "W_LIMIT").found, "velocity 0");
  EXPECT_EQ(loads(limit("velocity='0' effort='3'")).effort_limit()[0], 3.0);
  EXPECT_EQ(
      expect_warning(one_joint("<axis xyz='0 0 1'/><limit lower='0' upper='0' effort='3' velocity='4'/>"), "W_LIMIT")
          .found,
      "lower 0 and upper 0");
  RobotDescription robot = parse_urdf(limit("velocity='2' effort='0'"));
  robot.joints[0].actuated = JointDescription::Actuated::no;  // has no motor, and none is missed
  EXPECT_FALSE(find(build(robot).diagnostics(), "W_LIMIT"));
  robot.joints[0].type = "planar";
  robot.joints[0].lower = robot.joints[0].upper = {};
  robot.joints[0].velocity = {1, 0, 2};
  const Model planar = build(robot);
  EXPECT_EQ(planar.velocity_limit()[0], 1.0);
  EXPECT_TRUE(std::isnan(planar.velocity_limit()[1]));
}

TEST(BadInput20, ARevoluteJointWithoutLimitIsUnlimited) {
  expect_warning(one_joint("<axis xyz='0 0 1'/>"), "W_LIMIT");
  EXPECT_TRUE(parse_urdf(one_joint("<axis xyz='0 0 1'/>")).joints[0].lower.empty());
  EXPECT_FALSE(find(findings(one_joint("<axis xyz='0 0 1'/>", "continuous")), "W_LIMIT"));
  EXPECT_EQ(parse_urdf(one_joint("<axis xyz='0 0 1'/>", "continuous")).joints[0].upper[0], unlimited);
}

std::string mimics(const std::string& first, const std::string& second) {
  return robot(link("a") + link("b") + link("c") + link("d") + joint("lead", "a", "b") +
               joint("one", "b", "c", first + k_limit) + joint("two", "c", "d", second + k_limit));
}

TEST(BadInput21, MimicFaultsAreRefusedWithTheirChain) {
  const Diagnostic d = expect_repairable(mimics("<mimic joint='laed'/>", ""), "E_MIMIC");
  EXPECT_EQ(d.path, "robot/joint[one]/mimic");
  EXPECT_TRUE(has(d.hint, "'lead'")) << d.text();
  EXPECT_EQ(expect_repairable(mimics("<mimic joint='one'/>", ""), "E_MIMIC").found, "'one' -> 'one'");
  EXPECT_EQ(expect_repairable(mimics("<mimic joint='two'/>", "<mimic joint='one'/>"), "E_MIMIC").found,
            "'one' -> 'two' -> 'one'");
  expect_refused(mimics("<mimic joint='lead' multiplier='nan'/>", ""), "E_MIMIC");
  expect_repairable(mimics("<mimic/>", ""), "E_MIMIC");
  EXPECT_FALSE(refused(findings(mimics("<mimic joint='lead' multiplier='2' offset='0.1'/>", "<mimic joint='one'/>"))))
      << "a chain is fine";
  const RobotDescription r = lenient(mimics("<mimic joint='two'/>", "<mimic joint='one'/>"));
  EXPECT_NE(r.joints[1].mimic.leader.empty(), r.joints[2].mimic.leader.empty()) << "one link of the circle is cut";
}

TEST(BadInput21, MimicOnAFixedJointIsAWarning) {
  const std::string text = robot(link("a") + link("b") + link("c") + joint("lead", "a", "b") +
                                 joint("one", "b", "c", "<mimic joint='lead'/>", "fixed"));
  expect_warning(text, "W_MIMIC");
}

TEST(BadInput22, AnUnknownTypeGetsTheListOfTypes) {
  const Diagnostic d = expect_refused(one_joint(k_limit, "revolut"), "E_JOINT_TYPE");
  EXPECT_TRUE(has(d.expected, "prismatic") && has(d.expected, "fixed") && has(d.expected, "continuous")) << d.text();
  EXPECT_TRUE(has(d.hint, "'revolute'")) << d.text();
  expect_refused(robot(link("a") + link("b") + "<joint name='j'><parent link='a'/><child link='b'/></joint>"),
                 "E_JOINT_TYPE");
}

TEST(BadInput22, TypesBeyondUrdfTakeTheirNumbers) {
  std::string text = one_joint("<axis xyz='0 0 1'/>", "helical");
  expect_refused(text, "E_PARAMETERS");
  text.replace(text.find("type='helical'"), 14, "type='helical' pitch='0.25'");
  EXPECT_FALSE(refused(findings(text))) << all(findings(text));
  EXPECT_EQ(parse_urdf(text).joints[0].parameters, std::vector<double>{0.25});
}

TEST(BadInput24, NegativeDampingAndFrictionAreWarnings) {
  EXPECT_EQ(expect_warning(one_joint("<axis xyz='0 0 1'/><dynamics damping='-0.5'/>" + k_limit), "W_DAMPING").found,
            "damping -0.5");
  expect_warning(one_joint("<axis xyz='0 0 1'/><dynamics friction='-1'/>" + k_limit), "W_FRICTION");
}

}  // namespace
}  // namespace zwang::test
