// SPDX-License-Identifier: BSD-3-Clause
// info, check, id, fd: what they print, what they refuse, how they exit.
#include "program.hpp"
#include "zwang/core/instruction_set.hpp"

namespace zwang::test {
namespace {

const char* const k_wrong_mimic =
    "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
    "izz='1'/></inertial></link>\n"
    "<link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
    "izz='1'/></inertial></link>\n"
    "<joint name='shoulder' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/><mimic "
    "joint='sholder'/></joint></robot>";
/// A moving link without mass: inverse dynamics is fine, forward dynamics is not.
const char* const k_massless =
    "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
    "izz='1'/></inertial></link>\n"
    "<link name='b'/><joint name='hinge' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 "
    "1'/></joint></robot>";

TEST(Program, NamesItsCommandsInTheHelpAndItsVersion) {
  const Outcome help = zwang({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* command : {"info", "check", "convert", "id", "fd", "quantities", "solve", "bench"})
    EXPECT_SAYS(help.out, command);
  EXPECT_EQ(zwang({"solve", "--help"}).code, 0);
  EXPECT_SAYS(zwang({"--version"}).out, "zwang 0.");
  EXPECT_SAYS(zwang({"--version"}).out, "(kernels " + instruction_set() + ")");
}

TEST(Program, RefusesWhatItDoesNotKnowWithExitOne) {
  const Outcome typo = zwang({"slove", arm7()});
  EXPECT_EQ(typo.code, 1);
  EXPECT_SAYS(typo.err, "Did you mean 'solve'");
  EXPECT_EQ(zwang({}).code, 1);
  EXPECT_EQ(zwang({"info"}).code, 1);
  EXPECT_EQ(zwang({"info", arm7(), "--colour"}).code, 1);
  EXPECT_EQ(zwang({"info", arm7(), "--mode", "strikt"}).code, 1);
  EXPECT_NE(zwang({"info", arm7(), "--root", "flying"}).code, 0);
  const Outcome json = zwang_json({"slove", arm7()});
  EXPECT_EQ(json.code, 1);
  EXPECT_EQ(json.json()["status"], "usage");
}

TEST(Program, ExitsWithFiveWhereAFileCannotBeReadOrTheOutputNotWritten) {
  EXPECT_EQ(zwang({"info", "nowhere/robot.urdf"}).code, 5);
  EXPECT_EQ(zwang({"check", "nowhere/robot.urdf"}).code, 5);
  EXPECT_EQ(zwang({"solve", "nowhere/problem.json"}).code, 5);
  EXPECT_EQ(zwang({"id", arm7(), "--q", "@nowhere/q.json"}).code, 5);
  EXPECT_EQ(zwang({"info", arm7()}, ">/dev/full").code, 5);
  const Outcome json = zwang_json({"check", "nowhere/robot.urdf"});
  EXPECT_EQ(json.code, 5);
  EXPECT_EQ(json.json()["diagnostics"][0]["code"], "E_FILE");
}

const char* const k_weld =
    "<mujoco model='w'><option gravity='0 0 -3'/><worldbody><body name='a'><freejoint/><geom size='.1'/></body>"
    "</worldbody><equality><weld name='held' body1='a'/></equality></mujoco>";

TEST(Gravity, OfTheCommandCountsBeforeThatOfTheFileAlsoWhereItIsTheDefault) {
  const Folder folder;
  const std::string moon = folder.write("m.xml", k_weld);
  EXPECT_EQ(zwang_json({"info", moon}).json()["gravity"], Json({0.0, 0.0, -3.0}));
  EXPECT_EQ(zwang_json({"info", moon, "--gravity", "0,0,-9.81"}).json()["gravity"], Json({0.0, 0.0, -9.81}));
}

TEST(Constraints, OfAFileAreNamedWhereACommandLacksThem) {
  const Folder folder;
  const std::string held = folder.write("m.xml", k_weld);
  for (const char* command : {"id", "fd"}) {
    const Outcome o = zwang({command, held});
    EXPECT_EQ(o.code, 1) << command;
    EXPECT_SAYS(o.err, "held");
    EXPECT_SAYS(o.err, "zwang solve");
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"info", held}, {"quantities", held, "mass_matrix"}}) {
    const Outcome o = zwang(words);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_SAYS(o.err, "N_CONSTRAINTS");
  }
  EXPECT_EQ(zwang({"convert", held, folder.path("m.json"), "--strict"}).code, 0);
  EXPECT_EQ(zwang({"solve", held}).code, 0);
  EXPECT_EQ(zwang({"check", held}).code, 0);
  const std::string pair = "<predecessor link='a'/><successor link='b'/><ratio value='1'/></coupling>";
  const std::string twice = folder.write(
      "r.urdf",
      "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' "
      "ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link><joint name='j' type='continuous'><parent link='a'/>"
      "<child link='b'/><axis xyz='0 0 1'/></joint><coupling name='c'>" +
          pair + "<coupling name='c'>" + pair + "</robot>");
  EXPECT_EQ(zwang({"check", twice}).code, 2);
  EXPECT_SAYS(zwang({"check", twice}).err, "E_CONSTRAINT");
}

TEST(Check, PrintsADocumentWithCountsWhereTheModelIsFine) {
  const Outcome o = zwang_json({"check", quadruped(), "--root", "floating", "--mode", "strict"});
  ASSERT_EQ(o.code, 0);
  const Json d = o.json();
  EXPECT_EQ(d["status"], "ok");
  EXPECT_EQ(d["model"]["nq"], 19);
  EXPECT_EQ(d["model"]["nv"], 18);
  EXPECT_EQ(d["model"]["links"], 17);
  EXPECT_NEAR(d["model"]["mass"].get<double>(), 25.12, 1e-12);
  EXPECT_SAYS(zwang({"check", quadruped()}).out, "ok, 0 warnings");
}

TEST(Check, RefusesWithExitTwoAndTheWholeDiagnostic) {
  const Folder folder;
  const std::string file = folder.write("wrong.urdf", k_wrong_mimic);
  const Outcome o = zwang_json({"check", file});
  EXPECT_EQ(o.code, 2);
  const Json d = o.json();
  EXPECT_EQ(d["status"], "refused");
  EXPECT_TRUE(d["model"].is_null());
  const Json* mimic = nullptr;
  for (const Json& x : d["diagnostics"])
    if (x["code"] == "E_MIMIC") mimic = &x;
  ASSERT_NE(mimic, nullptr) << d;
  EXPECT_EQ((*mimic)["severity"], "error");
  EXPECT_EQ((*mimic)["file"], file);
  EXPECT_EQ((*mimic)["line"], 3);
  EXPECT_GT((*mimic)["column"].get<int>(), 0);
  for (const char* key : {"path", "found", "expected", "hint"}) EXPECT_TRUE(mimic->contains(key)) << key;
  const Outcome text = zwang({"check", file});
  EXPECT_EQ(text.code, 2);
  EXPECT_SAYS(text.err, "E_MIMIC");
  EXPECT_EQ(text.out, "");
  EXPECT_EQ(zwang({"id", file}).code, 2);
  EXPECT_EQ(zwang_json({"solve", file}).json()["status"], "refused");
}

TEST(Check, TheModeDecidesWhatIsRefused) {
  const Folder folder;
  const std::string file = folder.write("tag.urdf", "<robot name='r'><link name='a'><inertai/></link></robot>");
  EXPECT_EQ(zwang({"check", file}).code, 0);
  EXPECT_SAYS(zwang({"check", file}).err, "W_UNKNOWN_TAG");
  EXPECT_EQ(zwang({"check", file, "--mode", "strict"}).code, 2);
  EXPECT_EQ(zwang({"check", folder.write("mimic.urdf", k_wrong_mimic), "--mode", "lenient"}).code, 0);
}

TEST(Info, TellsJointsLinksLimitsAndWhatWasMerged) {
  const Outcome o = zwang_json({"info", arm7()});
  ASSERT_EQ(o.code, 0);
  const Json d = o.json();
  const Model arm = arm7_model();
  EXPECT_EQ(d["counts"]["nv"], 7);
  EXPECT_NEAR(d["mass"].get<double>(), 18, 1e-12);
  ASSERT_EQ(d["joints"].size(), arm.joints().size());
  const Json& elbow = d["joints"][3];
  EXPECT_EQ(elbow["name"], "joint4");
  EXPECT_EQ(elbow["type"], "revolute");
  EXPECT_EQ(elbow["parent"], "link3");
  EXPECT_EQ(elbow["child"], "link4");
  EXPECT_EQ(elbow["v"]["first"], 3);
  EXPECT_EQ(elbow["v"]["size"], 1);
  EXPECT_EQ(elbow["limits"]["lower"][0], -1.5);
  EXPECT_EQ(elbow["limits"]["effort"][0], 100);
  EXPECT_EQ(elbow["actuated"], true);
  EXPECT_NEAR(elbow["armature"][0].get<double>(), 0.9e-4 * 100 * 100, 1e-12);
  EXPECT_EQ(d["lumped"][0]["link"], "tool0");
  EXPECT_EQ(d["lumped"][0]["into"], "link7");
  EXPECT_EQ(d["links"][1]["name"], "link1");
  EXPECT_EQ(d["links"][1]["parent"], "base");
  EXPECT_EQ(d["links"][1]["centre"][2], 0.09);
  EXPECT_EQ(d["links"][1]["inertia"]["ixx"], arm.links()[1].inertia.xx);
  const Json human = zwang_json({"info", model_file("humanoid.urdf")}).json();
  bool mimics = false;
  for (const Json& j : human["joints"]) mimics = mimics || (j.contains("mimic") && j["mimic"]["joint"] == "gripper");
  EXPECT_TRUE(mimics);
}

TEST(Info, PrintsATableWithUnitsInItsHeaders) {
  const Outcome o = zwang({"info", model_file("four_bar.urdf")});
  EXPECT_EQ(o.code, 0);
  for (const char* part : {"crank_joint", "mass [kg]", "[N m, N]", "no motor", "crank_pin"}) EXPECT_SAYS(o.out, part);
  EXPECT_SAYS(zwang({"info", model_file("humanoid.urdf")}).out, "mimics gripper: 1 q +0");
}

TEST(Info, TakesEveryOptionOfTheModel) {
  EXPECT_EQ(zwang_json({"info", arm7(), "--root", "planar"}).json()["nv"], 10);
  EXPECT_EQ(zwang_json({"info", arm7(), "--root", "auto"}).json()["nv"], 7);
  EXPECT_EQ(zwang_json({"info", arm7(), "--gravity", "-1,0.5,2"}).json()["gravity"], Json({-1.0, 0.5, 2.0}));
  EXPECT_EQ(zwang_json({"info", arm7(), "--keep-fixed"}).json()["counts"]["bodies"], 8);
  EXPECT_EQ(zwang_json({"info", model_file("humanoid.urdf")}).json()["nv"], 31);
  EXPECT_EQ(zwang_json({"info", model_file("humanoid.urdf"), "--expand-mimic"}).json()["nv"], 32);
  EXPECT_EQ(zwang({"info", arm7(), "--gravity", "0,0"}).code, 1);
  EXPECT_EQ(zwang({"info", arm7(), "--gravity", "0,0,nan"}).code, 1);
  EXPECT_EQ(zwang({"info", arm7(), "--package", "nothing"}).code, 1);
}

TEST(Info, FindsPackagesWhereItIsTold) {
  const Folder folder;
  const std::string file = folder.write("mesh.urdf",
                                        "<robot name='r'><link name='a'><visual><geometry><mesh "
                                        "filename='package://parts/a.stl'/></geometry></visual></link></robot>");
  folder.write("a.stl", "solid a\nendsolid a\n");
  EXPECT_EQ(zwang({"check", file, "--mode", "strict", "--no-environment"}).code, 2);
  EXPECT_EQ(zwang({"check", file, "--mode", "strict", "--package", "parts=" + folder.path("")}).code, 0);
}

TEST(InverseDynamics, GivesTheLibrarysNumbersToTheLastBit) {
  const Outcome o = zwang_json(
      {"id", arm7(), "--q", "random:3", "--v", "0.1,-0.2,0.3,0.4,-0.5,0.6,0.7", "--a", "joint2=1.5,joint7=-2"});
  ASSERT_EQ(o.code, 0);
  const Json d = o.json();
  const Model arm = arm7_model();
  Data data(arm);
  const Eigen::VectorXd q = random(arm, 3);
  Eigen::VectorXd v(7), a = Eigen::VectorXd::Zero(7);
  v << 0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7;
  a[1] = 1.5, a[6] = -2;
  EXPECT_EQ(d["status"], "ok");
  EXPECT_EQ(d["names"], Json(arm.coordinate_names()));
  EXPECT_EQ(vector_of(d["tau"]), Eigen::VectorXd(inverse_dynamics(arm, data, q, v, a)));
  EXPECT_SAYS(zwang({"id", arm7()}).out, "torque [N m, N]");
}

TEST(ForwardDynamics, UndoesInverseDynamics) {
  const std::vector<std::string> state = {"--q", "random:5", "--v", "random:6", "--root", "floating"};
  std::vector<std::string> id = {"id", quadruped(), "--a", "random:7"}, fd = {"fd", quadruped()};
  id.insert(id.end(), state.begin(), state.end());
  fd.insert(fd.end(), state.begin(), state.end());
  const Json tau = zwang_json(id).json();
  const Folder folder;
  fd.insert(fd.end(), {"--tau", "@" + folder.write("tau.json", tau["tau"].dump())});
  const Json qdd = zwang_json(fd).json();
  // Drawn from [-1, 1]; the loss is the condition of M, some 1e4, times rounding.
  const Eigen::VectorXd a = vector_of(qdd["qdd"]);
  EXPECT_LE(a.cwiseAbs().maxCoeff(), 1 + 1e-9);
  EXPECT_GT(a.cwiseAbs().maxCoeff(), 0.1);
  const Json again = zwang_json({"id", quadruped(), "--root", "floating", "--q", "random:5", "--v", "random:6", "--a",
                                 "@" + folder.write("a.json", qdd["qdd"].dump())})
                         .json();
  EXPECT_CLOSE(vector_of(again["tau"]), vector_of(tau["tau"]), 1e-11);
}

TEST(ForwardDynamics, AFreeRobotFalls) {
  const Json d = zwang_json({"fd", quadruped(), "--root", "floating", "--tau", "zero"}).json();
  EXPECT_NEAR(d["qdd"][2].get<double>(), -9.81, 1e-11);
  EXPECT_EQ(d["names"][2], "root_joint[2]");
}

TEST(ForwardDynamics, AJointWithoutInertiaIsANumericalOutcome) {
  const Folder folder;
  const std::string file = folder.write("massless.urdf", k_massless);
  EXPECT_EQ(zwang({"id", file}).code, 0);
  const Outcome o = zwang_json({"fd", file});
  EXPECT_EQ(o.code, 3);
  EXPECT_EQ(o.json()["status"], "singular_mass");
  EXPECT_SAYS(zwang({"fd", file}).err, "hinge");
}

TEST(InverseDynamics, NumbersTooLargeForADoubleAreANumericalOutcome) {
  const Outcome o = zwang({"id", arm7(), "--v", "1e200,1e200,1e200,0,0,0,0", "--q", "random:1"});
  EXPECT_EQ(o.code, 3);
  const Json d = zwang_json({"id", arm7(), "--v", "1e200,1e200,1e200,0,0,0,0", "--q", "random:1"}).json();
  EXPECT_EQ(d["status"], "overflow");
}

}  // namespace
}  // namespace zwang::test
