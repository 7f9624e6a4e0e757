// SPDX-License-Identifier: BSD-3-Clause
// Problem files: every key that is there, every key that is not there yet, and files that are no problems.
#include "program.hpp"

namespace zwang::test {
namespace {

std::string refusal_of_text(const std::string& text) {
  const Folder folder;
  const Outcome o = zwang({"solve", folder.write("problem.json", text)});
  EXPECT_EQ(o.code, 1);
  return o.err;
}

/// Acceleration of the tool under the printed accelerations.
Motion<double> tool_acceleration(const Json& d, AccelerationKind kind, Reference reference) {
  const Model arm = arm7_model();
  Data data(arm);
  const Eigen::VectorXd q = random(arm, 1);
  Eigen::VectorXd v = zero(arm);
  v << 0.4, -0.3, 0.2, 0.5, -0.6, 0.7, -0.8;
  forward_kinematics(arm, data, q, v, vector_of(d["qdd"]));
  return frame_acceleration(arm, data, arm.find_frame("tool0"), kind, reference);
}
Json moving(const std::string& change) {
  Json p = arm_problem(change);
  p["state"]["v"] = {0.4, -0.3, 0.2, 0.5, -0.6, 0.7, -0.8};
  return p;
}

TEST(Problem, BetaIsTheClassicalAccelerationOfTheFrameInWorldAxes) {
  const Motion<double> a =
      tool_acceleration(solved(moving("{}")), AccelerationKind::classical, Reference::local_world_aligned);
  // Terms of some 10 m/s^2 in a chain of seven: 1e-11 is a generous count of roundings, far below 0.1.
  EXPECT_NEAR(a.v.x, 0.1, 1e-11);
  EXPECT_NEAR(a.v.y, 0.2, 1e-11);
  EXPECT_NEAR(a.w.x, 0.3, 1e-11);
  EXPECT_NEAR(a.w.y, 0.4, 1e-11);
  EXPECT_NEAR(a.w.z, 0.5, 1e-11);
}

TEST(Problem, TheAccelerationMayBeSpatialAndTheAxesLocal) {
  const Motion<double> s = tool_acceleration(solved(moving(R"({"acceleration": "spatial"})")),
                                             AccelerationKind::spatial, Reference::local_world_aligned);
  EXPECT_NEAR(s.v.x, 0.1, 1e-11);
  EXPECT_NEAR(s.v.y, 0.2, 1e-11);
  const Motion<double> l =
      tool_acceleration(solved(moving(R"({"in": "local"})")), AccelerationKind::classical, Reference::local);
  EXPECT_NEAR(l.v.x, 0.1, 1e-11);
  EXPECT_NEAR(l.w.z, 0.5, 1e-11);
  const Json own = solved(moving(R"({"in": "tool0"})"));
  EXPECT_CLOSE(vector_of(own["qdd"]), vector_of(solved(moving(R"({"in": "local"})"))["qdd"]), 1e-12);
}

TEST(Problem, RowsMayBeAMatrixOrWords) {
  const Json words = solved(arm_problem(R"({"rows": "linear.z angular.y", "beta": [1, 2]})"));
  const Json matrix = solved(arm_problem(R"({"rows": [[0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 0]], "beta": [1, 2]})"));
  EXPECT_EQ(words["qdd"], matrix["qdd"]);
  EXPECT_EQ(matrix["constraints"][0]["rows"], Json({"row[0]", "row[1]"}));
  const Json mixed = solved(arm_problem(R"({"rows": [[0, 0, 2, 0, 3, 0]], "beta": [1]})"));
  EXPECT_NEAR(mixed["constraints"][0]["wrench"][4].get<double>() / mixed["constraints"][0]["wrench"][2].get<double>(),
              1.5, 1e-12);
}

TEST(Problem, RolesSendTheForceToMotorsOrToTheWorld) {
  const Json driver = solved(arm_problem()), physical = solved(arm_problem(R"({"role": "physical"})"));
  EXPECT_EQ(driver["qdd"], physical["qdd"]);
  const Eigen::VectorXd asked = vector_of(driver["motor_torque"]), given = vector_of(physical["motor_torque"]);
  EXPECT_CLOSE(asked - given, vector_of(physical["reaction"]), 1e-12);
  EXPECT_GT(vector_of(physical["reaction"]).norm(), 0.1);
  EXPECT_EQ(vector_of(driver["reaction"]).norm(), 0);
}

TEST(Problem, AnInactiveConstraintDoesNothing) {
  const Json d = solved(arm_problem(R"({"active": false})"));
  EXPECT_EQ(d["report"]["rows"], 0);
  EXPECT_EQ(d["constraints"][0]["active"], false);
  EXPECT_EQ(vector_of(d["constraints"][0]["lambda"]).norm(), 0);
}

TEST(Problem, ContactsHaveNormalTangentAndPoint) {
  const std::string contact =
      R"({"name": "hand", "type": "contact", "frame": "tool0", "normal": [0, 3, 4], "tangent": [1, 0, 0], "point": [0, 0, 0.1], "rows": 2,
          "beta": [0, 0], "role": "physical"})";
  Json p = arm_problem();
  p["constraints"][0] = Json::parse(contact);
  const Json d = solved(p);
  EXPECT_EQ(d["constraints"][0]["rows"], Json({"tangent1", "normal"}));
  const Eigen::VectorXd w = vector_of(d["constraints"][0]["wrench"]), l = vector_of(d["constraints"][0]["lambda"]);
  EXPECT_NEAR(w[0], l[0], 1e-9);
  EXPECT_NEAR(w[1], 0.6 * l[1], 1e-9);
  EXPECT_NEAR(w[2], 0.8 * l[1], 1e-9);
}

