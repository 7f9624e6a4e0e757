// SPDX-License-Identifier: BSD-3-Clause
// What solve says about dependent rows and about methods side by side; external wrenches on the command line; the
// problems of examples/.
#include <filesystem>
#include <fstream>

#include "program.hpp"

namespace zwang::test {
namespace {

/// linear.x of the tool twice (2 a = 2 beta the second time), with another wish.
Json twice(double beta) {
  Json p = arm_problem(R"({"rows": "linear.x linear.y", "beta": [1, 2]})");
  p["constraints"].push_back(
      {{"name", "again"}, {"type", "frame"}, {"frame", "tool0"}, {"rows", {{2, 0, 0, 0, 0, 0}}}, {"beta", {beta}}});
  return p;
}
Outcome people(const Json& problem, const std::vector<std::string>& more = {}) {
  const Folder folder;
  std::vector<std::string> words = {"solve", folder.write("problem.json", problem.dump())};
  words.insert(words.end(), more.begin(), more.end());
  return zwang(words);
}

TEST(Report, NamesAMinimalSetOfDependentRowsWithItsCoefficients) {
  const Json d = solved(twice(2));
  const Json& report = d["report"];
  EXPECT_EQ(report["redundant"], Json({"again:row[0]"}));
  EXPECT_EQ(report["place"]["reason"], "few_rows");
  EXPECT_GT(report["place"]["estimates"]["root"].get<double>(), 0);
  ASSERT_EQ(report["dependencies"].size(), 1u);
  const Json& set = report["dependencies"][0];
  EXPECT_EQ(set["rows"], Json({"hand:linear.x", "again:row[0]"}));
  // 1 * (2 J_x) - 2 * J_x = 0
  EXPECT_NEAR(set["coefficients"][0].get<double>(), -2, 1e-9);
  EXPECT_EQ(set["coefficients"][1], 1.0);
  EXPECT_NEAR(set["contradiction"].get<double>(), 0, 1e-9);
  EXPECT_EQ(set["conflicting"], false);
  EXPECT_EQ(report["given_up"], Json::array());
}

TEST(Report, NamesTheRowsThatConflictAndByHowMuch) {
  const Json d = solved(twice(3), {}, 3);
  const Json& report = d["report"];
  const Json& set = report["dependencies"][0];
  EXPECT_EQ(set["conflicting"], true);
  EXPECT_NEAR(set["contradiction"].get<double>(), 1, 1e-9);  // 3 - 2 * 1
  ASSERT_EQ(report["given_up"].size(), 2u);
  for (const Json& g : report["given_up"]) EXPECT_EQ(g["reason"], "conflict");
  // Least of (x - 1)^2 + (2 x - 3)^2: x = 1.4.
  EXPECT_EQ(report["given_up"][0]["row"], "hand:linear.x");
  EXPECT_NEAR(report["given_up"][0]["amount"].get<double>(), 0.4, 1e-9);
  EXPECT_EQ(report["given_up"][1]["row"], "again:row[0]");
  EXPECT_NEAR(report["given_up"][1]["amount"].get<double>(), -0.2, 1e-9);
}

TEST(Report, IsToldToPeopleInTheirNames) {
  const Outcome conflict = people(twice(3));
  EXPECT_EQ(conflict.code, 3);
  EXPECT_SAYS(conflict.out, "infeasible");
  EXPECT_SAYS(conflict.out, "again:row[0]");
  EXPECT_SAYS(conflict.out, "truncation");
  Json p = twice(3);
  p["constraints"][1]["priority"] = 1;
  const Outcome levels = people(p, {"--prescribe", "joint4=0.5"});
  EXPECT_EQ(levels.code, 0);
  EXPECT_SAYS(levels.out, "priority");
  EXPECT_SAYS(levels.out, "prescribed");
  EXPECT_SAYS(people(arm_problem(R"({"policy": "soft", "compliance": 1})")).out, "policy");
}

TEST(MethodsSideBySide, AgreeWhereTheyAnswerTheSameQuestion) {
  const Outcome o = solve_problem(arm_problem(), {"--method", "all"});
  ASSERT_EQ(o.code, 0) << o.out;
  const Json d = o.json();
  EXPECT_EQ(d["status"], "ok");
  ASSERT_EQ(d["methods"].size(), 20u);
  int refused = 0;
  for (const Json& m : d["methods"]) {
    EXPECT_NE(m["method"], "automatic");
    if (m["status"] == "unsupported") {
      ++refused;
      EXPECT_EQ(m["method"], "pv_soft");
      EXPECT_SAYS(m["reason"].get<std::string>(), "pv_soft");
      EXPECT_FALSE(m.contains("rank"));
      continue;
    }
    EXPECT_EQ(m["status"], "ok") << m;
    EXPECT_EQ(m["rank"], 5);
    EXPECT_EQ(m["rows"], 5);
    EXPECT_GT(m["microseconds"].get<double>(), 0);
    // Damping of 1e-6 of the mean misses each row by about that, relatively, or more where the rows' inertia is small.
    const bool exact = m["singularity"] != "damping";
    EXPECT_LT(m["residual"].get<double>(), exact ? 1e-8 : 1e-1) << m;
    EXPECT_LT(m["difference"].get<double>(), exact ? 1e-7 : 1e-1) << m;
    EXPECT_NEAR(m["zwang"].get<double>() / d["zwang"].get<double>(), 1, exact ? 1e-6 : 0.2) << m;
  }
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(d["methods"][0]["method"], "popov_vereshchagin");
  EXPECT_EQ(d["methods"][0]["difference"], 0.0);
}

TEST(MethodsSideBySide, SayWhatEachCannotDo) {
  const Outcome o = solve_problem(arm_problem(R"({"priority": 1, "compliance": 0.1})"), {"--method", "all"});
  ASSERT_EQ(o.code, 0) << o.out;
  int refused = 0;
  const Json d = o.json();
  for (const Json& m : d["methods"]) {
    const bool sweep = m["method"] == "popov_vereshchagin" || m["method"] == "pv_early" || m["method"] == "bbo";
    const bool cannot = m["singularity"] == "damping" || m["singularity"] == "proximal" || !sweep;
    EXPECT_EQ(m["status"] == "unsupported", cannot) << m;
    refused += cannot;
    const bool on_matrices = !sweep && m["method"] != "pv_soft";
    if (cannot) { EXPECT_SAYS(m["reason"].get<std::string>(), on_matrices ? "levels" : "priorit"); }
  }
  EXPECT_EQ(refused, 15);
  const Outcome soft = solve_problem(arm_problem(R"({"compliance": 0.1})"), {"--method", "all"});
  ASSERT_EQ(soft.code, 0) << soft.out;
  const Json last = soft.json()["methods"][9];
  EXPECT_EQ(last["method"], "pv_soft");
  EXPECT_EQ(last["status"], "ok");
  EXPECT_GT(last["difference"].get<double>(), 1e-3);
}

TEST(MethodsSideBySide, ArePrintedAsATable) {
  const Outcome o = people(arm_problem(), {"--method", "all"});
  EXPECT_EQ(o.code, 0);
  for (const char* part :
       {"method", "singularity", "residual", "difference", "zwang", "time [µs]", "popov_vereshchagin", "pv_early",
        "dense_cod", "unsupported", "truncation", "proximal", "damping", "weighted"})
    EXPECT_SAYS(o.out, part);
  Json p = arm_problem();
  p["solver"]["method"] = "all";
  EXPECT_EQ(solved(p)["methods"].size(), 20u);
  EXPECT_EQ(people(twice(3), {"--method", "all"}).code, 3);
}

TEST(TypedWrenches, ReachEveryDynamicsCommand) {
  const Model arm = arm7_model();
  Data data(arm);
  const Eigen::VectorXd q = random(arm, 4), none = zero(arm);
  const std::vector<std::string> wrenches = {
      "--q", "random:4", "--external", "link4:1,-2,3,0.1,0.2,-0.3", "--external", "tool0:-4,5,6,0.4,-0.5,0.6"};
  for (const char* word : {"", "local", "world", "local_world_aligned"}) {
    const Reference in = *word ? reference_of(word) : Reference::local_world_aligned;
    const Externals external = {external_wrench(arm, "link4", {1, -2, 3, 0.1, 0.2, -0.3}, in),
                                external_wrench(arm, "tool0", {-4, 5, 6, 0.4, -0.5, 0.6}, in)};
    const auto printed = [&](const char* command, const char* key) {
      std::vector<std::string> words = {command, arm7()};
      words.insert(words.end(), wrenches.begin(), wrenches.end());
      if (*word) words.insert(words.end(), {"--in", word});
      const Outcome o = zwang_json(words);
      EXPECT_EQ(o.code, 0) << o.out;
      return vector_of(o.json()[key]);
    };
    const Eigen::VectorXd fd = forward_dynamics(arm, data, q, none, none, external);
    EXPECT_EQ(printed("id", "tau"), Eigen::VectorXd(inverse_dynamics(arm, data, q, none, none, external))) << word;
    EXPECT_EQ(printed("fd", "qdd"), fd) << word;
    EXPECT_CLOSE(printed("solve", "qdd"), fd, 1e-11);
  }
}

TEST(TypedWrenches, ComeOnTopOfThoseOfTheProblem) {
  Json file = arm_problem(), none = arm_problem();
  file["external"] = Json::parse(R"([{"frame": "link3", "wrench": [1, 2, 3, 4, 5, 6], "in": "local"}])");
  Json both = file;
  both["external"].push_back({{"frame", "tool0"}, {"wrench", {1, 1, 1, 0, 0, 0}}, {"in", "world"}});
  const Json typed = solved(file, {"--external", "tool0:1,1,1,0,0,0", "--in", "world"});
  EXPECT_EQ(typed["motor_torque"], solved(both)["motor_torque"]);
  EXPECT_NE(typed["motor_torque"], solved(file)["motor_torque"]);
}

TEST(TypedWrenches, ThatCannotBeUnderstoodAreRefused) {
  const auto refused = [](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"fd", arm7()};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome o = zwang(words);
    EXPECT_EQ(o.code, 1) << o.out;
    return o.err;
  };
  EXPECT_SAYS(refused({"--external", "tool0"}), "expected FRAME:fx,fy,fz,mx,my,mz");
  EXPECT_SAYS(refused({"--external", "tool0:1,2,3"}), "got 3 numbers, expected 6");
  EXPECT_SAYS(refused({"--external", "tool0:1,2,3,4,5,x"}), "got 'x'");
  EXPECT_SAYS(refused({"--external", "tool0:1,2,3,4,5,nan"}), "finite");
  EXPECT_SAYS(refused({"--external", "tol0:1,2,3,4,5,6"}), "tool0");
  EXPECT_SAYS(refused({"--external", "tool0:1,2,3,4,5,6", "--in", "tool0"}), "local_world_aligned");
  EXPECT_SAYS(refused({"--in", "local"}), "--external");
}

TEST(ExampleProblems, SolveAndSayTheSameWithEveryMethod) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(models_folder() + "/../examples")) {
    if (entry.path().extension() != ".json") continue;
    ++found;
    if (Json::parse(std::ifstream(entry.path())).contains("time")) {  // a motion
      EXPECT_EQ(zwang({"simulate", entry.path().string()}).code, 0) << entry.path();
      continue;
    }
    EXPECT_EQ(zwang({"solve", entry.path().string()}).code, 0) << entry.path();
    EXPECT_EQ(zwang({"solve", entry.path().string(), "--method", "all"}).code, 0) << entry.path();
  }
  EXPECT_GE(found, 4);
}

}  // namespace
}  // namespace zwang::test
