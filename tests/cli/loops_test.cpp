// SPDX-License-Identifier: BSD-3-Clause
// Robots whose file holds loops: --loops, and `loops` of a problem.
#include "program.hpp"

namespace zwang::test {
namespace {

std::string five_bar() { return model_file("five_bar.urdf"); }
Json problem(const std::string& loops) {
  Json p = Json::parse(R"({"state": {"q": "neutral", "v": {"left_shoulder": 1, "right_shoulder": -1}},
                           "tau": {"left_shoulder": 0.3}, "constraints": []})");
  p["model"] = five_bar();
  if (!loops.empty()) p["loops"] = Json::parse(loops);
  return p;
}

TEST(LoopsOfAFile, AreRefusedWithoutTheOption) {
  for (const char* command : {"check", "info", "solve", "fd", "id"}) {
    const Outcome o = zwang({command, five_bar()});
    EXPECT_EQ(o.code, 2) << command;
    EXPECT_SAYS(o.err, "E_TWO_PARENTS");
    EXPECT_SAYS(o.err, "--loops");
  }
  EXPECT_EQ(solve_problem(problem("")).code, 2);
  EXPECT_EQ(solve_problem(problem("false")).code, 2);
}

TEST(LoopsOfAFile, AreShown) {
  const Json d = zwang_json({"info", five_bar(), "--loops"}).json();
  EXPECT_EQ(d["counts"]["loops"], 1);
  ASSERT_EQ(d["loops"].size(), 1u);
  const Json& loop = d["loops"][0];
  EXPECT_EQ(loop["name"], "right_wrist");
  EXPECT_EQ(loop["type"], "continuous");
  EXPECT_EQ(loop["parent"], "right_forearm");
  EXPECT_EQ(loop["child"], "tool");
  EXPECT_EQ(loop["predecessor"], "right_wrist_predecessor");
  EXPECT_EQ(loop["successor"], "right_wrist_successor");
  EXPECT_EQ(loop["axis"], Json({0.0, 0.0, 1.0}));
  EXPECT_EQ(loop["rows"], Json({"linear.x", "linear.y", "linear.z", "angular.x", "angular.y"}));
  const Outcome table = zwang({"info", five_bar(), "--loops"});
  EXPECT_SAYS(table.out, "loop closed by");
  EXPECT_SAYS(table.out, "right_wrist");
  EXPECT_EQ(zwang({"info", model_file("arm7.urdf"), "--loops"}).out, zwang({"info", model_file("arm7.urdf")}).out);
  EXPECT_EQ(zwang_json({"check", five_bar(), "--loops"}).json()["model"]["loops"], 1);
  const Outcome check = zwang({"check", five_bar(), "--loops", "--mode", "strict"});
  EXPECT_EQ(check.code, 0);
  EXPECT_SAYS(check.out, "1 loop, nq 4");
  EXPECT_SAYS(check.err, "N_LOOP");
}

TEST(LoopsOfAFile, AreClosedWhenSolving) {
  const Json d = zwang_json({"solve", five_bar(), "--loops", "--tau", "left_shoulder=0.3"}).json();
  EXPECT_EQ(d["status"], "ok");
  ASSERT_EQ(d["constraints"].size(), 1u);
  EXPECT_EQ(d["constraints"][0]["name"], "right_wrist");
  EXPECT_EQ(d["constraints"][0]["type"], "loop");
  EXPECT_EQ(d["report"]["rank"], 2);  // of five: the robot is in its plane already
  const Json held = zwang_json({"solve", five_bar(), "--loops", "--hold", "tool:linear.x,linear.z"}).json();
  ASSERT_EQ(held["constraints"].size(), 2u);
  for (const Json& x : held["qdd"]) EXPECT_NEAR(x.get<double>(), 0, 1e-9) << "two rows of the tool hold all of it";
}

TEST(LoopsOfAFile, OfAProblemAreThoseOfTheFlag) {
  const Json yes = solved(problem("true")), flag = solved(problem(""), {"--loops"}), object = solved(problem("{}"));
  EXPECT_EQ(yes["constraints"], flag["constraints"]);
  EXPECT_EQ(yes["qdd"], flag["qdd"]);
  EXPECT_EQ(yes["qdd"], object["qdd"]);
  // The tree's state is not closed in its velocities: stabilisation acts on it.
  EXPECT_EQ(solved(problem(R"("constraints")"))["qdd"], yes["qdd"]);
  const Json stabilised = solved(problem(R"({"baumgarte": {"time_constant": 0.05}})"));
  EXPECT_GT((vector_of(stabilised["qdd"]) - vector_of(yes["qdd"])).norm(), 1);
  Json by_hand = problem("true");
  by_hand["constraints"] = Json::parse(R"([{"name": "again", "type": "loop", "rows": {"joint": "hinge"},
                                           "frames": ["right_wrist_predecessor", "right_wrist_successor"]}])");
  const Json twice = solved(by_hand);
  EXPECT_CLOSE(vector_of(twice["qdd"]), vector_of(yes["qdd"]), 1e-10);
  EXPECT_EQ(twice["report"]["rank"], yes["report"]["rank"]);
}

TEST(LoopsOfAFile, AreRefusedWhereTheyMakeNoSense) {
  EXPECT_SAYS(refusal(problem("1")), "loops");
  EXPECT_SAYS(refusal(problem(R"("constrains")")), "constraints");
  EXPECT_SAYS(refusal(problem(R"({"baumgart": {}})")), "baumgarte");
  Json clash = problem("true");
  clash["constraints"] = Json::parse(R"([{"name": "right_wrist", "type": "frame", "frame": "tool"}])");
  EXPECT_SAYS(refusal(clash), "right_wrist");
  for (const char* command : {"id", "fd"}) EXPECT_EQ(zwang({command, five_bar(), "--loops"}).code, 1) << command;
}

/// Constraints of the robot's file are taken, and left where the problem says so; the robot starts as it is drawn.
TEST(LoopsOfAFile, OfSdfBringItsOtherConstraintsAlong) {
  const std::string crank = std::string(ZWANG_MODELS) + "/slider_crank.sdf";
  const Outcome solved = zwang({"solve", crank, "--json"});
  ASSERT_EQ(solved.code, 0) << solved.err;
  EXPECT_EQ(solved.json()["constraints"].size(), 2u);
  const double motor = solved.json()["qdd"][0], main = solved.json()["qdd"][1];
  EXPECT_NEAR(main, 0.1 * motor, 1e-9 * std::abs(motor));
  const Folder folder;
  const std::string open = folder.write("open.json", "{\"model\": \"" + crank + "\", \"file_constraints\": false}");
  const Outcome free = zwang({"solve", open, "--json"});
  ASSERT_EQ(free.code, 0) << free.err;
  EXPECT_EQ(free.json()["constraints"].size(), 0u);
  EXPECT_EQ(zwang({"info", crank, "--mode", "strict"}).code, 2);
}

}  // namespace
}  // namespace zwang::test