TEST(Problem, PathsStartAtTheProblemFileAndTypedOptionsGoFirst) {
  const Folder folder;
  Json p = arm_problem();
  p["model"] = "own.urdf";
  p["state"]["q"] = "@q.json";
  folder.write("own.urdf",
               "<robot name='own'><link name='tool0'><inertial><mass value='2'/><inertia ixx='1' ixy='0' ixz='0' "
               "iyy='1' iyz='0' "
               "izz='1'/></inertial></link></robot>");
  folder.write("q.json", "[0, 0, 0, 0, 0, 0, 1]");
  p["root"] = "floating";
  p["state"]["v"] = "zero";
  p["tau"] = "zero";
  const std::string file = folder.write("p.json", p.dump());
  const Outcome o = zwang_json({"solve", file});
  ASSERT_EQ(o.code, 0) << o.out;
  EXPECT_EQ(o.json()["names"].size(), 6u);
  // The centre is held at a_x = 0.1 by a force of 0.2 N, and turned by torques beta * 1.
  EXPECT_NEAR(o.json()["constraints"][0]["wrench"][0].get<double>(), 0.2, 1e-12);
  EXPECT_NEAR(o.json()["constraints"][0]["wrench"][5].get<double>(), 0.5, 1e-12);
  EXPECT_EQ(zwang_json({"solve", file, "--root", "planar", "--q", "zero", "--hold", "tool0:angular.z"})
                .json()["names"]
                .size(),
            3u);
}

TEST(Problem, UnknownKeysAreErrorsThatNameTheNearest) {
  Json p = arm_problem();
  p["constraint"] = Json::array();
  EXPECT_SAYS(refusal(p), "unknown key 'constraint', did you mean 'constraints'?");
  EXPECT_SAYS(refusal(arm_problem(R"({"rwos": "all"})")), "constraints[0]: unknown key 'rwos', did you mean 'rows'?");
  p = arm_problem();
  p["solver"]["tolerence"] = 1e-9;
  EXPECT_SAYS(refusal(p), "solver: unknown key 'tolerence', did you mean 'tolerance'?");
  p = arm_problem();
  p["state"]["w"] = "zero";
  EXPECT_SAYS(refusal(p), "state: unknown key 'w'");
}

TEST(Problem, WhatIsNotThereYetIsRefusedByName) {
  EXPECT_SAYS(refusal(arm_problem(R"({"unilateral": 1})")), "'unilateral' is not there yet");
  EXPECT_SAYS(refusal(arm_problem(R"({"friction": 1})")), "unknown key 'friction'");  // of contacts alone
  EXPECT_SAYS(refusal(arm_problem(R"({"type": "custom"})")), "constraints[0].type: 'custom' is written in code");
  Json p = arm_problem();
  p["baumgarte"] = 1;
  EXPECT_SAYS(refusal(p), "'baumgarte' is not there yet");
  p = arm_problem();
  p["impact"] = "newton";
  EXPECT_SAYS(refusal(p), "is for zwang impulse");
  p = arm_problem();
  p["solver"]["warm_start"] = true;
  EXPECT_SAYS(refusal(p), "solver: 'warm_start' is not there yet");
  EXPECT_SAYS(refusal(arm_problem(R"({"rows": {"joint": "hinge"}})")), "of type 'loop'");
}

TEST(Problem, WrongValuesAreRefusedWithTheirPlace) {
  EXPECT_SAYS(refusal(arm_problem(R"({"type": "frme"})")), "did you mean 'frame'");
  EXPECT_SAYS(refusal(arm_problem(R"({"frame": "tool1"})")), "constraints[0]");
  EXPECT_SAYS(refusal(arm_problem(R"({"frame": 7})")), "constraints[0].frame: got number 7, expected a string");
  EXPECT_SAYS(refusal(arm_problem(R"({"beta": [1, 2]})")), "beta");
  EXPECT_SAYS(refusal(arm_problem(R"({"rows": []})")), "no row");
  EXPECT_SAYS(refusal(arm_problem(R"({"rows": [[1, 2, 3]]})")), "rows[0]: got 3 numbers, expected 6");
  EXPECT_SAYS(refusal(arm_problem(R"({"role": "drver"})")), "did you mean 'driver'");
  EXPECT_SAYS(refusal(arm_problem(R"({"in": "tool7"})")), "tool7");
  EXPECT_SAYS(refusal(arm_problem(R"({"name": ""})")), "name is empty");
  Json p = arm_problem();
  p["constraints"].push_back(p["constraints"][0]);
  EXPECT_SAYS(refusal(p), "constraints[1]");
  p = arm_problem();
  p["constraints"][0].erase("frame");
  EXPECT_SAYS(refusal(p), "the key 'frame' is missing");
  p = arm_problem();
  p["external"] = {{{"frame", "tool0"}, {"wrench", {1, 2, 3}}}};
  EXPECT_SAYS(refusal(p), "external[0].wrench: got 3 numbers, expected 6");
  p = arm_problem();
  p["external"] = {{{"frame", "tool0"}, {"wrench", {1, 2, 3, 4, 5, 6}}, {"in", "link1"}}};
  EXPECT_SAYS(refusal(p), "external[0].in");
  p = arm_problem();
  p["state"]["q"] = {1, 2};
  EXPECT_SAYS(refusal(p), "state.q: got 2 numbers, expected 7");
  p = arm_problem();
  p["solver"]["method"] = "dense_ul";
  EXPECT_SAYS(refusal(p), "dense_lu");
  p = arm_problem();
  p.erase("model");
  EXPECT_SAYS(refusal(p), "the key 'model' is missing");
}

TEST(Problem, FilesThatAreNoProblemsAreRefused) {
  EXPECT_SAYS(refusal_of_text(""), "not JSON");
  EXPECT_SAYS(refusal_of_text("{\"model\": "), "line 1");
  EXPECT_SAYS(refusal_of_text("[]"), "expected an object");
  EXPECT_SAYS(refusal_of_text("{\"model\": \"a.urdf\", \"tau\": [NaN]}"), "not JSON");
  EXPECT_SAYS(refusal_of_text("{\"model\": \"a.urdf\", \"tau\": [Infinity]}"), "not JSON");
  EXPECT_SAYS(refusal_of_text("{\"model\": \"a.urdf\", \"tau\": [1e400]}"), "not JSON");
  EXPECT_SAYS(refusal_of_text("{\"model\": \"a\", \"model\": \"b\"}"), "given twice");
  EXPECT_SAYS(refusal_of_text("{\"tau\": " + std::string(100000, '[') + std::string(100000, ']') + "}"),
              "nested deeper");
  EXPECT_SAYS(refusal_of_text("{\"model\": \"a\", \"x\": \"" + std::string((16u << 20) + 1, 'a') + "\"}"), "at most");
}

TEST(Problem, AModelThatIsNotThereIsAMatterOfInput) {
  Json p = arm_problem();
  p["model"] = "nowhere.urdf";
  EXPECT_EQ(solve_problem(p).code, 5);
  EXPECT_EQ(zwang({"info", "problem.json"}).code, 1);
}

}  // namespace
}  // namespace zwang::test
